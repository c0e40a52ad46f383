"""Units and their products: what they are, which of them there are, and their columns."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.io.numbers import number_text
from splc.learning.projection import columns as columns_module
from splc.learning.projection.basis import variables_of
from splc.learning.projection.columns import (
    CONSTANT_PLACE,
    CONSTANT_SHARE,
    MAX_THRESHOLDS,
    PENALTY,
    Candidates,
    Language,
    Unit,
    units_of,
)
from splc.learning.projection.submodels import Target
from splc.models.basis.atom import Atom
from splc.models.terms import option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, NUMERIC, candidates_of, target_of
from tests.support.examples import examples
from tests.support.systems import group

LANGUAGES: tuple[Language, ...] = ("sum", "shapes", "product")
VALUES = st.lists(
    st.one_of(st.integers(-40, 400).map(float), st.floats(-50, 1e4).map(lambda value: round(value, 3))),
    min_size=2,
    max_size=20,
    unique=True,
).map(sorted)


def named(
    model: VariabilityModel, language: Language = "sum"
) -> tuple[dict[str, Unit], dict[str, Array], dict[str, Array]]:
    """Return the units of a system by text, their values at all configurations, and the columns of its options."""
    everything = Space(model).enumerate()
    units, values = units_of(variables_of(model), everything, language)
    texts = [unit.text for unit in units]
    assert len(set(texts)) == len(texts)
    columns = {name: everything.column(name) for name in (*model.names, *model.switches)}
    return dict(zip(texts, units, strict=True)), dict(zip(texts, values, strict=True)), columns


def numeric(*values: float, flag: float | None = None) -> VariabilityModel:
    """Return a system of one numeric option x."""
    return VariabilityModel("numeric", (NumericOption("x", values, deselected_flag=flag),))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("numbers", [(0, 3, 9), (1, 5, 9)])
def test_numbers_of_groups(language: Language, numbers: tuple[int, ...]) -> None:
    """A numbered group has its members and its number as units, sums of its members; log10(g + 1) where that is 0."""
    names = [f"g_{number}" for number in numbers]
    units, values, columns = named(VariabilityModel("numbered", (*group(*names), *NUMERIC)), language)
    number = sum(columns[name] * each for name, each in zip(names, numbers, strict=True))
    logarithm = "log10(g)" if numbers[0] else "log10(g + 1)"
    expected = {"g": number, "g^2": number**2, logarithm: np.log10(number + (not numbers[0])), **columns}
    own = {text for text, unit in units.items() if unit.variable == names[0]}
    assert own == {*names, "g", "g^2", logarithm}
    for text in own:
        np.testing.assert_allclose(values[text], expected[text], atol=1e-15)


@pytest.mark.parametrize(
    ("language", "without"),
    [
        ("sum", ()),
        ("shapes", ("x^3", "x^2 * log10(x)")),
        ("product", ("x^3", "x^2 * log10(x)", "x * log10(x)", "x^-1")),
    ],
)
def test_powers_and_logarithms(language: Language, without: tuple[str, ...]) -> None:
    """Sums have powers up to 3, logarithms, their products and 1/x; other languages at most two factors."""
    units, values, columns = named(MIXED, language)
    x = columns["x"]
    expected = {
        "x": (x, 1),
        "x^2": (x**2, 2),
        "x^3": (x**3, 3),
        "log10(x)": (np.log10(x), 1),
        "log10(x)^2": (np.log10(x) ** 2, 2),
        "x * log10(x)": (x * np.log10(x), 2),
        "x^2 * log10(x)": (x**2 * np.log10(x), 3),
        "x^-1": (1 / x, 1),
    }
    own = {text for text, unit in units.items() if unit.variable == "x" and not unit.atom.derived}
    assert own == set(expected) - set(without)
    for text in own:
        column, factors = expected[text]
        np.testing.assert_allclose(values[text], column)
        assert units[text].factors == factors
        assert not units[text].free


@examples()
@given(values=VALUES, language=st.sampled_from(LANGUAGES))
def test_thresholds_and_saturations(values: list[float], language: Language) -> None:
    """[x >= c] is 1 from c on and 0 below, min(x, c) is the smaller of both, for c in at most 7 of the values."""
    units, found, columns = named(numeric(*values), language)
    x = columns["x"]
    steps = {text: column for text, column in found.items() if text.startswith("[")}
    ends = {text: column for text, column in found.items() if text.startswith("min")}
    if language == "sum" or len(values) < 3:
        assert not steps
        assert not ends
        return
    assert len(steps) == min(len(values) - 1, MAX_THRESHOLDS)
    assert len(ends) == len(steps) - 1
    places = []
    for text, column in steps.items():
        np.testing.assert_allclose(column, np.rint(column), atol=1e-9)
        places.append(int((column < 0.5).sum()))
        np.testing.assert_allclose(column, x >= values[places[-1]], atol=1e-9)
        assert text == f"[x >= {number_text(values[places[-1]])}]"
        assert units[text].factors == 1
    # The second and the last value are among them, and the ranks between are nearly equal.
    assert places == sorted(places)
    assert (places[0], places[-1]) == (1, len(values) - 1)
    assert np.ptp(np.diff(places)) <= 1
    for place, column in zip(places[:-1], ends.values(), strict=True):
        np.testing.assert_allclose(column, np.minimum(x, values[place]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_that_begin_with_zero(language: Language) -> None:
    """An option with the value 0 has the logarithm of its value plus one, and neither log10(x) nor 1/x."""
    units, values, columns = named(numeric(0.0, 1.0, 2.0, 7.0), language)
    np.testing.assert_allclose(values["log10(x + 1)"], np.log10(columns["x"] + 1))
    assert {"x", "x^2"} < set(units)
    assert ("x^3" in units) is (language == "sum")
    assert not {"log10(x)", "x^-1"} & set(units)


@pytest.mark.parametrize("low", [-3.0, 0.0, 1.0])
@pytest.mark.parametrize("language", LANGUAGES)
def test_deselected_options_contribute_nothing(language: Language, low: float) -> None:
    """All units of a deselected optional numeric option are 0; one unit is 1 if it has a value."""
    units, values, columns = named(numeric(low, low + 2.0, 4.0, 8.0, flag=-9.0), language)
    deselected = np.isnan(columns["x"])
    assert deselected.any()
    assert {text for text, column in values.items() if column[deselected].any()} == set()
    assert (values["Enabledx"] == columns["Enabledx"]).all()
    assert units["Enabledx"].free


@pytest.mark.parametrize("language", LANGUAGES)
def test_extreme_values(language: Language) -> None:
    """Units whose values leave the range of floating-point numbers are left out without a warning."""
    units, values, _ = named(numeric(1e-250, 1.0, 1e250), language)
    assert all(np.isfinite(column).all() for column in values.values())
    # Units after those that are too large are there.
    assert not {"x^2", "x^3"} & set(units)
    assert {"log10(x)", "log10(x)^2"} <= set(units)


@pytest.mark.parametrize("language", LANGUAGES)
def test_factors_and_signs_of_units(language: Language) -> None:
    """Squares count as two factors; binary options, members, numbers of groups and switches have free signs."""
    optional = NumericOption("z", (0.0, 1.0, 2.0, 5.0), deselected_flag=-1.0)
    units = named(VariabilityModel("every", (*MIXED.options, optional)), language)[0]
    binary = {"a", "b", "g_1", "g_5", "g_9", "g", "g^2", "log10(g)"}
    assert {text for text, unit in units.items() if not unit.numeric} == binary
    assert {text for text, unit in units.items() if unit.free} == {*binary, "Enabledz"}
    several = {"g^2": 2, "z^2": 2, "z^3": 3}
    for name in "xy":
        several |= {f"{name}^2": 2, f"log10({name})^2": 2, f"{name} * log10({name})": 2}
        several |= {f"{name}^3": 3, f"{name}^2 * log10({name})": 3}
    found = {text: unit.factors for text, unit in units.items() if unit.factors != 1}
    assert found == {text: factors for text, factors in several.items() if text in units}
    simple = {"a", "b", "g_1", "g_5", "g_9", "g", "log10(g)", "Enabledz", "z", "log10(z + 1)"}
    assert {text for text, unit in units.items() if unit.simple} == {*simple, "x", "y", "log10(x)", "log10(y)"}


def rows(model: object = MIXED) -> Target:
    """Return rows of a system with unequal weights."""
    system = BINARY if model is BINARY else MIXED
    return target_of(system, lambda column: 1 + column(system.names[0]) + column(system.names[-1]), learned=20)


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
    configurations = given.configurations
    for position in range(0, len(candidates), 17):
        column = given.factors(language == "product").copy()
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
    monkeypatch.setattr(columns_module, "MAX_ENUMERATED", limit)
    products = candidates_of(rows(BINARY), 3).products
    assert products == [product for size in range(largest + 1) for product in itertools.combinations(range(7), size)]
    assert len(products) == 1 + sum(math.comb(7, size) for size in range(1, largest + 1))


@examples()
@given(place=st.integers(0, 10**6), order=st.integers(1, 4))
def test_heirs(place: int, order: int) -> None:
    """The heirs of a product have one more unit of another variable; each product is a candidate once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "MAX_ENUMERATED", 0)
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
    monkeypatch.setattr(columns_module, "MAX_ENUMERATED", 0)
    candidates = switches(7, 3)
    candidates.add_heirs([candidates.products.index((2,))])
    monkeypatch.setattr(columns_module, "MAX_CANDIDATES", 18)
    candidates.add_heirs([candidates.products.index((2, 3)), candidates.products.index((4,))])
    assert candidates.products[14:] == [(0, 4), (1, 4), (3, 4), (4, 5)]


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
