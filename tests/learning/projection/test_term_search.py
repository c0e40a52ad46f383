"""The search of terms against direct computations: forward, backward, and with signs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from splc.learning.projection.columns import CONSTANT_PLACE, Candidates, Language
from splc.learning.projection.term_search import SAME_SCORE, forward, models_of_sizes, nonnegative
from splc.types import Array
from tests.learning.projection.known_targets import random_goal, square_of
from tests.learning.projection.test_columns import switches
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
    monkeypatch.setattr("splc.learning.projection.columns.MAX_ENUMERATED", 0)
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
    """If only roundoff is left, no further term is selected; of nothing, sums of costs are empty, others constants."""
    candidates = switches(5, 2)
    candidates.free[:] |= not signed
    candidates.signed = signed
    chosen = [0, 3, 8]
    [selection] = forward(candidates, np.array([[5.0, 2.0, 1.0]]) @ candidates.columns[chosen], 15)
    assert set(chosen) <= set(selection.chosen)
    assert len(selection.sets) < 8
    [nothing] = forward(candidates, np.zeros((1, candidates.columns.shape[1])), 5)
    assert nothing.sets == ([] if signed else [(0,)])
    assert models_of_sizes(nothing, 3) == [() if signed else (CONSTANT_PLACE,)] * 3


def test_bounded_terms_are_not_selected_with_wrong_signs() -> None:
    """A falling numeric option has no term in a sum of costs, and the constant is no negative one."""
    candidates = switches(2, 1)
    candidates.free[:] = False
    raw = candidates.columns / candidates.columns.max(axis=1, keepdims=True)
    [selection] = forward(candidates, np.array([3 - 2 * raw[1] + raw[2]]), 5)
    assert selection.chosen == [0, 2]
    [negative] = forward(candidates, np.array([-3 + 0.0 * raw[1]]), 5)
    assert negative.sets == []


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


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_same_as_nnls(seed: int, columns: int) -> None:
    """The coefficients are those of scipy's nnls with free columns entered twice."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(columns + 12, columns)) + rng.normal(size=(columns + 12, 1))
    target, free = rng.normal(size=len(matrix)), rng.random(columns) < 0.4
    both, _ = nnls(np.hstack([matrix, -matrix[:, free]]), target)
    expected = both[:columns].copy()
    expected[free] -= both[columns:]
    found = nonnegative(matrix.T @ matrix, matrix.T @ target, free)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (found[~free] >= 0).all()


def test_nothing() -> None:
    """No columns have no coefficients, and a target of zero has coefficients of zero."""
    assert nonnegative(np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=bool)).shape == (0,)
    assert (nonnegative(np.eye(2), np.zeros(2), np.array([True, False])) == 0).all()
