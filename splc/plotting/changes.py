"""The influences of the models of several versions, with their intervals, and which of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.style import (
    DARK,
    FAINT,
    GREY,
    LIGHT,
    drawable,
    drawing,
    fitting,
    literal,
    logarithmic,
    new_figure,
    saved,
    scale_values,
)
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The greatest numbers of terms that have a panel, of panels in a row, and of named values in a panel.
MAX_TERMS, COLUMNS, MAX_NAMES = 12, 4, 8
_TITLE = 1.9


def changes_plot(course: ModelCourse, values: Sequence[str], by: str, title: str, nfp: str, file_format: str) -> bytes:
    """Return a plot of the influences of each value of a context; the same input gives the same bytes.

    Each term has a panel: the mean contribution of its influence with its 90 % interval at each value. Clear changes
    are marked; a dashed line is what the common factor of a change gives.

    Args:
        course: the influences; those beyond `MAX_TERMS` are not drawn.
        values: the values of the context.
        by: the name of the context.
        title: the title.
        nfp: the property.
        file_format: one of `FORMATS`.
    """
    shown = course.terms[:MAX_TERMS]
    columns = min(COLUMNS, max(1, len(shown)))
    rows = -(-len(shown) // columns) or 1
    product = course.link == "log"
    with drawing():
        figure = new_figure(max(4.5, 2.5 * columns), 1.3 + 2.2 * rows)
        first: Axes | None = None
        for index, term in enumerate(shown):
            axes = figure.add_subplot(rows, columns, index + 1, sharey=first)
            _draw(axes, term, course.factors, product=product)
            step = -(-len(values) // MAX_NAMES)
            names = [literal(value, 12) for value in values]
            axes.set_xticks(range(0, len(values), step), names[::step], rotation=30 if step > 1 else 0, fontsize=8)
            axes.set_xlim(-0.5, len(values) - 0.5)
            if index % columns == 0:
                label = "mean factor" if product else f"mean contribution to {literal(nfp, 20)}"
                axes.set_ylabel(label, fontsize=8)
            axes.tick_params(labelleft=index % columns == 0)
            first = first or axes
        if first is not None:
            # One scale for all panels: their contributions can be compared.
            _scale(first, shown, product=product)
        lines = (literal(title, 60), *_summary(course, by, len(course.terms) - len(shown)))
        figure.suptitle("\n".join(lines), fontsize=9)
        return saved(figure, file_format)


def _summary(course: ModelCourse, by: str, left_out: int) -> tuple[str, str]:
    """Return what the marks mean, or that there are none, and what else is drawn."""
    count = sum(any(term.changed) for term in course.terms)
    changed = f"orange: {count} of {len(course.terms)} influences changed by more than their uncertainty"
    none = f"no influence changed with {literal(by, 24)} by more than its uncertainty"
    factor = "; dashed: common factor" if any(value != 1 for value in course.factors) else ""
    gap = "; no point: not determined" if any(np.isnan(term.means).any() for term in course.terms) else ""
    more = f"; {left_out} more not drawn" if left_out else ""
    return changed if count else none, f"bars: 90 % intervals{factor}{gap}{more}"


def _scale(axes: Axes, terms: Sequence[TermCourse], *, product: bool) -> None:
    """Scale the y axis of all panels for the influences and their intervals."""
    drawn = np.concatenate([interval for term in terms for interval in _intervals(term, product=product)])
    drawn = drawn[np.isfinite(drawn)]
    if product and len(drawn):
        logarithmic(axes, axes.yaxis, float(drawn.min()), float(drawn.max()))
    else:
        scale_values(axes, drawn)


def _intervals(term: TermCourse, *, product: bool) -> list[Array]:
    """Return the influences of a term with the lower and the upper ends of their intervals, as they are drawn."""
    means, widths = np.array(term.means), np.array(term.widths)
    ends = [means, means - widths, means + widths]
    return [drawable(np.exp(np.minimum(end, 690.0)) if product else end) for end in ends]


def _draw(axes: Axes, term: TermCourse, factors: Sequence[float], *, product: bool) -> None:
    """Draw the influence of one term at each value, and its changes."""
    middle, low, high = _intervals(term, product=product)
    for at, changed in enumerate(term.changed):
        axes.plot(
            [at, at + 1], middle[at : at + 2], color=LIGHT if changed else GREY, linewidth=2.5 if changed else 0.8
        )
        if factors[at] != 1:
            axes.plot([at, at + 1], [middle[at], factors[at] * middle[at]], color=GREY, linewidth=0.8, linestyle="--")
    axes.errorbar(
        range(len(middle)), middle, [middle - low, high - middle], color=DARK, fmt="o", markersize=4, capsize=3
    )
    marked = [at + 1 for at, changed in enumerate(term.changed) if changed]
    axes.plot(marked, middle[marked], color=LIGHT, marker="o", markersize=6, linestyle="")
    axes.set_title(fitting(term.text, _TITLE, 9), fontsize=9, fontweight="bold" if marked else "normal")
    axes.tick_params(labelsize=8)
    axes.grid(axis="y", color=FAINT)
    axes.set_axisbelow(True)
