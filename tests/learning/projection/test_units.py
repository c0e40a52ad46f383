"""Units: values, text, and that their terms are what they say."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.learning.projection.units import Unit, units_of
from splc.learning.projection.variables import variables_of
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import MIXED, group


def named(model: VariabilityModel, **kinds: bool) -> tuple[dict[str, Unit], dict[str, Array], dict[str, Array]]:
    """Return the units of a system by text, their values at all configurations, and the columns of its options."""
    everything = Space(model).enumerate()
    units, values = units_of(variables_of(model), everything, **kinds)
    texts = [unit.text for unit in units]
    assert len(set(texts)) == len(texts)
    columns = {name: everything.column(name) for name in (*model.names, *model.switches)}
    return dict(zip(texts, units, strict=True)), dict(zip(texts, values, strict=True)), columns


def test_numbers_of_groups() -> None:
    """A numbered group has its members and its number as units, which are sums of its members."""
    units, values, columns = named(MIXED)
    number = columns["g_1"] + 5 * columns["g_5"] + 9 * columns["g_9"]
    assert (values["g"] == number).all()
    assert (values["g^2"] == number**2).all()
    np.testing.assert_allclose(values["log10(g)"], np.log10(number))
    assert (values["g_5"] == columns["g_5"]).all()
    assert {unit.variable for unit in units.values() if unit.text.startswith(("g", "log10(g"))} == {"g_1"}
    assert units["g^2"].factors == 2
    assert units["g"].free


@pytest.mark.parametrize("names", [("q_0", "q_3", "q_9"), ("q_1", "q_3", "q_9")])
def test_logarithms_of_numbers_of_groups(names: tuple[str, ...]) -> None:
    """A group with the number 0 has the logarithm of its number plus one, others that of the number."""
    model = VariabilityModel("numbered", group(*names))
    units, values, columns = named(model)
    number = columns[names[1]] * 3 + columns[names[2]] * 9 + columns[names[0]] * (names[0] == "q_1")
    zero = names[0] == "q_0"
    text = "log10(q + 1)" if zero else "log10(q)"
    np.testing.assert_allclose(values[text], np.log10(number + zero), atol=1e-15)
    assert {each for each in units if each.startswith("log10")} == {text}


def test_powers_and_logarithms() -> None:
    """Positive numeric options have powers up to 3, logarithms and their products; none of them is free."""
    units, values, columns = named(MIXED)
    x = columns["x"]
    for text, expected, factors in [
        ("x", x, 1),
        ("x^2", x**2, 2),
        ("x^3", x**3, 3),
        ("log10(x)", np.log10(x), 1),
        ("log10(x)^2", np.log10(x) ** 2, 2),
        ("x * log10(x)", x * np.log10(x), 2),
        ("x^2 * log10(x)", x**2 * np.log10(x), 3),
    ]:
        np.testing.assert_allclose(values[text], expected)
        assert units[text].factors == factors
        assert not units[text].free
    assert "x^-1" not in units
    assert "x^-1" in named(MIXED, reciprocal=True)[0]
    assert "x^3" not in named(MIXED, product=True)[0]


@pytest.mark.parametrize("levels", [(0.0, 1.0, 2.0, 7.0), (1.5, 2.0, 4.0, 8.0, 1e4), (-3.0, -1.0, 0.5, 0.75)])
def test_levels(levels: tuple[float, ...]) -> None:
    """The unit [x = v] is 1 at v and 0 at all other values."""
    model = VariabilityModel("levels", (NumericOption("x", levels),))
    units, values, columns = named(model, levels=True)
    assert not any(unit.level for unit in named(model)[0].values())
    found = [text for text, unit in units.items() if unit.level]
    assert len(found) == len(levels)
    for text, level in zip(found, levels, strict=True):
        np.testing.assert_allclose(values[text], columns["x"] == level, atol=1e-12)
    assert ("log10(x + 1)" in units) is (levels[0] == 0)
    if levels[0] == 0:
        np.testing.assert_allclose(values["log10(x + 1)"], np.log10(columns["x"] + 1))


def test_deselected_options_contribute_nothing() -> None:
    """All units of a deselected optional numeric option are 0; one unit is 1 if it has a value."""
    model = VariabilityModel("optional", (NumericOption("x", (1.0, 2.0, 4.0, 8.0), deselected_flag=0.0),))
    units, values, columns = named(model, reciprocal=True)
    deselected = np.isnan(columns["x"])
    assert deselected.any()
    assert all((column[deselected] == 0).all() for column in values.values())
    assert (values["Enabledx"] == columns["Enabledx"]).all()
    assert units["Enabledx"].free


def test_extreme_values() -> None:
    """Units whose values leave the range of floating-point numbers are left out without a warning."""
    model = VariabilityModel("extreme", (NumericOption("x", (1e-250, 1.0, 1e250)),))
    units, values, _ = named(model, reciprocal=True)
    assert units
    assert all(np.isfinite(column).all() for column in values.values())
    assert "x^2" not in units
    assert "log10(x)" in units


def test_units_without_a_finite_value_are_left_out() -> None:
    """Powers that are too large for numbers are no units, but those after them are."""
    units, _, _ = named(VariabilityModel("wide", (NumericOption("x", (1.0, 1e60, 1e170)),)), reciprocal=True)
    assert set(units) == {"log10(x)", "log10(x)^2", "x^-1"}


def test_factors_and_signs_of_units() -> None:
    """Squares count as two factors; binary options, members, numbers of groups and switches have free signs."""
    optional = NumericOption("z", (0.0, 1.0, 2.0, 5.0), deselected_flag=-1.0)
    model = VariabilityModel("every", (*MIXED.options, optional))
    units = named(model, levels=True, reciprocal=True)[0]
    binary = {"a", "b", "g_1", "g_5", "g_9", "g", "g^2", "log10(g)"}
    assert binary < set(units)
    assert {text for text, unit in units.items() if not unit.numeric} == binary
    assert {text for text, unit in units.items() if unit.free} == {*binary, "Enabledz"}
    several = {"g^2": 2, "z^2": 2, "z^3": 3}
    for name in "xy":
        several |= {f"{name}^2": 2, f"log10({name})^2": 2, f"{name} * log10({name})": 2}
        several |= {f"{name}^3": 3, f"{name}^2 * log10({name})": 3}
    assert {text: unit.factors for text, unit in units.items() if unit.factors != 1} == several
    assert {text for text, unit in units.items() if unit.level} == {text for text in units if text.startswith("[")}
