"""Settings: names, values, and what each does to a run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from splc.errors import LearningError, SpecError
from splc.formats.models.log_writer import settings_line
from splc.learning.features import FeatureTable
from splc.learning.judging import random_folds
from splc.learning.result import Round
from splc.learning.stepwise import candidates
from splc.learning.stepwise.algorithm import ForwardSelection, bagged
from splc.learning.stepwise.settings import PRESETS, WITHOUT_EFFECT, Settings, preset
from tests.learning.conftest import table_of

# The settings that logs of SPL Conqueror's program state where none was changed.
LOGGED = (
    "epsilon:0 lossFunction:RELATIVE parallelization:True bagging:False baggingNumbers:3 considerEpsilonTube:False "
    "baggingTestDataFraction:50 useBackward:False abortError:1 limitFeatureSize:False featureSizeTreshold:4 "
    "quadraticFunctionSupport:True crossValidation:False crossValidation-k:5 learn-logFunction:False "
    "learn-accumulatedLogFunction:False learn-asymFunction:False learn-ratioFunction:False "
    "learn-mirrowedFunction:False numberOfRounds:70 backwardErrorDelta:1 minImprovementPerRound:0.1 "
    "withHierarchy:False bruteForceCandidates:False ignoreBadFeatures:False stopOnLongRound:True "
    "candidateSizePenalty:True learnTimeLimit:00:00:00 scoreMeasure:RELERROR outputRoundsToStdout:False blacklisted:"
)
# What the logs published in 2019 state instead.
LOGGED_IN_2019 = {
    "abortError": "10",
    "featureSizeTreshold": "7",
    "learn_logFunction": "True",
    "minImprovementPerRound": "0.25",
    "leastValue": "1",
    "stopOnLongRound": "False",
}


def problem(rows: int = 120, seed: int = 0) -> FeatureTable:
    """Return a problem with interactions of two and three options, and noise."""
    rng = np.random.default_rng(seed)
    b = rng.integers(0, 2, (6, rows)).astype(float)
    x = rng.integers(1, 9, rows).astype(float)
    target = 10 + 4 * b[0] + 3 * b[1] * b[2] + 2 * b[0] * b[3] * b[4] + 0.5 * x + 0.2 * x * b[1]
    return table_of(target + rng.uniform(0, 0.3, rows), **{f"b{i}": b[i] for i in range(6)}, x=x)


def rounds(**values: Any) -> tuple[Round, ...]:
    """Return the rounds of a run with these settings."""
    chosen = {"abortError": 0, "minImprovementPerRound": 0, "numberOfRounds": 12, **values}
    return ForwardSelection(problem(), Settings().changed(chosen)).run().rounds


def test_names_and_values_are_read_as_spl_conqueror_writes_them() -> None:
    """Dashes are underscores, case does not matter, times are HH:MM:SS, and the threshold is spelled both ways."""
    chosen = Settings().changed(
        {"ABORTERROR": "5", "learn-logFunction": "True", "featureSizeThreshold": 3, "learnTimeLimit": "01:02:03"}
    )
    assert (chosen.abortError, chosen.learn_logFunction, chosen.featureSizeTreshold) == (5.0, True, 3)
    assert chosen.learnTimeLimit == 3723
    assert Settings().changed({"parallelization": "false"}) == Settings()


@pytest.mark.parametrize(("name", "changed"), [("splconqueror", {}), ("splconqueror-2019", LOGGED_IN_2019)])
def test_defaults_are_those_of_the_program(name: str, changed: dict[str, str]) -> None:
    """Every setting of a preset has the value that the program's logs state; one that they do not state is on."""
    stated = dict(each.split(":", 1) for each in LOGGED.replace("-", "_").split())
    own = dict(re.findall(r"(\w+):(\S+)", settings_line(preset(name).as_dict())))
    wanted = {key: value for key, value in stated.items() if key not in WITHOUT_EFFECT}
    assert own == {**wanted, "learn_numeric_disabled": "True", **changed}
    assert PRESETS["default"] == PRESETS["splconqueror"]
    with pytest.raises(SpecError, match="splconqueror"):
        preset("unknown")


def test_feature_size_limit_keeps_terms_small() -> None:
    """With limitFeatureSize a term of featureSizeTreshold option occurrences is not extended."""
    plain = {"quadraticFunctionSupport": False, "numberOfRounds": 20}
    assert max(r.added.occurrences for r in rounds(**plain)) > 2
    for limit in (1, 2):
        history = rounds(limitFeatureSize=True, featureSizeTreshold=limit, **plain)
        assert max(r.added.occurrences for r in history) == limit


def test_no_square_without_its_setting() -> None:
    """Without quadraticFunctionSupport the square of an option needs the option in the model first."""
    for switch in (True, False):
        texts = [this.added.log_text() for this in rounds(quadraticFunctionSupport=switch, numberOfRounds=25)]
        assert ("x" in texts[: texts.index("x * x")]) == (not switch)


def test_functions_are_offered_only_where_they_are_defined() -> None:
    """Logarithms need positive values and reciprocals values other than 0."""
    rng = np.random.default_rng(1)
    x = rng.integers(-2, 3, 50)
    functions = dict.fromkeys(("learn_logFunction", "learn_asymFunction", "learn_ratioFunction"), True)
    chosen = Settings().changed({**functions, "abortError": 0, "minImprovementPerRound": 0})
    outcome = ForwardSelection(table_of(20 + x**3 + rng.uniform(0, 1, 50), x=x), chosen).run()
    assert outcome.rounds
    assert not any("log" in t.log_text() or "/" in t.log_text() for t in outcome.terms)


