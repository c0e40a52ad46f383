"""Semantic comparison of vectors: the thesis' example, weights, and errors."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.measures import DEFAULT_KEYS, MEASURES, mean_power, measure
from comparison.semantic import compare_values, weights_from, weights_of_term
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, SpecError
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, log_term, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_messages

X, Y = option_term("x"), option_term("y")
SYSTEM = VariabilityModel(
    "example",
    (NumericOption("x", tuple(map(float, range(1, 101)))), NumericOption("y", tuple(map(float, range(0, 51, 2))))),
)


@pytest.fixture(scope="module")
def grid() -> Configurations:
    """Return all configurations of the thesis' example (section 4.2): x in 1..100, y in 0..50 by 2."""
    x, y = np.meshgrid(np.arange(1.0, 101), np.arange(0.0, 51, 2))
    return Configurations.from_columns(SYSTEM, {"x": x.ravel(), "y": y.ravel()})


class TestValues:
    def test_example_of_the_thesis(self, grid: Configurations) -> None:
        """The two models of section 4.1 differ by at most 5200 over the grid of section 4.2, as in table 4.1."""
        x, y = grid.value("x"), grid.value("y")
        analytical = 3 * x + 0.4 * y + y**2 + 2 * np.log2(x) * y + x * y
        empirical = 5 * x + 0.5 * x**2 + 3 * y + y**2
        found = compare_values(analytical, empirical, powers=(1, 2, 3, math.inf))
        assert found.configurations == 2600
        assert found.values["chebyshev"] == pytest.approx(5200, rel=1e-14)
        assert found.mean_power["inf"] == found.values["chebyshev"]
        assert (found.left_out, found.left_out_reversed, found.negative, found.weights) == (0, 0, (0, 0), None)

    def test_table_4_1_takes_the_empirical_model_as_reference(self) -> None:
        """The nine configurations of x in {1, 50, 100}, y in {0, 24, 50} give the values of the thesis' table 4.1.

        Its error rate, 36.1 %, is relative to the empirical model, which is the second one.
        """
        x, y = (values.ravel() for values in np.meshgrid([1.0, 50.0, 100.0], [0.0, 24.0, 50.0]))
        analytical = 3 * x + 0.4 * y + y**2 + 2 * np.log2(x) * y + x * y
        empirical = 5 * x + 0.5 * x**2 + 3 * y + y**2
        found = compare_values(analytical, empirical)
        assert found.values["error_rate_reversed"] == pytest.approx(36.19, abs=0.005)
        assert found.values["error_rate"] == pytest.approx(314.6, abs=0.05)
        assert found.values["cosine"] == pytest.approx(0.878, abs=1e-3)
        assert found.values["jaccard"] == pytest.approx(0.659, abs=1e-3)
        assert found.values["chebyshev"] == pytest.approx(5200)
        assert [found.mean_power[power] for power in "123"] == pytest.approx([1244, 4219132, 18170166746], rel=5e-4)

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

    def test_keys_of_the_contract(self) -> None:
        """The default measures and mean powers have the keys of the JSON contract."""
        found = compare_values(np.array([1.0, 2.0]), np.array([2.0, 2.0]))
        assert tuple(found.values) == DEFAULT_KEYS
        assert list(found.mean_power) == ["1", "2", "3"]
        assert found.values["error_rate"] == 50
        assert found.values["error_rate_reversed"] == 25

    def test_chosen_keys(self) -> None:
        """Measures are chosen by key and orders by number, and found under what was asked for."""
        found = compare_values(
            np.array([1.0, 2.0]), np.array([2.0, 4.0]), keys=["minkowski2", "smape"], powers=[2.5, math.inf, 1e6]
        )
        assert found.values == {"minkowski2": math.sqrt(5), "smape": pytest.approx(200 / 3)}
        assert list(found.mean_power) == ["2.5", "inf", "1000000"]
        assert found.mean_power["inf"] == 2

    def test_no_configuration(self) -> None:
        """Over no configuration every measure and every mean is undefined."""
        found = compare_values(np.zeros(0), np.zeros(0), keys=list(MEASURES), weights=np.zeros(0), weighted_by="x")
        assert found.configurations == 0
        assert set(found.values.values()) == set(found.mean_power.values()) == {None}

    def test_zeros_and_negative_values_are_counted(self) -> None:
        """Configurations that an error rate leaves out are counted for each direction, and so are negative values."""
        found = compare_values(np.array([0.0, 0.0, -2.0, 4.0]), np.array([1.0, 0.0, -1.0, -5.0]))
        assert (found.left_out, found.left_out_reversed, found.negative) == (2, 1, (1, 2))
        assert found.values["error_rate"] == pytest.approx(100 * (1 / 2 + 9 / 4) / 2)

    def test_undefined_and_infinite_values(self) -> None:
        """Values that are undefined or not finite are None, so that they can be JSON."""
        found = compare_values(np.array([0.0, 0.0]), np.array([1e300, 1.0]), keys=["error_rate", "cosine", "manhattan"])
        assert found.values == {"error_rate": None, "cosine": None, "manhattan": 1e300}
        assert found.mean_power == {"1": 5e299, "2": None, "3": None}

    def test_inputs_stay(self) -> None:
        """Whole numbers, read-only values and weights are taken, and the result can be copied."""
        assert compare_values(np.array([3, 0], dtype=np.uint8), np.array([0, 4]), keys=["euclidean"]).values == {
            "euclidean": 5
        }
        first, second, weights = np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.array([1.0, 0.0])
        for given_ in (first, second, weights):
            given_.setflags(write=False)
        found = compare_values(first, second, weights=weights)
        assert copy.deepcopy(found) == found

    @given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=9))
    def test_the_learners_error(self, pairs: list[tuple[int, int]]) -> None:
        """The error rate of predictions against measurements is the error that `splc learn` reports."""
        measured, predicted = np.array(pairs, dtype=float).T
        expected = mean_relative_error(predicted, measured)
        found = compare_values(measured, predicted).values["error_rate"]
        assert found == (None if expected is None else pytest.approx(expected))


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

    def test_unnamed_weights(self) -> None:
        """Weights without a name are called given; a name without weights is none."""
        ones = np.ones(2)
        assert compare_values(ones, ones, weights=ones).weights == "given"
        assert compare_values(ones, ones, weighted_by="nothing").weights is None

    @given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9).filter(any))
    def test_weights_from_values(self, values: list[float]) -> None:
        """Weights from values are their sizes in units of the mean size, so that 1 is the mean weight."""
        weights = weights_from(np.array(values))
        assert not weights.flags.writeable
        assert weights.mean() == pytest.approx(1)
        top = int(np.argmax(np.abs(values)))
        assert np.allclose(weights / weights[top], np.abs(values) / abs(values[top]))

    def test_weights_from_nothing(self) -> None:
        """No values give no weights; zeros throughout are refused."""
        assert len(weights_from(np.zeros(0))) == 0
        with pytest.raises(SpecError, match="all values are 0"):
            weights_from(np.zeros(3))
        with pytest.raises(MeasurementError, match="not finite, as nan at configuration 1"):
            weights_from(np.array([1.0, math.nan]))

    def test_share_of_a_term(self, grid: Configurations) -> None:
        """The weight of a term is its share of all contributions, regardless of signs; shares of all terms are 1."""
        model = InfluenceModel.from_terms({CONSTANT: 10.0, X: 3.0, X * Y: -2.0}, order=("x", "y"))
        x, y = grid.value("x"), grid.value("y")
        share = weights_of_term(model, X * Y, grid)
        assert np.allclose(share, 2 * x * y / (10 + 3 * x + 2 * x * y))
        assert not share.flags.writeable
        assert np.allclose(weights_of_term(model, [X, X * Y], grid), 1 - 10 / (10 + 3 * x + 2 * x * y))
        assert (weights_of_term(model, (CONSTANT, X, X * Y), grid) == 1).all()

    def test_shares_where_nothing_contributes(self, grid: Configurations) -> None:
        """If all contributions are 0, every share is 0; huge contributions have shares as well."""
        model = InfluenceModel.from_terms({Y: 1e307, X * Y: 1e306})
        share, y = weights_of_term(model, Y, grid[:150]), grid[:150].value("y")
        assert (share[y == 0] == 0).all()
        assert np.allclose(share[y > 0], 1 / (1 + grid[:150].value("x")[y > 0] / 10))
        assert len(weights_of_term(model, Y, grid[:0])) == 0

    def test_terms_that_give_no_weights(self, grid: Configurations) -> None:
        """A term that is not in the model, that contributes nothing, or has no value somewhere, is refused."""
        model = InfluenceModel.from_terms({X: 1.0, Y: 0.0, log_term("y"): 0.0}, order=("x", "y"))
        with pytest.raises(SpecError, match=r"no term 'x \* y'"):
            weights_of_term(model, X * Y, grid)
        with pytest.raises(SpecError, match="y contributes nothing"):
            weights_of_term(model, Y, grid)
        with pytest.raises(SpecError, match="at least one term"):
            weights_of_term(model, [], grid)
        with pytest.raises(ConfigurationError, match="no finite value"):
            weights_of_term(InfluenceModel.from_terms({log_term("y"): 1.0}), log_term("y"), grid)


class TestErrors:
    def test_values(self) -> None:
        """Values that are not one finite number per configuration are refused, with the place."""
        check_messages("values", lambda text: compare_values(*map(np.array, json.loads(text))))
        with pytest.raises(MeasurementError, match="not numbers"):
            compare_values(np.array([1j]), np.ones(1))

    def test_weights(self) -> None:
        """Weights that are not one number ≥ 0 per configuration, or all 0, are refused."""
        two = np.ones(2)
        check_messages("weights", lambda text: compare_values(two, two, weights=np.array(json.loads(text))))

    def test_settings(self) -> None:
        """An unknown measure and an order below 1 are refused, also where there is nothing to compare."""
        with pytest.raises(SpecError, match="unknown measure 'cosin'"):
            compare_values(np.zeros(0), np.zeros(0), keys=["cosin"])
        with pytest.raises(SpecError, match=r"cannot be 0\.5"):
            compare_values(np.zeros(0), np.zeros(0), powers=[0.5])
        with pytest.raises(SpecError, match="cannot be nan"):
            mean_power(np.ones(1), np.ones(1), math.nan)
