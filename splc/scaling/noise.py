"""Repetitions and noise: their weights, one value per point, the noise that they show, and which kinds are likely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from splc.types import Array

Weighed = TypeVar("Weighed")
Condensation = Literal["robust", "mean", "median", "minimum", "maximum"]
CONDENSATIONS: tuple[str, ...] = ("robust", "mean", "median", "minimum", "maximum")

# The odds that a repetition is an outlier, times the density of outliers relative to that of normal noise at its
# center: a repetition is as likely an outlier as not at 3.9 standard deviations.
_OUTLIER_ODDS = 5e-4
# A repetition counts in full if it is no outlier with at least this probability.
_SURE = 0.9
# The degrees of freedom of a robust standard deviation, per deviation: the efficiency of a median of deviations.
_EFFICIENCY = 0.37
# An even number of normal repetitions has smaller median deviations, by one over 1 + this over the number.
_EVEN = 2.0
# Robust standard deviations are at least this part of the median: counts that repeat exactly have no spread.
_LEAST = 0.0025

# From this relative noise on, partly absolute noise is considered too.
_SUSPICIOUS = 0.03
_FLOORED_SHARE = 0.3
# Noise whose relative size grows with this power of the parameter: messages, collisions and waiting times of more
# processes. It is considered where repetitions do not make it implausible.
_GROWTH = 0.4
_GROWING_SHARE = 0.1
_IMPLAUSIBLE = float(np.log(0.05))
# Values this much smaller than the largest have no relative precision.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Condensed:
    """One value per point."""

    values: Array  # shape (models, n); NaN where nothing was measured
    counts: Array  # the number of measurements of each value, shape (models, n)
    squares: Array  # sum of squared deviations of the repetitions from their value, shape (models, n)
    outliers: Array  # number of repetitions that are more likely outliers than not, shape (models,)

    def __getitem__(self, rows: Array) -> Condensed:
        """Return the values of some models, whose positions ascend."""
        if len(rows) == len(self.values):
            return self
        return Condensed(self.values[rows], self.counts[rows], self.squares[rows], self.outliers[rows])


def condensed(values: Array, how: Condensation, weights: Array | None = None) -> Condensed:
    """Condense repetitions, (models, n, repetitions), to one value per point; `weights`: those of 'robust'."""
    none = np.zeros(len(values), dtype=int)
    if values.shape[2] == 1:
        single = values[:, :, 0]
        return Condensed(single, (~np.isnan(single)).astype(int), np.zeros(single.shape), none)
    known = ~np.isnan(values)
    weights = repetition_weights(values) if weights is None else weights
    far = (known & (weights < 0.5)).sum(axis=(1, 2))
    counts = known.sum(axis=2)
    if how in ("mean", "robust"):
        weights = weights if how == "robust" else known.astype(float)
        total = weights.sum(axis=2)
        # Divided before they are added, which cannot overflow.
        with np.errstate(invalid="ignore", divide="ignore"):
            center = np.where(known, values * (weights / total[:, :, None]), 0.0).sum(axis=2)
            center = np.where(counts > 0, center, np.nan)
            deviations = np.where(known, values - center[:, :, None], 0.0)
        return Condensed(center, np.rint(total).astype(int), np.asarray((weights * deviations**2).sum(axis=2)), far)
    masked = np.ma.masked_array(values, ~known)
    center = {"median": np.ma.median, "minimum": np.ma.min, "maximum": np.ma.max}[how](masked, axis=2)
    filled: Array = np.ma.filled(np.ma.asarray(center, dtype=float), np.nan)
    return Condensed(filled, (counts > 0).astype(int), np.zeros(filled.shape), far)


def repetition_weights(values: Array) -> Array:
    """Return the weights of repetitions in the mean of their point, 0 … 1, shape (models, n, repetitions).

    They are the probabilities that repetitions have normal noise, out of a mixture with few outliers; 0 for NaN.
    Deviations from the median of each point are relative to it and pooled over the points of a quantity, since three
    or four repetitions do not suffice. Points with fewer than three repetitions have no outliers, and neither have
    those where half of the repetitions or more would be outliers, since the right ones are unknown.
    """
    known = ~np.isnan(values)
    counts = known.sum(axis=2)
    ordered = np.sort(values, axis=2)
    middle = np.maximum(counts - 1, 0)
    pick = np.stack([middle // 2, (middle + 1) // 2], axis=2)
    median = np.take_along_axis(ordered, pick, axis=2).mean(axis=2)
    size = np.abs(median)
    with np.errstate(invalid="ignore"):
        largest = np.nanmax(np.where(counts > 0, size, 0.0), axis=1, keepdims=True)
        size = np.maximum(np.where(counts > 0, size, largest), 1e-6 * np.where(largest > 0, largest, 1.0))
        deviations = np.abs(values - median[:, :, None]) / size[:, :, None]
    judged = np.where((counts >= 3)[:, :, None] & known, deviations, np.nan)
    # The middle one of an odd number has no deviation, by definition.
    smallest = np.argsort(judged, axis=2)[:, :, :1]
    odd = (counts % 2 == 1)[:, :, None]
    pooled = judged.copy()
    np.put_along_axis(pooled, smallest, np.where(odd, np.nan, np.take_along_axis(pooled, smallest, axis=2)), axis=2)
    flat = np.sort(pooled.reshape(len(values), -1), axis=1)
    amount = (~np.isnan(flat)).sum(axis=1)
    rows = np.arange(len(values))
    spread = 1.4826 * np.where(amount > 0, flat[rows, np.maximum(amount - 1, 0) // 2], 0.0)
    even = np.where(counts % 2 == 0, 1 + _EVEN / np.maximum(counts, 1), 1.0)
    freedom = np.maximum(_EFFICIENCY * amount, 1.0)[:, None, None]
    with np.errstate(invalid="ignore", over="ignore"):
        apart = judged / np.maximum(even * spread[:, None], _LEAST)[:, :, None]
        # Student's distribution relative to its center: the spread is uncertain.
        rare = np.exp((freedom + 1) / 2 * np.log1p(apart**2 / freedom))
        likely = 1 / (1 + _OUTLIER_ODDS * rare)
    weights = np.where(np.isnan(judged), 1.0, np.minimum(likely / _SURE, 1.0)) * known
    many = 2 * (known & (weights < 0.5)).sum(axis=2) >= counts
    return np.where(many[:, :, None], known.astype(float), weights)


def repetition_noise(measured: Condensed) -> Array:
    """Return the pooled relative standard deviation of repetitions in percent, shape (models,); NaN without any."""
    if measured.counts.max() <= 1:
        return np.full(len(measured.counts), np.nan)
    free = np.maximum(measured.counts - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(free > 0, measured.squares / measured.values**2, 0.0)
        usable = np.isfinite(relative)
        total = np.where(usable, relative, 0.0).sum(axis=1)
        return np.asarray(100 * np.sqrt(total / np.where(usable, free, 0).sum(axis=1)))


def scales(values: Array, floored: bool) -> Array:
    """Return the sizes that noise is relative to, shape (models, n): the values, plus the largest if it is floored."""
    size = np.abs(values)
    if floored:
        size = size + size.max(axis=1, keepdims=True)
    # All values are 0: any scale is fine.
    return np.where(size > 0, size, 1.0)


def growth(x: Array, points: Array) -> Array:
    """Return the size of growing noise at x, relative to its geometric mean at some points."""
    with np.errstate(divide="ignore"):
        return np.asarray((x / np.exp(np.log(points).mean())) ** _GROWTH)


def growing(measured: Condensed, x: Array) -> tuple[Array, Array]:
    """Return the quantities whose repetitions suggest noise that grows with x, and the log prior of that noise.

    `measured`: shape (models, n). `x`: shape (n,).
    """
    if measured.counts.max() <= 1:
        return np.array([], dtype=int), np.array([])
    values = np.abs(measured.values)
    freedom = (measured.counts - 1).sum(axis=1)
    usable = (freedom > 0) & (values.min(axis=1) > _NOTHING * values.max(axis=1)) & (x[0] > 0)
    rows = np.flatnonzero(usable)
    relative = measured.squares[rows] / values[rows] ** 2
    sizes = growth(x, x) if len(rows) else np.ones(len(x))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(relative.sum(axis=1)) - np.log((relative / sizes**2).sum(axis=1))
    sizes_known = ((measured.counts[rows] - 1) * np.log(sizes)).sum(axis=1)
    favour = freedom[rows] / 2 * np.where(np.isfinite(ratio), ratio, 0.0) - sizes_known
    rows = rows[favour + np.log(_GROWING_SHARE) > _IMPLAUSIBLE]
    return rows, np.full(len(rows), np.log(_GROWING_SHARE))


def kinds_of_noise(
    measured: Condensed, weigh: Callable[[Array, bool], Weighed], best: Callable[[Weighed], tuple[Array, Array]]
) -> list[tuple[Weighed, bool, Array, Array]]:
    """Weigh hypotheses under each kind of noise that a batch needs: relative, and partly absolute ("floored").

    `weigh`: (rows of the batch, whether noise is floored) → hypotheses. `best`: hypotheses → sums of squared weighted
    residuals and numbers of coefficients of the best of each row.
    """
    # Noise cannot be relative to values that are not all positive, or nearly 0.
    absolute = measured.values.min(axis=1) <= _NOTHING * np.abs(measured.values.max(axis=1))
    kinds = []
    floored = absolute.copy()
    rows = np.flatnonzero(~absolute)
    if len(rows):
        relative = weigh(rows, False)
        kinds.append((relative, False, rows, np.full(len(rows), np.log(1 - _FLOORED_SHARE))))
        squares, sizes = best(relative)
        free = np.maximum(measured.values.shape[1] - sizes, 1)
        repeated = repetition_noise(measured)[rows] > 100 * _SUSPICIOUS
        floored[rows] = repeated | (np.sqrt(squares / free) > _SUSPICIOUS)
    rows = np.flatnonzero(floored)
    if len(rows):
        kinds.append((weigh(rows, True), True, rows, np.log(np.where(absolute[rows], 1.0, _FLOORED_SHARE))))
    return kinds
