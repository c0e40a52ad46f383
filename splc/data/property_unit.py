"""Units of properties: those that names of columns state, readable ones of values, and factors between two units."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from splc.io.numbers import duration_of, parse_number, short_number, unit_of

# `energy (J)`, `time [ms]`.
BRACKETS = re.compile(r"(.*\S)\s*(?:\(([^()]*)\)|\[([^][]*)\])")
_LONGEST = 20
_SHORT = 4
# The last word of a name such as `solve_seconds`, and the unit that it states.
_WORDS = {
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("us", "µs", "usec", "usecs", "micros", "microsecond", "microseconds"), "µs"),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"), "ns"),
    **{"minutes": "min", "hours": "h", "hrs": "h", "bytes": "B", "byte": "B", "percent": "%", "pct": "%"},
    **{unit.casefold(): unit for unit in ("kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "kWh", "Wh", "mJ", "kJ")},
    **dict.fromkeys(("joule", "joules", "j"), "J"),
    **dict.fromkeys(("watt", "watts", "w"), "W"),
}
# One letter is a unit only after a word that is measured in it: `grid_s` is none.
_MEASURED_IN = {
    "s": "time|latency|duration|elapsed|delay|makespan|queue|user|sys|real|build|compile|link|wall|cpu|total|exec",
    "j": "energy",
    "w": "power",
}
_RATE = re.compile(r"(?:/\s*|[^0-9A-Za-z]per[^0-9A-Za-z]+)$")
_QUANTITIES = frozenset("|".join(_MEASURED_IN.values()).split("|"))
_MEASURED_IN["sec"] = "^(?!.*(?:ops|[kmg]b|reqs?|requests|queries|tx|txn|rows|keys)$)"  # `ops_sec` is a rate
# Units of time in seconds, and those that texts use, the largest first.
SECONDS = {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
_SPELLINGS = {"us": "µs", "μs": "µs", "sec": "s", "seconds": "s", "second": "s"}
# Units of settings beside those of times and memory.
_UNITS = frozenset(
    re.compile(r"\S+").findall("""
    % ° °C °F K C g kg mg µg L mL µL mg/mL mm cm m km µm nm rpm Hz kHz MHz GHz V mV A mA bar Pa kPa MPa GPa N Nm
    x p px bit bits k M G T t b B fps dB mol mmol µM mM ppm J kJ W kW MB/s Mbit/s Gbit/s
    """)
)
_BYTE = re.compile(r"[kmgt](?:i?b)?")
# `1,234` and `1,234,567`, which could be integers.
GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2}(?:,\d{3})+\s*", re.ASCII)
_READABLE = ("s", "ms", "µs", "ns")


def unit_in_name(name: str) -> str | None:
    """Return the unit in the name of a property (`energy (J)`, `size [kB]`, `time_ms`, `memoryMiB`), None if absent."""
    if (match := BRACKETS.fullmatch(name)) is not None:
        unit = (match[3] if match[2] is None else match[2]).strip()
        return unit if is_unit(unit) else None
    # `memory_MiB`, then `timeMs`.
    for between in (r"[^0-9A-Za-zµ]+", r"(?<=[a-z])(?=[A-Z])"):
        *before, last = re.split(between, name)
        word = last.casefold()
        is_rate = word in _WORDS and _RATE.search(name.removesuffix(last)) is not None
        if is_rate and before and before[-1].casefold() not in _QUANTITIES:
            # `requests/sec`, `read MB/s`; `time/s` is a time in seconds.
            amount = next(each for each in reversed(before) if each.casefold() != "per")
            return f"{_WORDS.get(amount.casefold(), amount)}/{_WORDS[word]}"
        # `us` alone is a name.
        if not before and len(word) < _SHORT:
            continue
        if word in _WORDS and re.search(_MEASURED_IN.get(word, ""), "_".join(before).casefold()):
            return _WORDS[word]
    return None


def is_unit(text: object) -> bool:
    """Return whether an object can be a unit: a short text on one line, and no number."""
    if not isinstance(text, str) or not text.isprintable():
        return False
    return 0 < len(text.strip()) <= _LONGEST and math.isnan(parse_number(text))


def is_usual_unit(text: str) -> bool:
    """Return whether a text is a unit that is often used: `ms`, `°C`, `rpm`."""
    return text in _UNITS or text.casefold() in _WORDS or text in SECONDS


def titled(name: str, unit: str | None) -> str:
    """Return the name of a property with its unit, for axes and headers: `time (s)`; `time_ms` states it already."""
    return name if unit is None or unit_in_name(name) == unit else f"{name} ({unit})"


def readable(unit: str | None, values: Iterable[float]) -> tuple[float, str]:
    """Return a factor and the unit of values that are multiplied by it, so that they are readable.

    Of times in seconds of which the largest is 0.0123, these are 1000 and `ms`. Other units are kept, None is empty.
    """
    known = _SPELLINGS.get(unit or "", unit or "")
    sizes = [abs(value) for value in values if math.isfinite(value) and value]
    if known not in SECONDS or not sizes:
        return 1.0, known
    largest = max(sizes) * SECONDS[known]
    chosen = next((candidate for candidate in _READABLE if largest >= SECONDS[candidate]), _READABLE[-1])
    if SECONDS[known] > SECONDS["s"] and chosen == "s":
        chosen = known
    return SECONDS[known] / SECONDS[chosen], chosen


def span(low: float, high: float, unit: str | None, digits: int = 6, like: Iterable[float] = ()) -> str:
    """Return the ends of an interval with a unit that is readable, or is so for the values `like`: `11.5 to 13 ms`."""
    factor, shown = readable(unit, [*like] or [low, high])
    return f"{short_number(low * factor, digits)} to {short_number(high * factor, digits)} {shown}".rstrip()


def quantity(value: float, unit: str | None, digits: int = 6, like: Iterable[float] = ()) -> str:
    """Return a value with a unit that is readable, or is so for the values `like`: `12.3 ms`."""
    factor, shown = readable(unit, [*like] or [float(value)])
    return f"{short_number(value * factor, digits)} {shown}".rstrip()


def in_one_unit(texts: Sequence[str], clock: bool) -> tuple[str, dict[str, str]] | None:
    """Return the unit of measured texts in several units (`812us`, `12.3ms`), and text → its number; None for others.

    `clock`: whether the texts may be durations of several parts, such as `6m 22s` and `1:02:03`.
    """
    numbers: dict[str, str] = {}
    for text in texts:
        unit = unit_of([text]) or ""
        factor = SECONDS.get(_SPELLINGS.get(unit, unit))
        seconds = parse_number(text.strip().removesuffix(unit)) * factor if factor else duration_of(text)
        if seconds is None or not (factor or clock):
            return None
        numbers[text] = f"{seconds:.15g}"
    return ("s", numbers) if numbers else None


def without_unit(text: str, unit: str) -> str:
    """Return a number before its unit, with a decimal point; separators of thousands stay."""
    bare = text.strip().removesuffix(unit).strip()
    return bare if GROUPED.fullmatch(bare) else bare.replace(",", ".")


def setting_numbers(texts: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return the unit of settings, and text → its number; none if a text has no unit, or units differ.

    Blank texts do not count. Memory is in MB, and times are in seconds: a text is the same number in every table.
    """
    units = {text: unit_of([text]) or "" for text in texts if text.strip()}
    kinds, shown = {*units.values()}, next(iter(units.values()), "")
    # `7B` and `350M` are no bytes, and `1k` and `4M` may be thousands.
    small = {unit.casefold() for unit in kinds}
    is_memory = all(map(_BYTE.fullmatch, small))
    if is_memory and all(len(unit) > 1 for unit in small):
        shown, factors = "MB", {unit: 1024.0 ** ("kmgt".index(unit[0].casefold()) - 1) for unit in kinds}
    elif all(_SPELLINGS.get(unit, unit) in SECONDS for unit in kinds):
        shown, factors = "s", {unit: SECONDS[_SPELLINGS.get(unit, unit)] for unit in kinds}
    elif len(kinds) == 1 and kinds <= _UNITS:
        factors = dict.fromkeys(kinds, 1.0)
    else:
        return "", {}
    numbers = {text: f"{parse_number(without_unit(text, unit)) * factors[unit]:.15g}" for text, unit in units.items()}
    return ("", {}) if "" in kinds or "nan" in numbers.values() else (shown, numbers)


