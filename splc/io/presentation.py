"""Presentation of results in notebooks and consoles: summaries, tables and short representations."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from splc.types import Array

MAX_BARS = 12
MAX_LABEL = 44
_ROW, _LABEL, _PANEL, _VALUE = 18, 300, 240, 90


def bars_svg(rows: Sequence[tuple[str, float]]) -> str:
    """Return horizontal bars with labels and numbers as an `<svg>` element; nothing without finite numbers.

    Bars of numbers above zero begin at the zero line and go to the right, others to the left; so the sign needs no
    colour. Rows beyond `MAX_BARS` are left out.

    `rows`: labels with numbers.
    """
    finite_rows = [(label, float(value)) for label, value in rows if math.isfinite(value)][:MAX_BARS]
    if not finite_rows:
        return ""
    low, high = min(0.0, *(value for _, value in finite_rows)), max(0.0, *(value for _, value in finite_rows))
    # Halves, so that numbers near the largest ones do not overflow.
    scale = _PANEL / ((high / 2 - low / 2) or 1.0)
    zero = _LABEL - low / 2 * scale
    height = _ROW * len(finite_rows) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_LABEL + _PANEL + _VALUE}" height="{height}" '
        'fill="currentColor" font-family="sans-serif" font-size="12">'
    ]
    for row_index, (label, value) in enumerate(finite_rows):
        top = _ROW * row_index + 2
        text = label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1]}…"
        width = abs(value) / 2 * scale
        x = zero if value >= 0 else zero - width
        number = f"{value:.4g}".replace("-", "−")
        parts += [
            f'<text x="{_LABEL - 8}" y="{top + 13}" text-anchor="end">{escape(text)}</text>',
            f'<rect x="{x:.1f}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}" fill-opacity="0.5"></rect>',
            f'<text x="{_LABEL + _PANEL + 6}" y="{top + 13}">{escape(number)}</text>',
        ]
    parts.append(f'<path d="M{zero:.1f} 0V{height}" stroke="currentColor"></path></svg>')
    return "".join(parts)


# Rows of a table that are shown.
MAX_ROWS = 20
# The module that draws results with matplotlib. It is named here only, since it imports the classes of results.
DRAWING = "splc.workflows.pictures"
# The module that writes reports about results, named here for the same reason.
REPORTING = "splc.report.report"


@dataclass(frozen=True)
class Bars:
    """Numbers to draw as bars in notebooks."""

    about: str  # what the numbers are
    rows: Sequence[tuple[str, float]]  # labels with numbers


class Presented(ABC):
    """A result with a summary and a table. Dataclasses need `repr=False`, so that they get the short representation."""

    @abstractmethod
    def summary(self) -> str:
        """Return the result as text; the first line says what it is."""

    @abstractmethod
    def to_columns(self) -> Mapping[str, Sequence[Any] | Array]:
        """Return the table of the result as a dict of columns."""

    def to_frame(self) -> Any:
        """Return the table of the result as a `pandas.DataFrame`."""
        try:
            import pandas as pd
        except ImportError:
            message = "to_frame() needs pandas (pip install pandas); to_columns() returns a dict of columns without it"
            raise ImportError(message) from None
        return pd.DataFrame(dict(self.to_columns()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {printable(self.summary().partition(chr(10))[0])}>"

    def _repr_html_(self) -> str:
        return page(self.summary(), self.to_columns(), self._bars())

    def _bars(self) -> Bars | None:
        """Return what notebooks draw between summary and table."""
        return None


class Drawn(Presented):
    """A result with a picture."""

    def plot(self, file: Any = None) -> Any:
        """Return the picture that the command line draws with `--plot`, which notebooks show."""
        return import_module(DRAWING).picture_of(self, file)


class Reported:
    """A result with a report."""

    def report(self, file: Any = None) -> Any:
        """Return the page about the result, which notebooks show."""
        return import_module(REPORTING).report_of(self, file)


def page(summary: str, columns: Mapping[str, Sequence[Any] | Array], bars: Bars | None = None) -> str:
    """Return a text, bars and a table as HTML for notebooks."""
    rows = list(zip(*(list(values) for values in columns.values()), strict=True))
    parts = [f"<pre>{_escaped(summary)}</pre>"]
    picture = "" if bars is None else bars_svg([(printable(label), value) for label, value in bars.rows])
    if bars is not None and picture:
        parts.append(f"<div>{picture}</div><p>{_escaped(bars.about)}</p>")
    if rows:
        parts += ["<table><thead><tr>", *(f"<th>{_escaped(name)}</th>" for name in columns), "</tr></thead><tbody>"]
        parts += [f"<tr>{''.join(f'<td>{_escaped(_cell(cell))}</td>' for cell in row)}</tr>" for row in rows[:MAX_ROWS]]
        parts += ["</tbody></table>"]
    if len(rows) > MAX_ROWS:
        parts.append(f"<p>… {len(rows) - MAX_ROWS:,} more rows</p>")
    return f"<div>{''.join(parts)}</div>"


def printable(text: str) -> str:
    """Return a text with control characters escaped, but for line breaks: names come from files."""
    return "".join(
        character if character.isprintable() or character == "\n" else repr(character)[1:-1] for character in text
    )


def _escaped(text: str) -> str:
    return escape(printable(text))


def _cell(value: Any) -> str:
    """Return a cell with at most 6 digits of a number, empty for None and NaN."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return ""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
