"""Shares of the variance, against their definitions over all subsets of options and all valid configurations."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space import variance
from sampling.space.space import Space
from sampling.space.variance import Variance, blocks_of
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term, product_of
from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models


def single(system: VariabilityModel) -> list[tuple[int, ...]]:
    """Return every option as a choice."""
    return [(position,) for position in range(len(system.options))]


def variance_of(model: InfluenceModel, space: Space, **settings: int) -> Variance:
    """Return the variance of a model, every option a choice."""
    blocks = blocks_of(model, space, single(space.system), **settings)
    return Variance(blocks, [influence for _, influence in model.terms])


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
@given(st.data())
def test_shares_are_shapley_effects(data: st.DataObject) -> None:
    """Shares, first-order and total indices follow their definitions, whatever the constraints."""
    space = Space(data.draw(models(binary=4)))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system, least=data.draw(st.sampled_from([0, 3]))))
    values = model.predict(space.enumerate())
    found = variance_of(model, space)
    total = float(values.var())
    assert found.deviation**2 == pytest.approx(total, abs=1e-9)
    assert found.constant == (total < 1e-9)
    if found.constant:
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


def test_shares_of_many_tied_options() -> None:
    """In a block of 30 options that one constraint barely ties, shares are near those of independent options.

    The 12 options of the model have too many combinations for the drawn rows.
    """
    names = [f"b{i:02}" for i in range(30)]
    free = VariabilityModel("free", tuple(BinaryOption(name) for name in names))
    tied = VariabilityModel("tied", free.options, (parse_boolean(" | ".join(names), free.name_table),))
    terms = {option_term(name): 1.0 + i % 4 for i, name in enumerate(names[:12])}
    pairs = {option_term(names[i]) * option_term(names[i + 1]): 8.0 for i in range(0, 12, 3)}
    model = InfluenceModel.from_terms(terms | pairs)
    exact, found = variance_of(model, Space(free)), variance_of(model, Space(tied))
    assert exact.exhaustive
    assert not found.exhaustive
    wanted = [each.share for each in exact.importance()]
    assert [each.share for each in found.importance()] == pytest.approx(wanted, abs=0.01)


@examples(30)
@given(st.data())
def test_interactions(data: st.DataObject) -> None:
    """Interactions are inclusion-exclusion sums; with the first-order indices they add up to 1 if none is larger."""
    space = Space(data.draw(models(binary=4)))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system, least=3))
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


def test_products_of_many_options_are_exact() -> None:
    """The shares of a product of six options, one of which is in another term, are Shapley effects."""
    names = [f"b{i}" for i in range(7)]
    space = Space(VariabilityModel("deep", tuple(BinaryOption(name) for name in names)))
    product = product_of(factor for name in names[:6] for factor in option_term(name).factors)
    model = InfluenceModel.from_terms({product: 64.0, option_term("b5") * option_term("b6"): 4.0})
    shares = shapley(space, model.predict(space.enumerate()), list(range(7)))
    found = variance_of(model, space)
    wanted = [share / found.deviation**2 for share in shares.values()]
    assert [each.share for each in found.importance()] == pytest.approx(wanted)


def test_many_options_are_exact() -> None:
    """The shares of many independent options, far more than can be enumerated, are those of their coefficients."""
    size = 30
    options = tuple(BinaryOption(f"b{i}") for i in range(size))
    system = VariabilityModel("wide", options)
    model = InfluenceModel.from_terms({option_term(f"b{i}"): float(i) for i in range(size)})
    found = variance_of(model, Space(system))
    squares = [i**2 for i in range(1, size)]
    assert found.exhaustive
    assert [each.share for each in found.importance()] == pytest.approx([s / sum(squares) for s in squares])


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """All subsets of choices are examined up to a number of operations: 2^choices x combinations x parts per block."""
    bare = VariabilityModel("tied", tuple(BinaryOption(f"b{i}") for i in range(5)))
    ties = tuple(parse_boolean(text, bare.name_table) for text in ("b0 | b1 | b2", "b3 | b4"))
    space = Space(VariabilityModel("tied", bare.options, ties))
    model = InfluenceModel.from_terms({option_term(f"b{i}"): 1.0 for i in range(5)})
    found = variance_of(model, space)
    parts = sorted((len(block.choices), *block.distinct_values.shape) for block in found.blocks)
    assert [each[:2] for each in parts] == [(2, 3), (3, 7)]
    work = 4 * 3 * parts[0][2] + 8 * 7 * parts[1][2]
    for limit in (work, work - 1):
        monkeypatch.setattr(variance, "MAX_WORK", limit)
        assert found.exhaustive is (limit == work)


def test_large_blocks_are_drawn_from() -> None:
    """The variance over drawn combinations of a block is near that over all."""
    bare = VariabilityModel("tied", (*(BinaryOption(f"b{i}") for i in range(8)), NumericOption("x", (1.0, 2.0))))
    tie = parse_boolean(" | ".join(f"b{i}" for i in range(8)), bare.name_table)
    space = Space(VariabilityModel("tied", bare.options, (tie,)))
    model = InfluenceModel.from_terms({option_term("b0"): 3.0, option_term("b1") * option_term("x"): 2.0})
    exact, drawn = variance_of(model, space), variance_of(model, space, limit=100)
    assert all(block.exact for block in exact.blocks)
    assert not all(block.exact for block in drawn.blocks)
    assert drawn.deviation**2 == pytest.approx(exact.deviation**2, rel=0.02)


def test_a_constant_prediction() -> None:
    """Without a variance, the choices that a model uses explain nothing."""
    system = VariabilityModel("m", (BinaryOption("a"), BinaryOption("b", optional=False)))
    for model in ({option_term("b"): 3.0}, {option_term("a"): 1.0, option_term("a") * option_term("b"): -1.0}):
        found = variance_of(InfluenceModel.from_terms(model), Space(system))
        assert found.constant
        assert [(each.share, each.alone, each.total) for each in found.importance()] == [(0, 0, 0)] * len(model)
        assert found.interactions([found.choices]) == ()
