"""Numbers in files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import ExpressionError
from splc.formats.models.parameters import parse_parameters
from splc.io.cells import plain_rows
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
    unit_of,
)
from splc.models.text.log_grammar import is_number
from splc.models.text.reader import expand_text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_texts_read_back_equal(value: float) -> None:
    """The text of a number reads back as the same number."""
    assert parse_number(number_text(value)) == value
    assert parse_column([number_text(value), "x"])[0] == value


@pytest.mark.parametrize(
    ("value", "text"), [(5.0, "5"), (0.1, "0.1"), (1e300, "1e+300"), (-3.0, "-3"), (math.nan, "nan")]
)
def test_short_texts(value: float, text: str) -> None:
    """Numbers are written as short as possible, integers without a point."""
    assert number_text(value) == text


@given(st.lists(st.one_of(st.text(max_size=6), st.from_regex(r"\A[+-]?\d+[.,]?\d*(e-?\d)?\Z"))))
def test_columns_are_read_like_single_numbers(texts: list[str]) -> None:
    """A column is read like its single cells, with either decimal delimiter."""
    for decimal in (".", ","):
        expected = [parse_number(text, decimal) for text in texts]
        np.testing.assert_array_equal(parse_column(texts, decimal), expected)


def test_signs_of_other_languages_are_no_numbers() -> None:
    """Underscores, digits of other scripts and names of infinities are not numbers, in a column as in a cell."""
    for texts in (["1_0", "2"], ["1_0"], ["٣", "2"], ["inf", "2"], ["nan", "2"]):
        expected = [np.nan, 2.0][: len(texts)]
        np.testing.assert_array_equal(parse_column(texts), expected)
        np.testing.assert_array_equal([parse_number(text) for text in texts], expected)


def test_missing_cells() -> None:
    """Missing values are written as the given text."""
    assert column_texts(np.array([1.5, np.nan, 1.5]), missing="NaN") == ["1.5", "NaN", "1.5"]


def test_sizes_that_differ_by_rounding_errors_are_equal() -> None:
    """Numbers that agree to 9 digits have the same place in an order; others do not."""
    assert comparable_size(0.1 + 0.2) == comparable_size(0.3)
    assert comparable_size(1.0) < comparable_size(1.00000001)


@pytest.mark.parametrize(
    ("text", "decimal", "reason"),
    [
        ("1e999", ".", "is too large to be a number"),
        ("1,5e999", ",", "is too large to be a number"),
        ("1,5e999", ".", "is not a number"),
        ("nan", ".", "is not a number"),
        ("1.2.3", ".", "is not a number"),
    ],
)
def test_reasons(text: str, decimal: str, reason: str) -> None:
    """A text that is not a finite number has the form of one, or not."""
    assert not_a_number(text, decimal) == reason
    assert math.isnan(parse_number(text, decimal))


@pytest.mark.parametrize("decimal", [".", ",", "/", "!"])
def test_any_decimal_delimiter(decimal: str) -> None:
    """A delimiter before or after the point in ASCII is replaced in single numbers and in columns, long ones, too."""
    texts = [f"{at}{decimal}{at % 7}" for at in range(3000)]
    expected = [at + (at % 7) / 10 for at in range(3000)]
    assert [parse_number(text, decimal) for text in texts] == expected
    assert parse_column(texts, decimal).tolist() == expected
    rows = plain_rows("".join(f"a;{text}\n" for text in texts).encode(), ";")
    assert rows is not None
    assert parse_column(rows.columns()[1], decimal).tolist() == expected


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


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (2**69, "about 5.90e+20"),
        (999 * 10**30100, "about 9.99e+30102"),
        (99999 * 10**30, "about 1.00e+35"),
        (10**1200 - 1, "about 1.00e+1200"),
    ],
    ids=["bits", "digits", "rounded", "nines"],
)
def test_large_counts(count: int, text: str) -> None:
    """A count of more than 69 bits is rounded to three digits, the first one from 1 to 9."""
    assert count_text(count) == text
    assert "about" not in count_text(2**69 - 1)


def test_long_texts_of_digits() -> None:
    """Texts of many digits and a wrong end are refused in linear time: quadratic time exceeds the test's limit."""
    digits = "1" * 1_000_000
    for text in (f"{digits}x", f"{digits}.{digits}x", f".{digits}x", f"1e{digits}x", " " * 1_000_000 + "x"):
        assert math.isnan(parse_number(text))
        assert not is_number(text)
    with pytest.raises(ExpressionError):
        expand_text(f"{digits[:100_000]}x", None)
    assert parse_parameters(Source("p.txt", f"a = {digits}x".encode())).expressions


@pytest.mark.parametrize("length", [3, 40, 100])
def test_columns_with_cells_that_are_no_numbers(length: int) -> None:
    """In columns of thousands of different cells, short or long, each cell is read like a single one."""
    texts = [f"{at}.{'5' * length}" for at in range(3000)]
    texts[5:12] = ["1.2.3", "5.", ".5", "+.5e1", "1_0", "", "inf"]
    texts[12:15] = ["-", "7-", "9007199254740993"]
    rows = plain_rows("".join(f"a,{text}\n" for text in texts).encode(), ",")
    assert rows is not None
    np.testing.assert_array_equal(parse_column(rows.columns()[1]), [parse_number(text) for text in texts])
    without = texts[15:]
    rows = plain_rows("".join(f"a,{text}\n" for text in [*without, "1e999"]).encode(), ",")
    assert rows is not None
    assert parse_column(rows.columns()[1])[:-1].tolist() == [float(text) for text in without]
    assert math.isnan(parse_column(rows.columns()[1])[-1])


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        (["4s", " 8 s", "1e-3s", "-4,5 s"], "s"),
        (["50%", "5 %"], "%"),
        (["3 MB/s"], "MB/s"),
        (["4s", "8ms"], None),
        (["4s", "8"], None),
        (["4", "1e5", "1.5E-3"], None),
        (["fast", "2021-01-02", "1.2.3", "v4", ""], None),
    ],
)
def test_units(texts: list[str], unit: str | None) -> None:
    """The unit of texts is what follows the number in each of them."""
    assert unit_of(texts) == unit


@pytest.mark.parametrize(
    ("value", "number", "percent", "share"),
    [
        (None, "–", "undefined", ""),
        (0.0, "0", "0 %", "0.0 %"),
        (-0.04, "-0.04", "-0.04 %", "0.0 %"),
        (5.194321, "5.19432", "5.194 %", "5.2 %"),
        (100.0, "100", "100 %", "100.0 %"),
        (12345678.0, "1.23457e+07", "1.235e+07 %", "12345678.0 %"),
    ],
)
def test_numbers_for_people(value: float | None, number: str, percent: str, share: str) -> None:
    """Numbers have at most 6 digits, percentages 4, and shares one behind the point; None has a text of its own."""
    assert (short_number(value, missing="–"), percentage(value, missing="undefined"), share_text(value)) == (
        number,
        percent,
        share,
    )


def test_undefined_numbers() -> None:
    """NaN is missing, like None; digits before the point are never rounded."""
    assert (short_number(math.nan), percentage(math.nan, 3, "-")) == ("", "-")
    assert (short_number(1234.4, 2), percentage(1234.4, 2)) == ("1234", "1234 %")
