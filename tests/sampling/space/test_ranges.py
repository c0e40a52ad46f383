"""Ranges of contributions against all valid configurations, and bounds of factors over intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.ranges import UNBOUNDED, TermRange, factor_bounds, interval, term_ranges
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, VariabilityError
from splc.formats.detect import read_variability_model
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.subexpressions import Parameter
from splc.models.terms import Factor, Term, log_term, option_term, product_of
from splc.models.text.reader import expand_model
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array
from tests.sampling.conftest import model_of, stated
from tests.support.entangled import ENTANGLED
from tests.support.examples import examples
from tests.support.real_data import real
from tests.support.strategies import models

NUMERIC = [Factor("n", 1, 0), Factor("n", 2, 0), Factor("n", -1, 0), Factor("n", 0, 1), Factor("n", 1, 1)]


@st.composite
def influence_models(draw: st.DrawFn, system: VariabilityModel) -> InfluenceModel:
    """Draw a model with products of powers and logarithms of options and switches, some in subexpressions."""
    names = [*system.names, *system.switches, ROOT]
    factors = st.builds(
        lambda name, factor: Factor(name, factor.power, factor.log) if name in system.names else Factor(name),
        st.sampled_from(names),
        st.sampled_from(NUMERIC),
    )
    terms = st.lists(factors, min_size=1, max_size=4).map(product_of)
    influences = st.sampled_from([-2.0, -0.5, 0.0, 1.0, 3.0])
    pairs = draw(st.lists(st.tuples(terms, influences), min_size=2, max_size=5))
    if draw(st.booleans()):
        a, b, c = (draw(st.sampled_from(system.names)) for _ in range(3))
        found = expand_model(
            f"2 / (`{a}` + `{b}` + 9) * `{c}` + 2^(`{a}` - `{c}`) * `{b}` + `{a}` * [`{b}` >= 1]", system.spellings
        )
        return InfluenceModel.from_terms([*pairs, *found.expansion.items()], names, derived=found.derived)
    return InfluenceModel.from_terms(pairs, names)


def check(found: TermRange, contributions: Array, configurations: Configurations) -> None:
    """Assert that a range is that of a column of contributions, or bounds it where it is not exact."""
    slack = 1e-9 * max(1.0, float(np.abs(contributions).max()))
    for end, at, best in (
        (found.low, found.low_at, contributions.min()),
        (found.high, found.high_at, contributions.max()),
    ):
        if at is None:
            continue
        assert end == pytest.approx(best, rel=1e-12, abs=1e-300)
        there = np.ones(len(configurations), dtype=bool)
        for name, value in at.items():
            column = configurations.column(name)
            there &= np.isnan(column) if math.isnan(value) else column == value
        assert there.any()
        assert (contributions[there] == end).all()
    assert found.low <= contributions.min() + slack
    assert found.high >= contributions.max() - slack


@examples(60)
@given(st.data(), st.sampled_from([1, 3, 12, 10_000]))
def test_ranges_are_those_of_all_valid_configurations(data: st.DataObject, limit: int) -> None:
    """Ends are the least and greatest contributions, at valid configurations; with a small limit at least bounds."""
    system = data.draw(models(binary=3, numeric=3, most_constraints=2))
    space = Space(system)
    assume(space.count > 1)
    model = data.draw(influence_models(system))
    everything = space.enumerate()
    try:
        contributions = model.contributions(everything)
    except EvaluationError:
        # Terms of the influence 0 contribute 0 wherever they have no value, so the others are what is wrong.
        with pytest.raises(ConfigurationError):
            term_ranges(model, space, limit=10_000)
        return
    found = term_ranges(model, space, limit=limit)
    assert [(each.term, each.influence) for each in found] == list(model.terms)
    for number, each in enumerate(found):
        check(each, contributions[:, number], everything)
        assert each.exact or limit < 10_000


def test_terms_without_influence_have_no_extent() -> None:
    """A term of the influence 0 contributes 0 everywhere, also where the term has no value; no model has no range."""
    system = VariabilityModel("s", (NumericOption("x", (0.0, 4.0)),))
    [found] = term_ranges(InfluenceModel.from_terms({option_term("x", -1): 0.0}), Space(system))
    assert (found.low, found.high, found.low_at, found.high_at) == (0.0, 0.0, {}, {})
    assert term_ranges(InfluenceModel(()), Space(system)) == ()


def test_parameters_that_are_tables_have_their_values_in_the_range() -> None:
    """A parameter over an option takes part with its table."""
    table = Parameter("alpha", (5.0, 1.0), (5.0, 1.0), (5.0, 1.0), "x", (1.0, 2.0), ((option_term("x"), 1.0),))
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)),))
    model = InfluenceModel.from_terms({option_term("x") * option_term("alpha"): 1.0}, ("x",), derived=(table,))
    [found] = term_ranges(model, Space(system))
    assert (found.low, found.low_at, found.high, found.high_at) == (2.0, {"x": 2.0}, 5.0, {"x": 1.0})


def test_a_value_is_missing_only_where_it_is_needed() -> None:
    """A logarithm of zero is an error where it contributes, none where another option of the term is never selected."""
    options = (NumericOption("x", (0.0, 1.0)), NumericOption("y", (1.0, 2.0), deselected_flag=-1.0))
    model = InfluenceModel.from_terms({log_term("x") * option_term("y"): 1.0}, ("x", "y"))
    with pytest.raises(ConfigurationError, match=r"log10\(x\).* has no finite value where x = 0"):
        term_ranges(model, Space(stated(options)))
    [found] = term_ranges(model, Space(stated(options, "!Enabledy")))
    assert (found.low, found.high, found.exact) == (0.0, 0.0, True)


def test_wrong_models_and_empty_spaces_are_errors() -> None:
    """Unknown options, influences and contributions that are not finite numbers, and empty spaces are refused."""
    system = VariabilityModel("s", (BinaryOption("cache"), NumericOption("x", (1e200,))))
    with pytest.raises(ConfigurationError, match="did you mean 'cache'"):
        term_ranges(InfluenceModel.from_terms({option_term("cahce"): 0.0}), Space(system))
    for influence in (math.nan, math.inf):
        with pytest.raises(ConfigurationError, match="not a finite number"):
            term_ranges(InfluenceModel(((option_term("x"), influence),)), Space(system))
    with pytest.raises(ConfigurationError, match=r"1e\+200 \* x has no finite value"):
        term_ranges(InfluenceModel.from_terms({option_term("x"): 1e200}), Space(system))
    with pytest.raises(VariabilityError):
        term_ranges(InfluenceModel(()), Space(stated(system.options, "cache", "!cache")))


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["Dune", "x264"])
def test_ranges_over_real_systems(name: str) -> None:
    """On real systems, with their constraints, terms of up to four options have exactly the range of enumeration."""
    system = read_variability_model(real(name, "FeatureModel.xml"))
    space = Space(system)
    rng = np.random.default_rng(7)
    terms = [
        product_of(Factor(str(option), int(rng.integers(1, 3))) for option in rng.choice(system.names, size))
        for size in (1, 2, 3, 4) * 12
    ]
    model = InfluenceModel.from_terms([(term, float(rng.normal())) for term in terms], system.names)
    everything = space.enumerate()
    contributions = model.contributions(everything)
    found = term_ranges(model, space)
    assert [each.low for each in found] == contributions.min(axis=0).tolist()
    assert [each.high for each in found] == contributions.max(axis=0).tolist()
    for number, each in enumerate(found):
        check(each, contributions[:, number], everything)
        assert each.exact


def huge_system() -> VariabilityModel:
    """Return a system of more than 10^28 configurations: a chain of implications, and numeric options tied to it."""
    binary = tuple(BinaryOption(f"b{i:02}", optional=True) for i in range(60))
    numeric = tuple(NumericOption(f"n{i}", tuple(map(float, range(1, 101)))) for i in range(8))
    chain = (f"!b{i:02} | b{i + 1:02} | b{i + 2:02}" for i in range(58))
    return stated((*binary, *numeric), *chain, "n0 + n1 + n2 <= 290", "n3 + n4 >= 3")


def test_huge_spaces_take_no_enumeration() -> None:
    """Over 10^28 configurations, what is free is multiplied, what is tied is listed or bounded."""
    system = huge_system()
    space = Space(system)
    assert space.count > 10**28
    text = """2 * n3 * n4 + n5 * n6 * n7 * log10(n3) * b00 * b58 - 3 * b00 * b01 * b02 + n0 * n1 * n2 + n0 / n1 * n2
        + 1 / (n0 + n1) + b30 / (n5 - n6 + 200)"""
    model = model_of(f"({text})", system)
    found = {each.term.text(system.names): each for each in term_ranges(model, space)}
    assert (found["n3 * n4"].low, found["n3 * n4"].high) == (4.0, 20_000.0)
    assert found["b00 * b58 * log10(n3) * n5 * n6 * n7"].high == 2e6
    assert (found["b00 * b01 * b02"].low, found["b00 * b01 * b02"].high) == (-3.0, 0.0)
    # A million combinations of three tied options are not listed. Their least product is found all the same;
    # the greatest, 100 * 95 * 95, lies within the bound.
    triple = found["n0 * n1 * n2"]
    assert (triple.low, triple.low_at) == (1.0, {"n0": 1.0, "n1": 1.0, "n2": 1.0})
    assert (triple.high, triple.high_at, triple.exact) == (1e6, None, False)
    ratio = found["n0 * n1^-1 * n2"]
    assert (ratio.low, ratio.high, ratio.exact) == (0.01, 1e4, True)
    assert (found["(n0 + n1)^-1"].low, found["(n0 + n1)^-1"].high) == (1 / 200, 1 / 2)
    assert (found["b30 * (200 + n5 - n6)^-1"].low, found["b30 * (200 + n5 - n6)^-1"].high) == (0.0, 1 / 101)
    assert sum(not each.exact for each in found.values()) == 1


def test_an_entangled_space_has_bounds() -> None:
    """If constraints are too complex to count, ranges are bounds from the options' values, never exact."""
    numeric = tuple(NumericOption(f"n{i}", tuple(range(1, 101))) for i in range(6))
    system = replace(ENTANGLED, options=(*ENTANGLED.options, *numeric))
    space = Space(system)
    constant, single, product = term_ranges(model_of("(4 + n0 * n1 - n5)", system), space)
    assert (constant.low, constant.high, constant.exact) == (4.0, 4.0, True)
    assert (single.low, single.high, single.exact) == (-100.0, -1.0, False)
    assert (product.low, product.high, product.low_at) == (1.0, 1e4, None)


