"""Statistical comparison of groups of results, for example of the errors of several sampling strategies.

Kruskal-Wallis asks whether any group differs from the others, Dunn's test which pairs do, and Vargha and Delaney's A12
how much: the probability that a value of the first group is larger than one of the second, ties counting half.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Correction = Literal["holm", "bonferroni", "fdr_bh"]
WITHOUT_DUNN = "Dunn's test needs the extra stats: pip install 'splc[stats]'"
# The bounds of Vargha and Delaney (2000) on |A12 - 0.5|.
MAGNITUDES = ((0.06, "negligible"), (0.14, "small"), (0.21, "medium"))


@dataclass(frozen=True)
class PairTest:
    """Two groups compared.

    Attributes:
        first: the name of the first group.
        second: the name of the second group.
        p_value: the corrected p-value of Dunn's test, None where it is not installed.
        a12: the probability that a value of the first group is larger, ties counting half.
    """

    first: str
    second: str
    p_value: float | None
    a12: float

    @property
    def magnitude(self) -> str:
        """The size of the effect in words."""
        return next((word for bound, word in MAGNITUDES if abs(self.a12 - 0.5) < bound), "large")


@dataclass(frozen=True)
class GroupTest:
    """Several groups compared.

    Attributes:
        sizes: group → number of its values.
        medians: group → median of its values.
        statistic: the statistic H of Kruskal and Wallis, corrected for ties.
        p_value: its p-value.
        correction: the correction of the pairs' p-values.
        pairs: every two groups compared.
    """

    sizes: Mapping[str, int]
    medians: Mapping[str, float]
    statistic: float
    p_value: float
    correction: Correction
    pairs: tuple[PairTest, ...]


def has_dunn() -> bool:
    """Return whether scikit-posthocs is installed (the extra `stats`)."""
    return importlib.util.find_spec("scikit_posthocs") is not None


def compare_groups(groups: Mapping[str, Sequence[float]], correction: Correction = "holm") -> GroupTest | None:
    """Compare groups of results; None if fewer than two groups have at least two values.

    Args:
        groups: name → finite values; groups with a single value are left out.
        correction: the correction of Dunn's p-values for the number of pairs: Holm, Bonferroni, or the false discovery
            rate of Benjamini and Hochberg.
    """
    from scipy import stats

    samples = {name: np.asarray(values, dtype=float) for name, values in groups.items() if len(values) >= 2}
    if len(samples) < 2:
        return None
    # If all values are equal, the statistic is 0/0: nothing differs.
    statistic, p_value = 0.0, 1.0
    if np.ptp(np.concatenate(list(samples.values()))) > 0:
        kruskal = stats.kruskal(*samples.values())
        statistic, p_value = float(kruskal.statistic), float(kruskal.pvalue)
    p_values = _dunn(samples, correction)
    pairs = (
        PairTest(first, second, p_values.get((first, second)), a12(samples[first], samples[second]))
        for first, second in itertools.combinations(samples, 2)
    )
    return GroupTest(
        {name: len(values) for name, values in samples.items()},
        {name: float(np.median(values)) for name, values in samples.items()},
        statistic,
        p_value,
        correction,
        tuple(pairs),
    )


def a12(first: Sequence[float] | np.ndarray[Any, Any], second: Sequence[float] | np.ndarray[Any, Any]) -> float:
    """Return the probability that a value of the first group is larger than one of the second, ties counting half."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([first, second]))
    count = len(first)
    return float((ranks[:count].sum() - count * (count + 1) / 2) / (count * len(second)))


def _dunn(groups: Mapping[str, Any], correction: Correction) -> dict[tuple[str, str], float]:
    """Return pair of groups → corrected p-value; empty if Dunn's test is not installed."""
    if not has_dunn():
        return {}
    pairs = list(itertools.combinations(groups, 2))
    if np.ptp(np.concatenate(list(groups.values()))) == 0:
        return dict.fromkeys(pairs, 1.0)
    from scikit_posthocs import posthoc_dunn

    names = list(groups)
    table = posthoc_dunn([groups[name] for name in names], p_adjust=correction).to_numpy()
    return {(a, b): float(table[names.index(a), names.index(b)]) for a, b in pairs}
