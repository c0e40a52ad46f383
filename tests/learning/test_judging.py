"""Errors of models: the rows that judge them, predictions, nearest configurations, importances, cross-validation."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, SpecError
from splc.formats.measurements.constraints import failures_of
from splc.learning import LearningResult, learn, learner_of
from splc.learning.features import FeatureTable, random_folds, total_effects
from splc.learning.folds import ERRORS, JudgedRows, Judgement
from splc.learning.learner import Learner, cross_validate, match, nearest, predictions, round_errors
from splc.learning.result import Predictor
from splc.models.influence import InfluenceModel, term_shares
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array, Link
from tests.learning.conftest import MadeLearner, Predicts, constant, problems
from tests.support.objects import present
from tests.support.systems import switches

SYSTEM = VariabilityModel(
    "system",
    (BinaryOption("a"), BinaryOption("b"), NumericOption("x", (0.0, 1.0, 2.0)), NumericOption("y", (1.0, 5.0, 9.0))),
)
ALL = Configurations(
    SYSTEM, np.array([[a, b, x, y] for a in (0, 1) for b in (0, 1) for x in range(3) for y in range(3)])
)
subsets = st.lists(st.integers(0, len(ALL) - 1), min_size=1, max_size=12, unique=True)


@pytest.mark.parametrize("link", ["identity", "log"])
def test_predictions_without_a_value_are_nan(link: Link) -> None:
    """Predictions are NaN for rows at which a model has no finite value, and the model's otherwise."""
    model = InfluenceModel.of_system(
        [(CONSTANT, 0.5), (option_term("x", -1), 2.0), (option_term("a"), 1.0)], SYSTEM, link
    )
    found = predictions(model, ALL)
    x, a = ALL.column("x"), ALL.column("a")
    with np.errstate(divide="ignore"):
        total = np.where(x > 0, 0.5 + 2 / x + a, np.nan)
    np.testing.assert_allclose(found, np.exp(total) if link == "log" else total)
    rising = InfluenceModel.of_system([(option_term("x"), 600.0)], SYSTEM, link)
    expected = np.where(x < 2, np.exp(600 * np.minimum(x, 1)), np.nan) if link == "log" else 600 * x
    np.testing.assert_allclose(predictions(rising, ALL), expected)
    shares = term_shares(InfluenceModel.of_system([(CONSTANT, 1.0), (option_term("x"), 3.0)], SYSTEM, link), ALL)
    assert shares.values == ((None, None) if link == "log" else (pytest.approx(25), pytest.approx(75)))
    assert not shares.absolute
    # Terms that cancel each other have no shares of a mean of 0; those of a mean of -1 have absolute ones.
    model = InfluenceModel.of_system([(CONSTANT, -x.mean()), (option_term("x"), 1.0)], SYSTEM)
    assert term_shares(model, ALL).values == (None, None)
    model = InfluenceModel.of_system([(CONSTANT, -1 - x.mean()), (option_term("x"), 1.0)], SYSTEM)
    cancelling = term_shares(model, ALL)
    assert cancelling.absolute
    sizes = np.array([-(1 + x.mean()), x.mean()])
    np.testing.assert_allclose(np.array(cancelling.values, dtype=float), 100 * sizes / np.abs(sizes).sum())
    # A negative share is none of terms that cancel.
    model = InfluenceModel.of_system([(CONSTANT, 4.0), (option_term("x"), 1.0), (option_term("a"), -0.5)], SYSTEM)
    lowering = term_shares(model, ALL)
    assert not lowering.absolute
    assert min(np.array(lowering.values, dtype=float)) < 0


@given(subsets, subsets)
def test_the_nearest_measured_configuration(measured: list[int], wanted: list[int]) -> None:
    """It has the same binary options and the fewest steps between numeric values; -1 if none has these options."""
    found = nearest(ALL[np.array(measured)], ALL[np.array(wanted)])
    steps = ALL.indices.astype(int)
    for row, place in zip(wanted, found.tolist(), strict=True):
        distances = [
            abs(steps[row] - steps[other]).sum() if (steps[row][:2] == steps[other][:2]).all() else np.inf
            for other in measured
        ]
        assert place == (int(np.argmin(distances)) if min(distances) < np.inf else -1)


