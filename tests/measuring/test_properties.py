"""Properties: what a run prints → values."""

from __future__ import annotations

import csv
import json

from hypothesis import given
from hypothesis import strategies as st

from splc.io.csv_rows import split_line
from splc.measuring.properties import WALL, extract, parse_properties
from splc.measuring.runner import Ended
from tests.support.golden_messages import check_cases, check_messages

NESTED = json.dumps({"a": {"b.c": [1, {"d": "2.5"}], "n": None, "t": True}, "big": 10**400})


def value(text: str, stdout: str = "") -> float | str:
    """Return the value of a property, or why there is none."""
    values, wrong = extract(parse_properties([text], ()), Ended(0, stdout, "took 2", 1.5, 0.25))
    assert len(values) + len(wrong) == 1
    return wrong[0] if wrong else next(iter(values.values()))


def test_values() -> None:
    """A property has the value that is printed, or a reason why there is none."""

    def printed(case: str) -> list[str]:
        text, _, stdout = case.partition(" < ")
        return [str(value(text, NESTED if stdout == "NESTED" else stdout))]

    check_cases("printed-values", printed)


def test_messages() -> None:
    """Messages about a property have its text, and the forms that there are; without one it is the wall time."""
    check_messages("properties", lambda text: parse_properties(["q=time", text], ("x",)))
    check_messages("batch-properties", lambda text: parse_properties(text.split(), (), batch=True))
    assert parse_properties([], ()) == (WALL,)
    assert parse_properties(["t"], (), batch=True)[0].argument == "t"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_arrives(number: float) -> None:
    """Every finite number is read as it was printed, from all sources."""
    assert value("p=csv:p", f"a,p\n1,{number!r}\n") == number
    assert value("p=json:p", json.dumps({"p": number})) == number
    assert value("p=regex:p=(.*)", f"p={number!r}") == number


def test_cells_of_a_line() -> None:
    """A line has the cells between its separators, in quotes or not; a line with too large a cell has none."""
    assert split_line('a; "b;c"; 3', ";") == ["a", "b;c", "3"]
    largest = csv.field_size_limit()
    assert [len(split_line("x" * (largest + more), ",")) for more in (0, 1)] == [1, 0]
