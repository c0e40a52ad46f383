"""Intervals of comparisons: by confidence, and by corners of uncertain parameters."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from comparison.intervals import (
    compare_intervals,
    coverage,
    influence_intervals,
    parameter_intervals,
    prediction_intervals,
)
from splc.data.configurations import Configurations
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.terms import CONSTANT, log_term, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls, check_messages

SYSTEM = VariabilityModel.of({"b": bool, "c": bool, "x": [1, 2, 5, 10], "y": [1e3, 1e6, 2e6]})
ALL = Configurations(SYSTEM, np.array([*itertools.product(range(2), range(2), range(4), range(3))]))
B, X, Y = option_term("b"), option_term("x"), option_term("y")
TERMS = (CONSTANT, B, X * X, Y, log_term("x"), X * Y)


def model_of(influences: dict[Any, float], link: Any = "identity") -> InfluenceModel:
    """Return the model with these influences."""
    return InfluenceModel.from_terms(influences, SYSTEM.names, link)


def matrix_of(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the values of the terms, shape (n, terms)."""
    columns = [term.evaluate(configurations.column) * np.ones(len(configurations)) for term, _ in model.terms]
    return np.stack(columns, axis=1)


noises = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=len(ALL)))
subsets = st.lists(st.sampled_from(TERMS), min_size=1, unique=True)


@given(subsets, noises, st.floats(0.01, 0.99), st.sampled_from([1e-90, 1.0, 1e90]))
def test_against_the_textbook(terms: list[Any], noise: Array, level: float, unit: float) -> None:
    """Bands are those of the textbook's formula with an inverted matrix, in any unit of the property."""
    model = model_of(dict.fromkeys(terms, 0.5 * unit))
    measured = model.predict(ALL) + unit * noise
    found = influence_intervals(model, ALL, measured, level)
    X = matrix_of(model, ALL)
    lengths = np.linalg.norm(X, axis=0)
    inverse = np.linalg.inv((X / lengths).T @ (X / lengths)) / np.outer(lengths, lengths)
    y = measured / unit
    refit = np.linalg.lstsq(X / lengths, y)[0] / lengths
    degrees = len(ALL) - len(terms)
    variance = np.sum((y - X @ refit) ** 2) / degrees
    assert found.fit.freedom == degrees
    assert found.fit.deviation == pytest.approx(unit * math.sqrt(variance), rel=1e-6)
    band = prediction_intervals(found, ALL)
    width = stats.t.ppf((1 + level) / 2, degrees) * np.sqrt(variance * np.sum((X @ inverse) * X, axis=1))
    np.testing.assert_allclose((band[1] - band[0]) / unit, 2 * width, rtol=1e-5, atol=1e-9 * np.abs(y).max())


@given(subsets, noises)
def test_the_model_lies_within(terms: list[Any], noise: Array) -> None:
    """A model lies within its own intervals, and single values have wider ones than means."""
    model = model_of(dict.fromkeys(terms, 2.0))
    found = influence_intervals(model, ALL, 1e3 * noise)
    mean, single = prediction_intervals(found, ALL), prediction_intervals(found, ALL, single=True)
    predicted = model.predict(ALL)
    assert (mean[0] <= predicted).all()
    assert (predicted <= mean[1]).all()
    assert (single[0] < mean[0]).all()
    assert (mean[1] < single[1]).all()


@given(noises)
def test_logarithmic_link(noise: Array) -> None:
    """A model of logarithms has the exponentials of the logarithms' band as band."""
    terms = {CONSTANT: 0.1, B: 0.5, log_term("x"): 1.0}
    logarithms, model = model_of(terms), model_of(terms, "log")
    measured = logarithms.predict(ALL) + 0.1 * noise
    plain = influence_intervals(logarithms, ALL, measured)
    found = influence_intervals(model, ALL, np.exp(measured))
    np.testing.assert_allclose(prediction_intervals(found, ALL), np.exp(prediction_intervals(plain, ALL)), rtol=1e-9)