@pytest.mark.parametrize(
    ("values", "flag", "constraint", "text", "limit", "low", "high"),
    [
        # Each factor has at most 9 combinations, the term has 24; the extremes of the factors contradict each other.
        ((1, 2, 3), None, "n0 + n2 <= 5", "n0 * n2 / (n0 + n1)", 9, (1 / 6, None), (9 / 2, None)),
        # A subexpression contributes nothing if none of its options is selected, also if it is only bounded.
        ((1, 2, 3), -1.0, None, "1 / (n0 + n1 + 3)", 8, (0.0, None), (1 / 3, None)),
        # Dependencies are too many to list: an option whose logarithm is undefined leaves no bounds.
        ((0, 1, 2), None, "n0 + n1 <= 3", "log10(n0) * n1", 4, (-math.inf, None), (math.inf, None)),
        # Six valid combinations are within the limit; with one less, only ends that are found to be valid are reached.
        ((1, 2, 3), None, "n0 + n1 <= 4", "n0 * n1", 6, (1.0, {"n0": 1, "n1": 1}), (4.0, {"n0": 2, "n1": 2})),
        ((1, 2, 3), None, "n0 + n1 <= 4", "n0 * n1", 5, (1.0, {"n0": 1, "n1": 1}), (9.0, None)),
    ],
)
def test_ends_are_reached_or_bounds(
    values: tuple[float, ...],
    flag: float | None,
    constraint: str | None,
    text: str,
    limit: int,
    low: tuple[float, dict[str, float] | None],
    high: tuple[float, dict[str, float] | None],
) -> None:
    """Each end of a range is reached at a valid configuration, or a bound if too many have to be examined."""
    options = tuple(NumericOption(f"n{i}", tuple(map(float, values)), deselected_flag=flag) for i in range(3))
    system = stated(options, *(() if constraint is None else (constraint,)))
    [found] = term_ranges(model_of(text, system), Space(system), limit=limit)
    assert (found.low, found.high) == pytest.approx((low[0], high[0]))
    assert (found.low_at, found.high_at) == (low[1], high[1])


