"""Shares, counts, names and drift of described systems and measurements."""

from __future__ import annotations

import math

import pytest

from sampling.space.analysis import Description
from splc.data.summary import Drift, PropertySummary, Summary
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows import describe
from splc.workflows.describe import MAX_COUNTED, MeasuredSummary, Result, view_of_measurements
from tests.workflows.conftest import Printed

SYSTEM = VariabilityModel("s", (BinaryOption("a"),))
NAN = math.nan


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


def test_ranges_of_names() -> None:
    """Three or more names that differ in the last number are a range."""
    assert describe.level_ranges(["a1", "a2", "b", "c9", "c10", "c11", "d7"]) == ["a1", "a2", "b", "c9 … c11", "d7"]


@pytest.mark.parametrize("less", [0, 1])
def test_counts_that_are_too_long(less: int) -> None:
    """Counts of more than 4300 digits, which readers of JSON refuse, are null; their logarithms are stated."""
    count = 10**4300 - less
    description = Description(SYSTEM, count, {"a": (0, 7)}, ())
    content = describe.as_json(Result(description))
    assert content["valid_configurations"] == (count if less else None)
    assert content["options"][0]["selected_in"] == (7 if less else None)
    assert content["log10_valid_configurations"] == math.log10(count)


def measured(*properties: PropertySummary) -> MeasuredSummary:
    """Return a summary of measurements."""
    return MeasuredSummary("m.csv", Summary(1200, 3600, properties))


@pytest.mark.parametrize(
    ("drift", "text"),
    [
        (Drift(0.25, -0.125, 0.0), "smaller in 75 % of pairs, the last one by -12.5 % in the median"),
        (Drift(0.5, NAN, 0.0), "smaller in 50 % of pairs"),
        (Drift(0.9, 0.1, 0.0011), None),
        (None, None),
    ],
)
def test_drift(drift: Drift | None, text: str | None, printed: Printed) -> None:
    """A trend that may be chance is not stated, nor a relative change of zeros."""
    each = PropertySummary("energy", 1.0, 2.0, 1, 1, 1, 1, None, drift)
    lines = printed(view_of_measurements(measured(each), MAX_COUNTED + 1))
    assert lines[1] == "Measurements: m.csv, 1,200 valid configurations, 3,600 rows"
    assert lines[4:] == ([] if text is None else [f"drift of energy: later repetitions are {text}"])
    assert " of 1,000,000,000,000,000 valid" in printed(view_of_measurements(measured(), MAX_COUNTED))[1]
    assert "1,200 valid" in printed(view_of_measurements(measured(), None))[1]
