"""Terms and performance-influence models: algebra, text, and predictions."""

from __future__ import annotations

import math
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

from splc import parse_model
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import NameTable
from splc.arithmetic.tree import names_in
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.models.influence import EvaluationError, InfluenceModel, TableRows, rows_of
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.terms import CONSTANT, Factor, Term, exponent, option_term, product_of, quoted
from splc.models.text.reader import expand_model, expand_text
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Link
from tests.support.golden_messages import check_calls, check_messages
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
    """A term has the product of the values of its factors, or their limit at 0; none without one, and no warning."""
    columns = {name: np.array(values) * (1 + at) for at, name in enumerate(OPTIONS)}
    found = term.evaluate(columns.__getitem__)
    with np.errstate(all="ignore"):
        expected = np.ones(len(values))
        for factor in term.factors:
            x = columns[factor.option]
            limit = np.nan if factor.log < 0 else 0.0 if factor.power > 0 else -np.inf
            logs = np.where(x == 0, limit, np.log10(x))
            expected = expected * x ** float(factor.power) * (logs ** float(factor.log) if factor.log else 1.0)
    np.testing.assert_allclose(found + np.zeros(len(values)), expected, rtol=1e-9, atol=1e-307)


SYSTEM = VariabilityModel(
    "system",
    (BinaryOption("b"), NumericOption("x", (1.0, 2.0, 10.0)), NumericOption("o", (0.0, 4.0), deselected_flag=-1.0)),
)
ALL = Configurations(SYSTEM, np.array([[b, x, o] for b in (0, 1) for x in (0, 1, 2) for o in (0, 1, 2)]))

influences = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)
safe_terms = st.lists(
    st.one_of(
        st.builds(Factor, st.just("b"), st.integers(1, 2)),
        st.builds(Factor, st.just("x"), st.integers(-2, 3), st.integers(0, 2)),
        st.builds(Factor, st.just("o"), st.integers(1, 2)),
        st.sampled_from([Factor("Enabledo"), Factor("Disabledo"), Factor("root")]),
    ),
    max_size=3,
).map(product_of)
models = st.dictionaries(safe_terms, influences, max_size=5).map(InfluenceModel.from_terms)


def is_readable(name: str) -> bool:
    """Return whether a name does not look like arithmetic: an operator, a number or `log10(` at its beginning."""
    return name.strip() == name and name[0] not in "+-*/^() 0123456789." and not name.startswith("log10(")


awkward = st.one_of(
    st.text("abx_-.^`#()=+*/ <|&!é2", min_size=1, max_size=5).filter(is_readable),
    st.sampled_from(["rc", "rc-lookahead", "log2", "log", "x^2", "x", "x * y", "T", "e5", "root", "größe", "c++", "`"]),
)


@st.composite
def awkward_models(draw: st.DrawFn) -> InfluenceModel:
    """Models over options with awkward names, any exponents, and any influence but 0."""
    order = draw(st.lists(awkward, min_size=1, max_size=5, unique=True))
    powers = st.one_of(
        st.integers(-3, 3),
        st.sampled_from([Fraction(text) for text in ("1/2", "-1/3", "8/9", "123456/789101", "-2117809/7500000")]),
        st.floats(0.001, 9).map(exponent),
        st.just(1),
    )
    factor = st.builds(Factor, st.sampled_from(order), powers, st.sampled_from([0, 0, 1, 2, -1]))
    terms = st.lists(factor, max_size=3).map(product_of)
    numbers = st.floats(allow_nan=False, allow_infinity=False).filter(bool)
    found = draw(st.dictionaries(terms, st.one_of(numbers, st.integers(-9, 9).filter(bool)), max_size=4))
    return InfluenceModel.from_terms(found, order)


class TestTextOfModels:
    @given(awkward_models())
    def test_text_reads_back(self, model: InfluenceModel) -> None:
        """parse(str(model)) is the model, for all names, exponents and influences."""
        expansion = expand_text(str(model), {name: name for name in model.order})
        assert InfluenceModel.from_terms(expansion, model.order) == model


class TestTerms:
    @given(st.lists(st.tuples(safe_terms, st.integers(-5, 5)), max_size=6))
    def test_equal_terms_are_merged(self, pairs: list[tuple[Term, float]]) -> None:
        """Influences of equal terms add up, and the order in which terms are given does not matter."""
        model = InfluenceModel.from_terms(pairs, SYSTEM.names)
        assert model.influences == {t: sum(i for own, i in pairs if own == t) for t, _ in pairs}
        assert InfluenceModel.from_terms(pairs[::-1], SYSTEM.names) == model
        assert model.influences.get(CONSTANT, 0.0) == sum(influence for term, influence in pairs if term == CONSTANT)
        assert model.options == frozenset(name for term, _ in pairs for name in term.options)

    def test_reduced(self) -> None:
        """Powers of 0/1 options become the option, options that are always selected disappear, terms are merged."""
        model = InfluenceModel.from_terms(expand_text("2 * b^2 + 3 * b + 5 * root * x + x", None))
        reduced = model.reduced(["b"], ["root"])
        assert reduced.influences == {option_term("b"): 5.0, option_term("x"): 6.0}


