"""The terms of compared models, one bar per term for its score in the other model (section 4.1 of the thesis).

The influences of different terms have different units and cannot share a scale; their scores can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from comparison.result import ClassScore, Comparison, Found, TermScore
from splc.models.terms import Term
from splc.plotting.style import BLACK, FAINT, GREY, fitting, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")

# Colour, hatch and legend of each case: the cases differ in lightness, texture and the side of the bar.
CASES: dict[Found, tuple[str, str, str]] = {
    "no class": ("#a63c00", "xxxx", "no term over these options in the other model (−2)"),
    "no term": ("#f0b040", "", "terms over these options, but not this one (−1)"),
    "opposite sign": ("#cc79a7", "....", "in both, influences of opposite sign (1)"),
    "different": ("#8cc8f0", "////", "in both, influences differ (1 to 2)"),
    "same": ("#00335c", "", "in both, same influence (2)"),
}
# The greatest numbers of terms and models in a picture; the tables have all.
MAX_TERMS, MAX_MODELS = 120, 8
_SIZE, _ROW, _MARGIN, _GAP, _INDENT = 8.0, 0.19, 0.2, 0.18, 0.15
_WIDEST_TERM, _MIN_PANEL = 4.2, 1.3


@dataclass(frozen=True)
class Row:
    """A line of the picture: a class (without a term) or a term, with its scores in each comparison (None: in neither).

    Attributes:
        label: the text at its left.
        scores: per comparison, the score of the class or of the term.
    """

    label: str
    scores: tuple[ClassScore | TermScore | None, ...]

    @property
    def is_class(self) -> bool:
        """True if it is the line of a class."""
        return any(isinstance(score, ClassScore) for score in self.scores)

    @property
    def first(self) -> str:
        """The first model's influence, where this is the line of a term."""
        terms = [score for score in self.scores if isinstance(score, TermScore)]
        return influence_text(next((term.first for term in terms if term.first is not None), None)) if terms else ""


@dataclass(frozen=True)
class TermsLayout:
    """The positions of all parts of the picture, in inches, from the widths of the texts.

    Attributes:
        comparisons: the comparisons in the picture.
        rows: the classes, each with its terms below it.
        hidden: the number of terms that are not drawn, beyond `MAX_TERMS`.
        left_out: the number of models that are not drawn, beyond `MAX_MODELS`.
        width: of the whole picture.
        label: width of the terms.
        first: width of the first model's influences.
        others: width of each other model's influences.
        panel: width of the bars of one model.
    """

    comparisons: tuple[Comparison, ...]
    rows: tuple[Row, ...]
    hidden: int
    left_out: int
    width: float
    label: float
    first: float
    others: tuple[float, ...]
    panel: float

    @classmethod
    def of(cls, comparisons: Sequence[Comparison], width: float) -> TermsLayout:
        """Return the layout of comparisons (at least one), at least `width` inches wide."""
        drawn = tuple(comparisons[:MAX_MODELS])
        rows, hidden = rows_of(drawn)
        labels = [width_of(row.label, _SIZE, bold=row.is_class) + _INDENT * (not row.is_class) for row in rows]
        label = max([1.0, *labels]) + _GAP
        first = max([0.7, *(width_of(row.first, _SIZE) for row in rows)]) + _GAP
        others = tuple(
            max([0.7, *(width_of(second_text(row.scores[j]), _SIZE) for row in rows)]) + 2 * _GAP
            for j in range(len(drawn))
        )
        fixed = 2 * _MARGIN + label + first + sum(others)
        panel = max(_MIN_PANEL, (width - fixed) / len(drawn))
        wide = max(width, fixed + panel * len(drawn))
        return cls(drawn, rows, hidden, len(comparisons) - len(drawn), wide, label, first, others, panel)

    @property
    def top(self) -> float:
        """The upper end of the rows, measured from above: below the title and the names of the models."""
        return 0.3 + 4.2 * _ROW

    @property
    def height(self) -> float:
        """The height of the picture."""
        notes = (self.hidden > 0) + (self.left_out > 0) + (not self.rows)
        return self.top + _ROW * (len(self.rows) + notes) + 1.3

    def panels(self) -> Iterator[tuple[int, float]]:
        """Yield the number of each comparison and the position of its bars."""
        x = _MARGIN + self.label + self.first
        for j, other in enumerate(self.others):
            yield j, x
            x += self.panel + other


