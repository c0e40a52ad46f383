"""Free parameters: their bounds, derivatives and sensitivities, and what measurements determine of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from splc.calibration import Calibration, calibrate
from splc.calibration.free_parameters import Sensitivity, free_parameters
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Parameter
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, Values, fitted, noisy, read
from tests.support.golden_messages import check_calls
from tests.support.objects import present

INF = math.inf


def table(*values: float) -> Parameter:
    """Return a table with these rows."""
    return Parameter("t", values, values, values, "px", tuple(float(key) for key in range(len(values))))


def bounds(value: float, least: float | None, most: float | None) -> tuple[float, float, float, float]:
    """Return the bounds, the unit and the start of a parameter, be its value guessed or benchmarked."""
    model, found = read("alpha * nx", {"alpha": value}, ("alpha",)), set()
    for guessed in (False, True):
        [one] = free_parameters(model, ("alpha",), ("alpha",) if guessed else (), {"alpha": (least, most)})
        assert (one.name, one.benchmarked) == ("alpha", None if guessed else value)
        found.add((one.low, one.high, one.unit, one.start))
    (same,) = found
    return same


def test_default_bounds() -> None:
    """Bounds and starts of parameters are those of the golden file."""
    check_calls("default-bounds", bounds)


BINARY = VariabilityModel(
    "b", (BinaryOption("on"), NumericOption("depth", (1, 2, 4), deselected_flag=-1), NumericOption("nx", (1, 10, 100)))
)
BINARY_ALL = Configurations(BINARY, np.array(list(itertools.product(range(2), range(4), range(3)))))


@pytest.mark.parametrize(
    "text",
    [
        LINEAR.replace("px", "depth"),
        "alpha * on * nx + beta * depth^2 + f",
        "alpha * log2(beta + f * depth) + nx * on",
        "(alpha + depth * nx)^(beta * on) + f^3 * log10(nx + 1)",
        "alpha / (beta + depth) / (f + 1) + sqrt(alpha * nx) * log(beta)^2",
        "ceil(nx / 7) * alpha^beta + log(f)^3 * f^2",
        "max(alpha * nx, beta * depth, 1) + min(f * nx, alpha^2)",
        "alpha * [nx >= 10] * nx + beta * [depth < 4] + max(f, [nx > 1] * alpha)",
        "exp(-alpha * depth) * beta + max(exp(f), on)",
        "alpha * log10(alpha) * nx + beta / log(f) * on",
    ],
)
@pytest.mark.parametrize("link", ["identity", "log"])
def test_derivatives_are_those_of_the_predictions(text: str, link: Any) -> None:
    """Predictions are the model's own, deselected options included, and derivatives agree with differences."""
    values = {"alpha": 0.3, "beta": 1.7, "f": 0.01}
    model = read(text, values, tuple(values), BINARY)
    if link == "log":
        model = InfluenceModel.from_terms(
            ((term, influence * 1e-3) for term, influence in model.terms), model.order, link, model.derived
        )
    found = Sensitivity(model, BINARY_ALL, free_parameters(model, tuple(values), (), {}))
    at = np.array([1.3, 0.8, 2.0])
    predicted, slopes = found(at)
    changed = {name: value * factor for (name, value), factor in zip(values.items(), at.tolist(), strict=True)}
    own = read(text, changed, (), BINARY)
    if link == "log":
        own = InfluenceModel.from_terms(
            ((term, influence * 1e-3) for term, influence in own.terms), own.order, link, own.derived
        )
    assert predicted == pytest.approx(own.predict(BINARY_ALL), rel=1e-12)
    for place in range(3):
        step = 1e-5 * np.eye(3)[place]
        difference = (found(at + step)[0] - found(at - step)[0]) / 2e-5
        assert slopes[:, place] == pytest.approx(difference, rel=1e-6, abs=1e-8 * np.abs(predicted).max())


