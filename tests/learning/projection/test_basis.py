"""Groups are one variable, numbers are read from names, and columns are those of the definitions."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations, Observed
from splc.learning.projection.basis import OptionBasis, numbers_of, variables_of
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
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


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ((16, 32, 48, 64, 128), (-1, -1 / 3, -1, 1 / 3, 1)),
        ((1, 2, 3, 4), (-1, 0, -1, 1)),
        ((16, 32, 64, 128), None),
        ((1, 2, 3), None),
        ((0, 2, 3, 4), None),
        ((1, 2, 2.5, 3), None),
    ],
)
def test_divisibility(values: tuple[float, ...], column: tuple[float, ...] | None) -> None:
    """A column says how often values can be divided by two, where no other one tells them apart."""
    system = VariabilityModel("made", (NumericOption("n", values),))
    space, variables = Space(system).enumerate(), variables_of(system)
    plain, divisible = (OptionBasis(variables, divisible=each).designs(space)[0].columns for each in (False, True))
    np.testing.assert_array_equal(divisible[:, : plain.shape[1]], plain)
    if column is None:
        assert divisible.shape == plain.shape
    else:
        np.testing.assert_allclose(divisible[:, -1] / divisible[:, -1].max(), column)


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


POWERS = (1.0, 2.0, 4.0, 8.0, 16.0)


def scaled(values: Array) -> Array:
    """Return values scaled to ±1.3."""
    found: Array = (values - (values.max() + values.min()) / 2) / (np.ptp(values) / 2 / 1.3)
    return found


def blocks(*options: NumericOption | BinaryOption) -> tuple[list[Array], list[Array]]:
    """Return the blocks of columns at all configurations, and the columns of the options."""
    model = VariabilityModel("made", options)
    everything = Space(model).enumerate()
    plain = OptionBasis(variables_of(model)).designs(everything)[0]
    return np.split(plain.columns, plain.starts[1:-1], axis=1), [everything.column(option.name) for option in options]


def test_numeric_shapes() -> None:
    """Positive options have ln x, x and the square of ln x; those with a zero have x, its square and ln(1+x)."""
    (positive, zero), (x, y) = blocks(NumericOption("x", POWERS), NumericOption("y", (0.0, 1.0, 5.0)))
    np.testing.assert_allclose(positive, np.column_stack([scaled(np.log(x)), scaled(x), scaled(np.log(x)) ** 2 - 0.6]))
    shapes = [scaled(y), scaled(y) ** 2 - 0.6, scaled(np.log1p(y)), np.where(y == 0, 1, -1)]
    np.testing.assert_allclose(zero, np.column_stack(shapes))


def test_two_values_have_one_column() -> None:
    """An option with two values has the column ±1.3, a binary one ±1."""
    (two, low, switch), (x, y, b) = blocks(
        NumericOption("x", (2.0, 8.0)), NumericOption("y", (-1.0, 3.0)), BinaryOption("z")
    )
    np.testing.assert_allclose(two, np.where(x == 8, 1.3, -1.3)[:, None])
    np.testing.assert_allclose(low, np.where(y == 3, 1.3, -1.3)[:, None])
    np.testing.assert_allclose(switch, 2 * b[:, None] - 1)


def test_groups() -> None:
    """A numbered group has its number, the logarithm of that, and a column per member, which share one relevance."""
    model = VariabilityModel("made", group("g_1", "g_5", "g_9"))
    everything = Space(model).enumerate()
    selected = np.column_stack([everything.column(name) for name in model.names])
    number = selected @ [1.0, 5.0, 9.0]
    [design] = OptionBasis(variables_of(model)).designs(everything)
    members = (selected - 1 / 3) / np.sqrt(2 / 3)
    np.testing.assert_allclose(design.columns, np.column_stack([scaled(number), scaled(np.log(number)), members]))
    assert design.relevances.tolist() == [0, 1, 2, 2, 2]
    np.testing.assert_allclose(members @ members.T, np.where(np.eye(3) == 1, 1, -1 / 2), atol=1e-12)


def test_groups_without_logarithms() -> None:
    """The logarithm of numbers with a zero is that of 1 + number; without numbers members have columns of ±1."""
    [block], columns = blocks(*group("g_0", "g_2", "g_5", "g_9"))
    number = np.column_stack(columns) @ [0.0, 2.0, 5.0, 9.0]
    np.testing.assert_allclose(block[:, :2], np.column_stack([scaled(number), scaled(np.log1p(number))]))
    [block], columns = blocks(*group("a", "b", "c", "d"))
    np.testing.assert_array_equal(block, 2 * np.column_stack(columns) - 1)


@pytest.mark.parametrize("count", [3, 5, 32, 100])
def test_thresholds(count: int) -> None:
    """Thresholds are at all values but the smallest, at most 31; they are centred, with a total variance of 1."""
    values = np.cumsum(np.arange(1.0, count + 1))
    model = VariabilityModel("made", (BinaryOption("b"), NumericOption("x", tuple(values.tolist()))))
    everything = Space(model).enumerate()
    plain, both = OptionBasis(variables_of(model)).designs(everything)
    own = plain.columns.shape[1] - 1
    steps = both.columns[:, 1 + own :]
    assert steps.shape[1] == min(count - 1, 31)
    np.testing.assert_allclose(both.columns[:, : 1 + own], plain.columns)
    np.testing.assert_allclose(steps.mean(axis=0), 0, atol=1e-12)
    assert steps.var(axis=0).sum() == pytest.approx(1)
    shares = np.array([np.mean(steps[:, at] > 0) for at in range(steps.shape[1])])
    x = everything.column("x")
    for at, share in enumerate(shares.tolist()):
        above = steps[:, at] > 0
        assert x[above].min() > x[~above].max()
        assert np.ptp(steps[:, at]) == pytest.approx(1 / np.sqrt((shares * (1 - shares)).sum())), share
    assert both.relevances.tolist() == [*range(1 + own), *[1 + own] * steps.shape[1]]
    assert both.starts == (0, 1, 1 + own + steps.shape[1])


@pytest.mark.parametrize("values", [POWERS, (2.0, 3.0), (4.0,), (0.0,)])
def test_deselected_option(values: tuple[float, ...]) -> None:
    """The columns of an option are 0 where it is deselected, but for the last, which says so, also of one value."""
    model = VariabilityModel("made", (NumericOption("x", values, deselected_flag=-1.0),))
    everything = Space(model).enumerate()
    plain, *both = OptionBasis(variables_of(model)).designs(everything)
    absent = np.isnan(everything.column("x"))
    assert absent.any()
    np.testing.assert_array_equal(plain.columns[:, -1], np.where(absent, -1, 1))
    assert not plain.columns[absent, :-1].any()
    assert len(both) == (len(values) > 2)
    assert not any(each.columns[absent, plain.columns.shape[1] :].any() for each in both)
