"""Systems with more values of numeric options than described."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.system.extension import extended, joint_system
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models


@examples(24)
@given(st.data())
def test_described_configurations_stay_valid(data: st.DataObject) -> None:
    """A configuration without the further values is valid in the extended system if it is in the system."""
    system = data.draw(models())
    further = {option.name: [-10.5, 2.25] for option in system.numeric_options}
    larger = extended(system, further)
    everything = Space(system).enumerate()
    columns = {name: everything.value(name) for name in system.names}
    same = Configurations.from_columns(larger, columns)
    assert Space(larger).check(same).all()
    for name in system.names:
        assert np.array_equal(same.value(name), everything.value(name), equal_nan=True)
    listed = np.ones(Space(larger).count, dtype=bool)
    all_larger = Space(larger).enumerate()
    for name, values in further.items():
        listed &= ~np.isin(all_larger.value(name), values)
    assert int(listed.sum()) == len(everything)


def test_joint_systems() -> None:
    """Systems with the same options have one with the values of all; others have none."""
    flag = BinaryOption("a")
    one = VariabilityModel("one", (flag, NumericOption("x", (1.0, 2.0))))
    two = VariabilityModel("two", (NumericOption("x", (2.0, 8.0)), flag))
    joint = joint_system([one, two])
    assert joint is not None
    assert joint.options == (flag, NumericOption("x", (1.0, 2.0, 8.0)))
    assert joint_system([one, one]) is one
    assert joint_system([one, VariabilityModel("three", (flag,))]) is None
    assert joint_system([one, VariabilityModel("four", (BinaryOption("b"), NumericOption("x", (1.0, 2.0))))]) is None


@examples(30)
@given(st.data())
def test_joint_systems_have_all_configurations(data: st.DataObject) -> None:
    """What is valid in one of two systems with the same options is valid in the joint one, which has what both have."""
    system = data.draw(models())
    first, second = (
        VariabilityModel("part", system.options, stated) for stated in (system.constraints[1:], system.constraints[:-1])
    )
    joint = joint_system([first, second])
    assert joint is not None
    assert set(joint.constraints) == {*first.constraints} & {*second.constraints}
    for each in (first, second):
        everything = Space(each).enumerate()
        columns = {name: everything.value(name) for name in system.names}
        assert Space(joint).check(Configurations.from_columns(joint, columns)).all()
