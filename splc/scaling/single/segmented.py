"""Detection of one change of behaviour, with windows of five points.

Source: Ilyas et al., Off-Road Performance Modeling (Euro-Par 2017), with the thresholds of Extra-P 4.2.5.
"""

from __future__ import annotations

import numpy as np

from splc.scaling.single.classic import basic
from splc.types import Array

WINDOW = 5
MIN_POINTS = 9
_BAD, _MARKED, _RATIO = 0.5, 0.1, 4.0
# Errors below one percent are noise at any ratio.
_NOISE = 0.01
# With noise alone windows differ by more than the rule's ratio in up to a third of all cases (±5 % noise, ten points).
# Two models must therefore be twice as good as one (not in Extra-P).
WORTH_A_CHANGE = 2.0


def change_point(x: Array, values: Array) -> tuple[Array, Array, float] | None:
    """Return the points of both segments as positions and the last x of the lower one; None for one segment.

    A model is fitted to every window of five points in turn. A window across the change fits badly: its error, the
    root of the residual sum of squares over the mean value, is large or several times its neighbour's.

    `x`: distinct points, ascending, shape (n,). `values`: shape (n,); or (lines, n), whose errors are averaged.
    """
    if len(x) < MIN_POINTS:
        return None
    windows = len(x) - WINDOW + 1
    values = np.atleast_2d(values)
    errors = np.array([window_error(x[at : at + WINDOW], values[:, at : at + WINDOW]) for at in range(windows)])
    jumps = np.zeros(windows, dtype=bool)
    for at in range(1, windows):
        low, high = sorted((errors[at - 1], errors[at]))
        if high > _NOISE and high > _RATIO * low:
            jumps[at if errors[at] > errors[at - 1] else at - 1] = True
    if not (errors.max() > _BAD or jumps.any()):
        return None
    marked = np.flatnonzero((errors >= _MARKED) | jumps)
    middle = int(marked[len(marked) // 2])
    if len(marked) == 3:
        # The centre of the middle window belongs to both segments.
        shared = middle + WINDOW // 2
        lower, upper = np.arange(shared + 1), np.arange(shared, len(x))
    else:
        last = max(middle - 1, 0) + 2
        lower, upper = np.arange(last + 1), np.arange(last + 1, len(x))
    return lower, upper, float(x[lower[-1]])


def window_error(x: Array, values: Array) -> float:
    """Return the root of the residual sum of squares of a window's models, relative to the mean values.

    `values`: shape (lines, window). Of several lines it is the root mean square.
    """
    mean = np.abs(values).mean(axis=1)
    fitted = basic(x, values).values(x[:, None])
    squares = ((fitted - values) ** 2).sum(axis=1) / np.where(mean > 0, mean, 1.0) ** 2
    return float(np.sqrt(squares.mean()))
