"""Why learning ended, and changes between versions, in words."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.changes import ModelChange, SetChange, TermChange
from comparison.common_terms import Undetermined
from splc.workflows.learn.changes import Change, view_of_influences
from tests.workflows.conftest import Printed

ONE = SetChange(("gvn",), 12.345, (TermChange("gvn", 2.0, 3.1234567, 4.5678),))
TWO = SetChange((), 1.0, (TermChange("1", 1.0, 2.0, 3.0), TermChange("x", 1.0, 1.5, 1.25)))
OPEN = SetChange(("x",), 0.5, (TermChange("x", 1.0, 1.0, 0.1),))


def change(*sets: SetChange, link: Any = "identity", factor: float = 1.0, **values: Any) -> Change:
    """Return a change from version 1 to version 2."""
    influences = ModelChange(link, factor, sets)
    known: dict[str, Any] = {"common": 1200, "ratio": 1.23456, "ratio_error": 0.1, "shifted": False}
    known |= {"error": 5.0, "transferred": 6.54321, "influences": influences}
    return Change("1", "2", **{**known, **values})


@pytest.mark.parametrize(
    ("values", "settled", "open_"),
    [
        ({}, "t", "t: no influence changed by more than its uncertainty"),
        (
            {"factor": 1.23456},
            "t: factor 1.235 on most influences",
            "t: factor 1.235 on most influences; no other influence changed by more than its uncertainty",
        ),
        (
            {"shifted": True},
            "t: the values changed by a factor of 1.235 on average",
            "t: the values changed by a factor of 1.235 on average; which influences changed cannot be told",
        ),
        (
            {"expected": 0.5},
            "t",
            "t: the error of the previous model is clearly larger; which influences changed cannot be told",
        ),
    ],
)
def test_summaries(values: dict[str, Any], settled: str, open_: str, printed: Printed) -> None:
    """Facts about a change are printed, with and without changes that are clear."""
    for sets, text in (((ONE,), settled), ((OPEN,), open_)):
        whole = change(*sets, **values)
        assert whole.influences is not None
        shown = view_of_influences("t", whole)
        assert printed(shown)[0] == text


def test_influences_that_are_not_compared(printed: Printed) -> None:
    """The terms that one version does not determine are named, with the reason."""
    sides = (Undetermined(("gpu",), ("a", "b")), Undetermined(("x", "y")))
    whole = change(influences=ModelChange("identity", 1.0, (), sides))
    assert whole.influences is not None
    shown = view_of_influences("t", whole)
    assert printed(shown) == [
        "t: no influence can be compared",
        "not compared: gpu is 0 in all configurations of '1'; a, b cannot be told apart by the configurations of '1'; "
        "x, y are 0 in all configurations of '2'",
    ]


def test_tables_of_changes(printed: Printed) -> None:
    """Sets of several terms have a line of their own; 5 sets are shown, of products the factors."""
    whole = change(TWO, link="log")
    assert whole.influences is not None
    shown = view_of_influences("t", whole)
    assert printed(shown)[1:] == [
        "factor  before   after  change  in intervals",
        "1                          1 %             3",
        "  1     2.7183  7.3891                     3",
        "  x     2.7183  4.4817                  1.25",
    ]
    large = SetChange(("a", "b"), 1.0, (TermChange("a", 800.0, 0.0, 3.0), TermChange("b", 0.0, 0.0, 3.0)))
    for count, more in ((5, ""), (6, "1 more set"), (7, "2 more sets")):
        lines = printed(view_of_influences("t", change(*(large,) * count, link="log")))
        assert lines[2:4] == [
            "a * b                          1 %             3",
            "  a     1.0142e+304      1                     3",
        ]
        assert lines[2 + 3 * 5 :] == ([f"{more} of options with smaller changes (--json)"] if more else [])
