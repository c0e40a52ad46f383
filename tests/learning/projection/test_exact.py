"""Models that fit measured values exactly: terms that depend on each other, rounding, and terms that are not needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection.candidates import CONSTANT_PLACE
from splc.learning.projection.competition import LanguageSearch
from splc.learning.projection.exact import exact_model
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.target import Target
from splc.learning.projection.units import Language
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, Known, candidates_of, target_of


def search_of(target: Target, *texts: tuple[str, ...], language: Language = "sum") -> LanguageSearch:
    """Return a search whose models have the terms of these texts."""
    rows = ModelRows(target)
    candidates = candidates_of(rows, 2, language)
    places = {candidates.text(at): at for at in range(len(candidates))}
    models = tuple(tuple(places[text] for text in each) for each in texts)
    return LanguageSearch(rows, candidates, language, (models,))


def measured(known: Known, noise: float = 0.0, *, learned: int = 40) -> Target:
    """Return a target whose measured values are known, and whose full model is a little off."""
    target = target_of(BINARY, known, learned=learned)
    signs = np.random.default_rng(2).choice([-1.0, 1.0], len(target.measured))
    exact = target.predicted[: len(signs)] * (1 + noise * signs)
    off = target.predicted * np.linspace(0.99, 1.01, len(target.predicted))
    return replace(target, predicted=off, divisor=off, measured=exact)


def predictions(target: Target, search: LanguageSearch) -> Array:
    """Return the predictions of the exact model of a search."""
    found = exact_model(search)
    assert found is not None
    assert found.search is search
    values = found.coefficients @ search.candidates.columns[list(found.chosen)] / search.candidates.weights
    return np.exp(values) if search.product else values


def sums(column: object) -> Array:
    """Return the values of a sum."""
    c = column
    return np.asarray(3 + c("b1") + 2 * c("b2"))  # type: ignore[operator]


SUM = ("1", "b1", "b2")


@pytest.mark.parametrize("language", ["sum", "product"])
@pytest.mark.parametrize(("disturbance", "fits"), [(0.0, True), (0.5e-6, True), (5e-6, False)])
def test_exact_models_fit_all_measured_values(disturbance: float, fits: bool, language: Language) -> None:
    """A model is exact if no measured value is farther away than rounding."""
    target = measured(lambda c: np.exp(0.3 + c("b1") - 0.5 * c("b2")), disturbance)
    terms = ("1", "b1", "b2", "b1 * b2") if language == "sum" else SUM
    search = search_of(target, terms[:2], terms, language=language)
    assert (exact_model(search) is not None) is fits
    if fits:
        np.testing.assert_allclose(predictions(target, search)[:40], target.measured, rtol=2e-6)


def test_the_shortest_exact_model() -> None:
    """The first exact model of the search is taken, without the terms that are not needed."""
    target = measured(sums)
    search = search_of(target, ("1", "b1"), ("1", "b0", "b1", "b2"), ("1", "b0", "b1", "b2", "b3"))
    found = exact_model(search)
    assert found is not None
    assert [search.candidates.text(place) for place in found.chosen] == list(SUM)
    scales = search.candidates.scales(found.chosen)
    np.testing.assert_allclose(found.coefficients / scales, [3, 1, 2], rtol=1e-9)


@pytest.mark.parametrize(("learned", "found"), [(6, True), (5, False)])
def test_exact_models_need_two_rows_per_term(learned: int, found: bool) -> None:
    """A model with more than half as many terms as rows fits by chance."""
    search = search_of(measured(sums, learned=learned), ("1",), SUM)
    assert (exact_model(search) is not None) is found


def test_terms_that_depend_on_each_other_at_measured_rows() -> None:
    """Terms that measured rows do not distinguish have no unique influences, so that no model is exact."""
    target = measured(sums)
    columns = {name: target.configurations.column(name).copy() for name in BINARY.names}
    columns["b3"][:40] = columns["b1"][:40]
    given = replace(target, configurations=type(target.configurations).from_columns(BINARY, columns))
    assert exact_model(search_of(given, ("1", "b1", "b2", "b3"))) is None
    assert exact_model(search_of(given, SUM)) is not None


def test_signs_of_exact_models() -> None:
    """An exact sum of costs has no negative influence of a bounded term; other languages may have."""
    target = target_of(MIXED, lambda c: 40 - 2 * c("x"), error=0.0)
    assert exact_model(search_of(target, ("1", "x"))) is None
    assert exact_model(search_of(target, ("1", "x"), language="shapes")) is not None
    assert exact_model(search_of(replace(target, measured=80 - target.measured), ("1", "x"))) is not None


def test_constants_of_products_stay() -> None:
    """A product keeps its constant, also where that is 1 in the unit of the target; a sum has none of 0."""
    target = measured(lambda c: np.exp(c("b1") - c("b2")))
    found = exact_model(search_of(target, SUM, language="product"))
    assert found is not None
    assert CONSTANT_PLACE in found.chosen
    np.testing.assert_allclose(found.coefficients[found.chosen.index(CONSTANT_PLACE)], 0, atol=1e-6)
    rising = target_of(MIXED, lambda c: 3 * c("x"), error=0.0)
    rising = replace(rising, measured=rising.predicted[: rising.learned])
    search = search_of(rising, ("1", "x"))
    exact = exact_model(search)
    assert exact is not None
    assert [search.candidates.text(place) for place in exact.chosen] == ["x"]


def test_no_exact_models() -> None:
    """One row, or a search without terms, has no exact model."""
    assert exact_model(search_of(measured(sums, learned=1), ("1",))) is None
    assert exact_model(search_of(measured(sums), ())) is None
    single = exact_model(search_of(measured(lambda c: 7 + 0 * c("b0")), ("1",)))
    assert single is not None
    assert single.chosen == (CONSTANT_PLACE,)
