"""Units of properties: in names, and readable ones of values."""

from __future__ import annotations

import math

from splc.data.property_unit import is_unit, quantity, readable, span, titled, unit_in_name
from splc.formats.names import is_measurement_name
from tests.support.golden_messages import check_calls


def test_calls() -> None:
    """Names of columns and values with units are read and shown as the golden file has it."""
    functions = (unit_in_name, titled, quantity, readable, span, is_unit, is_measurement_name)
    check_calls("names-and-units", *functions, math=math)
