"""Models of every size: the better of the forward path and of elimination from its end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection.candidates import CONSTANT_PLACE, Candidates
from splc.learning.projection.forward import forward
from splc.learning.projection.size import descent, models_of_sizes
from splc.learning.projection.units import Language
from splc.types import Array
from tests.learning.projection.known_targets import random_goal, square_of
from tests.learning.projection.test_candidates import switches
from tests.learning.projection.test_forward import LANGUAGES, SEEDS, without_wrong_signs
from tests.support.examples import examples


def eliminated(candidates: Candidates, chosen: tuple[int, ...], target: Array) -> list[tuple[int, ...]]:
    """Return what elimination leaves, where each loss is that of a fit without the term."""
    found = []
    kept = list(chosen)
    while len(kept) > 1:
        trials = [kept[:at] + kept[at + 1 :] for at in range(len(kept))]
        squares = [float(np.linalg.lstsq(candidates.columns[each].T, target)[1][0]) for each in trials]
        if not candidates.signed:
            squares = [np.inf if CONSTANT_PLACE not in each else one for each, one in zip(trials, squares, strict=True)]
        kept = trials[int(np.argmin(squares))]
        if candidates.signed:
            kept = without_wrong_signs(candidates, kept, target)
        found.append(tuple(kept))
    return found


@examples(30)
@given(seed=SEEDS, language=st.sampled_from(LANGUAGES), most=st.integers(1, 9))
def test_models_of_every_size(seed: int, language: Language, most: int) -> None:
    """Each size has the best set of its size, or of a smaller one, of both paths."""
    candidates, target = random_goal(seed, language)
    if language == "sum":
        candidates.free[::2] = False
    [selection] = forward(candidates, target[None], 14)
    found = models_of_sizes(selection, most)
    assert len(found) == most
    every = [*selection.sets, *eliminated(candidates, selection.sets[-1], target)]
    for size, chosen in enumerate(found, 1):
        squares = [square_of(candidates, each, target) for each in every if len(each) <= size]
        assert len(chosen) <= size
        assert square_of(candidates, chosen, target) == pytest.approx(min(squares), rel=1e-7)
        assert language == "sum" or CONSTANT_PLACE in chosen
    # A model is taken where it is first met: larger sizes have it only if they have no better one.
    assert all(len(chosen) == size or chosen == found[size - 2] for size, chosen in enumerate(found, 1))


@examples(30)
@given(seed=SEEDS, language=st.sampled_from(LANGUAGES))
def test_elimination(seed: int, language: Language) -> None:
    """The term of least loss leaves, then those with wrong signs; sums of squares are those of the rest."""
    candidates, target = random_goal(seed, language)
    if language == "sum":
        candidates.free[::2] = False
    rng = np.random.default_rng(seed)
    chosen = forward(candidates, (target + target.std() * rng.normal(size=len(target)))[None], 9)[0].sets[-1]
    found = list(descent(candidates, chosen, target))
    assert [kept for kept, _ in found] == eliminated(candidates, chosen, target)
    for kept, square in found:
        residual = (
            target - np.linalg.lstsq(candidates.columns[list(kept)].T, target)[0] @ candidates.columns[list(kept)]
        )
        assert square == pytest.approx(residual @ residual, rel=1e-9)


def test_elimination_repairs_early_mistakes() -> None:
    """A term that was selected for two others leaves when both are there."""
    candidates = switches(2, 1)
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 200)) + 2
    columns = np.array([one, two, one + two + 0.3 * rng.normal(size=200)])
    candidates = Candidates(switches(3, 1).units, columns, np.ones(200), order=1, signed=False)
    target = candidates.columns[[1, 2]].sum(axis=0) * 3 + candidates.columns[0]
    [selection] = forward(candidates, target[None], 4)
    assert selection.sets[1] == (0, 3)
    assert set(models_of_sizes(selection, 4)[2]) == {0, 1, 2}
    # No term but those of the truth is needed.
    assert models_of_sizes(selection, 4)[3] == models_of_sizes(selection, 4)[2]


@pytest.mark.parametrize("noise", [0.0, 1e-14, -1e-14])
def test_equal_losses_are_in_canonical_order(noise: float) -> None:
    """Of terms whose loss is equal up to roundoff, the last one leaves."""
    a, b, c, rest, _ = np.array([[(-1.0) ** (row >> bit & 1) for row in range(32)] for bit in range(5)])
    # Orthogonal terms, and a sum of them with noise that is selected first.
    columns = np.array([a * (1 + noise), b, c * (1 - noise), a + b + c + 5**0.5 * rest])
    candidates = Candidates(switches(4, 1).units, columns, np.ones(32), order=1, signed=False)
    [selection] = forward(candidates, (4 + a + b + c)[None], 6)
    assert selection.sets[1] == (0, 4)
    assert set(models_of_sizes(selection, 4)[2]) == {0, 1, 2}


@pytest.mark.parametrize("signed", [True, False])
def test_targets_without_terms(signed: bool) -> None:
    """If nothing is selected, sums of costs are empty and other models are the constant."""
    candidates = switches(3, 1)
    candidates.signed = signed
    for target in (np.zeros(36), np.r_[np.ones(18), -np.ones(18)] * (candidates.columns[0] @ np.ones(36) * 0)):
        [selection] = forward(candidates, target[None], 5)
        assert models_of_sizes(selection, 3) == [() if signed else (CONSTANT_PLACE,)] * 3


def test_constants_that_explain_nothing() -> None:
    """A model of one free term is the constant, also where the mean of the target is 0."""
    candidates = Candidates(switches(1, 1).units, np.array([[0.0, 1.0] * 10]), np.ones(20), order=1, signed=False)
    [selection] = forward(candidates, np.array([[-1.0, 1.0] * 10]), 5)
    assert models_of_sizes(selection, 3) == [(0,), (0, 1), (0, 1)]
