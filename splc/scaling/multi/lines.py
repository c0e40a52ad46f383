"""Lines: measured points that differ in one parameter only, from which a parameter's own behaviour can be seen.

Source: Ritter et al., Learning Cost-Effective Sampling Strategies, sections II and III.A. Unlike there, no line is
chosen and none averaged with others: every line of three points or more is fitted with a level and a slope of its own.
"""

from __future__ import annotations

import numpy as np

from splc.types import Array


def lines(points: Array, parameter: int) -> tuple[Array, ...]:
    """Return the lines along a parameter: rows of points that agree in all other parameters, two or more of them.

    Args:
        points: distinct points, shape (n, parameters).
        parameter: which one varies.

    Returns:
        rows, ascending in the parameter; the lines in the order of their other coordinates.
    """
    others = np.delete(points, parameter, axis=1)
    _, which = np.unique(others, axis=0, return_inverse=True)
    order = np.lexsort((points[:, parameter], which.ravel()))
    ends = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    return tuple(each for each in np.split(order, ends) if len(each) > 1)


def by_length(found: tuple[Array, ...]) -> dict[int, Array]:
    """Return lines of the same length as the rows of one array, shape (lines, length)."""
    lengths = sorted({len(each) for each in found})
    return {length: np.array([each for each in found if len(each) == length]) for length in lengths}


def longest(points: Array, parameter: int) -> int:
    """Return how many points the longest line along a parameter has; 1 where there is none."""
    return max((len(each) for each in lines(points, parameter)), default=1)
