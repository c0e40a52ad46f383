"""A summary of measurements: ranges, repetitions, their scatter, and a drift over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.run_pattern import RunPattern, run_pattern, scatter_of
from splc.types import Array

# A drift is reported if chance explains it with at most this probability.
SIGNIFICANCE = 0.001


@dataclass(frozen=True)
class Drift:
    """A trend of the repetitions of a configuration in the order of the file."""

    rising: float  # the share of pairs of unequal repetitions of which the later one has the greater value
    # the median relative change from the first to the last repetition of a configuration; NaN if the first ones are 0
    change: float
    probability: float  # the probability of such a trend by chance (two-sided)

    @property
    def significant(self) -> bool:
        """True if the trend is unlikely to be chance."""
        return self.probability <= SIGNIFICANCE


@dataclass(frozen=True)
class PropertySummary:
    """The values of a property."""

    name: str  # the property
    minimum: float  # the least value, NaN without any value
    maximum: float  # the greatest value, NaN without any value
    configurations: int  # the number of configurations that have a value
    values: int  # the number of values
    least_repetitions: int  # the least number of values of a configuration that has one
    most_repetitions: int  # the greatest number of values of a configuration
    # the median of the relative standard deviations of the repetitions of one configuration (a fraction), None without
    # repetitions
    scatter: float | None
    drift: Drift | None  # the trend of repetitions, None if there are none that differ
    unit: str | None = None  # its unit, None if it is not known
    pattern: RunPattern | None = None  # what moves the runs of configurations together, None if nothing is found


@dataclass(frozen=True)
class Summary:
    """A summary of measurements."""

    configurations: int  # the number of distinct configurations
    rows: int  # the number of rows that the reader used
    properties: tuple[PropertySummary, ...]  # the properties, in the order of the file


def summary_of(parts: Sequence[Measurements]) -> Summary:
    """Return the summary of measurements of one system; repetitions are compared within each part only."""
    configurations = Configurations.concatenate([part.configurations for part in parts])
    names = dict.fromkeys(name for part in parts for name in part.properties)
    rows = sum(part.report.rows - len(part.report.invalid) for part in parts)
    return Summary(len(configurations.groups()[0]), rows, tuple(_property(name, parts) for name in names))


def _property(name: str, parts: Sequence[Measurements]) -> PropertySummary:
    tables = [part.values[name] for part in parts if name in part.values]
    known = np.concatenate([table[~np.isnan(table)] for table in tables])
    counts = np.concatenate([(~np.isnan(table)).sum(axis=1) for table in tables])
    measured = counts[counts > 0]
    return PropertySummary(
        name,
        float(known.min()) if len(known) else math.nan,
        float(known.max()) if len(known) else math.nan,
        _distinct(name, parts),
        len(known),
        int(measured.min()) if len(measured) else 0,
        int(measured.max()) if len(measured) else 0,
        scatter_of(tables),
        drift_of(tables),
        parts[0].unit(name),
        run_pattern(parts, name),
    )


def _distinct(name: str, parts: Sequence[Measurements]) -> int:
    """Return the number of distinct configurations that have a value of a property."""
    measured = [part.configurations[~np.isnan(part.values[name]).all(axis=1)] for part in parts if name in part.values]
    return len(Configurations.concatenate(measured).groups()[0])


def drift_of(tables: Sequence[Array]) -> Drift | None:
    """Return the trend along the rows of tables, by Mann and Kendall's test with each row as a stratum.

    Rows are independent of each other, so that differences between configurations have no effect.

    `tables`: values, shape (configurations, repetitions), in the order of the file, NaN where there is none.
    """
    score = pairs = variance = 0.0
    changes = []
    for table in tables:
        known = ~np.isnan(table)
        repeated = known.sum(axis=1) > 1
        values, known = table[repeated], known[repeated]
        if not len(values):
            continue
        ties = np.ones(values.shape)
        for slot in range(values.shape[1]):
            later = np.sign(values[:, slot + 1 :] - values[:, [slot]])
            score += float(np.nansum(later))
            pairs += float(np.nansum(np.abs(later)))
            same = later == 0
            ties[:, slot] += same.sum(axis=1)
            ties[:, slot + 1 :] += same
        count = known.sum(axis=1).astype(float)
        variance += float((count * (count - 1) * (2 * count + 5)).sum()) / 18
        variance -= float(np.where(known, (ties - 1) * (2 * ties + 5), 0).sum()) / 18
        rows = np.arange(len(values))
        first = values[rows, known.argmax(axis=1)]
        last = values[rows, known.shape[1] - 1 - known[:, ::-1].argmax(axis=1)]
        with np.errstate(over="ignore"):
            changes.append((last - first)[first != 0] / np.abs(first[first != 0]))
    if variance <= 0:
        return None
    # The score takes whole numbers, two apart.
    deviations = max(abs(score) - 1, 0) / math.sqrt(variance)
    change = np.concatenate(changes)
    return Drift(
        (pairs + score) / (2 * pairs),
        float(np.median(change)) if len(change) else math.nan,
        math.erfc(deviations / math.sqrt(2)),
    )