@given(subsets, subsets)
def test_matches_of_a_sample(measured: list[int], wanted: list[int]) -> None:
    """Policies refuse, leave out or replace what was not measured, and notes count it."""
    measurements = Measurements(ALL[np.array(measured)], {"t": np.ones(len(measured))})
    sampled = ALL[np.array(wanted)]
    absent = [row for row in wanted if row not in measured]
    if absent:
        with pytest.raises(LearningError) as caught:
            match(measurements, sampled)
        message = str(caught.value)
        noun, verb = "" if len(wanted) == 1 else "s", "was" if len(absent) == 1 else "were"
        assert f"{len(absent)} of {len(wanted)} sampled configuration{noun} {verb} not measured" in message
        assert ("more" in message) == (len(absent) > 10)
        assert "--missing" in message
    kept, notes = match(measurements, sampled, "drop")
    assert [measured[place] for place in kept.tolist()] == [row for row in wanted if row in measured]
    assert any(note.startswith(str(len(absent))) for note in notes) == (len(absent) > 0)
    places = nearest(measurements.configurations, sampled)
    near, notes = match(measurements, sampled, "nearest")
    assert near.tolist() == list(dict.fromkeys(place for place in places.tolist() if place >= 0))
    replaced = sum(places[wanted.index(row)] >= 0 for row in absent)
    assert any("replaced by the nearest" in note and note.startswith(str(replaced)) for note in notes) == (replaced > 0)
    same = int((places >= 0).sum()) - len(near)
    found = [note.startswith(str(same)) for note in notes if "the same nearest measured one as another" in note]
    assert found == [True] * (same > 0)
    with pytest.raises(SpecError, match="unknown policy 'guess'"):
        match(measurements, sampled, "guess")  # type: ignore[arg-type]


@given(subsets, subsets, subsets)
def test_samples_of_failed_configurations(measured: list[int], wanted: list[int], failing: list[int]) -> None:
    """Configurations of which every run failed are left out of a sample, and a note counts them."""
    failed = [row for row in failing if row not in measured]
    failures = failures_of(ALL[np.array(failed, dtype=int)], ALL[np.array(measured)])
    measurements = Measurements(ALL[np.array(measured)], {"t": np.ones(len(measured))}, failures=failures)
    known = [row for row in wanted if row in measured or row in failed]
    kept, notes = match(measurements, ALL[np.array(known, dtype=int)])
    assert [measured[place] for place in kept.tolist()] == [row for row in known if row in measured]
    count = sum(row in failed for row in known)
    assert [note.startswith(str(count)) for note in notes] == [True] * (count > 0)


def test_importances_are_total_effects() -> None:
    """The importance of a column is its share in the total effects of the variance, by all pairs of values."""
    X = np.array([[a, b, 7.0] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0)])

    def function(rows: Array) -> Array:
        return np.asarray(3 * rows[:, 0] + 5 * rows[:, 1] + rows[:, 0] * rows[:, 1])

    effects = [np.mean([np.var([function(np.array([[a, b, 7.0]]))[0] for a in (0, 1, 2)]) for b in (0, 1)])]
    effects += [np.mean([np.var([function(np.array([[a, b, 7.0]]))[0] for b in (0, 1)]) for a in (0, 1, 2)]), 0.0]
    np.testing.assert_allclose(total_effects(function, X), np.array(effects) / sum(effects))
    assert total_effects(lambda rows: np.ones(len(rows)), X).tolist() == [0.0, 0.0, 0.0]
    # Effects below a part in 10^12 of the largest are rounding errors.
    for slope, counts in ((1e-8, False), (1e-5, True)):
        importances = total_effects(partial(np.dot, b=np.array([1.0, slope, 0.0])), X)
        assert (importances[1] > 0) == counts


def test_round_errors_are_those_of_shorter_runs() -> None:
    """The error after a round is that of a model that is learned with so many rounds."""
    rng = np.random.default_rng(0)
    y = 5 + 3 * ALL.column("a") + ALL.column("y") * (1 + ALL.column("b")) + rng.uniform(0, 0.2, len(ALL))
    measured = Measurements(ALL, {"t": y})
    results = [
        learn(measured, preset="splconqueror", settings={"numberOfRounds": rounds, "abortError": 0})
        for rounds in (1, 2, 3, 4)
    ]
    assert [len(result.rounds) for result in results] == [1, 2, 3, 4]
    found = round_errors(results[-1])
    assert found == pytest.approx([result.error_all for result in results], rel=1e-9)
    assert len(set(found)) == 4


ONE = VariabilityModel("line", (NumericOption("x", tuple(map(float, range(1, 21)))),))
LINE = Measurements(Configurations(ONE, np.arange(20)[:, np.newaxis]), {"time": np.arange(1.0, 21.0)})


