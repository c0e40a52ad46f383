"""A test for changed influences between two versions: permutations of the differences of paired measurements.

The common factor is tested by Student's t, influences by the largest studentised correlation of the differences with an
option's column against permutations of the differences. Each has half of the level, so that both together give at most
about `LEVEL` false alarms. The first step of the permutation test is exact for exchangeable noise of any distribution
and any number of options; after each change that is found, its effect is subtracted and the test is repeated
(Westfall & Young, Resampling-Based Multiple Testing, 1993, section 2.6; residuals are permuted as by Freedman & Lane,
The Statistician 32, 1983).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from splc.io.numbers import power_of_two
from splc.models.basis.regression import OrthogonalFit, Regression, sign_probability, t_quantile
from splc.types import Array

# The probability of a false alarm, and the level of intervals.
LEVEL = 0.05
INTERVAL = 0.95
PERMUTATIONS = 999
_LARGE = 1e100  # squares of larger values of options may leave the range of numbers
MIN_PAIRS = 6  # with fewer pairs, too few permutations differ
# The probability of finding a change that is stated as detectable, and its quantile of the normal distribution.
POWER, POWER_QUANTILE = 0.75, 0.674
EQUAL = 1 - 1e-9  # columns with a correlation above this cannot be distinguished


@dataclass(frozen=True)
class ChangedInfluence:
    """An influence that changed."""

    options: tuple[str, ...]  # the option, or the two of an interaction
    alternatives: tuple[tuple[str, ...], ...]  # sets of options with equal columns in these pairs: it may be of these
    factor: float  # after relative to before, at the option's greatest value relative to its least
    low: float  # the lower end of the 95 % interval of the factor
    high: float  # the upper end
    probability: float  # the probability of a correlation that large without a change, by permutations
    relevant: bool  # whether the interval excludes all changes that are smaller than the stated size


@dataclass(frozen=True)
class ChangeByValues:
    """The change of configurations with certain values of options, the other options as in all pairs."""

    values: tuple[tuple[str, float], ...]  # option → value, the least or the greatest
    factor: float  # after the change relative to before
    low: float  # the lower end of the 95 % interval of the factor
    high: float  # the upper end


@dataclass(frozen=True)
class ChangeTest:
    """The result of a test for change."""

    pairs: int  # the number of configurations that were measured before and after
    factor: float  # the common factor, after relative to before
    low: float  # the lower end of its 95 % interval
    high: float  # the upper end
    probability: float  # the probability of a factor that far from 1 without a change, by Student's t
    factor_changed: bool  # whether the common factor changed, by more than the stated size
    influences: tuple[ChangedInfluence, ...]  # the influences that changed, those found first are first
    deviation: float  # the standard deviation of the logarithms of the ratios around what is stated
    detectable: float | None  # the factor above 1 that such pairs find in three of four cases; None without options
    by_values: tuple[ChangeByValues, ...]  # with the values of each influence that changed, the greatest factor first

    @property
    def changed(self) -> bool:
        """True if the common factor or an influence changed."""
        return self.factor_changed or any(influence.relevant for influence in self.influences)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A centred column of length 1, which differs from the others."""

    names: tuple[tuple[str, ...], ...]  # the sets of options that have it; the first one is stated
    column: Array  # shape (n,)
    span: float  # the difference between its greatest and its least value
    probability: float = 1.0  # the probability of a correlation as large as that of the differences without a change


