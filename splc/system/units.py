"""Values that are off by a constant factor, as in another unit: 256 where a description has 0.256."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
    factor = unit_factor(listed, found)
    if factor is None:
        return None
    ratio, cure = (f"{factor:g} times", "divide") if factor > 1 else (f"1/{1 / factor:g} of", "multiply")
    example = f"{found[-1]:g} instead of {found[-1] / factor:g}"
    number = f"{max(factor, 1 / factor):g}"
    return ColumnProblem(
        f"{name}: values are {ratio} those of the description ({example}), as in another unit; "
        f"{cure} the column by {number}, or {'multiply' if factor > 1 else 'divide'} the values in the description"
    )


def unit_remark(listed: Sequence[float], found: Sequence[float]) -> str | None:
    """Return a remark on values that are off by a constant factor, None if they are not."""
    factor = unit_factor(listed, found)
    if factor is None:
        return None
    example = float(found[-1])
    relation = f"{factor:g} times" if factor > 1 else f"1/{1 / factor:g} of"
    return f"{example:g} is {relation} {example / factor:g}: another unit?"
