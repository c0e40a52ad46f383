r"""Tables of results as text: CSV with full precision, Markdown and LaTeX with rounded numbers.

Special characters in cells are escaped: in CSV as in RFC 4180, in Markdown as in GitHub's tables (GFM 4.10), in LaTeX
as in a `tabular` that compiles without any package and uses the rules of booktabs if that package is loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from splc.errors import OutputError
from splc.io.latex import CONTROLS, directions_shown, latex_escaped, latex_number, one_line
from splc.io.numbers import is_whole, number_text, rounded_text

_SPREAD_DIGITS = 2

_BREAKS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_QUOTED = re.compile('[",\r\n]')
# Characters that begin inline markup, including `$` and `~` of GitHub's dialect.
_MARKUP = re.compile(r"([\\`*_\[\]<>&|~$#])")

_RULES = r"""% Rules as of booktabs, \usepackage{booktabs}; without that package they are plain lines.
\providecommand{\toprule}{\hline}
\providecommand{\midrule}{\hline}
\providecommand{\bottomrule}{\hline}
"""


@dataclass(frozen=True)
class Spread:
    """A mean with its deviation, for example over seeds."""

    mean: float | None  # the mean, None where it is undefined
    deviation: float | None  # the (standard) deviation, in the unit of the mean; None where it is undefined
    relative: bool = True  # whether it is shown as `10.2 (± 3 %)`, as in the thesis, or `10.2 ± 0.31`, as if that is 0


class Markdown(str):
    """A text that is Markdown already: its markup is not escaped in Markdown."""

    __slots__ = ()


Cell = str | float | int | Spread | None


@dataclass(frozen=True)
class Table:
    """A table: a header and rows of cells."""

    columns: tuple[str, ...]  # the names of the columns, at least one
    rows: tuple[tuple[Cell, ...], ...] = ()  # rows with one cell per column. None and NaN mean undefined.
    caption: str | None = None  # the caption in Markdown and LaTeX, None for no caption

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        if not self.columns:
            raise OutputError("a table needs at least one column")
        for position, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise OutputError(f"row {position} has {len(row)} cells for {len(self.columns)} columns")

    @property
    def numeric(self) -> tuple[bool, ...]:
        """True if each column contains only numbers and undefined cells; such columns are aligned to the right."""
        columns = zip(*self.rows, strict=True) if self.rows else [("",)] * len(self.columns)
        return tuple(not any(isinstance(cell, str) for cell in column) for column in columns)


def markdown_escaped(text: str) -> str:
    """Return a text whose characters have no meaning in Markdown; `Markdown` stays as it is."""
    if isinstance(text, Markdown):
        return text
    escaped = _MARKUP.sub(r"\\\1", _BREAKS.sub("\n", directions_shown(text).strip()))
    return CONTROLS.sub(lambda match: "<br>" * match[0].count("\n") or " ", escaped)


@dataclass(frozen=True)
class _Notation:
    """Formats of cells in one output language."""

    text: Callable[[str], str]
    number: Callable[[str], str]
    undefined: str
    relative: str
    absolute: str
    formula: str


_PLAIN = _Notation(str, str, "-", "{} (± {} %)", "{} ± {}", "{}")
_MARKDOWN = _Notation(markdown_escaped, lambda text: text.replace("inf", "∞"), "–", "{} (± {} %)", "{} ± {}", "{}")
_LATEX = _Notation(latex_escaped, latex_number, "--", r"{}\ (\pm {}\,\%)", r"{} \pm {}", "${}$")


def csv_text(table: Table) -> str:
    """Return a table as CSV: header, `,` separated, lines ended by a line feed.

    Numbers are the shortest texts that read back equal (infinite ones are `inf` and `-inf`), what is undefined is
    empty, and texts are kept as they are. Behind a column with a `Spread` stands another one, `NAME deviation`, with
    the deviations in the unit of the means. The caption is left out.
    """
    columns: list[list[str]] = []
    for at, name in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        columns.append([name, *(_exact_text(cell.mean if isinstance(cell, Spread) else cell) for cell in cells)])
        if any(isinstance(cell, Spread) for cell in cells):
            deviations = (_exact_text(cell.deviation) if isinstance(cell, Spread) else "" for cell in cells)
            columns.append([f"{name} deviation", *deviations])
    lines = zip(*columns, strict=True)
    return "".join(",".join(map(_quoted, line)) + "\n" if line != ("",) else '""\n' for line in lines)


def markdown_text(table: Table, digits: int = 4) -> str:
    """Return a table as GitHub-flavoured Markdown; the caption is a bold line above it."""
    header, *rows = _texts(table, digits, _MARKDOWN)
    pads = [str.rjust if is_numeric else str.ljust for is_numeric in table.numeric]
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * (width - 1) + (":" if pad is str.rjust else "-") for width, pad in zip(widths, pads, strict=True)]
    text = ""
    for line in (header, rule, *rows):
        padded = (pad(cell, width) for pad, cell, width in zip(pads, line, widths, strict=True))
        text += f"| {' | '.join(padded)} |\n"
    caption = markdown_escaped(one_line(table.caption or ""))
    return f"**{caption}**\n\n{text}" if caption else text


def latex_text(table: Table, digits: int = 4) -> str:
    """Return a table as LaTeX: a `tabular`, in a `table` environment if it has a caption."""
    rows = [" & ".join(line) + " \\\\\n" for line in _texts(table, digits, _LATEX)]
    alignment = "".join("r" if is_numeric else "l" for is_numeric in table.numeric)
    body = f"\\toprule\n{rows[0]}\\midrule\n{''.join(rows[1:])}\\bottomrule"
    tabular = f"\\begin{{tabular}}{{{alignment}}}\n{body}\n\\end{{tabular}}\n"
    if caption := latex_escaped(table.caption or ""):
        tabular = f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n{tabular}\\end{{table}}\n"
    return _RULES + tabular


def _defined(number: float | None) -> float | None:
    """Return a number, None for NaN."""
    return None if number != number else number  # noqa: PLR0124


def _quoted(field: str) -> str:
    # Python's csv writer does not quote a single carriage return, which its reader takes for the end of the line.
    return '"' + field.replace('"', '""') + '"' if _QUOTED.search(field) else field


def _exact_text(cell: str | float | None) -> str:
    if isinstance(cell, str):
        return cell
    number = _defined(cell)
    if number is None:
        return ""
    return str(int(number)) if is_whole(number) else number_text(number)


def _texts(table: Table, digits: int, notation: _Notation) -> list[list[str]]:
    return [[cell_text(cell, digits, notation) for cell in row] for row in (table.columns, *table.rows)]


def cell_text(cell: Cell, digits: int = 4, notation: _Notation = _PLAIN) -> str:
    """Return a cell as text in a notation, by default as plain text for a terminal."""
    if isinstance(cell, str):
        return notation.text(cell)
    mean = _defined(cell.mean if isinstance(cell, Spread) else cell)
    if mean is None:
        return notation.undefined
    text = notation.number(rounded_text(mean, digits))
    deviation = _defined(cell.deviation) if isinstance(cell, Spread) else None
    if isinstance(cell, Spread) and deviation is not None:
        percent = 100 * (deviation / abs(mean)) if mean and cell.relative else math.inf
        template, spread = (notation.relative, percent) if math.isfinite(percent) else (notation.absolute, deviation)
        text = template.format(text, notation.number(rounded_text(float(spread), _SPREAD_DIGITS)))
    return notation.formula.format(text)