def change_test(
    columns: Mapping[str, Array], before: Array, after: Array, *, at_least: float = 0.0, seed: int = 0
) -> ChangeTest:
    """Test whether a common factor or influences of options changed between paired measurements.

    `columns`: option → its values at the pairs, shape (n,); positive numbers of more than two values count as their
    logarithms. `before`: positive values before the change, shape (n,). `after`: positive values after it, shape (n,).
    """
    if len(before) < MIN_PAIRS or not (np.all(before > 0) and np.all(after > 0)):
        raise ValueError(f"at least {MIN_PAIRS} pairs of positive values are needed")
    ratios = np.log(after) - np.log(before)
    count = len(ratios)
    generator = np.random.default_rng(seed)
    orders = np.array([generator.permutation(count) for _ in range(PERMUTATIONS)])
    options = {name: option_column(values) for name, values in columns.items()}
    single = _candidates({(name,): values for name, values in options.items()})
    terms, quantile = _search(single, ratios, orders, [])
    # Only interactions of selected options, so that few columns are compared.
    first = {term.names[0][0] for term in terms}
    selected = [name for name in options if name in first]
    centred = {name: values - values.mean() for name, values in options.items()}
    products = {(first, second): centred[first] * centred[second] for first, second in combinations(selected, 2)}
    terms, _ = _search(_candidates(products), ratios, orders, terms)
    fit = Regression.of(np.column_stack([np.ones(count), *(term.column for term in terms)]), ratios)
    reach = t_quantile(fit.freedom, (1 + INTERVAL) / 2) if fit.freedom else math.inf
    lows, highs = fit.coefficients - reach * fit.errors, fit.coefficients + reach * fit.errors
    (mean, low, high), *ends = zip(fit.coefficients.tolist(), lows.tolist(), highs.tolist(), strict=True)
    influences = []
    for term, (value, *reaches) in zip(terms, ends, strict=True):
        # The coefficient is that of a column of length 1.
        lower, upper = (each * term.span for each in reaches)
        factors = _exp(value * term.span), _exp(lower), _exp(upper)
        relevant = _beyond(lower, upper, at_least)
        influences.append(ChangedInfluence(term.names[0], term.names[1:], *factors, term.probability, relevant))
    by_values = [each for term in terms for each in _value_changes(term.names[0], terms, columns, fit, reach)]
    by_values.sort(key=lambda each: -each.factor)
    probability = 2 * (1 - sign_probability(mean, float(fit.errors[0]), fit.freedom)) if mean else 1.0
    changed = probability <= LEVEL / 2 and _beyond(low, high, at_least)
    detectable = _detectable(single, quantile, fit.deviation)
    common = count, _exp(mean), _exp(low), _exp(high), probability, changed
    return ChangeTest(*common, tuple(influences), fit.deviation, detectable, tuple(by_values))


def _value_changes(
    names: Sequence[str], terms: Sequence[_Candidate], columns: Mapping[str, Array], fit: Regression, reach: float
) -> Iterator[ChangeByValues]:
    """Yield the changes with the least and the greatest values of options, as far as there are such pairs."""
    extremes = [dict.fromkeys((float(np.nanmin(columns[name])), float(np.nanmax(columns[name])))) for name in names]
    for values in product(*extremes):
        rows = np.all([columns[name] == value for name, value in zip(names, values, strict=True)], axis=0)
        if not rows.any():
            continue
        # Columns are centred: those of other options are 0 on the mean.
        own = [term.column[rows].mean() if {*term.names[0]} <= {*names} else 0.0 for term in terms]
        weights = np.array([1.0, *own])
        change, error = float(weights @ fit.coefficients), reach * float(fit.errors_of(weights))
        ends = _exp(change), _exp(change - error), _exp(change + error)
        yield ChangeByValues(tuple(zip(names, values, strict=True)), *ends)


def detectable_change(columns: Mapping[str, Array], noise: float) -> float | None:
    """Return the change of an influence, a factor above 1, that these pairs find in three of four cases."""
    count = len(next(iter(columns.values()), ()))
    if count < MIN_PAIRS:
        return None
    single = _candidates({(name,): option_column(values) for name, values in columns.items()})
    generator = np.random.default_rng(0)
    orders = np.array([generator.permutation(count) for _ in range(PERMUTATIONS)])
    _, quantile = _search(single, generator.normal(size=count), orders, [])
    return _detectable(single, quantile, math.sqrt(2) * noise)


