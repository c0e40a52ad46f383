"""Units of properties: in names, and readable ones of values."""

from __future__ import annotations

import math

import pytest

from splc.data.property_unit import is_unit, quantity, readable, setting_numbers, span, titled, unit_in_name
from splc.formats.names import is_measurement_name
from splc.workflows.note import is_gain
from tests.support.golden_messages import check_calls


def test_calls() -> None:
    """Names of columns and values with units are read and shown as the golden file has it."""
    functions = (unit_in_name, titled, quantity, readable, span, is_unit, is_measurement_name, is_gain)
    check_calls("names-and-units", *functions, math=math)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["512kB", "4MB"], (0.5, 4)),
        (["128MB", "32GB", ""], (128, 32768)),
        (["60s", "5min", "500ms"], (60, 300, 0.5)),
        (["30 °C", "40 °C"], (30, 40)),
        (["0,25 mg/mL"], (0.25,)),
        (["7B", "13B"], (7, 13)),
        # Billions and millions, products, thousands, and texts without a unit.
        *(
            (texts, ())
            for texts in (["512k", "4M"], ["350M", "1.3B"], ["8x8", "16x8"], ["1,024 MB"], ["4 kg", "4"], [])
        ),
    ],
)
def test_settings(texts: list[str], numbers: tuple[float, ...]) -> None:
    """Settings with units are numbers that do not depend on the other texts of their kind."""
    found = setting_numbers(texts)[1]
    assert tuple(float(found[text]) for text in texts if text in found) == pytest.approx(numbers)
