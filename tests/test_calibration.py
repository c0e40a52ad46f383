"""Calibration of analytical models."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splc.calibration import Calibration, calibrate
from splc.calibration.free import free_parameters, with_scale
from splc.calibration.linear import solve
from splc.calibration.sensitivity import Sensitivity
from splc.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, SpecError, SplcError
from splc.formats.files import Source
from splc.formats.models import parse_stored_models
from splc.influence import EvaluationError, InfluenceModel
from splc.learning.scoring import mean_relative_error
from splc.options import BinaryOption, NumericOption
from splc.parameters import Parameters, Quantity, Table
from splc.project import Project
from splc.variability import VariabilityModel

SYSTEM = VariabilityModel("grid", (NumericOption("px", (1, 2, 3, 4)), NumericOption("nx", (50, 100, 200, 400, 800))))
ALL = Configurations(SYSTEM, np.array(list(itertools.product(range(4), range(5)))))
LINEAR = "4 * log2(px) * alpha + 4 * nx * beta + 2 * nx^2 * f"
BENCHMARKED = {"alpha": 2.2e-7, "beta": 1e-9, "f": 1.75e-11}
FREE = tuple(BENCHMARKED)
VALUES = st.floats(1e-12, 1e-3)
Values = dict[str, float]


def read(text: str, values: Values | Parameters, free: Sequence[str] = (), system: Any = SYSTEM) -> InfluenceModel:
    """Return a model with free parameters as names."""
    source = Source("model.txt", text.encode())
    [stored] = parse_stored_models(source, system, parameters=Parameters.of(values), symbols=free)
    return stored.model


def fitted(text: str, values: Values | Parameters, measured: Any, free: Sequence[str], **how: Any) -> Calibration:
    """Return the calibration of a model on all configurations."""
    return calibrate(read(text, values, free), ALL, measured, free, **how)


def noisy(values: Any, deviation: float, seed: int = 0) -> Any:
    """Return values with relative errors."""
    return values * (1 + deviation * np.random.default_rng(seed).standard_normal(len(values)))


def tabled(factor: float) -> Parameters:
    """Return a table by px, whose first row is 0, and a number."""
    rows = [(1.0, 0.0), (2.0, 3e-6), (3.0, 4e-6), (4.0, 5e-6)]
    table = Table("px", tuple((key, Quantity.exactly(value * factor)) for key, value in rows))
    return Parameters({"alpha": table, "f": Quantity.exactly(1e-9)})


@given(st.tuples(VALUES, VALUES, VALUES), st.tuples(VALUES, VALUES, VALUES), st.sampled_from(["relative", "absolute"]))
@settings(max_examples=40, deadline=None)
def test_parameters_of_any_size_are_found_exactly(true: Any, benchmarked: Any, weights: Any) -> None:
    """Without noise, predictions are found whatever the sizes of the true and the benchmarked values are."""
    measured = read(LINEAR, dict(zip(FREE, true, strict=True))).predict(ALL)
    found = fitted(LINEAR, dict(zip(FREE, benchmarked, strict=True)), measured, FREE, weights=weights)
    assert found.linear
    predicted = found.model.predict(ALL)
    size = measured if weights == "relative" else measured.max()
    assert (np.abs(predicted - measured) <= 1e-11 * size).all()
    columns = np.array([read(LINEAR, {**dict.fromkeys(FREE, 0.0), name: 1.0}).predict(ALL) for name in FREE])
    for name, value, column in zip(FREE, true, columns, strict=True):
        # As exactly as rounding lets what the parameter contributes be seen beside the rest.
        assert np.abs((found[name].value - value) * column / size).max() <= 1e-10


@pytest.mark.parametrize(
    ("text", "benchmarked", "true", "linear"),
    [
        (LINEAR, BENCHMARKED, {"alpha": 6.6e-6, "beta": 4e-10, "f": 9e-10}, True),
        ("5 + f * nx", {"f": 1.0}, {"f": 3e-3}, True),
        ("alpha * beta * nx + alpha * px", {"alpha": 1e-6, "beta": 1e-3}, {"alpha": 3e-6, "beta": 7e-2}, False),
        (
            "(alpha + beta * nx) * (1 + f * px)",
            {"alpha": 1, "beta": 1, "f": 1},
            {"alpha": 9, "beta": 2, "f": 30},
            False,
        ),
        (
            "alpha * nx^gamma + beta",
            {"alpha": 1, "gamma": 1, "beta": 1},
            {"alpha": 3e-6, "gamma": 2.7, "beta": 2},
            False,
        ),
        ("log(1 + alpha * nx)", {"alpha": 1}, {"alpha": 2e-4}, False),
        ("f * log(1 + alpha * nx)", {"f": 1e-3, "alpha": 1e-5}, {"f": 2, "alpha": 3e-3}, False),
        ("alpha * nx / (px + beta)", {"alpha": 1, "beta": 1}, {"alpha": 0.25, "beta": 6}, False),
        ("sqrt(alpha * nx) + beta * px", {"alpha": 1, "beta": 1}, {"alpha": 4e-6, "beta": 3e-3}, False),
        ("alpha^2 * nx + beta^-1", {"alpha": 1, "beta": 1}, {"alpha": 5, "beta": 1e-4}, False),
        ("nx * log2(alpha)", {"alpha": 2}, {"alpha": 5}, False),
        ("alpha * 2^(beta * px)", {"alpha": 1, "beta": 1}, {"alpha": 7, "beta": 0.3}, False),
    ],
)
def test_true_values_are_found(text: str, benchmarked: Values, true: Values, linear: bool) -> None:
    """Without noise the true values are found, be the model linear, bilinear or neither, and errors are 0 then."""
    free = tuple(benchmarked)
    measured = read(text, true).predict(ALL)
    found = fitted(text, benchmarked, measured, free)
    assert found.linear is linear
    assert found.converged
    for name, value in true.items():
        estimate = found[name]
        assert estimate.value == pytest.approx(value, rel=1e-8)
        assert estimate.ratio == pytest.approx(value / benchmarked[name], rel=1e-8)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.high - estimate.low <= 1e-6 * value
    assert found.error_after == pytest.approx(0, abs=1e-7)
    assert found.error_before == pytest.approx(mean_relative_error(read(text, benchmarked).predict(ALL), measured))
    assert (found.undetermined, found.without_effect) == ((), ())


def test_nobody_has_to_have_benchmarked_anything() -> None:
    """Parameters whose values are guessed are found far away from the guess; ratio and error before are undefined."""
    true = {"f": 2e-9, "alpha": 3e-7}
    measured = read("f * log(1 + alpha * nx^3)", true).predict(ALL)
    found = fitted("f * log(1 + alpha * nx^3)", {"f": 1, "alpha": 1}, measured, ("f", "alpha"), guessed=("f", "alpha"))
    assert found.error_before is None
    for name, value in true.items():
        assert found[name].value == pytest.approx(value, rel=1e-8)
        assert (found[name].benchmarked, found[name].ratio, found[name].ratio_interval) == (None, None, None)


def test_a_table_has_one_factor() -> None:
    """A table keeps the proportions of its rows, a row of 0 stays 0, and its interval goes with every row."""
    text = "alpha * log2(nx) + f * nx"
    measured = noisy(read(text, tabled(12)).predict(ALL), 0.02)
    found = fitted(text, tabled(1), measured, ("alpha", "f"))
    estimate = found["alpha"]
    assert (estimate.key, estimate.by, estimate.benchmarked) == (3.0, "px", 4e-6)
    assert estimate.factor == pytest.approx(12, rel=0.1)
    assert estimate.factor is not None
    assert estimate.factor == pytest.approx(estimate.ratio)
    assert estimate.low is not None
    table = next(parameter for parameter in found.model.parameters if parameter.name == "alpha")
    assert table.values_of == pytest.approx([0, 3e-6 * estimate.factor, estimate.value, 5e-6 * estimate.factor])
    assert table.low == pytest.approx([0, estimate.low * 3 / 4, estimate.low, estimate.low * 5 / 4])
    assert table.low[0] == table.values_of[0] == table.high[0] == 0
    assert fitted(text, tabled(1), read(text, tabled(12)).predict(ALL), ("alpha",))["alpha"].ratio == pytest.approx(12)


def test_the_row_that_stands_for_a_table_is_not_0() -> None:
    """Where a table's middle row is 0 the nearest one that is not stands for it; a table of zeros has no effect."""
    rows = tuple((float(key), Quantity.exactly(value)) for key, value in ((1, 5.0), (2, 0.0), (3, 0.0), (4, 2.0)))
    parameters = Parameters({"alpha": Table("px", rows)})
    found = fitted("alpha * nx", parameters, read("alpha * nx", parameters).predict(ALL) * 3 + 1e-9, ("alpha",))
    assert (found["alpha"].key, found["alpha"].benchmarked) == (4.0, 2.0)
    zeros = Parameters({"alpha": Table("px", tuple((key, Quantity.exactly(0.0)) for key, _ in rows))})
    found = fitted("alpha * nx + 1", zeros, np.ones(20), ("alpha",))
    assert found.without_effect == ("alpha",)
    assert (found["alpha"].value, found["alpha"].ratio, found["alpha"].low) == (0.0, None, None)


