"""Configurations: assignments of values to all options, stored as value indices, and observed variables.

The latter, such as the unknowns per level of a solver, become known when a configuration runs. Models that contain them
predict only configurations that were observed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np

from splc.data.property_unit import unit_problem
from splc.data.table import (
    NOT_USED,
    TRUTH,
    assignment_texts,
    named_columns,
    names_of,
    only_index,
    warn_of_unknown,
    whole_numbers,
)
from splc.errors import ConfigurationError, SpecError, listed, plural, unknown_name_hint
from splc.io.csv_rows import distinct_texts, row_groups
from splc.io.numbers import not_a_number, parse_column
from splc.io.presentation import Presented
from splc.system.groups import child_texts, wrong_child
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import ROOT, VariabilityModel, extended, open_options
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Observed:
    """The observed variables of n configurations; arrays are made read-only."""

    # variable → its values, shape (n,), NaN in configurations that do not have it (such as a level that they lack),
    # where its terms contribute nothing
    columns: Mapping[str, Array]
    known: Array  # whether a configuration was observed at all, shape (n,)

    def __post_init__(self) -> None:
        known = np.array(self.known, dtype=bool)
        columns = {}
        for name, values in self.columns.items():
            column = np.array(values, dtype=float)
            if known.ndim != 1 or column.shape != known.shape:
                raise ConfigurationError(f"{name}: {known.size} configurations, but values of shape {column.shape}")
            if np.isinf(column).any():
                raise ConfigurationError(f"{name}: an observed value is a finite number, or NaN where there is none")
            column.setflags(write=False)
            columns[name] = column
        known.setflags(write=False)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "known", known)

    def __getitem__(self, rows: Any) -> Observed:
        """Return the observations of the configurations at `rows` (a slice, positions, or a mask)."""
        return self.at(np.atleast_1d(np.arange(len(self.known))[rows]))

    def at(self, positions: Array) -> Observed:
        """Return the observations of the configurations at positions, shape (m,); -1 (what is appended) has none."""
        columns = {name: np.append(values, np.nan)[positions] for name, values in self.columns.items()}
        return Observed(columns, np.append(self.known, False)[positions])

    @classmethod
    def concatenate(cls, parts: Sequence[Observed | None]) -> Observed | None:
        """Return the observations of several sets, of variables that all of them have; None if a set has none."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or not known:
            return None
        names = [name for name in known[0].columns if all(name in part.columns for part in known)]
        columns = {name: np.concatenate([part.columns[name] for part in known]) for name in names}
        return cls(columns, np.concatenate([part.known for part in known]))


