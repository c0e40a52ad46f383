"""The models that compete: rows, influences, errors and covariances, and the terms that most folds agree on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from splc.learning.projection import printed_model as choice
from splc.learning.projection.basis import variables_of
from splc.learning.projection.columns import CONSTANT_PLACE, Candidates, Language
from splc.learning.projection.constants import ProjectionSettings
from splc.learning.projection.printed_model import (
    FARTHEST,
    MIN_SHARE,
    RISE,
    agreed_models,
    most_terms,
    with_agreed_terms,
)
from splc.learning.projection.submodels import (
    BLENDS,
    MAX_NUMERIC,
    PROJECTION,
    LanguageSearch,
    Submodel,
    Target,
    language_search,
)
from splc.learning.projection.term_search import forward, models_of_sizes
from splc.system.options import NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, candidates_of, square_of, target_of
from tests.learning.projection.test_printed_model import wavy
from tests.support.golden_messages import check_calls
from tests.support.systems import switches


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
    rows = target_of(
        VariabilityModel("switches", switches(5)),
        lambda c: np.where(c("b0") + c("b1") + c("b2") == 2, 0.01, 1.0),
        error=0.01,
    )
    found = {language: [each.positive for each in search_of(rows, language, 1).submodels] for language in LANGUAGES}
    assert all(found["product"])
    assert found["sum"][0]
    assert not all(found["sum"])
    assert not all(found["shapes"])


def order_of(options: Sequence[Option], order: int | None) -> int:
    """Return the number of variables in the terms of all languages for a system of options."""
    system = VariabilityModel("system", tuple(options))
    rows = target_of(system, lambda c: 1 + c(system.names[0]))
    settings, variables = ProjectionSettings(order=order), variables_of(system)
    (found,) = {language_search(rows, variables, each, 3, settings).candidates.order for each in LANGUAGES}
    return found


def numeric(count: int) -> list[NumericOption]:
    """Return numeric options of two values."""
    return [NumericOption(f"x{at}", (1.0, 2.0)) for at in range(count)]


def test_sizes_of_models() -> None:
    """The largest numbers of terms, and of variables in a term, are those of the golden file."""
    check_calls("sizes-of-models", most_terms, order_of, numeric, BINARY=BINARY.options)


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


# The rows of a full model that few terms do not follow.
WAVY = target_of(MIXED, wavy, error=0.2)


def only(chosen: tuple[int, ...]) -> choice.IsPositive:
    """Return that no model but that of these terms is positive."""
    return lambda model: model.chosen == chosen


def closest(model: Submodel) -> Submodel:
    """Return a model with its terms in canonical order."""
    return model.of_terms(sorted(model.chosen, key=model.search.candidates.name))


@pytest.mark.parametrize("language", LANGUAGES)
def test_consensus(language: str) -> None:
    """Terms with more support by folds are taken up to a larger expected error, if all predictions are positive."""
    search = search_of(WAVY, language)  # type: ignore[arg-type]
    full = search.target.expected_error

    def least(model: Submodel) -> int:
        support, places = search.supports(model.size), (at for at in model.chosen if at != CONSTANT_PLACE)
        return min((support[search.candidates.variables(place)] for place in places), default=8)

    changed = 0
    for each in search.submodels:
        near = closest(each)
        found = with_agreed_terms(near, lambda model: True)
        assert near.expected_error == pytest.approx(np.hypot(full, search.target.distances(near.predicted)))
        if found.chosen == near.chosen:
            continue
        changed += 1
        assert least(found) > least(near)
        assert len(found.chosen) <= each.size
        assert found.expected_error <= min(RISE * near.expected_error, FARTHEST * full)
        assert with_agreed_terms(near, only(near.chosen)).chosen == near.chosen
    assert changed


@pytest.mark.parametrize(("name", "factor"), [("RISE", 1.0), ("FARTHEST", 1.05)])
def test_limits_of_consensus(name: str, factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms with more support are not taken if the expected error rises too far, or is too far above the full one's."""
    search = search_of(WAVY, "shapes")
    nearest = [closest(each) for each in search.submodels]
    before = [with_agreed_terms(each, lambda model: True).chosen for each in nearest]
    monkeypatch.setattr(choice, name, factor)
    after = [with_agreed_terms(each, lambda model: True) for each in nearest]
    assert [each.chosen for each in after] != before
    for found, near in zip(after, nearest, strict=True):
        limit = factor * (near.expected_error if name == "RISE" else search.target.expected_error)
        assert found.chosen == near.chosen or found.expected_error <= limit


