"""Configurations with other values of single choices, against all valid configurations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.flips import flipped, values_of
from sampling.space.space import Space
from tests.support.examples import examples
from tests.support.influence_strategies import influence_models
from tests.support.strategies import models


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