def test_bounds_of_subexpressions_too_large_to_list() -> None:
    """Sums, powers and roundings of more combinations than may be listed are bounded by interval arithmetic."""
    options = tuple(NumericOption(f"n{i}", (1.0, 2.0, 3.0)) for i in range(4))
    system = VariabilityModel("s", options)
    texts = ["1 / (n0 + 2 * n1)", "(2 * n0 - n1)^0.5", "2^(n0 - n1)", "n3 * ceil(n0 / n1)", "log10(n0 + n1 * n2)"]
    texts += ["max(n0, 2 * n1 - n2)", "min(n0 / n1, n2)", "exp(n0 - n1)"]
    texts += ["[n0 > n1 + 1]", "2 - 3 * [n0 + n1 >= n2 + 1]", "[n0 * n1 <= 2]", "[n0 + n1 >= 2]", "[n0 * n1 < 1]"]
    everything = Space(system).enumerate()
    for text in texts[:1] + texts[2:]:
        model = model_of(text, system)
        each = term_ranges(model, Space(system), limit=5)[-1]
        contributions = model.contributions(everything)[:, -1]
        check(each, contributions, everything)
        assert not each.exact
        assert math.isfinite(each.low)
        assert math.isfinite(each.high)
        assert each.high - each.low <= 20 * np.ptp(contributions)
    # The interval of 2 * n0 - n1 takes in negative numbers, whose roots have no value: nothing is known.
    [each] = term_ranges(model_of(texts[1], system), Space(system), limit=5)
    assert (each.low, each.high) == (-math.inf, math.inf)


