"""Tuning runs: the best value over the runs, and the values of options that were tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from splc.plotting.charts.chart import Axis, Chart, Curve, Mark, Panel, Points, ReferenceLine, Role
from splc.types import Array

# Panels of options, the first ones.
_MOST = 12
# What runs are for, by the role of their points.
PHASES: Mapping[Role, tuple[str, ...]] = {
    "quiet": ("default", "cover"),
    "measured": ("search", "repeat", "explore"),
    "rise": ("choose", "verify"),
}
_LEGEND: Mapping[Role, str] = {
    "model": "best so far",
    "quiet": "first design",
    "measured": "search",
    "rise": "verification",
}


def progress_chart(whys: Sequence[str], values: Array, best: Array, default: float | None, quantity: str) -> Chart:
    """Return a chart of the value of each run, and of the best one so far.

    Args:
        whys: what each run is for, see `PHASES`.
        values: the values, NaN of failed runs, shape (n,).
        best: the best value so far, NaN before there is one, shape (n,).
        default: the verified value of the default, None without one.
        quantity: what is measured, with its unit.
    """
    at = np.arange(1.0, len(values) + 1)
    marks: list[Mark] = [] if default is None else [ReferenceLine(y=default, text="default")]
    marks.append(Curve(at, best))
    for role, rows in _places(whys).items():
        marks.append(Points(at[rows], values[rows], role))
    x = Axis.over(at, "run", log=False)
    y = Axis.over(np.append(values, [] if default is None else [default]), quantity)
    return Chart(
        "tuning-progress",
        "Best value over the runs",
        "The value of each run, and the best one so far. Runs that verify decide which value is reported: the luckiest "
        "run of the search is better than it.",
        (Panel(x, y, tuple(marks), "", 560, 320),),
        {role: text for role, text in _LEGEND.items() if role == "model" or role in _places(whys)},
        {"run": at.astype(int).tolist(), "why": list(whys), quantity: values.tolist(), "best": best.tolist()},
    )


def tried_chart(whys: Sequence[str], options: Mapping[str, Sequence[float | str | None]]) -> Chart:
    """Return a chart of the values that options have in each run.

    Args:
        whys: what each run is for, see `PHASES`.
        options: option → its value in each run, None where it is deselected; 12 of them are drawn.
    """
    at = np.arange(1.0, len(whys) + 1)
    panels = []
    for name, values in list(options.items())[:_MOST]:
        axis, y = _axis(name, values)
        points = tuple(Points(at[rows], y[rows], role) for role, rows in _places(whys).items())
        panels.append(Panel(Axis.over(at, "run", log=False), axis, points, name, 340, 180))
    table = {name: [_text(value) for value in values] for name, values in options.items()}
    return Chart(
        "tuning-tried",
        "Where it searched",
        "The value of each option in each run: a search that is sure of an option keeps its value.",
        tuple(panels),
        {role: text for role, text in _LEGEND.items() if role in _places(whys)},
        {"run": at.astype(int).tolist(), **table},
    )


def _places(whys: Sequence[str]) -> dict[Role, Array]:
    """Return the role of points → the places of the runs, without empty ones."""
    phases = {role: np.flatnonzero([why in names for why in whys]) for role, names in PHASES.items()}
    return {role: rows for role, rows in phases.items() if len(rows)}


def _axis(name: str, values: Sequence[float | str | None]) -> tuple[Axis, Array]:
    """Return the axis of an option, and the places of values on it."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) == len(values) and len(set(numbers)) > 2:
        return Axis.over(numbers, "value"), np.array(numbers, dtype=float)
    texts = [_text(value) for value in values]
    names = sorted(set(texts))
    return Axis.of_names(names), np.array([names.index(text) for text in texts], dtype=float)


def _text(value: float | str | None) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, int | float) else value
