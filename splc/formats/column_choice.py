"""The columns of a table other than its options: numeric properties, contexts, and ignored columns.

A column is text if fewer than half of its values are numbers. Empty cells and words for a missing value (`NaN`, `n/a`,
`timeout`, …) do not count, so that a property with failed runs remains a property. Text columns are contexts (version,
workload, machine); the user names numeric columns that are contexts, and columns to ignore.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from splc.data.property_unit import GROUPED
from splc.data.table import TRUTH
from splc.errors import InputError, MeasurementError, Problem, Problems, listed, shorten, unknown_name_hint
from splc.formats.coded_columns import MAX_VALUES, is_index_name
from splc.formats.names import is_measurement_name
from splc.io.csv_rows import distinct_texts, is_coded, texts_in
from splc.io.numbers import parse_column, unit_of
from splc.system.variability import VariabilityModel
from splc.types import Array

Kind = Literal["numbers", "text", "empty"]

# Words for a missing value, in lower case.
MISSING = frozenset(
    [
        *("", "na", "n/a", "n.a.", "nan", "null", "nil", "none", "-", "--", "?", "missing", "unknown", "undefined"),
        *("invalid", "timeout", "timed out", "time out", "t/o", "failed", "failure", "fail", "error", "err", "crash"),
        *("crashed", "oom", "out of memory", "killed", "inf", "+inf", "-inf", "infinity", "#n/a", "#value!", "#div/0!"),
    ]
)
_SHOWN = 40
_LISTED = 6
# The number of values that cannot be read among which those are looked for that are not missing.
_LOOKED_AT, _SHOWN_LINES = 10_000, 5
# What is below or above the limits of an instrument: `<5`.
_BEYOND = re.compile(r"[<>≤≥]=? ?[0-9.,]+")
# Texts that may be versions: `1.9` and `1.10`.
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class StatedRoles:
    """The roles of columns that the format of a file states; each column has one."""

    options: tuple[str, ...] = ()  # the options
    contexts: tuple[str, ...] = ()  # the contexts
    properties: tuple[str, ...] = ()  # the properties
    numeric: tuple[str, ...] = ()  # the numeric ones of the options, where the format separates them (XML)


@dataclass(frozen=True)
class ColumnChoice:
    """The roles of columns that the user chose."""

    contexts: tuple[str, ...] = ()  # numeric columns that are contexts
    ignore: tuple[str, ...] = ()  # columns that are not read
    where: Mapping[str, str] = field(default_factory=dict)  # context → the value of the rows to read
    by: tuple[str, ...] = ()  # contexts whose values are read separately
    options: tuple[str, ...] = ()  # columns that are options, where no description of the system states the options
    # those of these columns that a file may lack; for all others that is an error
    optional: frozenset[str] = frozenset()
    # columns that are contexts of a model → the value of the rows to read if there are several, None for all; `where`
    # and `by` override it, and a file may lack the columns
    usual: Mapping[str, str | None] = field(default_factory=dict)
    inferred: bool = False  # whether the options are inferred from the table, so that columns of text can be options
    # the properties, where the format of the file states them: all numbers but them and `options` are contexts or
    # ignored
    properties: tuple[str, ...] = ()
    constraints: bool = True  # whether constraints are inferred with the options
    mined: bool = False  # whether constraints were inferred from a table, so that they may be wrong

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that are contexts because they are named."""
        return tuple(dict.fromkeys((*self.contexts, *self.where, *self.by)))

    def is_context(self, name: str, nfp: str | None = None) -> bool:
        """Return whether a column is a context, also one of numbers; `nfp`: the property that the user named."""
        return name in self.named or (name in self.usual and name != nfp)

    @property
    def unread(self) -> frozenset[str]:
        """The columns whose numbers are not read."""
        return frozenset(_with_parts((*self.named, *self.usual, *self.ignore)))

    @property
    def required(self) -> tuple[str, ...]:
        """The columns that a file must have."""
        return tuple(name for name in dict.fromkeys((*self.named, *self.ignore)) if name not in self.optional)

    @property
    def lenient(self) -> ColumnChoice:
        """The same for a file that may lack any of the columns."""
        return replace(self, optional=frozenset((*self.named, *self.ignore, *self.options)))

    def over(self, other: ColumnChoice) -> ColumnChoice:
        """Return the choices of another one, completed and where they contradict overridden by these."""
        ignored, mentioned = _with_parts(self.ignore), _with_parts(self.named)
        where = {name: value for name, value in other.where.items() if name not in (*ignored, *self.by)}
        contexts = (name for name in other.contexts if name not in ignored)
        ignore = (name for name in other.ignore if name not in (*mentioned, *self.options))
        names = {*mentioned, *ignored, *self.options}
        return ColumnChoice(
            tuple(dict.fromkeys((*contexts, *self.contexts))),
            tuple(dict.fromkeys((*ignore, *self.ignore))),
            {**where, **self.where},
            self.by or other.by,
            self.options or other.options,
            frozenset((other.optional - names) | self.optional),
            {**other.usual, **self.usual},
            self.inferred or other.inferred,
            self.properties or other.properties,
            self.constraints and other.constraints,
            self.mined or other.mined,
        )

    def with_stated(self, roles: StatedRoles | None, nfp: str | None) -> ColumnChoice:
        """Return these choices, completed by the roles that the format of a file states."""
        if roles is None:
            return self
        choice = self.among((*roles.options, *roles.contexts, *roles.properties))
        mentioned = {*choice.named, *choice.ignore, *choice.options, nfp}
        free = (tuple(name for name in names if name not in mentioned) for names in (roles.options, roles.contexts))
        options, contexts = free
        properties = tuple(name for name in roles.properties if name not in choice.options)
        result = choice.over(ColumnChoice(contexts, properties=properties).lenient)
        return replace(result, options=(*choice.options, *options), optional=result.optional.union(options))

    def with_contexts(self, names: Iterable[str], system: VariabilityModel) -> ColumnChoice:
        """Return these choices, completed by contexts that the format of a file states."""
        mentioned = {*self.named, *self.ignore, *system.spellings}
        return self.over(ColumnChoice(tuple(name for name in names if name not in mentioned)).lenient)

    def among(self, names: Collection[str]) -> ColumnChoice:
        """Return the choices with lists `a,b` of contexts and ignored columns split, unless a column is `a,b`."""
        contexts, ignore = (
            tuple(dict.fromkeys(part for name in group for part in ((name,) if name in names else _parts(name))))
            for group in (self.contexts, self.ignore)
        )
        return replace(self, contexts=contexts, ignore=ignore, optional=frozenset(_with_parts(self.optional)))


