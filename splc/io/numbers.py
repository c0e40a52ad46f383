"""Numbers in files: parsing of single numbers and columns, and the shortest text that reads back as the same number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from numbers import Integral

import numpy as np

from splc.io.csv_rows import Cells, distinct_texts, is_coded
from splc.types import Array

# Percentages below this, and values below this share of those that they are differences of, are 0 but for rounding.
ROUNDING_PERCENT = 1e-10
ROUNDING_SHARE = ROUNDING_PERCENT / 100
FAR = 1e60  # squares of numbers so many times as large as others leave the range beside them (docs/decisions/0007)
# Integers of as many digits have 64 bits.
_MAX_DIGITS = 18
_EXACT = 2**53
# The numbers that are read at a time, which fit into the cache.
_ROWS = 1 << 13
# The bits of 21 digits.
_MAX_BITS = 69
_POWERS: Array = 10.0 ** np.arange(_MAX_DIGITS + 1)
# Decimal exponents outside this range are written in scientific notation.
_MIN_EXPONENT, _MAX_EXPONENT = -4, 6
_NUMBER = re.compile(r"\s*[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*", re.ASCII)


def power_of_two(values: Array) -> float:
    """Return the power of two up to the largest absolute value, 1 if there is none.

    Values divided by it are at most 2: nothing is rounded, and their squares neither overflow nor vanish.
    """
    largest = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0


def beyond_all(values: Array) -> Array:
    """Return which values are errors: above 1e60, and as many times as large as the median. NaN are none."""
    sizes = np.abs(values)
    if not (sizes > FAR).any():
        return np.zeros(values.shape, dtype=bool)
    typical = float(np.nanmedian(sizes))
    return (sizes / FAR > typical) & (typical > 0)


def parse_number(text: str, decimal: str = ".") -> float:
    """Return a text as a finite number, NaN if it is not one (`nan` and infinities included)."""
    text = text.replace(decimal, ".")
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else math.nan


def not_a_number(text: str, decimal: str = ".") -> str:
    """Return why a text is not a finite number: 'is not a number' or 'is too large to be a number'."""
    is_number = _NUMBER.fullmatch(text.replace(decimal, "."))
    return "is too large to be a number" if is_number else "is not a number"


_WITH_UNIT = re.compile(r"\s*[+-]?[\d.,]+(?:[eE][+-]?\d+)?\s*((?![eE][+-]?\d)°?[^\W\d_][\w/]{0,5}|[%°])\s*")


def unit_of(texts: Iterable[str]) -> str | None:
    """Return the unit that follows the number in each text: `s` of `4s` and `8 s`; None if they differ."""
    units = {match[1] if (match := _WITH_UNIT.fullmatch(text)) else None for text in texts}
    return units.pop() if len(units) == 1 else None


_PARTS = re.compile(r"(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)\s*s(?:ec)?)?", re.ASCII)
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2}(?:\.\d+)?)", re.ASCII)


def duration_of(text: str) -> float | None:
    """Return the seconds of a duration of several parts (`6m 22s`, `1:02:03`, `2:03.5`); None if it is none.

    `6:22` is none: it may also be hours and minutes.
    """
    match = _PARTS.fullmatch(text.strip()) or _CLOCK.fullmatch(text.strip())
    if match is None or not any(match.groups()) or (match.re is _CLOCK and match[1] is None and "." not in match[3]):
        return None
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def parse_column(texts: Sequence[str], decimal: str = ".") -> Array:
    """Return the numbers in a column of texts, shape (n,), NaN where a text is not a finite number."""
    if is_coded(texts):
        distinct, codes = distinct_texts(texts)
        return parse_column(distinct, decimal).take(codes)
    if isinstance(texts, Cells) and decimal == "." and texts.widest <= _MAX_DIGITS:
        if not texts.numbers:
            starts = range(0, max(1, len(texts)), _ROWS)
            parts = (_decimals(texts[start : start + _ROWS]) for start in starts)
            values, is_decimal = map(np.concatenate, zip(*parts, strict=True))
            other_rows = np.flatnonzero(~is_decimal)
            values[other_rows] = parse_column(list(texts[other_rows]))
            texts.numbers.append(values)
        return texts.numbers[0].copy()
    texts = list(texts) if decimal == "." else [text.replace(decimal, ".") for text in texts]
    content = "".join(texts)
    # Python's float also accepts `1_000` and the digits of other scripts; files must not contain those.
    if content.isascii() and "_" not in content:
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


def _decimals(cells: Cells) -> tuple[Array, Array]:
    """Return the numbers in cells such as `-12.5`, NaN in empty cells, and which cells are like these.

    An integer up to 2^53 divided by a power of ten up to 10^22 gives the nearest number, for both are exact (Clinger,
    How to read floating point numbers accurately, 1990).
    """
    first = cells.heads.astype(np.uint8)
    signed = (first == ord("-")) | (first == ord("+"))
    integers = np.zeros(len(cells), dtype=np.int64)
    digits, points, fraction_digits = (np.zeros(len(cells), dtype=np.int8) for _ in range(3))
    word = cells.heads
    for at in range(cells.widest):
        word = word >> np.uint64(8) if at % 8 else cells.word(at)
        byte = word.astype(np.uint8)
        digit = byte - np.uint8(ord("0"))
        is_digit = digit < 10
        integers = np.where(is_digit, integers * 10 + digit, integers)
        digits += is_digit
        fraction_digits += is_digit & (points > 0)
        points += byte == ord(".")
    lengths = cells.lengths
    is_decimal = (digits > 0) & (points <= 1) & (digits + points + signed == lengths) & (integers <= _EXACT)
    values = np.where(is_decimal, integers, np.nan) / _POWERS[fraction_digits]
    return np.where(first == ord("-"), -values, values), is_decimal | (lengths == 0)


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number: `5`, `0.1`, `1e-05`; `nan` for NaN."""
    # Adding 0 turns -0.0 into 0.0.
    return repr(float(value) + 0.0).removesuffix(".0")