def test_scale_is_a_factor_on_the_whole_model() -> None:
    """`scale` multiplies every term and is benchmarked to be 1; a parameter of that name is only what it is."""
    plain = read(LINEAR, BENCHMARKED)
    measured = noisy(500 * plain.predict(ALL), 0.1)
    found = fitted(LINEAR, BENCHMARKED, measured, ("scale",))
    shares = plain.predict(ALL) / measured
    assert found["scale"].value == pytest.approx(shares.sum() / (shares @ shares), rel=1e-12)
    assert found["scale"].ratio == found["scale"].value
    assert found.model.predict(ALL) == pytest.approx(found["scale"].value * plain.predict(ALL), rel=1e-12)
    own = fitted("scale * nx + 3", {"scale": 2.0}, read("scale * nx + 3", {"scale": 8.0}).predict(ALL), ("scale",))
    assert own["scale"].value == pytest.approx(8)
    assert own["scale"].benchmarked == 2.0


def test_scale_multiplies_predictions_under_a_link_too() -> None:
    """A model whose sum is the logarithm of the prediction is scaled by its predictions."""
    terms = read("0.5 + 0.1 * px", {}).terms
    model = InfluenceModel.from_terms(terms, SYSTEM.names, "log")
    found = calibrate(model, ALL, 7 * model.predict(ALL), ("scale",))
    assert found["scale"].value == pytest.approx(7)
    assert found.model.predict(ALL) == pytest.approx(7 * model.predict(ALL))


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


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(st.integers(-3, 3), min_size=k, max_size=k), min_size=k + 1, max_size=8),
            st.lists(st.tuples(st.integers(-2, 0), st.integers(1, 2)), min_size=k, max_size=k),
            st.lists(st.sampled_from([1e-11, 1e-4, 1.0, 1e6]), min_size=k, max_size=k),
        )
    ),
    st.integers(0, 2**20),
)
@settings(max_examples=150, deadline=None)
def test_no_other_values_within_bounds_fit_better(problem: Any, seed: int) -> None:
    """Bounded least squares reaches the least misfit of all choices of which unknowns lie at which bound."""
    rows, bounds, sizes = problem
    units = np.array(sizes)
    matrix = np.array(rows, dtype=float) / units
    target = np.random.default_rng(seed).normal(size=len(rows))
    low, high = np.array(bounds, dtype=float).T * units
    x = solve(matrix, target, low, high, 0.5 * units)
    assert ((low <= x) & (x <= high)).all()
    best = math.inf
    for sides in itertools.product((None, 0, 1), repeat=len(units)):
        inner = [place for place, side in enumerate(sides) if side is None]
        trial = np.array([0.0 if side is None else (low, high)[side][k] for k, side in enumerate(sides)])
        even = (matrix * units)[:, inner]
        trial[inner] = np.linalg.lstsq(even, target - matrix @ trial, rcond=None)[0] * units[inner]
        if ((low - 1e-9 * units <= trial) & (trial <= high + 1e-9 * units)).all():
            best = min(best, float(np.linalg.norm(matrix @ trial - target)))
    assert np.linalg.norm(matrix @ x - target) <= best + 1e-5 * np.linalg.norm(target)


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
        ("alpha * nx^beta + f", {"alpha": 2.0, "beta": 0.5, "f": 9.0}),
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


