"""Measures between predictions: laws that hold for each, and values by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance
from sklearn import metrics

from comparison.measures import DEFAULT_KEYS, MEASURES, Measure, mean_power, measure, median, ranks, ratio, similarity
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import check_calls, check_messages


@dataclass(frozen=True)
class Laws:
    """The laws of a measure m for any a, b and c, wherever it is defined."""

    identity: float = 0.0  # m(a, a)
    bounds: tuple[float, float] = (0.0, math.inf)  # the closed interval that m(a, b) lies in
    symmetric: bool = True  # m(a, b) = m(b, a)
    separates: bool = True  # only equal vectors have m(a, b) = m(a, a) (where all weights are positive)
    # D(a, c) ≤ D(a, b) + D(b, c), with the dissimilarity D(a, b) = |m(a, b) - m(a, a)|: the measure itself, or 1 - it
    # for a similarity
    triangle: bool = True


_METRIC = Laws()
_LIMITED = Laws(bounds=(0.0, 1.0))
_NO_TRIANGLE = Laws(triangle=False)
_DISSIMILARITY = Laws(bounds=(0.0, 1.0), triangle=False)
_SMAPE = Laws(bounds=(0.0, 200.0))
# Relative errors leave out references of 0: vectors that differ only there have no error.
_ERROR = Laws(symmetric=False, separates=False, triangle=False)
_FULL_ERROR = replace(_ERROR, separates=True)
_R2 = Laws(1.0, (-math.inf, 1.0), symmetric=False, triangle=False)
# The cosine of proportional vectors is 1, as is the correlation of linearly dependent ones.
_ANGLE = Laws(1.0, (-1.0, 1.0), separates=False, triangle=False)
_PRODUCT = Laws(1.0, (-1.0, 1.0), triangle=False)
_KUMAR = replace(_PRODUCT, bounds=(-1 / 3, 1.0))
_JACCARD = Laws(1.0, (-math.inf, 1.0), triangle=False)
# Of positive values 1 - Jaccard is a metric.
_POSITIVE_JACCARD = Laws(1.0, (0.0, 1.0))
_POSITIVE_ANGLE, _POSITIVE_PRODUCT = (replace(laws, bounds=(0.0, 1.0)) for laws in (_ANGLE, _PRODUCT))
# Those for any values and those for positive ones; Minkowski distances, of any order, are metrics.
_LAWS = {
    "manhattan euclidean chebyshev mae rmse canberra": (_METRIC, _METRIC),
    "error_rate error_rate_reversed max_relative_error": (_ERROR, _FULL_ERROR),
    "median_relative_error": (_ERROR, _ERROR),
    "smape": (_SMAPE, _SMAPE),
    "r2": (_R2, _R2),
    "pearson spearman": (_ANGLE, _ANGLE),
    "cosine": (_ANGLE, _POSITIVE_ANGLE),
    "dice": (_PRODUCT, _POSITIVE_PRODUCT),
    "kumar_hassebrook": (_KUMAR, _POSITIVE_PRODUCT),
    "jaccard": (_JACCARD, _POSITIVE_JACCARD),
    "soergel": (_NO_TRIANGLE, _LIMITED),
    "braycurtis": (_NO_TRIANGLE, _DISSIMILARITY),
}
# Every row k times gives k^growth times the value: 0 for means, so that values over different numbers of configurations
# can be compared.
_GROWTH = {"manhattan": 1.0, "euclidean": 1 / 2, "canberra": 1.0}


def laws_of(measure: Measure, *, positive: bool) -> Laws:
    """Return the laws of a measure."""
    if measure.key.startswith("minkowski"):
        return _METRIC
    return next(laws for keys, laws in _LAWS.items() if measure.key in keys.split())[positive]


def growth_of(measure: Measure) -> float:
    """Return the power of the number of times that every row is repeated by which the measure grows."""
    order = measure.key.removeprefix("minkowski")
    return 1 / float(order) if order != measure.key else _GROWTH.get(measure.key, 0.0)


ALL = [*MEASURES.values(), measure("minkowski4"), measure("minkowski2.5"), measure("minkowski40")]
every = pytest.mark.parametrize("tested", ALL, ids=lambda tested: tested.key)
# Each is run for every measure.
few = examples(16)

# Whole and tied values on purpose, and such with many digits. Tiny ones are tested below: others' code fails on them.
anything = st.one_of(st.integers(-9, 9).map(float), st.floats(-1e3, 1e3).map(lambda value: round(value, 6)))
positive = st.one_of(st.integers(1, 9).map(float), st.floats(1e-3, 1e3))


def vectors(count: int, values: st.SearchStrategy[float] = anything, most: int = 8) -> st.SearchStrategy[Array]:
    """Return so many vectors of one length, shape (count, n)."""
    return st.integers(1, most).flatmap(
        lambda n: st.lists(st.lists(values, min_size=n, max_size=n), min_size=count, max_size=count).map(np.array)
    )


def near(value: float, other: float) -> bool:
    """Return whether two values differ by rounding only; undefined ones are the same."""
    return (math.isnan(value) and math.isnan(other)) or math.isclose(value, other, rel_tol=1e-7, abs_tol=1e-7)


def well_conditioned(tested: Measure, rows: Array) -> bool:
    """Return whether no sum cancels out: else rounding decides about the value, and laws hold only without rounding.

    Denominators that cancel are sums of maxima (Jaccard, Soergel), of |a + b| (Bray-Curtis) and spreads.
    """
    if tested.key in {"jaccard", "soergel"}:
        return all(abs(np.maximum(a, b).sum()) > 1e-6 * np.abs([a, b]).sum() for a in rows for b in rows)
    if tested.key == "braycurtis":
        return all(np.abs(a + b).sum() > 1e-6 * np.abs([a, b]).sum() for a in rows for b in rows)
    if tested.key in {"r2", "pearson"}:
        return bool((np.ptp(rows, axis=1) > 1e-3 * np.abs(rows).max(axis=1)).all())
    return True


class TestLaws:
    @every
    @pytest.mark.parametrize("is_positive", [False, True])
    def test_bounds_are_reached(self, tested: Measure, is_positive: bool) -> None:
        """Values come as near to bounds as one wants."""
        ends = [1e-9, 1.0, 1e9] if is_positive else [-1e9, -1.0, 0.0, 1.0001]
        # Long vectors, as a Canberra distance is at most the length.
        rows = [np.tile(row, 600) for row in itertools.product(ends, repeat=2)]
        values = np.array([tested(a, b) for a in rows for b in rows])
        lower, upper = laws_of(tested, positive=is_positive).bounds
        for bound, reached in ((lower, np.nanmin(values)), (upper, np.nanmax(values))):
            assert abs(reached) > 1e3 if math.isinf(bound) else reached == pytest.approx(bound, abs=1e-6)

    @every
    @few
    @given(data=st.data())
    def test_declared_laws_hold(self, tested: Measure, data: st.DataObject) -> None:
        """Identity, symmetry, bounds and the triangle inequality hold where they are declared to."""
        is_positive = data.draw(st.booleans())
        a, b, c = data.draw(vectors(3, positive if is_positive else anything))
        assume(well_conditioned(tested, np.array([a, b, c])))
        laws = laws_of(tested, positive=is_positive)
        weights = data.draw(st.none() | st.lists(positive, min_size=len(a), max_size=len(a)).map(np.array))
        same, ab = tested(a, a, weights), tested(a, b, weights)
        assert math.isnan(same) or near(same, laws.identity)
        if math.isnan(ab):
            return
        lower, upper = laws.bounds
        assert lower - 1e-9 <= ab <= upper + 1e-9
        if laws.symmetric:
            assert near(ab, tested(b, a, weights))
        if laws.triangle:
            ac, bc = tested(a, c, weights), tested(b, c, weights)
            there, back = abs(ac - laws.identity), abs(ab - laws.identity) + abs(bc - laws.identity)
            assert math.isnan(there) or math.isnan(back) or there <= back * (1 + 1e-9) + 1e-9

    @every
    @pytest.mark.parametrize("is_positive", [True, False])
    def test_laws_are_declared_wherever_they_hold(self, tested: Measure, is_positive: bool) -> None:
        """On vectors of three small values exactly the declared laws hold: each other one has a counter-example."""
        values = (1.0, 2.0, 4.0) if is_positive else (-1.0, 0.0, 2.0)
        laws = laws_of(tested, positive=is_positive)
        points = [np.array(point) for point in itertools.product(values, repeat=3)]
        points.append(np.array([0.0, 0.0, 4.0]) if not is_positive else np.array([4.0, 8.0, 4.0]))
        table = np.array([[tested(a, b) for b in points] for a in points])
        assert same_laws(table, laws) == (laws.symmetric, laws.separates, laws.triangle)

    @every
    @few
    @given(rows=vectors(2), power=st.integers(-20, 20))
    def test_scaling_both(self, tested: Measure, rows: Array, power: int) -> None:
        """With both vectors multiplied by c > 0 a distance is so too, and everything else does not change."""
        a, b = rows
        c = 2.0**power
        assert near(tested(c * a, c * b) / (c if tested.kind == "distance" else 1), tested(a, b))

    @every
    @few
    @given(data=st.data())
    def test_order_of_rows(self, tested: Measure, data: st.DataObject) -> None:
        """A permutation of the rows, weights included, changes nothing."""
        a, b = data.draw(vectors(2))
        assume(well_conditioned(tested, np.array([a, b])))
        weights = np.array(data.draw(st.lists(positive, min_size=len(a), max_size=len(a))))
        rows = np.array(data.draw(st.permutations(range(len(a)))))
        assert near(tested(a[rows], b[rows], weights[rows]), tested(a, b, weights))

    @every
    @few
    @given(rows=vectors(2), weight=st.floats(1e-300, 1e300))
    def test_equal_weights(self, tested: Measure, rows: Array, weight: float) -> None:
        """Equal weights have no effect."""
        a, b = rows
        plain = tested(a, b)
        weighted = tested(a, b, np.full(len(a), weight))
        assert weighted == plain or (math.isnan(weighted) and math.isnan(plain))

    @every
    @few
    @given(data=st.data())
    def test_whole_weights(self, tested: Measure, data: st.DataObject) -> None:
        """A weight of k is the row k times, 0 without the row, but for the growth with the number of rows."""
        a, b = data.draw(vectors(2))
        assume(well_conditioned(tested, np.array([a, b])))
        counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(a), max_size=len(a))))
        assume(counts.any())
        repeated = tested(np.repeat(a, counts), np.repeat(b, counts))
        growth = (len(a) / counts.sum()) ** growth_of(tested)
        assert near(tested(a, b, counts.astype(float)), repeated * growth)


def braycurtis(a: Array, b: Array, w: Array) -> float:
    """Return SciPy's value, which is a division by 0 where b = -a."""
    return math.nan if not (a + b).any() else float(distance.braycurtis(a, b, w))


