"""Roles by names and contents: statistics, time stamps, hashes, units, and properties that state the same twice."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest

from splc.data.property_unit import is_measurement_name
from splc.formats.evidence import left_out
from tests.support.inferred_tables import inferred

RNG = np.random.default_rng(1)
ROWS = [(threads, cache) for threads in (1, 2, 4, 8) for cache in (0, 1) for _ in range(2)]
TIMES = [round(10 / threads + cache + float(RNG.uniform(0, 0.1)), 5) for threads, cache in ROWS]


def table(**columns: list[object]) -> str:
    """Return a table with two options, a time, and these columns."""
    names = ["threads", "cache", *columns]
    cells = [[*row, *more] for row, *more in zip(ROWS, *columns.values(), strict=True)]
    cells = [[*row[:2], *row[2:]] for row in cells]
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in cells)]) + "\n"


def numbers(scale: float = 1.0) -> list[object]:
    """Return a number for each row, all different."""
    return [round(scale * time + float(RNG.uniform(0, 0.1)), 5) for time in TIMES]


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["mean", "median", "stddev", "min", "max", "p95"], "mean"),
        (["median", "min", "max"], "median"),
        (["time_mean", "time_std", "time_p99"], "time_mean"),
        (["avg_time_ms", "max_time_ms"], "avg_time_ms"),
        (["time_mean_ms", "time_min_ms"], "time_mean_ms"),
        (["latency", "latency_p50", "latency_p99", "latency_max"], "latency"),
        (["mean", "user", "system"], "mean"),
        (["real", "user", "sys"], "real"),
    ],
)
def test_statistics(names: list[str], kept: str) -> None:
    """Statistics beside a mean, and parts of the processor time, are left out; the mean is the property."""
    found = inferred(table(**{name: numbers(at + 1) for at, name in enumerate(names)}))
    assert (found.columns, found.properties) == (("cache", "threads"), (kept,))
    assert set(found.ignored) == {*names} - {kept}
    assert found.decided


def test_named_statistic() -> None:
    """The statistic that the user names is the property, and the mean is left out instead."""
    found = inferred(table(mean=numbers(), median=numbers(2), max=numbers(3)), nfp="median")
    assert found.properties == ("median",)
    assert set(found.ignored) == {"mean", "max"}


@pytest.mark.parametrize(
    "names",
    [
        ["max_depth", "min_size"],
        ["min", "max"],
        ["user_id", "system_load"],
        ["maximum"],
        ["depth", "max_depth"],
        ["size", "min_size", "max_size"],
    ],
)
def test_no_statistics(names: list[str]) -> None:
    """Without a centre of the same value, names such as `max_depth` are not statistics."""
    assert left_out({name: ["1", "2", "3", "4", "5"] for name in names}, ()) == {}


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("started", [f"2026-01-01T10:{at:02d}:00" for at in range(16)], "time stamps"),
        ("when", [f"2026-01-01 10:{at:02d}:00.5" for at in range(16)], "time stamps"),
        ("day", [f"2026-01-{at + 1:02d}" for at in range(16)], "time stamps"),
        ("day", [f"2026-01-{at // 8 + 1:02d}" for at in range(16)], None),
        ("timestamp", [1700000000 + 3.5 * at for at in range(16)], "time stamps"),
        ("counter", [1700000000 + 3.5 * at for at in range(16)], None),
        ("output", [hashlib.sha1(bytes([at])).hexdigest() for at in range(16)], "hashes"),
        ("sha256", [f"{at:08d}" if at else "0000000a" for at in range(16)], "hashes"),
        ("commit", [("0a1b2c3d", "9f8e7d6c")[at % 2] for at in range(16)], None),
        ("word", [f"word{chr(97 + at)}" for at in range(16)], None),
        (
            "when",
            [*[" "] * 1200, *(f"2026-01-01T{at // 60:02d}:{at % 60:02d}:00" for at in range(1300))],
            "time stamps",
        ),
        ("mixed", ["0a1b2c3d", *(f"word{at}" for at in range(15))], None),
        ("mixed", ["2026-01-01T10:00:00", *(f"word{at}" for at in range(15))], None),
    ],
)
def test_stamps_and_hashes(name: str, cells: list[object], reason: str | None) -> None:
    """Time stamps and hashes that differ in most rows are left out; a few values of them are a context."""
    found = left_out({name: [str(cell) for cell in cells]}, ())
    assert found.get(name) == reason
    assert left_out({name: [str(cell) for cell in cells]}, {name}) == {}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("time_ms", True),
        ("energy (J)", True),
        ("Elapsed Time [s]", True),
        ("solve_seconds", True),
        ("wallTime", True),
        ("time_limit", False),
        ("warmup_time", False),
        ("timeout", False),
        ("threads", False),
        ("power_mode", False),
    ],
)
def test_measurement_names(name: str, expected: bool) -> None:
    """Names with a measured quantity are those of properties, unless another word makes them a setting."""
    assert is_measurement_name(name) is expected


def test_whole_numbers_with_unit() -> None:
    """Whole numbers whose name is that of a measured value are a property although some values are repeated."""
    milliseconds: list[object] = [round(1000 * time) // 100 for time in TIMES]
    assert len({*milliseconds}) < len(milliseconds)
    found = inferred(table(time_ms=milliseconds, threads_used=[threads for threads, _ in ROWS]))
    assert "time_ms" in found.properties
    # Few values that are crossed with the options are an option whatever the name is.
    rows = list(itertools.product((1, 2, 4), (10, 20, 30)))
    text = "threads,duration,score\n" + "".join(
        f"{threads},{duration},{threads * duration + 0.37 * at}\n" for at, (threads, duration) in enumerate(rows * 4)
    )
    assert inferred(text).columns == ("threads", "duration")


def test_same_value_in_two_units() -> None:
    """A property that is a constant times another one, or divided by it, is left out, unless the user names it."""
    columns: dict[str, list[object]] = {
        "time": [*TIMES],
        "ms": [1000 * time for time in TIMES],
        "rate": [5 / time for time in TIMES],
        "other": numbers(),
    }
    text = table(**columns)
    found = inferred(text)
    assert found.properties == ("time", "other")
    assert set(found.ignored) == {"ms", "rate"}
    found = inferred(text, nfp="rate")
    assert found.properties == ("rate", "other")
    assert set(found.ignored) == {"time", "ms"}
