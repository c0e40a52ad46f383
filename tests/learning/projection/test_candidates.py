"""The candidates: products of units, their heirs, columns and signs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection import candidates as candidates_module
from splc.learning.projection.candidates import CONSTANT_PLACE, CONSTANT_SHARE, PENALTY, Candidates
from splc.learning.projection.competition import MAX_NUMERIC
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.units import Language, Unit
from splc.models.basis.atom import Atom
from splc.models.terms import option_term
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, candidates_of, target_of
from tests.support.examples import examples

LANGUAGES: tuple[Language, ...] = ("sum", "shapes", "product")


def rows(model: object = MIXED) -> ModelRows:
    """Return rows of a system with unequal weights."""
    system = BINARY if model is BINARY else MIXED
    return ModelRows(
        target_of(system, lambda column: 1 + column(system.names[0]) + column(system.names[-1]), learned=20)
    )


def unit(name: str, *, free: bool = True, numeric: bool = False, simple: bool = True, factors: int = 1) -> Unit:
    """Return a unit of a variable of its own."""
    return Unit(name, Atom(option_term(name)), factors=factors, free=free, numeric=numeric, simple=simple)


def switches(number: int, order: int) -> Candidates:
    """Return the candidates of so many switches; no product is constant."""
    values = np.random.default_rng(0).integers(0, 2, (number, 12 * number)).astype(float)
    return Candidates([unit(f"u{at:03}") for at in range(number)], values, np.ones(12 * number), order=order)


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_are_products_of_units(language: Language) -> None:
    """A column is the weighted product of its units, of norm 1; `scales` makes influences of coefficients."""
    given = rows()
    candidates = candidates_of(given, 3, language)
    assert len(candidates) == len(candidates.products) == len(candidates.columns)
    np.testing.assert_allclose((candidates.columns**2).sum(axis=1), 1)
    configurations = given.target.configurations
    for position in range(0, len(candidates), 17):
        column = given.weights(language == "product").copy()
        for each in candidates.products[position]:
            column *= candidates.units[each].atom.values(configurations)
        [scale] = candidates.scales([position])
        np.testing.assert_allclose(candidates.columns[position] * scale, column, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("language", LANGUAGES)
def test_properties_of_products(language: Language) -> None:
    """Factors, penalties, signs and limits of a product follow from its units; variables are distinct."""
    candidates = candidates_of(rows(), 3, language)
    constant = candidates.columns[CONSTANT_PLACE]
    for position, product in enumerate(candidates.products):
        units = [candidates.units[each] for each in product]
        variables = [each.variable for each in units]
        assert len(set(variables)) == len(variables)
        assert list(product) == sorted(product)
        assert candidates.variables(position) == set(variables)
        factors = sum(each.factors for each in units)
        assert candidates.name(position) == (factors, len(product), product)
        if position != CONSTANT_PLACE:
            assert candidates.penalties[position] == pytest.approx(PENALTY ** (factors - 1))
            around = 1 - (candidates.columns[position] @ constant) ** 2
            assert around > CONSTANT_SHARE
            assert candidates.limits[position] == pytest.approx(max(1e-3 * around, 1e-5), rel=1e-6)
        assert candidates.free[position] == (language != "sum" or any(each.free for each in units))
    assert len(set(candidates.products)) == len(candidates)


@pytest.mark.parametrize(("limit", "largest"), [(7 + 21 + 35, 3), (7 + 21 + 34, 2), (7 + 21, 2), (7 + 20, 1), (1, 1)])
def test_products_are_enumerated_up_to_a_number(limit: int, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All products of so many units are candidates if there are not too many; those of one unit always are."""
    monkeypatch.setattr(candidates_module, "MAX_ENUMERATED", limit)
    products = candidates_of(rows(BINARY), 3).products
    assert products == [product for size in range(largest + 1) for product in itertools.combinations(range(7), size)]
    assert len(products) == 1 + sum(math.comb(7, size) for size in range(1, largest + 1))


@examples()
@given(place=st.integers(0, 10**6), order=st.integers(1, 4))
def test_heirs(place: int, order: int) -> None:
    """The heirs of a product have one more unit of another variable; each product is a candidate once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates_module, "MAX_ENUMERATED", 0)
        candidates = candidates_of(rows(), order)
    variables = [each.variable for each in candidates.units]
    while len(candidates) < 400:
        before = len(candidates)
        position = place % before
        product = candidates.products[position]
        candidates.add_heirs([position])
        expected = {
            tuple(sorted((*product, other)))
            for other in range(len(variables))
            if 0 < len(product) < order and variables[other] not in {variables[each] for each in product}
        }
        added = candidates.products[before:]
        assert set(added) <= expected
        assert added == sorted(added)
        missing = expected - set(candidates.products)
        assert all(_is_constant(candidates, other) for other in missing)
        assert len(set(candidates.products)) == len(candidates)
        if not added:
            return
        place = place * 31 + 7


def _is_constant(candidates: Candidates, product: tuple[int, ...]) -> bool:
    """Return whether the column of a product is 0, or nearly a multiple of the constant."""
    singles = [candidates.products.index((each,)) for each in product]
    column = candidates.weights * np.prod(candidates.columns[singles] / candidates.weights, axis=0)
    norm = float(np.linalg.norm(column))
    return norm < 1e-12 or 1 - (column @ candidates.columns[0] / norm) ** 2 <= CONSTANT_SHARE


def test_short_heirs_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the largest number of candidates, heirs with fewer units are added first, in canonical order."""
    monkeypatch.setattr(candidates_module, "MAX_ENUMERATED", 0)
    candidates = switches(7, 3)
    candidates.add_heirs([candidates.products.index((2,))])
    monkeypatch.setattr(candidates_module, "MAX_CANDIDATES", 18)
    candidates.add_heirs([candidates.products.index((2, 3)), candidates.products.index((4,))])
    assert candidates.products[14:] == [(0, 4), (1, 4), (3, 4), (4, 5)]