ORACLES: dict[str, Callable[[Array, Array, Array], float]] = {
    "cosine": lambda a, b, w: 1 - distance.cosine(a, b, w) if a.any() and b.any() else math.nan,
    "manhattan": distance.cityblock,
    "euclidean": distance.euclidean,
    "minkowski3": lambda a, b, w: distance.minkowski(a, b, 3, w),
    "minkowski2.5": lambda a, b, w: distance.minkowski(a, b, 2.5, w),
    "minkowski40": lambda a, b, w: distance.minkowski(a, b, 40, w),
    "chebyshev": distance.chebyshev,
    "canberra": distance.canberra,
    "braycurtis": braycurtis,
    "mae": lambda a, b, w: metrics.mean_absolute_error(a, b, sample_weight=w),
    "rmse": lambda a, b, w: metrics.root_mean_squared_error(a, b, sample_weight=w),
    "r2": lambda a, b, w: math.nan if np.ptp(a) == 0 else metrics.r2_score(a, b, sample_weight=w),
}


SQUARES: tuple[Callable[[float, float], float], ...] = (lambda x, y: x * x, lambda x, y: y * y, lambda x, y: x * y)


def same_laws(table: Array, laws: Laws) -> tuple[bool, bool, bool]:
    """Return whether a table of all pairs is symmetric, separates, and keeps the triangle inequality."""
    apart = np.abs(table - laws.identity)
    known = ~np.isnan(apart)
    symmetric = bool((np.abs(apart - apart.T)[known & known.T] < 1e-9).all() and (known == known.T).all())
    separates = bool((apart[known & ~np.eye(len(table), dtype=bool)] > 1e-9).all())
    detour = np.nanmin(np.where(known, apart, np.inf)[:, :, None] + np.where(known, apart, np.inf)[None], axis=1)
    return symmetric, separates, bool((apart[known] <= detour[known] + 1e-9).all())


