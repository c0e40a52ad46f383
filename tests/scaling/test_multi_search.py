"""The search for several parameters: lines, combinations, and the weights of all hypotheses."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casestudies.scaling_evaluation.sparse_functions import AXES
from splc.scaling.data import condensed
from splc.scaling.evidence import RELATIVE, noise_evidence, noise_scales
from splc.scaling.exponents import CONSTANT, column
from splc.scaling.least_squares import fitted_exactly, fitted_roughly
from splc.scaling.multi.default import default, search, with_exchanged
from splc.scaling.multi.posterior import Choices, Hypotheses, choices, hypotheses
from splc.scaling.multi.terms import ParameterTerms, line_scores, parameter_terms, shortlists
from tests.support.examples import examples
from tests.support.multi_scaling_oracle import search_naively

GRID = np.array(list(itertools.product(AXES[0], AXES[1])))
CUBE = np.array(list(itertools.product(AXES[0], AXES[1], AXES[3])))
CROSS = np.flatnonzero((GRID[:, 0] == 4) | (GRID[:, 1] == 10))
STAR = np.flatnonzero((CUBE.min(axis=0) == CUBE).sum(axis=1) >= 2)


# Without a visible constant, hypotheses with and without one are plausible.
@pytest.mark.parametrize(
    ("x", "rows", "constant"),
    [
        (GRID, CROSS, 20),
        (GRID, np.arange(25), 20),
        (GRID, np.arange(25), 0),
        pytest.param(CUBE, STAR, 20, marks=pytest.mark.slow),
    ],
)
def test_the_search_agrees_with_one_least_squares_fit_after_the_other(x: Any, rows: Any, constant: float) -> None:
    """The weights and coefficients of all hypotheses are those of a plain loop of `lstsq`, the best one first."""
    rng = np.random.default_rng(8)
    x = x[rows]
    values = (constant + 0.3 * x[:, 0] * np.sqrt(x[:, 1]))[:, None] * (1 + rng.uniform(-0.05, 0.05, (len(x), 4)))
    among, plain = search_naively(x, values)
    assert [each.terms for each in among] == [each.terms for each in parameter_terms(x)]
    _, found, _ = search(x, condensed(values[None], "mean"), None)
    expected = {(terms, masks): (weight, coefficients) for weight, (terms, masks, coefficients) in plain}
    shifts = []
    for at in range(min(300, len(found.model))):
        size = int(found.sizes[at])
        key = tuple(found.terms[at].tolist()), tuple(found.products[at, :size].tolist())
        # Exchanges find others.
        if key not in expected:
            continue
        weight, coefficients = expected[key]
        shifts.append(found.log_weights[at] - weight)
        assert found.coefficients[at, :size] == pytest.approx(coefficients, rel=1e-6)
    assert len(shifts) >= 10
    assert shifts == pytest.approx([shifts[0]] * len(shifts), abs=1e-6)
    assert found.log_weights[0] == found.log_weights.max()


def test_rough_fits_are_the_exact_ones() -> None:
    """Normal equations give the fits of an orthogonal basis, except where residuals may be rounding."""
    rng = np.random.default_rng(3)
    columns = rng.uniform(1, 2, (9, 3))
    columns /= np.linalg.norm(columns, axis=0)
    values = columns @ [[5.0, 5.0], [1.0, 1.0], [2.0, 2.0]]
    values[:, 0] += 0.2 * rng.normal(size=9)
    found = condensed(values.T[:, :, None], "mean")
    noise = noise_evidence(found, np.ones((2, 9)))
    models, masks = np.arange(2), np.array([[0, 1, 2], [0, 2, 1]])
    whole = [np.column_stack([columns, values[:, model]]) for model in models]
    products = np.stack([each.T @ each for each in whole], axis=2)
    rough = fitted_roughly(products, masks, noise, models)
    # The second quantity has no residuals.
    assert rough.unsure.tolist() == [[False, True]] * 2
    for row, mask in enumerate(masks):
        exact = fitted_exactly([np.repeat(columns[:, [at]], 2, axis=1) for at in mask], values, noise, models)
        expected, (squares,), *_ = np.linalg.lstsq(columns[:, mask], values[:, 0], rcond=None)
        for fits, at in ((rough, (row, 0)), (exact, 0)):
            assert fits.squares[at] == pytest.approx(squares)
            assert [each[at] for each in fits.coefficients] == pytest.approx(expected)
        assert rough.log_weights[row, 0] == pytest.approx(exact.log_weights[0])


def test_exchanges_find_terms_beyond_the_shortlists() -> None:
    """Exchanges find more plausible hypotheses than shortlists have, with the weights of a direct fit."""
    rng = np.random.default_rng(3)
    axis = np.array([8.0, 16, 32, 64, 128])
    x = np.unique(np.vstack([np.insert(np.full((5, 3), 8.0), at, axis, axis=1) for at in range(4)]), axis=0)
    values = (100 + 0.05 * np.sqrt(x[:, 0]) * np.prod(x[:, 1:] ** 0.75, axis=1)) * (1 + rng.normal(0, 0.02, len(x)))
    found_data = condensed(values[None, :, None], "mean")
    among = parameter_terms(x)
    noise = noise_evidence(found_data, noise_scales(found_data.values, RELATIVE))
    z = found_data.values * noise.weights
    scores = []
    for at, each in enumerate(among):
        own = line_scores(x, at, each, z, noise)
        assert own is not None
        scores.append(np.where(each.falling, -np.inf, own))
    before = hypotheses(among, choices(*shortlists(scores)), z, noise)
    after = with_exchanged(among, scores, before, z, noise)
    assert after.log_weights[0] > before.log_weights[0] + 1
    direct = hypotheses(among, Choices(after.model[:1], after.terms[:1], np.zeros((1, 4), dtype=int)), z, noise)
    same = (direct.products == after.products[0]).all(axis=1)
    assert direct.log_weights[same] == pytest.approx(after.log_weights[:1], abs=1e-6)
    assert (np.diff(after.log_weights) <= 1e-6).all()
    _, found, _ = search(x, found_data, False)
    assert found.terms[0].tolist() == after.terms[0].tolist()


# The most plausible hypothesis is a constant; the residuals of the last series have a misfit.
@pytest.mark.parametrize("seed", [11, 15, 38])
def test_a_model_has_the_most_probable_parameters_and_a_value_near_the_median(seed: int) -> None:
    """The parameters are those of the most probable set, and of their likely hypotheses a plain loop chooses."""
    rng = np.random.default_rng(seed)
    others = [(64, 5000), (64, 6000), (128, 5000), (256, 5000), (512, 5000)]
    x = np.array([(32, 5000 + 1000 * at) for at in range(5)] + others, dtype=float)
    true = 1 + 0.03 * np.log2(x[:, 0] / 32) + 0.3 * (x[:, 1] / 5000 - 1)
    measured = condensed((true * (1 + 0.07 * rng.normal(size=len(x))))[None, :, None], "mean")
    among, found, misfit = search(x, measured, None)
    weights = np.exp(found.log_weights - found.log_weights.max()).tolist()
    masses: dict[int, float] = {}
    for active, weight in zip(found.active.tolist(), weights, strict=True):
        masses[active] = masses.get(active, 0.0) + weight
    best = max(masses, key=lambda active: masses[active])
    assert found.active[0] == 0 != best
    those = [at for at, active in enumerate(found.active.tolist()) if active == best]
    far = [_value(among, found, at, 4 * x.max(axis=0)) for at in range(len(weights))]
    ordered = sorted(zip(far, weights, strict=True))
    totals = itertools.accumulate(weight for _, weight in ordered)
    median = next(value for (value, _), total in zip(ordered, totals, strict=True) if total >= sum(weights) / 2)
    likely = [at for at in those if weights[at] >= 0.5 * weights[those[0]]]
    nearest = min(likely, key=lambda at: abs(far[at] - median))
    assert (nearest != those[0]) == (seed != 15)
    assert (misfit[0] > 0) == (seed == 38)
    row = those[0] if misfit[0] > 0 else nearest
    selection = default(x, measured, None)
    chosen = {selection.terms[place] for place in selection.places[:, 0].tolist() if place >= 0}
    masks = [mask for mask in found.products[row].tolist() if mask > 0]
    terms = [each.terms[place] for each, place in zip(among, found.terms[row].tolist(), strict=True)]
    assert chosen == {tuple(term if mask >> at & 1 else CONSTANT for at, term in enumerate(terms)) for mask in masks}


def _value(among: tuple[ParameterTerms, ...], found: Hypotheses, row: int, x: Any) -> float:
    """Return the value of a hypothesis at a point."""
    total = 0.0
    for mask, coefficient in zip(found.products[row].tolist(), found.coefficients[row].tolist(), strict=True):
        if mask >= 0:
            used = [at for at in range(len(among)) if mask >> at & 1]
            places = [int(found.terms[row, at]) for at in used]
            factors = [float(column(among[at].terms[place], x[at : at + 1])[0]) / float(among[at].sizes[place])
                       for at, place in zip(used, places, strict=True)]  # fmt: skip
            total += coefficient * math.prod(factors)
    return total


@examples(25)
@given(seed=st.integers(0, 2**32), parts=st.integers(1, 3), spread=st.sampled_from([1e-6, 1.0, 30.0, 1e6, 5e10]))
def test_hypotheses_are_joined_by_plausibility_and_then_by_size(seed: int, parts: int, spread: float) -> None:
    """Quantities ascend; of one the plausibility falls, to six digits; of equal ones the smaller comes first."""
    rng = np.random.default_rng(seed)
    made = []
    for part in range(parts):
        number = int(rng.integers(1, 12))
        model, sizes = rng.integers(0, 3, number), rng.integers(1, 4, number)
        logs = 5000 - spread * np.minimum(rng.exponential(size=number), 1.0)
        logs[rng.random(number) < 0.5] = 5000 - spread
        one = np.full((number, 1), part)
        zero = np.zeros(number)
        made.append(Hypotheses(model, one, one, zero[:, None], zero, sizes, logs, np.arange(number), zero > 0))
    whole = [
        (int(each.model[at]), -round(float(each.log_weights[at]), 6), int(each.sizes[at]), part, at)
        for part, each in enumerate(made)
        for at in range(len(each.model))
    ]
    found = Hypotheses.joined(made)
    assert [*zip(found.terms[:, 0].tolist(), found.log_priors.tolist(), strict=True)] == [
        each[3:] for each in sorted(whole)
    ]
    least = {model: min(each[1] for each in whole if each[0] == model) for model in {each[0] for each in whole}}
    kept = [each for each in sorted(whole) if each[1] < least[each[0]] - math.log(1e-7)]
    plausible = found.plausible()
    assert [*zip(plausible.terms[:, 0].tolist(), plausible.log_priors.tolist(), strict=True)] == [
        each[3:] for each in kept
    ]


def test_shortlist_of_a_parameter_without_plausible_terms() -> None:
    """A parameter without plausible terms has an empty list, without a warning."""
    places, found = shortlists([np.full((1, 3), -np.inf), np.array([[-2.0, -3.0, -np.inf]])])
    assert (found[0, 0] == -np.inf).all()
    assert found[0, 1, :3].tolist() == [0.0, -1.0, -np.inf]
    assert places[0, 1, :2].tolist() == [0, 1]
