"""Systems with fixed values, against filtering all valid configurations."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.system.extension import restricted
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models


@examples(30)
@given(st.data())
def test_fixing_is_filtering(data: st.DataObject) -> None:
    """The valid configurations of the restricted system are those that have the values."""
    system = data.draw(models())
    everything = Space(system).enumerate().indices
    assume(len(everything))
    fixed = {
        name: data.draw(st.integers(0, system.option(name).size - 1))
        for name in data.draw(st.lists(st.sampled_from(system.names), max_size=3, unique=True))
    }
    kept = np.ones(len(everything), dtype=bool)
    for name, index in fixed.items():
        kept &= everything[:, system.positions[name]] == index
    assert Space(restricted(system, fixed)).enumerate().indices.tolist() == everything[kept].tolist()


def test_texts_of_constraints() -> None:
    """Fixed values are stated as constraints that can be shown."""
    options = (BinaryOption("a"), BinaryOption("b"), NumericOption("x", (1.0, 2.5), deselected_flag=0.0))
    system = VariabilityModel("s", (*options, NumericOption("y", (1.0, 2.5))))
    found = restricted(system, {"a": 1, "b": 0, "x": 1, "y": 0}).constraints
    assert [each.text for each in found] == ["a", "!b", "Enabledx", "x = 2.5", "y = 1"]
    assert [each.text for each in restricted(system, {"x": 2}).constraints] == ["Disabledx"]


def test_tiny_values_are_told_apart() -> None:
    """Values that differ by less than the tolerance of constraints are different values."""
    system = VariabilityModel("tiny", (NumericOption("x", (0.0, 1e-12, 2e-12, 1.0)),))
    for index in range(4):
        assert Space(restricted(system, {"x": index})).enumerate().indices.tolist() == [[index]]