class TestOracles:
    @pytest.mark.parametrize("key", ORACLES)
    @few
    @given(data=st.data())
    def test_weighted_measures(self, key: str, data: st.DataObject) -> None:
        """SciPy and scikit-learn give the same for weights whose mean is 1."""
        a, b = data.draw(vectors(2))
        assume(well_conditioned(MEASURES.get(key, ALL[-1]), np.array([a, b])))
        weights = np.array(data.draw(st.lists(positive, min_size=len(a), max_size=len(a))))
        expected = ORACLES[key](a, b, weights / weights.mean())
        assert near(measure(key)(a, b, weights), expected)

    @given(rows=vectors(2))
    def test_unweighted_measures(self, rows: Array) -> None:
        """SciPy, scikit-learn and numpy give the same correlations, relative errors and medians."""
        a, b = rows
        if np.ptp(a) > 1e-3 and np.ptp(b) > 1e-3:
            assert near(MEASURES["pearson"](a, b), stats.pearsonr(a, b).statistic)
        if np.ptp(a) > 0 and np.ptp(b) > 0:
            assert near(MEASURES["spearman"](a, b), stats.spearmanr(a, b).statistic)
        assert near(median(a, None), np.median(a))
        assert np.allclose(ranks(a, None), stats.rankdata(a) - 0.5)
        if np.abs(a).min() > 1e-6:
            assert near(MEASURES["error_rate"](a, b), 100 * metrics.mean_absolute_percentage_error(a, b))

    @given(rows=vectors(2), weights=st.lists(positive, min_size=8, max_size=8))
    def test_formulas(self, rows: Array, weights: list[float]) -> None:
        """Loops over the rows give the same as the formulas of the papers."""
        a, b = rows
        w = np.array(weights[: len(a)])
        mean_weight = sum(w.tolist()) / len(w)
        triples = [(float(x), float(y), float(v) / mean_weight) for x, y, v in zip(a, b, w, strict=True)]
        used = [(abs(x - y) / abs(x), v) for x, y, v in triples if x]
        if used:
            total = sum(v for _, v in used)
            assert near(MEASURES["error_rate"](a, b, w), 100 * sum(e * v for e, v in used) / total)
            assert near(MEASURES["max_relative_error"](a, b, w), 100 * max(e for e, _ in used))
            middle = MEASURES["median_relative_error"](a, b, w) / 100
            assert sum(v for e, v in used if e < middle * (1 - 1e-12)) <= total / 2 * (1 + 1e-9)
            assert sum(v for e, v in used if e > middle * (1 + 1e-12)) <= total / 2 * (1 + 1e-9)
        relative = sum(v * abs(x - y) / ((abs(x) + abs(y)) / 2) for x, y, v in triples if x or y)
        assert near(MEASURES["smape"](a, b, w), 100 * relative / sum(v for *_, v in triples))
        highest = sum(v * max(x, y) for x, y, v in triples)
        if highest > 1e-6 * sum(abs(x) + abs(y) for x, y, _ in triples):
            assert near(MEASURES["jaccard"](a, b, w), sum(v * min(x, y) for x, y, v in triples) / highest)
            assert near(MEASURES["soergel"](a, b, w), sum(v * abs(x - y) for x, y, v in triples) / highest)
        xx, yy, xy = (sum(v * f(x, y) for x, y, v in triples) for f in SQUARES)
        if xx + yy > 1e-12:
            assert near(MEASURES["dice"](a, b, w), 2 * xy / (xx + yy))
            assert near(MEASURES["kumar_hassebrook"](a, b, w), xy / (xx + yy - xy))

    @given(rows=vectors(2), p=st.sampled_from([1, 2, 3, 2.5, 16, 17, 40]))
    def test_mean_power(self, rows: Array, p: float) -> None:
        """The mean power is the mean of |a - b|^p, and the p-th power of the Minkowski distance over n."""
        a, b = rows
        expected = sum(abs(x - y) ** p for x, y in zip(a.tolist(), b.tolist(), strict=True)) / len(a)
        assert math.isclose(mean_power(a, b, p), expected, rel_tol=1e-9, abs_tol=1e-300)
        distance_again = (expected * len(a)) ** (1 / p)
        assert math.isclose(measure(f"minkowski{p}")(a, b), distance_again, rel_tol=1e-9, abs_tol=1e-9)


