"""What measurements say about parameters: intervals, and which parameters they cannot tell apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from splc.calibration.linear import Dependence, column_lengths, dependence
from splc.calibration.result import Combination, Confounded
from splc.calibration.searching import Misfit
from splc.configurations import Array

# How much the weighted predictions may change, relative to the measurements, and still count as the same.
_SAME = 1e-8


@dataclass(frozen=True)
class Findings:
    """What is known about k parameters, in their units.

    Attributes:
        half_widths: half the lengths of their intervals, shape (k,), NaN where there is none.
        at_low: whether each lies at its lower bound.
        at_high: whether each lies at its upper bound.
        without_effect: positions of parameters that change nothing.
        confounded: groups that cannot be told apart, by positions, with what is determined of them.
        degrees: degrees of freedom left.
        deviation: standard deviation of the weighted residuals.
    """

    half_widths: Array
    at_low: Array
    at_high: Array
    without_effect: tuple[int, ...]
    confounded: tuple[Confounded, ...]
    degrees: int
    deviation: float


def findings(misfit: Misfit, at: Array, level: float) -> Findings:
    """Return intervals and dependences at the best point.

    Intervals are those of linear regression, s^2 (J'J)^-1 with quantiles of Student's t, J being the derivatives of
    the weighted predictions: exact for linear models with normal residuals, an approximation for others. Parameters
    at a bound towards which the measurements push them are taken for given.

    Args:
        misfit: what was made small.
        at: where it is least.
        level: the level of the intervals, in (0, 1).
    """
    from scipy.special import stdtrit

    residuals, slopes = misfit(at)
    size = float(column_lengths((misfit.measured * misfit.weights)[:, np.newaxis])[0]) or 1.0
    at_low, at_high = at == misfit.low, at == misfit.high
    lengths = column_lengths(slopes)
    # How the misfit would fall if a parameter grew.
    pull = -(slopes / np.where(lengths > 0, lengths, 1.0)).T @ (residuals / size)
    pushed = (at_low & (pull < -1e-10)) | (at_high & (pull > 1e-10))
    inner = np.flatnonzero(~pushed)
    known = dependence(slopes[:, inner])
    degrees = len(residuals) - len(known.basis)
    deviation = float(column_lengths(residuals[:, np.newaxis])[0]) / math.sqrt(degrees)
    quantile = float(stdtrit(degrees, (1 + level) / 2))
    basis = list(known.basis)
    lengths = known.lengths[basis]
    covariance = np.zeros((0, 0))
    if basis:
        half = np.linalg.inv(np.linalg.qr(slopes[:, inner[basis]] / lengths, mode="r"))
        covariance = half @ half.T
    widths = np.full(len(at), np.nan)
    # Of a parameter without partners it is its own interval, else that of the combination it stands for.
    spread = quantile * deviation * np.sqrt(np.diag(covariance)) / lengths
    alone = ~(known.coefficients != 0).any(axis=1)
    widths[inner[basis]] = np.where(alone, spread, np.nan)
    widths[at_low | at_high] = np.nan
    return Findings(
        widths,
        at_low,
        at_high,
        tuple(int(inner[place]) for place in known.zero),
        _confounded(misfit, at, inner, known, spread),
        degrees,
        deviation,
    )


def _confounded(misfit: Misfit, at: Array, inner: Array, known: Dependence, spread: Array) -> tuple[Confounded, ...]:
    """Return the groups of parameters that cannot be told apart, and what is determined of each."""
    free = misfit.predictions.free
    groups: list[tuple[set[int], set[int]]] = []
    for column in range(len(known.dependent)):
        rows, columns = set(np.flatnonzero(known.coefficients[:, column]).tolist()), {column}
        for other in [group for group in groups if group[0] & rows]:
            groups.remove(other)
            rows, columns = rows | other[0], columns | other[1]
        groups.append((rows, columns))
    found: list[Confounded] = []
    for rows, columns in groups:
        basis = [int(inner[known.basis[row]]) for row in sorted(rows)]
        others = [int(inner[known.dependent[column]]) for column in sorted(columns)]
        members = sorted(basis + others)
        units = [one.unit for one in free]
        values = at.tolist()
        lengths = dict(zip(inner.tolist(), known.lengths.tolist(), strict=True))
        # column of the other = sum of (rate * column of the basis), in the parameters' units
        rates = {
            (i, j): float(known.coefficients[row, column]) * lengths[j] / lengths[i]
            for row, i in zip(sorted(rows), basis, strict=True)
            for column, j in zip(sorted(columns), others, strict=True)
        }
        widths = {i: float(spread[row]) for row, i in zip(sorted(rows), basis, strict=True)}
        combinations: list[Combination] = []
        if all(_same_sum(misfit, at, basis, j, rates) for j in others):
            for i in basis:
                parts = [(i, 1.0), *((j, rates[i, j]) for j in others if rates[i, j] != 0)]
                value = sum(rate * values[place] for place, rate in parts) * units[i]
                wide = widths[i] * units[i]
                named = tuple((free[place].name, rate * units[i] / units[place]) for place, rate in parts)
                combinations.append(Combination("sum", named, value, value - wide, value + wide))
        elif (at[members] > 0).all():
            powers = {(i, j): _tidy(rate * values[j] / values[i]) for (i, j), rate in rates.items()}
            if all(_same_product(misfit, at, basis, j, powers) for j in others):
                for i in basis:
                    parts = [(i, 1.0), *((j, powers[i, j]) for j in others if powers[i, j] != 0)]
                    value = math.prod((values[place] * units[place]) ** power for place, power in parts)
                    wide = math.exp(min(widths[i] / values[i], 700.0))
                    named = tuple((free[place].name, power) for place, power in parts)
                    combinations.append(Combination("product", named, value, value / wide, value * wide))
        found.append(Confounded(tuple(free[place].name for place in members), tuple(combinations)))
    return tuple(found)


def _tidy(power: float) -> float:
    return float(round(power)) if abs(power - round(power)) < 1e-6 else power


def _same_sum(misfit: Misfit, at: Array, basis: list[int], other: int, rates: dict[tuple[int, int], float]) -> bool:
    """Whether predictions stay the same when one parameter grows and the others make up for it by sums."""
    moved = at.copy()
    step = 0.5 * (abs(at[other]) or 1.0)
    moved[other] += step
    for i in basis:
        moved[i] -= rates[i, other] * step
    return _same(misfit, at, moved)


def _same_product(
    misfit: Misfit, at: Array, basis: list[int], other: int, powers: dict[tuple[int, int], float]
) -> bool:
    """Whether predictions stay the same when one parameter is doubled and the others make up for it by factors."""
    moved = at.copy()
    moved[other] *= 2.0
    for i in basis:
        moved[i] *= 2.0 ** -powers[i, other]
    return _same(misfit, at, moved)


def _same(misfit: Misfit, at: Array, moved: Array) -> bool:
    here, there = misfit(at)[0], misfit(moved)[0]
    size = np.abs(misfit.measured * misfit.weights).max(initial=0.0)
    return bool(np.isfinite(there).all() and (np.abs(here - there) <= _SAME * size).all())
