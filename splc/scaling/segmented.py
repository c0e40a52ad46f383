"""Detection of one change of behaviour, with windows of five points, along the only one or one of several parameters.

Source: Ilyas et al., Off-Road Performance Modeling (Euro-Par 2017), from six points on, with the thresholds of Extra-P
4.2.5, which needs nine. Of the splits in the marked windows the one with the best models is taken: the middle window of
Extra-P puts the last point of the first segment into the second where a window fits across the change. The windows of
several parameters are those of all lines along one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from splc.scaling.classic import basic
from splc.scaling.data import lines
from splc.types import Array

WINDOW = 5
MIN_POINTS = 6
_BAD, _BAD_OF_FEW, _MARKED, _RATIO = 0.5, 0.2, 0.1, 4.0
_NOISE = 0.01  # errors below one percent are noise at any ratio
# Fewest points of a segment; a point is in both segments if that is at most so much worse.
_SIDE, _SHARED, _EXACT = 3, 1.5, 1e-9
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
    # With fewer than nine points all windows may be across the change, so that no ratio shows it.
    if not (errors.max() > (_BAD if len(x) > 2 * (WINDOW - 1) else _BAD_OF_FEW) or jumps.any()):
        return None
    marked = np.flatnonzero((errors >= _MARKED) | jumps)
    first, last = int(marked[0]), int(marked[-1]) + WINDOW - 1
    # The end of the lower segment, which may also be the start of the upper one.
    splits = [
        (end, start)
        for end in range(max(first, _SIDE - 1), min(last, len(x) - _SIDE) + 1)
        for start in (end, end + 1)
        if len(x) - start >= _SIDE
    ]
    if not splits:
        return None
    missed = []
    for end, start in splits:
        sides = slice(end + 1), slice(start, None)
        squares = sum(window_error(x[side], values[:, side]) ** 2 for side in sides)
        missed.append(float(np.sqrt(squares / sum(len(x[side]) for side in sides))))
    is_shared = np.array([end == start for end, start in splits])
    apart, shared = (np.where(mask, missed, np.inf) for mask in (~is_shared, is_shared))
    at = int(np.argmin(shared if shared.min() <= _SHARED * apart.min() + _EXACT else apart))
    end, start = splits[at]
    return np.arange(end + 1), np.arange(start, len(x)), float(x[end])


def window_error(x: Array, values: Array) -> float:
    """Return the root mean square error of a window's models of each line, relative to the lines' mean values."""
    mean = np.abs(values).mean(axis=1)
    fitted = basic(x, values).values(x[:, None])
    squares = ((fitted - values) ** 2).sum(axis=1) / np.where(mean > 0, mean, 1.0) ** 2
    return float(np.sqrt(squares.mean()))


_MIN_VALUES = 3  # a segment has at least this number of values of the parameter that the behaviour changes along


def long_lines(points: Array, parameter: int) -> tuple[Array, Array] | None:
    """Return the values of a parameter on its longest lines, and the lines with these values, shape (lines, values)."""
    if points.shape[1] == 1:
        enough = len(points) >= MIN_POINTS
        return (points[:, 0], np.arange(len(points))[None]) if enough else None
    lines_of: dict[bytes, list[Array]] = {}
    for rows in lines(points, parameter):
        if len(rows) >= MIN_POINTS:
            lines_of.setdefault(points[rows, parameter].tobytes(), []).append(rows)
    if not lines_of:
        return None
    best = max(lines_of.values(), key=lambda group: (len(group[0]), len(group)))
    return points[best[0], parameter], np.array(best)


def changes(points: Array, values: Array) -> Iterator[tuple[int, Array, Array, float]]:
    """Yield each parameter along which the behaviour changes, the rows of both segments, and the change."""
    parameters = points.shape[1]
    for parameter in range(parameters):
        longest = long_lines(points, parameter)
        change = None if longest is None else change_point(longest[0], values[longest[1]])
        if longest is None or change is None:
            continue
        first = longest[0][change[1][0]]
        lower, upper = np.flatnonzero(points[:, parameter] <= change[2]), np.flatnonzero(points[:, parameter] >= first)
        sizes = [len(np.unique(points[rows, parameter])) for rows in (lower, upper)]
        # Models of several parameters fit few points with any behaviour.
        few = min(sizes) < _MIN_VALUES or min(len(lower), len(upper)) < 2 * parameters + 3
        if parameters == 1 or not few:
            yield parameter, lower, upper, change[2]


def jump(points: Array, values: Array) -> tuple[int, float, float] | None:
    """Return the step (parameter, value, factor) that explains positive values much better than powers do."""
    if (values <= 0).any() or (points <= 0).any():
        return None
    logarithms, powers = np.log(values), np.column_stack([np.ones(len(values)), np.log(points)])

    def fitted(design: Array) -> tuple[float, float]:
        coefficients = np.linalg.lstsq(design, logarithms, rcond=None)[0]
        return float(np.sqrt(((logarithms - design @ coefficients) ** 2).mean())), float(coefficients[-1])

    steps = [
        (*fitted(np.column_stack([powers, points[:, parameter] >= value])), parameter, float(value))
        for parameter in range(points.shape[1])
        # On each side there are two values, which show that it is no power.
        for value in np.unique(points[:, parameter])[2:-1]
    ]
    error, size, parameter, value = min(steps, default=(np.inf, 0.0, 0, 0.0))
    return (parameter, value, float(np.exp(size))) if error < fitted(powers)[0] / WORTH_A_CHANGE else None