def is_whole(number: object) -> bool:
    """Return whether a number has the type of a whole number."""
    # numpy's integers are not `int`.
    return isinstance(number, Integral)


def rounded_text(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits: `10.2`, `100`, `174700`, `1.2e-07`, `inf`, `nan`.

    Digits before the point are never rounded, trailing zeros after the point are dropped, and an `int` stays exact.
    Numbers below 1e-4 and from 1e6 on are written with an exponent.
    """
    if is_whole(value):
        return str(int(value))
    if not math.isfinite(value):
        return repr(float(value))
    if value == 0:
        return "0"
    # The exponent of the rounded number: 9.9996 becomes 10.
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    is_plain = _MIN_EXPONENT <= int(power) < _MAX_EXPONENT
    text = f"{value:.{max(0, digits - 1 - int(power))}f}" if is_plain else mantissa
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if is_plain else f"{text}e{power}"


def short_number(value: float | None, digits: int = 6, missing: str = "") -> str:
    """Return a number as `rounded_text` does, and `missing` for None and NaN."""
    return missing if value is None or math.isnan(value) else rounded_text(value, digits)


def percentage(value: float | None, digits: int = 4, missing: str = "") -> str:
    """Return a percentage as `rounded_text` does, such as `5.19 %`, and `missing` for None and NaN.

    One that is 0 but for rounding is `0 %`.
    """
    if value is None or math.isnan(value):
        return missing
    return f"{rounded_text(without_rounding(value, 100), digits)} %"


def signed_percentage(value: float, digits: int = 4) -> str:
    """Return a percentage as `percentage` does, with the sign of positive ones, too: `+5.19 %`."""
    return ("+" if value >= ROUNDING_PERCENT else "") + percentage(value, digits)


def without_rounding(value: float, size: float) -> float:
    """Return a difference of values of some size, 0 where it is 0 but for rounding."""
    return value if abs(value) >= ROUNDING_SHARE * size else 0.0


def share_text(value: float | None) -> str:
    """Return a percentage with one digit behind the point, such as `12.0 %`, empty for None."""
    # Adding 0 turns -0.0 into 0.0.
    return "" if value is None else f"{round(value, 1) + 0.0:.1f} %"


def small_share(share: float) -> str:
    """Return a percentage as `share_text` does, and `< 0.1 %` for one that would be rounded to 0."""
    return share_text(share) if share >= 0.05 or share == 0 else "< 0.1 %"


def count_text(count: int) -> str:
    """Return a count with separators of thousands; one of more than 21 digits is rounded: `about 9.99e+30102`."""
    if count.bit_length() <= _MAX_BITS:
        return f"{count:,}"
    # Digits are counted before rounding: 9.996 becomes 1.00 with the next exponent.
    power, fraction = divmod(math.log10(count), 1)
    digits, _, carry = f"{10**fraction:.2e}".partition("e")
    return f"about {digits}e+{int(power) + int(carry)}"


def column_texts(values: Array, missing: str = "") -> list[str]:
    """Return the shortest texts of a column of numbers, and `missing` for NaN."""
    table = {value: number_text(value) for value in np.unique(values[~np.isnan(values)]).tolist()}
    return [table.get(value, missing) for value in values.tolist()]


def comparable_size(value: float) -> float:
    """Return a number rounded to 9 digits, so that an order by it does not depend on the CPU's rounding errors."""
    return float(f"{value:.9g}")
