"""The models that compete: their rows, influences and errors, against direct computations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from splc.learning.projection.basis import variables_of
from splc.learning.projection.columns import Candidates, Language
from splc.learning.projection.constants import ProjectionSettings
from splc.learning.projection.submodels import (
    BLENDS,
    MAX_NUMERIC,
    PROJECTION,
    LanguageSearch,
    Target,
    language_search,
)
from splc.learning.projection.term_search import forward, models_of_sizes
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, candidates_of, switch, target_of


def target(learned: int = 40, *, positive: bool = True) -> Target:
    """Return a target with unequal weights and a slope."""
    found = target_of(
        MIXED, lambda c: 10 + 5 * c("a") + c("x") - 12 * (not positive), learned=learned, positive=positive
    )
    slope = np.linspace(0.5, 2.0, len(found.slope))
    return replace(found, slope=slope)


@pytest.mark.parametrize(
    ("learned", "spread", "limit"), [(29, 0.01, 0.02 * 1.25), (29, 9.0, 0.4), (30, 0.01, 9.0), (2, 9.0, 0.4)]
)
def test_the_expected_error(learned: int, spread: float, limit: float) -> None:
    """With few rows the full model's error is at most twice its median standard deviation, and 0.4."""
    given = replace(target(learned), spread=spread)
    given = replace(given, folds=given.folds * 2)
    own = float(given.own_errors.mean())
    assert own > 0.5
    assert given.expected_error == pytest.approx(min(own, limit))
    assert given.few is (learned < 30)


LANGUAGES: tuple[Language, ...] = ("sum", "shapes", "product")


def stacked(
    rows: Target, candidates: Candidates, chosen: list[int], fold: int | None, blend: float
) -> tuple[Array, Array]:
    """Return columns and values of the weighted least squares of the recipe (section 1.4), written as rows."""
    target, product = rows, bool(np.allclose(candidates.weights, rows.roots))
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


def test_one_row() -> None:
    """Without measured rows outside of a fold the projection decides."""
    target = target_of(MIXED, lambda c: 9 + c("x"), learned=1)
    rows = replace(target, folds=target.folds[:1])
    candidates = candidates_of(rows, 1, "sum")
    search = LanguageSearch(rows, candidates, "sum", ())
    own, projected = (search.coefficients(0, blend, (0, 1)) for blend in BLENDS[::-1])
    np.testing.assert_allclose(own, projected, rtol=1e-9)
    assert search.coefficients(0, PROJECTION, ()).tolist() == []


MOST = 6


def rows_of(learned: int = 40, *, positive: bool = True) -> Target:
    """Return rows with models of folds that differ."""
    shift = 0 if positive else 60
    return target_of(
        MIXED,
        lambda c: 9 + c("x") * c("y") - 3 * c("a") + 2 * c("g_5") * c("x") - shift,
        learned=learned,
        error=0.2,
        positive=positive,
    )


def search_of(rows: Target, language: Language, order: int | None = 2) -> LanguageSearch:
    """Return the models of a language."""
    return language_search(
        rows, variables_of(rows.configurations.system), language, MOST, ProjectionSettings(order=order)
    )


def influences(rows: Target, candidates: Candidates, chosen: tuple[int, ...], fold: int | None, blend: float) -> Array:
    """Return coefficients by stacked least squares."""
    columns, values = stacked(rows, candidates, list(chosen), fold, blend)
    lower = np.where(candidates.free[list(chosen)], -np.inf, 0.0)
    return np.asarray(lsq_linear(columns, values, (lower, np.full(len(lower), np.inf)), tol=1e-15, method="bvls").x)


@pytest.mark.parametrize("learned", [40, 20])
@pytest.mark.parametrize("language", LANGUAGES)
def test_honest_errors(language: Language, learned: int) -> None:
    """Every contender is judged by the terms and influences of the fold models, at the rows of their folds."""
    rows = rows_of(learned)
    target, product = rows, language == "product"
    search = search_of(rows, language)
    full_error = float(np.mean(np.abs(target.folds[target.fold_of, np.arange(learned)] / target.measured - 1)))
    if learned < 30:
        full_error = min(full_error, 2 * target.spread)
    assert len(search.submodels) == MOST * len(BLENDS)
    for each in search.submodels:
        predicted = np.empty(learned)
        for fold, models in enumerate(search.models[1:]):
            chosen = models[each.size - 1]
            found = influences(rows, search.candidates, chosen, fold, each.blend)
            values = found @ search.candidates.columns[list(chosen)] / search.candidates.weights
            out = np.flatnonzero(target.fold_of == fold)
            predicted[out] = (np.exp(values) if product else values)[out]
        predicted = np.maximum(predicted, target.measured.min() / 3)
        np.testing.assert_allclose(each.differences, np.log(predicted / target.measured), atol=1e-5)
        assert each.error == pytest.approx(np.mean(np.abs(predicted / target.measured - 1)), rel=1e-4)
        np.testing.assert_allclose(each.errors, np.abs(predicted / target.measured - 1), atol=1e-5)
        assert each.chosen == search.models[0][each.size - 1]
        own = influences(rows, search.candidates, each.chosen, None, each.blend)
        np.testing.assert_allclose(each.coefficients, own, rtol=1e-4, atol=1e-5)
        values = own @ search.candidates.columns[list(each.chosen)] / search.candidates.weights
        whole = np.exp(values) if product else values
        distance = np.mean(np.abs(whole / target.predicted - 1)[learned:])
        assert each.distance == pytest.approx(distance, rel=1e-4)
        expected = float(np.hypot(full_error, distance))
        assert each.score == pytest.approx(expected if learned < 30 else (each.error + expected) / 2, rel=1e-4)
        assert each.positive == (whole > 0).all()