def rows_of(comparisons: Sequence[Comparison]) -> tuple[tuple[Row, ...], int]:
    """Return the rows of comparisons side by side, at most `MAX_TERMS` terms, and the number of omitted terms."""
    # Sets, since models with different orders of options have the same classes.
    classes: list[frozenset[str]] = []
    groups: dict[frozenset[str], dict[int, ClassScore]] = {}
    for j, compared in enumerate(comparisons):
        merge(classes, [frozenset(group.options) for group in compared.syntactic.classes])
        for group in compared.syntactic.classes:
            groups.setdefault(frozenset(group.options), {})[j] = group
    rows: list[Row] = []
    left = MAX_TERMS
    each = range(len(comparisons))
    for found in (groups[options] for options in classes):
        names = next(iter(found.values())).options
        scores: dict[Term, dict[int, TermScore]] = {}
        for j, group in found.items():
            for score in group.terms:
                scores.setdefault(score.term, {})[j] = score
        if left > 0:
            label = fitting(", ".join(names) or "constant", _WIDEST_TERM + _INDENT, _SIZE, bold=True)
            rows.append(Row(label, tuple(map(found.get, each))))
        positions = {option: position for position, option in enumerate(names)}
        terms = list(scores)
        if len(comparisons) > 1:
            terms.sort(key=lambda term: term.sort_key(positions))
        for term in terms[: max(left, 0)]:
            text = next(iter(scores[term].values())).text
            rows.append(Row(fitting(text, _WIDEST_TERM, _SIZE), tuple(map(scores[term].get, each))))
        left -= len(terms)
    return tuple(rows), max(0, -left)


def merge(into: list[T], those: Iterable[T]) -> None:
    """Insert missing items after their predecessor in the other list, so that both orders are kept."""
    known, at = set(into), 0
    for item in those:
        if item in known:
            at = into.index(item) + 1
        else:
            into.insert(at, item)
            at += 1


def influence_text(value: float | None) -> str:
    """Return an influence with four digits, or a dash where there is none."""
    return "–" if value is None else f"{value:.4g}".replace("-", "−")


def score_text(value: float) -> str:
    """Return a score with two digits after the point."""
    return f"{value + 0.0:.2f}".replace("-", "−")


def second_text(score: ClassScore | TermScore | None) -> str:
    """Return the text next to the bars of a row."""
    if isinstance(score, ClassScore):
        return f"Σ {score_text(score.score)}"
    return influence_text(score.second) if score is not None else ""


def draw_terms(figure: Figure, layout: TermsLayout) -> None:
    """Draw the terms at the bottom of a figure that is as wide as the layout."""
    sheet = figure.add_axes((0, 0, 1, min(1.0, layout.height / figure.get_figheight())))
    sheet.set_axis_off()
    sheet.set_xlim(0, layout.width)
    sheet.set_ylim(layout.height, 0)
    sheet.set_in_layout(False)
    bottom = layout.top + _ROW * len(layout.rows)
    _headers(sheet, layout)
    for place, row in enumerate(layout.rows):
        y = layout.top + _ROW * (place + 0.5)
        if row.is_class:
            _box(sheet, _MARGIN, y - _ROW / 2, layout.width - 2 * _MARGIN, _ROW, FAINT, zorder=0)
        _text(sheet, _MARGIN + (0 if row.is_class else _INDENT), y, row.label, bold=row.is_class)
        _text(sheet, _MARGIN + layout.label + layout.first - _GAP, y, row.first, align="right")
    for j, x in layout.panels():
        for score in (-2, -1, 0, 1, 2):
            at = x + (score + 2) / 4 * layout.panel
            color, width = (BLACK, 0.8) if score == 0 else (GREY, 0.3)
            sheet.plot([at, at], [layout.top, bottom], color=color, linewidth=width, zorder=1 if score else 3)
            _text(sheet, at, bottom + 0.6 * _ROW, str(score).replace("-", "−"), align="center", size=7)
        for place, row in enumerate(layout.rows):
            y = layout.top + _ROW * (place + 0.5)
            cell = row.scores[j]
            _text(sheet, x + layout.panel + _GAP / 2, y, second_text(cell), bold=row.is_class)
            if isinstance(cell, TermScore):
                color, hatch, _ = CASES[cell.found]
                zero, long = x + layout.panel / 2, cell.score / 4 * layout.panel
                _box(sheet, zero, y - 0.36 * _ROW, long, 0.72 * _ROW, color, hatch=hatch, edgecolor=BLACK, zorder=2)
    _notes(sheet, layout, bottom + 1.3 * _ROW)


