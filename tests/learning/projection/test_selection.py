"""Forward selection, elimination and exchange against exhaustive refits."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

from splc.learning.projection import exchange as exchange_module
from splc.learning.projection import forward as forward_module
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.decomposition import perpendicular
from splc.learning.projection.exchange import _left, _moments, _replaced, eliminated, exchanged, next_smaller, reduced
from splc.learning.projection.form import SUM_PENALTY
from splc.learning.projection.forward import forward
from splc.learning.projection.rows import Rows
from splc.learning.projection.subset import Goal, distinguishable, fitted, ranked
from splc.learning.projection.units import units_of
from splc.learning.projection.variables import variables_of
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, target_of


def goal_of(
    model: VariabilityModel, signed: bool = True, seed: int = 0, order: int = 2, *, enumerated: bool = True
) -> Goal:
    """Return candidates, and random predictions as target."""
    rng = np.random.default_rng(seed)
    target = target_of(model, lambda column: np.exp(rng.normal(size=len(column("a" if model is MIXED else "b0")))))
    rows = Rows(target)
    units, values = units_of(variables_of(model), rows.configurations)
    weights = rows.weights(product=False)
    candidates = Candidates(
        units, values, weights, order=order, penalty=SUM_PENALTY, signed=signed, enumerated=enumerated
    )
    return Goal(candidates, rows.scaled(target.predicted[rows.order], product=False), rows.weight)


def square(goal: Goal, chosen: list[int]) -> float:
    """Return the sum of squares of the best fit that keeps the signs, by scipy."""
    columns = goal.candidates.columns[chosen].T
    free = goal.candidates.free[chosen]
    return float(nnls(np.hstack([columns, -columns[:, free]]), goal.target)[1] ** 2)


def eligible(goal: Goal, chosen: list[int]) -> list[int]:
    """Return the candidates that can be told from the constant and the chosen ones."""
    columns: Array = goal.candidates.columns
    left, around = (
        ((columns.T - base @ np.linalg.lstsq(base, columns.T)[0]) ** 2).sum(axis=0)
        for base in (columns[sorted({0, *chosen})].T, columns[[0]].T)
    )
    fine = (left > 1e-3 * around) & (left > 1e-7)
    return [position for position in range(1, len(columns)) if fine[position] and position not in chosen]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(("model", "seed"), [(MIXED, 0), (MIXED, 1), (BINARY, 2)])
def test_every_step_is_the_best(
    model: VariabilityModel, seed: int, signed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every candidate that is added has the largest drop times penalty of all that can be told from the others."""
    monkeypatch.setattr(forward_module, "TRIED", 10_000)
    monkeypatch.setattr(forward_module, "CHECKED", 10_000)
    goal = goal_of(model, signed, seed)
    path = forward(goal, 1e-3)
    for before, after in list(itertools.pairwise(path))[:5]:
        chosen = list(before.chosen)
        gains = {
            position: (square(goal, chosen) - square(goal, [*chosen, position])) * goal.candidates.penalties[position]
            for position in eligible(goal, chosen)
        }
        added = set(after.chosen) - set(chosen)
        assert len(added) == 1
        assert gains[added.pop()] >= max(gains.values()) * (1 - 1e-6)


