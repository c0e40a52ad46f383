"""Values that are off by a constant factor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.system.units import unit_factor, unit_problem, unit_remark


@pytest.mark.parametrize(
    ("listed", "found", "factor"),
    [
        ((0.064, 0.256), (64, 256), 1000),
        ((0.064, 0.256), (256,), 1000),
        ((64, 256), (0.064,), 0.001),
        ((1, 2), (1024, 2048), 1024),
        ((0.1, 0.25), (10, 25), 100),
        ((1, 2, 4), (8, 16), None),
        ((1, 2, 4), (1000, 16), None),
        ((0, 1), (0,), None),
        ((1, 2), (), None),
    ],
)
def test_factors(listed: tuple[float, ...], found: tuple[float, ...], factor: float | None) -> None:
    """All values must be off by the same usual factor."""
    assert unit_factor(listed, found) == factor


@pytest.mark.parametrize("factor", [10, 100, 1e3, 1e4, 1e5, 1e6, 1e9, 2**10, 2**20, 2**30, 60, 3600])
def test_usual_factors(factor: float) -> None:
    """Powers of ten, units of memory, and units of time are found in both directions."""
    listed = (7.0, 11.0)
    assert unit_factor(listed, (7 * factor, 11 * factor)) == pytest.approx(factor, rel=1e-12)
    assert unit_factor((7 * factor, 11 * factor), listed) == pytest.approx(1 / factor, rel=1e-12)
    assert unit_factor(listed, (7 * factor, 12 * factor)) is None


def test_precision() -> None:
    """Values match to one part in 10^9."""
    assert unit_factor((7.0,), (7000 * (1 + 5e-10),)) == 1000
    assert unit_factor((7.0,), (7000 * (1 + 2e-9),)) is None


@given(st.lists(st.integers(1, 9), min_size=1, unique=True), st.sampled_from([1e3, 1e-3, 1024.0, 3600.0]))
def test_any_values(values: list[int], factor: float) -> None:
    """Scaled values are the listed ones times the factor that is found."""
    found = unit_factor(sorted(values), [factor * value for value in values])
    assert found is not None
    assert {round(factor * value / found, 6) for value in values} <= set(values)


def test_remarks() -> None:
    """A remark gives an example of the values."""
    assert unit_remark((0.064, 0.256), (64, 256)) == "256 is 1000 times 0.256: another unit?"
    assert unit_remark((64, 256), (0.064,)) == "0.064 is 1/1000 of 64: another unit?"
    assert unit_remark((64, 256), (65,)) is None


def test_problems() -> None:
    """A problem gives an example, and both ways to correct it."""
    assert unit_problem("m", (0.064, 0.256), (64, 256)) == (
        "m: values are 1000 times those of the description (256 instead of 0.256), as in another unit; "
        "divide the column by 1000, or multiply the values in the description"
    )
    assert unit_problem("m", (64, 256), (0.256, 0.064)) == (
        "m: values are 1/1000 of those of the description (0.064 instead of 64), as in another unit; "
        "multiply the column by 1000, or divide the values in the description"
    )
    assert unit_problem("m", (64, 256), (65,)) is None
