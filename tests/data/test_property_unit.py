"""Units of properties: in names, and readable ones of values."""

from __future__ import annotations

import math

import pytest

from splc.data.property_unit import is_unit, quantity, readable, span, titled, unit_in_name


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("energy (J)", "J"),
        ("size [kB]", "kB"),
        ("throughput (requests/s)", "requests/s"),
        ("time_ms", "ms"),
        ("timeMs", "ms"),
        ("solve_seconds", "s"),
        ("seconds", "s"),
        ("latency-us", "µs"),
        ("time [µs]", "µs"),
        ("wall time s", "s"),
        ("memory_MiB", "MiB"),
        ("memory_bytes", "B"),
        ("energy_j", "J"),
        ("load_percent", "%"),
        ("time", None),
        ("grid_s", None),
        ("second", None),
        ("us", None),
        ("power_s", None),
        ("class", None),
        ("items", None),
        ("status", None),
        ("y (2)", None),
        ("y ()", None),
        ("(J)", None),
        ("y (" + "a" * 30 + ")", None),
        ("y (a\nb)", None),
    ],
)
def test_units_in_names(name: str, unit: str | None) -> None:
    """A unit is in brackets, or the last word; a single letter only after what is measured in it."""
    assert unit_in_name(name) == unit


def test_titles() -> None:
    """A title has the unit once."""
    assert titled("time", "s") == "time (s)"
    assert titled("time", None) == "time"
    assert titled("energy (J)", "J") == "energy (J)"
    assert titled("time_ms", "ms") == "time_ms"
    assert titled("time_ms", "s") == "time_ms (s)"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123, "s", "12.3 ms"),
        (12.3, "ms", "12.3 ms"),
        (1234.5, "ms", "1.2345 s"),
        (2.5e-7, "s", "250 ns"),
        (1e-12, "s", "0.001 ns"),
        (1500, "us", "1.5 ms"),
        (3, "h", "3 h"),
        (0.0001, "h", "360 ms"),
        (-0.0123, "s", "-12.3 ms"),
        (0, "s", "0 s"),
        (0.0123, "J", "0.0123 J"),
        (0.0123, None, "0.0123"),
        (math.inf, "s", "inf s"),
    ],
)
def test_quantities(value: float, unit: str | None, text: str) -> None:
    """Times have the largest unit in which they are at least 1; other values and units are kept."""
    assert quantity(value, unit) == text


def test_values_together() -> None:
    """Several values have the unit of the largest one."""
    factor, unit = readable("s", [0.5, math.nan, 2e-6])
    assert (round(factor, 6), unit) == (1000, "ms")
    assert readable(None, [1.0]) == (1, "")
    assert span(0.5e-3, 0.02, "s") == "0.5 to 20 ms"


@pytest.mark.parametrize(
    ("text", "unit"), [("s", True), ("", False), (" ", False), ("3", False), (3, False), ("a\nb", False)]
)
def test_what_can_be_a_unit(text: object, unit: bool) -> None:
    """A unit is a short text on one line that is no number."""
    assert is_unit(text) is unit
