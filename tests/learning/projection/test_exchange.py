"""Exchange of terms against trying every replacement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.learning.projection.candidates import CONSTANT_PLACE, Candidates
from splc.learning.projection.exchange import exchanged
from splc.learning.projection.forward import SAME_SCORE, forward
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.units import Language
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import candidates_of, random_goal, square_of, switch, target_of
from tests.learning.projection.test_forward import LANGUAGES, SEEDS, without_wrong_signs
from tests.support.examples import examples


def start(candidates: Candidates, target: Array, seed: int, terms: int) -> tuple[int, ...]:
    """Return terms that are not the best ones: those of another target, in canonical order."""
    rng = np.random.default_rng(seed)
    other = target + target.std() * rng.normal(size=len(target))
    chosen = without_wrong_signs(candidates, list(forward(candidates, other[None], terms)[0].chosen), target)
    return tuple(sorted(chosen, key=candidates.name))


def best_replacement(candidates: Candidates, chosen: tuple[int, ...], position: int, target: Array) -> tuple[int, ...]:
    """Return terms with the best candidate instead of one, of all that can be told from the others."""
    others = [each for each in chosen if each != position]
    known = np.linalg.qr(candidates.columns[others].T)[0]
    rest = candidates.columns - candidates.columns @ known @ known.T
    left = (rest**2).sum(axis=1)
    moments = rest @ target
    fine = (left > candidates.limits) & (candidates.free | (moments > 0))
    fine[[*chosen, CONSTANT_PLACE]] = False
    scores = np.where(fine, moments**2 / np.maximum(left, 1e-300), 0.0) * candidates.penalties
    ties = np.flatnonzero(scores >= scores.max() * (1 - SAME_SCORE))
    best = min(ties.tolist(), key=candidates.name)
    trial = tuple(best if each == position else each for each in chosen)
    before, after = (square_of(candidates, each, target) for each in (chosen, trial))
    right = len(without_wrong_signs(candidates, list(trial), target)) == len(trial)
    return trial if after <= 0.97**2 * before * (1 - 1e-9) and right else chosen


@examples(25)
@given(seed=SEEDS, language=st.sampled_from(LANGUAGES), terms=st.integers(1, 7))
def test_replacements_are_the_best(seed: int, language: Language, terms: int) -> None:
    """Each term in turn is replaced by the best candidate if the distance falls by 3 %, in two rounds."""
    candidates, target = random_goal(seed, language)
    first = start(candidates, target, seed, terms)
    expected = first
    for _ in range(2):
        for position in sorted(expected, key=candidates.name):
            if position != CONSTANT_PLACE:
                expected = best_replacement(candidates, expected, position, target)
    found = exchanged(candidates, first, target)
    assert found == expected
    assert len(set(found)) == len(first)
    assert (CONSTANT_PLACE in found) == (CONSTANT_PLACE in first)
    assert square_of(candidates, found, target) <= square_of(candidates, first, target) * (1 + 1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_truths_stay(language: Language) -> None:
    """Terms that fit a target exactly, or no terms at all, are not exchanged."""
    candidates, target = random_goal(1, language)
    chosen = tuple(sorted(forward(candidates, target[None], 5)[0].chosen, key=candidates.name))
    exact = np.ones(len(chosen)) @ candidates.columns[list(chosen)]
    assert exchanged(candidates, chosen, exact) == chosen
    assert exchanged(candidates, (), target) == ()
    assert exchanged(candidates, (CONSTANT_PLACE,), target) == (CONSTANT_PLACE,)


@examples(30)
@given(seed=st.integers(0, 1000))
def test_roundoff_exchanges_nothing(seed: int) -> None:
    """Of the many sets of functions of one option that fit exactly, the given one stays."""
    rng = np.random.default_rng(seed)
    model = VariabilityModel("one", (NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0)), switch("a"), switch("b")))
    rows = ModelRows(target_of(model, lambda c: c("x") + 1))
    candidates = candidates_of(rows, 1, "product")
    chosen = (0, *sorted(rng.choice(np.arange(1, 9), 4, replace=False).tolist()))
    assume(np.linalg.cond(candidates.columns[list(chosen)]) <= 1e4)
    target = rng.normal(size=5) @ candidates.columns[list(chosen)] * (1 + 1e-16 * rng.normal(size=len(rows.roots)))
    assert exchanged(candidates, chosen, target) == chosen