def test_hierarchy_takes_single_options_first() -> None:
    """With withHierarchy interactions of two options come after the single options, those of three later still."""
    sizes = [len(r.added.options) for r in rounds(withHierarchy=True, minImprovementPerRound=0.2)]
    without = [len(r.added.options) for r in rounds(minImprovementPerRound=0.2)]
    first = sizes.index(2)
    assert without.index(2) < first < sizes.index(3)
    assert sizes[:first] == [1] * first
    assert set(sizes[first:]) == {2, 3}


def test_brute_force_finds_an_interaction_without_its_parts() -> None:
    """With bruteForceCandidates a pure interaction of three options is found in the first round."""
    rng = np.random.default_rng(2)
    b = rng.integers(0, 2, (5, 200))
    data = table_of(1 + 5 * b[0] * b[2] * b[4], **{f"b{i}": b[i] for i in range(5)})
    chosen = {"bruteForceCandidates": True, "featureSizeTreshold": 3, "candidateSizePenalty": False}
    outcome = ForwardSelection(data, Settings().changed(chosen)).run()
    assert [t.log_text() for t in outcome.terms] == ["1", "b0 * b2 * b4"]


def test_brute_force_without_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many products that memory would not hold them are an error, not a crash."""
    monkeypatch.setattr(candidates, "MAX_CELLS", 300_000)
    rng = np.random.default_rng(2)
    b = rng.integers(0, 2, (200, 40))
    data = table_of(1 + b[0], **{f"b{i}": b[i] for i in range(200)})
    with pytest.raises(LearningError, match="bruteForceCandidates gives more than") as caught:
        ForwardSelection(data, Settings().changed({"bruteForceCandidates": True}))
    number = int(str(caught.value).split("more than ")[1].split()[0].replace(",", ""))
    # Half of the products have their options in order.
    assert number == pytest.approx(300_000 / 2, rel=0.01)


def test_backward_step_removes_a_term_that_later_ones_replace() -> None:
    """With useBackward a term whose removal costs little leaves the model and does not come back."""
    history = rounds(useBackward=True, backwardErrorDelta=0.3, numberOfRounds=12)
    gone = [t.log_text() for r in history for t in r.removed]
    assert gone
    final = [t.log_text() for t in history[-1].terms]
    assert not set(gone) & set(final)
    for this in history:
        assert len(this.terms) == len({t.log_text() for t in this.terms})
        assert this.learning_error == pytest.approx(this.error, rel=1e-9)


def test_cross_validated_error_is_that_of_models_fitted_without_the_fold() -> None:
    """The selection error equals the mean relative error of least-squares fits on the other folds."""
    data = problem()
    folds = random_folds(data, 5, 3)
    learner = ForwardSelection(data, Settings().changed({"abortError": 0}), folds=folds)
    for _ in range(3):
        this = learner.step()
        assert this is not None
        matrix = np.column_stack([np.broadcast_to(c.evaluate(data.column), len(data)) for c in learner.terms])
        errors = np.empty(len(data))
        for fold in range(5):
            held = folds == fold
            coefficients = np.linalg.lstsq(matrix[~held], data.target[~held], rcond=None)[0]
            errors[held] = np.abs(matrix[held] @ coefficients - data.target[held]) / data.target[held]
        assert this.error == pytest.approx(errors.mean() * 100, rel=1e-9)


def test_epsilon_tube_counts_small_errors_as_none() -> None:
    """With considerEpsilonTube, rows within epsilon do not count in the selection error."""
    wide = rounds(considerEpsilonTube=True, epsilon=0.1)
    assert wide[-1].error == 0.0
    assert wide[-1].learning_error > 0.0
    assert len(wide) < len(rounds())


@pytest.mark.parametrize("fraction", [1, 50, 100])
def test_bagged_model_averages(fraction: int) -> None:
    """A bag gives one averaged model, the same for the same seed, with 100 percent of the rows too."""
    chosen = Settings().changed({"bagging": True, "baggingNumbers": 4, "baggingTestDataFraction": fraction})
    one, two, other = (bagged(problem(), chosen, seed) for seed in (1, 1, 2))
    assert one.terms == two.terms
    assert fraction == 1 or one.terms != other.terms
    assert one.termination == "bagging"
    assert one.rounds == ()


@pytest.mark.parametrize("asked", [1, 2, 1000])
def test_interrupted_bag(asked: int) -> None:
    """A bag that is interrupted, in its first model or later, says so; one that ends before does not."""
    chosen = Settings().changed({"bagging": True, "baggingNumbers": 3, "numberOfRounds": 2})
    questions = iter(range(2000))
    outcome = bagged(problem(), chosen, 1, should_stop=lambda: next(questions) + 1 >= asked)
    assert outcome.termination == ("bagging" if asked == 1000 else "interrupted")
    assert outcome.terms


@pytest.mark.parametrize("loss", ["LEASTSQUARES", "ABSOLUTE"])
def test_other_losses_select_by_their_own_error(loss: str) -> None:
    """The selection error is the loss itself, on the fitted model; relative errors need values other than 0."""
    with pytest.raises(LearningError, match="ABSOLUTE"):
        ForwardSelection(table_of(np.zeros(2), b=[0, 1]), Settings())
    data, chosen = problem(), Settings().changed({"lossFunction": loss, "abortError": 0, "numberOfRounds": 4})
    outcome = ForwardSelection(data, chosen).run()
    residual = data.target - sum(w * t.evaluate(data.column) for each in outcome.terms for t, w in each.expanded)
    expected = np.mean(residual**2) if loss == "LEASTSQUARES" else np.mean(np.abs(residual))
    assert outcome.rounds[-1].error == pytest.approx(float(expected), rel=1e-9)
