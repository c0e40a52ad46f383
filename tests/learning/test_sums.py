"""Sums of the models of parts: exact ones, full models, facts, and parts that contradict their values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError, LearningError, SpecError
from splc.learning import Part, learn, learn_sum
from splc.learning.projection.predictor import EnsembleSum
from splc.learning.sums import SumResult, parts_of
from splc.models.terms import option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.conftest import ALL_FUNCTIONS
from tests.support.golden_messages import check_messages

SYSTEM = VariabilityModel(
    "m",
    (
        BinaryOption("pack", optional=True),
        NumericOption("x", tuple(map(float, range(1, 9)))),
        NumericOption("y", (1.0, 2.0, 5.0)),
    ),
    observed=("level_1", "C_0", "C_1", "zero"),
)
SETTINGS = {"learn_logFunction": True, "quadraticFunctionSupport": True, "minImprovementPerRound": 0.0}


@pytest.fixture(scope="module")
def measured() -> Measurements:
    """Return a system with two levels, the second one only for x >= 4, and a part that `pack` switches on."""
    size = [option.size for option in SYSTEM.options]
    indices = np.array([(a, b, c) for a in range(size[0]) for b in range(size[1]) for c in range(size[2])])
    plain = Configurations(SYSTEM, indices)
    pack, x, y = (plain.value(name) for name in ("pack", "x", "y"))
    there = x >= 4
    columns = {
        "level_1": np.where(there, 1.0, np.nan),
        "C_0": x**2 * y,
        "C_1": np.where(there, x * y + 1, np.nan),
        "zero": np.where(there, x, 0.0),
    }
    some = Configurations(SYSTEM, indices, Observed(columns, np.ones(len(indices), dtype=bool)))
    parts = {
        "seconds_0": 3 * columns["C_0"] + 7,
        "seconds_1": np.where(there, 2 * (x * y + 1) + 5, np.nan),
        "packing": np.where(pack == 1, 4 * y, 0.0),
    }
    whole = sum(np.nan_to_num(part) for part in parts.values())
    return Measurements(some, {**parts, "seconds": np.asarray(whole)})


PARTS = (Part("seconds_0", observed=("C_0",)), Part("seconds_1", "level_1", ("C_1",)), Part("packing", "pack"))


@pytest.fixture(scope="module")
def found(measured: Measurements) -> SumResult:
    """Return the sum of the full models of 30 rows."""
    return learn_sum(measured, PARTS, "seconds", learning_set=np.random.default_rng(1).permutation(48)[:30])


class TestObserved:
    def test_observed_variables_are_candidates_when_asked_for(self, measured: Measurements) -> None:
        """Without them no model has one; with them what depends on one is found exactly."""
        plain = learn(measured, "seconds_1", preset="splconqueror", settings=SETTINGS)
        assert plain.model.options <= {"pack", "x", "y"}
        assert "observed" not in plain.provenance
        found = learn(measured, "seconds_1", preset="splconqueror", settings=SETTINGS, observed=["C_*"])
        assert found.model.influences[option_term("C_1")] == pytest.approx(2)
        assert found.error_all == pytest.approx(0, abs=1e-9)
        assert found.provenance["observed"] == ["C_0", "C_1"]

    def test_a_variable_that_is_zero_somewhere_has_no_logarithm(self, measured: Measurements) -> None:
        """A logarithm or reciprocal is offered only if all measured configurations allow it, learned from or not."""
        rows = np.flatnonzero(measured.configurations.value("x") >= 4)
        settings = {**SETTINGS, "learn_asymFunction": True, "learn_ratioFunction": True}
        found = learn(
            measured, "seconds", learning_set=rows, preset="splconqueror", settings=settings, observed=["zero"]
        )
        factors = [factor for term, _ in found.model.terms for factor in term.factors if factor.option == "zero"]
        assert all(factor.log == 0 and factor.power > 0 for factor in factors)
        assert np.isfinite(found.model.predict(measured.configurations)).all()

    @pytest.mark.parametrize("seed", range(3))
    def test_the_learned_model_is_what_was_fitted(self, measured: Measurements, seed: int) -> None:
        """With every kind of function on, the expanded model has the learning error that the rounds had."""
        settings = {**SETTINGS, **ALL_FUNCTIONS, "numberOfRounds": 6}
        rows = np.random.default_rng(seed).permutation(len(measured))[:30]
        target = measured["seconds"] * np.random.default_rng(seed).uniform(0.7, 1.4, len(measured))
        noisy = Measurements(measured.configurations, {"seconds": target})
        found = learn(noisy, "seconds", learning_set=rows, preset="splconqueror", settings=settings, observed=["*"])
        assert found.learning_error == pytest.approx(found.rounds[-1].learning_error, rel=1e-6)

    def test_what_is_wrong_is_said(self, measured: Measurements) -> None:
        """An unknown variable, and a measured configuration that was not observed, are errors."""
        with pytest.raises(SpecError, match="no observed variable matches 'D'"):
            learn(measured, "seconds", observed=["D"])
        bare = Measurements(Configurations(SYSTEM, measured.configurations.indices), measured.values)
        with pytest.raises(ConfigurationError, match="C_0 was not observed for configuration 0"):
            learn(bare, "seconds", observed=["C_0"])
        assert learn(bare, "seconds", preset="splconqueror").learning_configurations == len(bare)


def exact(measured: Measurements, parts: Sequence[Part] = PARTS, **further: Any) -> SumResult:
    """Return the sum that SPL Conqueror's algorithm finds."""
    return learn_sum(measured, parts, "seconds", preset="splconqueror", **{"settings": SETTINGS, **further})


