"""The result of learning: terms, rounds, the summary and the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from splc.errors import LearningError
from splc.learning import LearningResult
from splc.learning.result import CrossValidated, InfluenceEstimate, LearnedTerm, Round, merged_terms
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Term, log_term, option_term
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel.of({"a": [1, 2, 4, 8], "b": [1, 2, 3]})
A, B = option_term("a"), option_term("b")


def result(model: InfluenceModel | None = None, **changed: Any) -> LearningResult:
    """Return a result with 7 configurations, and facts that are given."""
    facts: dict[str, Any] = {
        "predictor": model or InfluenceModel.of_system([(CONSTANT, 2.0), (A * B, 0.5)], SYSTEM),
        "learner": "stepwise",
        "nfp": "time",
        "learning_configurations": 7,
        "learning_error": 1.2345,
        "error": 12.5,
    }
    empty = dict.fromkeys(("terms", "rounds", "notes"), ())
    others = {"termination": "x", "error_all": None, "left_out": 0, "base": "1", "seconds": 1.0, "preset": "default"}
    return LearningResult(**{**empty, **others, "settings": {}, **facts, **changed})


def test_summary() -> None:
    """A summary has the learner, the errors that are known, the model and the notes."""
    found = result(notes=("first", "second")).summary()
    assert found.splitlines() == [
        "model of time by stepwise from 7 configurations, 2 terms",
        "mean relative error: 1.23 % on these, 12.5 % on all others",
        "time = 2 + 0.5 * a * b",
        "note: first",
        "note: second",
    ]
    product = InfluenceModel.of_system([(A, 0.5)], SYSTEM, "log")
    checked = CrossValidated(1.0, 2.0, 3.0)
    found = result(
        product, learning_error=None, error=None, cross_validated=checked, learning_configurations=1
    ).summary()
    assert found.splitlines() == [
        "model of time by stepwise from 1 configuration, 1 term",
        "mean relative error: 2 % cross-validated",
        "time = exp(0.5 * a)",
    ]
    blind = result(learning_error=None, error=None, predictor=object())
    assert blind.summary().splitlines()[0] == "model of time by stepwise from 7 configurations"
    assert blind.summary().splitlines()[1:] == ["mean relative error: undefined"]
    assert not blind.readable
    with pytest.raises(LearningError, match="the learner stepwise gives a predictor without terms"):
        _ = blind.model
    assert blind.to_columns() == {"term": [], "influence": []}


def test_table_of_terms() -> None:
    """The table has the terms, and their uncertainty where it is known."""
    assert result().to_columns() == {"term": ["1", "a * b"], "influence": [2.0, 0.5]}
    known = result(estimates=(InfluenceEstimate(A * B, 0.5, 0.1, 0.3, 0.7, 0.99),)).to_columns()
    assert list(known) == ["term", "influence", "standard_error", "low", "high", "sign_probability", "folds"]
    assert [known[name] for name in ("standard_error", "low", "high", "sign_probability")] == [
        [None, 0.1], [None, 0.3], [None, 0.7], [None, 0.99]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("term", "further", "occurrences"),
    [(CONSTANT, 0, 0), (A, 0, 1), (A**2 * B * log_term("b"), 0, 4), (A**-1, 0, 1), (A * B, 2, 4)],
)
def test_occurrences_of_options(term: Term, further: int, occurrences: int) -> None:
    """Each factor counts with its exponents, and in the complexity of a round the constant counts 1."""
    one = LearnedTerm(term, 3.0, further_occurrences=further)
    assert one.occurrences == occurrences
    after = Round(1, one, 0.0, 0.0, 0.0, (LearnedTerm(CONSTANT, 1.0), one), 0.0)
    assert after.complexity == 1 + max(occurrences, 1)


def test_terms_with_expansions() -> None:
    """A term is the sum of its expansion; products multiply all of it, and binary options have no powers."""
    mirrored = LearnedTerm(A, 2.0, ("( 9 - b )",), 1, ((A, 9.0), (A * B, -1.0)))
    assert mirrored.expanded == ((A, 18.0), (A * B, -2.0))
    assert LearnedTerm(A, 2.0).expanded == ((A, 2.0),)
    assert mirrored.options == {"a", "b"}
    assert mirrored.same_product(replace(mirrored, influence=7.0))
    assert not mirrored.same_product(replace(mirrored, further=()))
    times = mirrored.times(A, frozenset("a"))
    assert times == LearnedTerm(A, 2.0, ("( 9 - b )",), 1, ((A**2, 9.0), (A**2 * B, -1.0)))
    assert LearnedTerm(B, 2.0).text(("b", "a")) == "b"
    assert mirrored.text() == mirrored.log_text()
    assert "( 9 - b )" in mirrored.text()


def test_equal_products_are_merged() -> None:
    """The influences of equal products are added up, in order of first appearance."""
    terms = [LearnedTerm(A, 1.0), LearnedTerm(B, 2.0), LearnedTerm(A, 4.0), LearnedTerm(A, 8.0, ("( 9 - b )",))]
    assert merged_terms(terms) == (LearnedTerm(A, 5.0), LearnedTerm(B, 2.0), LearnedTerm(A, 8.0, ("( 9 - b )",)))