def _parts(name: str) -> tuple[str, ...]:
    """Return the names in a list `a,b`; a text with an empty name is no list."""
    parts = tuple(part.strip() for part in name.split(","))
    return parts if all(parts) else (name,)


def _with_parts(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for name in names for part in dict.fromkeys((name, *_parts(name))))


@dataclass(frozen=True, eq=False)
class Context:
    """The values of a context in the rows of a table."""

    values: tuple[str, ...]  # its distinct values, in natural order (`0.9` before `0.10`)
    codes: Array  # the position of each row's value among them, shape (n,)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Context:
        """Return the context with these values per row; spaces around a value do not count."""
        distinct, codes = distinct_texts(texts)
        values = tuple(sorted({text.strip() for text in distinct}, key=natural))
        position = {value: at for at, value in enumerate(values)}
        return cls(values, np.array([position[text.strip()] for text in distinct], dtype=np.int64)[codes])

    @property
    def has_text(self) -> Array:
        """Which rows have a text that is not empty, shape (n,)."""
        return np.asarray(self.codes != (self.values.index("") if "" in self.values else -1))

    def matching(self, value: str) -> tuple[int, ...]:
        """Return the positions of the values that a stated value means.

        That is the equal text. Without one it is the equal number, if all values are numbers.
        """
        if value.strip() in self.values:
            return (self.values.index(value.strip()),)
        numbers = parse_column(self.values)
        if np.isnan(numbers).any():
            return ()
        return tuple(np.flatnonzero(numbers == parse_column([value])[0]).tolist())

    def in_rows(self, rows: Array) -> tuple[str, ...]:
        """Return the distinct values in some rows."""
        return tuple(self.values[at] for at in np.unique(self.codes[rows]).tolist())


