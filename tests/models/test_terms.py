from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import NameTable
from splc.arithmetic.tree import names_in
from splc.models.terms import CONSTANT, Factor, Term, exponent, option_term, product_of, quoted
from splc.models.text.reader import expand_text
from tests.support.golden_messages import check_calls
from tests.support.paths import ROOT

OPTIONS = ("x", "y", "z")
exponents = st.sampled_from(
    [0, 1, 1, 2, 3, -1, -2, *(Fraction(text) for text in ("1/2", "-1/2", "1/3", "7/12", "-5/11", "0.8471236", "2/999"))]
)
factors = st.builds(Factor, st.sampled_from(OPTIONS), exponents, exponents)
terms = st.lists(factors, max_size=4).map(product_of)


def text(*factors: Factor, order: Sequence[str] = ()) -> str:
    """Return the text of a product."""
    return product_of(factors).text(order)


class TestLaws:
    @given(terms, terms, terms)
    def test_products_commute_and_associate(self, a: Term, b: Term, c: Term) -> None:
        """The product of terms depends neither on their order nor on parentheses; equal products hash alike."""
        assert a * b == b * a
        assert (a * b) * c == a * (b * c)
        assert hash((a * b) * c) == hash(c * (b * a))

    @given(terms)
    def test_the_constant_is_the_identity(self, a: Term) -> None:
        """Multiplying by the constant changes nothing; a term to the power 0, or times its inverse, is the constant."""
        assert a * CONSTANT == a == CONSTANT * a
        assert a**0 == CONSTANT == a * a**-1
        assert a**1 == a

    @given(terms, st.integers(-3, 3), st.integers(-3, 3))
    def test_powers(self, a: Term, n: int, m: int) -> None:
        """a^n · a^m = a^(n+m), (a^n)^m = a^(nm), and a^2 = a · a."""
        assert a**n * a**m == a ** (n + m)
        assert (a**n) ** m == a ** (n * m)
        assert a**2 == a * a

    @given(terms, terms)
    def test_the_value_of_a_product_is_the_product_of_values(self, a: Term, b: Term) -> None:
        """Evaluation respects multiplication."""
        columns = {"x": np.array([1.5, 2.0, 7.0]), "y": np.array([3.0, 1.2, 9.0]), "z": np.array([2.0, 11.0, 1.3])}
        expected = a.evaluate(columns.__getitem__) * b.evaluate(columns.__getitem__)
        np.testing.assert_allclose(
            (a * b).evaluate(columns.__getitem__) + 0 * columns["x"], expected + 0 * columns["x"]
        )

    @given(st.lists(factors, max_size=5))
    def test_canonical_form(self, parts: list[Factor]) -> None:
        """Factors come sorted, one per option, none with both exponents 0, whole exponents as int."""
        term = product_of(parts)
        names = [factor.option for factor in term.factors]
        assert names == sorted(set(names))
        assert term.options == frozenset(names)
        for factor in term.factors:
            assert (factor.power, factor.log) != (0, 0)
            assert all(isinstance(e, int) or e.denominator > 1 for e in (factor.power, factor.log))
        assert product_of(reversed(parts)) == term

    @given(terms, st.permutations(OPTIONS))
    def test_text_reads_back(self, term: Term, order: list[str]) -> None:
        """The text of a term reads back as the term, in any order of factors."""
        assert expand_text(term.text(order), None) == {term: 1.0}

    @given(st.lists(terms, min_size=2, unique=True))
    def test_sort_key_orders_completely(self, some: list[Term]) -> None:
        """Distinct terms have distinct sort keys, and fewer options come first."""
        positions = {name: position for position, name in enumerate(OPTIONS)}
        ordered = sorted(some, key=lambda term: term.sort_key(positions))
        assert len({repr(term.sort_key(positions)) for term in some}) == len(some)
        assert [len(term.factors) for term in ordered] == sorted(len(term.factors) for term in some)


class TestExponents:
    @given(st.floats(1e-6, 1000), st.booleans())
    def test_exponents_are_kept(self, value: float, negative: bool) -> None:
        """No exponent is rounded away: it has the float's value, and reading it again changes nothing."""
        value = -value if negative else value
        found = exponent(value)
        assert float(found) == value
        assert exponent(found) == found == exponent(float(found))

    @given(st.fractions(-1000, 1000, max_denominator=10**6))
    def test_fractions_survive_as_floats(self, value: Fraction) -> None:
        """A fraction with a denominator up to a million is recognised in its float."""
        assert exponent(float(value)) == value == exponent(value)

    def test_denominators_are_limited(self) -> None:
        """Adding many fractions up stays quick and close to the true sum."""
        primes = [n for n in range(900, 5000) if all(n % d for d in range(2, 71))]
        total = product_of(Factor("x", Fraction(1, p)) for p in primes).factors[0].power
        assert isinstance(total, Fraction)
        assert total.denominator < 10**20
        assert float(total) == pytest.approx(sum(1 / p for p in primes))