def mean_predictor(rows: Array) -> Predictor:
    """Return what predicts the mean of the rows that it learned from."""
    return Predicts(constant(float(LINE["time"][rows].mean())))


@given(table=problems(), number=st.integers(2, 12), seed=st.integers(0, 3))
def test_folds_are_equal_in_size_and_have_no_order(table: FeatureTable, number: int, seed: int) -> None:
    """The sizes of folds differ by at most one; the folds of rows do not depend on their order."""
    folds = random_folds(table, number, seed)
    counts = np.bincount(folds)
    assert len(counts) == min(number, len(table))
    assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(0).permutation(len(table))
    assert np.array_equal(random_folds(table.rows(order), number, seed), folds[order])


def test_each_row_is_predicted_without_its_fold() -> None:
    """The errors are those of the means of the other folds, over the rows of the learning set only."""
    rows, learned = np.arange(3, 15), []

    def learned_of(part: Array) -> list[Predictor]:
        learned.append(part)
        return [mean_predictor(part)]

    (found,) = cross_validate(LINE, "time", rows, 4, 0, learned_of)
    values, errors = LINE["time"], []
    assert len(learned) == 4
    for part in learned:
        held = np.setdiff1d(rows, part)
        assert len(held) == 3
        assert set(part) < set(rows)
        errors += list(100 * np.abs(values[part].mean() - values[held]) / values[held])
    assert sorted(np.concatenate([np.setdiff1d(rows, part) for part in learned])) == list(rows)
    assert found is not None
    assert found.mean == pytest.approx(np.mean(errors))
    assert found.median == pytest.approx(np.median(errors))
    assert found.p95 == pytest.approx(np.quantile(errors, 0.95))


def test_a_fold_that_cannot_be_learned_is_named() -> None:
    """An error in a fold says in which one it happened, and keeps its hint or suggests other folds."""
    for hint, shown in ((None, "choose other folds or none"), ("do that", "do that")):
        calls = iter([None, LearningError("no luck", hint=hint)])

        def learned_of(part: Array, calls: object = calls) -> list[Predictor]:
            error = next(calls)  # type: ignore[call-overload]
            if error is not None:
                raise error
            return [mean_predictor(part)]

        with pytest.raises(LearningError, match=f"fold 2 of 5: no luck\n *{shown}"):
            cross_validate(LINE, "time", np.arange(20), 5, 0, learned_of)


def test_no_errors() -> None:
    """A request to stop is asked for after every fold; a single row, or values that are all 0, have no error."""
    learned: list[Array] = []

    def learned_of(part: Array) -> list[Predictor]:
        learned.append(part)
        return [mean_predictor(part)]

    assert cross_validate(LINE, "time", np.arange(20), 5, 0, learned_of, lambda: len(learned) == 2) == []
    assert len(learned) == 2
    assert cross_validate(LINE, "time", np.arange(1), 5, 0, learned_of) == []
    zeros = Measurements(LINE.configurations, {"time": np.zeros(20)})
    assert cross_validate(zeros, "time", np.arange(20), 5, 0, learned_of) == [None]


BITS_SYSTEM = VariabilityModel("bits", switches(10))
BITS = (np.arange(1024)[:, None] >> np.arange(10)) & 1
EVERY = Configurations(BITS_SYSTEM, BITS)
RNG = np.random.default_rng(3)
TRUE = 10 + BITS @ np.arange(1.0, 11.0)
# Some values are missing, and some are 0.
VALUES = np.where(
    RNG.random(1024) < 0.05, np.nan, np.where(RNG.random(1024) < 0.05, 0, TRUE * RNG.normal(1, 0.1, 1024))
)
MEASURED = Measurements(EVERY, {"time": VALUES})
LEARNED = np.sort(RNG.choice(1024, 400, replace=False))
EVALUATION = Measurements(EVERY[:700], {"time": TRUE[:700] * RNG.normal(1, 0.2, 700)})


def truth(configurations: Configurations) -> Array:
    """Return the values without noise."""
    return np.asarray(10 + configurations.indices @ np.arange(1.0, 11.0))


def errors_of(judgement: Judgement) -> tuple[float | None, ...]:
    """Return the errors in the order of their names."""
    return tuple(judgement.errors[name] for name in ERRORS)


