"""Parameters that measurements determine, and the coverage of their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from splc.calibration import calibrate
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, Values, fitted, noisy, read


def test_sums_that_cannot_be_told_apart() -> None:
    """Of collinear parameters their determined sum is told with its interval; those beside them keep theirs."""
    true = {"alpha": 2.0, "beta": 3.0, "f": 0.5}
    text = "alpha * px + 512 * beta * px + f * nx"
    measured = noisy(read(text, true).predict(ALL), 0.02)
    found = fitted(text, {"alpha": 1.0, "beta": 1.0, "f": 1.0}, measured, FREE)
    assert found.undetermined == ("alpha", "beta")
    [group] = found.confounded
    assert group.names == ("alpha", "beta")
    [combination] = group.combinations
    assert combination.text == "alpha + 512 * beta"
    alone = fitted("alpha * px + f * nx", {"alpha": 1.0, "f": 1.0}, measured, ("alpha", "f"))
    assert combination.value == pytest.approx(alone["alpha"].value)
    assert (combination.low, combination.high) == pytest.approx((alone["alpha"].low, alone["alpha"].high))
    assert found["f"].low == pytest.approx(alone["f"].low)
    assert found.degrees == alone.degrees == 18
    assert found["alpha"].low is None
    assert found["alpha"].value + 512 * found["beta"].value == pytest.approx(combination.value)
    # Of all equally good ones these are the nearest to the benchmarked values: the line's normal goes through (1, 1).
    assert (found["beta"].value - 1) / (found["alpha"].value - 1) == pytest.approx(512)


def test_products_that_cannot_be_told_apart() -> None:
    """Of factors their determined product or ratio is told, also where `scale` is free beside all parameters."""
    measured = noisy(read("alpha * nx", {"alpha": 6.0}).predict(ALL), 0.02)
    found = fitted("alpha * beta * nx", {"alpha": 2.0, "beta": 1.0}, measured, ("alpha", "beta"))
    [group] = found.confounded
    [combination] = group.combinations
    assert combination.text == "alpha * beta"
    alone = fitted("alpha * nx", {"alpha": 2.0}, measured, ("alpha",))["alpha"]
    assert alone.low is not None
    assert combination.value == pytest.approx(alone.value)
    assert combination.low == pytest.approx(alone.low, rel=1e-3)
    assert found["alpha"].value * found["beta"].value == pytest.approx(combination.value)
    text = "alpha * px + beta * nx"
    measured = noisy(read(text, {"alpha": 9.0, "beta": 4.0}).predict(ALL), 0.02)
    found = fitted(text, {"alpha": 2.0, "beta": 1.0}, measured, ("scale", "alpha", "beta"))
    assert [each.text for each in found.confounded[0].combinations] == ["scale * beta", "alpha / beta"]
    assert found.undetermined == ("scale", "alpha", "beta")


def test_what_is_neither_a_sum_nor_a_product_is_only_named() -> None:
    """If no simple combination is determined, the parameters are named without one."""
    text, values = "nx * log(2 + alpha + beta^2)", {"alpha": 3.0, "beta": 2.0}
    measured = noisy(read(text, values).predict(ALL), 0.01)
    found = fitted(text, values, measured, ("alpha", "beta"))
    [group] = found.confounded
    assert (group.names, group.combinations) == (("alpha", "beta"), ())


@pytest.mark.parametrize("text", ["alpha * log2(px) + f * nx", "alpha * log2(px) + f * nx^beta"])
def test_what_has_no_effect_keeps_its_value(text: str) -> None:
    """On one rank there is no latency: it stays as benchmarked, without an interval, and is named."""
    rows = ALL.column("px") == 1
    free = FREE if "beta" in text else ("alpha", "f")
    model = read(text, {**BENCHMARKED, "beta": 1.5}, free)
    measured = read(text, {"alpha": 1.0, "beta": 2.0, "f": 3.0}).predict(ALL)[rows]
    found = calibrate(model, ALL[rows], measured, free)
    assert found.without_effect == ("alpha",)
    assert found.undetermined == ("alpha",)
    assert found["alpha"].value == BENCHMARKED["alpha"]
    assert found["alpha"].low is None
    assert found["f"].value == pytest.approx(3)
    assert found["f"].low is not None


def test_groups_that_share_a_parameter_are_one() -> None:
    """Parameters that depend on a common one are one group, others are groups of their own."""
    ones = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0, "delta": 1.0}
    measured = noisy(read("px + nx", {}).predict(ALL), 0.02)
    text = "alpha * px + beta * nx + gamma * (px + nx) + 3 * delta * px"
    [group] = fitted(text, ones, measured, tuple(ones)).confounded
    assert group.names == ("alpha", "beta", "gamma", "delta")
    assert [each.text for each in group.combinations] == ["alpha + gamma + 3 * delta", "beta + gamma"]
    found = fitted("alpha * px + beta * nx + gamma * px - 2 * delta * nx", ones, measured, tuple(ones)).confounded
    assert [(each.names, [one.text for one in each.combinations]) for each in found] == [
        (("alpha", "gamma"), ["alpha + gamma"]),
        (("beta", "delta"), ["beta - 2 * delta"]),
    ]


def test_intervals_are_those_of_linear_regression() -> None:
    """Without active bounds, estimates and intervals are the textbook's: s^2 (X'X)^-1 and Student's t."""
    from scipy.stats import t

    true = {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}
    measured = noisy(read(LINEAR, true).predict(ALL), 0.02)
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, level=0.9)
    columns = [read(LINEAR, {**dict.fromkeys(FREE, 0.0), name: true[name]}).predict(ALL) for name in FREE]
    X = np.array(columns).T / measured[:, np.newaxis]
    inverse = np.linalg.inv(X.T @ X)
    expected = inverse @ X.sum(axis=0)
    deviation = math.sqrt(((1 - X @ expected) ** 2).sum() / 17)
    assert found.degrees == 17
    assert found.deviation == pytest.approx(deviation)
    for place, name in enumerate(FREE):
        half = t.ppf(0.95, 17) * deviation * math.sqrt(inverse[place, place])
        assert found[name].value == pytest.approx(expected[place] * true[name])
        assert found[name].low == pytest.approx((expected[place] - half) * true[name])
        assert found[name].high == pytest.approx((expected[place] + half) * true[name])
        ends = found[name].ratio_interval
        assert ends is not None
        assert ends[0] == pytest.approx(found[name].low / BENCHMARKED[name])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "true"),
    [
        (LINEAR, {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}),
        pytest.param("alpha * nx^beta + f", {"alpha": 2.0, "beta": 0.5, "f": 9.0}, marks=pytest.mark.slow),
    ],
)
def test_intervals_contain_the_truth_as_often_as_they_say(text: str, true: Values) -> None:
    """Of intervals at the level 0.8, about 80 % contain the true value (within four standard deviations)."""
    rounds = 200
    model, exact = read(text, true, FREE), read(text, true).predict(ALL)
    draw = np.random.default_rng(5)
    hits = dict.fromkeys(FREE, 0)
    for _ in range(rounds if text == LINEAR else rounds // 4):
        # Residuals are relative to what was measured, so this makes them normal.
        found = calibrate(model, ALL, exact / (1 + 0.01 * draw.standard_normal(20)), FREE, level=0.8)
        for name, value in true.items():
            low, high = found[name].low, found[name].high
            hits[name] += low is not None and high is not None and low <= value <= high
    rounds = rounds if text == LINEAR else rounds // 4
    for count in hits.values():
        assert abs(count / rounds - 0.8) <= 4 * math.sqrt(0.8 * 0.2 / rounds)


def test_bounds_hold_and_are_named() -> None:
    """Values stay within bounds, one at a bound is exactly that, and says so; its interval begins or ends there."""
    true = {"alpha": 6e-6, "beta": 4e-10, "f": 9e-10}
    measured = read(LINEAR, true).predict(ALL)
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, bounds={"alpha": (None, 3.3e-7), "beta": (5e-8, None)})
    assert (found["alpha"].value, found["alpha"].at_bound) == (3.3e-7, "high")
    assert (found["beta"].value, found["beta"].at_bound) == (5e-8, "low")
    assert found["beta"].low == 5e-8
    assert found["alpha"].high == 3.3e-7
    assert found["beta"].high is not None
    assert found["beta"].high > 5e-8
    assert found["f"].at_bound is None
    assert found["f"].low is not None
    assert found["beta"].determined
    parameter = next(parameter for parameter in found.model.parameters if parameter.name == "beta")
    assert parameter.values_of == parameter.low == (5e-8,)
    assert parameter.high == (found["beta"].high,)
    assert (parameter.levels, parameter.determined) == ((0.95,), True)


