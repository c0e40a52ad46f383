"""Long lists in trees of options."""

from __future__ import annotations

import pytest

from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.describe import shown_values


def system(*options: BinaryOption | NumericOption) -> VariabilityModel:
    """Return a system."""
    return VariabilityModel("s", options)


@pytest.mark.parametrize(
    ("count", "text"), [(1, "0"), (7, "0, 1, 2, 3, 4, 5, 6"), (8, "0, 1, 2, 3, 4, …, 7"), (9, "0, 1, 2, 3, 4, …, 8")]
)
def test_values(count: int, text: str) -> None:
    """Of more than 7 values the first 5 and the last are shown."""
    assert shown_values(NumericOption("x", tuple(map(float, range(count))))) == text
