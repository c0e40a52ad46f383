"""Fits of given terms, surrogates, and sums of the models of parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_model
from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError, InputError, LearningError, SpecError
from splc.formats.models.log_writer import learned_log_text
from splc.formats.models.read import parse_term_list
from splc.io.files import Source
from splc.learning import Part, SumResult, learn, learn_sum
from splc.learning.given_forms import GivenTerms, linear_surrogate
from splc.learning.projection.predictor import EnsembleSum
from splc.learning.sums import parts_of
from splc.models.terms import option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.learning.conftest import ALL_FUNCTIONS, measured
from tests.support.examples import examples
from tests.support.golden_messages import check_messages

SMALL = VariabilityModel(
    "s", (BinaryOption("a", optional=True), BinaryOption("b", optional=True), NumericOption("x", (1.0, 2.0, 4.0, 8.0)))
)


def table(values: Any) -> Measurements:
    """Return measurements of all 16 configurations of the system."""
    a, b, x = (grid.ravel() for grid in np.meshgrid([0, 1], [0, 1], [1, 2, 4, 8], indexing="ij"))
    configurations = Configurations.from_columns(SMALL, {"a": a, "b": b, "x": x})
    return Measurements(configurations, {"time": values(a, b, x)})


def noisy(a: Any, b: Any, x: Any) -> Any:
    """Return a property with noise."""
    return 5 + 2 * a + 3 * b * x + np.random.default_rng(1).normal(0, 0.1, len(x))


@given(st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=4, max_size=4))
@examples(25)
def test_exact_influences_are_found(influences: list[float]) -> None:
    """The influences of a property that is a sum of the given terms are its own."""
    w, x_, y, z = influences
    ms = table(lambda a, b, x: w + x_ * a + y * b * x + z * (8 - x) * a)
    result = learn(ms, "time", learner=GivenTerms.of(["root", "a", "b * x", "( 8 - x ) * a"], SMALL))
    assert [term.influence for term in result.terms] == pytest.approx(influences, abs=1e-9)
    assert result.predictor.predict(ms.configurations) == pytest.approx(ms["time"], abs=1e-9)


def test_standard_errors_are_those_of_ordinary_least_squares() -> None:
    """Influences, standard errors and intervals are those of the textbook: s² (X'X)⁻¹ and Student's t."""
    from scipy import stats

    ms = table(noisy)
    result = learn(ms, "time", learner=GivenTerms.of(["1", "a", "x", "log10( x ) * b"], SMALL))
    c = ms.configurations.column
    X = np.column_stack([np.ones(16), c("a"), c("x"), np.log10(c("x")) * c("b")])
    beta = np.linalg.inv(X.T @ X) @ X.T @ ms["time"]
    s2 = ((ms["time"] - X @ beta) ** 2).sum() / 12
    errors = np.sqrt(np.diag(np.linalg.inv(X.T @ X)) * s2)
    assert [term.influence for term in result.terms] == pytest.approx(beta, rel=1e-9)
    known = {estimate.term: estimate for estimate in result.estimates}
    for term, own, error in zip(result.terms, beta, errors, strict=True):
        estimate = known[term.term]
        assert estimate.standard_error == pytest.approx(error, rel=1e-9)
        assert estimate.high - own == pytest.approx(stats.t.ppf(0.95, 12) * error, rel=1e-9)


def test_expanded_terms_have_standard_errors() -> None:
    """The canonical terms of `( 8 - x ) * a` have the error of its influence, multiplied by their weights."""
    result = learn(table(noisy), "time", learner=GivenTerms.of(["1", "( 8 - x ) * a"], SMALL))
    known = {each.term.text(): each.standard_error for each in result.estimates}
    assert set(known) == {"1", "a", "a * x"}
    assert known["a"] == pytest.approx(8 * known["a * x"])


def test_terms_that_are_not_determined() -> None:
    """Of terms that depend on each other the smallest influences are taken, without errors, and a note says so."""
    ms = table(noisy)
    rows = np.flatnonzero(ms.configurations.column("a") == 1)
    result = learn(ms, "time", learner=GivenTerms.of(["1", "a", "x"], SMALL), learning_set=rows)
    assert result.terms[0].influence == pytest.approx(result.terms[1].influence)
    assert [each.term.text() for each in result.estimates] == ["x"]
    assert any("does not determine 1, a: the influences of these terms are" in note for note in result.notes)
    rows = np.flatnonzero(ms.configurations.column("a") == 0)
    alone = learn(ms, "time", learner=GivenTerms.of(["1", "a", "x"], SMALL), learning_set=rows)
    assert any("does not determine a: the influence of this term is the smallest" in note for note in alone.notes)
    few = learn(ms, "time", learner=GivenTerms.of(["1", "x"], SMALL), learning_set=rows[:2])
    assert few.estimates == ()
    assert "no standard errors: 2 configurations for 2 terms" in few.notes


def test_logs_hold_fitted_terms() -> None:
    """A log of fitted terms is read as the same model, sums in parentheses included."""
    ms = table(noisy)
    result = learn(ms, "time", learner=GivenTerms.of(["root", "a + x", "( 8 - x ) * b", "x * x", "1 / x"], SMALL))
    text = learned_log_text(result)
    assert "settings: terms:1,(a+x),(8-x)*b,x^2,x^-1 blacklisted" in text
    assert "\n0;" in text


@pytest.mark.real_data
def test_fitted_models_are_those_of_spl_conqueror(tmp_path: Any) -> None:
    """The terms of a published model, fitted to all measurements, have its influences."""
    x264 = measured("x264")
    result = learn(x264, "Performance", learner=GivenTerms.of(["no_asm", "ref_1", "ref_9"], x264.system))
    assert [term.influence for term in result.terms] == pytest.approx([461.609, -184.195, 184.627], rel=5e-6)
    (tmp_path / "a.log").write_text(learned_log_text(result))
    model = read_model(tmp_path / "a.log", x264.system)
    assert model.predict(x264.configurations) == pytest.approx(result.model.predict(x264.configurations), rel=1e-12)


def test_lists_of_terms_are_read() -> None:
    """One term per line, with comments and empty lines; all wrong lines are named."""
    terms = parse_term_list(Source("t.txt", b"# terms\n\nroot\n2 * x # twice\r\na * b\n"), SMALL)
    assert terms.settings == {"terms": ["1", "x", "a * b"]}
    with pytest.raises(InputError) as caught:
        parse_term_list(Source("t.txt", b"a\ny\nb *\na\n"), SMALL)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]
    assert "duplicate term 'a'" in str(caught.value)
    with pytest.raises(InputError, match="there are no terms"):
        parse_term_list(Source("t.txt", b"# nothing\n"), SMALL)


def test_wrong_terms_are_refused() -> None:
    """Unknown names, no terms, duplicates and terms without a value are refused."""
    ms = table(noisy)
    check_messages("given-terms", lambda text: learn(ms, "time", learner=GivenTerms.of(text.split(";"), SMALL)))
    with pytest.raises(LearningError, match="no terms"):
        GivenTerms(())


def test_surrogate_of_a_linear_model_is_the_model() -> None:
    """The linear surrogate of a linear model has its influences."""
    ms = table(lambda a, b, x: 5 + 2 * a + 3 * b + 4 * x)
    exact = learn(ms, "time", learner=GivenTerms.of(["1", "a", "b", "x"], SMALL))
    found = linear_surrogate(exact.predictor, ms.configurations, "time")
    assert [term.influence for term in found.terms] == pytest.approx([5, 2, 3, 4])


@pytest.mark.real_data
def test_surrogate_of_a_tree() -> None:
    """The linear surrogate of x264 is the least squares fit; the last member of a group is left out."""
    x264 = measured("x264")
    tree = learn(x264, "Performance", learner="tree")
    surrogate = linear_surrogate(tree.predictor, x264.configurations, "Performance")
    names = {name for term in surrogate.terms for name in term.options}
    assert "ref_1" in names
    assert "ref_9" not in names
    columns = np.column_stack(
        [term.term.evaluate(x264.configurations.column) * np.ones(1152) for term in surrogate.terms]
    )
    oracle = np.linalg.lstsq(columns, tree.predictor.predict(x264.configurations))[0]
    assert [term.influence for term in surrogate.terms] == pytest.approx(oracle)


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
def parts_measured() -> Measurements:
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
def found(parts_measured: Measurements) -> SumResult:
    """Return the sum of the full models of 30 rows."""
    return learn_sum(parts_measured, PARTS, "seconds", learning_set=np.random.default_rng(1).permutation(48)[:30])


class TestObserved:
    def test_observed_variables_are_candidates_when_asked_for(self, parts_measured: Measurements) -> None:
        """Without them no model has one; with them what depends on one is found exactly."""
        plain = learn(parts_measured, "seconds_1", preset="splconqueror", settings=SETTINGS)
        assert plain.model.options <= {"pack", "x", "y"}
        assert "observed" not in plain.provenance
        found = learn(parts_measured, "seconds_1", preset="splconqueror", settings=SETTINGS, observed=["C_*"])
        assert found.model.influences[option_term("C_1")] == pytest.approx(2)
        assert found.error_all == pytest.approx(0, abs=1e-9)
        assert found.provenance["observed"] == ["C_0", "C_1"]

    def test_a_variable_that_is_zero_somewhere_has_no_logarithm(self, parts_measured: Measurements) -> None:
        """A logarithm or reciprocal is offered only if all measured configurations allow it, learned from or not."""
        rows = np.flatnonzero(parts_measured.configurations.value("x") >= 4)
        settings = {**SETTINGS, "learn_asymFunction": True, "learn_ratioFunction": True}
        found = learn(
            parts_measured, "seconds", learning_set=rows, preset="splconqueror", settings=settings, observed=["zero"]
        )
        factors = [factor for term, _ in found.model.terms for factor in term.factors if factor.option == "zero"]
        assert all(factor.log == 0 and factor.power > 0 for factor in factors)
        assert np.isfinite(found.model.predict(parts_measured.configurations)).all()

    @pytest.mark.parametrize("seed", range(3))
    def test_the_learned_model_is_what_was_fitted(self, parts_measured: Measurements, seed: int) -> None:
        """With every kind of function on, the expanded model has the learning error that the rounds had."""
        settings = {**SETTINGS, **ALL_FUNCTIONS, "numberOfRounds": 6}
        rows = np.random.default_rng(seed).permutation(len(parts_measured))[:30]
        target = parts_measured["seconds"] * np.random.default_rng(seed).uniform(0.7, 1.4, len(parts_measured))
        noisy = Measurements(parts_measured.configurations, {"seconds": target})
        found = learn(noisy, "seconds", learning_set=rows, preset="splconqueror", settings=settings, observed=["*"])
        assert found.learning_error == pytest.approx(found.rounds[-1].learning_error, rel=1e-6)

    def test_what_is_wrong_is_said(self, parts_measured: Measurements) -> None:
        """An unknown variable, and a measured configuration that was not observed, are errors."""
        with pytest.raises(SpecError, match="no observed variable matches 'D'"):
            learn(parts_measured, "seconds", observed=["D"])
        bare = Measurements(Configurations(SYSTEM, parts_measured.configurations.indices), parts_measured.values)
        with pytest.raises(ConfigurationError, match="C_0 was not observed for configuration 0"):
            learn(bare, "seconds", observed=["C_0"])
        assert learn(bare, "seconds", preset="splconqueror").learning_configurations == len(bare)


def exact(parts_measured: Measurements, parts: Sequence[Part] = PARTS, **further: Any) -> SumResult:
    """Return the sum that SPL Conqueror's algorithm finds."""
    return learn_sum(parts_measured, parts, "seconds", preset="splconqueror", **{"settings": SETTINGS, **further})


class TestSum:
    def test_a_sum_of_parts_is_found_exactly(self, parts_measured: Measurements) -> None:
        """The sum of the learned parts has no error on the whole; 0 is as good as no value where a part is not."""
        found = exact(parts_measured)
        assert found.whole.error_all == pytest.approx(0, abs=1e-9)
        terms = {term.text(): round(value, 9) for term, value in found.whole.model.terms if abs(value) > 1e-9}
        assert terms == {"1": 7, "C_0": 3, "C_1": 2, "level_1": 5, "pack * y": 4}
        values = {**parts_measured.values, "seconds_1": np.nan_to_num(parts_measured.values["seconds_1"])}
        filled = exact(Measurements(parts_measured.configurations, values))
        assert filled.whole.model == found.whole.model
        assert filled.whole.notes == found.whole.notes == ()

    def test_facts_of_parts(self, parts_measured: Measurements) -> None:
        """Every part is recorded with its errors; a part that nothing has is missing from the sum, as a note says."""
        rows = np.flatnonzero(parts_measured.configurations.value("x") < 4)
        found = exact(parts_measured, learning_set=rows)
        facts, first = found.whole.provenance["parts"], found.parts[0][1]
        assert facts[1] == {"nfp": "seconds_1", "where": "level_1", "observed": [], "learning_configurations": 0}
        assert found.parts[1][1] is None
        assert any("seconds_1: no configuration learned from has this part" in note for note in found.whole.notes)
        assert first is not None
        own = {name: getattr(first, name) for name in ("learning_error", "error", "termination")}
        stated = {"nfp": "seconds_0", "where": None, "observed": ["C_0"], "learning_configurations": len(rows)}
        assert facts[0] == {**stated, **own, "rounds": len(first.rounds)}
        with pytest.raises(LearningError, match="has any of the parts"):
            learn_sum(parts_measured, PARTS[1:2], "seconds", learning_set=rows)

    def test_a_sum_has_nothing_of_its_first_part(self, parts_measured: Measurements) -> None:
        """Rounds, estimates, path, forms and cross-validated errors of a part are not those of the whole."""
        parts = parts_of(["seconds_0", "packing"], parts_measured.properties)
        found = learn_sum(parts_measured, parts, "seconds", learning_set=np.arange(0, len(parts_measured), 3))
        whole, first = found.whole, found.parts[0][1]
        assert first is not None
        assert all((first.cross_validated, first.estimates, first.path, first.intervals, first.forms))
        assert (whole.cross_validated, whole.estimates, whole.path, whole.forms, whole.folds) == (None, (), (), (), 0)
        assert (whole.printed_intervals, whole.termination, whole.rounds, whole.left_out) == (None, "parts", (), 0)

    def test_full_models_are_added_up(self, parts_measured: Measurements, found: SumResult) -> None:
        """The sum of full models predicts with intervals, also restored; that of printed models explains."""
        full, configurations = found.whole.predictor, parts_measured.configurations
        assert isinstance(full, EnsembleSum)
        expected, printed, low, high = np.zeros((4, len(parts_measured)))
        for part, result in found.parts:
            assert result is not None
            assert result.intervals is not None
            rows = np.arange(48) if part.where is None else np.flatnonzero(configurations.column(part.where) == 1)
            own = configurations[rows]
            expected[rows] += result.predict(own)
            printed[rows] += result.model.predict(own)
            low[rows] += result.intervals.interval(own)[0]
            high[rows] += result.intervals.interval(own)[1]
        restored = EnsembleSum.from_json(json.loads(json.dumps(full.as_json())), parts_measured.system)
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
        values = parts_measured["seconds"]
        assert found.whole.error_all == pytest.approx(100 * np.mean(abs(expected / values - 1)))
        assert errors.error_all == pytest.approx(100 * np.mean(abs(printed / values - 1)))
        # Held-out errors of parts do not add up.
        assert (found.whole.expected, found.whole.provenance["observed"]) == (None, ["C_0", "C_1"])
        for damaged in ([], [{"where": "level_9", "full": full.summands[0].full.as_json()}]):
            with pytest.raises(ValueError, match="part"):
                EnsembleSum.from_json({"summands": damaged}, parts_measured.system)

    def test_weighted_sums_of_parts(self, parts_measured: Measurements, found: SumResult) -> None:
        """Weighted sums of predictions are those of the parts that configurations have; their variances add up."""
        full = found.whole.predictor
        assert isinstance(full, EnsembleSum)
        some = parts_measured.configurations[::17]
        weights = np.random.default_rng(0).normal(size=(2, len(some)))
        values, whole = full.weighted_sums(some, weights, "identity")
        np.testing.assert_allclose(values, weights @ full.predict(some), rtol=1e-9)
        covariance = np.zeros((2, 2))
        for each in full.summands:
            rows = np.flatnonzero(each.counted(some))
            covariance += each.full.weighted_sums(some[rows], weights[:, rows], "identity")[1]
        np.testing.assert_allclose(whole, covariance, rtol=1e-6)

    def test_a_single_part_that_all_have_is_learning_as_usual(self, parts_measured: Measurements) -> None:
        """A sum of the whole alone is the model that `learn` gives; values without a relative error are counted."""
        values = parts_measured.values["seconds"].copy()
        values[:2], values[2:5] = 0.0, 1.0
        for some, left_out in (
            (parts_measured, 0),
            (Measurements(parts_measured.configurations, {"seconds": values}), 2),
        ):
            alone = exact(some, [Part("seconds")]).whole
            usual = learn(some, "seconds", preset="splconqueror", settings=SETTINGS)
            assert (alone.model, alone.error_all, alone.left_out) == (usual.model, usual.error_all, usual.left_out)
            assert alone.left_out == left_out

    def test_wrong_parts(self, parts_measured: Measurements) -> None:
        """Parts that contradict their values, no part at all, and unknown names are errors."""
        check_messages(
            "sums", lambda text: learn_sum(parts_measured, parts_of(text.split(), parts_measured.properties), "seconds")
        )
        with pytest.raises(LearningError, match="there are no parts"):
            learn_sum(parts_measured, [], "seconds")


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


def test_parts_must_be_sums(parts_measured: Measurements) -> None:
    """A part whose model is a product cannot be added up; the message says what to do."""
    parts = parts_of(["seconds_0", "packing"], parts_measured.properties)
    with pytest.raises(LearningError, match=r"seconds_0 is a product.*\n.*--form sum"):
        learn_sum(parts_measured, parts, "seconds", learner="projection", settings={"form": "product"})
