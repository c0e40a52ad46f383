"""Verbs, which commands are made of, and views: what they yield for a terminal, a page or a format for tables.

A view is an iterable of items. A text is a line of the result. `Answer`, `Prose`, `Rows`, `Facts`, `Entries` and
`splc.io.tables.Table` are parts of the result, too. `Output` writes a file. The others are messages beside the result:
`Message`, `NextSteps`, and the notes of a workflow as a tuple, of which a negative one makes the exit code 1, as `End`
and `Failed` do.

A verb is declared by its module as `VERB`: the docstring of the request is the help of the command, and its fields are
the arguments and options.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from splc.errors import SplcError, plural
from splc.io.files import write_whole
from splc.io.json import Getter, getter
from splc.io.numbers import is_whole, short_number
from splc.io.tables import Cell, Table, cell_text, csv_text, markdown_escaped, markdown_text

if TYPE_CHECKING:
    from splc.workflows.note import Note


ALL_IN_JSON = "--json has all"
INTERRUPTED = 130  # the exit code of a command that was interrupted


@dataclass(frozen=True)
class Detail:
    """The detail of the output of a command besides its result."""

    quiet: bool = False  # the answer only: no terms, no notes, no next steps, no progress
    verbose: bool = False  # all notes, and every step
    json: bool = False  # whether the result is a JSON object, for a program: no next steps, no progress bar

    @property
    def interactive(self) -> bool:
        """True if next steps are shown."""
        return not (self.quiet or self.json)


@dataclass(frozen=True)
class Prose:
    """A sentence of the result, which is wrapped where the terminal is narrow."""

    text: str


@dataclass(frozen=True)
class Answer(Prose):
    """The first line of a result: the answer."""


@dataclass(frozen=True)
class Column:
    """A column of a table with a row per result."""

    title: str  # the header
    # where the value of a row comes from (a path, as in `splc.io.json.picked`); None is the attribute of the title
    source: str | int | Getter | None = None
    form: Getter | None = None  # the function that returns a value as text; it gets no None
    right: bool = False  # whether texts are aligned to the right, as other values are
    signed: bool = False  # whether the values raise or lower something, which colours show, too
    optional: int = 0  # the rank among those that are left out where the terminal is narrow, from 1 on; 0 for none

    def values(self, rows: Iterable[Any]) -> list[Any]:
        """Return the values of rows."""
        return list(map(getter(self.title.replace(" ", "_") if self.source is None else self.source), rows))

    def texts(self, values: Iterable[Any]) -> list[str]:
        """Return values as texts; None is empty."""
        form = self.form or value_text
        return ["" if value is None else form(value) for value in values]


@dataclass(frozen=True)
class Rows:
    """A table with a row per result; columns of texts are aligned to the left, others to the right."""

    rows: Iterable[Any]  # the results
    columns: Sequence[Column]  # the columns
    most: int | None = None  # the largest number of rows; the others are counted below the table. None is all.
    more: str = ALL_IN_JSON  # what prints all rows
    caption: str = ""  # what the table shows
    name: str = "table"  # the name of the file that it is copied to from a page
    keys: Sequence[int] = ()  # the row of the measurements that each row is about on a page; may be empty


@dataclass(frozen=True)
class Facts:
    """Names with their values; those that are None are left out."""

    pairs: Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class Entries:
    """A title with an indented line per entry after an empty line; nothing without entries."""

    title: str  # the title
    entries: Iterable[str]  # the lines
    most: int | None = None  # the largest number of them; the others are counted. None is all.
    more: str = ALL_IN_JSON  # what prints all


@dataclass(frozen=True)
class Output:
    """A file that the command writes: its name (`-` is standard output), how it is written, and what it has then."""

    file: str | None  # the name of the file; None is standard output, unless that has the JSON object
    write: Callable[[str], object]  # writes it, given the name
    content: str = ""  # what a message says was written; empty for no message


@dataclass(frozen=True)
class Message:
    """A line beside the result."""

    text: str  # the line
    kind: Literal["note", "warning", "line"] = "note"  # a warning is printed with -q, too; a line has no such word
    json: bool = True  # whether it is printed beside a JSON object, too


def messages(notes: Iterable[Note]) -> Iterator[Message]:
    """Yield notes as messages before the result."""
    return (Message(note.text, "warning" if note.warning else "note") for note in notes)


@dataclass(frozen=True)
class NextStep:
    """A command that follows from a result."""

    words: tuple[str, ...]  # the words of the command after `splc`
    purpose: str  # what it is for, in a few words

    @property
    def command(self) -> str:
        """The command line for a shell."""
        return shlex.join(("splc", *self.words))


@dataclass(frozen=True)
class NextSteps:
    """The commands that follow from a result, so that they can be copied."""

    steps: Iterable[NextStep]


@dataclass(frozen=True)
class End:
    """The exit code."""

    code: int


@dataclass(frozen=True)
class Failed:
    """An error that ends the command after its result was printed."""

    error: SplcError


# The parts of a result, and all items.
Part: TypeAlias = str | Prose | Rows | Table | Facts | Entries
Item: TypeAlias = "Part | Output | Message | tuple[Note, ...] | NextSteps | End | Failed"
View: TypeAlias = Iterable[Item]


def columns(text: str, form: Getter | None = None) -> tuple[Column, ...]:
    """Return columns of one form: titles, also with another source, such as `low, ratio low = interval.0`."""
    parts = (part.strip().partition(" = ") for part in text.split(","))
    return tuple(Column(title, source or None, form) for title, _, source in parts)


def narrowed(shown: Iterable[Column], *titles: str) -> tuple[Column, ...]:
    """Return columns of which those with these titles are left out where the terminal is too narrow, in this order."""
    ranks = {title: rank for rank, title in enumerate(titles, 1)}
    return tuple(replace(column, optional=ranks.get(column.title, column.optional)) for column in shown)


def rendered(results: Sequence[Any], shown: Sequence[Column]) -> tuple[list[tuple[str, ...]], list[bool]]:
    """Return the lines of a table as texts, and for each column whether it is aligned to the right."""
    cells = [column.values(results) for column in shown]
    lines = list(zip(*(column.texts(values) for column, values in zip(shown, cells, strict=True)), strict=True))
    pairs = zip(shown, cells, strict=True)
    right = [column.right or not any(isinstance(v, str) for v in values) for column, values in pairs]
    return lines, right


def table_of(rows: Iterable[Any], shown: Sequence[Column], caption: str | None = None) -> Table:
    """Return a table of results for several formats."""
    results = list(rows)
    lines: list[tuple[Cell, ...]] = list(zip(*[column.values(results) for column in shown], strict=True))
    return Table(tuple(column.title for column in shown), tuple(lines), caption)


def rows_of(table: Table, *optional: str) -> Rows:
    """Return a table for several formats for a terminal, whose `optional` columns are left out where it is narrow."""

    def column(at: int, title: str, right: bool) -> Column:
        return Column(title, lambda row: cell_text(row[at]), right=right)

    shown = [column(at, *facts) for at, facts in enumerate(zip(table.columns, table.numeric, strict=True))]
    return Rows(table.rows, narrowed(shown, *optional), caption=table.caption or "")


def markdown_of(view: View) -> str:
    """Return the answers, texts, tables and notes of a view as GitHub-flavoured Markdown."""
    parts: list[str] = []
    for item in view:
        match item:
            case str() | Prose():
                text = markdown_escaped(item if isinstance(item, str) else item.text)
                parts += [f"**{text}**" if isinstance(item, Answer) else text] if text else []
            case Rows():
                lines, _ = rendered(list(item.rows), item.columns)
                header = tuple(column.title for column in item.columns)
                parts.append(markdown_text(Table(header, tuple(lines), item.caption)).rstrip())
            case tuple():
                parts += [f"- {markdown_escaped(note.text)}" for note in item]
    return "\n\n".join(parts) + "\n"


def columns_file(columns: Mapping[str, Any], file: str, content: str = "") -> Output:
    """Return what writes columns as a CSV file."""
    table = Table(tuple(columns), tuple(zip(*columns.values(), strict=True)))
    return Output(file, partial(write_whole, content=csv_text(table)), content)


def value_text(value: Any) -> str:
    """Return a value as text: a count with separators of thousands, other numbers with six digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:,}" if is_whole(value) else short_number(value)


