"""The rounds of stepwise learning: what each setting does, scores of candidates, and published models."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from splc.data.measurements import Measurements
from splc.errors import LearningError, SpecError
from splc.formats.models.log_writer import learned_log_text, settings_line
from splc.learning import learn
from splc.learning.features import FeatureTable, random_folds
from splc.learning.result import LearnedTerm, Round
from splc.learning.stepwise import candidates, fits
from splc.learning.stepwise.algorithm import REASONS, ForwardSelection, select
from splc.learning.stepwise.fits import TIE
from splc.learning.stepwise.settings import PRESETS, WITHOUT_EFFECT, Settings, preset
from splc.models.terms import CONSTANT
from splc.types import Array
from tests.learning.conftest import README, measured, offered, table_of
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.real_data import real

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
    one, two, other = (select(problem(), chosen, seed) for seed in (1, 1, 2))
    assert one.terms == two.terms
    assert fraction == 1 or one.terms != other.terms
    assert one.termination == "bagging"
    assert one.rounds == ()


@pytest.mark.parametrize("asked", [1, 2, 1000])
def test_interrupted_bag(asked: int) -> None:
    """A bag that is interrupted, in its first model or later, says so; one that ends before does not."""
    chosen = Settings().changed({"bagging": True, "baggingNumbers": 3, "numberOfRounds": 2})
    questions = iter(range(2000))
    outcome = select(problem(), chosen, 1, should_stop=lambda: next(questions) + 1 >= asked)
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


NAMES = ("a", "b", "c")


def selector(folds: Array | None = None, **columns: Array) -> ForwardSelection:
    """Return a run that has added one term, so that there are candidates of one and of two options."""
    rng = np.random.default_rng(4)
    columns = {name: rng.integers(0, 2, 40) for name in NAMES} | columns
    target = 5 + 4 * columns["a"] + 2 * columns["b"] + columns["c"] + rng.uniform(0, 0.1, 40)
    chosen = Settings().changed({"candidateSizePenalty": False, "abortError": 0, "minImprovementPerRound": 0})
    learner = ForwardSelection(table_of(target, **columns), chosen, folds=folds)
    assert learner.step() is not None
    return learner


def winner(errors: dict[str, float]) -> Lines:
    """Return the winner among candidates whose errors are stated, where the error without them is 10."""
    learner = selector()
    cells = np.array([offered(learner.grid)[text] for text in errors], dtype=int).reshape(len(errors), 2)
    found = learner.scorer.best_of(cells[:, 0], cells[:, 1], np.array(list(errors.values())), 10.0)
    if found is None:
        return Lines("none")
    text = found.candidate.learned(1.0).log_text()
    assert found.error == errors[text]
    return Lines(text)


def stopped(settings: dict[str, Any], **last: Any) -> str | None:
    """Return the rule that ends learning after a round, where others than the stated facts end nothing."""
    rng = np.random.default_rng(0)
    columns = {f"b{at}": rng.integers(0, 2, 20) for at in range(3)}
    learner = ForwardSelection(table_of(rng.uniform(1, 2, 20), **columns), Settings().changed(settings))
    last = {"number": 1, "error": 50.0, "score": 5.0, "seconds": 1.0, **last}
    learned = Round(added=LearnedTerm(CONSTANT, 1.0), learning_error=0.0, terms=(), **last)
    learner.rounds = [learned]
    rule = learner.terminate(learned)
    assert rule is None or rule in REASONS
    return rule


def test_calls() -> None:
    """The winners of rounds, and the rules that end learning, in SPL Conqueror's order."""
    check_calls("rounds", winner, stopped, tie=TIE * 10)