@given(noises)
def test_collinear_terms(noise: Array) -> None:
    """Bands are infinite where collinear terms differ, and elsewhere those without one of them."""
    same = ALL[ALL.value("b") == ALL.value("c")]
    measured = noise[: len(same)]
    model = model_of({CONSTANT: 1.0, B: 2.0, option_term("c"): 3.0, X: 4.0})
    found = influence_intervals(model, same, measured)
    fewer = influence_intervals(model_of({CONSTANT: 1.0, B: 5.0, X: 4.0}), same, measured)
    assert found.fit.freedom == len(same) - 3
    band = prediction_intervals(found, ALL)
    tellable = ALL.value("b") == ALL.value("c")
    np.testing.assert_allclose(band[:, tellable], prediction_intervals(fewer, same), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(band[:, ~tellable], np.tile([[-np.inf], [np.inf]], (~tellable).sum()))
    logarithmic = influence_intervals(model_of({B: 0.1, option_term("c"): 0.1}, "log"), same, np.exp(measured))
    band = prediction_intervals(logarithmic, ALL)
    np.testing.assert_array_equal(band[:, ~tellable], np.tile([[0.0], [np.inf]], (~tellable).sum()))


@pytest.mark.parametrize("number", [250, pytest.param(1000, marks=pytest.mark.slow)])
def test_coverage_of_simulated_data(number: int) -> None:
    """Over simulated measurements, the coverage of intervals is about their level."""
    truth = model_of({CONSTANT: 5.0, B: 2.0, X: 0.5, log_term("x"): 1.0})
    means = truth.predict(ALL)
    rng = np.random.default_rng(7)
    held: list[list[float]] = []
    for _ in range(number):
        measured = means + rng.normal(size=len(ALL))
        refit = influence_intervals(truth, ALL, measured).fit.coefficients
        learned = model_of(dict(zip(truth.influences, refit.tolist(), strict=True)))
        found = influence_intervals(learned, ALL, measured, 0.9)
        new = means + rng.normal(size=len(ALL))
        single = prediction_intervals(found, ALL, single=True)
        held.append([coverage(means, prediction_intervals(found, ALL)), coverage(new, single)])
    np.testing.assert_allclose(np.mean(held, axis=0), 0.9, atol=0.02)


def test_wrong_measurements() -> None:
    """Too few measurements, and values that cannot be fitted, are refused with the configuration."""

    def reject(text: str) -> None:
        values, link = json.loads(text)
        influence_intervals(model_of({CONSTANT: 1.0, X: 1.0}, link), ALL[[0, 3, 6][: len(values)]], np.array(values))

    check_messages("fits", reject)


@pytest.mark.parametrize("link", ["identity", "log"])
def test_intervals_of_a_new_run(link: Any) -> None:
    """Nine of ten runs lie in the intervals of a new run where runs scatter more than their means."""
    truth = model_of({CONSTANT: 5.0, B: 2.0, X: 0.5}, link)
    noise = np.random.default_rng(1).normal(size=(len(ALL), 20))
    values = truth.predict(ALL)[:, None]
    runs = values + noise if link == "identity" else values * np.exp(noise)
    runs[0, 3:] = np.nan
    found = influence_intervals(truth, ALL, np.nanmean(runs, axis=1), 0.9, runs)
    single = prediction_intervals(found, ALL, single=True)
    assert 0.85 < coverage(runs, single) < 0.97
    means = influence_intervals(truth, ALL, np.nanmean(runs, axis=1), 0.9)
    assert coverage(runs, prediction_intervals(means, ALL, single=True)) < 0.6
    np.testing.assert_array_equal(prediction_intervals(found, ALL), prediction_intervals(means, ALL))


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


LINE = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 3.0)),))
POINTS_OF_LINE = Configurations.from_columns(LINE, {"x": [1, 2, 3]})


def overlap(first: list[list[float]], second: list[list[float]], level: float = 0.9) -> Lines:
    """Return the comparison of intervals, pairs of ends."""
    found = compare_intervals(np.array(first).T, np.array(second).T, level)
    return Lines(f"{found.overlapping} overlap, {found.jaccard}, {found.hausdorff} apart, lengths {found.width}")


def covered(values: list[float], first: float = 0.0, last: float = 1.0) -> float:
    """Return the coverage of values by five intervals."""
    return coverage(np.array(values), np.array([[first] * 5, [last] * 5]))


def bounds(text: str, **parameters: Quantity | ParameterTable) -> list[list[float]] | None:
    """Return the least and the greatest predictions of an analytical model at x = 1, 2, 3."""
    model = parse_model_text(Source("m", text.encode()), LINE, Parameters(parameters))
    found = parameter_intervals(model, POINTS_OF_LINE)
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
    weighted = zip(rng.random(99), products, strict=False)
    text = " + ".join(f"{weight:.6f} * x * {' * '.join(c)}" for weight, c in weighted)
    quantities = {name: Quantity(low, low, high) for name, (low, high) in zip(names, box, strict=True)}
    model = parse_model_text(Source("m", text.encode()), LINE, Parameters(quantities))

    def predicted(values: Iterable[float]) -> Array:
        at = dict(zip(names, values, strict=True))
        derived = tuple(replace(p, values_of=(at[p.name],)) for p in model.parameters)
        return replace(model, derived=derived).predict(POINTS_OF_LINE)

    found = parameter_intervals(model, POINTS_OF_LINE)
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