class TestPredict:
    @given(models, models, st.floats(-100, 100), st.floats(-100, 100))
    def test_linear_in_the_influences(self, a: InfluenceModel, b: InfluenceModel, p: float, q: float) -> None:
        """The prediction of p·A + q·B is p times A's plus q times B's."""
        both = InfluenceModel.from_terms([*((t, p * i) for t, i in a.terms), *((t, q * i) for t, i in b.terms)])
        expected = p * a.predict(ALL) + q * b.predict(ALL)
        scale = 1 + np.abs(p * a.contributions(ALL)).sum(axis=1) + np.abs(q * b.contributions(ALL)).sum(axis=1)
        np.testing.assert_array_less(np.abs(both.predict(ALL) - expected), 1e-9 * scale)

    @given(models, st.integers(1, 7), st.permutations(range(len(ALL))))
    def test_rows_are_predicted_by_themselves(self, model: InfluenceModel, size: int, rows: list[int]) -> None:
        """Predictions are sums of contributions, identical for all orders of rows and all sizes of blocks."""
        whole, contributions = model.predict(ALL), model.contributions(ALL)
        assert contributions.shape == (len(ALL), len(model.terms))
        np.testing.assert_allclose(whole, contributions.sum(axis=1), rtol=1e-12)
        assert model.predict(ALL[rows]).tolist() == whole[rows].tolist()
        assert model.predict(ALL[rows[0]]).tolist() == [whole[rows[0]]]
        small = model.scaled(1e-9)
        logs = InfluenceModel(small.terms, link="log")
        np.testing.assert_allclose(logs.predict(ALL), np.exp(small.predict(ALL)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("splc.models.influence.BLOCK", size)
            assert model.predict(ALL).tobytes() == whole.tobytes()

    def test_errors_count_rows_from_the_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An error has the position among all configurations, not the position in a block."""
        monkeypatch.setattr("splc.models.influence.BLOCK", 2)
        with pytest.raises(EvaluationError, match="at configuration 7") as caught:
            InfluenceModel.from_terms({option_term("o", -1): 1.0}).predict(ALL[[1, 2, 4, 5, 1, 2, 4, 0]])
        assert caught.value.row == 7

    def test_values(self) -> None:
        """Predictions are the values of the text, with 0 for terms over deselected options, and switches as 0 and 1."""
        model = InfluenceModel.from_terms(expand_text("7 + 2*x*o + 100*b*o + 1000*Disabledo + 5*Enabledo*x", None))
        for row in range(len(ALL)):
            values = ALL.assignment(row)
            gone = math.isnan(values["o"])
            o = 0.0 if gone else values["o"]
            expected = 7 + 2 * values["x"] * o + 100 * values["b"] * o + (1000 if gone else 5 * values["x"])
            assert model.predict(ALL[row])[0] == pytest.approx(expected)

    def test_no_terms_and_no_rows(self) -> None:
        """A model without terms predicts 0, and no configurations have no predictions."""
        assert InfluenceModel(()).predict(ALL).tolist() == [0.0] * len(ALL)
        assert InfluenceModel.from_terms({CONSTANT: 1.0}).predict(ALL[:0]).shape == (0,)

    def test_terms_without_a_value_are_refused(self) -> None:
        """A division by zero or a logarithm of zero is an error that names the term, the row and the values."""

        def reject(text: str) -> None:
            InfluenceModel.from_terms(expand_text(text, None), SYSTEM.names).predict(ALL)

        check_messages("undefined-terms", reject)

    def test_predictions_beyond_all_numbers(self) -> None:
        """An overflow is an error that names the configuration, never a warning or an infinity."""
        square = option_term("x", 2)
        with pytest.raises(ConfigurationError, match=r"x\^2 has no finite value at configuration 6"):
            InfluenceModel.from_terms({square: 1e307}).predict(ALL)
        with pytest.raises(ConfigurationError, match="the prediction for configuration 6 is too large"):
            InfluenceModel.from_terms({square: 8.0}, link="log").predict(ALL)
        with pytest.raises(ConfigurationError, match="the prediction for configuration 0 is too large"):
            InfluenceModel.from_terms({CONSTANT: 1e308, option_term("x"): 1e308}).predict(ALL[:1])

    def test_a_term_without_influence_contributes_nothing(self) -> None:
        """A term with influence 0 contributes 0, even if it has no value."""
        assert InfluenceModel.from_terms({option_term("o", -1): 0.0}).predict(ALL).tolist() == [0.0] * len(ALL)

    def test_unknown_options(self) -> None:
        """A model over an option that the system does not have is refused with the nearest name."""
        with pytest.raises(ConfigurationError, match="unknown option 'Enabeldo'") as caught:
            InfluenceModel.from_terms({option_term("Enabeldo"): 1.0}).predict(ALL)
        assert caught.value.problems[0].hint == "did you mean 'Enabledo'?"


class TestDerived:
    TABLE = ParameterTable("o", ((0.0, Quantity.exactly(2.0)), (4.0, Quantity.exactly(3.0))))

    def model(self, text: str, by: str = "o") -> InfluenceModel:
        """Return the model of a text with the table `alpha` over `o` or another expression."""
        table = ParameterTable(by, self.TABLE.rows)
        found = expand_model(text, None, Parameters({"alpha": table}, {}, "p.toml", {"alpha": 7}))
        return InfluenceModel.from_terms(found.expansion, SYSTEM.names, "identity", found.derived)

    def test_options_of_a_term(self) -> None:
        """The options of a term include those in its subexpressions and tables."""
        model = self.model("b / (1 + log2(x + 1)) + alpha^2 + 3 * x")
        assert {frozenset(model.options_of(term)) for term, _ in model.terms} == {
            frozenset({"b", "x"}),
            frozenset({"o"}),
            frozenset({"x"}),
        }
        assert model.options == {"b", "x", "o"}
        assert [each.name for each in model.parameters] == ["alpha"]
        assert len(model.subexpressions) == 2

    def test_tables_are_looked_up_row_by_row(self) -> None:
        """A table has the value of the row of each configuration; over a deselected option it contributes 0."""
        found = self.model("alpha * x").predict(ALL)
        o, x = ALL.column("o"), ALL.column("x")
        assert found.tolist() == np.where(np.isnan(o), 0.0, np.where(o == 0, 2.0, 3.0) * x).tolist()

    def test_a_table_without_a_row(self) -> None:
        """If a table lacks a row, the error has its place, its expression, its rows and the configuration."""
        what = "the parameter alpha (p.toml:7), a table over x + 1 with rows for 0, 4, has no value"
        with pytest.raises(EvaluationError) as caught:
            self.model("alpha", by="x + 1").predict(ALL)
        assert str(caught.value) == f"{what} at configuration 0 (x = 1)\n    add a row for 2"
        assert (caught.value.row, caught.value.what, caught.value.advice) == (
            0,
            f"{what} where x = 1",
            "add a row for 2",
        )

    @pytest.mark.parametrize("link", ["identity", "log"])
    def test_scaled_predictions(self, link: Link) -> None:
        """Scaling multiplies the predictions, whatever the link."""
        model = InfluenceModel.from_terms([(CONSTANT, 0.5), (option_term("x"), 0.25)], SYSTEM.names, link)
        np.testing.assert_allclose(model.scaled(3).predict(ALL), 3 * model.predict(ALL), rtol=1e-12)


def test_an_evaluation_error_keeps_its_message() -> None:
    """The error of a configuration says the same without and with a file."""
    error = EvaluationError("no value here", hint="do that")
    assert (error.what, error.advice, error.row) == ("no value here", "do that", 0)
    placed = error.at("m.txt", 3)
    assert isinstance(placed, EvaluationError)
    assert (placed.what, placed.advice, str(placed)) == (
        "no value here",
        "do that",
        "m.txt:3: no value here\n    do that",
    )


TABLE = {"alpha": [1.0, 2.0, 4.0], "beta": [3, 0, 2], "note": ["a", "b", "c"], "gap": [1.0, np.nan, np.nan]}


def test_predictions_of_a_table() -> None:
    """A model predicts the rows of a table from the columns that it names; parts of a table give parts."""
    model = parse_model("2 * alpha * beta + alpha + 5")
    assert model.predict(TABLE).tolist() == [12.0, 7.0, 25.0]
    rows = rows_of(TABLE)
    assert isinstance(rows, TableRows)
    assert (len(rows), len(rows[1:]), len(rows[:0])) == (3, 2, 0)
    assert model.predict(rows[1:]).tolist() == [7.0, 25.0]
    assert rows_of(rows) is rows


def test_columns_that_cannot_be_used() -> None:
    """A column that is missing, of text, or without a value in some row is an error with what to do."""
    check_messages("used-columns", lambda text: parse_model(text).predict(TABLE))