@pytest.mark.parametrize(("number", "simple"), [(59, False), (60, True)])
def test_heirs_of_many_units_are_simple(number: int, simple: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 60 units on only simple ones extend terms."""
    monkeypatch.setattr(candidates_module, "MAX_ENUMERATED", 0)
    units = [unit(f"u{at:03}", simple=at < 5) for at in range(number)]
    values = np.random.default_rng(0).integers(0, 2, (number, 200)).astype(float)
    candidates = Candidates(units, values, np.ones(200), order=2)
    before = len(candidates)
    candidates.add_heirs([candidates.products.index((30,))])
    assert len(candidates) - before == (5 if simple else number - 1)


def test_units_of_numeric_options_in_products() -> None:
    """No product, also no heir, has more units of numeric options than is allowed."""
    units = [unit(f"u{at}", numeric=at < 4) for at in range(6)]
    values = np.random.default_rng(0).uniform(0, 1, (6, 40))
    found = Candidates(units, values, np.ones(40), order=6, most_numeric=MAX_NUMERIC)
    numbers = {sum(each < 4 for each in product) for product in found.products}
    assert numbers == {0, 1, 2, 3}
    assert len(found) == 2**6 - 4


def test_constant_products_are_left_out() -> None:
    """A product that is 0 at all rows, or nearly constant, is no candidate."""
    first = np.array([1.0, 0.0, 1.0, 0.0] * 5)
    nearly = 1 + 1e-3 * first
    values: Array = np.array([first, 1 - first, nearly])
    found = Candidates([unit("a"), unit("b"), unit("c")], values, np.ones(20), order=3)
    assert found.products == [(), (0,), (1,), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("scale", "of_target", "has"),
    [(1e95, 1.0, True), (1e97, 1.0, False), (1e-90, 1e30, True), (1e-90, 1e40, False), (1e95, 1e-30, False)],
)
def test_influences_can_be_printed(scale: float, of_target: float, has: bool) -> None:
    """Products whose values or influences would be no floating-point numbers are left out."""
    values = np.vstack([np.ones(30), scale * np.random.default_rng(0).uniform(0.5, 1, (3, 30))])
    values[0, 0] = 0.0
    found = Candidates([unit(name) for name in "abcd"], values, np.ones(30), order=3, unit=of_target)
    assert ((1, 2, 3) in found.products) is has
    assert (0, 1) in found.products
    assert np.isfinite(found.scales(range(len(found)))).all()


def test_texts_have_the_order_of_names() -> None:
    """Factors in texts follow the given order of options; the constant is 1."""
    values = np.random.default_rng(0).integers(0, 2, (3, 30)).astype(float)
    units = [unit(name) for name in "abc"]
    found = Candidates(units, values, np.ones(30), order=3, names=("c", "a", "b"))
    assert found.text(CONSTANT_PLACE) == "1"
    assert {found.text(at) for at in range(1, 8)} == {"a", "b", "c", "a * b", "c * a", "c * b", "c * a * b"}


def test_no_units() -> None:
    """Without units the constant is the only candidate."""
    found = Candidates((), np.zeros((0, 5)), np.ones(5), order=1)
    found.add_heirs([0])
    assert found.products == [()]
    np.testing.assert_allclose(found.columns, np.full((1, 5), 5**-0.5))


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_some(language: Language) -> None:
    """Some of the candidates keep their columns and properties, and get no heirs."""
    candidates = candidates_of(rows(), 3, language)
    places = np.append(CONSTANT_PLACE, np.arange(5, len(candidates), 7))
    some = candidates.only(places)
    assert len(some) == len(places)
    np.testing.assert_array_equal(some.columns, candidates.columns[places])
    for position, place in enumerate(places.tolist()):
        assert some.name(position) == candidates.name(place)
        assert some.text(position) == candidates.text(place)
        assert some.scales([position]) == candidates.scales([place])
    for name in ("limits", "penalties", "free"):
        np.testing.assert_array_equal(getattr(some, name), getattr(candidates, name)[places])


def test_only_some_get_no_heirs() -> None:
    """Some of the candidates get no heirs, the others as before."""
    candidates = switches(120, 2)
    number = len(candidates)
    some = candidates.only(np.arange(10))
    some.add_heirs(range(10))
    assert (len(some), len(candidates)) == (10, number)
    candidates.add_heirs(range(10))
    assert len(candidates) > number
