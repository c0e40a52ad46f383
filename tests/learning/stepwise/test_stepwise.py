"""The fast learner against the plain one, the laws it keeps, its folds, and reciprocals of options."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.learning.features import Feature, FeatureTable
from splc.learning.result import Step
from splc.learning.stepwise.algorithm import ForwardSelection, Outcome, select
from splc.learning.stepwise.settings import Settings
from tests.learning.conftest import ALL_FUNCTIONS, problems, table_of
from tests.support.examples import examples
from tests.support.learning_oracle import learn_naively

LONG = Settings().changed({"abortError": 0, "minImprovementPerRound": 0, "numberOfRounds": 6})


def learned(problem: FeatureTable, chosen: Settings = LONG) -> Outcome:
    """Return what the learner gives."""
    return ForwardSelection(problem, chosen).run()


def predicted(outcome: Outcome, problem: FeatureTable) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the predictions of learned candidates."""
    return np.asarray(sum(w * t.evaluate(problem.column) for each in outcome.terms for t, w in each.expanded))


@given(problems(), st.booleans(), st.booleans(), st.booleans())
@examples(75)
def test_fast_learner_agrees_with_plain_one(problem: FeatureTable, penalty: bool, logs: bool, large: bool) -> None:
    """Errors per round agree with a learner that refits every candidate by itself, until rounding is all there is."""
    least = float(np.median(problem.target)) if large else 0.0
    chosen = LONG.changed({"candidateSizePenalty": penalty, "learn_logFunction": logs, "leastValue": max(least, 0.0)})
    outcome = learned(problem, chosen)
    terms, errors = learn_naively(problem, chosen)
    assert len(outcome.rounds) == len(errors)
    for this, error, term in zip(outcome.rounds, errors, terms[1:], strict=True):
        assert this.added.same_product(term.learned(0.0))
        assert this.error == pytest.approx(error, rel=1e-6, abs=1e-9)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["RELATIVE", "LEASTSQUARES", "ABSOLUTE"]),
    st.sampled_from(["none", "folds", "judge"]),
    st.booleans(),
)
@examples(30)
def test_the_winner_by_bounds_is_that_of_all_losses(seed: int, loss: str, judged: str, penalty: bool) -> None:
    """The winner found by bounds is the best of all candidates, with folds, a judge and a penalty, too."""
    rng = np.random.default_rng(seed)
    # Many equal effects, so that more candidates than are evaluated at once are about as good.
    b = rng.integers(0, 2, (30, 50))
    target = 1.0 + b.sum(axis=0) + 6 * b[0] * b[1] * (1 + b[2]) + rng.exponential(1.0, 50)
    problem = table_of(target, **{f"b{i}": b[i] for i in range(30)})
    fold = rng.choice(3, 50, p=[0.6, 0.3, 0.1])
    judge = problem.rows(fold == 1) if judged == "judge" else None
    fitted = problem.rows(fold == 0) if judged == "judge" else problem
    chosen = LONG.changed({"lossFunction": loss, "candidateSizePenalty": penalty})
    learner = ForwardSelection(fitted, chosen, judge, fold if judged == "folds" else None)
    for _ in range(5):
        error, scorer = learner.scorer.error, learner.scorer
        found = scorer.best(learner.allowed(), error)
        best = scorer.best_of(*scorer.all_losses(scorer.usable(learner.allowed())), error)
        if found is None or best is None:
            assert found is best
            break
        assert found.candidate == best.candidate
        assert (found.score, found.error) == pytest.approx((best.score, best.error), rel=1e-9)
        learner.step()


@given(problems(), st.integers(0, 2**32 - 1))
@examples(60)
def test_order_of_rows_and_options_changes_nothing(problem: FeatureTable, seed: int) -> None:
    """A permutation of the rows or options gives the same terms and, up to rounding, the same influences."""
    rng = np.random.default_rng(seed)
    features = tuple(problem.features[at] for at in rng.permutation(len(problem.features)))
    one = learned(problem)
    for turned in (problem.rows(rng.permutation(len(problem))), dataclasses.replace(problem, features=features)):
        other = learned(turned)
        assert [t.log_text() for t in one.terms] == [t.log_text() for t in other.terms]
        scale = float(np.abs(problem.target).max())
        np.testing.assert_allclose(predicted(one, problem), predicted(other, problem), rtol=1e-6, atol=1e-9 * scale)