@given(st.sampled_from([1e-290, 1e-30, 1e-3, 1e6, 1e150, 1e280]), st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_the_unit_of_the_property_does_not_matter(factor: float, seed: int) -> None:
    """Measured in another unit, all parameters and intervals are larger by that factor, and errors the same."""
    measured = noisy(read(LINEAR, {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}).predict(ALL), 0.1, seed)
    ones = dict.fromkeys(FREE, 1.0)
    one, other = fitted(LINEAR, ones, measured, FREE), fitted(LINEAR, ones, measured * factor, FREE)
    assert other.error_after == pytest.approx(one.error_after, rel=1e-9)
    for name in FREE:
        assert other[name].value == pytest.approx(one[name].value * factor, rel=1e-7)
        assert other[name].at_bound == one[name].at_bound
        if one[name].low is not None:
            assert other[name].low == pytest.approx(one[name].low * factor, rel=1e-7)  # type: ignore[operator]
            assert other[name].high == pytest.approx(one[name].high * factor, rel=1e-7)  # type: ignore[operator]


@given(st.permutations(range(20)), st.permutations(FREE), st.sampled_from([LINEAR, "alpha * nx^beta + f * px"]))
@settings(max_examples=10, deadline=None)
def test_neither_the_order_of_rows_nor_of_names_matters(rows: Any, names: Any, text: str) -> None:
    """Measurements in another order, or names in another order, give the same estimates and intervals."""
    true = {"alpha": 3e-2, "beta": 0.9, "f": 5e-2} if "^beta" in text else {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}
    measured = noisy(read(text, true).predict(ALL), 0.01)
    model = read(text, BENCHMARKED, FREE)
    one, other = calibrate(model, ALL, measured, FREE), calibrate(model, ALL[list(rows)], measured[list(rows)], names)
    for name in FREE:
        assert other[name].value == pytest.approx(one[name].value, rel=1e-6, abs=1e-12)
        assert other[name].low == pytest.approx(one[name].low, rel=1e-5, abs=1e-12)


def test_bounds_hold_and_are_named() -> None:
    """Values stay within bounds, one at a bound is exactly that, has no interval, and says so; others keep theirs."""
    true = {"alpha": 6e-6, "beta": 4e-10, "f": 9e-10}
    measured = read(LINEAR, true).predict(ALL)
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, bounds={"alpha": (None, 3.3e-7), "beta": (5e-8, None)})
    assert (found["alpha"].value, found["alpha"].at_bound) == (3.3e-7, "high")
    assert (found["beta"].value, found["beta"].at_bound) == (5e-8, "low")
    assert (found["beta"].low, found["beta"].high, found["beta"].ratio_interval) == (None, None, None)
    assert found["f"].at_bound is None
    assert found["f"].low is not None
    assert found["beta"].determined
    parameter = next(parameter for parameter in found.model.parameters if parameter.name == "beta")
    assert parameter.values_of == parameter.low == parameter.high == (5e-8,)


