"""Products of sums, functions of several arguments, and signs: roots of products that may be split, by all signs."""

from __future__ import annotations

import itertools
import math
from contextlib import nullcontext
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from comparison import compare
from splc.arithmetic.functions import evaluate
from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import MODEL_FUNCTIONS
from splc.data.configurations import Configurations
from splc.errors import ExpressionError
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.binding import bound
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.parameters import Parameters, Quantity
from splc.models.terms import CONSTANT, Factor, Term, option_term, product_of
from splc.models.text import products
from splc.models.text.algebra import Expander, expand
from splc.models.text.products import MAX_TERMS, Expansion, Signs, TooLargeError, min_terms
from splc.models.text.reader import expand_model, expand_text
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.models.test_subexpressions import POSITIVE, assert_same, texts

BITS = [f"o{i}" for i in range(20)]
SYSTEM = VariabilityModel(
    "bits", (*map(BinaryOption, BITS), *(NumericOption(name, (0.0, 1.0, 2.5)) for name in ("x", "y")))
)
RNG = np.random.default_rng(5)
ROWS = Configurations(
    SYSTEM, np.column_stack([*(RNG.integers(0, 2, 40) for _ in BITS), *(RNG.integers(0, 3, 40) for _ in "xy")])
)
SEPARATE = " * ".join(f"(1 + 0.1 * {name})" for name in BITS[:16])
TIED = " * ".join(f"(1 + 0.1 * {name} + 0.2 * x)" for name in BITS[:16])


def model_of(text: str, parameters: Parameters | None = None) -> InfluenceModel:
    """Return the model of a text."""
    return parse_model_text(Source("m.txt", text.encode()), SYSTEM, parameters)


