"""Statistical comparison of groups."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import statistics
from comparison.statistics import a12, compare_groups
from tests.support.examples import examples

VALUES = st.lists(st.integers(0, 9).map(float), min_size=2, max_size=12)
GROUPS = st.dictionaries(st.text("abc", min_size=1), VALUES, min_size=2, max_size=4)


def ranks_of(values: list[float]) -> list[float]:
    """Return mid-ranks, by counting."""
    return [sum(other < v for other in values) + (sum(other == v for other in values) + 1) / 2 for v in values]


@given(VALUES, VALUES)
@examples(30)
def test_a12_counts_pairs(first: list[float], second: list[float]) -> None:
    """A12 is the part of pairs in which the first value is larger, ties counting half."""
    wins = [(x > y) + (x == y) / 2 for x in first for y in second]
    assert a12(first, second) == pytest.approx(np.mean(wins))
    assert a12(first, second) + a12(second, first) == pytest.approx(1)


@given(GROUPS)
@examples(15)
def test_kruskal_wallis_and_dunn(groups: dict[str, list[float]]) -> None:
    """The statistic of Kruskal and Wallis and Holm's p-values of Dunn's z are those of the textbook."""
    found = compare_groups(groups)
    assert found is not None
    every = [value for values in groups.values() for value in values]
    n, ranks = len(every), ranks_of(every)
    ends = list(itertools.accumulate((len(values) for values in groups.values()), initial=0))
    means = [float(np.mean(ranks[a:b])) for a, b in itertools.pairwise(ends)]
    ties = sum(every.count(value) ** 3 - every.count(value) for value in set(every))
    if len(set(every)) == 1:
        # Groups whose values are all equal do not differ.
        assert (found.statistic, found.p_value) == (0, 1)
        assert all(pair.p_value == 1 for pair in found.pairs)
        return
    sizes = [len(values) for values in groups.values()]
    h = 12 / (n * (n + 1)) * sum(s * (m - (n + 1) / 2) ** 2 for s, m in zip(sizes, means, strict=True))
    assert found.statistic == pytest.approx(h / (1 - ties / (n**3 - n)))
    variance = n * (n + 1) / 12 - ties / (12 * (n - 1))
    raw = []
    for i, j in itertools.combinations(range(len(groups)), 2):
        z = abs(means[i] - means[j]) / math.sqrt(variance * (1 / sizes[i] + 1 / sizes[j]))
        raw.append(math.erfc(z / math.sqrt(2)))
    holm, largest = [0.0] * len(raw), 0.0
    for place, at in enumerate(sorted(range(len(raw)), key=lambda at: raw[at])):
        largest = max(largest, min(1.0, raw[at] * (len(raw) - place)))
        holm[at] = largest
    assert [pair.p_value for pair in found.pairs] == pytest.approx(holm, abs=1e-12)
    names = list(groups)
    assert [(pair.first, pair.second) for pair in found.pairs] == list(itertools.combinations(names, 2))
    assert found.medians == {name: float(np.median(values)) for name, values in groups.items()}


@pytest.mark.slow
@given(groups=GROUPS.filter(lambda groups: len({value for values in groups.values() for value in values}) > 1))
@examples(15)
def test_dunn_agrees_with_scikit_posthocs(groups: dict[str, list[float]]) -> None:
    """The p-values of all pairs are those of scikit-posthocs."""
    from scikit_posthocs import posthoc_dunn

    table = posthoc_dunn(list(groups.values()), p_adjust="holm").to_numpy()
    found = compare_groups(groups)
    assert found is not None
    assert [pair.p_value for pair in found.pairs] == pytest.approx(table[np.triu_indices(len(groups), 1)], abs=1e-12)


def test_known_values() -> None:
    """H of a published example (Zar, flies in three layers of vegetation) is 8.72, p 0.013."""
    layers = {
        "herbs": [14, 12.1, 9.6, 8.2, 10.2],
        "shrubs": [8.4, 5.1, 5.5, 6.6, 6.3],
        "trees": [6.9, 7.3, 5.8, 4.1, 5.4],
    }
    found = compare_groups(layers)
    assert found is not None
    assert found.statistic == pytest.approx(8.72, abs=0.005)
    assert found.p_value == pytest.approx(0.0128, abs=0.0005)
    assert [pair.magnitude for pair in found.pairs] == ["large", "large", "small"]


def test_few_values_and_magnitudes() -> None:
    """Smaller groups than two values are left out, and effects have the words of Vargha and Delaney."""
    assert compare_groups({}) is compare_groups({"a": [1, 2], "b": [3]}) is None
    found = compare_groups({"a": [1, 2], "b": [3], "c": [4, 5]})
    assert found is not None
    assert dict(found.sizes) == {"a": 2, "c": 2}
    for value, word in ((0.5, "negligible"), (0.57, "small"), (0.35, "medium"), (0.72, "large")):
        assert [statistics.PairTest("a", "b", 0.5, each).magnitude for each in (value, 1 - value)] == [word, word]