def kind_of(texts: Sequence[str], values: Array) -> Kind:
    """Return whether a column has numbers or text; 'empty' if it has neither."""
    unread = np.flatnonzero(np.isnan(values))
    if not len(unread):
        return "numbers" if len(values) else "empty"
    distinct, codes = distinct_texts(texts_in(texts, unread))
    are_words = np.array([text.strip().casefold() not in MISSING for text in distinct], dtype=bool)
    numbers, words = len(values) - len(unread), int(are_words[codes].sum())
    return "text" if words > numbers else "numbers" if numbers else "empty"


def columns_of(
    tables: Mapping[str, Sequence[str]],
    choice: ColumnChoice,
    file: str,
    *,
    decimal: str = ".",
    options: Collection[str] = (),
    nfp: str | None = None,
) -> tuple[dict[str, Array], dict[str, Context]]:
    """Return the columns of a table other than its options: property → numbers, NaN where there are none; contexts."""
    choice = choice.among([*tables, *options])
    problems = Problems(file)
    for name in dict.fromkeys((*choice.named, *choice.ignore)):
        if name in options and name not in tables:
            problems.add(f"{name!r} is an option or a parameter, not a context")
        elif name not in tables and name not in choice.optional:
            hint = unknown_name_hint(name, list(tables)) if tables else "the table has columns of options only"
            problems.add(f"there is no column {name!r}", hint=hint)
    for name in choice.named:
        if name in choice.ignore:
            problems.add(f"the column {name!r} cannot be ignored: it is a context")
        elif name == nfp:
            problems.add(f"the property {name!r} cannot be a context")
    problems.raise_if_any(InputError)
    properties: dict[str, Array] = {}
    contexts: dict[str, Context] = {}
    for name, texts in ((name, texts) for name, texts in tables.items() if name not in choice.ignore):
        if choice.is_context(name, nfp):
            contexts[name] = Context.of(texts)
            continue
        values = parse_column(texts, decimal)
        if is_index_name(name) and name != nfp and (values % 1 == 0).all():
            continue
        is_version = name != nfp and not is_measurement_name(name) and are_versions(texts)
        if not is_version and (kind_of(texts, values) != "text" or has_commas(texts, decimal)):
            properties[name] = values
        elif name == nfp:
            words = words_in(texts, values)
            message = f"the property {name!r} is a column of text: {shown_values(words)}"
            raise MeasurementError(Problem(message, file, hint=_cure(words)))
        else:
            contexts[name] = Context.of(texts)
    return properties, contexts


def are_versions(texts: Sequence[str]) -> bool:
    """Return whether a column has few different versions, which are not numbers: `3.9`, `3.10`."""
    if any(len(distinct_texts(texts[:most])[0]) > MAX_VALUES for most in (4 * MAX_VALUES, _LOOKED_AT)):
        return False
    distinct = [text.strip() for text in distinct_texts(texts)[0]]
    minors: dict[str, set[str]] = {}
    for text in distinct:
        minors.setdefault(text.partition(".")[0], set()).add(text.partition(".")[2])
    # `0.5` and `0.10` may be fractions, and so may 1.10 and 1.15, but not 3.10, 3.11 and 3.12.
    known = (minor for major, minor in minors.items() if major != "0" or "9" in minor)
    followed = (
        (not each.isdisjoint({"10", "20"}) and any(len(minor) == 1 for minor in each))
        or (len(each) > 1 and each == {str(minor) for minor in range(10, 10 + len(each))})
        for each in known
    )
    return all(map(_DECIMAL.fullmatch, distinct)) and any(followed)


