"""Predictions as intervals, and their comparison."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.intervals import compare_intervals, coverage, parameter_intervals
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, SpecError
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import check_messages

ends = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))


def intervals_of(count: int) -> st.SearchStrategy[Array]:
    """Intervals of so many configurations, some without length."""
    pair = st.tuples(ends, ends).map(sorted)
    return st.lists(pair, min_size=count, max_size=count).map(lambda pairs: np.array(pairs).T)


couples = st.integers(1, 5).flatmap(lambda n: st.tuples(intervals_of(n), intervals_of(n), intervals_of(n)))


@given(couples)
def test_against_single_intervals(some: tuple[Array, Array, Array]) -> None:
    """All values are those of a plain loop over the configurations."""
    overlaps, unions, distances, common = [], [], [], 0
    for (a, b), (c, d) in zip(some[0].T, some[1].T, strict=True):
        overlap = max(0.0, min(b, d) - max(a, c))
        common += min(b, d) >= max(a, c)
        overlaps.append(overlap)
        unions.append((b - a) + (d - c) - overlap)
        # By the definition: the farthest that a point of one interval can be from the other interval.
        gaps = [max(low - x, x - high, 0.0) for x, low, high in ((a, c, d), (b, c, d), (c, a, b), (d, a, b))]
        distances.append(max(gaps))
    found = compare_intervals(some[0], some[1], 0.5)
    assert found.overlapping == common / len(overlaps)
    assert found.hausdorff == pytest.approx(math.fsum(distances) / len(distances))
    if math.fsum(unions) > 1e-6:
        assert found.jaccard == pytest.approx(math.fsum(overlaps) / math.fsum(unions), abs=1e-9)


def test_degenerate_intervals() -> None:
    """Points overlap where they are equal, intervals that touch do too, but neither shares a length."""
    points = compare_intervals(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([[1.0, 5.0], [1.0, 5.0]]), 0.9)
    assert (points.overlapping, points.jaccard, points.hausdorff) == (0.5, None, 1.5)
    touching = compare_intervals(np.array([[0.0], [1.0]]), np.array([[1.0], [2.0]]), 0.9)
    assert (touching.overlapping, touching.jaccard, touching.hausdorff) == (1.0, 0.0, 1.0)


def test_infinite_intervals() -> None:
    """Infinite intervals overlap all others; what would be infinity by infinity is undefined."""
    line, unit = np.array([[-math.inf], [math.inf]]), np.array([[0.0], [1.0]])
    found = compare_intervals(line, unit, 0.9)
    assert (found.overlapping, found.jaccard, found.hausdorff, found.width) == (1.0, 0.0, math.inf, (math.inf, 1.0))
    found = compare_intervals(line, line, 0.9)
    assert (found.overlapping, found.jaccard, found.hausdorff) == (1.0, None, 0.0)
    # Both ends are the same infinity.
    end = np.array([[math.inf], [math.inf]])
    found = compare_intervals(end, unit, 0.9)
    assert (found.overlapping, found.jaccard, found.hausdorff, found.width) == (0.0, 0.0, math.inf, (0.0, 1.0))
    found = compare_intervals(end, line, 0.9)
    assert (found.overlapping, found.hausdorff, found.width) == (1.0, math.inf, (0.0, math.inf))


def test_wrong_intervals() -> None:
    """Invalid intervals and different numbers of intervals are refused."""

    def reject(text: str) -> None:
        first, second = (np.array(each) for each in json.loads(text))
        compare_intervals(first, second, 0.95)

    check_messages("intervals", reject)


def test_wrong_level() -> None:
    """A level in percent is refused."""
    unit = np.array([[0.0], [1.0]])
    with pytest.raises(SpecError, match="a fraction"):
        compare_intervals(unit, unit, 95)


def test_coverage() -> None:
    """Values at the ends are covered, unmeasured ones do not count, and nothing measured is an error."""
    intervals = np.array([[0.0, 0.0, 0.0, 0.0, 0.0], [1.0] * 5])
    assert coverage(np.array([0.0, 1.0, 0.5, 1.1, math.nan]), intervals) == 0.75
    with pytest.raises(MeasurementError, match="no configuration has a measured value"):
        coverage(np.full(5, math.nan), intervals)
    with pytest.raises(ConfigurationError, match="2 measured values"):
        coverage(np.zeros(2), intervals)


SYSTEM = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 3.0)),))
ALL = Configurations.from_columns(SYSTEM, {"x": [1, 2, 3]})


boxes = st.lists(st.tuples(ends, ends).map(sorted), min_size=1, max_size=4)


@examples(25)
@given(boxes, st.integers(0, 99))
def test_corners_bound_models_that_are_linear_in_each_parameter(box: list[list[float]], seed: int) -> None:
    """No parameters in the box give a prediction outside of the bounds, and some corner reaches each bound."""
    rng = np.random.default_rng(seed)
    names = [f"p{k}" for k in range(len(box))]
    products = [c for r in range(1, len(box) + 1) for c in itertools.combinations(names, r)]
    text = " + ".join(
        f"{weight:.6f} * x * {' * '.join(c)}" for weight, c in zip(rng.random(99), products, strict=False)
    )

    quantities = {name: Quantity(low, low, high) for name, (low, high) in zip(names, box, strict=True)}
    model = parse_model_text(Source("m", text.encode()), SYSTEM, Parameters(quantities))

    def predicted(values: Iterable[float]) -> Array:
        at = dict(zip(names, values, strict=True))
        return replace(model, derived=tuple(replace(p, values_of=(at[p.name],)) for p in model.parameters)).predict(ALL)

    found = parameter_intervals(model, ALL)
    corners = np.array([predicted(corner) for corner in itertools.product(*box)])
    if all(low == high for low, high in box):
        assert found is None
        found = np.array([corners[0], corners[0]])
    assert found is not None
    np.testing.assert_array_equal(found, [corners.min(axis=0), corners.max(axis=0)])
    slack = 1e-9 * (1 + np.abs(found).max())
    for _ in range(3):
        inside = predicted(rng.uniform(low, high) for low, high in box)
        assert (found[0] - slack <= inside).all()
        assert (inside <= found[1] + slack).all()


def test_corner_count() -> None:
    """Parameters without an interval double nothing; more than twelve with one are refused."""

    def of(varying: int) -> Array | None:
        quantities = {f"p{k}": Quantity(1.0, 1.0, 2.0 if k < varying else 1.0) for k in range(40)}
        return parameter_intervals(parse_model_text(Source("m", b"x * p0"), SYSTEM, Parameters(quantities)), ALL)

    np.testing.assert_array_equal(of(1), [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]])
    many = Parameters({f"p{k}": Quantity(1.0, 1.0, 2.0) for k in range(13)})
    model = parse_model_text(Source("m", " + ".join(many.quantities).encode()), SYSTEM, many)
    with pytest.raises(SpecError, match="13 parameters have bounds, at most 12 can"):
        parameter_intervals(model, ALL)


def test_intervals_of_parameters_are_those_of_predictions() -> None:
    """Each parameter with an interval is at both ends, all rows of a table together; others stay what they are."""
    parameters = Parameters(
        {
            "a": Quantity(2.0, 1.0, 4.0),
            "b": Quantity.exactly(3.0),
            "c": ParameterTable("x", tuple((x, Quantity(10 * x, 9 * x, 20 * x)) for x in (1.0, 2.0, 3.0))),
        }
    )
    model = parse_model_text(Source("m", b"-a * x + b + c"), SYSTEM, parameters)
    x = np.array([1.0, 2.0, 3.0])
    found = parameter_intervals(model, ALL)
    assert found is not None
    np.testing.assert_allclose(found, [-4 * x + 3 + 9 * x, -x + 3 + 20 * x])


def test_without_intervals_of_parameters_there_are_none_of_predictions() -> None:
    """A model whose parameters are plain numbers or tables of them has no intervals; unknown ones are refused."""
    unknown = Parameters({"a": Quantity.undetermined(2.0), "b": Quantity(1.0, 0.0, 2.0)})
    with pytest.raises(SpecError, match="a is not determined"):
        parameter_intervals(parse_model_text(Source("m", b"a * x + b"), SYSTEM, unknown), ALL)
    parameters = Parameters({"c": ParameterTable("x", tuple((x, Quantity.exactly(x)) for x in (1.0, 2.0, 3.0)))})
    assert parameter_intervals(parse_model_text(Source("m", b"c * x"), SYSTEM, parameters), ALL) is None


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_lengths_of_any_size(unit: float) -> None:
    """Huge and tiny predictions are compared as others are, without infinite sums."""
    first = np.array([[0.0] * 30, [2.0] * 30])
    second = np.array([[1.0] * 30, [4.0] * 30])
    plain, other = compare_intervals(first, second, 0.9), compare_intervals(first * unit, second * unit, 0.9)
    assert other.jaccard == pytest.approx(plain.jaccard)
    assert other.hausdorff == pytest.approx(2 * unit)
    assert other.width == pytest.approx((2 * unit, 3 * unit))
