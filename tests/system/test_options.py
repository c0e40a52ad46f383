"""Options."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc import BinaryOption, NumericOption, VariabilityModel
from splc.data.property_unit import unit_factor, unit_problem, unit_remark
from splc.errors import VariabilityError
from splc.system.options import MAX_VALUES, step_values
from tests.support.golden_messages import Lines, check_calls, shown

value_lists = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12, unique=True).map(sorted).map(tuple)


@given(st.integers(1, 500), st.integers(0, 6), st.integers(1, 300), st.integers(-1000, 1000))
def test_additive_steps_are_exact(step: int, decimals: int, count: int, start: int) -> None:
    """Adding a decimal step gives its exact multiples up to the maximum."""
    scale = 10**decimals
    expected = tuple((start + i * step) / scale for i in range(count + 1))
    maximum = expected[-1] + 0.5 * step / scale
    found = step_values("x", start / scale, maximum, f"x + {step / scale!r}")
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(st.floats(0.001, 100), st.floats(1, 1000), st.floats(1.01, 9), st.floats(0, 5))
def test_never_beyond_the_maximum(minimum: float, ratio: float, factor: float, step: float) -> None:
    """For any step, values ascend, begin with the minimum and do not exceed the maximum."""
    maximum = minimum * ratio
    values = step_values("x", minimum, maximum, f"x * {factor!r} + {step!r}")
    assert values[0] == minimum
    assert values[-1] <= maximum
    assert all(a < b for a, b in itertools.pairwise(values))


@given(st.floats(1e-4, 10), st.floats(1.0001, 3), st.integers(1, 12))
def test_rounding(minimum: float, factor: float, count: int) -> None:
    """Values have 3 decimals where that changes them by at most 1/1000 and a twentieth of the step."""
    expected = [minimum]
    for _ in range(count):
        exact = expected[-1] * factor
        short = round(exact, 3)
        change, step = abs(short - exact), exact - expected[-1]
        expected.append(short if change <= exact / 1000 and change <= step / 20 else exact)
    maximum = (expected[-1] + expected[-1] * factor) / 2
    found = step_values("x", minimum, maximum, f"x * {factor!r}")
    assert found[: count + 1] == pytest.approx(expected, rel=1e-12)


def test_too_many_values_of_any_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other steps are refused as soon as there are too many values; the largest allowed number is listed."""
    monkeypatch.setattr("splc.system.options.MAX_VALUES", 100)
    assert len(step_values("x", 1, 100, "x + 1")) == 100
    with pytest.raises(VariabilityError, match="more than 100 values"):
        step_values("x", 1, 1e9, "x + log10(x + 9)")


@given(value_lists, st.one_of(st.floats(-60, 60), st.integers(-120, 120).map(lambda n: n / 2)))
def test_nearest_is_the_nearest(values: tuple[float, ...], value: float) -> None:
    """No value is nearer than the nearest one, and of two equally near ones it is the smaller."""
    distances = [abs(own - value) for own in values]
    assert NumericOption("x", values).nearest(value) == distances.index(min(distances))


def test_nearest_of_a_million() -> None:
    """The nearest of a million values is found quickly."""
    option = NumericOption("x", tuple(float(i) for i in range(MAX_VALUES)))
    assert [option.nearest(i * 100.4) for i in range(2000)] == [round(i * 100.4) for i in range(2000)]


@given(
    numbers=st.lists(st.integers(-20, 20), min_size=1, unique=True),
    others=st.lists(st.sampled_from(["zstd", "x/y", "x y", "ä"]), min_size=1, unique=True),
    most=st.integers(-20, 20),
)
def test_the_valid_configurations(numbers: list[int], others: list[str], most: int) -> None:
    """The valid configurations are the combinations of values that satisfy the constraints."""
    texts = ["lz4", *others]
    constraints = [f"n + 3 * fast <= {most}", "!fast | codec_lz4"]
    system = VariabilityModel.of({"n": numbers, "fast": bool, "codec": texts}, constraints)
    expected = [
        n + 3 * fast <= most and (not fast or text == "lz4") for n, fast, text in product(numbers, (0, 1), texts)
    ]
    assert Space(system).count == sum(expected)


def defined(options: dict[str, Any], constraints: Sequence[str] = ()) -> Lines:
    """Return a system that is defined in Python: its options, its constraints with their kinds, its configurations."""
    system = VariabilityModel.of(options, constraints)
    kinds = [(each.text, getattr(each, "kind", None), getattr(each, "requires", None)) for each in system.constraints]
    lines = [*map(shown, system.options), *map(str, kinds), f"{Space(system).count} valid configurations"]
    return Lines("\n".join(lines))


def levels(count: int, number: int) -> list[int]:
    """Return the indices of all levels of an option of so many values."""
    option = NumericOption("x", tuple(map(float, range(count))))
    return [option.level(level, number) for level in range(number)]


def test_calls() -> None:
    """Values of options, and definitions that are refused, are those of the golden file."""
    units = (unit_factor, unit_remark, unit_problem)
    check_calls("option-values", step_values, levels, *units, defined, NumericOption, BinaryOption, np=np)