@pytest.mark.parametrize(
    ("text", "free", "block"),
    [
        (LINEAR, "alpha beta f", "alpha beta f"),
        ("f * alpha * nx + f * beta * px + f * gamma", "f alpha beta gamma", "alpha beta gamma"),
        ("f * alpha * nx + beta * f * px", "alpha beta f", "alpha beta"),
        ("alpha * nx^beta + gamma", "alpha beta gamma", "alpha gamma"),
        ("alpha^2 * nx + beta * log2(f * px)", "alpha beta f", "beta"),
        ("alpha * (nx + beta * px) + gamma * beta", "beta alpha gamma", "alpha gamma"),
        ("max(alpha * nx, 100) + beta", "alpha beta", "beta"),
        ("exp(alpha)", "alpha", ""),
        ("nx * alpha / log10(alpha) + beta", "beta alpha", "beta"),
        ("nx * alpha * log10(alpha) + beta", "beta alpha", "beta"),
    ],
)
def test_linear_block(text: str, free: str, block: str) -> None:
    """Predictions are linear in the block while other parameters are fixed, and it is as large as possible."""
    names, chosen = free.split(), set(block.split())
    values = {name: 1.0 + place / 4 for place, name in enumerate(names)}
    model = read(text, values, names)
    found = Sensitivity(model, ALL, free_parameters(model, names, (), {}))
    places = found.linear_block()
    assert {names[place] for place in places} == chosen
    rng = np.random.default_rng(1)
    inside = np.isin(np.arange(len(names)), places)
    for _ in range(3):
        one = rng.uniform(0.5, 2, len(names))
        other = np.where(inside, rng.uniform(0.5, 2, len(names)), one)
        middle = found((one + other) / 2)[0]
        assert middle == pytest.approx((found(one)[0] + found(other)[0]) / 2, rel=1e-12)
        assert found(one)[1][:, inside] == pytest.approx(found(other)[1][:, inside], rel=1e-12)


def test_points_without_predictions() -> None:
    """Predictions at a point do not depend on those before: undefined ones are so where the model has no value."""
    model = read(
        "(alpha * nx - 100)^beta + alpha * 2.5^(1 / (nx - 50))", {"alpha": 1.0, "beta": 1.0}, ("alpha", "beta")
    )
    found = Sensitivity(model, ALL, free_parameters(model, ("alpha", "beta"), (), {}))
    nx = ALL.column("nx")
    for alpha in (3.0, 0.5, 3.0, -1.0, 1.5):
        with np.errstate(all="ignore"):
            expected = (alpha * nx - 100) ** 1.5 + alpha * 2.5 ** (1 / (nx - 50))
        expected[nx == 50] = np.nan
        np.testing.assert_array_equal(np.isfinite(expected), np.isfinite(found(np.array([alpha, 1.5]))[0]))
        assert found(np.array([alpha, 1.5]))[0] == pytest.approx(expected, rel=1e-12, nan_ok=True)


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
    assert combination.value == pytest.approx(alone.value)
    assert combination.low == pytest.approx(present(alone.low), rel=1e-3)
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
        ends = present(found[name].ratio_interval)
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
    rounds = 200 if text == LINEAR else 50
    hits = [covering(found, true) for found in calibrated(text, true, 0.01, 5, rounds)]
    assert (abs(np.mean(hits, axis=0) - 0.8) <= 4 * math.sqrt(0.8 * 0.2 / rounds)).all()


def calibrated(text: str, true: Values, noise: float, seed: int, rounds: int) -> Iterator[Calibration]:
    """Yield calibrations, with intervals of the level 0.8, on values whose residuals are normal."""
    model, exact = read(text, true, FREE), read(text, true).predict(ALL)
    draw = np.random.default_rng(seed)
    for _ in range(rounds):
        # Residuals are relative to what was measured.
        yield calibrate(model, ALL, exact / (1 + noise * draw.standard_normal(20)), FREE, level=0.8)


def covering(found: Calibration, true: Values) -> Array:
    """Return whether the intervals of the parameters contain the true values."""
    ends = ((found[name].low, found[name].high, value) for name, value in true.items())
    return np.array([low is not None and high is not None and low <= value <= high for low, high, value in ends])


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
    true = {"alpha": 4.0, "beta": 1.0, "f": 0.01}
    found = calibrated("alpha + beta * (px + 30) + f * nx", true, 0.02, 8, 200)
    hits = [covering(each, true) for each in found if each["alpha"].at_bound is not None]
    assert len(hits) >= 40
    assert (np.mean(hits, axis=0) >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / len(hits))).all()


def test_intervals_of_combinations_end_at_the_bounds() -> None:
    """Combinations of undetermined parameters have no values that the bounds exclude."""
    measured = noisy(read("f * nx", {"f": 5e-7}).predict(ALL), 0.5, 3)
    found = fitted("alpha * px + 2 * beta * px + f * nx", dict.fromkeys(FREE, 1.0), measured, FREE)
    [group] = found.confounded
    [combination] = group.combinations
    assert combination.low == 0 <= combination.value < combination.high
