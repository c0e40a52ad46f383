"""Shares, counts, names and values of described systems."""

from __future__ import annotations

import math

import pytest

from sampling.space.analysis import Description
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import describe
from splc.workflows.describe import Result

SYSTEM = VariabilityModel("s", (BinaryOption("a"),))


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (1, 3, "33.3 %"),
        (2, 3, "66.7 %"),
        (1, 2000, "0.1 %"),
        (1, 2001, "0.0 %"),
        (10**27 - 1, 10**27, "100.0 %"),
        (9994 * 10**26, 10**30, "99.9 %"),
        (9995 * 10**26, 10**30, "100.0 %"),
        (0, 0, ""),
    ],
)
def test_shares(part: int, whole: int, text: str) -> None:
    """Percentages are rounded to the nearest tenth, halves up, exactly for all numbers."""
    assert describe.share(Description(SYSTEM, whole, {"a": (0, part)}, ()), "a") == text


def test_long_lists() -> None:
    """Names that differ in the last number are a range from three on; of more than 7 values the ends are shown."""
    assert describe.level_ranges(["a1", "a2", "b", "c9", "c10", "c11", "d7"]) == ["a1", "a2", "b", "c9 … c11", "d7"]
    for count, text in ((1, "0"), (7, "0, 1, 2, 3, 4, 5, 6"), (8, "0, 1, 2, 3, 4, …, 7"), (9, "0, 1, 2, 3, 4, …, 8")):
        assert describe.shown_values(NumericOption("x", tuple(map(float, range(count))))) == text


@pytest.mark.parametrize("less", [0, 1])
def test_counts_that_are_too_long(less: int) -> None:
    """Counts of more than 4300 digits, which readers of JSON refuse, are null; their logarithms are stated."""
    count = 10**4300 - less
    content = describe.as_json(Result(Description(SYSTEM, count, {"a": (0, 7)}, ())))
    assert content["valid_configurations"] == (count if less else None)
    assert content["options"][0]["selected_in"] == (7 if less else None)
    assert content["log10_valid_configurations"] == math.log10(count)
