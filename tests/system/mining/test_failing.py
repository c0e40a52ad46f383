"""Combinations of values of which every run failed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from splc.system.mining import OptionRows, failing_combinations
from splc.types import Array


def rows(count: int, seed: int = 0) -> OptionRows:
    """Return drawn rows of four binary options, a group of three, and a numeric option."""
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=count)
    selected = np.column_stack([rng.random((count, 4)) < 0.5, *(group == member for member in range(3))])
    numbers = {"n": rng.choice([1.0, 2.0, 4.0, 8.0, 16.0], count)}
    return OptionRows.of([*"abcd", "x", "y", "z"], selected, numbers, [(("x", "y", "z"), None)])


def column(table: OptionRows, name: str) -> Array:
    """Return the values of an option."""
    return table.numbers[name] if name in table.numbers else table.selected[:, table.names.index(name)]


@pytest.mark.parametrize(
    "ranges",
    [
        {"a": (1.0, 1.0)},
        {"a": (1.0, 1.0), "y": (1.0, 1.0)},
        {"b": (0.0, 0.0), "n": (8.0, math.inf)},
        {"n": (2.0, 4.0), "z": (1.0, 1.0)},
        {"a": (1.0, 1.0), "b": (1.0, 1.0), "n": (-math.inf, 2.0)},
        {"a": (1.0, 1.0), "c": (1.0, 1.0), "d": (1.0, 1.0)},
    ],
)
def test_the_values_that_fail_are_found(ranges: dict[str, tuple[float, float]]) -> None:
    """Of 250 rows, one combination of up to three literals that always fails is found exactly, and no other."""
    table = rows(250)
    failed = np.all(
        [(low <= column(table, name)) & (column(table, name) <= high) for name, (low, high) in ranges.items()], axis=0
    )
    ((found, having),) = failing_combinations(table, failed)
    assert found == ranges
    assert (having == failed).all()


def test_two_combinations() -> None:
    """Failures with two reasons have two combinations, the smaller one first."""
    table = rows(250)
    first = column(table, "a") & column(table, "x")
    second = column(table, "b") & column(table, "c") & (column(table, "n") >= 8)
    found = [set(ranges) for ranges, _ in failing_combinations(table, first | second)]
    assert found == [{"a", "x"}, {"b", "c", "n"}]


def test_random_failures_have_no_rule() -> None:
    """Of runs that fail at random, at most one table in ten has a combination."""
    rng = np.random.default_rng(1)
    found = 0
    for seed in range(40):
        table = rows(int(rng.integers(25, 90)), seed)
        failed = rng.random(len(table.selected)) < rng.choice([0.05, 0.1, 0.2, 0.4])
        found += any(True for _ in failing_combinations(table, failed))
    assert found <= 4


def test_failures_of_everything_have_no_rule() -> None:
    """Where every configuration fails, or fewer than three do, no combination is to blame."""
    table = rows(40)
    everything = np.ones(len(table.selected), dtype=bool)
    assert not list(failing_combinations(table, everything))
    assert not list(failing_combinations(table, np.arange(len(everything)) < 2))
    assert not list(failing_combinations(table, ~everything))


def test_many_literals() -> None:
    """Of more options than are combined, those that failed runs have more often than others are."""
    rng = np.random.default_rng(0)
    selected = rng.random((400, 120)) < 0.5
    numbers = {"n": rng.choice(np.arange(1.0, 101), 400)}
    table = OptionRows(tuple(f"o{number}" for number in range(120)), selected, numbers)
    failed = (selected[:, 3] & selected[:, 7]) | (rng.random(400) < 0.02)
    found = [set(ranges) for ranges, _ in failing_combinations(table, failed)]
    assert found == [{"o3", "o7"}]