def _detectable(single: Sequence[_Candidate], quantile: float, deviation: float) -> float | None:
    """Return the detectable change of one influence; None if no option varies."""
    if not single:
        return None
    return _exp((quantile + POWER_QUANTILE) * deviation * float(np.median([each.span for each in single])))


def option_column(values: Array) -> Array:
    """Return an option's values, or the logarithms of more than two positive ones, in a unit whose sums are numbers."""
    if (unit := power_of_two(np.nan_to_num(values))) > _LARGE:
        values = values / unit
    filled = np.where(np.isnan(values), np.nanmean(values) if not np.isnan(values).all() else 0.0, values)
    return np.log(filled) if filled.min() > 0 and len(np.unique(filled)) > 2 else filled


def _candidates(columns: Mapping[Any, Array]) -> list[_Candidate]:
    """Return the columns that vary, equal ones once with the names of all."""
    candidates: list[_Candidate] = []
    for name, values in columns.items():
        column = values - values.mean()
        length = float(np.linalg.norm(column))
        if length <= 1e-12 * max(1.0, float(np.abs(values).max())):
            continue
        column = column / length
        same = (at for at, other in enumerate(candidates) if abs(float(other.column @ column)) > EQUAL)
        if (first := next(same, None)) is not None:
            candidates[first] = replace(candidates[first], names=(*candidates[first].names, name))
        else:
            candidates.append(_Candidate((name,), column, float(np.ptp(column))))
    return candidates


def _search(
    candidates: Sequence[_Candidate], ratios: Array, orders: Array, terms: Sequence[_Candidate]
) -> tuple[list[_Candidate], float]:
    """Add columns while the largest studentised correlation is above those of permutations, shape (permutations, n)."""
    steps = list(terms)
    count, open_columns = len(ratios), np.ones(len(candidates), dtype=bool)
    quantile = t_quantile(max(1, count - 2), 1 - LEVEL / 4)
    fit = OrthogonalFit(ratios)
    for column in (np.ones(count), *(term.column for term in steps)):
        fit.add(column)
    while open_columns.any():
        residual, freedom = fit.residual, count - len(fit.basis) - 1
        if freedom < 2:
            break
        # The part of a column that the selected columns explain does not count for it.
        columns = fit.outside(np.array([candidates[at].column for at in np.flatnonzero(open_columns).tolist()]))
        lengths = np.linalg.norm(columns, axis=1)
        usable = lengths > 1e-6
        if not usable.any() or np.linalg.norm(residual) <= 1e-12 * max(1.0, float(np.abs(ratios).max())):
            break
        columns = columns[usable] / lengths[usable, None]
        permuted = fit.outside(residual[orders])
        scale = np.linalg.norm(permuted, axis=1)
        largest = np.abs(permuted @ columns.T).max(axis=1) / np.where(scale > 0, scale, 1.0)
        correlations = np.abs(columns @ residual) / np.linalg.norm(residual)
        best = int(correlations.argmax())
        limit = min(float(np.quantile(largest, 1 - LEVEL / 2)), 1 - 1e-12)
        if len(steps) == len(terms):
            quantile = limit * math.sqrt(freedom / (1 - limit**2))
        probability = (1 + int((largest >= correlations[best] - 1e-12).sum())) / (len(orders) + 1)
        if probability > LEVEL / 2:
            break
        index = int(np.flatnonzero(open_columns)[usable][best])
        open_columns[index] = False
        fit.add(candidates[index].column)
        steps.append(replace(candidates[index], probability=probability))
    return steps, quantile


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))


def _beyond(low: float, high: float, at_least: float) -> bool:
    """Return whether an interval of a logarithm excludes all factors within `at_least` of 1."""
    down = math.log1p(-at_least) if at_least < 1 else -math.inf
    return low > math.log1p(at_least) or high < down
