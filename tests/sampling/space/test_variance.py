"""Shares of the variance and effects of values, against their definitions over all valid configurations."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space import variance
from sampling.space.dependence import ValueEffect, flipped, value_effects, values_of
from sampling.space.space import Space
from sampling.space.variance import Variance, blocks_of
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.learning.projection.known_targets import group
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models, spaces_with_model
from tests.support.strategies import models


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
