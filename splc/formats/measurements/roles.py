"""The roles of the columns of a table without a description of the system: options, properties, contexts.

Columns that the user names as options are options; columns of text among them become alternative groups. All others:

- columns of zeros and ones (`true` and `false`, `yes` and `no`, `on` and `off`) are binary options;
- other numbers are numeric options if they are to the left of the first property. A property is named by the user, or
  has fractions and nearly a different value in every row, or has more than `MOST_VALUES` values that are not needed
  to distinguish the configurations. If there is none, the last column of numbers is the property;
- numbers with gaps are properties;
- numbers among the options that are a function of others are ignored: a sum or a product (`ranks` = `px` · `py`), or
  another function whose values were repeated in other configurations. Columns that count rows or repetitions by their
  name (`id`, `rep`) are ignored, too, and so are columns without values;
- columns of text are contexts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.errors import InputError, Problem, Problems, listed, unknown_name_hint
from splc.formats.measurements.columns import ColumnChoice, has_other_decimals, kind_of
from splc.formats.measurements.selections import TRUTH
from splc.io.cells import distinct_texts
from splc.io.numbers import parse_column
from splc.system.variability import ROOT
from splc.types import Array

# Options with fractions or many values have at most this many values, if the user does not name them as options.
MOST_VALUES = 50
# "Nearly a different value in every row" are this many of at least this number of rows.
NEARLY_ALL, LEAST_ROWS = 0.8, 5
# A function of other options has each of their combinations this many times, and at least this number of combinations.
EVIDENCE, LEAST_GROUPS = 2, 4
# Repetitions at each value of another column are no evidence. A column is crossed with the rest if at least this share
# of the combinations of both occurs.
CROSSED = 0.75
# The greatest deviation of a column from a sum or a product of others, relative to its greatest value.
EXACT = 1e-9
MOST_TESTS = 5000
ROW_COUNTERS = ("id", "index", "row", "no", "nr", "number", "#", "config_id", "configid", "unnamed: 0")
REPETITION_COUNTERS = (
    *("rep", "reps", "repeat", "repetition", "repetitions", "replicate", "replication"),
    *("run", "run_id", "trial", "iteration", "seed"),
)
# Texts that may be versions: `1.9` and `1.10`.
_DECIMAL, _PADDED = re.compile(r"[0-9]+\.[0-9]+"), re.compile(r"[0-9]+\.[0-9]+0")
# Names of columns of numbers that are rather contexts.
CONTEXT_NAMES = ("version", "release", "revision", "commit", "build", "year", "date", "machine", "host", "platform")
COUNTERS = frozenset((*ROW_COUNTERS, *REPETITION_COUNTERS))


@dataclass(frozen=True, eq=False)
class Roles:
    """The roles of the columns of a table.

    Attributes:
        binary: binary options, in the order of the columns, and likewise all others.
        numeric: numeric options.
        text: text columns that are options.
        properties: properties; the first one is the property that the user named, if there is one.
        contexts: contexts.
        ignored: column → why it is ignored.
        differing: properties with few whole numbers that differ among rows of the same configuration and contexts,
            after the contexts that differ among rows of the same configuration.
        versions: numeric options whose texts look like versions, with the text that is read as another number.
        named_contexts: numeric options whose names are those of contexts, if the user did not name them.
        numbers: column → its numbers, shape (n,), NaN where there is none.
    """

    binary: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    differing: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    named_contexts: tuple[str, ...] = ()
    numbers: Mapping[str, Array] = field(default_factory=dict)


def roles_of(
    columns: Mapping[str, Sequence[str]],
    file: str,
    *,
    nfp: str | None = None,
    choice: ColumnChoice | None = None,
) -> Roles:
    """Return the roles of the columns of a table.

    Args:
        columns: name → cells.
        file: the file, for messages.
        nfp: the property that the user named, None if there is none.
        choice: options, contexts and ignored columns that the user named; None if there are none.

    Raises:
        InputError: if the user named a column that the table does not have, or no column can be the property.
    """
    choice = (choice or ColumnChoice()).among(columns)
    _require_columns(columns, file, nfp, choice)
    ignored = dict.fromkeys((name for name in columns if name in choice.ignore), "as requested")
    numbers: dict[str, Array] = {}
    contexts: list[str] = []
    text: list[str] = []
    for name, texts in columns.items():
        if name == ROOT or name in ignored:
            continue
        values = _numbers(texts)
        kind = kind_of(texts, values)
        if name in choice.options:
            numbers[name] = values
            if kind != "numbers":
                text.append(name)
        elif choice.is_context(name, nfp):
            contexts.append(name)
        elif name != nfp and kind == "empty" and texts:
            ignored[name] = "it has no values"
        elif name != nfp and kind == "text" and not has_other_decimals(texts):
            contexts.append(name)
        else:
            numbers[name] = values
    table = _Table(numbers, {name: columns[name] for name in (*text, *contexts)})
    named = tuple(name for name in numbers if name in choice.options)
    for name in [name for name in numbers if name not in (nfp, *named) and table.counts(name)]:
        ignored[name] = "it seems to count rows or repetitions"
        del numbers[name]
    found = _inferred(table, [*numbers], nfp, named)
    if found is None:
        raise _no_property(file)
    options, functions = found
    ignored |= {name: f"it is a function of {listed(arguments)}" for name, arguments in functions.items()}
    rest = tuple(name for name in numbers if name not in options and name not in functions)
    if not rest:
        raise _no_property(file)
    binary = tuple(name for name in options if name not in text and table.is_binary(name))
    numeric = tuple(name for name in options if name not in text and name not in binary)
    versions = {name: each for name in numeric if name not in named and (each := _version(columns[name]))}
    return Roles(
        binary,
        numeric,
        tuple(text),
        _first(rest, nfp),
        tuple(contexts),
        ignored,
        _differing(table, options, contexts, [name for name in rest if name != nfp]),
        versions,
        tuple(
            name
            for name in numeric
            if name.casefold() in CONTEXT_NAMES and name not in (*named, *versions) and table.sizes[name] > 1
        ),
        numbers,
    )


def _differing(
    table: _Table, options: Sequence[str], contexts: Sequence[str], properties: Sequence[str]
) -> tuple[str, ...]:
    """Return the properties that look like options, after the contexts that could be options as well."""
    group = table.groups(options)
    mixed = [name for name in contexts if table.differs(name, group)]
    group = table.groups((*options, *mixed))
    found = [
        name
        for name in properties
        if table.sizes[name] <= MOST_VALUES and table.has_integers(name) and table.differs(name, group)
    ]
    return (*mixed, *found) if found else ()


def _version(texts: Sequence[str]) -> str | None:
    """Return a text such as `1.10`, which is read as 1.1, if others have fewer digits after the point."""
    distinct = sorted({text.strip() for text in distinct_texts(texts)[0]})
    decimals = [len(text.partition(".")[2]) for text in distinct if _DECIMAL.fullmatch(text)]
    return next(
        (text for text in distinct if _PADDED.fullmatch(text) and len(text.partition(".")[2]) > min(decimals)), None
    )


def _require_columns(columns: Mapping[str, Sequence[str]], file: str, nfp: str | None, choice: ColumnChoice) -> None:
    problems = Problems(file)
    wanted = {**dict.fromkeys(choice.options, "option"), **dict.fromkeys(choice.ignore, "column")}
    wanted |= dict.fromkeys(choice.named, "context") | ({} if nfp is None else {nfp: "property"})
    for name, what in wanted.items():
        if name not in columns and name not in choice.optional:
            text = "there is no column" if what == "column" else f"there is no column for the {what}"
            problems.add(f"{text} {name!r}", hint=unknown_name_hint(name, list(columns)))
    for name in choice.options:
        if name == nfp or name in choice.ignore or name in choice.named:
            what = "the property" if name == nfp else "ignored" if name in choice.ignore else "a context"
            problems.add(f"the option {name!r} is also {what}", hint="name it only once")
    problems.raise_if_any(InputError)


def _no_property(file: str) -> InputError:
    hint = "name the column of the measured values and the options: --property and --options, or nfp and options"
    return InputError(Problem("no column seems to be a property", file, hint=hint))


def _numbers(texts: Sequence[str]) -> Array:
    """Return the numbers in a column, also those of words such as `yes`."""
    values = parse_column(texts)
    unread = np.flatnonzero(np.isnan(values))
    distinct, codes = distinct_texts([texts[at] for at in unread.tolist()])
    values[unread] = np.array([TRUTH.get(text.strip().casefold(), np.nan) for text in distinct])[codes]
    return values


def _first(names: Sequence[str], nfp: str | None) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name != nfp))


def _inferred(
    table: _Table, names: Sequence[str], nfp: str | None, named: Sequence[str] = ()
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]] | None:
    """Return the options, and those that were left out because they are functions of others.

    `named`: the columns that the user named as options.
    """
    options = [*named]
    group = table.groups(options)
    boundary = None
    for place, name in enumerate(names):
        if name in named:
            continue
        if name == nfp or table.seems_measured(name) or table.seems_counted(name, group):
            boundary = place
            if options:
                break
        elif table.complete(name):
            options.append(name)
            group = table.refined(group, name)
    if boundary is None:
        last = next((name for name in reversed(names) if name not in named and not table.is_binary(name)), None)
        if last is None:
            return None
        options = [name for name in options if name != last]
        group = table.groups(options)
        boundary = len(names)
    for name in names[boundary + 1 :]:
        # Zeros and ones to the right of a property are results only if the rows of each configuration agree in them.
        binary = (
            name not in (nfp, *options) and table.is_binary(name) and table.complete(name) and table.sizes[name] > 1
        )
        if binary and not table.is_result(name, group):
            options.append(name)
            group = table.refined(group, name)
    functions = {}
    numeric = [name for name in options if name not in named and not table.is_binary(name) and table.sizes[name] > 1]
    if len(numeric) * len(options) ** 2 <= MOST_TESTS:
        for name in reversed(numeric):
            arguments = table.arguments(name, [other for other in options if other != name])
            if arguments is not None:
                functions[name] = arguments
                options.remove(name)
    return tuple(name for name in names if name in options), functions


class _Table:
    """The columns of a table, as positions among their distinct values, and the numbers of those that have some."""

    def __init__(self, numbers: Mapping[str, Array], words: Mapping[str, Sequence[str]]) -> None:
        self.numbers = dict(numbers)
        self.codes: dict[str, Array] = {}
        self.sizes: dict[str, int] = {}
        for name, values in numbers.items():
            distinct, codes = np.unique(values, return_inverse=True)
            self.codes[name], self.sizes[name] = codes.reshape(-1), len(distinct)
        for name, texts in words.items():
            # An array of texts has the width of the widest one in every row.
            different, self.codes[name] = distinct_texts(texts)
            self.sizes[name] = len(different)
        self.rows = len(next(iter(self.codes.values()))) if self.codes else 0

    def complete(self, name: str) -> bool:
        """Return whether a column has a number in every row."""
        return not np.isnan(self.numbers[name]).any()

    def is_binary(self, name: str) -> bool:
        """Return whether a column has only zeros and ones."""
        return bool(np.isin(self.numbers[name], (0, 1)).all())

    def has_integers(self, name: str) -> bool:
        """Return whether all numbers of a column are whole."""
        return self.complete(name) and bool((self.numbers[name] % 1 == 0).all())

    def counts(self, name: str) -> bool:
        """Return whether a column counts rows or repetitions, by its name."""
        return name.casefold() in COUNTERS and self.has_integers(name)

    def seems_measured(self, name: str) -> bool:
        """Return whether a column has fractions and nearly a different value in every row, or many values."""
        size = self.sizes[name]
        nearly_all = self.rows >= LEAST_ROWS and size >= NEARLY_ALL * self.rows
        return self.complete(name) and not self.has_integers(name) and (size > MOST_VALUES or nearly_all)

    def seems_counted(self, name: str, group: Array) -> bool:
        """Return whether a column has many values that the groups of rows do not need to be distinguished."""
        if self.sizes[name] <= MOST_VALUES or not self.complete(name):
            return False
        return not self.differs(name, group)

    def refined(self, group: Array, name: str) -> Array:
        """Return the groups of rows, divided by the values of a column."""
        keys = group * self.sizes[name] + self.codes[name]
        return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def groups(self, names: Iterable[str]) -> Array:
        """Return the group of each row: rows with equal values in these columns are one."""
        group = np.zeros(self.rows, dtype=np.int64)
        for name in names:
            group = self.refined(group, name)
        return group

    def differs(self, name: str, group: Array) -> bool:
        """Return whether a column differs among rows of one group."""
        return bool(self.refined(group, name).max() > group.max())

    def is_result(self, name: str, group: Array) -> bool:
        """Return whether the rows of each group agree in a column, and groups have several rows."""
        return EVIDENCE * (group.max() + 1) <= self.rows and not self.differs(name, group)

    def arguments(self, name: str, others: Sequence[str]) -> tuple[str, ...] | None:
        """Return the fewest of other columns that a column is a function of, None without enough evidence."""
        group = self.groups(others)
        if self.differs(name, group):
            return None
        needed = list(others)
        for other in others:
            without = self.groups(each for each in needed if each != other)
            if not self.differs(name, without):
                needed.remove(other)
                group = without
        groups = int(group.max()) + 1
        if groups < LEAST_GROUPS:
            return None
        enough = groups * EVIDENCE <= self._uncrossed(others, needed)
        return tuple(needed) if enough or self._is_simple(name, needed, groups) else None

    def _uncrossed(self, names: Sequence[str], kept: Sequence[str]) -> int:
        """Return how many combinations of these columns there are without those that are crossed with the others."""
        names = list(names)
        count = int(self.groups(names).max()) + 1
        for name in [name for name in names if name not in kept]:
            rest = [other for other in names if other != name]
            without = int(self.groups(rest).max()) + 1
            if count >= CROSSED * self.sizes[name] * without:
                names, count = rest, without
        return count

    def _is_simple(self, name: str, arguments: Sequence[str], groups: int) -> bool:
        """Return whether a column is a sum or a product of powers of others, with two combinations per coefficient."""
        if groups < 2 * (len(arguments) + 1):
            return False
        values, columns = self.numbers[name], np.stack([self.numbers[each] for each in arguments], axis=1)
        # The numbers of options of text are NaN.
        if not (np.isfinite(values).all() and np.isfinite(columns).all()):
            return False
        pairs = [(values, columns)]
        if (values > 0).all() and (columns > 0).all():
            pairs.append((np.log(values), np.log(columns)))
        return any(_is_linear(target, factors) for target, factors in pairs)


def _is_linear(target: Array, columns: Array) -> bool:
    design = np.column_stack([np.ones(len(target)), columns])
    residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return bool(np.abs(residual).max() <= EXACT * np.abs(target).max())