class TestEvaluate:
    def test_deselected_options_give_0(self) -> None:
        """A term is 0 where one of its options is deselected, regardless of the others."""
        columns = {"x": np.array([np.nan, 2.0, np.nan]), "y": np.array([3.0, np.nan, 0.0])}
        term = option_term("x") * option_term("y", -1)
        assert term.evaluate(columns.__getitem__).tolist() == [0, 0, 0]


class TestText:
    def test_calls(self) -> None:
        """Powers are written with ^, logarithms as log10, special names in backticks; floats are simple fractions."""
        check_calls("terms", text, F=Factor, exponent=exponent, Fraction=Fraction)

    @given(
        st.fractions(0, 1, max_denominator=10**7).filter(bool) | st.integers(1, 10**7).map(lambda n: Fraction(n, 10**7))
    )
    def test_exponents_are_printed_exactly(self, value: Fraction) -> None:
        """The text of an exponent is the exponent, not a number near it."""
        text = option_term("x", exponent(value)).text().removeprefix("x")
        assert Fraction(text.strip("^()") or 1) == value

    @pytest.mark.parametrize("other", ["x^2", "x * y", "x)", "x - 1"])
    def test_a_name_that_begins_another_is_quoted(self, other: str) -> None:
        """If `x^2` is an option, the square of x is written so that it is not read as that option."""
        term = option_term("x", 2)
        names = {"x": "x", "y": "y", other: other}
        assert expand_text(term.text(list(names)), names) == {term: 1.0}
        assert option_term("cells_5").text(["cells_5", "cells_50"]) == "cells_5"

    @example("*")
    @example("-x")
    @given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=6))
    def test_quoted_names_read_back(self, name: str) -> None:
        """Any name without control characters is read back from model text as itself."""
        assert names_in(parse("3 * " + quoted(name))) == [name]
        assert names_in(parse("3 * " + quoted(name), NameTable({name: name, "x": "x"}))) == [name]


def test_terms_find_their_equals_in_another_process(tmp_path: Path) -> None:
    """A term that was pickled in a process with other string hashes is found in a dictionary."""
    file = tmp_path / "term"
    write = "import pickle, sys; from splc.models.terms import option_term;"
    write += "t = option_term('x') * option_term('y'); hash(t);"
    write += "open(sys.argv[1], 'wb').write(pickle.dumps(t))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", write, str(file)], check=True, env=environment)
        term = pickle.loads(file.read_bytes())  # noqa: S301
        assert {option_term("x") * option_term("y"): "found"}.get(term) == "found"


@given(terms, st.sets(st.sampled_from(OPTIONS)), st.data())
def test_reduced_terms_have_the_same_values(term: Term, binary: set[str], data: st.DataObject) -> None:
    """Terms without powers of 0/1 options and without options that are always 1 have the same values."""
    constant = data.draw(
        st.sets(st.sampled_from(sorted(set(OPTIONS) - binary))) if binary < set(OPTIONS) else st.just(set())
    )
    columns = {
        name: np.array([0.0, 1.0] if name in binary else [1.0, 1.0] if name in constant else [2.0, 5.0])
        for name in OPTIONS
    }
    reduced = term.reduced(binary, constant)
    np.testing.assert_allclose(
        reduced.evaluate(columns.__getitem__) + 0 * columns["x"],
        term.evaluate(columns.__getitem__) + 0 * columns["x"],
        rtol=1e-12,
    )
    for factor in reduced.factors:
        assert factor.option not in binary or factor.power in (0, 1) or factor.power < 0
        assert factor.option not in constant or factor.log != 0


@given(terms, st.permutations([-2.0, 0.0, 0.5, 3.0, 1e200]))
def test_terms_without_a_value_raise_no_warning(term: Term, values: list[float]) -> None:
    """A term has the product of the values of its factors; none where a factor has none, without a warning."""
    columns = {name: np.array(values) * (1 + at) for at, name in enumerate(OPTIONS)}
    found = term.evaluate(columns.__getitem__)
    with np.errstate(all="ignore"):
        expected = np.ones(len(values))
        for factor in term.factors:
            x = columns[factor.option]
            logs = np.where(x == 0, np.nan, np.log10(x)) if factor.log < 0 else np.log10(x)
            expected = expected * x ** float(factor.power) * (logs ** float(factor.log) if factor.log else 1.0)
    np.testing.assert_allclose(found + np.zeros(len(values)), expected, rtol=1e-9, atol=1e-307)