def counts_of(part: Part, configurations: Configurations) -> Array:
    """Return which configurations have a part."""
    return np.ones(len(configurations), bool) if part.where is None else configurations.column(part.where) == 1


class TestSum:
    def test_a_sum_of_parts_is_found_exactly(self, measured: Measurements) -> None:
        """The sum of the learned parts has no error on the whole; 0 is as good as no value where a part is not."""
        found = exact(measured)
        assert found.whole.error_all == pytest.approx(0, abs=1e-9)
        terms = {term.text(): round(value, 9) for term, value in found.whole.model.terms if abs(value) > 1e-9}
        assert terms == {"1": 7, "C_0": 3, "C_1": 2, "level_1": 5, "pack * y": 4}
        values = {**measured.values, "seconds_1": np.nan_to_num(measured.values["seconds_1"])}
        filled = exact(Measurements(measured.configurations, values))
        assert filled.whole.model == found.whole.model
        assert filled.whole.notes == found.whole.notes == ()

    def test_facts_of_parts(self, measured: Measurements) -> None:
        """Every part is recorded with its errors; a part that nothing has is missing from the sum, as a note says."""
        rows = np.flatnonzero(measured.configurations.value("x") < 4)
        found = exact(measured, learning_set=rows)
        facts, first = found.whole.provenance["parts"], found.parts[0][1]
        assert facts[1] == {"nfp": "seconds_1", "where": "level_1", "observed": [], "learning_configurations": 0}
        assert found.parts[1][1] is None
        assert any("seconds_1: no configuration learned from has this part" in note for note in found.whole.notes)
        assert first is not None
        own = {name: getattr(first, name) for name in ("learning_error", "error", "termination")}
        stated = {"nfp": "seconds_0", "where": None, "observed": ["C_0"], "learning_configurations": len(rows)}
        assert facts[0] == {**stated, **own, "rounds": len(first.rounds)}
        with pytest.raises(LearningError, match="has any of the parts"):
            learn_sum(measured, PARTS[1:2], "seconds", learning_set=rows)

    def test_a_sum_has_nothing_of_its_first_part(self, measured: Measurements) -> None:
        """Rounds, estimates, path, forms and cross-validated errors of a part are not those of the whole."""
        parts = parts_of(["seconds_0", "packing"], measured.properties)
        found = learn_sum(measured, parts, "seconds", learning_set=np.arange(0, len(measured), 3))
        whole, first = found.whole, found.parts[0][1]
        assert first is not None
        assert all((first.cross_validated, first.estimates, first.path, first.intervals, first.forms))
        assert (whole.cross_validated, whole.estimates, whole.path, whole.forms, whole.folds) == (None, (), (), (), 0)
        assert (whole.printed_intervals, whole.termination, whole.rounds, whole.left_out) == (None, "parts", (), 0)

    def test_full_models_are_added_up(self, measured: Measurements, found: SumResult) -> None:
        """The sum of full models predicts with intervals, also restored; that of printed models explains."""
        full, configurations = found.whole.predictor, measured.configurations
        assert isinstance(full, EnsembleSum)
        expected, printed, low, high = np.zeros((4, len(measured)))
        for part, result in found.parts:
            assert result is not None
            assert result.intervals is not None
            rows = np.flatnonzero(counts_of(part, configurations))
            own = configurations[rows]
            expected[rows] += result.predict(own)
            printed[rows] += result.model.predict(own)
            low[rows] += result.intervals.interval(own)[0]
            high[rows] += result.intervals.interval(own)[1]
        restored = EnsembleSum.from_json(json.loads(json.dumps(full.as_json())), measured.system)
        for each in (full, restored):
            np.testing.assert_allclose(each.predict(configurations), expected, rtol=1e-9)
            np.testing.assert_allclose(each.interval(configurations), [low, high], rtol=1e-9)
            assert each.options == {"C_0", "C_1", "level_1", "pack", "x", "y"}
        np.testing.assert_allclose(found.whole.model.predict(configurations), printed, rtol=1e-6)
        assert found.whole.printed == found.whole.model
        assert {each.term: each.influence for each in found.whole.terms} == dict(found.whole.model.terms)
        assert (found.whole.learning_configurations, found.whole.nfp) == (30, "seconds")
        errors = found.whole.printed_errors
        assert errors is not None
        values = measured["seconds"]
        assert found.whole.error_all == pytest.approx(100 * np.mean(abs(expected / values - 1)))
        assert errors.error_all == pytest.approx(100 * np.mean(abs(printed / values - 1)))
        # Held-out errors of parts do not add up.
        assert (found.whole.expected, found.whole.provenance["observed"]) == (None, ["C_0", "C_1"])
        for damaged in ([], [{"where": "level_9", "full": full.summands[0].full.as_json()}]):
            with pytest.raises(ValueError, match="part"):
                EnsembleSum.from_json({"summands": damaged}, measured.system)

    def test_weighted_sums_of_parts(self, measured: Measurements, found: SumResult) -> None:
        """Weighted sums of predictions are those of the parts that configurations have; their variances add up."""
        full = found.whole.predictor
        assert isinstance(full, EnsembleSum)
        some = measured.configurations[::17]
        weights = np.random.default_rng(0).normal(size=(2, len(some)))
        values, whole = full.weighted_sums(some, weights, "identity")
        np.testing.assert_allclose(values, weights @ full.predict(some), rtol=1e-9)
        covariance = np.zeros((2, 2))
        for each in full.summands:
            rows = np.flatnonzero(each.counted(some))
            covariance += each.full.weighted_sums(some[rows], weights[:, rows], "identity")[1]
        np.testing.assert_allclose(whole, covariance, rtol=1e-6)

    def test_a_single_part_that_all_have_is_learning_as_usual(self, measured: Measurements) -> None:
        """A sum of the whole alone is the model that `learn` gives; values without a relative error are counted."""
        values = measured.values["seconds"].copy()
        values[:2], values[2:5] = 0.0, 1.0
        for some, left_out in ((measured, 0), (Measurements(measured.configurations, {"seconds": values}), 2)):
            alone = exact(some, [Part("seconds")]).whole
            usual = learn(some, "seconds", preset="splconqueror", settings=SETTINGS)
            assert (alone.model, alone.error_all, alone.left_out) == (usual.model, usual.error_all, usual.left_out)
            assert alone.left_out == left_out

    def test_wrong_parts(self, measured: Measurements) -> None:
        """Parts that contradict their values, no part at all, and unknown names are errors."""
        check_messages("sums", lambda text: learn_sum(measured, parts_of(text.split(), measured.properties), "seconds"))
        with pytest.raises(LearningError, match="there are no parts"):
            learn_sum(measured, [], "seconds")


class TestParts:
    PROPERTIES = ("time", "time_0", "time_1", "a:b")

    def test_braces_stand_for_every_level(self) -> None:
        """A part with braces is one part per property of that form, with the same text in all its names."""
        assert parts_of(["time_{}:level_{}"], self.PROPERTIES, ["*_{}", "n"]) == (
            Part("time_0", "level_0", ("*_0", "n")),
            Part("time_1", "level_1", ("*_1", "n")),
        )
        assert parts_of(["time", "a:b"], self.PROPERTIES) == (Part("time"), Part("a:b"))

    def test_what_is_no_part(self) -> None:
        """Unknown properties, parts that are there twice, and braces without a meaning are errors."""

        def reject(text: str) -> None:
            texts, observed = json.loads(text)
            parts_of(texts, self.PROPERTIES, observed)

        check_messages("parts", reject)


def test_parts_must_be_sums(measured: Measurements) -> None:
    """A part whose model is a product cannot be added up; the message says what to do."""
    parts = parts_of(["seconds_0", "packing"], measured.properties)
    with pytest.raises(LearningError, match=r"seconds_0 is a product.*\n.*--form sum"):
        learn_sum(measured, parts, "seconds", learner="projection", settings={"form": "product"})