@given(problems(), st.integers(-20, 20))
@examples(40)
def test_unit_of_the_property_changes_nothing(problem: FeatureTable, power: int) -> None:
    """Scaling a property by a power of two scales the influences and leaves terms and errors as they are."""
    other = dataclasses.replace(problem, target=problem.target * 2.0**power)
    one, two = learned(problem), learned(other)
    assert [t.log_text() for t in one.terms] == [t.log_text() for t in two.terms]
    assert [r.error for r in one.rounds] == pytest.approx([r.error for r in two.rounds], rel=1e-9, abs=1e-9)


def test_collinear_and_constant_candidates_are_never_chosen() -> None:
    """A copy of an option, an option that never changes and the rest of an alternative group do not enter a model."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 3, 50)
    columns = {
        "one": (a == 0).astype(float),
        "two": (a == 1).astype(float),
        "three": (a == 2).astype(float),
        "copy": (a == 0).astype(float),
        "always": np.ones(50),
        "never": np.zeros(50),
        "fixed": np.full(50, 7.0),
    }
    features = tuple(Feature(name, name == "fixed", 7.0 if name == "fixed" else 0.0, 7.0) for name in columns)
    problem = FeatureTable(features, columns, 5.0 + 3.0 * a + rng.uniform(0, 0.5, 50))
    outcome = learned(problem, LONG.changed({"numberOfRounds": 70}))
    names = [t.options for t in outcome.terms[1:]]
    assert len(names) == 2
    assert not any(options & {"always", "never", "fixed"} for options in names)
    assert frozenset({"one"}) not in names or frozenset({"copy"}) not in names


def test_large_powers_do_not_spoil_the_fit() -> None:
    """Terms that are 24 orders of magnitude apart are fitted to full precision."""
    n = np.repeat(np.linspace(2.5e5, 2e6, 12), 4)
    p = np.tile([1.0, 2.0, 3.0, 4.0], 12)
    problem = table_of(1e-3 + 3e-13 * n**2 + 2e-2 * p, n=n, p=p)
    outcome = learned(problem, LONG.changed({"numberOfRounds": 20}))
    assert outcome.rounds[-1].error < 1e-6


BITS = np.array([[i >> k & 1 for i in range(64)] for k in range(6)], dtype=float)
RNG = np.random.default_rng(7)
X = RNG.choice([1.0, 2.0, 5.0, 10.0, 20.0, 40.0], 60)
B, C = RNG.integers(0, 2, (2, 60)).astype(float)
FUNCTIONS = {
    "x": X,
    "x * x": X**2,
    "log10( x )": np.log10(X),
    "1 / x": 1 / X,
    "b * x": B * X,
    "b * c": B * C,
}
EIGHT = {"c": np.tile([1.0, 1, 1, 1, 0, 0, 0, 0], 2), "d": np.tile([1.0, 1, 1, 0, 1, 0, 0, 0], 2)}


@pytest.mark.parametrize(
    ("target", "columns", "expected"),
    [
        # SPL Conqueror's score of a single candidate is 0, and no model results.
        ([1, 3, 1, 3], {"b": [0, 1, 0, 1]}, {"1": 1, "b": 2}),
        # c is exactly uncorrelated with the property, until d reveals it.
        (8 + 2 * EIGHT["c"] - 4 * EIGHT["d"], EIGHT, {"1": 8, "d": -4, "c": 2}),
        # A property that never changes is its own constant.
        ([4, 4, 4], {"b": [0, 1, 0]}, {"1": 4}),
        # The squares of x overflow: it is left out, without a warning.
        (
            3 + 2 * np.repeat([0.0, 1.0], 12),
            {"x": np.tile([1e200, 2e200, 4e200], 8), "b": np.repeat([0.0, 1.0], 12)},
            {"1": 3, "b": 2},
        ),
        # b0 is chosen first, and made superfluous by exact terms: it is not in the result.
        (
            10 + 3 * BITS[0] * BITS[1] + 5 * BITS[0] * BITS[2] + 2 * BITS[3],
            {f"b{k}": BITS[k] for k in range(6)},
            {"1": 10, "b0 * b1": 3, "b0 * b2": 5, "b3": 2},
        ),
        # Of equally good terms, x and 40 - x, the smaller one wins.
        (3 + 2 * (40 - X), {"b": B, "c": C, "x": X}, {"1": 83, "x": -2}),
        *((3 + 2 * values, {"b": B, "c": C, "x": X}, {"1": 3, text: 2}) for text, values in FUNCTIONS.items()),
    ],
    ids=["single", "uncorrelated", "constant", "huge", "superfluous", "mirrored", *FUNCTIONS],
)
def test_exact_models(target: Any, columns: dict[str, Any], expected: dict[str, float]) -> None:
    """The model of exact values has the terms of these and no others."""
    outcome = learned(table_of(target, **columns), LONG.changed({**ALL_FUNCTIONS, "numberOfRounds": 20}))
    assert {t.log_text(): pytest.approx(t.influence) for t in outcome.terms} == expected
    assert (outcome.rounds == ()) == (len(expected) == 1)
    if "b0 * b1" in expected:
        assert "b0" in [this.added.log_text() for this in outcome.rounds]


@pytest.mark.parametrize("size", [1e-310, 1e-300, 1e300])
def test_values_at_the_ends_of_the_number_range(size: float) -> None:
    """Values that are hardly numbers are learned from as well as it goes, without a crash."""
    b, c = np.tile([0.0, 0, 1, 1], 4), np.tile([0.0, 1, 0, 1], 4)
    outcome = learned(table_of((3 + 2 * b + c) * size, b=b, c=c))
    assert all(np.isfinite(t.influence) for t in outcome.terms)
    assert size < 1e-300 or {t.log_text() for t in outcome.terms} == {"1", "b", "c"}


def test_first_round_counts_from_the_worst_candidate() -> None:
    """As in SPL Conqueror, the first round takes its best candidate even where the constant alone has a lower error."""
    y = [7, 8, 16, 21, 3, 17, 3, 17, 1, 72]
    problem = table_of(y, a=[0, 1, 1, 0, 0, 1, 0, 1, 1, 1], b=[1, 0, 0, 1, 1, 0, 1, 0, 1, 1])
    learner = ForwardSelection(problem, LONG)
    constant = learner.scorer.error
    heads, atoms = np.nonzero(learner.allowed())
    losses = learner.fit.losses(heads, atoms)
    assert losses.min() > constant
    first = learner.step()
    assert first is not None
    assert first.error == pytest.approx(losses.min())
    assert first.score == pytest.approx(losses.max() - losses.min())


def test_learning_stops_when_asked() -> None:
    """After a request to stop, the rounds so far are kept."""
    rng = np.random.default_rng(5)
    columns = {f"b{i}": rng.integers(0, 2, 80) for i in range(6)}
    problem = table_of(rng.uniform(1, 5, 80), **columns)
    seen: list[Step] = []
    outcome = ForwardSelection(problem, LONG).run(seen.append, lambda: len(seen) == 2)
    assert outcome.termination == "interrupted"
    assert list(outcome.rounds) == seen
    assert len(outcome.terms) == 3


@given(problems())
@examples(40)
def test_a_model_that_learning_left_cannot_be_improved(problem: FeatureTable) -> None:
    """When no candidate is left, none lowers the error: the certificate of feature forward selection."""
    learner = ForwardSelection(problem, LONG.changed({"numberOfRounds": 200}))
    outcome = learner.run()
    assume(outcome.termination == "noCandidate")
    heads, atoms = np.nonzero(learner.grid.offered)
    losses = learner.fit.losses(heads, atoms)
    losses = losses[~np.isnan(losses)]
    assert (losses >= learner.scorer.error * (1 - 1e-6)).all()


CROSSED = Settings().changed({"crossValidation": True, "abortError": 0, "minImprovementPerRound": 0})


@pytest.mark.parametrize("rows", range(1, 13))
def test_every_learning_set_has_a_model_by_folds(rows: int) -> None:
    """With at most one fold per row, and without folds for a single row, a model is learned."""
    at = np.arange(rows)
    outcome = select(table_of(1 + at, a=at % 2, b=at // 2 % 2), CROSSED, 3)
    assert all(np.isfinite(term.influence) for term in outcome.terms)


def test_selection_error_is_the_mean_over_all_held_out_rows_with_a_value() -> None:
    """Folds whose values are all 0 judge nothing; every other held-out row counts the same."""
    learning = table_of([0, 0, 0, 0, 4, 5, 6, 7, 8, 9], a=np.arange(10) % 2)
    folds = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
    learner = ForwardSelection(learning, CROSSED, folds=folds)
    y = learning.target
    errors = [abs(y[folds != folds[row]].mean() - y[row]) / y[row] * 100 for row in range(4, 10)]
    assert learner.scorer.error == pytest.approx(np.mean(errors))