# Thousands, units of memory, percent, units of time, and steps of ten.
_FACTORS = (1e3, 1e6, 1e9, 1024.0, 1024.0**2, 1024.0**3, 100.0, 60.0, 3600.0, 10.0, 1e4, 1e5)
_PRECISION = 1e-9


def unit_factor(listed: Sequence[float], found: Sequence[float]) -> float | None:
    """Return the factor by which all found values exceed listed ones, None if there is no usual factor."""
    known, values = np.asarray(listed, dtype=float), np.asarray(found, dtype=float)
    if not len(values) or not values.any():
        return None
    for factor in (*_FACTORS, *(1 / factor for factor in _FACTORS)):
        with np.errstate(over="ignore"):
            converted = values / factor
        nearest = known[np.abs(known[np.newaxis] - converted[:, np.newaxis]).argmin(axis=1)]
        if (np.abs(nearest - converted) <= _PRECISION * np.abs(nearest)).all():
            return factor
    return None


class ColumnProblem(str):
    """A problem of all values of an option, which is reported once instead of in every row."""

    __slots__ = ()


def unit_problem(name: str, listed: Sequence[float], found: Sequence[float]) -> ColumnProblem | None:
    """Return the problem of an option whose found values are off by a constant factor, None if they are not."""
    if (factor := unit_factor(listed, found)) is None:
        return None
    cure, other = ("divide", "multiply") if factor > 1 else ("multiply", "divide")
    return ColumnProblem(
        f"{name}: values are {_times(factor)} those of the description ({found[-1]:g} instead of "
        f"{found[-1] / factor:g}), as in another unit; {cure} the column by {max(factor, 1 / factor):g}, "
        f"or {other} the values in the description"
    )


def unit_remark(listed: Sequence[float], found: Sequence[float]) -> str | None:
    """Return a remark on values that are off by a constant factor, None if they are not."""
    if (factor := unit_factor(listed, found)) is None:
        return None
    return f"{found[-1]:g} is {_times(factor)} {found[-1] / factor:g}: another unit?"


def _times(factor: float) -> str:
    return f"{factor:g} times" if factor > 1 else f"1/{1 / factor:g} of"