@pytest.mark.parametrize(("hopeless", "most"), [(False, 120), (True, 120), (False, 5)])
def test_paths_end_where_the_recipe_ends_them(hopeless: bool, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is the beginning of the one without a tolerance, up to the first model that is an end."""
    monkeypatch.setattr(forward_module, "HOPELESS_TERMS", 4)
    monkeypatch.setattr(forward_module, "MOST_TERMS", 14)
    whole = forward(goal_of(BINARY, seed=3), 0.0)
    weight = whole[0].goal.weight
    lengths = set()
    for tolerance in [0.0, *(model.rms * factor for model in whole[1:-1:6] for factor in (0.4, 1.1, 11))]:
        expected = next(
            (
                number
                for number, model in enumerate(whole, 1)
                if model.rms <= tolerance / 10
                or (len(model.terms) >= most and model.rms > tolerance)
                or (hopeless and len(model.terms) >= 4 and model.rms > 2 * tolerance)
                or (number > 3 and (whole[number - 4].square - model.square) / weight < 0.03 * tolerance**2)
            ),
            len(whole),
        )
        path = forward(goal_of(BINARY, seed=3), tolerance, hopeless=hopeless, most=most)
        assert [model.chosen for model in path] == [model.chosen for model in whole[:expected]]
        lengths.add(len(path))
    assert len(lengths) >= 3


@pytest.mark.parametrize("seed", range(4))
def test_fits_are_least_squares_with_signs(seed: int) -> None:
    """The coefficients of selected candidates are those of scipy's nnls; others would have a wrong sign."""
    goal = goal_of(MIXED, seed=seed)
    rng = np.random.default_rng(seed)
    chosen = [0]
    for _ in range(8):
        chosen.append(int(rng.choice(eligible(goal, chosen))))
    found = fitted(goal, chosen)
    assert found.square == pytest.approx(square(goal, chosen), rel=1e-8)
    assert (found.coefficients[~goal.candidates.free[list(found.chosen)]] > 0).all()
    np.testing.assert_allclose(
        found.residual, goal.target - goal.candidates.columns[list(found.chosen)].T @ found.coefficients, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(4))
def test_elimination(seed: int) -> None:
    """The term that leaves has the smallest loss of all, and no bound is exceeded."""
    goal = goal_of(BINARY, signed=False, seed=seed)
    model = forward(goal, 0.02)[-1]
    smaller = next_smaller(model)
    losses = [square(goal, [each for each in model.chosen if each != one]) for one in model.chosen]
    assert smaller.square == pytest.approx(min(losses), rel=1e-8)
    bound = model.rms * 1.5
    shorter = eliminated(model, bound)
    assert shorter.rms <= bound * (1 + 1e-8) < next_smaller(shorter).rms
    assert len(eliminated(model, 0.0, most=3).chosen) == 3
    # A model at the bound is within it, also if roundoff makes it larger.
    assert eliminated(model, smaller.rms * (1 - 1e-10)).rms >= smaller.rms


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_exchange_keeps_the_bound(seed: int, signed: bool) -> None:
    """Exchange and elimination stay within the bound, and no single replacement of the result is better by 3 %."""
    goal = goal_of(MIXED, signed, seed)
    path = forward(goal, 0.02)
    first = path[len(path) // 2]
    bound = first.rms
    found = reduced(first, bound)
    assert found.rms <= bound * (1 + 1e-8)
    assert len(found.chosen) <= len(first.chosen)
    final = found
    while (better := exchanged(final, final.rms)) is not final:
        assert better.rms <= final.rms
        final = better
    others = {one: [each for each in final.chosen if each != one] for one in final.terms}
    best = {
        one: max(
            (p for p in eligible(goal, rest) if p not in final.chosen),
            key=lambda p: (square(goal, rest) - square(goal, [*rest, p])) * goal.candidates.penalties[p],
        )
        for one, rest in list(others.items())[:3]
    }
    for one, position in best.items():
        assert goal.rms(square(goal, [*others[one], position])) > 0.97 * final.rms * (1 - 1e-6)


@pytest.mark.parametrize("signed", [False, True])
def test_replacements_are_the_best(signed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidate with the largest drop replaces a term: one of fewer factors within the bound, others 3 % closer."""
    monkeypatch.setattr(exchange_module, "TRIED", 10_000)
    monkeypatch.setattr(exchange_module, "CHECKED", 10_000)
    goal = goal_of(MIXED, signed, 5, order=1)
    candidates = goal.candidates
    influences = np.random.default_rng(1).uniform(0, 1, len(candidates)) ** 4
    goal = replace(goal, target=candidates.columns.T @ influences)
    kinds = set()
    models = forward(goal, 1e-3)[3:6]
    for seed in range(2):
        chosen = [0]
        for _ in range(4):
            chosen.append(int(np.random.default_rng(seed).choice(eligible(goal, chosen))))
        models.append(fitted(goal, chosen))
    for model in models:
        for bound in (model.rms, 3 * model.rms):
            for position, moments in zip(model.terms, _moments(model, model.terms), strict=True):
                rest = [each for each in model.chosen if each != position]
                allowed = {}
                for place in eligible(goal, rest):
                    trial = fitted(goal, [*rest, place])
                    limit = bound if candidates.factors[place] < candidates.factors[position] else 0.97 * model.rms
                    if place not in model.chosen and place in trial.chosen and trial.rms <= limit:
                        gain = square(goal, rest) - square(goal, [*rest, place])
                        allowed[place] = gain * candidates.penalties[place]
                found = _replaced(model, position, moments, bound)
                assert (found is None) == (not allowed)
                if found is not None:
                    (new,) = set(found.chosen) - set(rest)
                    assert allowed[new] >= max(allowed.values()) * (1 - 1e-6)
                    kinds.add(candidates.factors[new] < candidates.factors[position])
    assert kinds == {False, True}


@pytest.mark.parametrize("seed", [1, 2])
def test_reduced_models_are_eliminated_and_exchanged(seed: int) -> None:
    """A reduced model is what three rounds of exchange and elimination give, also where a round changes nothing."""
    path = forward(goal_of(MIXED, seed=seed), 0.02)
    model = path[len(path) // 2]
    expected = eliminated(model, model.rms)
    for _ in range(3):
        expected = eliminated(exchanged(expected, model.rms), model.rms)
    assert reduced(model, model.rms).chosen == expected.chosen
    assert expected.chosen != eliminated(model, model.rms).chosen


def test_equal_scores_are_in_canonical_order() -> None:
    """Scores that differ by roundoff are ranked by the canonical order of terms, others by size."""
    candidates = goal_of(BINARY, order=3).candidates
    scores = np.zeros(len(candidates))
    scores[[30, 5, 12, 40]] = [1.0, 1 - 1e-13, 1 + 1e-13, 2.0]
    assert ranked(scores, candidates, 10).tolist() == [40, 5, 12, 30]
    assert ranked(scores, candidates, 2).tolist()[0] == 40
    assert len(ranked(np.zeros(len(candidates)), candidates, 3)) == 0


@pytest.mark.parametrize("close", [False, True])
def test_moments_from_inner_products(close: bool) -> None:
    """They are those of the residual, also after candidates were added; a close fit takes the residual itself."""
    goal = goal_of(BINARY, order=3, enumerated=False)
    before = fitted(goal, [0, 1, 2])
    first = before.moments_from(goal.candidates.inner_products(before.chosen))
    goal.candidates.add_heirs(1)
    assert len(goal.candidates) > len(first)
    if close:
        goal = replace(goal, target=goal.candidates.columns[:4].sum(axis=0))
    model = fitted(goal, [0, 1, 2, 3])
    expected = goal.candidates.columns @ (goal.target - goal.candidates.columns[:4].T @ model.coefficients)
    found = model.moments_from(goal.candidates.inner_products(model.chosen))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (found == goal.candidates.columns @ model.residual).all() == close
    whole = before.moments_from(goal.candidates.inner_products(before.chosen))
    np.testing.assert_allclose(whole, goal.candidates.columns @ before.residual, atol=1e-12)


@pytest.mark.parametrize("signed", [False, True])
def test_moments_without_a_term(signed: bool) -> None:
    """The moments that replacements are scored with are those of a fit without the term, also of later candidates."""
    goal = goal_of(BINARY, signed, order=3, enumerated=False)
    known = len(goal.candidates)
    goal.candidates.inner_products(range(known))
    model = forward(goal, 0.05)[6]
    assert len(goal.candidates) > known
    moments = _moments(model, model.chosen)
    for at, position in enumerate(model.chosen):
        columns = goal.candidates.columns[[each for each in model.chosen if each != position]].T
        expected = goal.target - columns @ np.linalg.lstsq(columns, goal.target)[0]
        np.testing.assert_allclose(moments[at], goal.candidates.columns @ expected, atol=1e-9)
        np.testing.assert_allclose(model.square + model.losses[at], expected @ expected, rtol=1e-9)
        places = np.array([place for place in range(1, len(goal.candidates)) if place not in model.chosen])
        found = _left(model, position, places)
        for left, base in zip(found, (np.column_stack([columns, goal.candidates.columns[0]]), columns), strict=True):
            others = goal.candidates.columns[places].T
            rest = others - base @ np.linalg.lstsq(base, others)[0]
            if position != 0:
                np.testing.assert_allclose(left, (rest**2).sum(axis=0), atol=1e-9)


@pytest.mark.parametrize("signed", [False, True])
def test_fits_near_others_are_those_of_new_columns(signed: bool) -> None:
    """A fit that changes the decomposition of a subset is the one that decomposes all columns."""
    rng = np.random.default_rng(3)
    goal = goal_of(MIXED, signed)
    for _ in range(30):
        known = [0, *rng.choice(np.arange(1, 12), 5, replace=False).tolist()]
        if np.linalg.cond(goal.candidates.columns[list(range(12))].T[:, known]) > 1e6:
            continue
        near = fitted(goal, known)
        changed = [int(rng.choice(np.arange(12, 20))) if place == known[3] else place for place in near.chosen]
        changed = changed[: len(changed) - int(rng.integers(0, 3))]
        if len(set(changed)) < len(changed) or np.linalg.cond(goal.candidates.columns[changed].T) > 1e6:
            continue
        found, expected = fitted(goal, changed, near), fitted(goal, changed)
        assert found.chosen == expected.chosen
        np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(found.residual, expected.residual, atol=1e-9)
        np.testing.assert_allclose(found.losses, expected.losses, rtol=1e-6, atol=1e-9)


def test_aliases_are_not_selected() -> None:
    """Candidates that nothing is left of besides the constant and the selected ones are not distinguishable."""
    goal = goal_of(MIXED, order=3)
    rng = np.random.default_rng(0)
    chosen = [0]
    for _ in range(25):
        chosen.append(int(rng.choice(eligible(goal, chosen))))
    places = np.array([place for place in range(1, len(goal.candidates)) if place not in chosen])
    base = np.linalg.qr(goal.candidates.columns[chosen].T)[0]
    left = (perpendicular(goal.candidates.columns[places].T, base) ** 2).sum(axis=0)
    expected = np.isin(places, eligible(goal, chosen))
    assert 0 < expected.sum() < len(places)
    assert (distinguishable(goal, places, left) == expected).all()


def test_candidates_that_can_be_told_from_others() -> None:
    """More than a thousandth of the squared norm around the constant, and 1e-7 of all of it, has to be left."""
    rng = np.random.default_rng(0)
    units = goal_of(BINARY).candidates.units[:2]
    nearly_constant = 1 + 1e-3 * rng.choice([-1.0, 1.0], 200)
    values = np.array([rng.choice([0.0, 1.0], 200), nearly_constant])
    candidates = Candidates(units, values, np.ones(200), order=1, penalty=SUM_PENALTY)
    goal = Goal(candidates, np.ones(200), 200.0)
    varying, small = candidates.around[1:]
    assert varying > 0.1
    assert 1e-7 < small < 2e-6
    cases = [
        (1, 0.0011 * varying, True),
        (1, 0.0009 * varying, False),
        (2, 1.1e-7, True),
        (2, 0.9e-7, False),
        (2, 0.0011 * small, False),
        (0, 1.1e-7, True),
        (0, 0.9e-7, False),
    ]
    places, left, expected = (np.array(each) for each in zip(*cases, strict=True))
    assert distinguishable(goal, places, left).tolist() == expected.tolist()


def test_the_constant_joins_a_basis_that_does_not_span_it() -> None:
    """The columns and the constant have an orthonormal basis, also where the columns already span the constant."""
    candidates = goal_of(MIXED, order=1).candidates
    members = [place for place in range(1, len(candidates)) if candidates.units[candidates.products[place][0]].member]
    numbers = [place for place in range(1, len(candidates)) if place not in members]
    assert len(members) >= 3
    rng = np.random.default_rng(1)
    free = Goal(candidates, rng.normal(size=candidates.columns.shape[1]), 1.0)
    free.candidates.free[:] = True
    for chosen, rank in ((members, len(members)), (members[1:], len(members)), (numbers[:1], 2), ([0, numbers[0]], 2)):
        basis = fitted(free, chosen).closed_basis
        assert basis.shape[1] == rank
        np.testing.assert_allclose(basis.T @ basis, np.eye(rank), atol=1e-9)
        columns = candidates.columns[[0, *chosen]].T
        np.testing.assert_allclose(basis @ (basis.T @ columns), columns, atol=1e-9)


@pytest.mark.parametrize(("first", "second", "leaves"), [(1.0, 1.2, 1), (1.2, 1.0, 2), (1.0, 1.0, 2)])
def test_the_term_of_least_effect_leaves(first: float, second: float, leaves: int) -> None:
    """Also of similar effects the smaller one leaves, and of equal ones the last term in canonical order."""
    units = goal_of(BINARY).candidates.units[:2]
    values = np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
    candidates = Candidates(units, values, np.ones(4), order=1, penalty=SUM_PENALTY)
    goal = Goal(candidates, candidates.columns.T @ [3.0, first, second], 4.0)
    smaller = next_smaller(fitted(goal, [0, 1, 2]))
    assert set(smaller.chosen) == {0, 1, 2} - {leaves}