@pytest.mark.parametrize("text", ["nx - alpha * px", "nx - alpha * px^gamma"])
def test_parameters_are_not_negative_unless_asked_for(text: str) -> None:
    """By default a parameter is at least 0; a negative benchmarked value or a bound lifts that, and f stays free."""
    measured = read(text, {"alpha": -3.0, "gamma": 1.0}).predict(ALL)
    free = ("alpha", "gamma")[: 1 + ("gamma" in text)]
    one = dict.fromkeys(free, 1.0)
    found = fitted(text, one, measured, free)
    assert (found["alpha"].value, found["alpha"].at_bound) == (0.0, "low")
    for values, bounds in ((one, {"alpha": (-math.inf, None)}), ({**one, "alpha": -1.0}, {})):
        assert fitted(text, values, measured, free, bounds=bounds)["alpha"].value == pytest.approx(-3)
    found = fitted(text, one, measured, free, bounds={"alpha": (None, -5.0)})
    assert (found["alpha"].value, found["alpha"].at_bound) == (-5.0, "high")


def test_an_interval_ends_at_the_bounds() -> None:
    """An interval has no values that the bounds exclude."""
    measured = noisy(read(LINEAR, {"alpha": 1e-6, "beta": 1e-12, "f": 5e-7}).predict(ALL), 0.1, 3)
    found = fitted(LINEAR, BENCHMARKED, measured, FREE)
    assert found["alpha"].low == 0
    assert found["alpha"].value > 0


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
    """Where no simple combination is determined, the parameters are named without one."""
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


