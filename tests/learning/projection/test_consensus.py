"""Models of terms that folds agree upon, against counting and searching anew."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection.candidates import CONSTANT_PLACE
from splc.learning.projection.competition import LanguageSearch
from splc.learning.projection.consensus import MIN_SHARE, agreed_models
from splc.learning.projection.units import Language
from tests.learning.projection.test_blend import LANGUAGES
from tests.learning.projection.test_competition import search_of
from tests.learning.projection.test_projected import wavy

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
    columns, target = search.candidates.columns[list(chosen)].T, search.full.target
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


def test_nothing_to_gain() -> None:
    """No consensus is needed if all folds have the chosen terms."""
    search = search_of(wavy(), "shapes")
    agreed = tuple(place for place in range(len(search.candidates)) if folds_with(search, place) == 8)[:3]
    assert len(agreed) == 3
    assert list(agreed_models(search, SIZE, agreed)) == []


def test_constant() -> None:
    """The constant is in agreed models, also where no fold has it."""
    search = search_of(wavy(), "sum")
    without = tuple(
        tuple(tuple(place for place in model if place != CONSTANT_PLACE) for model in models)
        for models in search.models
    )
    found = agreed_models(replace(search, models=without), SIZE, search.models[0][SIZE - 1])
    assert any(CONSTANT_PLACE in model for models in found for model in models)
