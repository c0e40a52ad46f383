"""Statistics of comparisons: tests of groups and pairs, and correlations."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from comparison import statistics
from comparison.result import SemanticComparison
from comparison.semantic import compare_values
from comparison.statistics import Correlation, a12, compare_groups, correlations, pair_correlations, with_interval
from tests.support.examples import examples
from tests.support.golden_messages import check_calls, check_messages, shown
from tests.support.objects import present

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
    found = present(compare_groups(groups))
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
    found = present(compare_groups(groups))
    assert [pair.p_value for pair in found.pairs] == pytest.approx(table[np.triu_indices(len(groups), 1)], abs=1e-12)


def test_known_values() -> None:
    """H of a published example (Zar, flies in three layers of vegetation) is 8.72, p 0.013."""
    layers = {
        "herbs": [14, 12.1, 9.6, 8.2, 10.2],
        "shrubs": [8.4, 5.1, 5.5, 6.6, 6.3],
        "trees": [6.9, 7.3, 5.8, 4.1, 5.4],
    }
    found = present(compare_groups(layers))
    assert found.statistic == pytest.approx(8.72, abs=0.005)
    assert found.p_value == pytest.approx(0.0128, abs=0.0005)
    assert [pair.magnitude for pair in found.pairs] == ["large", "large", "small"]


def test_few_values_and_magnitudes() -> None:
    """Smaller groups than two values are left out, and effects have the words of Vargha and Delaney."""
    assert compare_groups({}) is compare_groups({"a": [1, 2], "b": [3]}) is None
    found = present(compare_groups({"a": [1, 2], "b": [3], "c": [4, 5]}))
    assert dict(found.sizes) == {"a": 2, "c": 2}
    for value, word in ((0.5, "negligible"), (0.57, "small"), (0.35, "medium"), (0.72, "large")):
        assert [statistics.PairTest("a", "b", 0.5, each).magnitude for each in (value, 1 - value)] == [word, word]


# Few distinct values, so that there are ties; very large and very small ones, whose squares overflow or underflow.
values = st.lists(
    st.tuples(*[st.sampled_from([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 1e-300, 1e300])] * 2), min_size=3, max_size=12
)


def compared(columns: Mapping[str, Sequence[float | None]]) -> list[SemanticComparison]:
    """Return comparisons with these values."""
    return [
        SemanticComparison(5, dict(zip(columns, row, strict=True)), {}) for row in zip(*columns.values(), strict=True)
    ]


def only(found: tuple[Correlation, ...]) -> Correlation:
    """Return the only correlation."""
    (correlation,) = found
    return correlation


def interval(correlation: Correlation) -> tuple[float, float]:
    """Return the ends of the interval, which must be there."""
    return present(correlation.low), present(correlation.high)


@given(values)
def test_coefficients_are_scipys(rows: list[tuple[float, float]]) -> None:
    """The rank correlations are SciPy's; a constant measure, or error rate, has no correlation."""
    x, y = map(list, zip(*rows, strict=True))
    found = only(correlations(compared({"error_rate": y, "m": x}), resamples=0))
    assert found.pairs == len(rows)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found == Correlation("m", len(rows), reason="no correlation: one is always the same")
        return
    assert found.spearman == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.kendall == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found.pearson is not None
    assert -1 <= found.pearson <= 1
    if max(map(abs, x + y)) < 10 and 1e-300 not in x + y:
        assert found.pearson == pytest.approx(np.corrcoef(x, y)[0, 1])


@given(values, st.integers(0, 99), st.sampled_from([1e-3, 7.0]))
def test_units_and_sign(rows: list[tuple[float, float]], seed: int, unit: float) -> None:
    """Another unit changes no rank correlation and no interval; the opposite measure has the opposite ones."""
    x, y = map(list, zip(*rows, strict=True))
    columns = {"error_rate": y, "m": x, "unit": [unit * v for v in x], "opposite": [-v for v in x]}
    plain, unit_changed, opposite = correlations(compared(columns), seed=seed, resamples=40)
    assert astuple(plain)[3:] == astuple(unit_changed)[3:]
    if plain.spearman is not None and plain.low is not None and plain.high is not None:
        ends = (-plain.spearman, -(plain.kendall or 0), -plain.high, -plain.low)
        assert astuple(opposite)[3:7] == pytest.approx(ends)
        assert plain.low <= plain.high


