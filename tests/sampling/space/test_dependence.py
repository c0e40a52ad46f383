"""Effects of values of choices, and other values of single choices, against all valid configurations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space import dependence
from sampling.space.dependence import flipped, value_effects, values_of
from sampling.space.space import Space
from sampling.space.variance import blocks_of
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models


@examples(30)
@given(st.data())
def test_effects_follow_their_definitions(data: st.DataObject) -> None:
    """The mean is that of all valid configurations with the value; the change is that of pairs that differ in it."""
    space = Space(data.draw(models(binary=4)))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system, least=3))
    choices = [(position,) for position in range(len(space.system.options))]
    blocks = blocks_of(model, space, choices)
    found = value_effects(blocks, [influence for _, influence in model.terms], space, choices)
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
    names = ("a", "b", "c")
    group = tuple(
        BinaryOption(name, optional=False, excluded=tuple((other,) for other in names if other != name))
        for name in names
    )
    system = VariabilityModel("group", (*group, BinaryOption("d")))
    model = InfluenceModel.from_terms({option_term("b"): 5.0, option_term("c") * option_term("d"): 8.0})
    blocks = blocks_of(model, Space(system), [(0, 1, 2), (3,)])
    found = value_effects(blocks, [influence for _, influence in model.terms], Space(system), [(0, 1, 2), (3,)])
    assert [dict(effect.values) for effect in found[0]] == [{0: 1, 1: 0, 2: 0}, {0: 0, 1: 1, 2: 0}, {0: 0, 1: 0, 2: 1}]
    assert [effect.change for effect in found[0]] == pytest.approx([0, 5, 4])
    assert [effect.mean for effect in found[1]] == pytest.approx([5 / 3, 13 / 3])


def test_changes_of_large_blocks() -> None:
    """With too many combinations the change is the mean over some of them at equal distances, ends included."""
    system = VariabilityModel.of({"a": bool, "n": list(range(1, 10))}, ["a + n <= 10"])
    model = InfluenceModel.from_terms({option_term("a") * option_term("n", 2): 1.0})
    choices = [(0,), (1,)]
    blocks = blocks_of(model, Space(system), choices)
    for most, rows in ((18, range(1, 10)), (17, (1, 2, 3, 4, 5, 6, 7, 9)), (6, (1, 5, 9)), (1, (1,))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dependence, "MAX_CHANGED", most)
            found = value_effects(blocks, [1.0], Space(system), choices)
        assert found[0][1].change == pytest.approx(np.mean([n**2 for n in rows]))


@examples(30)
@given(st.data())
def test_mean_changes_are_those_of_all_contexts(data: st.DataObject) -> None:
    """The weighted mean change over all valid configurations counts each context once, as enumeration does."""
    space = Space(data.draw(models()))
    assume(space.count > 0)
    model = data.draw(influence_models(space.system))
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


@examples(25)
@given(st.data())
def test_combinations_of_values(data: st.DataObject) -> None:
    """Contexts have all combinations of the values of two choices, the last one fastest."""
    space = Space(data.draw(models()))
    assume(space.count > 0 and len(space.system.options) > 1)
    everything = space.enumerate()
    choices = [values_of(everything, [position], space) for position in (0, 1)]
    flips = flipped(everything[:3], choices, space)
    rows = flips.configurations.indices[:, :2].reshape(len(flips.valid), -1, 2)
    pairs = [(a, b) for a in choices[0].values[:, 0] for b in choices[1].values[:, 0]]
    assert [tuple(row) for row in rows[:, 0].tolist()] == [tuple(map(int, pair)) for pair in pairs]
    assert (rows == rows[:, :1]).all()
