"""Numbers in files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import ExpressionError
from splc.io.csv_rows import (
    Cells,
    CodedTexts,
    distinct_texts,
    has_text,
    plain_columns,
    renumbered,
    split_rows,
    texts_in,
)
from splc.io.files import Source
from splc.io.numbers import (
    column_texts,
    comparable_size,
    count_text,
    not_a_number,
    number_text,
    parse_column,
    parse_number,
    percentage,
    share_text,
    short_number,
    signed_percentage,
    unit_of,
    without_rounding,
)
from splc.models.text.log_grammar import is_number
from splc.models.text.reader import expand_text
from tests.support.golden_messages import check_calls

texts = st.lists(
    st.lists(st.text('01 .,;\té-\r\nx"', max_size=10).filter(lambda text: "," not in text), min_size=3, max_size=3),
    min_size=1,
    max_size=5,
).map(lambda rows: "\n".join(map(",".join, rows)))
numbers = st.one_of(
    st.from_regex(r"[+-]?[0-9]{0,12}\.?[0-9]{0,12}(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.floats(allow_subnormal=False).map(repr),
    st.sampled_from(
        ["", "  12", "1_0", "nan", "inf", "1e999", "9007199254740993", "٣", "0x1", "-", ".", "--1", "-0.0", "1,5"]
    ),
)


def column(cells: list[str], separator: str = ",") -> Cells:
    """Return texts as the last column of a plain table."""
    columns = plain_columns("".join(f"a{separator}{cell}\n" for cell in cells).encode(), separator)
    assert columns is not None
    return columns[1]


@given(texts)
def test_rows_are_those_of_the_csv_module(text: str) -> None:
    """A plain table has the columns that the csv module reads, also in slices; other files are not plain."""
    columns = plain_columns(text.encode(), ",")
    if columns is None:
        ragged = len({line.count(",") for line in text.removesuffix("\n").split("\n")}) > 1
        assert ragged or '"' in text or "\r" in text
        return
    rows, lines = split_rows(Source("f", text.encode()), ",", lambda row: len(row) > 1)
    assert [*map(list, columns)] == [*map(list, zip(*rows, strict=True))]
    assert lines == [*range(1, len(columns[0]) + 1)]
    for at, cells in enumerate(columns):
        assert [cells[row] for row in range(-len(rows), len(rows))] == [row[at] for row in rows] * 2
        assert [[*cells[row:]] for row in range(len(rows))] == [[row[at] for row in rows[k:]] for k in range(len(rows))]


@given(st.lists(numbers, min_size=1, max_size=30), st.sampled_from([1, 100]), st.sampled_from(".,"))
def test_columns_are_read_like_single_numbers(cells: list[str], times: int, decimal: str) -> None:
    """Cells, their texts and each text alone are the same numbers, with few and with many distinct cells."""
    cells = cells * times
    found = parse_column(column(cells, "|"), decimal)
    assert found.tobytes() == parse_column([cell.lstrip(" ") for cell in cells], decimal).tobytes()
    np.testing.assert_array_equal(found, [parse_number(cell, decimal) for cell in cells])


DIGITS = np.random.default_rng(0).integers(0, 10, (2000, 21))
REALS = np.random.default_rng(0).uniform(-999, 9999, 3000)
DIFFERENT: dict[str, tuple[list[str], str]] = {
    **{f"{digits} decimals": ([f"{value:.{digits}f}" for value in REALS], ".") for digits in (3, 8, 13, 17, 25)},
    # Also those of more than 53 or 64 bits.
    **{
        f"{digits} digits": (
            ["".join(map(str, row)) for row in DIGITS[:, :digits]] + ["9" * digits, f"1{'0' * digits}"],
            ".",
        )
        for digits in range(15, 22)
    },
    "signs": ([f"{sign}{''.join(map(str, row))}" for sign in "+-" for row in DIGITS[:, :19]], "."),
    # Delimiters before and after the point in ASCII.
    **{decimal: ([f"{at}{decimal}{at % 7}" for at in range(3000)], decimal) for decimal in "./!"},
    **{f"{length} fives": ([f"{at}.{'5' * length}" for at in range(3000)] + ["1e999"], ".") for length in (3, 40, 100)},
}
ODD = ["", "timeout", "1.2.3", "5.", ".5", "+.5e1", "1_0", "inf", "-", "7-", "9007199254740993"]


@pytest.mark.parametrize("name", DIFFERENT)
def test_columns_of_different_numbers(name: str) -> None:
    """In columns of thousands of different cells each one is read as Python reads it, also beside texts."""
    texts, decimal = DIFFERENT[name]
    for cells in (texts, [*texts[:1500], *ODD, *texts[1500:]]):
        found = column(cells)
        assert found.is_varied
        numbers = parse_column(found, decimal)
        np.testing.assert_array_equal(numbers, [parse_number(cell, decimal) for cell in cells])
        np.testing.assert_array_equal(parse_column(cells, decimal), numbers)
    plain = [float(text.replace(decimal, ".")) for text in texts]
    assert parse_column(column(texts), decimal).tolist()[:1900] == plain[:1900]


@pytest.mark.parametrize(
    "cells",
    [
        [f"{number:020d}" for number in range(70_000)] + ["0" * 20] * 3,
        *(["no", "yes", "", *late] * 900 for late in ([], ["non"], ["yes; always"[:at] for at in range(2, 11)])),
        ["0"] * 2000 + ["1", "0", "01", "2" * 9],
    ],
)
def test_distinct_texts_of_many_rows(cells: list[str]) -> None:
    """Columns of many rows are coded in the order of their first rows, also texts that begin alike or come late."""
    rows, codes = column(cells).codes
    distinct = list(dict.fromkeys(cells))
    assert [cells[row] for row in rows.tolist()] == distinct
    assert [distinct[code] for code in codes.tolist()] == cells


@given(st.lists(st.text("aAb é", max_size=20), min_size=1, max_size=40), st.data())
def test_texts_in_some_rows(cells: list[str], data: st.DataObject) -> None:
    """Texts, cells of a file and replaced texts have distinct texts that give them again, also in some rows."""
    rows = data.draw(st.lists(st.integers(0, len(cells) - 1)))
    texts: list[Sequence[str]] = [cells, column(cells)]
    texts += [CodedTexts.of(each, {cell: cell.upper() for cell in each}) for each in texts]
    assert [*map(list, texts[2:])] == [[cell.upper() for cell in each] for each in texts[:2]]
    for every in texts:
        some = texts_in(every, np.array(rows, dtype=np.int64))
        assert list(some) == [every[row] for row in rows]
        assert has_text(some) == any(cells[row].strip() for row in rows)
        assert list(every[1:]) == [every[row] for row in range(1, len(cells))]
        for part in (every, some, every[1:]):
            distinct, codes = distinct_texts(part)
            assert [distinct[code] for code in codes.tolist()] == list(part)
            # Cells that differ by spaces before the text are kept apart.
            assert len(set(distinct)) == len(distinct) or any(cell.startswith(" ") for cell in cells)


@given(st.sampled_from([10, 10**6]).flatmap(lambda most: st.lists(st.integers(0, most), max_size=40)))
def test_renumbered_keys(keys: list[int]) -> None:
    """Whole numbers become their positions among the distinct ones, whether these are close to each other or not."""
    column = np.array(keys, dtype=np.int64)
    np.testing.assert_array_equal(renumbered(column), np.unique(column, return_inverse=True)[1])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_texts_read_back_equal(value: float) -> None:
    """The text of a number reads back as the same number."""
    assert parse_number(number_text(value)) == value
    assert parse_column([number_text(value), "x"])[0] == value


@given(st.integers(0, 1100), st.integers(1, 999))
def test_counts(power: int, factor: int) -> None:
    """Counts up to 69 bits (21 digits) are written in full, larger ones with three digits and an exponent."""
    count = factor * 10**power
    text = count_text(count)
    if count < 2**69:
        assert text.replace(",", "") == str(count)
        assert all(len(group) == 3 for group in text.split(",")[1:])
    else:
        digits = len(str(factor))
        assert text == f"about {factor / 10 ** (digits - 1):.2f}e+{power + digits - 1}"


def test_long_texts_of_digits() -> None:
    """Texts of many digits and a wrong end are refused in linear time: quadratic time exceeds the test's limit."""
    digits = "1" * 1_000_000
    for text in (f"{digits}x", f"{digits}.{digits}x", f".{digits}x", f"1e{digits}x", " " * 1_000_000 + "x"):
        assert math.isnan(parse_number(text))
        assert not is_number(text)
    with pytest.raises(ExpressionError):
        expand_text(f"{digits[:100_000]}x", None)


def shown(value: float | None) -> tuple[str, str, str]:
    """Return a number, a percentage and a share as text."""
    return short_number(value, missing="–"), percentage(value, missing="undefined"), share_text(value)


def test_calls() -> None:
    """Texts of numbers are understood and written as the golden file has it."""
    texts = (number_text, short_number, percentage, signed_percentage, column_texts, count_text, unit_of, shown)
    numbers = (not_a_number, parse_number, parse_column, plain_columns, comparable_size, without_rounding)
    check_calls("numbers", *texts, *numbers, np=np)
