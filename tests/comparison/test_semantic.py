"""Semantic comparison of vectors: the thesis' example, weights, and errors."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.measures import MEASURES, mean_power, measure
from comparison.semantic import compare_values, weights_from, weights_of_term
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, log_term, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, check_messages, shown

X, Y = option_term("x"), option_term("y")
SYSTEM = VariabilityModel(
    "example",
    (NumericOption("x", tuple(map(float, range(1, 101)))), NumericOption("y", tuple(map(float, range(0, 51, 2))))),
)


def grid() -> Configurations:
    """Return all configurations of the thesis' example (section 4.2): x in 1..100, y in 0..50 by 2."""
    x, y = np.meshgrid(np.arange(1.0, 101), np.arange(0.0, 51, 2))
    return Configurations.from_columns(SYSTEM, {"x": x.ravel(), "y": y.ravel()})


def found(first: Sequence[float], second: Sequence[float], **settings: Any) -> Lines:
    """Return the comparison of two vectors of values: its numbers, then the rest."""
    compared = compare_values(np.array(first), np.array(second), **settings)
    numbers = {key: shown(value) for key, value in (*compared.values.items(), *compared.mean_power.items())}
    counts = compared.left_out, compared.left_out_reversed, compared.negative
    lines = [" ".join(f"{key}={value}" for key, value in numbers.items())]
    return Lines(
        "\n".join([*lines, f"of {compared.configurations}, {counts}, {compared.weights}, {compared.reference}"])
    )


def thesis(x: Sequence[float], y: Sequence[float], **settings: Any) -> Lines:
    """Return the comparison of the models of section 4.1 of the thesis on a grid."""
    a, b = (values.ravel() for values in np.meshgrid(x, y))
    analytical = 3 * a + 0.4 * b + b**2 + 2 * np.log2(a) * b + a * b
    return found(analytical.tolist(), (5 * a + 0.5 * a**2 + 3 * b + b**2).tolist(), **settings)


class TestValues:
    def test_known_values(self) -> None:
        """The thesis' tables, keys, zeros, and values that are undefined are those of the golden file."""
        check_calls("compared-values", found, thesis, measures=[*MEASURES], range=lambda *ends: [*range(*ends)])

    @given(st.lists(st.tuples(*[st.floats(0.1, 10)] * 2), min_size=2, max_size=9))
    def test_the_reference_exchanges_directed_measures(self, pairs: list[tuple[float, float]]) -> None:
        """Relative to the second values, directed measures are those of exchanged values, but for the error rates."""
        first, second = np.array(pairs).T
        keys = tuple(MEASURES)
        there = compare_values(first, second, keys=keys)
        relative = compare_values(first, second, keys=keys, reference="second")
        back = compare_values(second, first, keys=keys)
        rates = ("error_rate", "error_rate_reversed")
        assert [relative.values[key] for key in rates] == [there.values[key] for key in rates]
        assert [relative.values[key] for key in rates[::-1]] == [back.values[key] for key in rates]
        directed = ("median_relative_error", "max_relative_error", "r2")
        for key in set(keys) - set(rates):
            assert relative.values[key] == (back if key in directed else there).values[key]
        assert (there.reference, relative.reference) == ("first", "second")


class TestWeights:
    @given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.integers(0, 3)), min_size=1, max_size=9))
    def test_every_value_is_weighted(self, rows: list[tuple[float, float, int]]) -> None:
        """Each value is that of the measure with the same weights, and so are the mean powers."""
        a, b, w = np.array(rows, dtype=float).T
        w[0] += 1
        found = compare_values(a, b, keys=list(MEASURES), weights=w, weighted_by="the third column")
        assert found.weights == "the third column"
        for key, value in found.values.items():
            expected = measure(key)(a, b, w)
            assert value == (None if not math.isfinite(expected) else expected)
        assert found.mean_power["2"] == pytest.approx(mean_power(a, b, 2, w))

    @given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9).filter(any))
    def test_weights_from_values(self, values: list[float]) -> None:
        """Weights from values are their sizes in units of the mean size, so that 1 is the mean weight."""
        weights = weights_from(np.array(values))
        assert not weights.flags.writeable
        assert weights.mean() == pytest.approx(1)
        top = int(np.argmax(np.abs(values)))
        assert np.allclose(weights / weights[top], np.abs(values) / abs(values[top]))

    def test_share_of_a_term(self) -> None:
        """The weight of a term is its share of all contributions, regardless of signs; shares of all terms are 1."""
        model = InfluenceModel.from_terms({CONSTANT: 10.0, X: 3.0, X * Y: -2.0}, order=("x", "y"))
        every = grid()
        x, y = every.value("x"), every.value("y")
        share = weights_of_term(model, X * Y, every)
        assert np.allclose(share, 2 * x * y / (10 + 3 * x + 2 * x * y))
        assert not share.flags.writeable
        assert np.allclose(weights_of_term(model, [X, X * Y], every), 1 - 10 / (10 + 3 * x + 2 * x * y))
        assert (weights_of_term(model, (CONSTANT, X, X * Y), every) == 1).all()

    def test_terms_that_give_no_weights(self) -> None:
        """A term that is not in the model, that contributes nothing, or has no value somewhere, is refused."""
        model = InfluenceModel.from_terms({X: 1.0, Y: 0.0, log_term("y"): 0.0}, order=("x", "y"))
        undefined = InfluenceModel.from_terms({log_term("y"): 1.0})
        names = {"model": model, "undefined": undefined, "X": X, "Y": Y, "LOG": log_term("y"), "grid": grid()}
        check_calls("weights-of-terms", weights_of_term, weights_from, array=np.array, **names)


class TestErrors:
    def test_values(self) -> None:
        """Values that are not one finite number per configuration are refused, with the place."""
        check_messages("values", lambda text: compare_values(*map(np.array, json.loads(text))))

    def test_weights(self) -> None:
        """Weights that are not one number ≥ 0 per configuration, or all 0, are refused."""
        two = np.ones(2)
        check_messages("weights", lambda text: compare_values(two, two, weights=np.array(json.loads(text))))
