"""Ranges of contributions, shares of the variance and effects of values, against all valid configurations."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space import variance
from sampling.space.dependence import ValueEffect, flipped, value_effects, values_of
from sampling.space.ranges import TermRange, term_ranges
from sampling.space.space import Space
from sampling.space.variance import Variance, blocks_of
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
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.strategies import ENTANGLED, influence_models, models, spaces_with_model
from tests.support.systems import group

NUMERIC = [Factor("n", 1, 0), Factor("n", 2, 0), Factor("n", -1, 0), Factor("n", 0, 1), Factor("n", 1, 1)]


@st.composite
def models_of_terms(draw: st.DrawFn, system: VariabilityModel) -> InfluenceModel:
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
    model = data.draw(models_of_terms(system))
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


def single(system: VariabilityModel) -> list[tuple[int, ...]]:
    """Return every option as a choice."""
    return [(position,) for position in range(len(system.options))]


def variance_of(model: InfluenceModel, space: Space, **settings: int) -> Variance:
    """Return the variance of a model, every option a choice."""
    blocks = blocks_of(model, space, single(space.system), **settings)
    return Variance(blocks, [influence for _, influence in model.terms])


def effects_of(
    model: InfluenceModel, space: Space, choices: list[tuple[int, ...]]
) -> dict[int, tuple[ValueEffect, ...]]:
    """Return the effects of the values of choices."""
    blocks = blocks_of(model, space, choices)
    return value_effects(blocks, [influence for _, influence in model.terms], space, choices)


@st.composite
def free_systems(draw: st.DrawFn) -> VariabilityModel:
    """Draw a system of three numeric options without constraints, some of which may be deselected."""
    values = st.lists(st.integers(-2, 6).map(float), min_size=2, max_size=3, unique=True).map(sorted).map(tuple)
    flag = st.sampled_from([None, -99.0])
    options = [NumericOption(f"n{i}", draw(values), deselected_flag=draw(flag)) for i in range(3)]
    return VariabilityModel("free", tuple(options))


def explained(space: Space, values: np.ndarray, known: Collection[int]) -> float:
    """Return Var(E[f | known]) by definition: the variance of the means of groups of equal values."""
    columns = space.enumerate().indices[:, sorted(known)]
    groups: dict[bytes, list[float]] = {}
    for row, value in zip(columns, values.tolist(), strict=True):
        groups.setdefault(row.tobytes(), []).append(value)
    mean = float(values.mean())
    return sum(len(group) * (float(np.mean(group)) - mean) ** 2 for group in groups.values()) / len(values)


def shapley(space: Space, values: np.ndarray, players: list[int]) -> dict[int, float]:
    """Return the Shapley effects by definition: weighted increases over all subsets of the other players."""
    found = {}
    subsets = (frozenset(each) for size in range(len(players) + 1) for each in combinations(players, size))
    of = {subset: explained(space, values, subset) for subset in subsets}
    for player in players:
        others = [other for other in players if other != player]
        total = 0.0
        for size in range(len(others) + 1):
            weight = 1 / (len(players) * math.comb(len(others), size))
            for subset in combinations(others, size):
                total += weight * (of[frozenset((*subset, player))] - of[frozenset(subset)])
        found[player] = total
    return found


@examples(30)
@given(st.sampled_from([0, 3]).flatmap(lambda least: spaces_with_model(least, binary=4)))
def test_shares_are_shapley_effects(drawn: tuple[Space, InfluenceModel]) -> None:
    """Shares, first-order and total indices follow their definitions, whatever the constraints."""
    space, model = drawn
    values = model.predict(space.enumerate())
    found = variance_of(model, space)
    total = float(values.var())
    assert found.deviation**2 == pytest.approx(total, abs=1e-9)
    assert found.constant == (total < 1e-9)
    if found.constant:
        assert {(each.share, each.alone, each.total) for each in found.importance()} <= {(0, 0, 0)}
        return
    players = list(found.choices)
    shares = shapley(space, values, players)
    importance = found.importance()
    for each in importance:
        rest = [player for player in players if player != each.choice]
        assert each.share == pytest.approx(shares[each.choice] / total, abs=1e-9)
        assert each.alone == pytest.approx(explained(space, values, [each.choice]) / total, abs=1e-9)
        assert each.total == pytest.approx(1 - explained(space, values, rest) / total, abs=1e-9)
    assert sum(each.share for each in importance) == pytest.approx(1)
    assert all(each.share >= 0 for each in importance)


@examples(30)
@given(st.data(), st.booleans())
def test_shares_of_the_covariance(data: st.DataObject, free: bool) -> None:
    """They add up to 1, and are the Shapley effects where no constraint ties options together."""
    space = Space(data.draw(free_systems() if free else models(binary=4)))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system, least=3))
    found = variance_of(model, space)
    assume(not found.constant)
    exact = found.importance()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variance, "MAX_WORK", 0)
        assert not found.exhaustive
        shared = found.importance()
    assert sum(each.share for each in shared) == pytest.approx(1)
    for one, other in zip(exact, shared, strict=True):
        assert other.total is None
        assert other.alone == one.alone
        if free:
            assert other.share == pytest.approx(one.share, abs=1e-9)


@examples(30)
@given(spaces_with_model(3, binary=4))
def test_interactions(drawn: tuple[Space, InfluenceModel]) -> None:
    """Interactions are inclusion-exclusion sums; with the first-order indices they add up to 1 if none is larger."""
    space, model = drawn
    values = model.predict(space.enumerate())
    found = variance_of(model, space)
    if found.constant:
        assert found.interactions([found.choices]) == ()
        return
    interactions = {each.choices: each.share for each in found.interactions([found.choices])}
    total = float(values.var())
    for one, other in combinations(found.choices, 2):
        joint = explained(space, values, [one, other])
        alone = explained(space, values, [one]) + explained(space, values, [other])
        assert interactions[one, other] == pytest.approx((joint - alone) / total, abs=1e-9)
    if len(found.choices) <= 3:
        sums = math.fsum(interactions.values()) + math.fsum(each.alone for each in found.importance())
        assert sums == pytest.approx(1)


@examples(30)
@given(spaces_with_model(3, binary=4))
def test_effects_follow_their_definitions(drawn: tuple[Space, InfluenceModel]) -> None:
    """The mean is that of all valid configurations with the value; the change is that of pairs that differ in it."""
    space, model = drawn
    found = effects_of(model, space, single(space.system))
    everything = space.enumerate().indices.astype(int)
    values = model.predict(space.enumerate())
    predicted = {tuple(row): value for row, value in zip(everything.tolist(), values.tolist(), strict=True)}
    for choice, effects in found.items():
        column = everything[:, choice]
        assert [effect.values[choice] for effect in effects] == np.unique(column).tolist()
        assert sum(effect.fraction for effect in effects) == pytest.approx(1)
        for effect in effects:
            with_value = values[column == effect.values[choice]]
            assert effect.fraction == pytest.approx(len(with_value) / len(values))
            assert effect.mean == pytest.approx(with_value.mean())
            changes = []
            for row in everything[column == column.min()].tolist():
                other = (*row[:choice], effect.values[choice], *row[choice + 1 :])
                if other in predicted:
                    changes.append(predicted[other] - predicted[tuple(row)])
            assert effect.change == (pytest.approx(np.mean(changes), abs=1e-9) if changes else None)


def test_a_group_is_one_choice() -> None:
    """The values of an alternative group are its members, and changing it changes two options."""
    system = VariabilityModel("group", (*group("a", "b", "c"), BinaryOption("d")))
    model = InfluenceModel.from_terms({option_term("b"): 5.0, option_term("c") * option_term("d"): 8.0})
    found = effects_of(model, Space(system), [(0, 1, 2), (3,)])
    assert [dict(effect.values) for effect in found[0]] == [{0: 1, 1: 0, 2: 0}, {0: 0, 1: 1, 2: 0}, {0: 0, 1: 0, 2: 1}]
    assert [effect.change for effect in found[0]] == pytest.approx([0, 5, 4])
    assert [effect.mean for effect in found[1]] == pytest.approx([5 / 3, 13 / 3])


@examples(30)
@given(spaces_with_model(), st.data())
def test_mean_changes_are_those_of_all_contexts(drawn: tuple[Space, InfluenceModel], data: st.DataObject) -> None:
    """The weighted mean change over all valid configurations counts each context once, as enumeration does."""
    space, model = drawn
    everything = space.enumerate()
    position = data.draw(st.integers(0, len(space.system.options) - 1))
    choice = values_of(everything, [position], space)
    flips = flipped(everything, [choice], space)
    assert (space.check(flips.configurations) == flips.valid.reshape(-1)).all()
    f = model.predict(flips.configurations).reshape(flips.valid.shape)
    for row, value in enumerate(choice.values[:, 0].tolist()):
        changes = []
        for at in np.flatnonzero(everything.indices[:, position] == choice.values[0, 0]):
            other = everything.indices[at].copy()
            other[position] = value
            place = np.flatnonzero((everything.indices == other).all(axis=1))
            if len(place):
                changes.append(model.predict(everything[place])[0] - model.predict(everything[[at]])[0])
        weights = (flips.valid[row] & flips.valid[0]) * flips.weights
        assert (weights.sum() > 0) == bool(changes)
        if changes:
            assert weights @ (f[row] - f[0]) / weights.sum() == pytest.approx(np.mean(changes), abs=1e-9)
