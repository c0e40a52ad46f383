"""Systems with more values of numeric options than described."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.system.extension import extended
from tests.support.examples import examples
from tests.support.strategies import models


@examples(50)
@given(st.data())
def test_described_configurations_stay_valid(data: st.DataObject) -> None:
    """A configuration without the further values is valid in the extended system if it is in the system."""
    system = data.draw(models())
    further = {option.name: [-10.5, 2.25] for option in system.numeric_options}
    larger = extended(system, further)
    everything = Space(system).enumerate()
    columns = {name: everything.value(name) for name in system.names}
    if not len(everything):
        return
    same = Configurations.from_columns(larger, columns)
    assert Space(larger).check(same).all()
    for name in system.names:
        assert np.array_equal(same.value(name), everything.value(name), equal_nan=True)
    listed = np.ones(Space(larger).count, dtype=bool)
    all_larger = Space(larger).enumerate()
    for name, values in further.items():
        listed &= ~np.isin(all_larger.value(name), values)
    assert int(listed.sum()) == len(everything)
