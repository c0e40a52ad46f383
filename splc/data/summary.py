"""Summaries of properties: ranges, repetitions, their scatter, patterns of the runs, and a drift over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, offsets, same_width
from splc.io.numbers import power_of_two
from splc.types import Array

Kind = Literal["first", "trend", "alternate", "position", "groups"]
_TEXTS: dict[Kind, str] = {
    "first": "the first one from all others",
    "trend": "from the first to the last",
    "alternate": "every other one from the rest",
    "position": "those of the same position together",
    "groups": "in two groups",
}

LEAST = 0.02  # a smaller scatter of runs is no cause for a warning
# Runs of the same position move together if the positions explain this share of the differences between the runs of a
# configuration, with this ratio of mean squares (Fisher's F), in so many configurations.
SHARE, RATIO, ROWS = 0.5, 20.0, 5
SHAPE = 0.8  # a shape explains this share of the differences between positions
# Two groups explain this share of the differences between at least so many runs of most configurations. (Of four values
# with normal noise the median is 0.87. One outlier explains all differences of its configuration.)
TWO_GROUPS, RUNS = 0.95, 4


@dataclass(frozen=True)
class RunPattern:
    """A pattern of the runs of all configurations."""

    kind: Kind  # which runs differ from the others
    scatter: float  # see `scatter_of`
    factor: float  # how many times the larger runs are as large as the smaller ones
    block: int | None = None  # rows of a block of the file with one run of each configuration; None: no blocks

    @property
    def text(self) -> str:
        """The pattern in words."""
        blocks = "" if self.block is None else f", in blocks of {self.block:,} rows"
        return f"{_TEXTS[self.kind]}{blocks}, by a factor of {self.factor:.2g}"


def _values_of(parts: Sequence[Measurements], nfp: str) -> Array:
    """Return the values of a property in all parts of a table, a row for each configuration of a part."""
    tables = [part.values[nfp] for part in parts if nfp in part.values]
    return tables[0] if len(tables) == 1 else np.concatenate(same_width([np.zeros((0, 1)), *tables]))


def _repeated(table: Array) -> Array:
    """Return the rows with at least two values."""
    return np.asarray(table[(~np.isnan(table)).sum(axis=1) > 1])


def scatter_of(table: Array) -> float | None:
    """Return the median relative standard deviation of the rows with at least two values."""
    repeated = _repeated(table)
    # Squares of huge values would overflow, those of tiny ones vanish.
    repeated = repeated / power_of_two(np.nan_to_num(repeated))
    means = np.abs(repeated.mean(axis=1, where=~np.isnan(repeated)))
    deviations = np.nanstd(repeated[means > 0], axis=1, ddof=1) / means[means > 0]
    return median(deviations.tolist()) if len(deviations) else None


def run_pattern(parts: Sequence[Measurements], nfp: str) -> RunPattern | None:
    """Return the pattern of the runs of a property in the parts of a table, None if there is none or it is small."""
    table = _values_of(parts, nfp)
    values = _repeated(table)
    sizes = np.abs(values[(np.fmin.reduce(values, axis=1) > 0) | (np.fmax.reduce(values, axis=1) < 0)])
    if len(sizes) < ROWS:
        return None
    # Sums of huge values would overflow.
    sizes /= np.nanmax(sizes, axis=1, keepdims=True)
    apart = sizes / np.nanmean(sizes, axis=1, keepdims=True) - 1
    known = ~np.isnan(apart)
    total = float((apart[known] ** 2).sum())
    rows, count = int(known.any(axis=1).sum()), int(known.sum())
    scatter = scatter_of(table) or 0.0
    if scatter < LEAST or not total:
        return None
    used = known.sum(axis=0)
    positions = np.nansum(apart, axis=0) / np.maximum(used, 1)
    between = float(used @ positions**2)
    freedom = len(used) - 1, count - rows - len(used) + 1
    if between >= SHARE * total and between * freedom[1] > RATIO * (total - between) * freedom[0]:
        places = np.arange(len(positions))
        shapes: dict[Kind, Array] = {"first": places == 0, "alternate": places % 2, "trend": places}
        several = ((each, np.corrcoef(positions, shape)[0, 1]) for each, shape in shapes.items() if len(places) > 2)
        kind: Kind = next((each for each, correlation in several if correlation**2 >= SHAPE), "position")
        in_blocks = len(parts) == 1 and _in_blocks(parts[0])
        factor = float((1 + positions.max()) / (1 + positions.min()))
        return RunPattern(kind, scatter, factor, rows if in_blocks else None)
    many = known.sum(axis=1) >= RUNS
    if many.sum() >= ROWS and float(np.median(_between_two(apart[many]))) >= TWO_GROUPS:
        return RunPattern("groups", scatter, float((1 + apart[apart > 0].mean()) / (1 + apart[apart < 0].mean())))
    return None


def _in_blocks(part: Measurements) -> bool:
    """Return whether every configuration has its run in the file before one has its next run."""
    groups = part.report.groups[np.argsort(part.report.lines, kind="stable")]
    if not len(groups) or groups.max() >= len(part):
        return False
    slots, _ = offsets(groups, np.ones(len(groups), dtype=np.int64), len(part))
    return bool((np.diff(slots) >= 0).all())


def _between_two(apart: Array) -> Array:
    """Return the share of the sum of squares of each row that is between its best two groups, 0 of equal values."""
    ordered = np.sort(apart, axis=1)
    counts = (~np.isnan(ordered)).sum(axis=1)[:, None]
    lower = np.cumsum(np.nan_to_num(ordered), axis=1)
    size = np.arange(1, ordered.shape[1] + 1)[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        # The values of a row add up to 0.
        squares = np.where(size < counts, lower**2 * (1 / size + 1 / (counts - size)), 0.0)
    return np.asarray(squares.max(axis=1) / np.maximum(np.nansum(apart**2, axis=1), np.finfo(float).tiny))


SIGNIFICANCE = 0.001  # a drift is reported if chance explains it with at most this probability


@dataclass(frozen=True)
class Drift:
    """A trend of the repetitions of a configuration in the order of the file."""

    rising: float  # the share of pairs of unequal repetitions of which the later one has the greater value
    change: float  # the median relative change from the first to the last repetition; NaN if the first ones are 0
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
    repetitions: tuple[int, int]  # the least number of values of a configuration that has one, and the greatest one
    scatter: float | None  # the median relative standard deviation of a configuration's repetitions (a fraction)
    drift: Drift | None  # the trend of repetitions, None if there are none that differ
    unit: str | None = None  # its unit, None if it is not known
    pattern: RunPattern | None = None  # what moves the runs of configurations together, None if nothing is found


def property_summaries(parts: Sequence[Measurements]) -> tuple[PropertySummary, ...]:
    """Return the summaries of all properties of one system; repetitions are compared within each part only."""
    summaries = []
    for name in dict.fromkeys(name for part in parts for name in part.properties):
        table = _values_of(parts, name)
        known, counts = table[~np.isnan(table)], (~np.isnan(table)).sum(axis=1)
        every = Configurations.concatenate([part.configurations for part in parts if name in part.values])
        low, high = (float(end(known)) if len(known) else math.nan for end in (np.min, np.max))
        repetitions = int(counts[counts > 0].min(initial=len(known))), int(counts.max(initial=0))
        configurations = len(every[counts > 0].groups()[0])
        about = scatter_of(table), drift_of(table), parts[0].unit(name), run_pattern(parts, name)
        summaries.append(PropertySummary(name, low, high, configurations, len(known), repetitions, *about))
    return tuple(summaries)


def drift_of(table: Array) -> Drift | None:
    """Return the trend along the rows of a table, by Mann and Kendall's test with each row as a stratum.

    Repetitions are in the order of the file; differences between configurations, which are rows, have no effect.
    """
    values = _repeated(table)
    known, rows, ties = ~np.isnan(values), np.arange(len(values)), np.ones(values.shape)
    score = pairs = 0.0
    for slot in range(values.shape[1]):
        later = np.sign(values[:, slot + 1 :] - values[:, [slot]])
        score += float(np.nansum(later))
        pairs += float(np.nansum(np.abs(later)))
        ties[:, slot] += (later == 0).sum(axis=1)
        ties[:, slot + 1 :] += later == 0
    count = known.sum(axis=1).astype(float)
    variance = float((count * (count - 1) * (2 * count + 5)).sum()) / 18
    variance -= float(np.where(known, (ties - 1) * (2 * ties + 5), 0).sum()) / 18
    if variance <= 0:
        return None
    first = values[rows, known.argmax(axis=1)]
    last = values[rows, values.shape[1] - 1 - known[:, ::-1].argmax(axis=1)]
    with np.errstate(over="ignore"):
        change = (last - first)[first != 0] / np.abs(first[first != 0])
    # The score takes whole numbers, two apart.
    deviations = max(abs(score) - 1, 0) / math.sqrt(variance)
    middle = median(change.tolist()) if len(change) else math.nan
    return Drift((pairs + score) / (2 * pairs), middle, math.erfc(deviations / math.sqrt(2)))