def quality_pairs(models: int, seed: int, noise: float) -> tuple[list[SemanticComparison], list[tuple[int, int]]]:
    """Return all pairs of models with a noisy measure, the noise belonging to the models."""
    rng = np.random.default_rng(seed)
    quality, other = rng.normal(size=(2, models))
    pairs = list(itertools.combinations(range(models), 2))
    rate = [abs(quality[i] - quality[j]) for i, j in pairs]
    measure = [-abs(quality[i] + noise * other[i] - quality[j] - noise * other[j]) for i, j in pairs]
    return compared({"error_rate": rate, "jaccard": measure}), pairs


def test_shared_models_widen_the_interval() -> None:
    """If each model is in many pairs, the interval is wider than if the pairs were independent, and holds -0.5."""
    comparisons, pairs = quality_pairs(25, 1, 1.0)
    dependent = only(correlations(comparisons, pairs=pairs, resamples=400))
    independent = only(correlations(comparisons, resamples=400))
    assert dependent.spearman == independent.spearman
    (low, high), (own_low, own_high) = interval(dependent), interval(independent)
    assert low < -0.5 < high
    assert high - low > 1.3 * (own_high - own_low)


def test_coverage_of_the_interval() -> None:
    """Of the intervals of many small studies, most hold the correlation of a study of many models."""
    truth = only(correlations(quality_pairs(120, 0, 1.0)[0], resamples=0)).spearman
    held = 0
    for seed in range(40):
        comparisons, pairs = quality_pairs(20, seed + 1, 1.0)
        low, high = interval(only(correlations(comparisons, pairs=pairs, level=0.9, resamples=200)))
        held += low <= (truth or 0) <= high
    assert held >= 0.75 * 40


def correlated(against: str = "error_rate", resamples: int = 0, **columns: Sequence[float | None]) -> list[str]:
    """Return each correlation of measures with the one that is first, or of pairs that share no model."""
    pairs = [(k, k + 10) for k in range(len(columns["error_rate"]))] if resamples == 1 else None
    return shortly(correlations(compared(columns), against, resamples=resamples, pairs=pairs))


def shortly(found: Iterable[Correlation]) -> list[str]:
    """Return correlations as text: measure, pairs, Spearman's coefficient, whether there is an interval, the reason."""
    return [
        f"{c.measure} {c.pairs} {shown(c.spearman)} {c.low is not None} {c.high is not None} {c.reason}" for c in found
    ]


def of_models(models: int, noise: float = 1.0, resamples: int = 100) -> list[str]:
    """Return the correlation of all pairs of models."""
    comparisons, pairs = quality_pairs(models, 2, noise)
    return shortly(correlations(comparisons, pairs=pairs, resamples=resamples))


def some_drawn(defined: int) -> list[str]:
    """Return the interval of 100 resamples, of which some have a correlation."""
    drawn = np.full(100, math.nan)
    drawn[:defined] = np.linspace(-0.5, 0.5, defined)
    return shortly([with_interval(Correlation("m", 8, 0.0, 0.1, 0.1), drawn, 0.9)])


def powers() -> list[SemanticComparison]:
    """Return comparisons with mean powers."""
    return [SemanticComparison(5, {"error_rate": e, "cosine": -e}, {"1": e, "2": e * e}) for e in (1.0, 2.0, 4.0)]


def test_reasons() -> None:
    """Names, undefined values, and the reasons why there is no interval are those of the golden file."""
    step = np.finfo(float).eps
    calls = (correlated, correlations, shortly, of_models, some_drawn, powers)
    check_calls("correlations-without-intervals", *calls, steps=[1, 1 + step, 1 + 2 * step, 1 + 3 * step])


def test_wrong_arguments() -> None:
    """Wrong arguments are refused with what to do."""
    comparisons = compared({"error_rate": [1.0, 2.0, 3.0], "m": [1.0, 2.0, 3.0]})
    check_messages("correlations", lambda text: correlations(comparisons, **json.loads(text)))


@pytest.mark.parametrize("weights", [None, np.array([1.0, 0.0, 5.0, 2.0])])
def test_pairs_of_models(weights: np.ndarray | None) -> None:
    """Every two models are compared once, the earlier one first, with the weights of the configurations."""
    values = [np.array(row) for row in ((1.0, 2.0, 3.0, 4.0), (2.0, 2.0, 9.0, 1.0), (5.0, 1.0, 1.0, 7.0), (3.0,) * 4)]
    keys = ("error_rate", "jaccard", "cosine")
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    each = [compare_values(values[i], values[j], keys=keys, weights=weights) for i, j in pairs]
    told: list[int] = []
    found = pair_correlations(values, keys, weights=weights, seed=3, on_pair=told.append)
    assert told == [1, 2, 3, 4, 5, 6]
    assert found == correlations(each, pairs=pairs, seed=3)
    assert found[0].pairs == 6
    assert (found == pair_correlations(values, keys, seed=3)) == (weights is None)
