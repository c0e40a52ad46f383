"""Units of properties: in names, and readable ones of values."""

from __future__ import annotations

import math

from splc.data.property_unit import (
    is_count_name,
    is_measurement_name,
    is_unit,
    quantity,
    readable,
    span,
    titled,
    unit_in_name,
)
from tests.support.golden_messages import check_calls


def test_values_together() -> None:
    """Several values have the unit of the largest one."""
    factor, unit = readable("s", [0.5, math.nan, 2e-6])
    assert (round(factor, 6), unit) == (1000, "ms")
    assert readable(None, [1.0]) == (1, "")
    assert span(0.5e-3, 0.02, "s") == "0.5 to 20 ms"


def test_calls() -> None:
    """Names of columns and values with units are read and shown as the golden file has it."""
    functions = (unit_in_name, titled, quantity, is_unit, is_measurement_name, is_count_name)
    check_calls("names-and-units", *functions, math=math)
