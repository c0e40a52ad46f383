"""Measurements: configurations with the values of their non-functional properties, repetitions kept; and experiments.

Experiments are profiles: call paths and metrics at points of a few numeric parameters, which may take any value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from splc.data.configurations import Configurations, describe_configuration
from splc.data.property_unit import unit_in_name
from splc.errors import MeasurementError, Problem, listed, plural, unknown_name_hint
from splc.io.numbers import parse_number
from splc.io.presentation import Presented
from splc.system.constraints import BooleanConstraint, Constraint
from splc.system.options import constraints_of_texts
from splc.system.variability import VariabilityModel
from splc.types import Aggregate, Array

MAX_CELLS = 100_000_000  # larger tables are refused
# Larger tables may have at most this many cells for each value: most are empty where only few groups have many values.
FEW_CELLS, MAX_PER_VALUE = 4_000_000, 10


def most_cells(values: int) -> int:
    """Return how many cells a table of repetitions with this many values may have."""
    return min(MAX_CELLS, max(FEW_CELLS, MAX_PER_VALUE * values))


def require_size(groups: int, width: int, values: int, columns: int = 1, file: str | None = None) -> None:
    """Refuse a table of repetitions that is too large."""
    if groups * width * columns > most_cells(values * columns):
        message = f"a configuration has {width:,} repetitions, too many beside {groups:,} configurations"
        raise MeasurementError(Problem(message, file, hint="leave some of its repetitions out"))


def offsets(group: Array, slots: Array, groups: int) -> tuple[Array, Array]:
    """Return the column of the first value of each row, and the number of columns of each group: see `side_by_side`."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(slots[order])
    totals = np.bincount(group, weights=slots, minlength=groups).astype(np.int64)
    group_starts = np.cumsum(totals) - totals
    first_columns = np.empty(len(group), dtype=np.int64)
    first_columns[order] = ends - slots[order] - group_starts[group[order]]
    return first_columns, totals


def side_by_side(columns: Mapping[str, Array], group: Array, slots: Array, file: str | None = None) -> dict[str, Array]:
    """Return name → values, shape (groups, repetitions), with the rows of a group one after another, and NaN.

    `columns` have the shape (n, k); each of the n rows has a group and `slots`, the number of its values.
    """
    starts, totals = offsets(group, slots, int(group.max(initial=-1)) + 1)
    width = int(totals.max(initial=1))
    require_size(len(totals), width, int(slots.sum()), len(columns), file)
    tables = {}
    for name, values in columns.items():
        filled = np.full((len(totals), width), np.nan)
        row, slot = np.nonzero(np.arange(values.shape[1]) < slots[:, np.newaxis])
        filled[group[row], starts[row] + slot] = values[row, slot]
        used = np.flatnonzero(~np.isnan(filled).all(axis=0))
        tables[name] = filled[:, : used[-1] + 1 if len(used) else 1]
    return tables


def same_width(tables: Sequence[Array]) -> list[Array]:
    """Return tables of repetitions with as many columns as the widest, filled with NaN."""
    width = max((table.shape[1] for table in tables), default=0)
    return [np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=np.nan) for table in tables]


@dataclass(frozen=True)
class FailureRule:
    """A combination of values of options of which every run failed."""

    condition: str  # the values, as text: `pcg and gs`, `mode=fast and n>=300`
    constraint: str  # the constraint that excludes them, as text; empty where the options lack a value among them
    runs: int  # the number of failed runs with them
    configurations: int  # the number of configurations of these runs

    def __str__(self) -> str:
        return f"all {plural(self.runs, 'run', 'runs')} with {self.condition} failed"


