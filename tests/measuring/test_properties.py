"""Properties: what a run prints → values."""

from __future__ import annotations

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.io.csv_rows import split_line
from splc.measuring.properties import WALL, extract, parse_properties
from splc.measuring.runner import Ended

TABLE = "banner\nhello, world\n\nx,t, e\n1, 2.5,3\n"
NESTED = json.dumps({"a": {"b.c": [1, {"d": "2.5"}], "n": None, "t": True}, "big": 10**400})


def value(text: str, stdout: str = "", stderr: str = "") -> float | str:
    """Return the value of a property, or why there is none."""
    values, wrong = extract(parse_properties([text], ()), Ended(0, stdout, stderr, 1.5, 0.25))
    assert len(values) + len(wrong) == 1
    return wrong[0] if wrong else next(iter(values.values()))


@pytest.mark.parametrize(
    ("text", "stdout", "expected"),
    [
        ("p=time", "", 1.5),
        ("p=cpu", "", 0.25),
        ("p=csv:t", TABLE, 2.5),
        ("e", TABLE, 3.0),
        ("p=csv:e", "x;e\r\n1;-1e-3\r\n", -1e-3),
        ("p=csv:e", "e\n5\n", 5.0),
        ("p=csv:e", 'x, "a, b", e\n1, "2, 3", "4"\n', 4.0),
        ("p=csv:e", "a,b\te\n1,2\t3\n", "no CSV column 'e' on stdout"),
        ("p=csv:e", "a\te\tf\n1\t3\t4\n", 3.0),
        ("p=json:a.b.c.0", NESTED, 1.0),
        ("p=json:a.b.c.1.d", NESTED, 2.5),
        ("p=json:t", 'log\n{"t": 1}\n{"t": 2}\ndone\n', 2.0),
        ("p=regex:time = (\\S+) s", "time = 1 s\ntime = 2e3 s\n", 2000.0),
        ("p=regex:^=(\\d+)$", "a\n=7\n", 7.0),
        ("p=stderr:regex:(\\d+)", "8", "matches nothing on stderr"),
        ("p=csv:t", "x\n1\n", "no CSV column 't' on stdout"),
        ("p=csv:t", "x,t\n", "no row below the CSV header"),
        ("p=csv:t", "x,t\n1,2\n1,2\n", "2 rows below the CSV header"),
        ("p=csv:t", "x,t\n1,nan\n", "p is 'nan', not a finite number"),
        ("p=csv:t", "x,t\n1,\n", "p is empty"),
        ("p=csv:t", "x,t\n1,1e999\n", "not a finite number"),
        ("p=csv:t", "x,t\n1,4 ms\n", "p is '4 ms', with the unit 'ms': take the number only, as with ([0-9.]+)"),
        ("p=json:t", "nothing", "no JSON object on stdout"),
        ("p=json:a.x", NESTED, "has no 'a.x'"),
        ("p=json:a.b.c.2", NESTED, "has no 'a.b.c.2'"),
        ("p=json:a", NESTED, "a is an object"),
        ("p=json:a.b.c", NESTED, "is a list"),
        ("p=json:a.n", NESTED, "is null"),
        ("p=json:a.t", NESTED, "is true or false"),
        ("p=json:big", NESTED, "too large"),
        ("p=json:t", '{"t": NaN}', "p is nan"),
        ("p=json:t", '{"t": -Infinity}', "p is -inf"),
        ("p=regex:t=(\\S+)", "t=inf", "p is 'inf'"),
        ("p=regex:t(=\\d)?", "t", "matches nothing"),
    ],
)
def test_values(text: str, stdout: str, expected: float | str) -> None:
    """A property has the value that is printed, or a reason why there is none."""
    found = value(text, stdout)
    assert (found == expected) if isinstance(expected, float) else expected in str(found)


def test_standard_error() -> None:
    """Properties are read from standard error, too."""
    assert value("p=stderr:regex:took (\\S+)", "took 1", "took 2") == 2.0


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_arrives(number: float) -> None:
    """Every finite number is read as it was printed, from all sources."""
    assert value("p=csv:p", f"a,p\n1,{number!r}\n") == number
    assert value("p=json:p", json.dumps({"p": number})) == number
    assert value("p=regex:p=(.*)", f"p={number!r}") == number


def test_default() -> None:
    """Without a property it is the wall time in seconds."""
    assert parse_properties([], ()) == (WALL,)


def test_cells_of_a_line() -> None:
    """A line has the cells between its separators, in quotes or not; a line with too large a cell has none."""
    assert split_line('a; "b;c"; 3', ";") == ["a", "b;c", "3"]
    largest = csv.field_size_limit()
    assert split_line("x" * largest, ",") == ["x" * largest]
    assert split_line("x" * (largest + 1), ",") == []
