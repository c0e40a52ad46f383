"""The roles of the columns of a table without a description of the system: options, properties, contexts.

Columns that the user names as options are the options. Otherwise:

- columns of zeros and ones (`true` and `false`, `yes` and `no`, `on` and `off`) are binary options;
- other numbers are numeric options if they are to the left of the first property. A property is named by the user, or
  has fractions and nearly a different value in every row, or has more than `MOST_VALUES` values that are not needed
  to distinguish the configurations. If there is none, the last column of numbers is the property;
- numbers with gaps are properties;
- numbers among the options that are a function of others (`ranks` = `px` · `py`), and columns that count rows or
  repetitions by their name (`id`, `rep`), are ignored;
- columns of text are contexts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.errors import InputError, Problem, Problems, listed, unknown_name_hint
from splc.formats.measurements.columns import ColumnChoice, has_other_decimals, kind_of
from splc.formats.measurements.selections import TRUTH
from splc.io.numbers import parse_column
from splc.system.variability import ROOT
from splc.types import Array

# Options with fractions or many values have at most this many values, if the user does not name them as options.
MOST_VALUES = 50
# "Nearly a different value in every row" are this many of at least so many rows.
NEARLY_ALL, LEAST_ROWS = 0.8, 5
# A function of other options has each of their combinations this many times, and at least so many combinations.
EVIDENCE, LEAST_GROUPS = 2, 4
MOST_TESTS = 5000
ROW_COUNTERS = ("id", "index", "row", "no", "nr", "number", "#", "config_id", "configid", "unnamed: 0")
REPETITION_COUNTERS = (
    *("rep", "reps", "repeat", "repetition", "repetitions", "replicate", "replication"),
    *("run", "run_id", "trial", "iteration", "seed"),
)
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
        differing: properties with few whole numbers that differ among rows of the same configuration.
        numbers: column → its numbers, shape (n,), NaN where there is none.
    """

    binary: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    differing: tuple[str, ...] = ()
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
    options = [name for name in choice.options if name in columns]
    ignored = dict.fromkeys((name for name in columns if name in choice.ignore), "as requested")
    numbers: dict[str, Array] = {}
    contexts: list[str] = []
    for name, texts in columns.items():
        if name == ROOT or name in ignored:
            continue
        values = _numbers(texts)
        words = kind_of(texts, values) == "text" and not has_other_decimals(texts)
        if name in choice.named or (words and name not in options and name != nfp):
            contexts.append(name)
        else:
            numbers[name] = values
    text = tuple(name for name in columns if name in options and kind_of(columns[name], numbers[name]) != "numbers")
    table = _Table(numbers)
    if options:
        own = [name for name in columns if name in options and name not in text]
        binary = tuple(name for name in own if table.is_binary(name))
        numeric = tuple(name for name in own if name not in binary)
        rest = tuple(name for name in numbers if name not in options)
        if not rest:
            raise _no_property(file)
        return Roles(binary, numeric, text, _first(rest, nfp), tuple(contexts), ignored, numbers=numbers)
    for name in [name for name in numbers if name != nfp and name.casefold() in COUNTERS and table.has_integers(name)]:
        ignored[name] = "it seems to count rows or repetitions"
        del numbers[name]
    found = _inferred(table, [*numbers], nfp)
    if found is None:
        raise _no_property(file)
    inferred, functions = found
    ignored |= {name: f"it is a function of {listed(arguments)}" for name, arguments in functions.items()}
    rest = tuple(name for name in numbers if name not in inferred and name not in functions)
    group = table.groups(inferred)
    differing = tuple(
        name
        for name in rest
        if name != nfp and table.sizes[name] <= MOST_VALUES and table.has_integers(name) and table.differs(name, group)
    )
    binary = tuple(name for name in inferred if table.is_binary(name))
    numeric = tuple(name for name in inferred if name not in binary)
    return Roles(binary, numeric, (), _first(rest, nfp), tuple(contexts), ignored, differing, numbers=numbers)


