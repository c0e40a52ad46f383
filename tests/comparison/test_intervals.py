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
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls, check_messages

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


def test_wrong_intervals() -> None:
    """Invalid intervals and different numbers of intervals are refused."""

    def reject(text: str) -> None:
        first, second = (np.array(each) for each in json.loads(text))
        compare_intervals(first, second, 0.95)

    check_messages("intervals", reject)


SYSTEM = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 3.0)),))
ALL = Configurations.from_columns(SYSTEM, {"x": [1, 2, 3]})


def overlap(first: list[list[float]], second: list[list[float]], level: float = 0.9) -> Lines:
    """Return the comparison of intervals, pairs of ends."""
    found = compare_intervals(np.array(first).T, np.array(second).T, level)
    return Lines(f"{found.overlapping} overlap, {found.jaccard}, {found.hausdorff} apart, lengths {found.width}")


def covered(values: list[float], first: float = 0.0, last: float = 1.0) -> float:
    """Return the coverage of values by five intervals."""
    return coverage(np.array(values), np.array([[first] * 5, [last] * 5]))


def bounds(text: str, **parameters: Quantity | ParameterTable) -> list[list[float]] | None:
    """Return the least and the greatest predictions of an analytical model at x = 1, 2, 3."""
    model = parse_model_text(Source("m", text.encode()), SYSTEM, Parameters(parameters))
    found = parameter_intervals(model, ALL)
    return None if found is None else found.tolist()


def by_x(*quantities: Quantity) -> ParameterTable:
    """Return a table over x with these quantities."""
    return ParameterTable("x", tuple(zip((1.0, 2.0, 3.0), quantities, strict=True)))


def test_known_intervals() -> None:
    """Points, infinite intervals, coverage, bounds of parameters, and messages are those of the golden file."""
    many = {f"p{k}": Quantity(1.0, 1.0, 2.0) for k in range(13)}
    calls = (overlap, covered, bounds, by_x, Quantity)
    check_calls("intervals-of-predictions", *calls, many=many, unknown=Quantity.undetermined(2.0))


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
