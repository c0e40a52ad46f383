"""Rows of measurement files: checks of invalid, repeated and missing values, and their conversion to `Measurements`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import AGGREGATES, Measurements, ReadingReport, side_by_side
from splc.data.property_unit import unit_in_name
from splc.errors import MeasurementError, Problem, Problems, SpecError, listed, unknown_name_hint
from splc.formats.coded_columns import EVIDENCE, MAX_VALUES, MIN_ROWS, NEARLY_ALL, CodedColumns, is_counter
from splc.formats.column_choice import ColumnChoice, Context, value_notes
from splc.formats.measurements.selections import reasons_by_row
from splc.formats.names import is_amount, is_measurement_name
from splc.formats.table import DECIMAL_COMMAS
from splc.io.csv_rows import sorted_distinct, texts_in
from splc.io.files import Source
from splc.io.numbers import beyond_all
from splc.system.variability import VariabilityModel
from splc.types import Aggregate, Array, Duplicates, Invalid

MINED = "constraints are inferred from a table; --no-constraints ignores them (of a model: where it is learned)"
_LISTED = 20
_EXPLAINED = 200
_NO_ROWS: Array = np.zeros(0, dtype=np.int64)
_SNIFFED = 1000
# Larger shares of the values of a property are no failures, and smaller factors of the others are results.
_FEW, _FAR = 0.1, 100
_SENTINEL = re.compile("10*|9+|2147483647")


@dataclass(frozen=True)
class Policy:
    """The treatment of invalid and repeated rows of a measurement file."""

    invalid: Invalid = "error"  # rows without a valid configuration are an error, or are dropped and reported
    duplicates: Duplicates = "error"  # repeated configurations are an error, ignored ('first'), or repetitions ('mean')
    aggregate: Aggregate = "mean"  # the aggregation of repetitions
    columns: ColumnChoice = field(default_factory=ColumnChoice)  # the roles of columns that the user chose
    check: Callable[[Configurations], Array] | None = None  # returns which configurations are valid; None accepts all
    # returns what the configuration in one row violates
    explain: Callable[[Configurations, int], list[str]] | None = None
    units: Mapping[str, str] = field(default_factory=dict)  # property → its unit, where one is stated
    decimal: str | None = None  # the decimal delimiter, None: the one that the file states or its numbers show
    separator: str | None = None  # the separator of repetitions (XML) or fields (CSV), None: it is detected
    nfp: str | None = None  # the property that the user named, None if there is none
    usual: str | None = None  # its name in files without a header, if the user named none

    def __post_init__(self) -> None:
        known = {"invalid": ("error", "drop"), "duplicates": ("error", "first", "mean"), "aggregate": AGGREGATES}
        for name, choices in known.items():
            if (value := getattr(self, name)) not in choices:
                raise SpecError(f"unknown policy {name} = {value!r}", hint=unknown_name_hint(value, choices))
        if self.decimal is not None and (len(self.decimal) != 1 or self.decimal.isalnum()):
            raise SpecError(Problem("the decimal delimiter must be a single character", text=self.decimal))


@dataclass(frozen=True)
class MeasurementRows:
    """The rows of a file as read."""

    lines: Array  # the line of each row, shape (n,)
    indices: Array  # value indices, shape (n, options), -1 for wrong values, for which `reasons` has an entry
    reasons: Mapping[int, list[str]]  # row → problems of its configuration
    values: Mapping[str, Array] = field(default_factory=dict)  # property → values, shape (n, k), NaN: none
    missing: Mapping[str, Array] = field(default_factory=dict)  # property → number of missing values by row, shape (n,)
    repetitions: Array | None = None  # the number of repetitions in each row, shape (n,), at most k; None for one
    notes: tuple[str, ...] = ()  # remarks of the reader
    unsuccessful: tuple[str, ...] = ()  # how many runs did not succeed, for each column that says so
    deviation: float | None = None  # the measurement deviation in percent that the file states, None if it states none
    contexts: Mapping[str, Context] = field(default_factory=dict)  # the contexts
    malformed: frozenset[int] = frozenset()  # rows with a wrong number of fields, whose contexts are unknown
    repeated: bool = False  # whether rows with the same configuration are repetitions, whatever the policy is
    nfp: str | None = None  # the property that the user named, None if there is none
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)  # column besides options → its texts

    @property
    def slots(self) -> Array:
        """The number of repetitions in each row, shape (n,)."""
        return np.ones(len(self), dtype=np.int64) if self.repetitions is None else self.repetitions

    def problems(self, file: str, hint: str | None = None) -> Problems:
        """Return the problems of all rows, with their lines; `hint`: that of the first one."""
        problems = Problems(file)
        for row, reason in reasons_by_row(self.reasons).items():
            problems.add(reason, int(self.lines[row]), hint=None if len(problems) else hint)
        return problems

    def with_properties(self, numbers: Mapping[str, Array], decimal: str, notes: Sequence[str]) -> MeasurementRows:
        """Return rows with these columns as properties, one value per row, and with notes: first those of the table."""
        values = {name: column[:, np.newaxis] for name, column in numbers.items()}
        missing = {name: np.isnan(column) for name, column in numbers.items()}
        notes = (*notes, *self.notes, *value_notes(self.others, numbers, decimal))
        return replace(self, values=values, missing=missing, notes=notes)

    def by_line(self) -> MeasurementRows:
        """Return rows in which those of one line, its repetitions, are one; what all of them repeat, it states once."""
        if (np.diff(self.lines) != 0).all():
            return self
        codes = [self.lines, *self.indices.T, *(context.codes for context in self.contexts.values())]
        new = np.any([np.diff(each, prepend=-2) != 0 for each in codes], axis=0)
        first, group = np.flatnonzero(new), np.cumsum(new) - 1
        once = [name for name, each in self.values.items() if np.array_equal(each, each[first][group], equal_nan=True)]
        if new.all() or len(once) == len(self.values):
            return self
        values = dict(self.values) | {name: np.where(new[:, np.newaxis], self.values[name], np.nan) for name in once}
        missing = dict(self.missing) | {name: self.missing[name] & new for name in once}
        missing = {name: np.bincount(group, each).astype(np.int64) for name, each in missing.items()}
        rows = replace(self.take(first), missing=missing, repetitions=np.bincount(group))
        return replace(rows, values=side_by_side(values, group, self.slots))

    def dropped(self, reasons: Mapping[int, Sequence[str]]) -> tuple[tuple[int, str], ...]:
        """Return the lines of some rows, and what is wrong with each."""
        return tuple((int(self.lines[row]), "; ".join(texts)) for row, texts in sorted(reasons.items()))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.lines)

    @property
    def known(self) -> Array:
        """The positions of the rows whose contexts are known."""
        return _others(len(self), self.malformed)

    @property
    def values_of_contexts(self) -> dict[str, str]:
        """Context → its only value in rows that do not mix several."""
        valid = self.known if self.contexts else _NO_ROWS
        return {name: values[0] for name, context in self.contexts.items() if (values := context.in_rows(valid))}

    def take(self, rows: Array) -> MeasurementRows:
        """Return some of the rows, by their positions in ascending order."""
        position = {row: at for at, row in enumerate(rows.tolist())} if self.reasons or self.malformed else {}
        return replace(
            self,
            lines=self.lines[rows],
            indices=self.indices[rows],
            reasons={position[row]: reasons for row, reasons in self.reasons.items() if row in position},
            values={name: values[rows] for name, values in self.values.items()},
            missing={name: missing[rows] for name, missing in self.missing.items()},
            repetitions=None if self.repetitions is None else self.repetitions[rows],
            others={name: texts_in(cells, rows) for name, cells in self.others.items()},
            contexts={name: replace(context, codes=context.codes[rows]) for name, context in self.contexts.items()},
            malformed=frozenset(position[row] for row in self.malformed if row in position),
        )


def assemble(system: VariabilityModel, rows: MeasurementRows, policy: Policy, source: Source) -> Measurements:
    """Return the measurements in rows of one value of each context."""
    count = len(rows.lines)
    if count == 0:
        raise MeasurementError(Problem("the file has no rows", source.name))
    if not rows.values:
        raise MeasurementError(Problem("the file has no non-functional property", source.name))
    rows, refused, summaries = _without_errors(rows), list[tuple[int, str]](), list[Problem]()
    if (invalid := invalid_rows(system, rows, policy)) and policy.invalid == "error":
        refused += [(int(rows.lines[row]), reason) for row, reason in reasons_by_row(invalid).items()]
        unread, wrong = len(rows.malformed), len(invalid) - len(rows.malformed)
        parts = ((unread, "have a wrong number of fields"), (wrong, "have no valid configuration"))
        message = " and ".join(f"{number} of {count} rows {reason}" for number, reason in parts if number)
        hint = "correct them, or leave them out with --invalid drop (in Python the argument invalid)"
        hint = f"{hint}; {MINED}" if policy.columns.mined else hint
        hint = f"{DECIMAL_COMMAS}; {hint}" if unread else hint
        summaries.append(Problem(message, source.name, hint=hint))
    valid = _others(count, invalid)
    first, group = Configurations(system, rows.indices[valid]).groups()
    repeats = np.full(len(valid), not rows.repeated)
    repeats[first] = False
    if repeats.any() and policy.duplicates == "error":
        pairs = zip(rows.lines[valid[repeats]].tolist(), rows.lines[valid[first[group[repeats]]]].tolist(), strict=True)
        refused += [(line, f"this configuration was measured in line {earlier} already") for line, earlier in pairs]
        message = f"{int(repeats.sum())} of {count} rows repeat a configuration"
        hint = "keep the first of each, or the mean: --duplicates first or mean (in Python the argument duplicates)"
        summaries.append(Problem(message, source.name, hint=hint))
    if refused:
        problems = [Problem(reason, source.name, line) for line, reason in sorted(refused)[:_LISTED]]
        if excess := len(refused) - len(problems):
            problems.append(Problem(f"… and {excess} more rows", source.name))
        raise MeasurementError([*problems, *summaries])
    if len(valid) == 0:
        reason = "; ".join(next(iter(invalid.values())))
        raise MeasurementError(Problem(f"no row has a valid configuration; the first: {reason}", source.name))
    duplicates = tuple(map(int, rows.lines[valid[repeats]]))
    configurations = Configurations(system, rows.indices[valid[first]])
    if policy.duplicates == "first":
        valid, group = valid[~repeats], group[~repeats]
    measured = {name: values[valid] for name, values in rows.values.items()}
    failed = {name: _failed(name, measured[name], group) for name in measured if rows.nfp in (None, name)}
    report = ReadingReport(
        source.name,
        source.sha256,
        count,
        rows.dropped(invalid),
        duplicates,
        {name: total for name, part in rows.missing.items() if (total := int(part[valid].sum()))},
        {name: tuple(rows.lines[valid[part[valid] > 0]].tolist()) for name, part in rows.missing.items()},
        {name: tuple(rows.lines[valid[low]].tolist()) for name, low in failed.items() if low.any()},
        rows.deviation,
        rows.notes,
        _mixed(rows, valid, group) if rows.repeated and len(valid) > len(configurations) else (),
        len(configurations),
        policy.columns.options if policy.columns.inferred else None,
        rows.lines[valid],
        group,
        rows.unsuccessful,
    )
    values = side_by_side(measured, group, rows.slots[valid], source.name)
    units = {name: unit for name, unit in policy.units.items() if name in values}
    return Measurements(configurations, values, policy.aggregate, report, rows.values_of_contexts, units)


def _without_errors(rows: MeasurementRows) -> MeasurementRows:
    """Return rows in which values that are errors (1e308 among usual ones) are missing, and noted."""
    values, missing, notes = dict(rows.values), dict(rows.missing), [*rows.notes]
    for name, measured in rows.values.items():
        if (far := beyond_all(measured)).any():
            values[name] = np.where(far, np.nan, measured)
            missing[name] = rows.missing[name] + far.sum(axis=1)
            examples = listed(list(dict.fromkeys(f"{value:g}" for value in measured[far].tolist())))
            notes.append(f"values of {name} far beyond all others count as missing: {examples}")
    return rows if len(notes) == len(rows.notes) else replace(rows, values=values, missing=missing, notes=(*notes,))


def _mixed(rows: MeasurementRows, valid: Array, group: Array) -> tuple[str, ...]:
    """Return the properties that seem to be options or contexts, so that rows of a configuration are different runs."""
    names = [name for name in rows.values if name != rows.nfp and not is_counter(name) and len(rows.values) > 1]
    names = [name for name in names if not is_measurement_name(name) and unit_in_name(name) is None]
    columns = {name: rows.values[name][valid, 0] for name in names}
    # Most properties have many values.
    few = {name: column for name, column in columns.items() if len(set(column[:_SNIFFED].tolist())) <= MAX_VALUES}
    table = CodedColumns(few, {})
    varied = [name for name in few if table.complete(name) and 1 < table.sizes[name] <= table.rows / EVIDENCE]
    return tuple(table.set_among(varied, group))


def _failed(name: str, values: Array, group: Array) -> Array:
    """Return a mask of the rows with values that stand for failed runs, such as 0 and -1 among run times.

    These are a few values with another sign than the others, at most two different ones, and whole or repeated; or ones
    such as 99999, far beyond all others. Zeros can be results: of a coarse clock, where many positive values are equal,
    or of configurations all of whose rows have them, unless they are amounts, of which no negative one is a result.
    """
    sizes = np.abs(np.nan_to_num(values))
    largest = sorted_distinct(sizes)[::-1]
    beyond = next((at for at in (1, 2) if at < len(largest) and largest[at - 1] >= _FAR * largest[at] > 0), 0)
    far = np.zeros(len(values), dtype=bool)
    if beyond and all(_SENTINEL.fullmatch(f"{size:.0f}") for size in largest[:beyond]):
        far |= _few(np.any(sizes >= largest[beyond - 1], axis=1))
    # Most values are positive, or negative: scores that are minimized.
    signs = np.sign(values) * (1 if (values > 0).sum() >= (values < 0).sum() else -1)
    low = np.any(signs <= 0, axis=1) & ~far
    # No amount is negative, however many are, and many runs of a search fail.
    is_credible = (values[low] < 0).all() or 2 * low.sum() < len(low)
    low = low if is_amount(name) and is_credible else _few(low)
    distinct, counts = np.unique(values[low][signs[low] <= 0], return_counts=True)
    others = values[(signs > 0) & ~far[:, np.newaxis]]
    differ = len(sorted_distinct(others)) >= NEARLY_ALL * len(others)
    is_failure = len(distinct) <= 2 and ((distinct % 1 == 0).all() or (differ and (counts > 1).all()))
    if 0 in distinct:
        several = np.bincount(group)[group[low]] > 1
        is_result = several.any() and set(group[low]).isdisjoint(group[~low]) and not is_amount(name)
        is_failure &= differ and not is_result
    return far | low if is_failure or (is_amount(name) and (distinct < 0).all()) else far


def _few(rows: Array) -> Array:
    """Return a mask of rows, or an empty one if these are too many for failures."""
    return np.asarray(rows & (rows.sum() <= max(_FEW * len(rows), len(rows) >= MIN_ROWS)))


def _others(count: int, rows: Collection[int]) -> Array:
    """Return the positions from 0 to `count` that are not among some rows."""
    return np.delete(np.arange(count), np.fromiter(rows, dtype=np.int64, count=len(rows)))


def invalid_rows(system: VariabilityModel, rows: MeasurementRows, policy: Policy) -> dict[int, list[str]]:
    """Return row → problems: the reasons of the reader, and those of configurations that fail the check."""
    invalid = dict(rows.reasons)
    if policy.check is None:
        return invalid
    valid = _others(len(rows), invalid)
    configurations = Configurations(system, rows.indices[valid])
    failed = np.flatnonzero(~np.asarray(policy.check(configurations), dtype=bool))
    for number, at in enumerate(failed.tolist()):
        explained = policy.explain(configurations, at) if policy.explain is not None and number < _EXPLAINED else []
        violated = f"violates: {'; '.join(explained)}" if explained else "does not satisfy the constraints"
        invalid[int(valid[at])] = [f"the configuration {violated}"]
    return invalid


def left_out(measurements: Measurements, *keeps: str) -> tuple[str, ...]:
    """Return notes on what a file does not state; `keeps`: what it states besides configurations and values."""
    notes = []
    if measurements.contexts and "contexts" not in keeps:
        notes.append(f"contexts are left out: {listed(list(measurements.contexts))}")
    if "repetitions" not in keeps and any(values.shape[1] > 1 for values in measurements.values.values()):
        notes.append(f"repetitions became one value, the {measurements.aggregate} of them")
    if "deviation" not in keeps and measurements.report.deviation is not None:
        notes.append(f"the stated deviation of {measurements.report.deviation:g} % is left out")
    if units := [f"{name} in {unit}" for name, unit in measurements.units.items() if unit_in_name(name) != unit]:
        notes.append(f"units are left out, which splc.toml can state: {listed(units)}")
    return tuple(notes)
