"""Forward selection in lock step against selection for one target, by least squares of all candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection.candidates import CONSTANT_PLACE, Candidates
from splc.learning.projection.forward import SAME_SCORE, TermSelection, forward, with_right_signs
from splc.learning.projection.units import Language
from splc.types import Array
from tests.learning.projection.known_targets import random_goal, square_of
from tests.learning.projection.test_candidates import switches
from tests.support.examples import examples

LANGUAGES: tuple[Language, ...] = ("sum", "product")
SEEDS = st.integers(0, 200)


def best_next(candidates: Candidates, chosen: list[int], target: Array) -> int | None:
    """Return the best candidate for terms: each one is orthogonalised and its drop of the squares computed."""
    known = np.linalg.qr(candidates.columns[chosen].T)[0] if chosen else np.zeros((len(target), 0))
    residual = target - known @ (known.T @ target)
    rest = candidates.columns - candidates.columns @ known @ known.T
    left = (rest**2).sum(axis=1)
    moments = rest @ residual
    fine = (left > candidates.limits) & (candidates.free | (moments > 0))
    scores = np.where(fine, moments**2 / np.maximum(left, 1e-300), 0.0) * candidates.penalties
    if scores.max() <= 0:
        return None
    ties = np.flatnonzero(scores >= scores.max() * (1 - SAME_SCORE))
    return min(ties.tolist(), key=candidates.name)


def without_wrong_signs(candidates: Candidates, chosen: list[int], target: Array) -> list[int]:
    """Return terms without the most negative bounded one, again and again."""
    kept = list(chosen)
    while kept:
        found = np.linalg.lstsq(candidates.columns[kept].T, target)[0]
        wrong = np.where(candidates.free[kept], 0.0, found)
        if wrong.min() >= 0:
            break
        del kept[int(wrong.argmin())]
    return kept


@examples(20)
@given(seed=SEEDS, language=st.sampled_from(LANGUAGES))
def test_every_step_is_the_best(seed: int, language: Language) -> None:
    """Each step adds the candidate with the largest penalised drop, and drops terms with wrong signs."""
    candidates, target = random_goal(seed, language)
    before = len(candidates)
    [selection] = forward(candidates, target[None], 10)
    assert len(candidates) == before
    chosen: list[int] = []
    for after, square in zip(selection.sets, selection.squares, strict=True):
        first = not chosen and language == "product"
        added = CONSTANT_PLACE if first else best_next(candidates, chosen, target)
        assert added is not None
        chosen = [*chosen, added]
        if language == "sum":
            chosen = without_wrong_signs(candidates, chosen, target)
        assert after == tuple(chosen)
        assert square == pytest.approx(square_of(candidates, chosen, target), rel=1e-7, abs=1e-12)
    assert len(selection.sets) == 10


@examples(15)
@given(seed=SEEDS, language=st.sampled_from(LANGUAGES), number=st.integers(2, 5))
def test_targets_are_independent(seed: int, language: Language, number: int) -> None:
    """In lock step each target has the terms that it has alone, where all products are candidates."""
    candidates, target = random_goal(seed, language)
    rng = np.random.default_rng(seed)
    targets = target + 0.3 * target.std() * rng.normal(size=(number, len(target)))
    together = forward(candidates, targets, 8)
    for each, selection in zip(targets, together, strict=True):
        [alone] = forward(candidates, each[None], 8)
        assert alone.sets == selection.sets
        np.testing.assert_allclose(alone.squares, selection.squares, rtol=1e-9)
        assert selection.chosen == list(selection.sets[-1])


def test_terms_of_all_targets_have_heirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heirs of the terms of every target are candidates for all, with right scores."""
    monkeypatch.setattr("splc.learning.projection.candidates.MAX_ENUMERATED", 0)
    candidates = switches(8, 3)
    places = [candidates.products.index((at,)) for at in range(8)]
    raw = candidates.columns[places] / candidates.columns[places].max(axis=1, keepdims=True)
    truths = [(0, 1, 2), (4, 5), (6, 7)]
    targets = np.array([3 + 2 * raw[truth[0]] + 3 * np.prod(raw[list(truth)], axis=0) for truth in truths])
    targets += 0.1 * np.random.default_rng(0).normal(size=targets.shape)
    selections = forward(candidates, targets, 5)
    for selection, truth in zip(selections, truths, strict=True):
        assert truth in {candidates.products[place] for place in selection.chosen}
        # Heirs that were added late have the scores that their columns give.
        assert selection.next() == best_next(candidates, selection.chosen, selection.target)