def test_values_that_do_not_count() -> None:
    """Missing values are left out, zeros only from relative residuals, and both are counted."""
    text, measured = "f * nx", read("f * nx", {"f": 2.0}).predict(ALL)
    measured[[3, 7]] = 0.0
    measured[5] = np.nan
    found = fitted(text, {"f": 1.0}, measured, ("f",))
    assert (found.configurations, found.zeros, found.missing) == (17, 2, 1)
    assert found["f"].value == pytest.approx(2)
    found = fitted(text, {"f": 1.0}, measured, ("f",), weights="absolute")
    assert (found.configurations, found.zeros, found.missing) == (19, 0, 1)
    there = ~np.isnan(measured)
    nx = ALL.column("nx")[there]
    assert found["f"].value == pytest.approx(nx @ measured[there] / (nx @ nx))
    residuals = measured[there] - found["f"].value * nx
    assert found.deviation == pytest.approx(math.sqrt(residuals @ residuals / 18))
    negative = fitted(text, {"f": -1.0}, -np.abs(measured), ("f",))
    assert negative["f"].value == pytest.approx(-2)
    nothing = fitted(text, {"f": 1.0}, np.zeros(20), ("f",), weights="absolute")
    assert (nothing["f"].value, nothing.error_after) == (0.0, None)


@pytest.mark.parametrize(
    ("free", "how", "kind", "message"),
    [
        (("alpah",), {}, SpecError, r"no parameter 'alpah'[\s\S]*did you mean 'alpha'"),
        ((), {}, SpecError, "no parameter is free"),
        (("alpha",), {"bounds": {"beta": (1.0, 2.0)}}, SpecError, "'beta' has a bound but is not free"),
        (("alpha",), {"bounds": {"alpha": (2.0, 1.0)}}, SpecError, "alpha cannot lie between 2 and 1"),
        (("alpha",), {"bounds": {"alpha": (1.0, 1.0)}}, SpecError, "alpha cannot lie between 1 and 1"),
        (("alpha",), {"bounds": {"alpha": (math.nan, 1.0)}}, SpecError, "alpha cannot lie"),
        (("alpha",), {"level": 1.0}, SpecError, "cannot have the level 1"),
        (("alpha",), {"weights": "squared"}, SpecError, "unknown weights 'squared'"),
    ],
)
def test_what_cannot_be_asked_for(free: Any, how: Any, kind: type[SplcError], message: str) -> None:
    """Unknown names and bounds, levels and weights that cannot be, are refused with what is wrong."""
    model = read(LINEAR, BENCHMARKED, FREE)
    with pytest.raises(kind, match=message):
        calibrate(model, ALL, np.ones(20), free, **how)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_measurements_as_parameters_are_too_few(count: int) -> None:
    """With no degree of freedom left there is nothing to judge by; one more measurement is enough."""
    model, measured = read(LINEAR, BENCHMARKED, FREE), read(LINEAR, BENCHMARKED).predict(ALL)
    with pytest.raises(MeasurementError, match=r"too few for 3 free parameters[\s\S]*at least 4 are needed"):
        calibrate(model, ALL[:count], measured[:count], FREE)
    assert calibrate(model, ALL[4:8], measured[4:8], FREE).degrees >= 1
    with pytest.raises(MeasurementError, match=r"0 measured values are not 0[\s\S]*--weights absolute"):
        calibrate(model, ALL, np.zeros(20), FREE)
    with pytest.raises(ConfigurationError, match="20 configurations, but values of shape"):
        calibrate(model, ALL, np.ones(3), FREE)


