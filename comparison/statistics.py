"""Statistics of comparisons: tests of groups of results, and the correlation of measures over many pairs of models.

Groups are for example the errors of several sampling strategies. Kruskal-Wallis asks whether any group differs from the
others, Dunn's test which pairs do, and Vargha and Delaney's A12 how much: the probability that a value of the first
group is larger than one of the second, ties counting half. The correlation of the measures with the error rate is
research question 5 of the thesis.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from comparison.measures import DEFAULT_KEYS, ranks
from comparison.result import SemanticComparison
from comparison.semantic import compare_values
from splc.errors import SpecError, plural, unknown_name_hint
from splc.types import Array

MAGNITUDES = ((0.06, "negligible"), (0.14, "small"), (0.21, "medium"))  # Vargha and Delaney (2000), of |A12 - 0.5|


@dataclass(frozen=True)
class PairTest:
    """Two groups compared."""

    first: str  # the name of the first group
    second: str  # the name of the second group
    p_value: float  # the p-value of Dunn's test, corrected for the number of pairs (Holm)
    a12: float  # the probability that a value of the first group is larger, ties counting half

    @property
    def magnitude(self) -> str:
        """The size of the effect in words."""
        return next((word for bound, word in MAGNITUDES if abs(self.a12 - 0.5) < bound), "large")


@dataclass(frozen=True)
class GroupTest:
    """Several groups compared."""

    sizes: Mapping[str, int]  # group → number of its values
    medians: Mapping[str, float]  # group → median of its values
    statistic: float  # the statistic H of Kruskal and Wallis, corrected for ties
    p_value: float  # its p-value
    pairs: tuple[PairTest, ...]  # every two groups compared
    correction: str = "holm"  # the correction of the pairs' p-values


def compare_groups(groups: Mapping[str, Sequence[float]]) -> GroupTest | None:
    """Compare groups of results, name → finite values, of those with at least two values; None if these are too few.

    Examples:
        >>> comparison.compare_groups({"a": [1, 2, 3, 4], "b": [7, 8, 9, 10]}).p_value < 0.05
        True
    """
    samples = {name: np.asarray(values, dtype=float) for name, values in groups.items() if len(values) >= 2}
    if len(samples) < 2:
        return None
    # If all values are equal, the statistic is 0/0: nothing differs.
    statistic, p_value = 0.0, 1.0
    if np.ptp(np.concatenate(list(samples.values()))) > 0:
        from scipy.stats import kruskal

        test = kruskal(*samples.values())
        statistic, p_value = float(test.statistic), float(test.pvalue)
    tested = zip(itertools.combinations(samples, 2), _dunn(samples), strict=True)
    pairs = (PairTest(*names, float(p), a12(*(samples[name] for name in names))) for names, p in tested)
    sizes = {name: len(values) for name, values in samples.items()}
    medians = {name: float(np.median(values)) for name, values in samples.items()}
    return GroupTest(sizes, medians, statistic, p_value, tuple(pairs))


def a12(first: Sequence[float] | Array, second: Sequence[float] | Array) -> float:
    """Return the probability that a value of the first group is larger than one of the second, ties counting half."""
    own = ranks(np.concatenate([first, second]), None)[: len(first)]
    return float((own.sum() - len(first) ** 2 / 2) / (len(first) * len(second)))


def _dunn(groups: Mapping[str, Array]) -> Array:
    """Return the p-values of all pairs of groups with Holm's correction, and Dunn's (1964) variance for ties."""
    from scipy.special import erfc

    sizes = np.array([len(values) for values in groups.values()])
    placed, n = ranks(np.concatenate(list(groups.values())), None), sizes.sum()
    means = np.add.reduceat(placed, np.cumsum(sizes) - sizes) / sizes
    ties = np.unique(placed, return_counts=True)[1]
    variance = n * (n + 1) / 12 - (ties**3 - ties).sum() / (12 * (n - 1))
    first, second = np.triu_indices(len(sizes), 1)
    if len(ties) == 1:
        return np.ones(len(first))
    z = np.abs(means[first] - means[second]) / np.sqrt(variance * (1 / sizes[first] + 1 / sizes[second]))
    # Twice the upper tail of the normal distribution.
    p = erfc(z / np.sqrt(2))
    order = np.argsort(p)
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return np.asarray(p)


FEWEST = 3
# Fewer models (or comparisons, where these are drawn) have hardly any resamples: with 4 models, intervals at the level
# 0.95 cover the correlation of a population in as few as 65 % of the cases, with 5 and more in at least 90 %.
MIN_DRAWN = 5
_ENOUGH = 0.1  # resamples without a defined coefficient are left out; an interval needs at least this part of them
_SAME = 1e-9  # smaller differences of coefficients are rounding
_BLOCK = 500_000  # numbers that are worked on at once (resamples × pairs)


@dataclass(frozen=True)
class Correlation:
    """The correlation of one measure with another (the error rate) over pairs of models.

    All is None where fewer than three pairs have both values, or either is the same for all pairs. The sign is not
    changed: a similarity that agrees with the error rate has a negative correlation with it.
    """

    measure: str  # the key of the measure
    pairs: int  # the number of pairs with a value of both
    pearson: float | None = None  # the linear correlation, in [-1, 1]
    spearman: float | None = None  # Spearman's rank correlation, in [-1, 1]
    kendall: float | None = None  # Kendall's tau-b, in [-1, 1]
    low: float | None = None  # the lower end of the interval of Spearman's correlation; None: the bootstrap gives none
    high: float | None = None  # its upper end
    reason: str = ""  # why there is no correlation, or no interval although one is requested; empty where there is one


def correlations(
    comparisons: Sequence[SemanticComparison],
    against: str = "error_rate",
    *,
    pairs: Sequence[tuple[int, int]] | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> tuple[Correlation, ...]:
    """Return the correlation of every measure with one of them, in the order in which the comparisons hold them.

    The interval is the percentile interval of a bootstrap. Comparisons that share a model are not independent, so the
    models are drawn where `pairs` names them: a pair (i, j) counts (times i was drawn) × (times j was drawn), as in the
    vertex bootstrap of Snijders and Borgatti ("Non-parametric standard errors and tests for network statistics",
    Connections 22(2), 1999, section 3), but for copies of one model, which make no pair. Without `pairs` the
    comparisons are drawn, whose intervals are too narrow if they share models.

    Fewer than five models, or resamples that all agree, would suggest a certainty that does not exist: the result has a
    reason instead of an interval.
    """
    if not comparisons:
        return ()
    # Measure → its values, NaN where one is undefined.
    rows = [{**one.values, **{f"mean_power{p}": value for p, value in one.mean_power.items()}} for one in comparisons]
    keys = dict.fromkeys(key for row in rows for key in row)
    values: dict[str, Array] = {key: np.array([row.get(key) for row in rows], dtype=float) for key in keys}
    if against not in values:
        raise SpecError(f"unknown measure {against!r}", hint=unknown_name_hint(against, list(values)))
    target = values.pop(against)
    points = [_coefficients(key, column, target) for key, column in values.items()]
    if not resamples:
        return tuple(points)
    models = np.arange(len(comparisons))[:, np.newaxis] if pairs is None else np.asarray(pairs)
    words = ("comparison", "comparisons") if pairs is None else ("model", "models")
    judged: dict[str, Array] = {}
    for position, point in enumerate(points):
        column = values[point.measure]
        count = len(np.unique(models[np.isfinite(column) & np.isfinite(target)]))
        if point.spearman is not None and count < MIN_DRAWN:
            reason = f"no interval from {plural(count, *words)}, {MIN_DRAWN} at least are needed"
            points[position] = replace(point, reason=reason)
        elif point.spearman is not None:
            judged[point.measure] = column
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(comparisons))
    sizes = [min(block, resamples - start) for start in range(0, resamples, block)]
    blocks = [resampled(judged, target, models, size, rng) for size in sizes]
    drawn = {key: np.concatenate([part[key] for part in blocks]) for key in judged}
    return tuple(with_interval(point, drawn.get(point.measure), level) for point in points)


def pair_correlations(
    values: Sequence[Array],
    keys: Sequence[str] = DEFAULT_KEYS,
    against: str = "error_rate",
    *,
    weights: Array | None = None,
    seed: int = 0,
    on_pair: Callable[[int], None] | None = None,
) -> tuple[Correlation, ...]:
    """Compare every two of several models, the one given before being the first, and return `correlations`."""
    pairs = list(itertools.combinations(range(len(values)), 2))
    comparisons = []
    for i, j in pairs:
        comparisons.append(compare_values(values[i], values[j], keys=keys, weights=weights))
        if on_pair is not None:
            on_pair(len(comparisons))
    return correlations(comparisons, against, pairs=pairs, seed=seed)


def _coefficients(measure: str, x: Array, y: Array) -> Correlation:
    from scipy import stats

    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < FEWEST or x.min() == x.max() or y.min() == y.max():
        few = f"no correlation of {plural(len(x), 'pair', 'pairs')}, {FEWEST} at least are needed"
        return Correlation(measure, len(x), reason=few if len(x) < FEWEST else "no correlation: one is always the same")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        # Squares of huge values would be infinite, those of tiny ones 0; the unit does not matter.
        pearson = float(stats.pearsonr(x / np.abs(x).max(), y / np.abs(y).max()).statistic)
    spearman, kendall = float(stats.spearmanr(x, y).statistic), float(stats.kendalltau(x, y).statistic)
    return Correlation(measure, len(x), pearson if math.isfinite(pearson) else None, spearman, kendall)


def with_interval(point: Correlation, drawn: Array | None, level: float) -> Correlation:
    """Return the correlation with the percentile interval of resamples, shape (resamples,), NaN where undefined."""
    if drawn is None:
        return point
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or len(defined) < _ENOUGH * len(drawn):
        return replace(point, reason="no interval: hardly any resample has a correlation")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    if high - low < _SAME:
        return replace(point, reason="no interval: nearly all resamples have the same correlation")
    return replace(point, low=float(low), high=float(high))


def resampled(
    columns: Mapping[str, Array], target: Array, models: Array, count: int, rng: np.random.Generator
) -> dict[str, Array]:
    """Return Spearman's rank correlation of each column with the target in resamples of `models`, NaN if undefined."""
    names, numbers = np.unique(models, return_inverse=True)
    one, other = numbers.reshape(models.shape)[:, [0, -1]].T
    drawn = rng.integers(len(names), size=(count, len(names))) + len(names) * np.arange(count)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=count * len(names)).reshape(count, -1).astype(float)
    # How often each comparison is in each resample.
    weights = np.where(one == other, times[:, one], times[:, one] * times[:, other])
    result = {}
    for key, column in columns.items():
        both = np.isfinite(column) & np.isfinite(target)
        used = np.ascontiguousarray(weights[:, both])
        total = np.maximum(used.sum(axis=1, keepdims=True), 1)
        x, y = (ranks(each[both], used) for each in (column, target))
        # Sums of ranks are exact: less their weighted mean, ranks are exactly 0 where all are the same.
        x, y = (each - np.einsum("ij,ij->i", used, each)[:, np.newaxis] / total for each in (x, y))
        lengths = np.einsum("ij,ij,ij->i", used, x, x) * np.einsum("ij,ij,ij->i", used, y, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = np.einsum("ij,ij,ij->i", used, x, y) / np.sqrt(lengths)
        result[key] = np.where(lengths > 0, np.clip(cosine, -1, 1), math.nan)
    return result
