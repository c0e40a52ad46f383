"""Replacements of a term: which candidates are tried, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection import exchange as exchange_module
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.exchange import _moments, _replaced, exchanged
from splc.learning.projection.forward import forward
from splc.learning.projection.subset import Goal, Subset, fitted
from splc.types import Array
from tests.learning.projection.known_targets import MIXED
from tests.learning.projection.test_selection import eligible, goal_of


def drops(goal: Goal, rest: list[int], constant: bool) -> Array:
    """Return penalty times drop of the squares when a candidate is fitted to the residual of others, with signs.

    `constant`: whether the constant is fitted to the residual, too.
    """
    columns = goal.candidates.columns
    residual = goal.target - columns[rest].T @ np.linalg.lstsq(columns[rest].T, goal.target)[0]
    found = np.zeros(len(columns))
    for place in range(1, len(columns)):
        base = columns[[0, place]].T if constant else columns[[place]].T
        influences = np.linalg.lstsq(base, residual)[0]
        if goal.candidates.free[place] or columns[place] @ residual > 0:
            drop = residual @ residual - ((residual - base @ influences) ** 2).sum()
            found[place] = drop * goal.candidates.penalties[place]
    return found


def models(constant: bool) -> list[Subset]:
    """Return models with the constant or without."""
    found = []
    for seed in range(6):
        goal = goal_of(MIXED, seed=seed, order=2)
        rng = np.random.default_rng(seed)
        chosen = [0] if constant else []
        for _ in range(4):
            chosen.append(int(rng.choice(eligible(goal, chosen))))
        found.append(fitted(goal, chosen))
    return found


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize(("most_checked", "most_tried"), [(6, 2), (1, 2)])
def test_only_the_first_candidates_are_tried(
    most_checked: int, most_tried: int, constant: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the candidates with the largest drops, the first ones that can be told from the others are tried."""
    monkeypatch.setattr(exchange_module, "CHECKED", most_checked)
    monkeypatch.setattr(exchange_module, "TRIED", most_tried)
    replaced = 0
    for model in models(constant):
        goal = model.goal
        assert (0 in model.chosen) == constant
        for position, moments in zip(model.terms, _moments(model, model.terms), strict=True):
            rest = [each for each in model.chosen if each != position]
            scores = drops(goal, rest, constant)
            scores[list(model.chosen)] = 0.0
            checked = np.argsort(-scores, kind="stable")[:most_checked]
            tried = [place for place in checked.tolist() if place in eligible(goal, rest)][:most_tried]
            found = _replaced(model, position, moments, 10 * model.rms)
            if found is not None:
                assert (set(found.chosen) - set(rest)).issubset(tried)
                replaced += 1
    assert replaced


def test_new_terms_bring_their_heirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The products of every term that replaces another one become candidates."""
    called: list[int] = []
    monkeypatch.setattr(Candidates, "add_heirs", lambda _, position: called.append(position))
    for seed in range(4):
        goal = goal_of(MIXED, seed=seed, order=2)
        rng = np.random.default_rng(seed)
        chosen = [0]
        for _ in range(3):
            chosen.append(int(rng.choice(eligible(goal, chosen))))
        model = fitted(goal, chosen)
        called.clear()
        better = exchanged(model, 2 * model.rms)
        assert set(called) == set(better.chosen) - set(model.chosen) != set()


def test_tiny_influences_are_found() -> None:
    """Without a tolerance, a path goes on to terms that are a billionth of the others; roundoff adds no term."""
    goal = goal_of(MIXED, signed=False, order=1)
    chosen = [0]
    rng = np.random.default_rng(0)
    for _ in range(3):
        chosen.append(int(rng.choice(eligible(goal, chosen))))
    columns = goal.candidates.columns
    exact = columns[chosen].T @ [1.0, 0.5, -0.3, 1e-9]
    path = forward(replace(goal, target=exact), 0.0)
    assert set(chosen) <= set(path[-1].chosen)
    assert path[-1].rms < 1e-13
    # What is left of one column after its fit is roundoff.
    for place in (0, 1, 2, 5):
        for size in (1e-7, 3.3, 1e9):
            known = forward(replace(goal, target=columns[0] * 0.7 * size + columns[place] * size), 0.0)[-1]
            assert set(known.chosen) == {0, place}