def _require_columns(columns: Mapping[str, Sequence[str]], file: str, nfp: str | None, choice: ColumnChoice) -> None:
    problems = Problems(file)
    wanted = {**dict.fromkeys(choice.options, "option"), **dict.fromkeys(choice.ignore, "column")}
    wanted |= dict.fromkeys(choice.contexts, "context") | ({} if nfp is None else {nfp: "property"})
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
    hint = "name the column of the measured values with --property, and the options with --options"
    return InputError(Problem("no column seems to be a property", file, hint=hint))


def _numbers(texts: Sequence[str]) -> Array:
    distinct = {text: str(TRUTH.get(text.strip().casefold(), text)) for text in set(texts)}
    return parse_column([distinct[text] for text in texts])


def _first(names: Sequence[str], nfp: str | None) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name != nfp))


def _inferred(
    table: _Table, names: Sequence[str], nfp: str | None
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]] | None:
    """Return the inferred options, and those that were left out because they are functions of others."""
    options: list[str] = []
    group = table.groups(())
    boundary = None
    for place, name in enumerate(names):
        if name == nfp or table.seems_measured(name) or table.seems_counted(name, group):
            boundary = place
            if options:
                break
        elif table.complete(name):
            options.append(name)
            group = table.refined(group, name)
    if boundary is None:
        last = next((name for name in reversed(names) if not table.is_binary(name)), None)
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
    numeric = [name for name in options if not table.is_binary(name) and table.sizes[name] > 1]
    if len(numeric) * len(options) ** 2 <= MOST_TESTS:
        for name in reversed(numeric):
            arguments = table.arguments(name, [other for other in options if other != name])
            if arguments is not None:
                functions[name] = arguments
                options.remove(name)
    return tuple(options), functions


class _Table:
    """The numbers in the columns of a table, as positions among their distinct values."""

    def __init__(self, numbers: Mapping[str, Array]) -> None:
        self.numbers = dict(numbers)
        self.codes: dict[str, Array] = {}
        self.sizes: dict[str, int] = {}
        for name, values in numbers.items():
            distinct, codes = np.unique(values, return_inverse=True)
            self.codes[name], self.sizes[name] = codes.reshape(-1), len(distinct)
        self.rows = len(next(iter(numbers.values()))) if numbers else 0

    def complete(self, name: str) -> bool:
        """Whether a column has a number in every row."""
        return not np.isnan(self.numbers[name]).any()

    def is_binary(self, name: str) -> bool:
        """Whether a column has only zeros and ones."""
        return bool(np.isin(self.numbers[name], (0, 1)).all())

    def has_integers(self, name: str) -> bool:
        """Whether all numbers of a column are whole."""
        return self.complete(name) and bool((self.numbers[name] % 1 == 0).all())

    def seems_measured(self, name: str) -> bool:
        """Whether a column has fractions and nearly a different value in every row, or many values."""
        size = self.sizes[name]
        nearly_all = self.rows >= LEAST_ROWS and size >= NEARLY_ALL * self.rows
        return self.complete(name) and not self.has_integers(name) and (size > MOST_VALUES or nearly_all)

    def seems_counted(self, name: str, group: Array) -> bool:
        """Whether a column has many values that the groups of rows do not need to be distinguished."""
        if self.sizes[name] <= MOST_VALUES or not self.complete(name):
            return False
        return bool(group.max() > 0 and self.refined(group, name).max() == group.max())

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
        """Whether a column differs among rows of one group."""
        return bool(self.refined(group, name).max() > group.max())

    def is_result(self, name: str, group: Array) -> bool:
        """Whether the rows of each group agree in a column, and groups have several rows."""
        return EVIDENCE * (group.max() + 1) <= self.rows and not self.differs(name, group)

    def arguments(self, name: str, others: Sequence[str]) -> tuple[str, ...] | None:
        """Return the fewest of other columns that a column is a function of, None without enough evidence."""
        group = self.groups(others)
        if self.differs(name, group):
            return None
        configurations = int(group.max()) + 1
        needed = list(others)
        for other in others:
            without = self.groups(each for each in needed if each != other)
            if not self.differs(name, without):
                needed.remove(other)
                group = without
        groups = int(group.max()) + 1
        return tuple(needed) if groups >= LEAST_GROUPS and groups * EVIDENCE <= configurations else None
