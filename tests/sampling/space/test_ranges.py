"""Ranges of contributions against all valid configurations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.ranges import TermRange, term_ranges
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
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
from tests.support.golden_messages import Lines, check_calls
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


def test_bounds_whose_validity_is_unknown() -> None:
    """If deciding whether a bound is reached is too complex, the bound has no configuration."""
    options = (NumericOption("x", (1.0, 2.0, 3.0)), NumericOption("y", (1.0, 2.0, 3.0)))
    for others, low_at in ((VariabilityModel("tied", ()), {"x": 1.0, "y": 1.0}), (ENTANGLED, None)):
        bare = replace(others, options=(*others.options, *options))
        tied = replace(bare, constraints=(*bare.constraints, parse_arithmetic("x + y <= 5", bare.name_table)))
        (found,) = term_ranges(model_of("2 * x * y", tied), Space(tied), limit=1)
        assert (found.low, found.low_at, found.high, found.high_at) == (2, low_at, 18, None)


def numeric(*values: float, count: int = 1, flag: float | None = None) -> dict[str, NumericOption]:
    """Return numeric options n0, n1, … of equal values."""
    names = [f"n{at}" for at in range(count)]
    return {name: NumericOption(name, tuple(map(float, values)), deselected_flag=flag) for name in names}


def ranges(text: str, options: dict[str, NumericOption], *constraints: str, **settings: int) -> Lines:
    """Return the ranges of the terms of a model with the values at their ends, where these are reached."""
    system = VariabilityModel.of(options, constraints)
    return shortly(term_ranges(model_of(text, system), Space(system), **settings))


def of_terms(*pairs: tuple[Term, float], derived: tuple[Parameter, ...] = (), system: VariabilityModel) -> Lines:
    """Return the ranges of the terms of a model."""
    return shortly(term_ranges(InfluenceModel(pairs, system.names, derived=derived), Space(system)))


def shortly(found: tuple[TermRange, ...]) -> Lines:
    """Return ranges as text."""
    ends = (f"{each.low:.6g} at {each.low_at} … {each.high:.6g} at {each.high_at}" for each in found)
    return Lines("\n".join(f"{each.term.text()}: {end}" for each, end in zip(found, ends, strict=True)))


def entangled(text: str) -> Lines:
    """Return the ranges over a system whose constraints are too complex to count, with six numeric options."""
    system = replace(ENTANGLED, options=(*ENTANGLED.options, *numeric(*range(1, 101), count=6).values()))
    return shortly(term_ranges(model_of(text, system), Space(system)))


def test_known_ranges() -> None:
    """Ends are reached, or bounds where too much would be examined."""
    table = Parameter("alpha", *(((5.0, 1.0),) * 3), "x", (1.0, 2.0), ((option_term("x"), 1.0),))
    x = VariabilityModel.of({"x": [1, 2]})
    huge = VariabilityModel("s", (BinaryOption("cache"), NumericOption("x", (1e200,))))
    calls = (ranges, of_terms, numeric, entangled, option_term, log_term, NumericOption)
    check_calls("ranges", *calls, table=table, x=x, huge=huge)
