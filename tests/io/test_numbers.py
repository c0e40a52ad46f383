"""Numbers in files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import ExpressionError
from splc.formats.models.parameters import parse_parameters
from splc.io.files import Source
from splc.io.numbers import column_texts, comparable_size, number_text, parse_column, parse_number
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


def test_missing_cells() -> None:
    """Missing values are written as the given text."""
    assert column_texts(np.array([1.5, np.nan, 1.5]), missing="NaN") == ["1.5", "NaN", "1.5"]


def test_sizes_that_differ_by_rounding_errors_are_equal() -> None:
    """Numbers that agree to 9 digits have the same place in an order; others do not."""
    assert comparable_size(0.1 + 0.2) == comparable_size(0.3)
    assert comparable_size(1.0) < comparable_size(1.00000001)


def test_long_texts_of_digits() -> None:
    """Texts of many digits and a wrong end are refused in linear time: quadratic time exceeds the test's limit."""
    digits = "1" * 1_000_000
    for text in (f"{digits}x", f"{digits}.{digits}x", f".{digits}x", f"1e{digits}x", " " * 1_000_000 + "x"):
        assert math.isnan(parse_number(text))
        assert not is_number(text)
    with pytest.raises(ExpressionError):
        expand_text(f"{digits[:100_000]}x", None)
    assert parse_parameters(Source("p.txt", f"a = {digits}x".encode())).expressions
