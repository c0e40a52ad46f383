"""Fits of given terms, and linear surrogates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_model
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError, LearningError
from splc.formats.models.log_writer import learned_log_text
from splc.formats.models.read import parse_term_list
from splc.io.files import Source
from splc.learning import learn
from splc.learning.given_terms import GivenTerms, linear_surrogate
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.learning.conftest import measured
from tests.support.examples import examples
from tests.support.golden_messages import check_messages

SYSTEM = VariabilityModel(
    "s", (BinaryOption("a", optional=True), BinaryOption("b", optional=True), NumericOption("x", (1.0, 2.0, 4.0, 8.0)))
)


def table(values: Any) -> Measurements:
    """Return measurements of all 16 configurations of the system."""
    a, b, x = (grid.ravel() for grid in np.meshgrid([0, 1], [0, 1], [1, 2, 4, 8], indexing="ij"))
    configurations = Configurations.from_columns(SYSTEM, {"a": a, "b": b, "x": x})
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
    result = learn(ms, "time", learner=GivenTerms.of(["root", "a", "b * x", "( 8 - x ) * a"], SYSTEM))
    assert [term.influence for term in result.terms] == pytest.approx(influences, abs=1e-9)
    assert result.predictor.predict(ms.configurations) == pytest.approx(ms["time"], abs=1e-9)


def test_standard_errors_are_those_of_ordinary_least_squares() -> None:
    """Influences, standard errors and intervals are those of the textbook: s² (X'X)⁻¹ and Student's t."""
    from scipy import stats

    ms = table(noisy)
    result = learn(ms, "time", learner=GivenTerms.of(["1", "a", "x", "log10( x ) * b"], SYSTEM))
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
    result = learn(table(noisy), "time", learner=GivenTerms.of(["1", "( 8 - x ) * a"], SYSTEM))
    known = {each.term.text(): each.standard_error for each in result.estimates}
    assert set(known) == {"1", "a", "a * x"}
    assert known["a"] == pytest.approx(8 * known["a * x"])


def test_terms_that_are_not_determined() -> None:
    """Of terms that depend on each other the smallest influences are taken, without errors, and a note says so."""
    ms = table(noisy)
    rows = np.flatnonzero(ms.configurations.column("a") == 1)
    result = learn(ms, "time", learner=GivenTerms.of(["1", "a", "x"], SYSTEM), learning_set=rows)
    assert result.terms[0].influence == pytest.approx(result.terms[1].influence)
    assert [each.term.text() for each in result.estimates] == ["x"]
    assert any("does not determine 1, a: the influences of these terms are" in note for note in result.notes)
    rows = np.flatnonzero(ms.configurations.column("a") == 0)
    alone = learn(ms, "time", learner=GivenTerms.of(["1", "a", "x"], SYSTEM), learning_set=rows)
    assert any("does not determine a: the influence of this term is the smallest" in note for note in alone.notes)
    few = learn(ms, "time", learner=GivenTerms.of(["1", "x"], SYSTEM), learning_set=rows[:2])
    assert few.estimates == ()
    assert "no standard errors: 2 configurations for 2 terms" in few.notes


def test_logs_hold_fitted_terms() -> None:
    """A log of fitted terms is read as the same model, sums in parentheses included."""
    ms = table(noisy)
    result = learn(ms, "time", learner=GivenTerms.of(["root", "a + x", "( 8 - x ) * b", "x * x", "1 / x"], SYSTEM))
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
    terms = parse_term_list(Source("t.txt", b"# terms\n\nroot\n2 * x # twice\r\na * b\n"), SYSTEM)
    assert terms.settings == {"terms": ["1", "x", "a * b"]}
    with pytest.raises(InputError) as caught:
        parse_term_list(Source("t.txt", b"a\ny\nb *\na\n"), SYSTEM)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]
    assert "duplicate term 'a'" in str(caught.value)
    with pytest.raises(InputError, match="there are no terms"):
        parse_term_list(Source("t.txt", b"# nothing\n"), SYSTEM)


def test_wrong_terms_are_refused() -> None:
    """Unknown names, no terms, duplicates and terms without a value are refused."""
    ms = table(noisy)
    check_messages("given-terms", lambda text: learn(ms, "time", learner=GivenTerms.of(text.split(";"), SYSTEM)))
    with pytest.raises(LearningError, match="no terms"):
        GivenTerms(())


def test_surrogate_of_a_linear_model_is_the_model() -> None:
    """The linear surrogate of a linear model has its influences."""
    ms = table(lambda a, b, x: 5 + 2 * a + 3 * b + 4 * x)
    exact = learn(ms, "time", learner=GivenTerms.of(["1", "a", "b", "x"], SYSTEM))
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
