"""Signs of factors: the roots of products that may be split, found by trying all signs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from splc.errors import ExpressionError
from splc.models.terms import Factor, Term, product_of
from splc.models.text.products import Signs
from splc.models.text.reader import expand_model
from splc.types import Array
from tests.models.test_subexpressions import texts

VALUES = (-3.0, -1.0, 0.0, 0.5, 1.0, 4.0)
NAMES = ("x", "y", "z")
BOUNDS = st.fixed_dictionaries(dict.fromkeys(NAMES, st.sampled_from([-math.inf, *VALUES])))
POWERS = st.sampled_from([1, 2, 3, Fraction(1, 2)])
ANY = st.sampled_from([0, 1, 2, -1, -2, Fraction(1, 2)])
LOGS = st.sampled_from([0, 0, 1, 2, -1])
# A root that leaves no exponent whole.
ROOT = Fraction(1, 16)


def grid(lowest: dict[str, float]) -> dict[str, Array]:
    """Return all combinations of values that lower bounds allow, as columns."""
    allowed = ([value for value in VALUES if value >= lowest[name]] for name in NAMES)
    return dict(zip(NAMES, np.array(list(itertools.product(*allowed))).T, strict=True))


def roots(term: Term, columns: dict[str, Array]) -> tuple[Array, Array]:
    """Return the root of a term, and the product of the roots of its factors; NaN where there is no value."""
    parts = [Term((Factor(f.option, f.power),)) for f in term.factors if f.power != 0]
    parts += [Term((Factor(f.option, 0, f.log),)) for f in term.factors if f.log != 0]
    with np.errstate(all="ignore"):
        whole = np.power(term.evaluate(columns.__getitem__), float(ROOT))
        split = np.prod([(part**ROOT).evaluate(columns.__getitem__) for part in parts], axis=0)
    return np.where(np.isfinite(whole), whole, np.nan), np.where(np.isfinite(split), split, np.nan)


@given(st.lists(st.builds(Factor, st.sampled_from(NAMES), POWERS), min_size=1, max_size=3).map(product_of), BOUNDS)
def test_roots_are_split_exactly_where_no_value_changes(term: Term, lowest: dict[str, float]) -> None:
    """The root of a product of positive powers is split if and only if its values are the same then."""
    whole, split = roots(term, grid(lowest))
    assert Signs(lowest).can_split(term, {}) == np.allclose(whole, split, equal_nan=True)


@given(st.lists(st.builds(Factor, st.sampled_from(NAMES), ANY, LOGS), max_size=2).map(product_of), BOUNDS)
def test_split_roots_have_the_same_values(term: Term, lowest: dict[str, float]) -> None:
    """A root that is split has the same values, also with reciprocals and logarithms."""
    columns = grid(lowest)
    assume(term.factors and Signs(lowest).can_split(term, {}))
    # Without points where a power or logarithm itself is 0 or infinite.
    plain = np.logical_and.reduce([(columns[f.option] != 0) & (columns[f.option] != 1) for f in term.factors], axis=0)
    whole, split = roots(term, columns)
    np.testing.assert_allclose(whole[plain], split[plain])


@given(texts("xyz"), BOUNDS)
def test_bounds_hold(text: str, lowest: dict[str, float]) -> None:
    """A subexpression has no value below its bound, for all values of the options that their bounds allow."""
    signs, columns = Signs(lowest), grid(lowest)
    # Exponents may have an option of 0 and 1.
    columns["b"] = np.ones_like(columns["x"])
    try:
        derived = {each.name: each for each in expand_model(f"1 / (({text}) + x^2)", None, signs=signs).derived}
    except ExpressionError:
        reject()

    def column(name: str) -> Array:
        return columns[name] if name in columns else np.broadcast_to(derived[name].values(column), columns["x"].shape)

    for name in derived:
        values = column(name)
        low = signs.lower(name, derived)
        assert not (values[np.isfinite(values)] < low - 1e-12 * max(1.0, abs(low))).any(), (name, low)
