"""Lines: measured points that differ in one parameter only, and show the effect of this parameter.

Source: Ritter et al., Learning Cost-Effective Sampling Strategies, sections II and III.A. Unlike in
the paper, all lines of three or more points are used, each with a separate level and slope.
"""

from __future__ import annotations

import numpy as np

from splc.types import Array


def lines(points: Array, parameter: int) -> tuple[Array, ...]:
    """Return the lines along a parameter: rows of points that agree in all other parameters, two or more of them.

    `points`: distinct points, shape (n, parameters).
    """
    other_coordinates = np.delete(points, parameter, axis=1)
    _, line_of = np.unique(other_coordinates, axis=0, return_inverse=True)
    order = np.lexsort((points[:, parameter], line_of.ravel()))
    ends = np.flatnonzero(np.diff(line_of.ravel()[order])) + 1
    return tuple(rows for rows in np.split(order, ends) if len(rows) > 1)


def by_length(all_lines: tuple[Array, ...]) -> dict[int, Array]:
    """Return length → the lines of this length, shape (lines, length)."""
    lengths = sorted({len(rows) for rows in all_lines})
    return {length: np.array([rows for rows in all_lines if len(rows) == length]) for length in lengths}


def longest(points: Array, parameter: int) -> int:
    """Return the number of points of the longest line along a parameter; 1 without any line."""
    return max((len(rows) for rows in lines(points, parameter)), default=1)