def chosen_variables(patterns: str | Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the observed variables that match patterns such as `C_*`, in the order of `known`."""
    requested = names_of(patterns)
    for pattern in requested:
        if not any(pattern == name or fnmatchcase(name, pattern) for name in known):
            hint = unknown_name_hint(pattern, known) if known else "this system has no observed variables"
            raise SpecError(f"no observed variable matches {pattern!r}", hint=hint)
    return tuple(name for name in known if any(pattern == name or fnmatchcase(name, pattern) for pattern in requested))


@dataclass(frozen=True, eq=False, repr=False)
class Configurations(Presented):
    """n configurations of one system, which may be invalid (see `sampling.Space.check`).

    `configurations[rows]` selects rows (a slice, positions, or a mask), `value(name)` returns the values of an option.

    Examples:
        >>> splc.Configurations.from_columns(system, {"threads": [2, 8], "tls": [1, 0], "cache": [0, 0]})
        <Configurations: 2 configurations of system>
    """

    system: VariabilityModel  # the system
    # value indices, integers of shape (n, options), read-only: 0 (not selected) or 1 of a binary option; the index into
    # `values` of a numeric option, or their number if it is deselected
    indices: Array
    observed: Observed | None = None  # their observed variables, None if there are none

    def __post_init__(self) -> None:
        indices, width = np.asarray(self.indices), len(self.system.options)
        if indices.size == 0 and (indices.ndim != 2 or len(indices) == 0):
            indices = np.zeros((0, width), dtype=np.uint8)
        if indices.ndim != 2 or indices.shape[1] != width:
            raise ConfigurationError(f"expected columns for {width} options, got shape {indices.shape}")
        if indices.dtype.kind not in "biu":
            raise ConfigurationError(f"value indices must be integers, not {indices.dtype}")
        sizes = np.array([option.size for option in self.system.options], dtype=np.int64)
        smallest = np.min_scalar_type(int(sizes.max(initial=1)) - 1)
        if indices.size and (indices.min() < 0 or (indices.max(axis=0).astype(np.int64) >= sizes).any()):
            raise ConfigurationError("a value index is out of range for its option")
        # An array that no one can change need not be copied.
        owned = indices.base is None and not indices.flags.writeable
        new = np.ascontiguousarray if owned else np.array
        indices = new(indices, dtype=smallest)
        indices.setflags(write=False)
        object.__setattr__(self, "indices", indices)
        if self.observed is not None and len(self.observed.known) != len(indices):
            raise ConfigurationError(f"{len(indices)} configurations, but observations of {len(self.observed.known)}")

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, rows: Any) -> Configurations:
        """Return the configurations at `rows` (a slice, positions, or a mask)."""
        observed = None if self.observed is None else self.observed[rows]
        return Configurations(self.system, np.atleast_2d(self.indices[rows]), observed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configurations):
            return NotImplemented
        return self.system == other.system and np.array_equal(self.indices, other.indices)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def keys(self) -> Array:
        """One sortable byte string per configuration, equal where configurations are (shape (n,), dtype S)."""
        big = self.indices.astype(self.indices.dtype.newbyteorder(">"))
        # numpy ignores trailing zero bytes of a string; a last byte of 1 makes them count.
        marked = np.pad(big.view(np.uint8), ((0, 0), (0, 1)), constant_values=1)
        return np.frombuffer(marked.tobytes(), dtype=f"S{marked.shape[1]}")

    def value(self, name: str) -> Array:
        """Return the values of an option, floats of shape (n,): 0 or 1 for binary options, NaN where deselected."""
        option = self.system.option(name)
        return value_table(option)[self.indices[:, self.system.positions[option.name]]]

    def column(self, name: str) -> Array:
        """Return the values of a name in terms, floats of shape (n,), NaN where it has none.

        It is an option, root, `Enabledx`, `Disabledx`, or a variable that was observed for all configurations.
        """
        known = self.system.spellings.get(name)
        if known == ROOT:
            return np.ones(len(self))
        if known in self.system.switches:
            position, enabled = self.system.switches[known]
            deselected = self.indices[:, position] == self.system.options[position].size - 1
            return np.asarray(deselected != enabled, dtype=float)
        if known is not None:
            return self.value(known)
        if name not in self.system.observed:
            raise self.system.unknown(name)
        observed = self.observed if self.observed is not None and name in self.observed.columns else None
        if observed is not None and observed.known.all():
            return observed.columns[name]
        if len(self) == 0:
            return np.zeros(0)
        row = 0 if observed is None else int(np.argmin(observed.known))
        raise ConfigurationError(
            f"{name} was not observed for configuration {row} ({describe_configuration(self, row)})",
            hint="models of observed variables predict only configurations that were measured and observed",
        )

    def with_observed(self, known: Configurations) -> Configurations:
        """Return the configurations with the observed variables of `known`, which are distinct configurations."""
        if known.observed is None:
            return Configurations(self.system, self.indices)
        model = replace(self.system, observed=known.system.observed)
        return Configurations(model, self.indices, known.observed.at(known.find(self)))

    def groups(self) -> tuple[Array, Array]:
        """Return the position of each distinct configuration's first appearance, and each one's place among these."""
        return row_groups(self.indices)

    def unique(self) -> Configurations:
        """Return the distinct configurations, in order of first appearance."""
        return self[self.groups()[0]]

    def find(self, wanted: Configurations) -> Array:
        """Return for each wanted configuration the position of its first appearance, -1 if there is none."""
        _same_options((self, wanted))
        first, group = row_groups(np.concatenate([self.indices, wanted.indices]))
        found = first[group[len(self) :]]
        return np.where(found < len(self), found, -1)

    def assignment(self, row: int) -> dict[str, float]:
        """Return one configuration as name → value (0.0 or 1.0 for binary options, NaN if deselected)."""
        pairs = zip(self.system.options, self.indices[row].tolist(), strict=True)
        return {option.name: float(value_table(option)[index]) for option, index in pairs}

    def assignments(self) -> list[dict[str, float | int | None]]:
        """Return each configuration as option → value: whole numbers as integers, None where it is deselected."""
        tables = [
            [None if np.isnan(value) else int(value) if value.is_integer() else value for value in values.tolist()]
            for values in map(value_table, self.system.options)
        ]
        rows = ([table[index] for table, index in zip(tables, row, strict=True)] for row in self.indices.tolist())
        return [dict(zip(self.system.names, values, strict=True)) for values in rows]

    @classmethod
    def concatenate(cls, parts: Sequence[Configurations]) -> Configurations:
        """Return the concatenation of at least one `Configurations` of the same system."""
        _same_options(parts)
        indices = np.concatenate([part.indices for part in parts])
        return cls(parts[0].system, indices, Observed.concatenate([part.observed for part in parts]))

    @classmethod
    def from_columns(cls, system: VariabilityModel, columns: Mapping[str, Any]) -> Configurations:
        """Return the configurations with the given values of options, as `from_frame`; other columns are an error."""
        for name in columns:
            system.option(str(name))
        return cls.from_frame(system, columns)

    @classmethod
    def from_frame(cls, system: VariabilityModel, frame: Any) -> Configurations:
        """Return the configurations in a data frame (pandas, polars, …) or a dict of columns.

        Args:
            system: the system. An inferred one becomes one that has all values in the table; a warning names values
                beyond those it had.
            frame: columns of options, read as those of CSV files; others are left out. NaN or the option's flag means
                deselected. Instead of the children of an alternative group, their parent may have a column of texts.
                Options with one possible value need none. Configurations are returned as they are.

        Raises:
            ConfigurationError: if a column is missing, or a value is not one of the option's values.
            MeasurementError: if it is not a table.
        """
        if isinstance(frame, Configurations):
            return frame
        rows, named, groups = named_columns(system, frame)
        system = with_further_values(system, named, warn=True)
        indices = np.zeros((rows, len(system.options)), dtype=np.int32)
        for at, option in enumerate(system.options):
            if (column := named.get(option.name)) is not None:
                indices[:, at] = _read(system, option, column, groups.get(option.name, ()))
            elif (only := only_index(option, system.mandatory)) is not None:
                indices[:, at] = only
            elif not rows:
                raise ConfigurationError("the table has no rows")
            else:
                children = {child.name for group in groups.values() for child in group}
                stated = [name for name in named if name not in children]
                hint = unknown_name_hint(option.name, stated) if stated else None
                raise ConfigurationError(f"no values for the option {option.name!r}", hint=hint)
        return cls(system, indices)

    def to_columns(self) -> dict[str, Array]:
        """Return option → values, shape (n,): integers where all are whole, NaN where an option is deselected."""
        return {option.name: whole_numbers(self.value(option.name)) for option in self.system.options}

    def within(self, system: VariabilityModel) -> tuple[Configurations, Array]:
        """Return the configurations that another system has, too, and which ones they are, shape (n,), bool."""
        if system.options == self.system.options:
            return self, np.ones(len(self), dtype=bool)
        indices = np.zeros((len(self), len(system.options)), dtype=np.int64)
        for at, option in enumerate(system.options):
            indices[:, at] = value_indices(option, self.value(option.name))
        kept = np.asarray(np.all(indices >= 0, axis=1))
        return Configurations(system, indices[kept]), kept

    def summary(self) -> str:
        """Return the number of configurations, and the system."""
        return f"{plural(len(self), 'configuration', 'configurations')} of {self.system.name}"


def _read(system: VariabilityModel, option: Option, column: Sequence[str], children: Sequence[BinaryOption]) -> Array:
    """Return the value indices of a column of texts; `children`: the group that has it."""
    indices, wrong = option_column(option, column, children=children, empty=system.inferred)
    if children and system.inferred and (unknown := [text for text in wrong if text.strip()]):
        # Such rows have none of the children.
        warn_of_unknown(option.name, unknown)
        distinct, codes = distinct_texts(column)
        indices = np.where(np.array([text in unknown for text in distinct])[codes], 1, indices)
    for row in np.flatnonzero(indices < 0)[:1].tolist():
        raise ConfigurationError(f"row {row}: {wrong[column[row]]}")
    return indices


def _same_options(parts: Sequence[Configurations]) -> None:
    """Raise an error if value indices of the parts have different meanings."""
    first = parts[0].system
    if any(part.system is not first and part.system.options != first.options for part in parts):
        raise ConfigurationError("the configurations belong to systems with different options")


def describe_configuration(configurations: Configurations, row: int) -> str:
    """Return one configuration as text: numeric values, and selected binary options but those that always are."""
    texts = assignment_texts(configurations.system, configurations.assignment(row)).items()
    return ", ".join(text for key, text in texts if key not in configurations.system.mandatory) or "(nothing selected)"


def value_table(option: Option) -> Array:
    """Return the values of an option by index; NaN means deselected."""
    if isinstance(option, BinaryOption):
        return np.array([0.0, 1.0])
    return np.array([*option.values, np.nan] if option.optional else option.values, dtype=float)


def value_indices(option: Option, values: Array) -> Array:
    """Return the indices of values, shape (n,), -1 for values that the option does not have.

    Values match to one part in 10^9; NaN and the option's flag mean "deselected".
    """
    table = np.array([0.0, 1.0]) if isinstance(option, BinaryOption) else np.asarray(option.values)
    with np.errstate(invalid="ignore"):
        right = np.clip(np.searchsorted(table, values), 0, len(table) - 1)
        left = np.maximum(right - 1, 0)
        near = np.where(np.abs(values - table[left]) < np.abs(values - table[right]), left, right)
        close = np.abs(values - table[near]) <= 1e-9 * np.maximum(np.abs(table[near]), 1e-300)
    indices = np.where(close, near, -1)
    if isinstance(option, NumericOption) and option.optional:
        indices = np.where(np.isnan(values) | (values == option.deselected_flag), len(option.values), indices)
    return indices


def value_index(option: Option, value: float) -> int:
    """Return the index of a value; one that the option does not have is an error."""
    if (index := int(value_indices(option, np.array([value]))[0])) < 0:
        raise ConfigurationError(wrong_value(option, value))
    return index


def wrong_value(option: Option, value: float) -> str:
    """Return a message for a value that the option does not have."""
    if np.isnan(value):
        return f"{option.name} has no value"
    if isinstance(option, BinaryOption):
        return f"{option.name} is a binary option and cannot be {value:g}"
    if len(option.values) <= 12:
        return f"{option.name} cannot be {value:g}; its values are {', '.join(f'{v:g}' for v in option.values)}"
    nearest = f"the nearest of its {len(option.values)} values is {option.values[option.nearest(value)]:g}"
    return f"{option.name} cannot be {value:g}; {nearest}"


def option_column(
    option: Option, texts: Sequence[str], decimal: str = ".", children: Sequence[BinaryOption] = (), empty: bool = True
) -> tuple[Array, dict[str, str]]:
    """Return the value indices of a column (-1 for wrong texts), and wrong text → its problem.

    `children`: the members of the group that has this column. `empty`: whether empty cells of zeros and ones are 0.
    """
    distinct, codes = distinct_texts(texts)
    cells = [text.strip().casefold() for text in distinct]
    values = {option.deselected_flag, *option.values} if isinstance(option, NumericOption) else {0.0, 1.0}
    # Beside 6 and 9, `off` is 0 if the option has it, as where options are inferred.
    words = {word: bit for word, bit in TRUTH.items() if bit in values or values <= {0.0, 1.0, None}}
    cells = [str(words.get(text, text)) for text in cells]
    if empty and isinstance(option, BinaryOption) and not {"0", "1"}.isdisjoint(cells):
        # Tables of versions before the option have no value of it, and some rows of options that depend on others.
        cells = ["0" if text in NOT_USED else text for text in cells]
    numbers = parse_column(cells, decimal)
    indices = value_indices(option, numbers)
    deselects, unit = frozenset[str](), None
    if isinstance(option, NumericOption):
        deselects = NOT_USED if option.optional else deselects
        unlisted = set(numbers[(indices < 0) & ~np.isnan(numbers)].tolist())
        unit = unit_problem(option.name, option.values, sorted(unlisted))
    wrong = {}
    for at, (cell, text) in enumerate(zip(distinct, cells, strict=True)):
        if np.isnan(numbers[at]) and text not in deselects:
            indices[at] = -1
            reason = not_a_number(text, decimal)
            fault = reason if "too large" in reason else "is not one of its values"
            wrong[cell] = f"{option.name}: {cell.strip()!r} {fault}" if cell.strip() else f"{option.name} has no value"
        elif indices[at] < 0:
            wrong[cell] = unit or wrong_value(option, float(numbers[at]))
        if children and cell in wrong and cell.strip():
            wrong[cell] = wrong_child(option.name, children, cell.strip())
    return indices.astype(np.int32)[codes], wrong


def unlisted_values(option: Option, numbers: Array) -> tuple[float, ...]:
    """Return the finite numbers that are not values of an option, ascending."""
    distinct = np.unique(numbers[np.isfinite(numbers)])
    return tuple(distinct[value_indices(option, distinct) < 0].tolist())


def further_values(system: VariabilityModel, columns: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Return option → the numbers in its column that are not among its values, of options that can have others.

    `columns`: option → an array of numbers, a list of texts, or one value.
    """
    options, found = {option.name: option for option in open_options(system)}, {}
    for name, column in columns.items():
        if (option := options.get(system.spellings.get(name, ""))) is None or isinstance(column, str):
            continue
        numbers = parse_column(column) if isinstance(column, Sequence) else np.array(column, dtype=float, ndmin=1)
        if further := unlisted_values(option, numbers):
            found[option.name] = further
    return found


def with_further_values(system: VariabilityModel, table: Mapping[str, Any], *, warn: bool = False) -> VariabilityModel:
    """Return an inferred system with the further values in columns; a warning is about those beyond the known ones."""
    further = further_values(system, table) if system.inferred else {}
    used = extended(system, further) if further else system
    if warn and (remark := beyond_remark(system, used)):
        warnings.warn(remark, stacklevel=7)
    return used


def beyond_remark(known: VariabilityModel, used: VariabilityModel) -> str:
    """Return a remark on the values of options in use that are beyond the known ones, empty if there are none."""
    texts = []
    for option in known.options if used is not known else ():
        low, high = np.nanquantile(value_table(option), (0, 1))
        if beyond := [f"{value:g}" for value in value_table(used.option(option.name)) if value < low or value > high]:
            texts.append(f"{option.name} = {listed(beyond, 6)}, beyond the known {low:g} to {high:g}")
    return f"predictions are extrapolated: {listed(texts)}" if texts else ""


def fixed_indices(system: VariabilityModel, values: Mapping[str, Any]) -> dict[str, int]:
    """Return option → value index of values: numbers, None (deselected), the text of a child for its parent."""
    indices = {}
    for name, value in values.items():
        option = system.option(str(name))
        if not isinstance(value, str):
            indices[option.name] = value_index(option, np.nan if value is None else float(value))
        elif (children := system.child_groups.get(option.name)) is None:
            raise ConfigurationError(f"{option.name} cannot be {value!r}", hint="its values are numbers")
        elif (child := child_texts(option.name, children).get(value.strip())) is None:
            raise ConfigurationError(wrong_child(option.name, children, value))
        else:
            indices[child] = 1
    return indices
