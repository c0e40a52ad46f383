"""Statistical comparison of groups of results, for example of the errors of several sampling strategies.

Kruskal-Wallis asks whether any group differs from the others, Dunn's test which pairs do, and Vargha and Delaney's A12
how much: the probability that a value of the first group is larger than one of the second, ties counting half.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.types import Array

# The bounds of Vargha and Delaney (2000) on |A12 - 0.5|.
MAGNITUDES = ((0.06, "negligible"), (0.14, "small"), (0.21, "medium"))


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
    pairs = (
        PairTest(first, second, float(p), a12(samples[first], samples[second]))
        for (first, second), p in zip(itertools.combinations(samples, 2), _dunn(samples), strict=True)
    )
    sizes = {name: len(values) for name, values in samples.items()}
    medians = {name: float(np.median(values)) for name, values in samples.items()}
    return GroupTest(sizes, medians, statistic, p_value, tuple(pairs))


def a12(first: Sequence[float] | Array, second: Sequence[float] | Array) -> float:
    """Return the probability that a value of the first group is larger than one of the second, ties counting half."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([first, second]))
    count = len(first)
    return float((ranks[:count].sum() - count * (count + 1) / 2) / (count * len(second)))


def _dunn(groups: Mapping[str, Array]) -> Array:
    """Return the p-values of all pairs of groups with Holm's correction, and Dunn's (1964) variance for ties."""
    from scipy.special import erfc
    from scipy.stats import rankdata

    sizes = np.array([len(values) for values in groups.values()])
    ranks, n = rankdata(np.concatenate(list(groups.values()))), sizes.sum()
    means = np.add.reduceat(ranks, np.cumsum(sizes) - sizes) / sizes
    ties = np.unique(ranks, return_counts=True)[1]
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
