"""Parameters that measurements cannot tell apart."""

from __future__ import annotations

import pytest

from splc.calibration import calibrate
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, fitted, noisy, read


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
