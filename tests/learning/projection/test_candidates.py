"""The candidates: products of units, their heirs, and signs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from splc.learning.projection import candidates as candidates_module
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.form import MOST_NUMERIC, SUM_PENALTY, _product
from splc.learning.projection.rows import Rows
from splc.learning.projection.variables import variables_of
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.learning.projection.known_targets import BINARY, MIXED, target_of
from tests.learning.projection.test_selection import goal_of


def test_heirs() -> None:
    """The heirs of a product have one more unit, or one unit exchanged, and each product is a candidate once."""
    goal = goal_of(BINARY, order=3)
    candidates = goal.candidates
    few = Candidates(
        candidates.units,
        np.eye(len(candidates.units)) + 1,
        np.ones(len(candidates.units)),
        order=2,
        penalty=SUM_PENALTY,
        enumerated=False,
    )
    assert few.products == [(), *((unit,) for unit in range(7))]
    few.add_heirs(few.products.index((2,)))
    assert set(few.products[8:]) == {tuple(sorted((2, other))) for other in range(7) if other != 2}
    few.add_heirs(few.products.index((2, 3)))
    pairs = {tuple(sorted((one, other))) for one in (2, 3) for other in range(7) if other != one}
    assert set(few.products[8:]) == pairs
    assert len(set(few.products)) == len(few.products)


@pytest.mark.parametrize("place", [1, 6, 40, 130, 200])
def test_heirs_by_trying_all_products(place: int) -> None:
    """Heirs have one more unit of another variable, or one unit exchanged, and nothing else is added."""
    candidates = goal_of(MIXED, order=3).candidates
    before = set(candidates.products)
    product = candidates.products[place]
    assert product in before
    fresh = Candidates(
        candidates.units, np.abs(candidates._values), candidates.weights, order=3, penalty=(1.0,), enumerated=False
    )
    fresh._add([product] if product not in fresh.products else [])
    known = set(fresh.products)
    fresh.add_heirs(fresh.products.index(product))
    variables = [unit.variable for unit in fresh.units]
    heirs = {
        one
        for size in {len(product), min(len(product) + 1, 3)}
        for one in itertools.combinations(range(len(variables)), size)
        if len(set(one) - set(product)) == 1 and len({variables[unit] for unit in one}) == size
    }
    # Constant columns and linear combinations of levels are no candidates.
    assert set(fresh.products) - known <= heirs
    assert heirs & before <= set(fresh.products)


def test_short_heirs_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """If memory is not sufficient, the heirs with fewer units are candidates."""
    monkeypatch.setattr(candidates_module, "MOST_CANDIDATES", 14)
    units = goal_of(BINARY, order=3).candidates.units
    few = Candidates(units, np.eye(7) + 1, np.ones(7), order=3, penalty=SUM_PENALTY, enumerated=False)
    few.add_heirs(few.products.index((2,)))
    # Of products with another unit and of those with three units, there is room for the former only.
    monkeypatch.setattr(candidates_module, "MOST_CANDIDATES", 18)
    few._columns = np.vstack([few._columns, np.empty((4, 7))])
    few.add_heirs(few.products.index((2, 3)))
    assert few.products[14:] == [(0, 3), (1, 3), (3, 4), (3, 5)]


def test_all_products_are_candidates() -> None:
    """All products up to the order are candidates, with their columns of norm 1 and their influences' scale."""
    goal = goal_of(BINARY, order=3)
    candidates = goal.candidates
    assert len(candidates) == 1 + 7 + 21 + 35
    np.testing.assert_allclose((candidates.columns**2).sum(axis=1), 1)
    chosen = [0, 9, 40]
    coefficients = np.array([1.0, -2.0, 3.0])
    influences = candidates.influences(chosen, coefficients)
    units, values = candidates.units, candidates
    assert len(units) == 7
    assert values.text(chosen[1]) == "b0 * b2"
    np.testing.assert_allclose(influences * candidates.norms[chosen], coefficients)


def test_products_are_of_distinct_variables() -> None:
    """No product, enumerated or heir, has two units of one variable."""
    goal = goal_of(MIXED, order=4)
    candidates = goal.candidates
    for position in (3, len(candidates) - 1):
        candidates.add_heirs(position)
    for product in candidates.products:
        variables = [candidates.units[unit].variable for unit in product]
        assert len(set(variables)) == len(variables)


@pytest.mark.parametrize(("limit", "largest"), [(7 + 21 + 35, 3), (7 + 21 + 34, 2), (7 + 21, 2), (7 + 20, 1), (1, 1)])
def test_products_are_enumerated_up_to_a_number(limit: int, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All products of so many units are candidates if there are not too many; those of one unit always are."""
    monkeypatch.setattr(candidates_module, "MOST_ENUMERATED", limit)
    products = goal_of(BINARY, order=3).candidates.products
    assert {len(product) for product in products} == set(range(largest + 1))
    assert len(products) == 1 + sum(math.comb(7, size) for size in range(1, largest + 1))


def test_units_of_numeric_options_in_products() -> None:
    """No product, also no heir, has more units of numeric options than is allowed."""
    system = VariabilityModel("numbers", tuple(NumericOption(name, (1.0, 2.0, 4.0)) for name in "wxyz"))
    rows = Rows(target_of(system, lambda column: column("w") * column("x") * column("y") * column("z")))
    found = _product(rows, variables_of(system), 4, readable=False)
    candidates = found.model.goal.candidates
    for position in range(len(candidates)):
        candidates.add_heirs(position)
    assert max(map(len, candidates.products)) == MOST_NUMERIC == 3


def test_products_with_free_signs() -> None:
    """A product is added once with a free sign, beside one whose influence is positive; unknown ones are added."""
    candidates = goal_of(MIXED, order=2).candidates
    before = len(candidates)
    assert candidates.with_free_sign(()) == 0
    signed = next(at for at in range(1, before) if not candidates.free[at])
    product = candidates.products[signed]
    added = candidates.with_free_sign(product)
    assert added == before == len(candidates) - 1
    assert candidates.free[added]
    assert not candidates.free[signed]
    assert candidates.products[added] == product
    assert candidates.with_free_sign(product) == added
    free = next(at for at in range(1, before) if candidates.free[at])
    assert candidates.with_free_sign(candidates.products[free]) == free
    assert len(candidates) == before + 1
    # Two members of a group are never selected together: their product is no candidate.
    texts = {candidates.text(at): candidates.products[at] for at in range(1, before)}
    assert candidates.with_free_sign(tuple(sorted((*texts["g_1"], *texts["g_5"])))) is None
