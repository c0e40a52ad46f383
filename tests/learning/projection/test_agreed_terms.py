"""The terms that most folds agree on; influences of terms, and their covariance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection import printed_model as choice
from splc.learning.projection.columns import CONSTANT_PLACE, Language
from splc.learning.projection.printed_model import FARTHEST, MIN_SHARE, RISE, agreed_models, with_agreed_terms
from splc.learning.projection.submodels import BLENDS, LanguageSearch, Submodel, Target
from splc.types import Array
from tests.learning.projection.known_targets import MIXED, target_of
from tests.learning.projection.test_printed_model import wavy as curved
from tests.learning.projection.test_submodels import LANGUAGES, rows_of, search_of


def wavy(learned: int = 40) -> Target:
    """Return rows of a full model that few terms do not follow."""
    return target_of(MIXED, curved, error=0.2, learned=learned)


def always(*_: object) -> bool:
    """Return that a model is positive."""
    return True


def only(chosen: tuple[int, ...]) -> choice.IsPositive:
    """Return that no model but that of these terms is positive."""
    return lambda model: model.chosen == chosen


def closest(model: Submodel) -> Submodel:
    """Return a model with its terms in canonical order."""
    return model.of_terms(sorted(model.chosen, key=model.search.candidates.name))


@pytest.mark.parametrize("language", LANGUAGES)
def test_consensus(language: str) -> None:
    """Terms with more support by folds are taken up to a larger expected error, if all predictions are positive."""
    search = search_of(wavy(), language)  # type: ignore[arg-type]
    full = search.target.expected_error

    def least(model: Submodel) -> int:
        support, places = search.supports(model.size), (at for at in model.chosen if at != CONSTANT_PLACE)
        return min((support[search.candidates.variables(place)] for place in places), default=8)

    changed = 0
    for each in search.submodels:
        near = closest(each)
        found = with_agreed_terms(near, always)
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
    search = search_of(wavy(), "shapes")
    nearest = [closest(each) for each in search.submodels]
    before = [with_agreed_terms(each, always).chosen for each in nearest]
    monkeypatch.setattr(choice, name, factor)
    after = [with_agreed_terms(each, always) for each in nearest]
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


def square(search: LanguageSearch, chosen: tuple[int, ...]) -> float:
    """Return the sum of squares that terms leave of the full model."""
    columns = search.candidates.columns[list(chosen)].T
    target = search.target.scaled(search.target.predicted, search.product)
    return float(np.sum((target - columns @ np.linalg.lstsq(columns, target)[0]) ** 2))


@pytest.mark.parametrize("language", LANGUAGES)
def test_support_of_terms(language: Language) -> None:
    """First come models whose terms all folds have, then those with one fold less; with more support than before."""
    search = search_of(wavy(), language)
    chosen = search.models[0][SIZE - 1]
    least = min(folds_with(search, place) for place in chosen)
    last = max(least, math.ceil(MIN_SHARE * 8) - 1)
    assert last < 8
    found = list(agreed_models(search, SIZE, chosen))
    assert len(found) == 8 - last
    for wanted, models in zip(range(8, last, -1), found, strict=True):
        assert len(models[-1]) > 1
        for size, model in enumerate(models, 1):
            assert len(set(model)) == len(model) <= size
            assert all(folds_with(search, place) >= wanted for place in model)
        squares = [square(search, model) for model in models]
        assert squares == sorted(squares, reverse=True)
        if not search.candidates.signed:
            # Beside the constant is about the best term that so many folds have; simpler ones are preferred.
            rest = [place for place in range(1, len(search.candidates)) if folds_with(search, place) >= wanted]
            assert squares[1] <= 1.25 * min(square(search, (CONSTANT_PLACE, place)) for place in rest)


def test_constant_and_nothing_to_gain() -> None:
    """The constant is in agreed models, also where no fold has it; if all folds have the terms, there are none."""
    search = search_of(wavy(), "shapes")
    agreed = tuple(place for place in range(len(search.candidates)) if folds_with(search, place) == 8)[:3]
    assert len(agreed) == 3
    assert list(agreed_models(search, SIZE, agreed)) == []
    search = search_of(wavy(), "sum")
    without = tuple(
        tuple(tuple(place for place in model if place != CONSTANT_PLACE) for model in models)
        for models in search.models
    )
    found = agreed_models(replace(search, models=without), SIZE, search.models[0][SIZE - 1])
    assert any(CONSTANT_PLACE in model for models in found for model in models)