def test_bounds_whose_validity_is_unknown() -> None:
    """If deciding whether a bound is reached is too complex, the bound has no configuration."""
    options = (NumericOption("x", (1.0, 2.0, 3.0)), NumericOption("y", (1.0, 2.0, 3.0)))
    for others, low_at in ((VariabilityModel("tied", ()), {"x": 1.0, "y": 1.0}), (ENTANGLED, None)):
        bare = replace(others, options=(*others.options, *options))
        tied = replace(bare, constraints=(*bare.constraints, parse_arithmetic("x + y <= 5", bare.name_table)))
        (found,) = term_ranges(model_of("2 * x * y", tied), Space(tied), limit=1)
        assert (found.low, found.low_at, found.high, found.high_at) == (2, low_at, 18, None)


@given(
    st.floats(-20, 20),
    st.floats(0, 20),
    st.builds(Factor, st.just("x"), st.sampled_from([0, 1, 2, 3, -1, -2]), st.sampled_from([0, 1, 2, -1])),
)
def test_bounds_of_factors_hold_between_the_ends(low: float, width: float, factor: Factor) -> None:
    """No value of a factor within an interval lies outside of its bounds."""
    high = low + width
    assume(factor.power != 0 or factor.log != 0)
    found = factor_bounds(low, high, factor)
    x = np.linspace(low, high, 41)
    values = Term((factor,)).evaluate(lambda _: x)
    values = values[np.isfinite(values)]
    slack = 1e-9 * (1 + np.abs(values))
    assert (values >= found.low.value - slack).all()
    assert (values <= found.high.value + slack).all()


@pytest.mark.parametrize(
    ("low", "high", "power", "log", "least", "greatest"),
    [
        (-3.0, 2.0, 2, 0, 0.0, 9.0),
        (-3.0, 2.0, 3, 0, -27.0, 8.0),
        (-3.0, 0.0, -1, 0, -math.inf, math.inf),
        (0.0, 3.0, -2, 0, -math.inf, math.inf),
        (2.0, 4.0, -1, 0, 0.25, 0.5),
        (-4.0, -2.0, -1, 0, -0.5, -0.25),
        (-1.0, 4.0, Fraction(1, 2), 0, -math.inf, math.inf),
        (1.0, 4.0, Fraction(1, 2), 0, 1.0, 2.0),
        (0.25, 4.0, Fraction(1, 2), 0, 0.5, 2.0),
        (0.0, 4.0, Fraction(1, 2), 0, 0.0, 2.0),
        (0.25, 4.0, Fraction(-1, 2), 0, 0.5, 2.0),
        (0.1, 100.0, 0, 2, 0.0, 4.0),
        (0.0, 100.0, 0, 1, -math.inf, math.inf),
        (10.0, 100.0, 1, 1, 10.0, 200.0),
    ],
)
def test_bounds_of_factors_are_tight(
    low: float, high: float, power: int | Fraction, log: int, least: float, greatest: float
) -> None:
    """Powers and logarithms have the bounds of calculus, or none where they may have no value."""
    found = factor_bounds(low, high, Factor("x", power, log))
    assert (found.low.value, found.high.value) == pytest.approx((least, greatest))


def test_nothing_times_something_unbounded_is_nothing() -> None:
    """Products with 0 are 0, not undefined, whatever the other factor is."""
    zero = interval(0.0, 0.0) * UNBOUNDED
    assert (zero.low.value, zero.high.value) == (0.0, 0.0)
    half = interval(0.0, 2.0) * UNBOUNDED
    assert (half.low.value, half.high.value) == (-math.inf, math.inf)
