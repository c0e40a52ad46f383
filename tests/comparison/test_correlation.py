"""Correlation of measures with the error rate over pairs of models."""

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

from comparison.correlation import Correlation, correlations, pair_correlations, with_interval
from comparison.result import SemanticComparison
from comparison.semantic import compare_values
from tests.support.golden_messages import check_calls, check_messages, shown

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
    assert correlation.low is not None
    assert correlation.high is not None
    return correlation.low, correlation.high


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