def test_active_bounds_do_not_make_intervals_too_narrow() -> None:
    """If a bound is reached that is not the truth, at least 80 % of the 80 % intervals contain the truth."""
    rounds, text = 200, "alpha + beta * (px + 30) + f * nx"
    true = {"alpha": 4.0, "beta": 1.0, "f": 0.01}
    model, exact = read(text, true, FREE), read(text, true).predict(ALL)
    draw = np.random.default_rng(8)
    met, hits = 0, dict.fromkeys(FREE, 0)
    for _ in range(rounds):
        found = calibrate(model, ALL, exact / (1 + 0.02 * draw.standard_normal(20)), FREE, level=0.8)
        if found["alpha"].at_bound is None:
            continue
        met += 1
        for name, value in true.items():
            low, high = found[name].low, found[name].high
            hits[name] += low is not None and high is not None and low <= value <= high
    assert met >= 40
    for count in hits.values():
        assert count / met >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / met)


def test_intervals_of_combinations_end_at_the_bounds() -> None:
    """Combinations of undetermined parameters have no values that the bounds exclude."""
    measured = noisy(read("f * nx", {"f": 5e-7}).predict(ALL), 0.5, 3)
    found = fitted("alpha * px + 2 * beta * px + f * nx", dict.fromkeys(FREE, 1.0), measured, FREE)
    [group] = found.confounded
    [combination] = group.combinations
    assert combination.low == 0 <= combination.value < combination.high
