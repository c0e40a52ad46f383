"""Errors against the number of configurations learned from: a panel for each system, a line for each learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from splc.plotting.charts.chart import Axis, Chart, Curve, Mark, Panel, Role, Spans
from splc.plotting.charts.palette import role_of
from splc.types import Array

# Numbers of configurations, mean errors in percent, their standard deviations.
Line = Sequence[tuple[float, float, float]]


def learning_curve_chart(
    panels: Mapping[str, Mapping[str, Line]], learners: Sequence[str], title: str, line: str = "learner"
) -> Chart:
    """Return a chart of errors with their standard deviations.

    Args:
        panels: title of a panel → learner → its points in ascending order of the number of configurations.
        learners: all learners, whose order decides their colours; those without points have no line.
        title: the title.
        line: what a line is.
    """
    points = [(panel, name, *point) for panel, lines in panels.items() for name in lines for point in lines[name]]
    several = len(panels) > 1
    drawn = tuple(
        _panel(lines, learners, panel if several else "", (320, 240) if several else (560, 320))
        for panel, lines in panels.items()
    )
    used = {name for lines in panels.values() for name, line in lines.items() if line}
    legend: dict[Role, str] = {}
    for index, name in enumerate(learners):
        if name in used:
            role = role_of(index)
            legend[role] = f"{legend[role]}, {name}" if role in legend else name
    spread = " Vertical lines are standard deviations." if any(deviation for *_, deviation in points) else ""
    return Chart(
        "learning-curves",
        title,
        f"The mean error on configurations not learned from, against the number of those learned from.{spread}",
        drawn,
        legend,
        {
            **({"panel": [panel for panel, *_ in points]} if several else {}),
            line: [name for _, name, *_ in points],
            "configurations": [size for _, _, size, *_ in points],
            "error %": [error for *_, error, _ in points],
            "standard deviation": [deviation for *_, deviation in points],
        },
    )


def _panel(lines: Mapping[str, Line], learners: Sequence[str], title: str, size: tuple[int, int]) -> Panel:
    points = np.array([point for line in lines.values() for point in line], dtype=float).reshape(-1, 3)
    x = Axis.over(points[:, 0], "configurations learned from")
    log = Axis.over(points[:, 1], "").log
    y = Axis.over(np.concatenate([_low(points), points[:, 1] + points[:, 2]]), "error, %", log=log, zero=not log)
    marks: list[Mark] = []
    for index, name in enumerate(learners):
        if line := lines.get(name):
            values, role = np.array(line, dtype=float), role_of(index)
            spread = np.where(values[:, 2] > 0, values[:, 2], np.nan)
            marks.append(Spans(_low(values), values[:, 1] + spread, role, across=False, at=values[:, 0]))
            marks.append(Curve(values[:, 0], values[:, 1], role, marked=True))
    return Panel(x, y, tuple(marks), title, *size)


def _low(points: Array) -> Array:
    """Return the lower ends of lines, above 0, which a logarithmic axis does not have."""
    return np.asarray(points[:, 1] - np.minimum(points[:, 2], 0.9 * np.abs(points[:, 1])))
