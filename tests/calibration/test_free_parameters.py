"""Free parameters, and the derivatives of predictions by them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from splc.calibration.free_parameters import Sensitivity, free_parameters
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Parameter
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.calibration_problems import ALL, LINEAR, read

INF = math.inf


def table(*values: float) -> Parameter:
    """Return a table with these rows."""
    return Parameter("t", values, values, values, "px", tuple(float(key) for key in range(len(values))))


@pytest.mark.parametrize(
    ("value", "bound", "low", "high", "unit", "start"),
    [
        (2.0, (None, None), 0.0, INF, 2.0, 1.0),
        (0.0, (None, None), 0.0, INF, 1.0, 0.0),
        (-2.0, (None, None), -INF, INF, 2.0, -1.0),
        (2.0, (3.0, None), 3.0, INF, 2.0, 1.5),
        (2.0, (None, 1.0), 0.0, 1.0, 2.0, 0.5),
        (2.0, (None, 0.0), -INF, 0.0, 2.0, 0.0),
        (2.0, (None, -1.0), -INF, -1.0, 2.0, -0.5),
        (-2.0, (-1.0, None), -1.0, INF, 2.0, -0.5),
    ],
)
def test_default_bounds(
    value: float, bound: tuple[float | None, float | None], low: float, high: float, unit: float, start: float
) -> None:
    """A parameter is at least 0, unless its value or its upper bound is not; the start is its value, within bounds."""
    model = read("alpha * nx", {"alpha": value}, ("alpha",))
    for guessed in (False, True):
        [one] = free_parameters(model, ("alpha",), ("alpha",) if guessed else (), {"alpha": bound})
        assert (one.low, one.high, one.unit, one.start) == (low, high, unit, start)
        assert one.benchmarked == (None if guessed else value)
        assert one.name == "alpha"


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