class TestExtremes:
    @every
    @pytest.mark.parametrize("size", [1e-300, 1e-70, 1e70, 1e300])
    def test_huge_and_tiny_values(self, tested: Measure, size: float) -> None:
        """Values in another unit give the same; near both ends of the numbers a measure may be undefined instead."""
        a, b = np.array([1.0, 2.0, 4.0, 3.0]), np.array([1.5, 1.0, 4.0, 5.0])
        for w in (None, np.array([1.0, 2.0, 0.0, 5.0]), np.array([1e-300, 2e-300, 0, 5e-300])):
            expected = tested(a, b, w) * (size if tested.kind == "distance" else 1)
            value = tested(a * size, b * size, w)
            undefined = math.isnan(value) and not 1e-70 <= size <= 1e70
            assert undefined or math.isclose(value, expected, rel_tol=1e-12)

    @every
    def test_zeros_and_few_rows(self, tested: Measure) -> None:
        """Zeros are as equal vectors or undefined; one row is enough for all but correlations and R²; none is not."""
        value, nothing = tested(np.zeros(3), np.zeros(3)), np.zeros(0)
        assert math.isnan(value) or value == laws_of(tested, positive=False).identity
        undefined = tested.key in {"r2", "pearson", "spearman"}
        assert math.isnan(tested(np.array([2.0]), np.array([3.0]))) == undefined
        assert math.isnan(tested(nothing, nothing))
        assert math.isnan(tested(nothing, nothing, nothing))


def powers(a: list[float], b: list[float], *orders: float) -> list[float]:
    """Return mean powers of some orders."""
    return [mean_power(np.array(a), np.array(b), order) for order in orders]


def of(key: str, a: list[float], b: list[float]) -> float:
    """Return a measure of two vectors of values."""
    return measure(key)(np.array(a), np.array(b))


def test_known_values() -> None:
    """Extreme values, orders, ratios and the keys of the JSON contract are those of the golden file."""
    check_calls("extreme-measures", of, powers, measure, ratio, similarity, default=DEFAULT_KEYS, keys=[*MEASURES][:8])


def test_messages() -> None:
    """An unknown key is refused with the nearest one, and an order below 1 with the reason."""
    check_messages("measures", measure)
