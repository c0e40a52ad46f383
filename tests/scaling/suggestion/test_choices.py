"""Choices of suggested points, and the uncertainty that they leave at the target."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student_t

from splc.errors import MeasurementError, SpecError
from splc.scaling import fit
from splc.scaling.result import ScalingModel
from splc.scaling.suggestion.candidates import CandidatePoints, costs_of
from splc.scaling.suggestion.suggest import TargetStrategy, base_lines, error_off_lines, suggest
from splc.scaling.suggestion.surrogate import NODE_WEIGHTS, NODES, TargetSurrogate, further_out, without_effect
from splc.types import Array
from tests.scaling.suggestion.test_strategies import CROSS, measured
from tests.support.examples import examples

AXES = (np.array([1.0, 2, 4, 8, 16]), np.array([10.0, 20, 30]))
GRID = np.array(list(itertools.product(*AXES)))
TARGET = np.array([99.0, 99.0])


@cache
def exact() -> ScalingModel:
    """Return a model without noise, below 0 where p is small."""
    return fit(GRID, GRID[:, 0] * GRID[:, 1] / 10 - 3, names=["p", "n"])


@cache
def noisy() -> ScalingModel:
    """Return a model of values with noise of up to 20 %."""
    values = GRID.prod(axis=1) * np.random.default_rng(0).uniform(0.8, 1.2, len(GRID))
    return fit(GRID, values, names=["p", "n"])


@cache
def rough() -> ScalingModel:
    """Return a model of every second point, with noise of up to a factor of 2."""
    values = GRID[::2].prod(axis=1) * np.random.default_rng(1).uniform(0.5, 2, 8)
    return fit(GRID[::2], values, names=["p", "n"])


def surrogate(model: ScalingModel | None = None) -> TargetSurrogate:
    """Return the surrogate of a model."""
    model = model or noisy()
    assert model.uncertainty is not None
    return TargetSurrogate.of(model.uncertainty)


def candidates(rows: Array, seed: int, noise: float | None = 10.0, values: Array | None = None) -> CandidatePoints:
    """Return the points of the grid, of which some are measured, with random costs."""
    rng = np.random.default_rng(seed)
    prices = dict(zip(map(tuple, GRID.tolist()), rng.permutation(len(GRID)) + 1.0, strict=True))
    points = GRID[rows]
    known = rng.uniform(1, 2, len(rows)) if values is None else values
    counts = rng.integers(1, 5, len(rows))

    def price(points: Array, _: Array) -> Array:
        return np.array([prices[tuple(point)] for point in points.tolist()])

    return CandidatePoints(points, known, counts, replace(exact(), noise=noise), price, 3, AXES)


def lines_of(at: int) -> list[list[int]]:
    """Return the rows of the grid that differ in one parameter only."""
    found: dict[float, list[int]] = {}
    for row, point in enumerate(GRID.tolist()):
        found.setdefault(point[1 - at], []).append(row)
    return list(found.values())


SOME = st.sets(st.integers(0, len(GRID) - 1), min_size=1).map(lambda found: np.array(sorted(found)))


@examples(25)
@given(SOME, st.integers(0, 99), st.integers(2, 4))
def test_cheapest_lines(rows: Array, seed: int, length: int) -> None:
    """The next line is the cheapest to complete, of parameters without one of this length, cheapest point first."""
    among = candidates(rows, seed)
    taken = set(rows.tolist())
    assert np.flatnonzero(among.taken).tolist() == sorted(taken)
    assert (among.expected == np.maximum(exact().predict(GRID), 0)).all()
    choices = []
    for at, name in enumerate("pn"):
        if any(len(taken & set(line)) >= length for line in lines_of(at)):
            continue
        for line in lines_of(at):
            missing = length - len(taken & set(line))
            cheapest = sorted(set(line) - taken, key=lambda row: among.costs[row])[:missing]
            if len(cheapest) == missing:
                number = f"{missing} point{'s' * (missing > 1)}"
                reason = f"{number} missing of the cheapest line of {length} along {name}"
                choices.append((sum(among.costs[cheapest].tolist()), cheapest, reason))
    found = among.next_line(length)
    if not choices:
        assert found is None
    else:
        best = min(price for price, *_ in choices)
        assert found is not None
        assert (best, found[0].tolist(), found[1]) in choices


@examples(25)
@given(SOME, st.integers(0, 99), st.sampled_from([None, 0.0, 2.0, 20.0]))
def test_parameters_without_effect(rows: Array, seed: int, noise: float | None) -> None:
    """A parameter has an effect if the ends of a measured line differ by 4 standard deviations of their difference."""
    values = 1 + 0.4 * np.random.default_rng(seed).uniform(size=len(rows)) * (GRID[rows, 1] > 10)
    among = candidates(rows, seed, noise, values)
    expected = []
    for at in (0, 1):
        shown = False
        for line in lines_of(at):
            own = [row for row in line if row in rows.tolist()]
            low, high = (pick(own, key=lambda row: among.values[row], default=0) for pick in (min, max))
            if len(own) > 1:
                squares = sum((noise or 0) ** 2 * among.values[row] ** 2 / among.counts[row] for row in (low, high))
                limit = 4 * np.sqrt(squares) / 100 + 1e-9 * among.values[high]
                shown |= bool(among.values[high] - among.values[low] > limit)
        expected += [] if shown else [at]
    assert without_effect(among) == tuple(expected)


@examples(25)
@given(SOME, st.integers(0, 99), st.integers(0, 1))
def test_points_further_out(rows: Array, seed: int, at: int) -> None:
    """The point that may show an effect is the cheapest one beyond a line of two points or more."""
    among = candidates(rows, seed)
    taken = set(rows.tolist())
    beyond = [
        row
        for line in lines_of(at)
        if len(taken & set(line)) > 1
        for row in line
        if row not in taken and GRID[row, at] > max(GRID[own, at] for own in taken & set(line))
    ]
    found = further_out(among, at)
    if beyond:
        assert found is not None
        assert found.rows.tolist() == [min(beyond, key=lambda row: among.costs[row])]
        assert found.reason == f"no line shows an effect of {'pn'[at]} yet: a point further out"
        return
    # Otherwise the outermost point of a line where the other parameter is largest, if no other one was measured there.
    line = max((line for line in lines_of(at) if taken & set(line)), key=lambda line: GRID[line[0], 1 - at])
    if len(taken & set(line)) > 1 or line[-1] in taken:
        assert found is None
    else:
        assert found is not None
        assert found.rows.tolist() == [line[-1]]
        assert found.reason.endswith("yet: a point where other parameters are larger")


def test_a_point_as_suggestion() -> None:
    """A suggestion has the expected value and its interval, both at least 0, and the cost of all repetitions."""
    among = candidates(np.array([5]), 0)
    for row in (5, 0):
        found = among.suggestion(row, "why", 7.0)
        assert (found.point, found.expected) == (tuple(GRID[row]), max(float(exact().predict(GRID[[row]])[0]), 0.0))
        low, high = exact().interval(GRID[[row]])
        assert (found.lower, found.upper) == (max(float(low[0]), 0.0), max(float(high[0]), 0.0))
        assert (found.cost, found.reason, found.gain) == (among.costs[row], "why", 7.0)
        assert found.measured == among.counts[row] == (row == 5) * found.measured
    assert set(among.costs.tolist()) == {3.0 * number for number in range(1, len(GRID) + 1)}


@pytest.mark.parametrize("cost", [-1.0, np.nan, np.inf, 1e307])
def test_wrong_costs(cost: float) -> None:
    """A cost that is negative, too large or no number is an error with the point and value; one number is a cost."""
    points, values = np.array([[1.0, 2.0], [3.0, 4.5]]), np.array([7.0, 0.25])
    with pytest.raises(MeasurementError) as caught:
        costs_of(lambda *_: np.array([1.0, cost]), points, values)
    problem = caught.value.problems[0]
    assert problem.message == f"a measurement at (3, 4.5), value 0.25, costs {cost:g}"
    assert problem.hint == "costs are at least 0 and at most 1e+302: give another cost"
    assert costs_of(lambda *_: np.array(2.0), points, values).tolist() == [2, 2]
    assert costs_of(lambda *_: np.zeros(2), points, values).tolist() == [0, 0]


def test_too_many_candidates() -> None:
    """A grid of more than 200,000 points is refused with its size."""
    with pytest.raises(SpecError, match=r"250,000 candidates are too many\n.*200,000 at most"):
        suggest(GRID, GRID.prod(axis=1), axes=[np.arange(1.0, 501).tolist()] * 2)


@examples(6)
@given(st.integers(0, 99), st.booleans())
def test_cheapest_measured_lines(seed: int, full: bool) -> None:
    """The base has the five cheapest points of the cheapest measured line of every parameter that has one."""
    rows = np.arange(len(GRID)) if full else np.flatnonzero(GRID[:, 1] < 30)
    among = candidates(rows, seed)
    if not full:
        # No line along n has five points.
        assert sorted(base_lines(among).tolist()) == GRID[rows].tolist()
        return
    wide = tuple([np.arange(1.0, 7)] * 2)
    points = np.array(list(itertools.product(*wide)))
    costs = np.random.default_rng(seed).permutation(len(points)) + 1.0
    among = CandidatePoints(points, np.ones(36), np.ones(36, dtype=int), exact(), lambda *_: costs, 1, wide)
    chosen: set[int] = set()
    for at in (0, 1):
        lines = [
            sorted(np.flatnonzero(points[:, 1 - at] == value), key=lambda row: costs[row])[:5] for value in wide[0]
        ]
        chosen |= {int(row) for row in min(lines, key=lambda line: costs[line].sum())}
    assert sorted(map(tuple, base_lines(among).tolist())) == sorted(map(tuple, points[sorted(chosen)].tolist()))


def test_errors_off_lines() -> None:
    """The error is the mean relative one of predicting each point off the lines from all other points, one by one."""
    rng = np.random.default_rng(0)
    points = np.array([[1.0, 10], [2, 10], [4, 10], [8, 10], [16, 10], [1, 20], [1, 30], [2, 20], [4, 30], [8, 20]])
    values = (3 + 0.5 * points[:, :1] * points[:, 1:]) * rng.uniform(0.9, 1.1, (10, 2))
    errors = []
    for row in (7, 8, 9):
        others = np.arange(10) != row
        mean = values[row].mean()
        errors.append(100 * abs(float(fit(points[others], values[others]).predict(points[[row]])[0]) - mean) / mean)
    error, number = error_off_lines(points, values, points[:7])
    assert error == pytest.approx(np.mean(errors), rel=1e-6)
    assert number == 3
    values[7] = 0
    assert error_off_lines(points, values, points[:7])[1] == 2
    assert error_off_lines(points[:7], values[:7], points[:7]) == (None, 0)


def test_plans_count_as_measured() -> None:
    """Every chosen point adds its cost to what was spent, and changes the surrogate as if it had been measured."""
    x = np.array([1.0, 2, 4, 8])
    model = fit(x, x * [1.1, 1, 1.05, 1], names=["p"])
    before = surrogate(model)
    among = CandidatePoints(
        x[:, None], x, np.ones(4, int), model, lambda points, values: values, 3, [2 ** np.arange(6.0)]
    )
    strategy = TargetStrategy(among, before, np.array([99.0]), 1e9, 10.0, 3)
    for row in (5, 0):
        strategy.add(row)
    expected = before.after(among.points[5], 3, 0).after(among.points[0], 3, 1)
    assert strategy.surrogate.coefficients.tolist() == expected.coefficients.tolist()
    assert strategy.spent == 10 + among.costs[5] + among.costs[0]
    assert np.flatnonzero(among.suggested).tolist() == [0, 5]


@pytest.mark.parametrize("until", [1e-6, 1e6])
def test_good_enough_without_a_target(until: float) -> None:
    """It ends where the error off the lines is at most the wanted one, and continues with a note otherwise."""
    lines = [[p, 10.0] for p in AXES[0]] + [[1.0, n] for n in (20.0, 30, 40, 50)]
    points = np.array([*lines, [2.0, 20.0], [4.0, 30.0]])
    noise = np.random.default_rng(1).uniform(0.8, 1.2, len(points))
    values = (5 + points[:, 0] * points[:, 1]) * noise
    found = suggest(points, values, until=until)
    assert found.error is not None
    assert found.checked == 2
    assert found.done == (found.error <= until)
    assert found.why.startswith("good enough: points off the lines are predicted within") == found.done
    assert bool(found.points) != found.done
    assert bool(found.notes) != found.done


@examples(40)
@given(SOME, st.booleans(), st.integers(0, 99), st.floats(0, 50))
def test_a_point_where_all_parameters_are_larger(some: Array, crossed: bool, seed: int, limit: float) -> None:
    """A good prediction needs a point in the upper half of every axis: the cheapest one below the limit of costs."""
    # The cheapest lines of both parameters.
    cross = np.flatnonzero((GRID[:, 0] == 1) | (GRID[:, 1] == 10))
    rows = np.union1d(some[:1], cross) if crossed else some
    values = GRID[rows, 0] * GRID[rows, 1]
    among = candidates(rows, seed, 0.0, values)
    strategy = TargetStrategy(among, surrogate(), TARGET, limit, 0.0, 3)
    found, short = strategy.required(3), strategy.required(2)
    if among.next_line(3) is not None:
        assert found is not None
        assert found.reason == among.next_line(3)[1]  # type: ignore[index]
        return
    # Both parameters have a line of three points, and so a visible effect.
    assert short is None
    upper = [row for row, (p, n) in enumerate(GRID.tolist()) if p >= 4 and n >= 20]
    cheap = [row for row in upper if among.costs[row] <= limit]
    if set(upper) & set(rows.tolist()) or not cheap:
        assert found is None
    else:
        assert found is not None
        assert found.rows.tolist() == [min(cheap, key=lambda row: among.costs[row])]
        assert found.reason.endswith("effects are hidden: a point where all parameters are larger")


@examples(50)
@given(st.integers(0, 2**32))
def test_the_best_point(seed: int) -> None:
    """The largest expected decrease of the logarithm of the variance per cost wins, among useful and cheap ones."""
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.uniform(size=len(GRID)) < rng.choice([0.2, 0.5, 0.9]))
    limit, spent = rng.choice([0.0, 20.0, 50.0]), rng.choice([0.0, 10.0, 40.0])
    among = candidates(rows, seed)
    among.suggested = rng.uniform(size=len(GRID)) < 0.3
    among.counts[rows] = rng.choice([1, 11, 12], len(rows))
    # Much is gained where half of the grid was measured with much noise, and little otherwise.
    model = noisy() if seed % 2 else rough()
    now, after = surrogate(model).variances(TARGET, GRID, np.full(len(GRID), 3.0), among.counts)
    gains = 100 * (1 - after / now)
    found = TargetStrategy(among, surrogate(model), TARGET, limit, spent, 3).best()
    new = [row for row in range(len(GRID)) if not among.taken[row] and among.costs[row] <= limit]
    again = [row for row in rows.tolist() if among.counts[row] < 12 and not among.suggested[row]]
    if not new + again:
        assert found is None
        return
    least = min(2.0, max(gains[new + again]) / 4)
    useful = [row for row in new + again if among.costs[row] <= spent and gains[row] >= 10]
    rates = {row: -np.log(1 - gains[row] / 100) / among.costs[row] for row in new + again if gains[row] >= least}
    best = max(set(useful or new + again) & set(rates), key=lambda row: rates[row])
    if best in again and not new and gains[best] < 5:
        assert found is None
        return
    assert found is not None
    assert found.rows.tolist() == [best]
    assert found.gain == pytest.approx(gains[best])
    assert found.reason.startswith("noise dominates" if best in again else "the largest expected gain")


@pytest.mark.parametrize("limit", [50.0, 0.0])
def test_certain_predictions(limit: float) -> None:
    """A prediction that is certain needs no repetitions: the cheapest new point follows, if there is one."""
    among = candidates(np.array([0, 1]), 0)
    found = TargetStrategy(among, surrogate(exact()), TARGET, limit, 0.0, 3).best()
    if limit == 0:
        assert found is None
        return
    assert found is not None
    assert found.rows.tolist() == [min(range(2, len(GRID)), key=lambda row: among.costs[row])]
    assert found.reason == "the prediction at the target is certain: the cheapest point that was not measured"
    assert found.gain == 0


def surrogate_of(factor: float) -> TargetSurrogate:
    """Return the surrogate after a cross of noisy measurements, in a unit."""
    values = factor * measured(lambda points: 5 + 0.3 * points[:, 0] * points[:, 1], CROSS, 0.03)
    uncertainty = fit(CROSS, values).uncertainty
    assert uncertainty is not None
    return TargetSurrogate.of(uncertainty)


def test_outcomes_have_the_moments_of_a_normal_distribution() -> None:
    """The three outcomes of a measurement have the mean, variance, skewness and kurtosis of the normal distribution."""
    found = [float(np.array(NODE_WEIGHTS) @ np.array(NODES) ** power) for power in range(6)]
    assert found == pytest.approx([1, 0, 1, 0, 3, 0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_expected_variances_have_no_unit(sign: float) -> None:
    """Variances are relative, for positive and for other values: they are the same in another unit."""
    found = []
    for unit in (1.0, 1e-3, 1e4):
        surrogate = surrogate_of(sign * unit)
        now, after = surrogate.variances(
            np.array([128.0, 60.0]), np.array([[8.0, 20.0]]), np.array([3.0]), np.array([0])
        )
        assert 0 < float(after[0]) < now
        found.append([now, float(after[0])])
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-6)


def test_the_expected_value_changes_what_is_believed() -> None:
    """After a measurement each hypothesis has moved to its value by the part of the variance that is gone."""
    before = surrogate_of(1.0)
    point = np.array([32.0, 40.0])
    columns = before.columns(point[None])[:, :, 0]

    def about(surrogate: TargetSurrogate) -> tuple[Array, Array]:
        """Return means and variances of the value at the point."""
        means = (surrogate.coefficients * columns).sum(axis=1)
        return means, np.einsum("hk,hkl,hl->h", columns, surrogate.covariances, columns)

    means, variances = about(before)
    order = np.argsort(means)
    middle = means[order][np.searchsorted(np.cumsum(before.weights[order]), 0.5)]
    for count in (1, 30):
        after = before.after(point, count, 0)
        moved, left = about(after)
        assert (left < variances).all()
        np.testing.assert_allclose(moved - means, (1 - left / variances) * (middle - means), rtol=1e-6, atol=1e-9)
        ratio = after.weights / before.weights
        assert ratio[np.argmin(np.abs(means - middle))] > 1 > ratio[np.argmax(np.abs(means - middle))]
        assert after.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("noise", [False, True])
def test_interval_of_one_hypothesis(noise: bool) -> None:
    """The interval is that of Student's t distribution; the noise of a new measurement is relative to its value."""
    whole = surrogate_of(1.0)
    fields = ("weights", "coefficients", "covariances", "noise", "single", "floors", "freedoms")
    one = {name: getattr(whole, name)[:1] for name in fields}
    surrogate = replace(whole, **one, columns=lambda points: whole.columns(points)[:1])
    point = np.array([32.0, 40.0])
    column = surrogate.columns(point[None])[0, :, 0]
    value = float(surrogate.coefficients[0] @ column)
    variance = float(column @ surrogate.covariances[0] @ column)
    if noise:
        size = abs(value) + float(surrogate.floors[0])
        variance += float(surrogate.noise[0] ** 2 + surrogate.single[0]) * size**2
    half = float(student_t(float(surrogate.freedoms[0])).ppf(0.95)) * np.sqrt(variance)
    assert surrogate.interval(point, value, 0.9, noise=noise) == pytest.approx((value - half, value + half), rel=1e-4)
