"""Variables: groups are one option, and numbers are read from names."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.observations import Observed
from splc.errors import ConfigurationError
from splc.learning.projection.basis import numbers_of, variables_of, with_known_members
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from tests.learning.conftest import measured
from tests.learning.projection.known_targets import group


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (("ref_1", "ref_5", "ref_9"), (1, 5, 9)),
        (("PS2K", "PS16K"), (2, 16)),
        (("v1.5", "v10"), (1.5, 10)),
        (("a1", "b2"), ()),
        (("x1", "x01"), ()),
        (("PS2K", "PS2M"), ()),
        (("fast", "slow"), ()),
    ],
)
def test_numbers_in_names(names: tuple[str, ...], numbers: tuple[float, ...]) -> None:
    """Numbers are read from names with one stem and one unit."""
    assert numbers_of(names) == numbers


def test_groups_are_one_variable() -> None:
    """An alternative group is one variable; a group of two is a binary one."""
    options = (*group("c", "a", "b"), *group("y", "x"), *group("p10", "p2", "p7"), BinaryOption("z"))
    found = {variable.name: variable for variable in variables_of(VariabilityModel("made", options))}
    assert found["a"].members == ("a", "b", "c")
    assert found["x"].kind == "binary"
    assert found["p2"].members == ("p2", "p7", "p10")
    assert list(found["p2"].values) == [2, 7, 10]
    assert set(found) == {"a", "x", "p2", "z"}


def test_a_system_without_the_group() -> None:
    """Configurations that lack the options of a group are refused, by name."""
    variables = variables_of(VariabilityModel("made", group("p10", "p2", "p7")))
    other = Space(VariabilityModel("other", (BinaryOption("z", optional=True),))).enumerate()
    with pytest.raises(ConfigurationError, match="unknown option 'p2'"):
        with_known_members(other, variables)


def test_group_of_optional_parent() -> None:
    """A group below an optional parent is a variable only if it is numbered."""
    model = VariabilityModel(
        "made", (BinaryOption("q"), *group("p1", "p2", "p3", parent="q"), *group("f", "g", "h", parent="q"))
    )
    found = {variable.name: variable for variable in variables_of(model)}
    assert found["p1"].optional
    assert {"f", "g", "h", "q"} <= set(found)
    column = found["p1"].column(Space(model).enumerate())
    assert set(column[~np.isnan(column)]) == {1, 2, 3}
    assert np.isnan(column).any()


def test_observed_variables() -> None:
    """Observed variables are numeric ones with the values that were observed, if these differ or some are unknown."""
    columns = {
        "cells": np.array([3.0, 1.0, 3.0, 2.0]),
        "same": np.full(4, 7.0),
        "unknown": np.full(4, np.nan),
        "sometimes": np.array([np.nan, 7.0, 7.0, np.nan]),
        "gaps": np.array([4.0, np.nan, 2.0, 4.0]),
    }
    model = VariabilityModel("observed", (BinaryOption("a"), BinaryOption("z")), observed=tuple(columns))
    plain = Configurations(model, np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8))
    everything = Configurations(model, plain.indices, Observed(columns, np.ones(4, dtype=bool)))
    found = variables_of(model, tuple(columns), everything)
    assert [(each.name, each.values, each.optional) for each in found if each.observed] == [
        ("cells", (1.0, 2.0, 3.0), False),
        ("gaps", (2.0, 4.0), True),
        ("sometimes", (7.0,), True),
    ]
    assert [each.name for each in found] == ["a", "cells", "gaps", "sometimes", "z"]
    assert all(each.kind == "numeric" and each.members == (each.name,) for each in found if each.observed)
    assert [each.name for each in variables_of(model, ("gaps",), everything)] == ["a", "gaps", "z"]
    assert [each.name for each in variables_of(model)] == ["a", "z"]
    np.testing.assert_array_equal(found[2].column(everything), columns["gaps"])


@pytest.mark.real_data
def test_real_systems() -> None:
    """x264 has seven binary variables and two groups."""
    kinds = [(variable.kind, len(variable.members)) for variable in variables_of(measured("x264").system)]
    assert sorted(kinds) == [("binary", 1)] * 7 + [("group", 3)] * 2
