"""Measurements: configurations with the values of their non-functional properties, repetitions kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from splc.data.configurations import Configurations, describe_configuration
from splc.errors import MeasurementError, unknown_name_hint
from splc.lazy import renamed_attribute
from splc.system.variability import VariabilityModel
from splc.types import Aggregate, Array

AGGREGATES: tuple[Aggregate, ...] = ("mean", "median", "min")


@dataclass(frozen=True)
class ReadingReport:
    """The source of measurements, and the rows and values that their reader left out.

    Attributes:
        source: the file.
        sha256: the hash of its (uncompressed) content.
        rows: the number of rows in the file.
        invalid: (line, reason) of each row that was dropped because its configuration is unknown or invalid.
        duplicates: lines of rows whose configuration was measured in an earlier row.
        missing: property → number of values that are missing or cannot be read.
        deviation: the largest measurement deviation in percent that the file states, None if it states none.
        notes: other remarks for the user.
    """

    source: str | None = None
    sha256: str | None = None
    rows: int = 0
    invalid: tuple[tuple[int, str], ...] = ()
    duplicates: tuple[int, ...] = ()
    missing: Mapping[str, int] = field(default_factory=dict)
    deviation: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Measurements:
    """Distinct configurations with the values of their non-functional properties, repetitions kept.

    `measurements[nfp]` is the aggregated value per configuration, shape (n,), and `measurements[rows]` a subset (a
    slice, positions, or a mask). Values have the unit of the file; units are not stored.

    Args:
        configurations: n distinct configurations.
        values: property → values, floats of shape (n, repetitions) or (n,), NaN where a repetition is missing; stored
            read-only.
        aggregate: the aggregation of repetitions, 'mean', 'median' or 'min'.
        report: the source, and what its reader left out.
        contexts: context (version, workload, machine) → its value, the same for all configurations.

    Raises:
        MeasurementError: if shapes do not match, the aggregate is unknown, or a configuration is a duplicate.
    """

    configurations: Configurations
    values: Mapping[str, Array]
    aggregate: Aggregate = "mean"
    report: ReadingReport = ReadingReport()
    contexts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise MeasurementError(
                f"unknown aggregate {self.aggregate!r}", hint=unknown_name_hint(self.aggregate, AGGREGATES)
            )
        kept = {}
        for name, values in self.values.items():
            array = np.array(values, dtype=float)
            if array.ndim == 1:
                array = array[:, np.newaxis]
            if array.ndim != 2 or len(array) != len(self.configurations):
                raise MeasurementError(
                    f"{name}: {len(self.configurations)} configurations, but values of shape {array.shape}"
                )
            array.setflags(write=False)
            kept[name] = array
        object.__setattr__(self, "values", kept)
        if len(np.unique(self.configurations.keys)) != len(self.configurations):
            raise MeasurementError("duplicate configuration; repetitions of a configuration must be in one row")

    @property
    def system(self) -> VariabilityModel:
        """The system that was measured."""
        return self.configurations.system

    if not TYPE_CHECKING:
        model = renamed_attribute("model", "system")

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the non-functional properties."""
        return tuple(self.values)

    def __len__(self) -> int:
        """Return the number of measured configurations."""
        return len(self.configurations)

    def repetitions(self, nfp: str) -> Array:
        """Return all values of a property, shape (n, repetitions), NaN where one is missing.

        Raises:
            MeasurementError: if the property was not measured.
        """
        if nfp not in self.values:
            hint = unknown_name_hint(nfp, list(self.values))
            raise MeasurementError(f"the property {nfp!r} was not measured", hint=hint)
        return self.values[nfp]

    def column(self, nfp: str) -> Array:
        """Return the value used per configuration, shape (n,): the aggregate of its repetitions, NaN where none is.

        Raises:
            MeasurementError: if there is no such property, or an aggregate is infinite.
        """
        values = self.repetitions(nfp)
        result = np.full(len(values), np.nan)
        known = ~np.isnan(values).all(axis=1)
        functions: dict[str, Callable[..., Array]] = {"mean": np.nanmean, "median": np.nanmedian, "min": np.nanmin}
        if known.any():
            with np.errstate(over="ignore"):
                result[known] = functions[self.aggregate](values[known], axis=1)
        if np.isinf(result).any():
            name = describe_configuration(self.configurations, int(np.argmax(np.isinf(result))))
            raise MeasurementError(f"{nfp}: the values of {name} are too large", hint="give them in a larger unit")
        return result

    def measured(self, nfp: str) -> Measurements:
        """Return the configurations that have a value of this property."""
        return self[~np.isnan(self.column(nfp))]

    @overload
    def __getitem__(self, key: str) -> Array: ...

    @overload
    def __getitem__(self, key: Array | slice | list[int]) -> Measurements: ...

    def __getitem__(self, key: str | Array | slice | list[int]) -> Array | Measurements:
        """Return the aggregated values of a property (`ms["nfp"]`, shape (n,)), or a subset (`ms[rows]`)."""
        if isinstance(key, str):
            return self.column(key)
        rows = np.arange(len(self))[key].reshape(-1)
        values = {name: own[rows] for name, own in self.values.items()}
        return Measurements(self.configurations[key], values, self.aggregate, self.report, self.contexts)

    def the_nfp(self, nfp: str | None = None) -> str:
        """Return `nfp`, or the only property if it is None.

        Raises:
            MeasurementError: if `nfp` was not measured, or is None and there are several properties.
        """
        if nfp is not None:
            self.repetitions(nfp)
            return nfp
        if len(self.values) == 1:
            return next(iter(self.values))
        if not self.values:
            raise MeasurementError("the measurements have no property")
        raise MeasurementError(
            f"there are several properties: {', '.join(self.values)}", hint="choose one with --property"
        )