@pytest.mark.parametrize(("share", "both"), [(2e-3, True), (5e-4, False)])
def test_terms_can_be_told_from_others(share: float, both: bool) -> None:
    """A candidate is selected only if a thousandth of what it has besides the constant is left."""
    a, b, _ = np.array([[(-1.0) ** (row >> bit & 1) for row in range(8)] for bit in range(3)])
    columns = np.array([a, (1 - share) ** 0.5 * a + share**0.5 * b])
    candidates = Candidates(switches(2, 1).units, columns, np.ones(8), order=1, signed=False)
    [selection] = forward(candidates, (3 + a + b)[None], 6)
    assert (len(selection.chosen) == 3) is both


def test_equal_candidates_are_in_canonical_order() -> None:
    """Of candidates with equal columns the simplest one is selected, for roundoff of any size."""
    values = np.random.default_rng(0).integers(0, 2, (1, 40)).astype(float).repeat(3, axis=0)
    for seed in range(20):
        units = switches(3, 1).units
        noise = 1 + 1e-14 * np.random.default_rng(seed).normal(size=values.shape)
        candidates = Candidates(units, values * noise, np.ones(40), order=1)
        [selection] = forward(candidates, (2 + 3 * values[:1]), 5)
        assert [candidates.products[place] for place in sorted(selection.chosen)] == [(), (0,)]


@pytest.mark.parametrize("signed", [True, False])
def test_exact_targets_end_the_path(signed: bool) -> None:
    """If only roundoff is left, no further term is selected."""
    candidates = switches(5, 2)
    candidates.free[:] |= not signed
    candidates.signed = signed
    chosen = [0, 3, 8]
    [selection] = forward(candidates, np.array([[5.0, 2.0, 1.0]]) @ candidates.columns[chosen], 15)
    assert set(chosen) <= set(selection.chosen)
    assert len(selection.sets) < 8
    [nothing] = forward(candidates, np.zeros((1, candidates.columns.shape[1])), 5)
    assert nothing.sets == ([] if signed else [(0,)])


def test_bounded_terms_are_not_selected_with_wrong_signs() -> None:
    """A falling numeric option has no term in a sum of costs, and the constant is no negative one."""
    candidates = switches(2, 1)
    candidates.free[:] = False
    raw = candidates.columns / candidates.columns.max(axis=1, keepdims=True)
    [selection] = forward(candidates, np.array([3 - 2 * raw[1] + raw[2]]), 5)
    assert selection.chosen == [0, 2]
    [negative] = forward(candidates, np.array([-3 + 0.0 * raw[1]]), 5)
    assert negative.sets == []


@examples(40)
@given(seed=SEEDS)
def test_right_signs(seed: int) -> None:
    """The kept terms have no wrong sign, and their coefficients are those of least squares."""
    candidates, target = random_goal(seed, "sum")
    candidates.free[::3] = False
    start = TermSelection(candidates, np.random.default_rng(seed).normal(size=len(target)))
    for _ in range(8):
        place = start.next()
        if place is not None and (along := start.select(place)) is not None:
            start.update(candidates.columns @ along)
    kept, coefficients = with_right_signs(candidates, start.chosen, target)
    assert kept == without_wrong_signs(candidates, start.chosen, target)
    assert (coefficients[~candidates.free[kept]] >= 0).all()
    expected = np.linalg.lstsq(candidates.columns[kept].T, target)[0]
    np.testing.assert_allclose(coefficients, expected, rtol=1e-7, atol=1e-9)
