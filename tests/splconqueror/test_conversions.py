"""Systems and measurements with binary options instead of numeric ones: `convert-vm` and `convert-measurements`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sampling import Space
from splc.arithmetic.tokens import NameTable
from splc.data.measurements import Measurements
from splc.errors import SpaceError
from splc.splconqueror.conversions import binary_measurements, binary_system, disjunctions
from splc.system.constraints import parse_arithmetic
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import models


@given(models(binary=3, numeric=3, most_constraints=3))
@examples(30)
def test_valid_configurations_stay_the_same(model: VariabilityModel) -> None:
    """The binary form of a system has the same valid configurations."""
    converted = binary_system(model)
    space, other = Space(model), Space(converted)
    assert converted.numeric_options == ()
    assert other.count == space.count
    configurations = space.enumerate()
    if len(configurations):
        measured = binary_measurements(Measurements(configurations, {"time": np.ones(space.count)}), converted)
        assert other.check(measured.configurations).all()
        assert len(measured.configurations.unique()) == space.count


@pytest.mark.parametrize(("rows", "columns", "possible"), [(250, 400, True), (11, 9091, False)])
def test_most_combinations(rows: int, columns: int, possible: bool) -> None:
    """A constraint about 100,000 combinations of values is converted, one about more is refused by its text."""
    options = [NumericOption(name, tuple(map(float, range(size)))) for name, size in (("x", rows), ("y", columns))]
    constraint = parse_arithmetic("x + y >= 0", NameTable({"x": "x", "y": "y"}))
    system = VariabilityModel("s", tuple(options), (constraint,))
    if possible:
        assert list(disjunctions(constraint, system)) == []
        return
    with pytest.raises(SpaceError, match=r"'x \+ y >= 0' is about more than 100,000 combinations of values"):
        list(disjunctions(constraint, system))
