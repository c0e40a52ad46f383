"""The models that compete, against a direct computation of their errors from the terms of each fold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from splc.learning.projection.blend import BLENDS
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.competition import MAX_NUMERIC, LanguageSearch, language_search
from splc.learning.projection.forward import forward
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.size import models_of_sizes
from splc.learning.projection.units import Language
from splc.learning.projection.variables import variables_of
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, switch, target_of
from tests.learning.projection.test_blend import LANGUAGES, stacked

MOST = 6


def rows_of(learned: int = 40, *, positive: bool = True) -> ModelRows:
    """Return rows with models of folds that differ."""
    shift = 0 if positive else 60
    return ModelRows(
        target_of(
            MIXED,
            lambda c: 9 + c("x") * c("y") - 3 * c("a") + 2 * c("g_5") * c("x") - shift,
            learned=learned,
            error=0.2,
            positive=positive,
        )
    )


def search_of(rows: ModelRows, language: Language, order: int | None = 2) -> LanguageSearch:
    """Return the models of a language."""
    return language_search(rows, variables_of(rows.target.configurations.system), language, MOST, order)


def influences(
    rows: ModelRows, candidates: Candidates, chosen: tuple[int, ...], fold: int | None, blend: float
) -> Array:
    """Return coefficients by stacked least squares."""
    columns, values = stacked(rows, candidates, list(chosen), fold, blend)
    lower = np.where(candidates.free[list(chosen)], -np.inf, 0.0)
    return np.asarray(lsq_linear(columns, values, (lower, np.full(len(lower), np.inf)), tol=1e-15, method="bvls").x)


@pytest.mark.parametrize("learned", [40, 20])
@pytest.mark.parametrize("language", LANGUAGES)
def test_honest_errors(language: Language, learned: int) -> None:
    """Every contender is judged by the terms and influences of the fold models, at the rows of their folds."""
    rows = rows_of(learned)
    target, product = rows.target, language == "product"
    search = search_of(rows, language)
    full_error = float(np.mean(np.abs(target.folds[target.fold_of, np.arange(learned)] / target.measured - 1)))
    if learned < 30:
        full_error = min(full_error, 2 * target.spread)
    assert len(search.contenders) == MOST * len(BLENDS)
    for each in search.contenders:
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
        assert each.language == language


def test_every_fold_searches_its_own_terms() -> None:
    """The models of a fold are those of its own predictions, and do not use those of other folds or measurements."""
    rows = rows_of()
    for language in LANGUAGES:
        search = search_of(rows, language)
        targets = rows.scaled(np.vstack([rows.target.predicted, rows.target.folds]), language == "product")
        for scaled, models in zip(targets, search.models, strict=True):
            [alone] = forward(search.candidates, scaled[None], MOST + 8)
            assert tuple(models_of_sizes(alone, MOST)) == models
    assert len(set(search.models)) > 1
    # Held-out values change nothing but the differences.
    other = ModelRows(replace(rows.target, measured=rows.target.measured * np.linspace(0.9, 1.1, rows.learned)))
    assert search_of(other, "sum").models == search_of(rows, "sum").models


def test_negative_properties() -> None:
    """The differences of properties that are not positive are over the divisor, and no model has to be positive."""
    rows = rows_of(positive=False)
    search = search_of(rows, "shapes")
    assert rows.target.predicted.min() < 0
    for each in search.contenders:
        assert each.positive
        np.testing.assert_allclose(each.errors, np.abs(each.differences))
        full = each.coefficients @ search.candidates.columns[list(each.chosen)] / rows.weights(False)
        away = np.abs(full - rows.target.predicted)[rows.learned :] / rows.target.divisor[rows.learned :]
        assert each.distance == pytest.approx(away.mean())


def test_sums_with_predictions_that_are_not_positive() -> None:
    """A sum with a prediction that is not positive is known as such; a product has none."""
    switches = VariabilityModel("switches", tuple(switch(f"b{at}") for at in range(5)))
    rows = ModelRows(target_of(switches, lambda c: np.where(c("b0") + c("b1") + c("b2") == 2, 0.01, 1.0), error=0.01))
    found = {language: [each.positive for each in search_of(rows, language, 1).contenders] for language in LANGUAGES}
    assert all(found["product"])
    assert found["sum"][0]
    assert not all(found["sum"])
    assert not all(found["shapes"])


def test_sizes_that_are_not_better() -> None:
    """If a model needs fewer terms than allowed, larger sizes are the same model with the same errors."""
    rows = ModelRows(target_of(BINARY, lambda c: 5 + 3 * c("b1") + c("b2") * c("b3"), error=0.0))
    contenders = search_of(rows, "sum").contenders
    assert {len(each.chosen) for each in contenders if each.size >= 3} == {3}
    np.testing.assert_allclose([each.differences for each in contenders if each.size >= 3], 0, atol=1e-9)
    assert min(each.error for each in contenders if each.size < 3) > 1e-3


def test_support() -> None:
    """The support of a term is the number of folds whose model of the size has a term of the same variables."""
    rows = rows_of()
    search = search_of(rows, "shapes")
    for size in (1, 3, MOST):
        for position in search.models[0][size - 1]:
            wanted = search.candidates.variables(position)
            votes = [{search.candidates.variables(each) for each in models[size - 1]} for models in search.models[1:]]
            assert search.support(size, position) == sum(wanted in vote for vote in votes)
    assert search.support(1, 0) == len(rows.target.folds)


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
    rows = ModelRows(target_of(system, lambda c: 1 + c(system.names[0])))
    for language in LANGUAGES:
        assert language_search(rows, variables_of(system), language, 3, order).candidates.order == expected


def test_languages_have_their_candidates() -> None:
    """Sums of costs are bounded, the others are free; products have few numeric factors and no unit."""
    system = VariabilityModel("numbers", tuple(NumericOption(f"x{at}", (1.0, 2.0, 3.0)) for at in range(4)))
    rows = ModelRows(target_of(system, lambda c: 1 + c("x0"), unit=7.0))
    for language in LANGUAGES:
        candidates = language_search(rows, variables_of(system), language, 2).candidates
        assert candidates.signed == (not candidates.free.all()) == (language == "sum")
        assert (
            max(map(len, candidates.products)) == (MAX_NUMERIC if language == "product" else 4) or language != "product"
        )
        texts = {unit.text for unit in candidates.units}
        assert ("[x0 >= 2]" in texts) is (language != "sum")
        assert ("x0^-1" in texts) is (language != "product")


def test_no_variables() -> None:
    """Without variables every model of every language is the constant, in every blend."""
    target = target_of(MIXED, lambda c: np.full(len(c("a")), 1.0))
    rows = ModelRows(replace(target, folds=target.folds[:1]))
    for language in LANGUAGES:
        search = language_search(rows, (), language, 3)
        assert {each.chosen for each in search.contenders} == {(0,)}
        assert max(each.distance for each in search.contenders) < 0.05
        assert max(each.errors.max() for each in search.contenders) < 0.2
