"""Numbers with a decimal comma."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.measurements.decimals import NOTE, with_points
from splc.io.numbers import number_text, parse_number
from tests.support.golden_messages import check_messages


def rows(text: str) -> tuple[list[list[str]], list[int]]:
    """Return the cells and lines of a table with `;`."""
    lines = text.splitlines()
    return [line.split(";") for line in lines], list(range(1, len(lines) + 1))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_all_numbers(values: list[float]) -> None:
    """Numbers with decimal commas are those with points; integers and texts between them change nothing."""
    texts = [number_text(value) for value in [0.5, *values]]
    table = [["name", "time"], *([f"v{at}", text.replace(".", ",")] for at, text in enumerate(texts))]
    found, notes = with_points(table, range(len(table)), "t.csv")
    assert [parse_number(row[1]) for row in found[1:]] == [0.5, *values]
    assert [row[0] for row in found] == [row[0] for row in table]
    assert notes == (NOTE,)
    assert math.isnan(parse_number(table[1][1])), "the rows that were given stay as they are"


@pytest.mark.parametrize(
    "text",
    [
        "x;time\n1;2\n3;1.5\n",
        "x;time\n1;1,234,567\n2;1,234\n",
        "x;host\n1;a,b\n2;1,2,3\n",
        "x;time\n1;timeout\n2;\n",
    ],
)
def test_no_decimal_commas(text: str) -> None:
    """Points, integers with separators of thousands, and texts with commas are read as before."""
    table, lines = rows(text)
    assert with_points(table, lines, "t.csv") == (table, ())


def test_ambiguous() -> None:
    """Tables with other numbers, too, and commas that could separate thousands are refused with their line."""
    check_messages("decimal-commas", lambda text: with_points(*rows(text), "t.csv"))


@pytest.mark.parametrize("text", ["x;time\n1;1,234\n2;0,500\n", "x;time\n1;1,234\n2;12,5\n", "x;time\n1;1234,125\n"])
def test_no_thousands(text: str) -> None:
    """One number that has no separators of thousands shows that all commas are decimal."""
    found, notes = with_points(*rows(text), "t.csv")
    assert notes == (NOTE,)
    assert not any("," in cell for row in found for cell in row)


@pytest.mark.parametrize("text", ["1;1,5;0.9\n2;2,5;0.9.1\n3;2,5;0.9.2\n", "1;1,5;1.9\n2;2,5;1.10\n"])
def test_columns_without_numbers(text: str) -> None:
    """Points in columns of text do not matter, and those of contexts do not, if they are named."""
    table, lines = rows("x;time;version\n" + text)
    found, _ = with_points(table, lines, "t.csv", ["version"])
    assert [row[2] for row in found] == [row[2] for row in table]
    assert found[1][1] == "1.5"
    if "0.9.1" in text:
        assert with_points(table, lines, "t.csv") == (found, (NOTE,))
    else:
        with pytest.raises(InputError, match=r"'1\.9' has a decimal point"):
            with_points(table, lines, "t.csv")
