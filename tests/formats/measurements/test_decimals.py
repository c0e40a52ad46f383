"""Numbers with a decimal comma."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.table import NOTE, split_table
from splc.io.files import Source
from splc.io.numbers import number_text, parse_number
from tests.support.golden_messages import check_messages


def read(text: str, *exempt: str) -> tuple[list[list[str]], bool]:
    """Return the rows of a table with `;`, and whether decimal commas became points."""
    table = split_table(Source("t.csv", text.encode()), separator=";", exempt=exempt)
    assert table.remarks in ((), (NOTE,))
    return [list(row) for row in table.rows], bool(table.remarks)


def cells(text: str) -> list[list[str]]:
    """Return the cells of a table with `;` as they are."""
    return [line.split(";") for line in text.splitlines()]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_all_numbers(values: list[float]) -> None:
    """Numbers with decimal commas are those with points; integers and texts between them change nothing."""
    texts = [number_text(value) for value in [0.5, *values]]
    lines = ["name;time", *(f"v{at};{text.replace('.', ',')}" for at, text in enumerate(texts))]
    found, has_commas = read("\n".join(lines))
    assert [parse_number(row[1]) for row in found[1:]] == [0.5, *values]
    assert [row[0] for row in found] == [line.split(";")[0] for line in lines]
    assert has_commas


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
    assert read(text) == (cells(text), False)


def test_ambiguous() -> None:
    """Tables with other numbers, too, and commas that could separate thousands are refused with their line."""
    check_messages("decimal-commas", read)


@pytest.mark.parametrize("text", ["x;time\n1;1,234\n2;0,500\n", "x;time\n1;1,234\n2;12,5\n", "x;time\n1;1234,125\n"])
def test_no_thousands(text: str) -> None:
    """One number that has no separators of thousands shows that all commas are decimal."""
    assert read(text) == (cells(text.replace(",", ".")), True)


@pytest.mark.parametrize("text", ["1;1,5;0.9\n2;2,5;0.9.1\n3;2,5;0.9.2\n", "1;1,5;1.9\n2;2,5;1.10\n"])
def test_columns_without_numbers(text: str) -> None:
    """Points in columns of text do not matter, and those of contexts do not, if they are named."""
    table = f"x;time;version\n{text}"
    expected = cells(table.replace(",", ".")), True
    assert read(table, "version") == expected
    if "0.9.1" in text:
        assert read(table) == expected
    else:
        with pytest.raises(InputError, match=r"'1\.9' has a decimal point"):
            read(table)
