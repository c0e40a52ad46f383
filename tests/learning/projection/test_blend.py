"""Influences: blends against weighted least squares of stacked rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from splc.learning.projection.blend import BLENDS, PROJECTION, Blend
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.units import Language
from splc.types import Array
from tests.learning.projection.known_targets import MIXED, candidates_of, target_of
from tests.support.examples import examples

LANGUAGES: tuple[Language, ...] = ("sum", "shapes", "product")


def rows_of(seed: int) -> ModelRows:
    """Return rows with unequal weights and noise."""
    target = target_of(MIXED, lambda c: 9 + c("x") * c("y") - 3 * c("a") + c("g_5") * c("x"), learned=25, seed=seed)
    weights = target.weights * np.random.default_rng(seed).uniform(0.5, 2, len(target.weights))
    return ModelRows(replace(target, weights=weights))


def stacked(
    rows: ModelRows, candidates: Candidates, chosen: list[int], fold: int | None, blend: float
) -> tuple[Array, Array]:
    """Return columns and values of the weighted least squares of the recipe (section 1.4), written as rows."""
    target, product = rows.target, bool(np.allclose(candidates.weights, rows.roots))
    g = target.predicted if fold is None else target.folds[fold]
    v, y = target.weights, target.measured
    # Columns over their weights are those of predictions.
    divisor = np.ones(len(v)) if product else target.divisor
    columns = (candidates.columns[chosen] / candidates.weights).T / divisor[:, None]
    wanted = (np.log(g) if product else g) / divisor
    roots = np.sqrt(v)
    if math.isinf(blend):
        return roots[:, None] * columns, roots * wanted
    used = np.flatnonzero(target.fold_of != fold)
    share = np.sqrt(blend * len(used) / v.sum())
    measured = (np.log(y) if product else y)[used] / divisor[used]
    return (
        np.vstack([columns[used], share * roots[:, None] * columns]),
        np.concatenate([measured, share * roots * wanted]),
    )


@examples(40)
@given(
    seed=st.integers(0, 50),
    language=st.sampled_from(LANGUAGES),
    fold=st.sampled_from([None, 0, 3, 7]),
    blend=st.sampled_from([*BLENDS, 1.0]),
    terms=st.integers(1, 6),
)
def test_blends_are_least_squares(seed: int, language: Language, fold: int | None, blend: float, terms: int) -> None:
    """A blend fits measured values and predictions as stacked rows do, with nonnegative influences where bounded."""
    rows = rows_of(seed % 5)
    candidates = candidates_of(rows, 1, language)
    rng = np.random.default_rng(seed)
    chosen = sorted({0, *rng.choice(len(candidates), terms, replace=False).tolist()})
    columns, values = stacked(rows, candidates, chosen, fold, blend)
    assume(np.linalg.cond(columns) <= 1e4)
    union = tuple(sorted({*chosen, *rng.choice(len(candidates), 4).tolist()}))
    order = rng.permutation(chosen).tolist()
    found = Blend(rows, candidates, union, language == "product", fold).coefficients(order, blend)
    lower = np.where(candidates.free[chosen], -np.inf, 0.0)
    expected = lsq_linear(columns, values, (lower, np.full(len(lower), np.inf)), tol=1e-15, method="bvls").x
    np.testing.assert_allclose(found, expected[[chosen.index(each) for each in order]], rtol=1e-5, atol=1e-6)
    assert (found[~candidates.free[order]] >= 0).all()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fold", [None, 2])
@pytest.mark.parametrize("blend", BLENDS)
def test_operators_are_derivatives(language: Language, fold: int | None, blend: float) -> None:
    """The operator maps changes of predictions, of measured values as well, to changes of coefficients."""
    rows = rows_of(0)
    candidates = candidates_of(rows, 1, language)
    chosen = [0, 1, 5, len(candidates) - 1]
    product = language == "product"
    candidates.free[:] = True
    size = 1e-7 * np.random.default_rng(0).normal(size=len(rows.roots))
    target = rows.target
    moved = replace(
        target,
        predicted=target.predicted * (1 + size),
        folds=target.folds * (1 + size),
        measured=target.measured * (1 + size[:25]),
    )
    own = Blend(rows, candidates, tuple(chosen), product, fold)
    other = Blend(ModelRows(moved), candidates, tuple(chosen), product, fold)
    change = other.coefficients(chosen, blend) - own.coefficients(chosen, blend)
    operator = own.operator(chosen, blend)
    # Measured values and predictions differ, and so do their changes, by a few percent.
    scaled = rows.scaled(target.predicted * (1 + size), product) - rows.scaled(target.predicted, product)
    np.testing.assert_allclose(operator @ scaled, change, rtol=0.2, atol=0.05 * abs(change).max())
    # The coefficients of predictions alone are reproduced.
    exact = rows.scaled(target.predicted, product)
    alone = replace(target, folds=np.tile(target.predicted, (8, 1)), measured=target.predicted[:25])
    expected = Blend(ModelRows(alone), candidates, tuple(chosen), product, fold).coefficients(chosen, blend)
    np.testing.assert_allclose(operator @ exact, expected, rtol=1e-8)


def test_small_blends_follow_measured_values() -> None:
    """The smaller a blend, the smaller the squares at measured rows and the larger those to the full model."""
    rows = rows_of(1)
    target = rows.target
    candidates = candidates_of(rows, 1, "shapes")
    chosen = [0, *range(1, 12, 3)]
    own = Blend(rows, candidates, tuple(chosen), False)
    measured, projected = [], []
    for blend in (PROJECTION, 10.0, 1.0, 0.1, 0.01):
        predicted = rows.predicted(own.coefficients(chosen, blend) @ candidates.columns[chosen], False)
        measured.append((((predicted[:25] - target.measured) / target.divisor[:25]) ** 2).sum())
        projected.append((target.weights * (predicted / target.predicted - 1) ** 2).sum())
    assert measured == sorted(measured, reverse=True)
    assert projected == sorted(projected)


def test_one_row() -> None:
    """Without measured rows outside of a fold the projection decides."""
    target = target_of(MIXED, lambda c: 9 + c("x"), learned=1)
    rows = ModelRows(replace(target, folds=target.folds[:1]))
    candidates = candidates_of(rows, 1, "sum")
    own = Blend(rows, candidates, (0, 1), False, 0)
    assert len(own.measured) == 0
    np.testing.assert_allclose(own.coefficients((0, 1), 0.1), own.coefficients((0, 1), PROJECTION), rtol=1e-9)
    assert own.coefficients((), 0.1).tolist() == []
