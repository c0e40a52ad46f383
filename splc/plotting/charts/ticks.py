"""Ticks of an axis at round numbers."""

from __future__ import annotations

import math

from splc.plotting.charts.chart import Axis

# The steps of round numbers within a power of ten.
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def ticks(axis: Axis, most: int) -> tuple[float, ...]:
    """Return the values of at most about `most` ticks of an axis, in ascending order."""
    if axis.names:
        return tuple(float(at) for at in range(len(axis.names)))
    if axis.at:
        return tuple(value for value in axis.at if axis.low <= value <= axis.high)
    if not axis.log:
        return _linear(axis.low, axis.high, most)
    values = _powers(axis.low, axis.high, most)
    return values if len(values) >= 2 else _apart(axis, _linear(axis.low, axis.high, most), 1 / most)


def _apart(axis: Axis, values: tuple[float, ...], least: float) -> tuple[float, ...]:
    """Return the ticks that are at least a part of the axis from each other: even numbers are not even on its scale."""
    result: list[float] = []
    for value in values:
        if not result or axis.place(value) - axis.place(result[-1]) >= least:
            result.append(value)
    return tuple(result)


def _linear(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return multiples of the least round step that gives few enough ticks."""
    size = 10.0 ** math.floor(math.log10((high - low) / max(1, most)))
    for factor in _STEPS:
        step = size * factor
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    return tuple(float(f"{number * step:.12g}") for number in range(first, last + 1))


def _powers(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return powers of ten, with 2 and 5 between them where there is space."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1, 2, 5), (1, 3), (1,)):
        values = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        values = [float(f"{value:.12g}") for value in values if low <= value <= high]
        if len(values) <= most:
            return tuple(values)
    return tuple(values[:: -(-len(values) // most)])


def tick_text(value: float) -> str:
    """Return the text of a tick."""
    return f"{value:g}".replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−")