@dataclass(frozen=True, eq=False)
class Failures:
    """Configurations that never worked."""

    configurations: Configurations  # distinct configurations of which every run failed, n of them
    runs: Array  # the number of runs of each, shape (n,)
    rules: tuple[FailureRule, ...]  # combinations of values of which every run failed
    explained: Array  # which configurations have one of these combinations, shape (n,), bool

    def __len__(self) -> int:
        return len(self.configurations)

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that exclude the combinations."""
        system = self.configurations.system
        binary = [option.name for option in system.binary_options]
        texts = [rule.constraint for rule in self.rules if rule.constraint]
        return constraints_of_texts(texts, system.name_table, binary)

    def of_system(self, system: VariabilityModel) -> Failures:
        """Return the failures among the configurations of a system with the same options, and other values of them."""
        configurations, kept = self.configurations.within(system)
        return replace(self, configurations=configurations, runs=self.runs[kept], explained=self.explained[kept])

    def among(self, configurations: Configurations) -> Array:
        """Return which configurations of the system, or of a part of it, never worked, shape (m,), bool."""
        rows = Configurations(self.configurations.system, configurations.indices)
        return np.asarray(self.configurations.find(rows) >= 0)

    def expected(self, configurations: Configurations) -> Array:
        """Return which configurations never worked, or have a combination that failed, shape (m,), bool."""
        fail = self.among(configurations)
        for constraint in self.constraints:
            columns = {name: configurations.value(name) for name in constraint.names}
            if isinstance(constraint, BooleanConstraint):
                fail |= np.all([(columns[name] > 0) != positive for name, positive in constraint.literals], axis=0)
            else:
                absent = np.any([np.isnan(column) for column in columns.values()], axis=0)
                fail |= ~constraint.holds(columns.__getitem__) & ~absent
        return fail

    @property
    def texts(self) -> tuple[str, ...]:
        """A line for each rule, and one for configurations without a rule."""
        lines = [str(rule) for rule in self.rules]
        if others := int((~self.explained).sum()):
            noun = "other configuration" if self.rules else "configuration"
            lines.append(f"every run of {plural(others, noun, f'{noun}s')} failed")
        return tuple(lines)


AGGREGATES: tuple[Aggregate, ...] = ("mean", "median", "min")


@dataclass(frozen=True)
class ReadingReport:
    """The source of measurements, and the rows and values that were left out."""

    source: str | None = None  # the file
    sha256: str | None = None  # the hash of its (uncompressed) content
    rows: int = 0  # the number of rows in the file
    invalid: tuple[tuple[int, str], ...] = ()  # (line, reason) of rows whose configuration is unknown or invalid
    duplicates: tuple[int, ...] = ()  # lines of rows whose configuration was measured in an earlier row
    missing: Mapping[str, int] = field(default_factory=dict)  # property → number of missing or unreadable values
    gaps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # property → lines of the rows without its value
    failed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # property → lines of seemingly failed runs
    deviation: float | None = None  # the largest measurement deviation in percent that the file states
    notes: tuple[str, ...] = ()  # other remarks for the user
    mixed: tuple[str, ...] = ()  # seemingly options or contexts: rows of most configurations have different values
    configurations: int = 0  # the number of distinct configurations in these rows
    options: tuple[str, ...] | None = None  # columns that the user named as options; None where a description has them
    # the line and the configuration of each row that was not left out, shapes (used rows,)
    lines: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64), compare=False, repr=False)
    groups: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64), compare=False, repr=False)
    unsuccessful: tuple[str, ...] = ()  # how many runs did not succeed, for each column that says so

    @property
    def used(self) -> int:
        """The number of rows that were not dropped."""
        return self.rows - len(self.invalid)


def read_only_table(name: str, values: Any, rows: int, noun: str) -> Array:
    """Return the values of a property of some rows, shape (rows, repetitions) or (rows,), as a table of their own."""
    table = np.array(values, dtype=float)
    if table.ndim == 1:
        table = table[:, np.newaxis]
    if table.ndim != 2 or len(table) != rows:
        raise MeasurementError(f"{name}: {rows} {noun}, but values of shape {table.shape}")
    table.setflags(write=False)
    return table


@dataclass(frozen=True, eq=False, repr=False)
class Measurements(Presented):
    """Distinct configurations with the values of their non-functional properties in the unit of the file.

    `measurements[nfp]` has the aggregated values, shape (n,); `measurements[rows]` selects configurations.
    """

    configurations: Configurations  # n distinct configurations
    values: Mapping[str, Array]  # property → values, shape (n, repetitions) or (n,), NaN: missing; stored read-only
    aggregate: Aggregate = "mean"  # the aggregation of repetitions, 'mean', 'median' or 'min'
    report: ReadingReport = ReadingReport()  # the source, and the rows and values that were left out
    contexts: Mapping[str, str] = field(default_factory=dict)  # context (version, machine) → its value in all rows
    units: Mapping[str, str] = field(default_factory=dict)  # property → its unit, where one is stated beside the name
    failures: Failures | None = None  # configurations of which every run failed, None if there are none or not known
    _columns: dict[str, Array] = field(default_factory=dict, init=False)  # property → its aggregates, once used

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            hint = unknown_name_hint(self.aggregate, AGGREGATES)
            raise MeasurementError(f"unknown aggregate {self.aggregate!r}", hint=hint)
        rows = len(self.configurations)
        arrays = {name: read_only_table(name, values, rows, "configurations") for name, values in self.values.items()}
        object.__setattr__(self, "values", arrays)
        if len(self.configurations.groups()[0]) != len(self.configurations):
            raise MeasurementError("duplicate configuration; repetitions of a configuration must be in one row")

    @property
    def system(self) -> VariabilityModel:
        """The system that was measured."""
        return self.configurations.system

    def runs(self) -> tuple[Configurations, dict[str, Array]]:
        """Return the configuration and the values of each run, NaN where missing; one of each at least."""
        blank, *tables = same_width([np.full((len(self), 1), np.nan), *self.values.values()])
        known = ~np.all([np.isnan(table) for table in (blank, *tables)], axis=0)
        known[:, 0] = True
        rows, slots = np.nonzero(np.logical_or.accumulate(known[:, ::-1], axis=1)[:, ::-1])
        values = [table[rows, slots] for table in tables]
        return self.configurations[rows], dict(zip(self.values, values, strict=True))

    def to_columns(self) -> dict[str, Array]:
        """Return name → values for options, contexts and properties; each repetition is a row."""
        configurations, values = self.runs()
        contexts = {name: np.full(len(configurations), value, dtype=object) for name, value in self.contexts.items()}
        return {**configurations.to_columns(), **contexts, **values}

    def with_blocks(self, column: str, parts: Sequence[Measurements]) -> Measurements:
        """Return the runs of each value of a context in one table, which numbers the values of it as a property.

        `parts`: the measurements of each value; runs without a value of it have no number.
        """
        runs = [part.runs() for part in parts]
        configurations = Configurations.concatenate([each for each, _ in runs])
        first, group = configurations.groups()
        names = [number if part.contexts.get(column) else np.nan for number, part in enumerate(parts, 1)]
        columns = {name: np.concatenate([values[name] for _, values in runs]) for name in parts[0].properties}
        columns[column] = np.repeat(names, [len(each) for each, _ in runs])
        tables = {name: values[:, np.newaxis] for name, values in columns.items()}
        values = side_by_side(tables, group, np.ones(len(group), dtype=np.int64))
        return replace(self, configurations=configurations[first], values=values)

    def summary(self) -> str:
        """Return the number of measured configurations, the properties, and the contexts."""
        kind = ("no property", "property ", "properties ")[min(len(self.properties), 2)]
        contexts = "".join(f", {name} = {value}" for name, value in self.contexts.items())
        return f"measurements of {self.configurations.summary()}: {kind}{listed(self.properties)}{contexts}"

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the non-functional properties."""
        return tuple(self.values)

    def __len__(self) -> int:
        """Return the number of measured configurations."""
        return len(self.configurations)

    def repetitions(self, nfp: str) -> Array:
        """Return all values of a property that was measured, shape (n, repetitions), NaN where one is missing."""
        if nfp not in self.values:
            if (value := self.contexts.get(nfp)) is not None:
                is_text = np.isnan(parse_number(value))
                reason = f": its values are not numbers, but {value!r}" if is_text else ", as it was named one"
                raise MeasurementError(f"{nfp!r} is a context{reason}", hint="a property has numbers only")
            hint = unknown_name_hint(nfp, list(self.values))
            raise MeasurementError(f"the property {nfp!r} was not measured", hint=hint)
        return self.values[nfp]

    def column(self, nfp: str) -> Array:
        """Return the value used per configuration, shape (n,): the aggregate of its repetitions, NaN where none is."""
        values = self.repetitions(nfp)
        if (result := self._columns.get(nfp)) is not None:
            return result.copy()
        result = values[:, 0].copy() if values.shape[1] == 1 else np.full(len(values), np.nan)
        if values.shape[1] > 1 and (known := ~np.isnan(values).all(axis=1)).any():
            with np.errstate(over="ignore"):
                result[known] = getattr(np, f"nan{self.aggregate}")(values[known], axis=1)
        if np.isinf(result).any():
            name = describe_configuration(self.configurations, int(np.argmax(np.isinf(result))))
            raise MeasurementError(f"{nfp}: the values of {name} are too large", hint="give them in a larger unit")
        self._columns[nfp] = result
        return result.copy()

    def unit(self, nfp: str) -> str | None:
        """Return the unit of a property: the one that is stated, else the one in its name; None if neither is."""
        return self.units.get(nfp) or unit_in_name(nfp)

    def measured(self, nfp: str) -> Measurements:
        """Return the configurations that have a value of this property."""
        known = ~np.isnan(self.column(nfp))
        return self if known.all() else self[known]

    @overload
    def __getitem__(self, key: str) -> Array: ...

    @overload
    def __getitem__(self, key: Array | slice | list[int]) -> Measurements: ...

    def __getitem__(self, key: str | Array | slice | list[int]) -> Array | Measurements:
        """Return the aggregated values of a property (`ms["nfp"]`, shape (n,)), or a subset (`ms[rows]`)."""
        if isinstance(key, str):
            return self.column(key)
        rows = np.arange(len(self))[key].reshape(-1)
        values = {name: repetitions[rows] for name, repetitions in self.values.items()}
        return replace(self, configurations=self.configurations[rows], values=values)

    def resolve_property(self, nfp: str | None = None) -> str:
        """Return `nfp`, which must have been measured, or the only property if it is None."""
        if nfp is not None:
            self.repetitions(nfp)
            return nfp
        if len(self.values) == 1:
            return next(iter(self.values))
        if not self.values:
            raise MeasurementError("the measurements have no property")
        hint = "choose one with --property (in Python the argument nfp)"
        raise MeasurementError(f"there are several properties: {', '.join(self.values)}", hint=hint)


