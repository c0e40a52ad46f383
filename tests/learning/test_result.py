"""The result of learning: terms, rounds, summary and table; intervals and errors of single runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import splc
from splc.errors import LearningError
from splc.learning.contexts.sharing import Sharing, further_predictor
from splc.learning.folds import CrossValidated
from splc.learning.result import (
    InfluenceEstimate,
    Intervals,
    LearnedTerm,
    LearningResult,
    intervals_object,
    intervals_of,
    merged_terms,
)
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present

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


def test_terms_with_expansions() -> None:
    """A term is the sum of its expansion; products multiply all of it, and influences of equal ones are added up."""
    terms = [LearnedTerm(A, 1.0), LearnedTerm(B, 2.0), LearnedTerm(A, 4.0), LearnedTerm(A, 8.0, ("( 9 - b )",))]
    assert merged_terms(terms) == (LearnedTerm(A, 5.0), LearnedTerm(B, 2.0), LearnedTerm(A, 8.0, ("( 9 - b )",)))
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


Draw = Callable[[np.random.Generator, int, int], Array]
# Draws the factors of the runs of configurations, shape (configurations, runs).
SCATTERS: dict[str, Draw] = {
    "lognormal": lambda rng, n, k: np.exp(rng.normal(0, 0.3, (n, k))),
    "workloads": lambda rng, n, k: rng.choice(np.linspace(1, 2, 22), (n, k)),
    "quiet": lambda rng, n, k: np.exp(rng.normal(0, 0.01, (n, k))),
}


def table(draw: Draw, repetitions: int, seed: int = 0) -> dict[str, Array]:
    """Return runs of 32 configurations, one run a row, all configurations once, then all again."""
    rng = np.random.default_rng(seed)
    a, b, c, n = (each.ravel() for each in np.meshgrid([0, 1], [0, 1], [0, 1], [1, 2, 4, 8]))
    time = (3 + 2 * a + b + 0.2 * n + 0.1 * n * c)[:, None] * draw(rng, len(a), repetitions)
    columns = {name: np.tile(column, repetitions) for name, column in {"a": a, "b": b, "c": c, "n": n}.items()}
    return {**columns, "time": time.T.ravel()}


def covered(intervals: Intervals | None, result: LearningResult, values: Array) -> float:
    """Return the share of values, shape (configurations, runs), that are in the intervals of their configurations."""
    low, high = present(intervals).interval(present(result.rows).measured.configurations)
    return float(np.mean((low[:, None] <= values) & (values <= high[:, None])))


@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("repetitions", [2, 6])
def test_intervals_hold_for_new_runs(name: str, repetitions: int) -> None:
    """About 90 % of new runs are in the intervals of what predicts and of the printed model, and not all of them."""
    draw = SCATTERS[name]
    result = splc.learn(table(draw, repetitions), "time")
    measured = present(result.rows).measured
    values = {key: measured.configurations.column(key) for key in "abcn"}
    time = 3 + 2 * values["a"] + values["b"] + 0.2 * values["n"] + 0.1 * values["n"] * values["c"]
    new = time[:, None] * draw(np.random.default_rng(99), len(time), 50)
    for intervals in (result.intervals, result.printed_intervals):
        # Of a single table of 32 configurations, the share differs by 7 % from table to table.
        assert 0.78 <= covered(intervals, result, new) <= 0.99


def test_stored_intervals_are_those_of_runs() -> None:
    """Intervals of a file are those that were written, if there is a system; without repetitions it has no runs."""
    result = splc.learn(table(SCATTERS["lognormal"], 3), "time")
    content = present(intervals_object(result.intervals))
    read = present(intervals_of(content, result.system))
    configurations = present(result.rows).measured.configurations
    np.testing.assert_allclose(read.interval(configurations), present(result.intervals).interval(configurations))
    others: list[Any] = [[], {**content, "kind": "other"}]
    assert [intervals_of(each, result.system) for each in others] == [None, None]
    assert (intervals_of(content, None), intervals_object(None)) == (None, None)
    single = present(intervals_object(splc.learn(table(SCATTERS["lognormal"], 1), "time").intervals))
    assert "runs" in content
    assert "runs" not in single


def test_an_unmeasured_context_has_intervals_of_runs() -> None:
    """Intervals for a further context have the scatter of the runs of those that were measured."""
    rows = table(SCATTERS["lognormal"], 4)
    few = {name: column[(rows["c"] == 0) & (rows["n"] < 8)] for name, column in rows.items() if name != "c"}
    system = splc.infer_system(few)
    parts = {name: splc.read_measurements(few, system) for name in ("v1", "v2")}
    predictor = further_predictor(Sharing.of(parts, "time"), "v3")
    assert predictor.runs == pytest.approx(1.645 * 0.3 * np.sqrt(3 / 4), rel=0.3)


def test_runs_that_move_together() -> None:
    """The result of `splc.learn` has a note on them; predictions of `splc.suggest` have intervals of a run."""
    blocks = table(lambda rng, n, k: np.broadcast_to([1.0, 1.9, 1.3, 2.0], (n, k)), 4)
    notes = " ".join(splc.learn(blocks, "time").notes)
    assert "in blocks of 32 rows" in notes
    assert "blocks" not in " ".join(splc.learn(table(SCATTERS["lognormal"], 4), "time").notes)
    some = blocks["c"] + blocks["a"] < 2
    found = splc.suggest({name: column[some] for name, column in blocks.items()}, "time", 2)
    assert (found.high / found.low > 1.5).all()
