"""Detection of one change of behaviour along one of several parameters.

The windows of five points that `splc.scaling.single.segmented` fits are those of all lines along a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from splc.scaling.multi.lines import lines
from splc.scaling.single.segmented import MIN_POINTS, WORTH_A_CHANGE, change_point
from splc.types import Array

# A segment has at least this number of values of the parameter that the behaviour changes along.
_MIN_VALUES = 3


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
    """Yield each parameter along which the behaviour changes: its position, the rows of both segments, and the change.

    `points`: distinct points, shape (n, parameters). `values`: shape (n,). The change is the last value of the lower
    segment.
    """
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
    """Return the step that explains positive values much better than powers of the parameters alone, None without one.

    `points`: distinct points, shape (n, parameters). `values`: shape (n,).
    """
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