# (call path, metric)
Key = tuple[str, str]

# The names of files without call paths or metrics, as in Extra-P.
ROOT_CALLPATH = "<root>"
DEFAULT_METRIC = "<default>"


def title(key: Key) -> str:
    """Return the call path and the metric of a series, where its file names them: `main->sort, time`."""
    named = [name for name, default in zip(key, (ROOT_CALLPATH, DEFAULT_METRIC), strict=True) if name != default]
    return ", ".join(named)


@dataclass(frozen=True, eq=False)
class Experiment:
    """Distinct points and, per call path and metric, the values of their repetitions; arrays are made read-only."""

    parameters: tuple[str, ...]  # the names of the parameters, distinct
    points: Array  # the measured points, distinct and finite, shape (n, parameters)
    series: Mapping[Key, Array]  # (call path, metric) → values, shape (n, repetitions), NaN: missing, else finite
    report: ReadingReport = field(default_factory=ReadingReport)  # the source, notes, missing values by metric
    contexts: Mapping[str, str] = field(default_factory=dict)  # context (version, machine) → its value at all points

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        if not self.parameters or not all(self.parameters):
            raise MeasurementError("an experiment needs parameters, each with a name")
        if len(set(self.parameters)) < len(self.parameters):
            raise MeasurementError(f"duplicate parameter in {listed(self.parameters)}")
        # Adding 0 makes 0 of -0.0, which is the same point.
        points = np.array(self.points, dtype=float) + 0.0
        if points.ndim == 1:
            points = points[:, np.newaxis]
        if points.ndim != 2 or points.shape[1] != len(self.parameters):
            raise MeasurementError(f"{len(self.parameters)} parameters, but points of shape {points.shape}")
        if not len(points) or not self.series:
            raise MeasurementError("an experiment needs points and measurements")
        if not np.isfinite(points).all():
            raise MeasurementError("the coordinates of points must be finite numbers")
        if len(np.unique(points, axis=0)) < len(points):
            raise MeasurementError("duplicate point; its repetitions belong into one row")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)
        count, given = len(points), self.series.items()
        tables = {key: read_only_table(", ".join(key), values, count, "points") for key, values in given}
        for key in (key for key, table in tables.items() if np.isinf(table).any()):
            raise MeasurementError(f"{', '.join(key)}: a value is infinite")
        object.__setattr__(self, "series", tables)

    @property
    def callpaths(self) -> tuple[str, ...]:
        """The call paths, in order of first appearance."""
        return tuple(dict.fromkeys(callpath for callpath, _ in self.series))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in order of first appearance."""
        return tuple(dict.fromkeys(metric for _, metric in self.series))

    @property
    def constant(self) -> dict[str, float]:
        """Parameter → its value, for those that have the same value at all points."""
        same = (self.points == self.points[0]).all(axis=0)
        values = self.points[0].tolist()
        return {name: values[at] for at, name in enumerate(self.parameters) if same[at]}

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)

    def __getitem__(self, key: Key) -> Array:
        """Return the values of a call path and metric, shape (n, repetitions), NaN where one is missing."""
        if key in self.series:
            return self.series[key]
        callpath, metric = key
        if callpath not in self.callpaths:
            hint = unknown_name_hint(callpath, self.callpaths)
            raise MeasurementError(f"there is no call path {callpath!r}", hint=hint)
        hint = unknown_name_hint(metric, [name for path, name in self.series if path == callpath])
        raise MeasurementError(f"the metric {metric!r} was not measured for {callpath!r}", hint=hint)

    def measured(self, callpath: str, metric: str) -> tuple[Array, Array]:
        """Return the points of a series that have a value, shape (m, parameters), and its values, (m, repetitions)."""
        values = self[callpath, metric]
        known = ~np.isnan(values).all(axis=1)
        return self.points[known], values[known]