@pytest.mark.parametrize("elements", [1, 90, 200])
def test_losses_in_chunks(elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses are the same if candidates are evaluated a few at a time, also if one is larger than a chunk."""
    folds = np.arange(40) % 4
    learner = selector(folds=folds)
    heads, atoms, errors = learner.scorer.all_losses(learner.grid.offered)
    assert len(errors) >= 4
    monkeypatch.setattr(fits, "CHUNK", elements)
    few = selector(folds=folds).scorer.all_losses(learner.grid.offered)
    for found, expected in zip(few, (heads, atoms, errors), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def options_with_a_loss(learner: ForwardSelection) -> set[str]:
    """Return the options of all candidates that have a loss."""
    heads, atoms, _ = learner.scorer.all_losses(learner.scorer.usable(learner.allowed()))
    return {
        name
        for head, atom in zip(heads.tolist(), atoms.tolist(), strict=True)
        for name in learner.grid.candidate(head, atom).options
    }


def test_candidates_that_are_collinear_in_a_fold() -> None:
    """An option that is constant outside of one fold has no influence there, and is no candidate in any round."""
    folds = np.arange(40) % 4
    rare = np.where(folds == 1, np.arange(40) // 4 % 2, 0.0)
    learner = selector(folds=folds, d=rare)
    while learner.step() is not None and len(learner.terms) < 8:
        assert "d" not in options_with_a_loss(learner)
    assert {name for term in learner.terms for name in term.options} == {"a", "b", "c"}
    assert "d" in options_with_a_loss(selector(d=rare))


def test_bad_candidates_rest_for_three_rounds() -> None:
    """With ignoreBadFeatures, the worse half of more than ten candidates is left out in the next three rounds."""
    rng = np.random.default_rng(2)
    columns = {f"b{i}": rng.integers(0, 2, 80) for i in range(12)}
    target = 5 + sum(i * column for i, column in enumerate(columns.values())) + rng.uniform(0, 1, 80)
    chosen = Settings().changed({"ignoreBadFeatures": True, "abortError": 0, "minImprovementPerRound": 0})
    learner = ForwardSelection(table_of(target, **columns), chosen)
    # The number of rounds for which a cell of the grid is still left out.
    resting: dict[tuple[int, int], int] = {}
    returned = 0
    for _ in range(7):
        heads, atoms, errors = learner.scorer.all_losses(learner.scorer.usable(learner.allowed()))
        cells = list(zip(heads.tolist(), atoms.tolist(), strict=True))
        assert not {cell for cell, rounds in resting.items() if rounds} & set(cells)
        returned += len({cell for cell, rounds in resting.items() if rounds == 0} & set(cells))
        worse = [cells[at] for at in np.argsort(errors, kind="stable")[max(5, len(cells) // 2) :]]
        resting = {cell: rounds - 1 for cell, rounds in resting.items() if rounds}
        resting |= dict.fromkeys(worse if len(cells) > 10 else [], 3)
        assert learner.step() is not None
    assert returned > 0


PRESET = "splconqueror-2019"
PLAIN = ("no_8x8dct", "no_cabac", "no_deblock", "no_fast_pskip", "no_mbtree", "no_mixed_refs", "no_weightb")
REFS = ("ref_1", "ref_5", "ref_9")
AHEAD = ("rc_lookahead_20", "rc_lookahead_40", "rc_lookahead_60")


def values(text: str) -> list[str | float]:
    """Return the words of a field of a round, numbers as numbers."""
    return [float(word) if word[-1].isdigit() and not word[0].isalpha() else word for word in text.split()]


def t_wise(x264: Measurements, t: int) -> Array:
    """Return the rows of `twise t:T` of x264.

    The solver of the logs selects ref_5 where no ref is asked for, and rc_lookahead_60 where nothing of both groups is,
    rc_lookahead_40 next to a ref that is asked for; so the influences of the logs show.
    """
    names = (*PLAIN, *REFS, *AHEAD)
    columns = np.array([x264.configurations.column(name) for name in names]).T
    position = {frozenset(name for name, on in zip(names, row, strict=True) if on): i for i, row in enumerate(columns)}
    rows = set()
    for wanted in map(set, combinations(names, t)):
        ref, ahead = wanted & set(REFS), wanted & set(AHEAD)
        if len(ref) > 1 or len(ahead) > 1 or wanted == {"ref_5"}:
            continue
        filled = wanted | (ref or {"ref_5"}) | (ahead or {"rc_lookahead_40" if ref else "rc_lookahead_60"})
        rows.add(position[frozenset(filled)])
    return np.array(sorted(rows))


@pytest.mark.real_data
@pytest.mark.parametrize(("t", "size"), [(1, 12), (2, 65)])
def test_published_models_of_t_wise_sampling(t: int, size: int) -> None:
    """With its first term, every round of a published log is learned: terms, influences and both errors."""
    x264 = measured("x264")
    text = real("splc_logs", f"x264_twise_t{t}.log").read_text()
    stated = [line.split(";") for line in text.splitlines() if re.fullmatch(r"\d+(;[^;]*){11}", line)][-t - 1 :]
    rows = t_wise(x264, t)
    assert len(rows) == size
    first = stated[0][1].rsplit(" * ", 1)[1]
    result = learn(x264, "Performance", PRESET, settings={"first": first}, learning_set=rows)
    logged = learned_log_text(result).split("Termination reason: ")[1].split("\nAnalyze")[0].splitlines()
    assert logged[0] == result.termination == "abortError"
    for ours, theirs in zip((line.split(";") for line in logged[1:]), stated, strict=True):
        # All fields but the time; the score of the first round is the largest number, in 15 digits there.
        for at in (0, 1, 2, 3, 4, 5, 7, 8, 9, *([] if ours[0] == "1" else [10])):
            assert values(ours[at]) == [
                own if isinstance(own, str) else pytest.approx(own, rel=1e-11) for own in values(theirs[at])
            ]
    assert logged[1].split(";")[10][:15] == stated[0][10][:15] == "1.7976931348623"
    assert result.error_all == pytest.approx(float(stated[-1][11]), rel=1e-12)


@pytest.mark.real_data
def test_best_candidate_without_a_first_term() -> None:
    """Without a stated term the first one is the best candidate, and a note says so."""
    x264 = measured("x264")
    result = learn(x264, "Performance", PRESET)
    assert result.rounds[0].added.term.options == {"ref_1"}
    assert any("program of 2018 took an arbitrary one" in note for note in result.notes)
    stated = learn(x264, "Performance", PRESET, settings={"first": "ref_1"})
    assert not any("arbitrary" in note for note in stated.notes)
    assert stated.terms == result.terms
    assert "first" not in result.settings


@pytest.mark.real_data
def test_wrong_first_terms() -> None:
    """A first term that is no candidate, or never changes in the learning set, is refused."""
    x264 = measured("x264")
    check_messages("first-terms", lambda first: learn(x264, "Performance", PRESET, settings={"first": first}))
    rows = np.flatnonzero(x264.configurations.column("ref_1") == 0)
    with pytest.raises(LearningError, match="same value in all configurations"):
        learn(x264, "Performance", PRESET, settings={"first": "ref_1"}, learning_set=rows)


# (system, settings): error in percent, termination, influences by term as SPL Conqueror's log writes them.
PUBLISHED: list[tuple[str, dict[str, Any], float, str, dict[str, float]]] = [
    ("LLVM", README, 5.194, "abortError", {"time_passes": 228.863, "gvn": 16.0599}),
    ("LLVM", {}, 2.234, "minImprovementPerRound", {
        "time_passes": 203.665, "gvn": 22.7272, "licm": 23.5494, "instcombine": 12.0286, "inline": 14.819,
        "gvn * licm": -13.3346}),
    ("x264", README, 9.193, "abortError", {"no_asm": 461.609, "ref_1": -184.195, "ref_9": 184.627}),
    ("x264", {}, 3.599, "minImprovementPerRound", {
        "no_asm": 445.67, "ref_1": -172.27, "ref_9": 189.663, "no_mbtree": 60.4947, "no_8x8dct": -20.7638,
        "no_mixed_refs * ref_9": -117.33, "no_fast_pskip * ref_9": 107.26, "no_mbtree * ref_1": -29.2647,
        "no_cabac": -7.85179, "no_fast_pskip * ref_1": 5.41446}),
    ("Dune", README, 11.595, "minImprovementPerRound", {
        "Precon": 11088.5, "post_0": 2726.84, "cells_50": -2495.19, "cells_51": -2049.93, "SeqSOR": 965.946,
        "post_6": -1728.36, "cells_52": -1389.51, "pre_1 * post_0": 10609.6, "post_5": -1341.29}),
]  # fmt: skip


@pytest.mark.real_data
@pytest.mark.parametrize(("system", "settings", "error", "termination", "influences"), PUBLISHED)
def test_published_models_are_met(
    system: str, settings: dict[str, Any], error: float, termination: str, influences: dict[str, float]
) -> None:
    """The preset `splconqueror` learns SPL Conqueror's terms, influences, error and stop reason from all rows."""
    result = learn(measured(system), "Performance", "splconqueror", settings=settings)
    order = result.model.order
    assert {t.log_text(order, result.base): pytest.approx(t.influence, rel=5e-6) for t in result.terms} == influences
    assert result.learning_error is not None
    assert result.learning_error == pytest.approx(error, abs=5e-4)
    assert result.termination == termination
    assert result.error is None
    assert result.error_all == result.learning_error