def _headers(sheet: Axes, layout: TermsLayout) -> None:
    """Draw the title, the models' names and their scores."""
    first = layout.comparisons[0].first
    _text(sheet, _MARGIN, 0.2, "Each term of the models, scored by whether and how it is in both", size=10, bold=True)
    middle = layout.top - 1.5 * _ROW
    right = _MARGIN + layout.label + layout.first - _GAP
    name = fitting(first, layout.label + layout.first - _GAP, _SIZE, bold=True)
    _text(sheet, right, middle - _ROW, name, align="right", bold=True)
    _text(sheet, right, middle + _ROW, "influence", align="right", size=7)
    for j, x in layout.panels():
        compared = layout.comparisons[j]
        wide = layout.panel + layout.others[j] - _GAP
        score = compared.syntactic
        total = f"score {score_text(score.score)} of [{score.lower + 0.0:g}, {score.upper:g}]".replace("-", "−")
        _text(sheet, x, middle - _ROW, fitting(compared.second, wide, _SIZE, bold=True), bold=True)
        _text(sheet, x, middle, fitting(total, wide, _SIZE))
        _text(sheet, x + layout.panel + _GAP / 2, middle + _ROW, "influence", size=7)


def _notes(sheet: Axes, layout: TermsLayout, y: float) -> None:
    """Draw the numbers of omitted terms and models, and the legend of the bars."""
    notes = {
        f"and {layout.hidden:,} more {'term' if layout.hidden == 1 else 'terms'}": layout.hidden,
        f"{layout.left_out} more {'model is' if layout.left_out == 1 else 'models are'} not drawn": layout.left_out,
        "neither model has a term": not layout.rows,
    }
    for note in [note for note, wanted in notes.items() if wanted]:
        _text(sheet, _MARGIN, y, note)
        y += _ROW
    half = (layout.width - 2 * _MARGIN) / 2
    for place, (color, hatch, meaning) in enumerate(CASES.values()):
        x, at = _MARGIN + half * (place // 3), y + 0.25 + 1.25 * _ROW * (place % 3)
        _box(sheet, x, at - 0.36 * _ROW, 0.35, 0.72 * _ROW, color, hatch=hatch, edgecolor=BLACK)
        _text(sheet, x + 0.45, at, meaning)


def _text(
    sheet: Axes, x: float, y: float, text: str, *, align: str = "left", size: float = _SIZE, bold: bool = False
) -> None:
    """Write a text whose middle is at a height."""
    if text:
        weight = "bold" if bold else "normal"
        sheet.text(x, y, text, size=size, weight=weight, ha=align, va="center_baseline", zorder=4)


def _box(sheet: Axes, x: float, y: float, width: float, height: float, color: str, **more: Any) -> None:
    """Draw a filled rectangle."""
    from matplotlib.patches import Rectangle

    sheet.add_patch(Rectangle((x, y), width, height, facecolor=color, linewidth=0.5, **more))
