"""Scores of candidates: ties, limits, chunks, collinear ones; and the models that SPL Conqueror's program published."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.formats.models.log_writer import learned_log_text
from splc.learning import learn
from splc.learning.result import LearnedTerm, Round
from splc.learning.stepwise import fits
from splc.learning.stepwise.algorithm import REASONS, ForwardSelection
from splc.learning.stepwise.fits import TIE
from splc.learning.stepwise.settings import Settings
from splc.models.terms import CONSTANT
from splc.types import Array
from tests.learning.conftest import README, measured, offered, table_of
from tests.support.golden_messages import Lines, check_calls, check_messages
from tests.support.real_data import real

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