def test_a_model_without_a_value_says_where() -> None:
    """A table without a row, or a logarithm without a value whatever the parameters are, is refused with its place."""
    table = Parameters({"alpha": Table("px", ((1.0, Quantity.exactly(1.0)), (2.0, Quantity.exactly(2.0))))})
    for text in ("alpha * nx", "nx / (1 + alpha)"):
        with pytest.raises(EvaluationError, match=r"alpha, a table over px .* has no value .*px = 3"):
            fitted(text, table, np.ones(20), ("alpha",))
    with pytest.raises(EvaluationError, match="no finite value"):
        fitted("alpha * log(100 - nx)", {"alpha": 1.0}, np.ones(20), ("alpha",))
    with pytest.raises(EvaluationError, match="no finite value"):
        fitted("log(-1 - alpha * nx)", {"alpha": 1.0}, np.ones(20), ("alpha",))


def test_a_start_without_predictions_is_no_end() -> None:
    """Where the model has no value with the benchmarked parameters, others are found from other starts."""
    measured = read("log(1000 - alpha * nx)", {"alpha": 0.5}).predict(ALL)
    found = fitted("log(1000 - alpha * nx)", {"alpha": 20.0}, measured, ("alpha",))
    assert found.error_before is None
    assert found["alpha"].value == pytest.approx(0.5)


def test_steps_cannot_be_estimated() -> None:
    """A parameter inside of a rounding is refused: it changes predictions in steps, and has no derivative there."""
    with pytest.raises(SpecError, match="'alpha' is inside of a rounding"):
        fitted("ceil(alpha * nx) + px", {"alpha": 1.0}, np.ones(20), ("alpha",))


def test_what_is_not_free_stays() -> None:
    """Parameters that are not free keep their values, tables and intervals in the calibrated model."""
    parameters = tabled(1).changed({"beta": Quantity(2.0, 1.0, 4.0)})
    text = "alpha * nx + beta * px + f * nx^2"
    before = read(text, parameters, ("f",))
    found = fitted(text, parameters, noisy(before.predict(ALL), 0.1), ("f",))
    kept = {parameter.name: parameter for parameter in before.parameters}
    for parameter in found.model.parameters:
        assert (parameter == kept[parameter.name]) == (parameter.name != "f")
    assert found.model.terms == before.terms


HYPRE = {
    "1d": ("px", "12 * nx * f + 4 * log2(px) * alpha + 4 * log2(px) * beta"),
    "2d": (
        "py",
        "Lx = log2(nx * px)\nLy = log2(nx * py)\n4 * Ly * (Lx + 1) * alpha + 4 * nx * Ly * beta + 24 * nx^2 * f",
    ),
    "3d": (
        "pz",
        "Lx = log2(nx * px)\nLy = log2(nx * py)\nLz = log2(nx * pz)\n"
        "4 * Lz * (1 + 2 * Ly * (Lx + 1)) * alpha + 4 * nx^2 * (Lz + 2 * Lx + 2 * Ly) * beta + 48 * nx^3 * f",
    ),
}


@pytest.mark.parametrize("variant", sorted(HYPRE))
def test_real_measurements(variant: str) -> None:
    """On SMG2000 the estimates are optimal: no feasible change of a parameter makes the squared residuals smaller."""
    folder = Path(__file__).parents[1] / "casestudies" / "smg2000" / variant
    project = Project.load(folder)
    system = project.variability_model()
    measured = project.measurements(system)
    target = measured.column(project.the_nfp(measured))
    model = read(HYPRE[variant][1], BENCHMARKED, FREE, system)
    found = calibrate(model, measured.configurations, target, FREE)
    assert found.linear
    assert found.error_before is not None
    assert found.error_after is not None
    assert found.error_after < found.error_before
    assert found.error_after == mean_relative_error(found.model.predict(measured.configurations), target)
    whole = with_scale(model, FREE)
    assert whole == model
    free = free_parameters(model, FREE, (), {})
    predicted, slopes = Sensitivity(model, measured.configurations, free)(
        np.array([found[one.name].value / one.unit for one in free])
    )
    pull = (slopes / target[:, np.newaxis]).T @ (1 - predicted / target)
    sizes = np.linalg.norm(slopes / target[:, np.newaxis], axis=0) * math.sqrt(len(target))
    group = {name for each in found.confounded for name in each.names}
    for one, force, size in zip(free, pull, sizes, strict=True):
        if found[one.name].at_bound == "low":
            assert force <= 1e-9 * size
        else:
            assert abs(force) <= 1e-9 * size
    assert group == ({"alpha", "beta"} if variant == "1d" else set())