def test_terms_without_influence_are_left_out() -> None:
    """Terms whose influence is 0 because it must not be negative are left out; free ones stay."""
    rows = target_of(MIXED, lambda c: 9 + c("y"), error=0.0)
    search = search_of(rows, "sum", 1)
    places = {search.candidates.text(at): at for at in range(len(search.candidates))}
    # Of y and y^3, the latter would be negative.
    falling = np.sqrt(rows.configurations.column("y")) * 9
    target = replace(rows, predicted=falling, divisor=falling, measured=falling[: rows.learned])
    other = LanguageSearch(target, search.candidates, "sum", search.models)
    chosen = tuple(places[text] for text in ("y", "y^3"))
    model = replace(search.submodels[0], search=other).of_terms(chosen)
    assert [search.candidates.text(place) for place in model.chosen] == ["y"]
    assert (model.coefficients > 0).all()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("blend", BLENDS)
def test_covariance(language: str, blend: float) -> None:
    """It is that of influences for draws of the full model, plus the jackknife's over the models of the folds."""
    first = rows_of()
    rng = np.random.default_rng(1)
    root = 0.02 * rng.normal(size=(len(first.roots), 5))
    slope = np.linspace(0.5, 2.0, len(first.roots))
    target = replace(first, slope=slope, covariance=lambda projection: projection @ root @ root.T @ projection.T)
    search = search_of(target, language, 1)  # type: ignore[arg-type]
    found = next(closest(each) for each in search.submodels if each.size == 4 and each.blend == blend)
    size = 1e-4
    # With measured values that are those of the full model, draws of both move together.
    same = replace(target, measured=target.predicted[: target.learned])

    def coefficients(draw: Array) -> Array:
        predicted = same.predicted + size * same.divisor * same.slope * draw
        moved = replace(same, predicted=predicted, measured=predicted[: target.learned])
        own = LanguageSearch(moved, search.candidates, search.language, search.models)
        return own.coefficients(None, blend, found.chosen)

    middle = coefficients(np.zeros(len(first.roots)))
    directions = np.array([(coefficients(column) - middle) / size for column in root.T])
    folds = np.array([search.coefficients(k, blend, found.chosen) for k in range(8)])
    jackknife = 7 * np.cov(folds.T, bias=True)
    np.testing.assert_allclose(
        found.covariance, directions.T @ directions + jackknife, rtol=1e-3, atol=1e-6 * found.covariance.max()
    )


SIZE = 5


def folds_with(search: LanguageSearch, position: int) -> int:
    """Return how many folds have a term of the variables of a candidate; the constant is in all."""
    if position == CONSTANT_PLACE:
        return len(search.models) - 1
    wanted = {search.candidates.units[unit].variable for unit in search.candidates.products[position]}
    found = 0
    for models in search.models[1:]:
        products = [search.candidates.products[place] for place in models[SIZE - 1]]
        found += any({search.candidates.units[unit].variable for unit in product} == wanted for product in products)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_support_of_terms(language: Language) -> None:
    """First come models whose terms all folds have, then those with one fold less; with more support than before."""
    search = search_of(WAVY, language)
    chosen = search.models[0][SIZE - 1]
    least = min(folds_with(search, place) for place in chosen)
    last = max(least, math.ceil(MIN_SHARE * 8) - 1)
    assert last < 8
    found = list(agreed_models(search, SIZE, chosen))
    goal = search.target.scaled(search.target.predicted, search.product)
    assert len(found) == 8 - last
    for wanted, models in zip(range(8, last, -1), found, strict=True):
        assert len(models[-1]) > 1
        for size, model in enumerate(models, 1):
            assert len(set(model)) == len(model) <= size
            assert all(folds_with(search, place) >= wanted for place in model)
        squares = [square_of(search.candidates, model, goal) for model in models]
        assert squares == sorted(squares, reverse=True)
        if not search.candidates.signed:
            # Beside the constant is about the best term that so many folds have; simpler ones are preferred.
            rest = [place for place in range(1, len(search.candidates)) if folds_with(search, place) >= wanted]
            best = min(square_of(search.candidates, (CONSTANT_PLACE, place), goal) for place in rest)
            assert squares[1] <= 1.25 * best


def test_constant_and_nothing_to_gain() -> None:
    """The constant is in agreed models, also where no fold has it; if all folds have the terms, there are none."""
    search = search_of(WAVY, "shapes")
    agreed = tuple(place for place in range(len(search.candidates)) if folds_with(search, place) == 8)[:3]
    assert len(agreed) == 3
    assert list(agreed_models(search, SIZE, agreed)) == []
    search = search_of(WAVY, "sum")
    without = tuple(
        tuple(tuple(place for place in model if place != CONSTANT_PLACE) for model in models)
        for models in search.models
    )
    found = agreed_models(replace(search, models=without), SIZE, search.models[0][SIZE - 1])
    assert any(CONSTANT_PLACE in model for models in found for model in models)