@pytest.mark.parametrize("limit", [None, 1024, 620])
@pytest.mark.parametrize("evaluation", [None, EVALUATION], ids=["others", "evaluation set"])
def test_all_rows(limit: int | None, evaluation: Measurements | None) -> None:
    """Without a limit, or with one that no group of rows exceeds, errors are those of all rows, to the last bit."""
    evaluation = None if evaluation is None else evaluation[:600]
    rows = JudgedRows.of(MEASURED, "time", LEARNED, evaluation, limit=limit)
    others = np.delete(np.arange(1024), LEARNED)
    rest = mean_relative_error(TRUE[others], VALUES[others])
    if evaluation is not None:
        rest = mean_relative_error(TRUE[:600], evaluation["time"])
    found = rows.judge(truth)
    wanted = mean_relative_error(TRUE[LEARNED], VALUES[LEARNED]), rest, mean_relative_error(TRUE, VALUES)
    assert errors_of(found) == wanted
    assert not rows.samples
    assert not found.standard_errors
    assert found.predicted.tolist() == TRUE.tolist()


@pytest.mark.parametrize("evaluation", [None, EVALUATION], ids=["others", "evaluation set"])
@pytest.mark.parametrize("limit", [100, 450])
def test_errors_of_samples(limit: int, evaluation: Measurements | None) -> None:
    """Errors of samples are within four standard errors of those of all rows, which half of them are farther off."""
    whole = errors_of(JudgedRows.of(MEASURED, "time", LEARNED, evaluation, limit=None).judge(truth))
    multiples = []
    for seed in range(10):
        rows = JudgedRows.of(MEASURED, "time", LEARNED, evaluation, seed=seed, limit=limit)
        found = rows.judge(truth)
        assert set(found.standard_errors) == set(rows.samples) == ({*ERRORS} if limit == 100 else {*ERRORS[1:]})
        # The values and predictions of the error outside of the learning set, also without those that were learned.
        values, predicted = rows.tested(found)
        assert mean_relative_error(predicted, values) == found.errors["error"]
        if rows.evaluation is not None:
            is_learned = EVERY[LEARNED].find(rows.evaluation.configurations) >= 0
            assert rows.tested(found, unlearned=True)[0].tolist() == values[~is_learned].tolist()
        for name, error, wanted in zip(ERRORS, errors_of(found), whole, strict=True):
            assert error is not None
            assert wanted is not None
            deviation = present(found.standard_errors.get(name, 0.0))
            assert abs(error - wanted) <= 4 * deviation
            multiples += [abs(error - wanted) / deviation] if deviation else []
    assert 0.3 < np.median(multiples) < 1.2


def learned(limit: int, monkeypatch: pytest.MonkeyPatch, learner: Learner) -> LearningResult:
    """Return a model that is judged by at most so many rows of each kind."""
    monkeypatch.setattr("splc.learning.learner.MOST_JUDGED", limit)
    return learn(MEASURED, learner=learner, learning_set=LEARNED[:50], seed=4)


def test_slow_models_are_judged_by_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full model and its printed model are judged by the same sample; a note says how far its error may be off."""
    printed = InfluenceModel.of_system([(CONSTANT, 20.0), (option_term("b9"), 9.0)], BITS_SYSTEM)
    slow = MadeLearner(lambda problem: truth, printed)
    whole, found = (learned(limit, monkeypatch, slow) for limit in (1024, 100))
    assert whole.samples == {}
    assert found.learning_error == pytest.approx(whole.learning_error)
    sample = found.samples["error"]
    assert (sample.configurations, sample.of) == (100, len(MEASURED.measured("time")) - whole.learning_configurations)
    assert set(found.samples) == {"error", "error_all"}
    for error, wanted, deviation in (
        (found.error, whole.error, sample.standard_error),
        (found.error_all, whole.error_all, found.samples["error_all"].standard_error),
        (found.of_printed.error, whole.of_printed.error, sample.printed),
    ):
        assert 0 < abs(present(error) - present(wanted)) <= 4 * present(deviation)
    assert sample.standard_error != sample.printed
    assert found.of_printed.samples["error"].standard_error == sample.printed
    (note,) = set(found.notes) - set(whole.notes)
    assert f"100 of {sample.of}" in note


def test_terms_are_judged_by_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A performance-influence model that predicts is judged by all rows, however many there are."""
    few, whole = (learned(limit, monkeypatch, learner_of("stepwise")) for limit in (10, 1024))
    assert (few.learning_error, few.error, few.error_all) == (whole.learning_error, whole.error, whole.error_all)
    assert few.samples == {}