def test_every_fold_searches_its_own_terms() -> None:
    """The models of a fold are those of its own predictions, and do not use those of other folds or measurements."""
    rows = rows_of()
    for language in LANGUAGES:
        search = search_of(rows, language)
        targets = rows.scaled(np.vstack([rows.predicted, rows.folds]), language == "product")
        for scaled, models in zip(targets, search.models, strict=True):
            [alone] = forward(search.candidates, scaled[None], MOST + 8)
            assert tuple(models_of_sizes(alone, MOST)) == models
    assert len(set(search.models)) > 1
    # Held-out values change nothing but the differences.
    other = replace(rows, measured=rows.measured * np.linspace(0.9, 1.1, rows.learned))
    assert search_of(other, "sum").models == search_of(rows, "sum").models


def test_negative_properties() -> None:
    """The differences of properties that are not positive are over the divisor, and no model has to be positive."""
    rows = rows_of(positive=False)
    search = search_of(rows, "shapes")
    assert rows.predicted.min() < 0
    for each in search.submodels:
        assert each.positive
        np.testing.assert_allclose(each.errors, np.abs(each.differences))
        full = each.coefficients @ search.candidates.columns[list(each.chosen)] / rows.factors(False)
        away = np.abs(full - rows.predicted)[rows.learned :] / rows.divisor[rows.learned :]
        assert each.distance == pytest.approx(away.mean())


def test_sums_with_predictions_that_are_not_positive() -> None:
    """A sum with a prediction that is not positive is known as such; a product has none."""
    switches = VariabilityModel("switches", tuple(switch(f"b{at}") for at in range(5)))
    rows = target_of(switches, lambda c: np.where(c("b0") + c("b1") + c("b2") == 2, 0.01, 1.0), error=0.01)
    found = {language: [each.positive for each in search_of(rows, language, 1).submodels] for language in LANGUAGES}
    assert all(found["product"])
    assert found["sum"][0]
    assert not all(found["sum"])
    assert not all(found["shapes"])


@pytest.mark.parametrize(
    ("system", "order", "expected"),
    [
        (BINARY, None, 5),
        (BINARY, 3, 3),
        (BINARY, 9, 7),
        (VariabilityModel("numbers", tuple(NumericOption(f"x{at}", (1.0, 2.0)) for at in range(7))), None, 6),
        (VariabilityModel("two", (switch("a"), switch("b"))), None, 2),
    ],
)
def test_the_number_of_variables_in_a_term(system: VariabilityModel, order: int | None, expected: int) -> None:
    """Terms have up to 5 variables, 6 with as many numeric options, or so many as are asked for or there are."""
    rows = target_of(system, lambda c: 1 + c(system.names[0]))
    for language in LANGUAGES:
        assert (
            language_search(rows, variables_of(system), language, 3, ProjectionSettings(order=order)).candidates.order
            == expected
        )


def test_languages_have_their_candidates() -> None:
    """Sums of costs are bounded, the others are free; products have few numeric factors and no unit."""
    system = VariabilityModel("numbers", tuple(NumericOption(f"x{at}", (1.0, 2.0, 3.0)) for at in range(4)))
    rows = target_of(system, lambda c: 1 + c("x0"), unit=7.0)
    for language in LANGUAGES:
        candidates = language_search(rows, variables_of(system), language, 2, ProjectionSettings()).candidates
        assert candidates.signed == (not candidates.free.all()) == (language == "sum")
        assert (
            max(map(len, candidates.products)) == (MAX_NUMERIC if language == "product" else 4) or language != "product"
        )
        texts = {unit.text for unit in candidates.units}
        assert ("[x0 >= 2]" in texts) is (language != "sum")
        assert ("x0^-1" in texts) is (language != "product")