def directly(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the value of the tree of a text."""
    return np.asarray(evaluate(parse(text, functions=MODEL_FUNCTIONS), ROWS.column))


@pytest.fixture
def few_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sums have at most 2,000 terms."""
    monkeypatch.setattr(products, "MAX_TERMS", 2_000)


@pytest.mark.usefixtures("few_terms")
class TestClosedProducts:
    @pytest.mark.parametrize(
        "text",
        [
            SEPARATE,
            TIED,
            f"3 * x * {SEPARATE} / (2 + y) + 4",
            f"7 / ({SEPARATE})",
            f"log2({SEPARATE})",
            f"sqrt({SEPARATE} + x)",
            f"ceil({SEPARATE})",
            f"({SEPARATE}) * ({TIED})",
            f"({SEPARATE})^2",
            f"p = {SEPARATE}\nq = p * (1 + x)\nT = q * p",
            pytest.param("(sqrt(x + y) + sqrt(x + 1) + sqrt(y + 1) + 1)^60", marks=pytest.mark.slow),
            "(" + " + ".join(BITS) + ")^9",
            " + ".join(" * ".join(f"(1 + {k} * {name})" for name in BITS) for k in range(1, 20)),
        ],
        ids=lambda text: text[:25],
    )
    def test_values(self, text: str) -> None:
        """A product that would have too many terms has the value of its text and reads back from its own text."""
        model = model_of(text)
        assert len(model.terms) < 200
        names = [line.partition(" = ")[0] for line in text.split("\n")[:-1]]
        if names:
            text = text.rsplit("\n", maxsplit=1)[-1].removeprefix("T = ").replace("q", f"({SEPARATE}) * (1 + x)")
            text = text.replace("p", f"({SEPARATE})")
        np.testing.assert_allclose(model.predict(ROWS), directly(text), rtol=1e-9)
        assert model_of(model.text).text == model.text

    def test_small_products_are_multiplied_out(self) -> None:
        """Products of sums up to the limit are sums of terms; longer ones, too, if terms are equal."""
        product = " * ".join(f"(1 + 2 * {name})" for name in BITS[:10])
        assert (len(model_of(product).terms), model_of(product).derived) == (2**10, ())
        # The number of terms is that of the powers, not of the ways to get there.
        power = model_of(" * ".join(["(1 + x)"] * 40))
        assert power == model_of("(1 + x)^40")
        assert (len(power.terms), power.derived) == (41, ())

    def test_equal_however_written(self) -> None:
        """The order of sums and addends in a product that is not multiplied out does not matter."""
        turned = " * ".join(f"({name} * 0.1 + 1)" for name in reversed(BITS[:16]))
        assert model_of(turned) == model_of(SEPARATE)

    def test_compared(self) -> None:
        """Syntactic comparison reports sums that it cannot expand; predictions are compared nevertheless."""
        found = compare(model_of(SEPARATE), model_of("1 + x"), ROWS)
        assert len(found.syntactic.unseen) == 16
        assert found.syntactic.unseen[0].text == "(1 + 0.1 * o0)"
        expected = np.mean(np.abs(directly(SEPARATE) - directly("1 + x")) / directly(SEPARATE)) * 100
        assert found.semantic is not None
        assert found.semantic.values["error_rate"] == pytest.approx(expected)

    def test_with_parameters(self) -> None:
        """Binding parameters keeps a product that is not multiplied out, with the same predictions."""
        text = " * ".join(f"(1 + a * {name})" for name in BITS[:16])
        model = model_of(text, Parameters({"a": Quantity(0.1, 0.0, 0.2)}))
        assert model.parameters
        numbers = bound(model)
        assert not numbers.parameters
        np.testing.assert_allclose(numbers.predict(ROWS), directly(SEPARATE), rtol=1e-12)
        np.testing.assert_allclose(model.predict(ROWS), directly(SEPARATE), rtol=1e-12)

    def test_sums_of_terms_only(self) -> None:
        """If only sums of terms are allowed, such a product is refused."""
        with pytest.raises(ExpressionError, match=r"\(1 \+ 0.1 \* o0\) cannot be written as a sum of terms"):
            expand_text(SEPARATE, None)


class TestFunctions:
    @given(st.permutations(["x", "3 * y", "2", "x"]), st.sampled_from(["max", "min"]))
    def test_order_and_repetition_do_not_matter(self, arguments: list[str], function: str) -> None:
        """The same arguments in any order, some of them twice, are the same function of them."""
        assert model_of(f"{function}({', '.join(arguments)})") == model_of(f"{function}(2, x, 3 * y)")

    def test_without_a_value(self) -> None:
        """If one argument of min has no value, the result has none, even if the other argument is smaller."""
        with pytest.raises(EvaluationError, match=r"min\(x\^-1, 3\) has no finite value"):
            model_of("min(1 / x, 3)").predict(ROWS)
        with pytest.raises(EvaluationError):
            model_of("exp(1000 * x)").predict(ROWS)

    @pytest.mark.parametrize("name", ["max", "min", "exp", "ceil"])
    def test_options_named_like_functions(self, name: str) -> None:
        """An option may have the name of a function, which is the function only before a parenthesis."""
        system = VariabilityModel("s", (NumericOption(name, (1.0, 4.0)), NumericOption("x", (2.0, 3.0))))
        called = "exp(x)" if name == "exp" else f"max({name}, x)"
        model = parse_model_text(Source("m.txt", f"{name} * x + {called}".encode()), system)
        rows = Configurations(system, np.array([[0, 0], [1, 1]]))
        own, x = rows.column(name), rows.column("x")
        expected = own * x + (np.exp(x) if name == "exp" else np.maximum(own, x))
        np.testing.assert_allclose(model.predict(rows), expected, rtol=1e-12)
        assert parse_model_text(Source("m.txt", model.text.encode()), system) == model

    def test_only_models_know_them(self) -> None:
        """In terms of stored models and in constraints, max, min and exp are ordinary names."""
        assert {str(term.text()) for term in expand_text("max * exp + min^2", None)} == {"exp * max", "min^2"}
        for text in ("max(x, y)", "[x >= 1]"):
            with pytest.raises(ExpressionError):
                expand_text(text, None)
        with pytest.raises(ExpressionError):
            parse("[x >= 1]")
        with pytest.raises(ExpressionError):
            parse("exp(x)")

    @pytest.mark.parametrize(
        "text", ["ceil(x)", "floor(x / 2)", "max(x, y)", "min(x, 2)", "exp(x)", "[x < 2]", "1 / (x + y)"]
    )
    def test_subexpressions_only(self, text: str) -> None:
        """Without subexpressions, functions and quotients that are no sums of terms are refused."""
        with pytest.raises(ExpressionError, match=r"cannot be written as a sum of terms"):
            expand(parse(text, functions=MODEL_FUNCTIONS))
        assert len(model_of(text.replace(" + y", "")).terms) == 1

    def test_without_a_system(self) -> None:
        """If every name is an option, max is one unless an argument follows."""
        model = parse_model_text(Source("m.txt", b"max * 2 + max(max, x)"))
        assert model.options == {"max", "x"}


@given(texts("xyzb"), st.sampled_from([("MAX_TERMS", 6), ("MAX_WORK", 400)]), st.integers(1, 400))
def test_values_with_any_limit(text: str, limit: tuple[str, int], number: int) -> None:
    """With any limit of terms or of steps, a model has the value of its text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, limit[0], 1 + number % limit[1])
        assert_same(text, POSITIVE)


@pytest.mark.usefixtures("few_terms")
@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_products_of_few_terms_are_multiplied_out(more: int, fits: bool) -> None:
    """A product of as many terms as are allowed is a sum of terms; one of more terms remains a product."""
    second = " + ".join(f"b{at}" for at in range(1_000 + more))
    found = Expander().expanded(parse(f"(a0 + a1) * ({second})"))
    assert len(found) == (2_000 if fits else 1)


@given(
    st.lists(
        st.dictionaries(st.sampled_from([CONSTANT, *map(option_term, "xyz")]), st.just(2.0), min_size=1),
        min_size=2,
        max_size=5,
    )
)
def test_the_time_of_products_is_limited(parts: list[Expansion]) -> None:
    """Steps count at least the products of terms; with one step less than it takes, a product is refused."""
    products = Expander()
    whole = reduce(products.multiply, parts)
    steps = products.work
    assert steps >= len(parts[0]) * len(parts[1])
    for allowed in (steps, steps - 1):
        products.work, products.allowed = 0, allowed
        with nullcontext() if allowed == steps else pytest.raises(TooLargeError, match="takes too long"):
            assert reduce(products.multiply, parts) == whole


@pytest.mark.parametrize("text", ["(x + y)^1000", "(1 + 2 * x - y)^900"])
def test_high_powers_are_not_tried(text: str) -> None:
    """A power that certainly takes too long remains a power, without a step of multiplying out."""
    expander = Expander()
    assert len(expander.expanded(parse(text, functions=MODEL_FUNCTIONS))) == 1
    assert expander.work < 1000
    with pytest.raises(ExpressionError, match="cannot be written as a sum of terms"):
        expand(parse(text, functions=MODEL_FUNCTIONS))


@given(st.lists(st.tuples(st.integers(2, 4), st.integers(1, 4)), min_size=1, max_size=3))
def test_bounds_of_the_number_of_terms(sums: list[tuple[int, int]]) -> None:
    """The bound is exact for powers of sums of two terms, and never above the number of terms."""
    names = [[f"s{place}x{at}" for at in range(terms)] for place, (terms, _) in enumerate(sums)]
    whole = math.prod(math.comb(terms + power - 1, power) for terms, power in sums)
    bound = min_terms((terms, power, frozenset(own)) for (terms, power), own in zip(sums, names, strict=True))
    assert bound <= min(whole, MAX_TERMS + 1)
    if all(terms == 2 or power == 1 for terms, power in sums):
        assert bound == whole


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
