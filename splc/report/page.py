"""A page: a title, an answer, and sections of texts, tables and charts, independent of how it is written.

A section is a function of what it is about (`ModelSubject`, the result of a workflow, a `StudyArchive`); it returns
None where there is nothing to say. Its name is that of its place in the page (`#sample`), and stays the same. It
computes nothing that a workflow has computed, and has no randomness. Texts from files are plain: what writes the page
escapes them. A chart is made by a function of `splc.plotting.charts`, of arrays and texts only, so that `--plot` and
notebooks draw it, too.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from splc.errors import SpecError, unknown_name_hint
from splc.plotting.charts.chart import Chart
from splc.plotting.labels import visible
from splc.types import Array
from splc.workflows.views import Column, Facts, Message, Rows


@dataclass(frozen=True)
class Steps:
    """One of several states that a slider chooses; without JavaScript all are listed."""

    label: str  # what the slider changes
    states: tuple[tuple[str, tuple[Block, ...]], ...]  # the name of each state, and its blocks
    chosen: int = 0  # the position of the state that is shown first


@dataclass(frozen=True)
class Explorer:
    """Controls for the options of a system, and the prediction of the chosen configuration."""

    # what the page computes with: options, constraints and the prediction
    content: Mapping[str, Any] = field(hash=False)


# A text is a paragraph, a message a warning.
Block = str | Message | Facts | Rows | Chart | Steps | Explorer


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    name: str,
    words: Container[int] = (0,),
    keys: Sequence[int] = (),
) -> Rows:
    """Return a table of texts; those of all columns but `words` are numbers."""
    shown = [Column(title, at, right=at not in words) for at, title in enumerate(header)]
    return Rows(tuple(rows), shown, caption=caption, name=name, keys=keys)


def without_empty(table: Rows) -> Rows:
    """Return a table without columns that are empty."""
    used = [column for column in table.columns if not table.rows or any(column.texts(column.values(table.rows)))]
    return replace(table, columns=used)


@dataclass(frozen=True)
class Section:
    """A part of a page with a title of its own."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class RowTexts:
    """The texts of the rows of the measurements, which the points of charts are about."""

    words: tuple[str, ...] = ()  # the parts of texts
    rows: tuple[tuple[int, ...], ...] = ()  # the positions of the parts of each text
    values: tuple[tuple[float, float], ...] = ()  # the measured and the predicted value of each row

    @classmethod
    def of(cls, texts: Sequence[str], *values: Array) -> RowTexts:
        """Return the texts, whose parts are joined by commas, with the measured and predicted values in six digits."""
        words: dict[str, int] = {}
        rows = tuple(tuple(words.setdefault(part, len(words)) for part in text.split(", ")) for text in texts)
        shown = tuple((float(f"{first:.6g}"), float(f"{second:.6g}")) for first, second in zip(*values, strict=True))
        return cls(tuple(visible(word) for word in words), rows, shown)


@dataclass(frozen=True)
class Page:
    """A page."""

    title: str  # the title
    answer: tuple[str, ...]  # the most important results, one sentence each, the first one first
    sections: tuple[Section, ...]  # the sections
    warnings: tuple[str, ...] = ()  # what the reader has to know before the rest
    rows: RowTexts = RowTexts()  # what the points of charts are about

    @property
    def charts(self) -> dict[str, Chart]:
        """Name → chart, in the order of the page; of several states the one that is shown first."""
        charts: dict[str, Chart] = {}
        blocks = [block for section in self.sections for block in section.blocks]
        while blocks:
            block = blocks.pop(0)
            if isinstance(block, Steps):
                blocks[:0] = block.states[block.chosen][1]
            elif isinstance(block, Chart):
                charts.setdefault(block.name, block)
        return charts

    def chart(self, name: str) -> Chart:
        """Return a chart by its name."""
        charts = self.charts
        if name not in charts:
            raise SpecError(f"the report has no picture {name!r}; {unknown_name_hint(name, list(charts))}")
        return charts[name]
