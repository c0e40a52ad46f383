"""Courses: errors along learning sets and sizes of models, scaling models along parameters, tuning runs, and fronts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.io.numbers import small_share
from splc.plotting.charts.chart import (
    Axis,
    Band,
    BarMarks,
    Chart,
    Curve,
    Mark,
    Panel,
    Points,
    ReferenceLine,
    Role,
    Spans,
    columns_of,
    role_of,
)
from splc.types import Array

# Numbers of configurations, mean errors in percent, their standard deviations.
Line = Sequence[tuple[float, float, float]]
_MOST = 12  # the greatest number of panels of options that were tried
MAX_BARS = 200  # taller pictures cannot be drawn
# What runs of a tuning run are for, by the role of their points.
PHASES: Mapping[Role, tuple[str, ...]] = {
    "quiet": ("default", "cover"),
    "measured": ("search", "repeat", "explore"),
    "rise": ("choose", "verify"),
}
_PHASE_NAMES: Mapping[Role, str] = {"quiet": "first design", "measured": "search", "rise": "verification"}


def learning_curve_chart(
    panels: Mapping[str, Mapping[str, Line]], learners: Sequence[str], title: str, line: str = "learner"
) -> Chart:
    """Return a chart of errors with their standard deviations: title of a panel → learner → ascending points.

    The order of all learners decides their colours; those without points have no line. `line`: what a line is.
    """
    points = [(panel, name, *point) for panel, lines in panels.items() for name in lines for point in lines[name]]
    several = len(panels) > 1
    size = (320, 240) if several else (560, 320)
    used = {name for _, name, *_ in points}
    legend: dict[Role, str] = {}
    for index, name in enumerate(learners):
        if name in used:
            role = role_of(index)
            legend[role] = f"{legend[role]}, {name}" if role in legend else name
    spread = " Vertical lines are standard deviations." if any(deviation for *_, deviation in points) else ""
    table = columns_of(("panel", line, "configurations", "error %", "standard deviation"), points)
    if not several:
        del table["panel"]
    return Chart(
        "learning-curves",
        title,
        f"The mean error on configurations not learned from, against the number of those learned from.{spread}",
        tuple(_learning_panel(lines, learners, name if several else "", size) for name, lines in panels.items()),
        legend,
        table,
    )


def _learning_panel(lines: Mapping[str, Line], learners: Sequence[str], title: str, size: tuple[int, int]) -> Panel:
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


def size_chart(sizes: Sequence[int], errors: Sequence[float], chosen: int | None, full: float | None) -> Chart:
    """Return a chart of the expected error in percent against the number of terms.

    `chosen`: the number of terms of the printed model. `full`: the expected error of the full model.
    """
    x = Axis.over(sizes, "number of terms", log=False)
    y = Axis.over([*errors, *([] if full is None else [full])], "expected error, %", zero=True, log=False)
    marks: list[Mark] = [] if full is None else [ReferenceLine(y=full, text="full model")]
    if chosen is not None:
        marks.append(ReferenceLine(x=float(chosen), text="printed"))
    marks.append(Curve(np.array(sizes, dtype=float), np.array(errors), marked=True))
    return Chart(
        "sizes",
        "How many terms are needed",
        "The expected error on new configurations of the best model of each number of terms.",
        (Panel(x, y, tuple(marks), "", 420, 240),),
        {},
        {"terms": list(sizes), "expected error %": list(errors)},
    )


@dataclass(frozen=True, eq=False)
class ScalingCurve:
    """A model along one parameter: measured values, shape (k,), and predictions with bounds, shape (n,).

    Its values x ascend; predictions and bounds are not finite where there is none.
    """

    name: str
    measured_at: Array
    measured: Array
    x: Array
    predicted: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Slice:
    """Models along one parameter, the others being fixed."""

    parameter: str
    fixed: Mapping[str, float]
    curves: Sequence[ScalingCurve]


def curve_chart(slices: Sequence[Slice], name: str, metric: str) -> Chart:
    """Return a chart of a metric with a panel for each model and parameter."""
    panels = []
    for part in slices:
        fixed = "".join(f", {parameter} = {value:g}" for parameter, value in part.fixed.items())
        for curve in part.curves:
            x = Axis.over(np.concatenate([curve.measured_at, curve.x]), f"{part.parameter}{fixed}")
            y = Axis.over(np.concatenate([curve.measured, curve.predicted, curve.lower, curve.upper]), metric)
            marks: list[Mark] = [Band(curve.x, curve.lower, curve.upper), Points(curve.measured_at, curve.measured)]
            if len(curve.measured_at):
                marks.insert(0, ReferenceLine(x=float(curve.measured_at.max()), text="last measured"))
            panels.append(Panel(x, y, (*marks, Curve(curve.x, curve.predicted)), curve.name, 340, 250))
    rows = (
        (curve.name, part.parameter, *map(float, row))
        for part in slices
        for curve in part.curves
        for row in zip(curve.x, curve.predicted, curve.lower, curve.upper, strict=True)
    )
    return Chart(
        name,
        f"{metric} along the parameters",
        "Measured means, the model and its 90 % interval. Right of the dashed line nothing was measured.",
        tuple(panels),
        {"model": "model, 90 % interval", "measured": "measured"},
        columns_of(("model", "parameter", "at", "predicted", "low", "high"), rows),
    )


@dataclass(frozen=True)
class ShareBar:
    """The shares of one name in percent: `now` at the measured points, `later` at the target."""

    name: str
    now: float
    later: float


def share_chart(bars: Sequence[ShareBar], now: str, later: str, title: str, name: str = "shares") -> Chart:
    """Return a chart of shares, the first one on top; `now` and `later` name the measured points and the target."""
    shown = bars[:MAX_BARS]
    first, last = (np.array([getattr(bar, which) for bar in shown], dtype=float) for which in ("now", "later"))
    axis = Axis.over(np.concatenate([first, last]), "share, %", log=False, zero=True)
    bars_later = BarMarks(np.zeros(len(shown)), last, ("model",), tuple(small_share(bar.later) for bar in shown))
    points = Points(first, np.arange(len(shown), dtype=float), "rise")
    # Long names may look the same when they are shortened: ranks tell them apart.
    names = [f"{bar.name}  {rank}" for rank, bar in enumerate(shown, 1)]
    return Chart(
        name,
        title,
        f"The share of each call path at {later} as a bar, and at {now} as a point.",
        (Panel(axis, Axis.of_names(names), (bars_later, points), "", 640, 0),),
        {"model": later, "rise": now},
        columns_of(
            ("name", f"share % at {now}", f"share % at {later}"), ((bar.name, bar.now, bar.later) for bar in bars)
        ),
    )


def front_chart(front: Array, measured: Array, names: tuple[str, str], title: str) -> Chart:
    """Return a chart of the predictions of a Pareto front, shape (n, 2), and of measured values, shape (k, 2).

    The names are the two properties with their units.
    """
    front = front[np.argsort(front[:, 0], kind="stable")]
    both = np.concatenate([front, measured])
    marks: tuple[Mark, ...] = (Curve(front[:, 0], front[:, 1], marked=True),)
    legend: dict[Role, str] = {"model": f"predicted Pareto front ({len(front):,} configurations)"}
    if len(measured):
        marks = (Points(measured[:, 0], measured[:, 1]), *marks)
        legend["measured"] = f"measured ({len(measured):,} configurations)"
    return Chart(
        "front",
        title,
        "Configurations that no other one is predicted to beat in both properties, joined in the order of the first "
        "property.",
        (Panel(Axis.over(both[:, 0], names[0]), Axis.over(both[:, 1], names[1]), marks, "", 520, 400),),
        legend,
        {name: front[:, at].tolist() for at, name in enumerate(names)},
    )


def progress_chart(whys: Sequence[str], values: Array, best: Array, default: float | None, quantity: str) -> Chart:
    """Return a chart of the value of each run of a tuning run, NaN of failed ones, and of the best one so far.

    `whys`: what each run is for, see `PHASES`. `default`: the verified value of the default.
    """
    at = np.arange(1.0, len(values) + 1)
    phases = _phases(whys)
    marks: list[Mark] = [] if default is None else [ReferenceLine(y=default, text="default")]
    marks += [Curve(at, best), *(Points(at[rows], values[rows], role) for role, rows in phases.items())]
    x = Axis.over(at, "run", log=False)
    y = Axis.over(np.append(values, [] if default is None else [default]), quantity)
    return Chart(
        "tuning-progress",
        "Best value over the runs",
        "The value of each run, and the best one so far. Runs that verify decide which value is reported: the luckiest "
        "run of the search is better than it.",
        (Panel(x, y, tuple(marks), "", 560, 320),),
        {"model": "best so far", **{role: _PHASE_NAMES[role] for role in phases}},
        {"run": at.astype(int).tolist(), "why": list(whys), quantity: values.tolist(), "best": best.tolist()},
    )


def tried_chart(whys: Sequence[str], options: Mapping[str, Sequence[float | str | None]]) -> Chart:
    """Return a chart of the values that options have in each run, None where they are deselected.

    `whys`: what each run is for, see `PHASES`. 12 options are drawn.
    """
    at = np.arange(1.0, len(whys) + 1)
    phases = _phases(whys)
    panels = []
    for name, values in list(options.items())[:_MOST]:
        axis, y = _tried_axis(values)
        points = tuple(Points(at[rows], y[rows], role) for role, rows in phases.items())
        panels.append(Panel(Axis.over(at, "run", log=False), axis, points, name, 340, 180))
    table = {name: [_text(value) for value in values] for name, values in options.items()}
    return Chart(
        "tuning-tried",
        "Where it searched",
        "The value of each option in each run: a search that is sure of an option keeps its value.",
        tuple(panels),
        {role: _PHASE_NAMES[role] for role in phases},
        {"run": at.astype(int).tolist(), **table},
    )


def _phases(whys: Sequence[str]) -> dict[Role, Array]:
    """Return the role of points → the places of the runs, without empty ones."""
    phases = {role: np.flatnonzero([why in names for why in whys]) for role, names in PHASES.items()}
    return {role: rows for role, rows in phases.items() if len(rows)}


def _tried_axis(values: Sequence[float | str | None]) -> tuple[Axis, Array]:
    """Return the axis of an option, and the places of values on it."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) == len(values) and len(set(numbers)) > 2:
        return Axis.over(numbers, "value"), np.array(numbers, dtype=float)
    texts = [_text(value) for value in values]
    names = sorted(set(texts))
    return Axis.of_names(names), np.array([names.index(text) for text in texts], dtype=float)


def _text(value: float | str | None) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, int | float) else value
