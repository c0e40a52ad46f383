"""Numbers in files: parsing of single numbers and columns, and the shortest text that reads back as the same number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from splc.types import Array

_NUMBER = re.compile(r"\s*[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*", re.ASCII)


def parse_number(text: str, decimal: str = ".") -> float:
    """Return a text as a finite number, NaN if it is not one (`nan` and infinities included)."""
    if decimal != ".":
        text = text.replace(decimal, ".")
    if not _NUMBER.fullmatch(text):
        return math.nan
    value = float(text)
    return value if math.isfinite(value) else math.nan


def not_a_number(text: str, decimal: str = ".") -> str:
    """Return why a text is not a finite number: 'is not a number' or 'is too large to be a number'."""
    shape = text.replace(decimal, ".") if decimal != "." else text
    return "is too large to be a number" if _NUMBER.fullmatch(shape) else "is not a number"


def parse_column(texts: Sequence[str], decimal: str = ".") -> Array:
    """Return the numbers in a column of texts, shape (n,), NaN where a text is not a finite number."""
    if decimal != ".":
        texts = [text.replace(decimal, ".") for text in texts]
    joined = "".join(texts)
    # Python's float also accepts `1_000` and the digits of other scripts; files must not contain those.
    if joined.isascii() and "_" not in joined:
        try:
            values = np.fromiter(map(float, texts), dtype=float, count=len(texts))
        except ValueError:
            pass
        else:
            values[~np.isfinite(values)] = np.nan
            return values
    # A column of text often has few distinct values.
    numbers = {text: parse_number(text) for text in set(texts)}
    return np.fromiter(map(numbers.__getitem__, texts), dtype=float, count=len(texts))


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number: `5`, `0.1`, `1e-05`; `nan` for NaN."""
    # Adding 0 turns -0.0 into 0.0.
    return repr(float(value) + 0.0).removesuffix(".0")


def column_texts(values: Array, missing: str = "") -> list[str]:
    """Return the shortest texts of a column of numbers, and `missing` for NaN."""
    table = {value: number_text(value) for value in np.unique(values[~np.isnan(values)]).tolist()}
    return [table.get(value, missing) for value in values.tolist()]


def comparable_size(value: float) -> float:
    """Return a number rounded to 9 digits, so that an order by it does not depend on the CPU's rounding errors."""
    return float(f"{value:.9g}")
