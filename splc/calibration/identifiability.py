"""Identifiability of parameters: intervals, and groups of parameters that measurements cannot tell apart."""

from __future__ import annotations

import math

import numpy as np

from splc.calibration.result import Confounded, DeterminedCombination
from splc.calibration.search import Dependence, Misfit, column_lengths, dependence
from splc.models.basis.regression import t_quantile
from splc.types import Array

_SAME = 1e-8  # weighted predictions that differ by less than this, relative to the measurements, count as the same


def findings(
    misfit: Misfit, at: Array, level: float
) -> tuple[Array, tuple[int, ...], tuple[Confounded, ...], int, float]:
    """Return what is known about the parameters at the best point, with intervals of a level in (0, 1).

    These are half the lengths of the intervals before bounds cut them, shape (k,), NaN where there is none; the
    positions of parameters without an effect; the groups that cannot be told apart; the degrees of freedom left; and
    the standard deviation of the weighted residuals.

    Intervals are those of linear regression, s^2 (J'J)^-1 with quantiles of Student's t, J being the derivatives of
    the weighted predictions: exact for linear models with normal residuals, an approximation for others. J has the
    columns of all parameters: without those of parameters at a bound, which is not the true value, the intervals of the
    others would cover far less than the stated level. (They cover from 0.947 to 1 at the level 0.95, in simulations of
    2 and 3 parameters with correlations up to 0.999.)
    """
    residuals, slopes = misfit(at)
    known = dependence(slopes)
    degrees = len(residuals) - len(known.basis)
    deviation = float(column_lengths(residuals[:, np.newaxis])[0]) / math.sqrt(degrees)
    quantile = t_quantile(degrees, (1 + level) / 2)
    basis = list(known.basis)
    lengths = known.lengths[basis]
    half = np.linalg.inv(np.linalg.qr(slopes[:, basis] / lengths, mode="r"))
    covariance = half @ half.T
    widths = np.full(len(at), np.nan)
    # The width of a parameter without partners, or else of the combination that it represents.
    spread = quantile * deviation * np.sqrt(np.diag(covariance)) / lengths
    alone = ~(known.coefficients != 0).any(axis=1)
    widths[basis] = np.where(alone, spread, np.nan)
    return widths, known.zero, _confounded(misfit, at, known, spread), degrees, deviation


def _confounded(misfit: Misfit, at: Array, known: Dependence, spread: Array) -> tuple[Confounded, ...]:
    """Return the groups of parameters that cannot be told apart, with the combinations that are determined."""
    free = misfit.predictions.free
    groups: list[tuple[set[int], set[int]]] = []
    for column in range(len(known.dependent)):
        rows, columns = set(np.flatnonzero(known.coefficients[:, column]).tolist()), {column}
        for other in [group for group in groups if group[0] & rows]:
            groups.remove(other)
            rows, columns = rows | other[0], columns | other[1]
        groups.append((rows, columns))
    confounded: list[Confounded] = []
    units, values, lengths = [parameter.unit for parameter in free], at.tolist(), known.lengths.tolist()
    for rows, columns in groups:
        basis = [known.basis[row] for row in sorted(rows)]
        dependent = [known.dependent[column] for column in sorted(columns)]
        members = sorted(basis + dependent)
        # column of the other = sum of (rate * column of the basis), in the parameters' units
        rates = {
            (i, j): float(known.coefficients[row, column]) * lengths[j] / lengths[i]
            for row, i in zip(sorted(rows), basis, strict=True)
            for column, j in zip(sorted(columns), dependent, strict=True)
        }
        widths = {i: float(spread[row]) for row, i in zip(sorted(rows), basis, strict=True)}
        numbers = rates if all(_same(misfit, at, basis, j, rates, False) for j in dependent) else {}
        is_sum = bool(numbers)
        if not is_sum and (at[members] > 0).all():
            powers = {(i, j): rate * values[j] / values[i] for (i, j), rate in rates.items()}
            powers |= {key: float(round(p)) for key, p in powers.items() if abs(p - round(p)) < 1e-6}
            numbers = powers if all(_same(misfit, at, basis, j, powers, True) for j in dependent) else {}
        combinations: list[DeterminedCombination] = []
        for i in basis if numbers else ():
            parts = [(i, 1.0), *((j, numbers[i, j]) for j in dependent if numbers[i, j] != 0)]
            if is_sum:
                value = sum(rate * values[index] for index, rate in parts) * units[i]
                wide = widths[i] * units[i]
                named = tuple((free[index].name, rate * units[i] / units[index]) for index, rate in parts)
                ends = [sorted((rate * misfit.low[index], rate * misfit.high[index])) for index, rate in parts]
                low, high = (units[i] * sum(end[side] for end in ends) for side in (0, 1))
                low, high = max(value - wide, min(low, value)), min(value + wide, max(high, value))
            else:
                value = math.prod((values[index] * units[index]) ** power for index, power in parts)
                wide = math.exp(min(widths[i] / values[i], 700.0))
                named = tuple((free[index].name, power) for index, power in parts)
                low, high = value / wide, value * wide
            combinations.append(DeterminedCombination("sum" if is_sum else "product", named, value, low, high))
        confounded.append(Confounded(tuple(free[index].name for index in members), tuple(combinations)))
    return tuple(confounded)


def _same(
    misfit: Misfit, at: Array, basis: list[int], other: int, rates: dict[tuple[int, int], float], product: bool
) -> bool:
    """Return whether predictions stay the same if one parameter is larger and others compensate by sums or factors."""
    step = np.zeros(len(at))
    step[other] = 1.0 if product else 0.5 * (abs(at[other]) or 1.0)
    step[basis] = [-rates[i, other] * step[other] for i in basis]
    with np.errstate(over="ignore"):
        moved = at * np.exp2(step) if product else at + step
    if not np.isfinite(moved).all():
        return False
    before, after = misfit(at)[0], misfit(moved)[0]
    size = np.abs(misfit.aim).max(initial=0.0)
    return bool(np.isfinite(after).all() and (np.abs(before - after) <= _SAME * size).all())