def interval_text(interval: tuple[Any, Any] | None, form: Getter = value_text) -> str:
    """Return an interval as text: `1.5 to 2`; it is empty without ends."""
    if interval is None or None in interval:
        return ""
    return " to ".join(map(form, interval))


four_digits = partial(short_number, digits=4)


def interval_column(title: str, low: str, high: str, form: Getter = four_digits, optional: int = 0) -> Column:
    """Return the column of the intervals whose ends have these sources."""
    ends = getter(low), getter(high)
    return Column(title, lambda row: interval_text((ends[0](row), ends[1](row)), form), right=True, optional=optional)


# The columns of `comparison.places`: where predictions miss values by another factor.
PLACES = (*columns("where = text, configurations, value / prediction = ratio, low, high"), Column("error, %", "error"))


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `2 terms`."""
    return plural(count, noun, f"{noun}s")


def duration(seconds: float) -> str:
    """Return a duration as text, in a fitting unit."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"


Q = TypeVar("Q")
R = TypeVar("R")


class Watch:
    """A watch of a run of a verb. This one does nothing, and never ends it; that of a terminal shows what happens."""

    detail = Detail()

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Be told the numbers of finished and of all steps (None if unknown), and the current step."""

    def show(self, *items: Item) -> None:
        """Be shown a part of the view before the run ends."""

    def stop(self) -> bool:
        """Return whether the run should end after the current step."""
        return False

    def keep(self, kept: bool = True) -> None:
        """Be told that finished work is kept: requests to end wait for the current step; otherwise they do not."""

    @contextmanager
    def patient(self, after: str, *, kept: bool = True, lost: str = "", by_key: bool = False) -> Iterator[None]:
        """Let a request to end wait for the current step while the block runs; a second one ends it at once."""
        yield

    def progress(self, what: str, *, estimated: bool = True) -> AbstractContextManager[object]:
        """Follow something that takes long while the block runs; `estimated`: whether the time left is estimated."""
        return self.patient(what)


UNWATCHED = Watch()


@dataclass(frozen=True)
class Verb(Generic[Q, R]):
    """A verb."""

    request: type[Q]  # the class of its requests
    run: Callable[[Q, Watch], R]  # returns the result of a request; it tells its watch what happens
    view: Callable[[R, Detail], View]  # returns the items of a result
    as_json: Callable[[R], Mapping[str, Any]] | None  # returns the JSON object of a result; None without `--json`
    examples: tuple[str, ...]  # command lines
    doing: str = ""  # what the progress bar says; empty for none
    without: tuple[str, ...] = ()  # the fields of the request that no command line has
