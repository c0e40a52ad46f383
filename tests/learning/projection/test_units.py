"""Units: values, text, and that their terms are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.io.numbers import number_text
from splc.learning.projection.units import MAX_THRESHOLDS, Language, Unit, units_of
from splc.learning.projection.variables import variables_of
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import MIXED, group
from tests.support.examples import examples

LANGUAGES: tuple[Language, ...] = ("sum", "shapes", "product")
VALUES = st.lists(
    st.one_of(st.integers(-40, 400).map(float), st.floats(-50, 1e4).map(lambda value: round(value, 3))),
    min_size=2,
    max_size=20,
    unique=True,
).map(sorted)


def named(
    model: VariabilityModel, language: Language = "sum"
) -> tuple[dict[str, Unit], dict[str, Array], dict[str, Array]]:
    """Return the units of a system by text, their values at all configurations, and the columns of its options."""
    everything = Space(model).enumerate()
    units, values = units_of(variables_of(model), everything, language)
    texts = [unit.text for unit in units]
    assert len(set(texts)) == len(texts)
    columns = {name: everything.column(name) for name in (*model.names, *model.switches)}
    return dict(zip(texts, units, strict=True)), dict(zip(texts, values, strict=True)), columns


def numeric(*values: float, flag: float | None = None) -> VariabilityModel:
    """Return a system of one numeric option x."""
    return VariabilityModel("numeric", (NumericOption("x", values, deselected_flag=flag),))


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_of_groups(language: Language) -> None:
    """A numbered group has its members and its number as units, which are sums of its members."""
    units, values, columns = named(MIXED, language)
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


@pytest.mark.parametrize(
    ("language", "without"),
    [
        ("sum", ()),
        ("shapes", ("x^3", "x^2 * log10(x)")),
        ("product", ("x^3", "x^2 * log10(x)", "x * log10(x)", "x^-1")),
    ],
)
def test_powers_and_logarithms(language: Language, without: tuple[str, ...]) -> None:
    """Sums have powers up to 3, logarithms, their products and 1/x; other languages at most two factors."""
    units, values, columns = named(MIXED, language)
    x = columns["x"]
    expected = {
        "x": (x, 1),
        "x^2": (x**2, 2),
        "x^3": (x**3, 3),
        "log10(x)": (np.log10(x), 1),
        "log10(x)^2": (np.log10(x) ** 2, 2),
        "x * log10(x)": (x * np.log10(x), 2),
        "x^2 * log10(x)": (x**2 * np.log10(x), 3),
        "x^-1": (1 / x, 1),
    }
    own = {text for text, unit in units.items() if unit.variable == "x" and not unit.atom.derived}
    assert own == set(expected) - set(without)
    for text in own:
        column, factors = expected[text]
        np.testing.assert_allclose(values[text], column)
        assert units[text].factors == factors
        assert not units[text].free


@examples()
@given(values=VALUES, language=st.sampled_from(LANGUAGES))
def test_thresholds_and_saturations(values: list[float], language: Language) -> None:
    """[x >= c] is 1 from c on and 0 below, min(x, c) is the smaller of both, for c in at most 7 of the values."""
    units, found, columns = named(numeric(*values), language)
    x = columns["x"]
    steps = {text: column for text, column in found.items() if text.startswith("[")}
    ends = {text: column for text, column in found.items() if text.startswith("min")}
    if language == "sum" or len(values) < 3:
        assert not steps
        assert not ends
        return
    assert len(steps) == min(len(values) - 1, MAX_THRESHOLDS)
    assert len(ends) == len(steps) - 1
    places = []
    for text, column in steps.items():
        np.testing.assert_allclose(column, np.rint(column), atol=1e-9)
        places.append(int((column < 0.5).sum()))
        np.testing.assert_allclose(column, x >= values[places[-1]], atol=1e-9)
        assert text == f"[x >= {number_text(values[places[-1]])}]"
        assert units[text].factors == 1
    # The second and the last value are among them, and the ranks between are nearly equal.
    assert places == sorted(places)
    assert (places[0], places[-1]) == (1, len(values) - 1)
    assert np.ptp(np.diff(places)) <= 1
    for place, column in zip(places[:-1], ends.values(), strict=True):
        np.testing.assert_allclose(column, np.minimum(x, values[place]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_that_begin_with_zero(language: Language) -> None:
    """An option with the value 0 has the logarithm of its value plus one, and neither log10(x) nor 1/x."""
    units, values, columns = named(numeric(0.0, 1.0, 2.0, 7.0), language)
    np.testing.assert_allclose(values["log10(x + 1)"], np.log10(columns["x"] + 1))
    assert {"x", "x^2"} < set(units)
    assert ("x^3" in units) is (language == "sum")
    assert not {"log10(x)", "x^-1"} & set(units)


@pytest.mark.parametrize("low", [-3.0, 0.0, 1.0])
@pytest.mark.parametrize("language", LANGUAGES)
def test_deselected_options_contribute_nothing(language: Language, low: float) -> None:
    """All units of a deselected optional numeric option are 0; one unit is 1 if it has a value."""
    units, values, columns = named(numeric(low, low + 2.0, 4.0, 8.0, flag=-9.0), language)
    deselected = np.isnan(columns["x"])
    assert deselected.any()
    assert {text for text, column in values.items() if column[deselected].any()} == set()
    assert (values["Enabledx"] == columns["Enabledx"]).all()
    assert units["Enabledx"].free


@pytest.mark.parametrize("language", LANGUAGES)
def test_extreme_values(language: Language) -> None:
    """Units whose values leave the range of floating-point numbers are left out without a warning."""
    units, values, _ = named(numeric(1e-250, 1.0, 1e250), language)
    assert all(np.isfinite(column).all() for column in values.values())
    assert "x^2" not in units
    assert "log10(x)" in units


def test_units_without_a_finite_value_are_left_out() -> None:
    """Powers that are too large for numbers are no units, but those after them are."""
    assert set(named(numeric(1.0, 1e60, 1e170))[0]) == {"log10(x)", "log10(x)^2", "x^-1"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_factors_and_signs_of_units(language: Language) -> None:
    """Squares count as two factors; binary options, members, numbers of groups and switches have free signs."""
    optional = NumericOption("z", (0.0, 1.0, 2.0, 5.0), deselected_flag=-1.0)
    units = named(VariabilityModel("every", (*MIXED.options, optional)), language)[0]
    binary = {"a", "b", "g_1", "g_5", "g_9", "g", "g^2", "log10(g)"}
    assert {text for text, unit in units.items() if not unit.numeric} == binary
    assert {text for text, unit in units.items() if unit.free} == {*binary, "Enabledz"}
    several = {"g^2": 2, "z^2": 2, "z^3": 3}
    for name in "xy":
        several |= {f"{name}^2": 2, f"log10({name})^2": 2, f"{name} * log10({name})": 2}
        several |= {f"{name}^3": 3, f"{name}^2 * log10({name})": 3}
    assert {text: unit.factors for text, unit in units.items() if unit.factors != 1} == {
        text: factors for text, factors in several.items() if text in units
    }
    simple = {"a", "b", "g_1", "g_5", "g_9", "g", "log10(g)", "Enabledz", "z", "log10(z + 1)"}
    assert {text for text, unit in units.items() if unit.simple} == {*simple, "x", "y", "log10(x)", "log10(y)"}


def test_no_variables() -> None:
    """Without variables there are no units."""
    everything = Space(MIXED).enumerate()
    units, values = units_of((), everything, "shapes")
    assert units == ()
    assert values.shape == (0, len(everything))