def lines_text(lines: Sequence[int]) -> str:
    """Return the first of some lines for a message: `lines 3, 5`."""
    return f"{'line' if len(lines) == 1 else 'lines'} {listed([str(line) for line in lines], _SHOWN_LINES)}"


def numbers_in(texts: Sequence[str]) -> Array:
    """Return the numbers in a column, also those of words such as `yes`."""
    if is_coded(texts):
        distinct, codes = distinct_texts(texts)
        return numbers_in(distinct).take(codes)
    values = parse_column(texts)
    unread = np.flatnonzero(np.isnan(values))
    distinct, codes = distinct_texts(texts_in(texts, unread))
    words = [text.strip().casefold() for text in distinct]
    # In a column with `full` and `normal`, `off` is a text, too.
    if all(word in TRUTH or word in MISSING for word in words):
        values[unread] = np.array([TRUTH.get(word, np.nan) for word in words])[codes]
    return values


def has_words(texts: Sequence[str]) -> bool:
    """Return whether a column of few different numbers has words in several cells (`none` among them), or versions."""
    distinct, codes = distinct_texts(texts)
    known = ({*TRUTH, *MISSING} - {"none", "inf"}).__contains__
    are_known = [known(text.strip().casefold()) or _BEYOND.fullmatch(text.strip()) is not None for text in distinct]
    words = np.isnan(parse_column(distinct)) & ~np.array(are_known, dtype=bool)
    return len(distinct) <= MAX_VALUES and (int(words[codes].sum()) > 1 or are_versions(texts))


def has_commas(texts: Sequence[str], decimal: str = ".") -> bool:
    """Return whether a text column has numbers with a decimal comma."""
    return decimal == "." and kind_of(texts, parse_column(texts, ",")) == "numbers"


def words_in(texts: Sequence[str], values: Array, most: int | None = None) -> list[str]:
    """Return the distinct texts that are neither numbers nor words for a missing value.

    `values`: their numbers, NaN for none, shape (n,). `most`: the number of texts without a number to look at.
    """
    words = dict.fromkeys(text.strip() for text in texts_in(texts, np.flatnonzero(np.isnan(values))[:most]))
    return [text for text in words if text.casefold() not in MISSING]


def value_notes(columns: Mapping[str, Sequence[str]], values: Mapping[str, Array], decimal: str) -> Iterator[str]:
    """Yield a note for each property with values that are neither numbers nor words for a missing value."""
    for name, numbers in values.items():
        words = words_in(columns[name], numbers, _LOOKED_AT)
        if words and np.isnan(numbers).all() and has_commas(columns[name], decimal):
            yield f"{name}: no value can be read; its decimal delimiter seems to be a comma"
        elif words:
            cure = _cure(words)
            yield f"values of {name} that are not numbers: {shown_values(words)}{f' ({cure})' if cure else ''}"


def _cure(words: Sequence[str]) -> str | None:
    """Return how to write numbers that cannot be read."""
    if unit := unit_of(words):
        return f"write numbers without the unit {unit!r}; the name of the column can state it"
    return "write numbers without separators of thousands" if all(map(GROUPED.fullmatch, words)) else None


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the key by which `0.9` comes before `0.10`."""
    keys = []
    for part in re.findall(r"[0-9]+|[^0-9]+", text):
        digits = part.lstrip("0")
        keys.append((0, len(digits), digits) if part[0] in "0123456789" else (1, 0, part))
    return (*keys, (-1, 0, text))


def shown_value(text: str) -> str:
    """Return a value of a context in quotes for a message, escaped, and cut if it is long."""
    return repr(shorten(text, _SHOWN))


def shown_values(values: Iterable[str], limit: int = _LISTED) -> str:
    """Return the first values of a context for a message."""
    return listed([shown_value(value) for value in values], limit)
