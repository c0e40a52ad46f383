"""Presentation of results in notebooks and consoles: summaries, tables and short representations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from splc.types import Array

MAX_ROWS = 20  # rows of a table that are shown
# The modules that draw bars, and the pictures of results. They are named here only: the latter imports their classes.
CHARTS, DRAWING = "splc.plotting.charts.svg", "splc.workflows.pictures"
REPORTING = "splc.report.report"  # the module that writes reports about results, named here for the same reason


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
        return framed(self.to_columns())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {printable(self.summary().partition(chr(10))[0])}>"

    def _repr_html_(self) -> str:
        return page(self.summary(), self.to_columns(), self._bars())

    def _bars(self) -> Bars | None:
        """Return what notebooks draw between summary and table."""
        return None


class Drawn(Presented):
    """A result with a picture."""

    def plot(self, file: Any = None, *, ax: Any = None, title: str | None = None) -> Any:
        """Return the picture that the command line draws with `--plot`, which notebooks show.

        Args:
            file: the name of a file to write, too (.svg, .png, .pdf).
            ax: axes of matplotlib to draw into, which are returned instead: one, or one per panel.
            title: the title of the picture.
        """
        return import_module(DRAWING).picture_of(self, file, ax, title)


class Reported:
    """A result with a report."""

    def report(self, file: Any = None) -> Any:
        """Return the page about the result, which notebooks show."""
        return import_module(REPORTING).report_of(self, file)


def framed(columns: Mapping[str, Sequence[Any] | Array], index: Any = None) -> Any:
    """Return columns as a `pandas.DataFrame`."""
    try:
        import pandas as pd
    except ImportError:
        message = "to_frame() needs pandas (pip install pandas); to_columns() returns a dict of columns without it"
        raise ImportError(message) from None
    return pd.DataFrame(dict(columns), index)


def page(summary: str, columns: Mapping[str, Sequence[Any] | Array], bars: Bars | None = None) -> str:
    """Return a text, bars and a table as HTML for notebooks."""
    rows = list(zip(*(list(values) for values in columns.values()), strict=True))
    parts = [f"<pre>{_escaped(summary)}</pre>"]
    if bars is not None:
        parts.append(import_module(CHARTS).bars_svg(printable(bars.about), bars.rows))
    if rows:
        parts += ["<table><thead><tr>", *(f"<th>{_escaped(name)}</th>" for name in columns), "</tr></thead><tbody>"]
        lines = ("".join(f"<td>{_escaped(_cell(cell))}</td>" for cell in row) for row in rows[:MAX_ROWS])
        parts += [*(f"<tr>{line}</tr>" for line in lines), "</tbody></table>"]
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
