"""Values of fields from texts that consist of several parts. All functions raise SpecError for other texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from splc.errors import SpecError

W = TypeVar("W")
_DURATION = re.compile("".join(rf"(?:(\d+\.?\d*){unit})?" for unit in ("d", "h", r"m(?:in)?", "s")))
# The seconds of these units.
_UNITS = (86400, 3600, 60, 1)


def assigned(
    texts: Sequence[str], form: str, convert: Callable[[str], Any] = str, split: Callable[..., Any] = str.partition
) -> Iterator[tuple[str, Any]]:
    """Yield name and value of texts `NAME=VALUE`; with `str.rpartition`, a name may contain an equals sign."""
    for text in texts:
        name, equals, written = (part.strip() for part in split(text, "="))
        value = convert(written)
        if not equals or not name or value is None:
            raise SpecError(f"{text!r} is not {form}")
        yield name, value


def _once(pairs: Iterable[tuple[str, Any]], *, same: bool = False) -> dict[str, Any]:
    """Return name → value; `same`: whether a name may be repeated with the same value."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values and not (same and values[name] == value):
            raise SpecError(f"{name} is given twice{', with different values' * same}")
        values[name] = value
    return values


def numbers_of(texts: Sequence[str]) -> dict[str, float]:
    """Return name → number of texts `NAME=NUMBER`."""
    return _once(assigned(texts, "NAME=NUMBER", _number, str.rpartition))


def point_of(text: str) -> dict[str, float]:
    """Return name → number of a text `NAME=NUMBER,NAME=NUMBER`."""
    return numbers_of(text.split(","))


def one_or_several(texts: Sequence[str]) -> str | tuple[str, ...] | None:
    """Return the only text, several texts as a tuple, None without any."""
    return tuple(texts) if len(texts) > 1 else next(iter(texts), None)


def points_of(texts: Sequence[str]) -> tuple[dict[str, float], ...]:
    """Return the points of texts `NAME=NUMBER,NAME=NUMBER`."""
    return tuple(point_of(text) for text in texts)


def values_of(texts: Sequence[str]) -> dict[str, str]:
    """Return column → value of texts `COLUMN=VALUE`."""
    return _once(assigned(texts, "COLUMN=VALUE"), same=True)


def texts_of(texts: Sequence[str]) -> dict[str, str]:
    """Return name → value of texts `NAME=VALUE`; the last one of a name counts."""
    return dict(assigned(texts, "NAME=VALUE"))


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in `NAME,NAME`."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise SpecError(f"{text!r} is not NAME,NAME…")
    return names


def names_in(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names in `--free a,b --free c`."""
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names):
        raise SpecError("a name is missing; write NAME,NAME")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise SpecError(f"{twice[0]} is given twice")
    return tuple(names)


def bounds_of(texts: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Return name → bounds of texts `NAME=LOW..HIGH`; None is an end that is left out."""

    def bounds(interval: str) -> tuple[float | None, float | None] | None:
        low, dots, high = interval.partition("..")
        try:
            ends = [float(end) if end.strip() else None for end in (low, high)]
        except ValueError:
            return None
        return (ends[0], ends[1]) if dots and not any(end is not None and math.isnan(end) for end in ends) else None

    return _once(assigned(texts, "NAME=LOW..HIGH, such as alpha=1e-8..1e-5", bounds, str.rpartition))


def axes_of(texts: Sequence[str]) -> dict[str, list[float]]:
    """Return name → numbers of texts `NAME=NUMBER,NUMBER`."""

    def axis(values: str) -> list[float] | None:
        numbers = [number for value in values.split(",") if (number := _number(value)) is not None]
        return numbers if len(numbers) == values.count(",") + 1 else None

    return _once(assigned(texts, "NAME=NUMBER,NUMBER…", axis))


def counts_of(text: str) -> tuple[int, ...]:
    """Return the positive numbers of a text `NUMBER,NUMBER…`, ascending."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 8 and int(part) > 0 for part in parts):
        raise SpecError(f"{text!r} is not a positive number, or several such as 20,50,100")
    return tuple(sorted({int(part) for part in parts}))


def seconds_of(text: str) -> float:
    """Return the seconds of a duration: `90`, `90s`, `30m`, `1h30m`, `2d`."""
    parts = _DURATION.fullmatch(text.replace(" ", ""))
    seconds = _number(text)
    if seconds is None and parts is not None and any(parts.groups()):
        seconds = sum(float(part) * unit for part, unit in zip(parts.groups(), _UNITS, strict=True) if part)
    if seconds is None or seconds <= 0:
        raise SpecError(f"{text!r} is not a time such as 90s, 30m, 2h or 1h30m")
    return seconds


def percentage_of(text: str) -> float:
    """Return the number of a text `NUMBER` or `NUMBER%`, at least 0."""
    number = _number(text.strip().removesuffix("%"))
    if number is None or number < 0:
        raise SpecError(f"{text!r} is not a percentage of at least 0, such as 5%")
    return number


def number_or(words: Mapping[str, W], least: int = 0) -> Callable[[str], W | int]:
    """Return the function that returns the value of a word, or a whole number of at least `least`."""

    def value_of(text: str) -> W | int:
        if text in words:
            return words[text]
        if text.isdecimal() and len(text) < 10 and int(text) >= least:
            return int(text)
        names = " nor ".join(map(repr, words))
        raise SpecError(f"{text!r} is neither {names} nor a {'positive ' * least}number")

    return value_of


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
