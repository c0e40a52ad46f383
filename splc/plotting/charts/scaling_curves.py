"""Scaling models along a parameter: measured values, the model, and its prediction interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.plotting.charts.chart import Axis, Band, Chart, Curve, Mark, Panel, Points, ReferenceLine
from splc.types import Array


@dataclass(frozen=True, eq=False)
class ScalingCurve:
    """A model along one parameter.

    Attributes:
        name: its name.
        measured_at: the values of the parameter with a measurement, shape (k,).
        measured: the measured values, shape (k,).
        x: values of the parameter, ascending, shape (n,).
        predicted: the predictions, shape (n,); not finite where there is none, as for the bounds.
        lower: the lower bounds of the intervals, shape (n,).
        upper: the upper bounds of the intervals, shape (n,).
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
    """Models along one parameter, the others being fixed.

    Attributes:
        parameter: the parameter.
        fixed: the others with their values.
        curves: the models.
    """

    parameter: str
    fixed: Mapping[str, float]
    curves: Sequence[ScalingCurve]


def curve_chart(slices: Sequence[Slice], name: str, metric: str) -> Chart:
    """Return a chart with a panel for each model and parameter.

    Args:
        slices: models along one parameter each.
        name: the name of the chart.
        metric: what is measured.
    """
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
    curves = [(part.parameter, curve) for part in slices for curve in part.curves]
    return Chart(
        name,
        f"{metric} along the parameters",
        "Measured means, the model and its 90 % interval. Right of the dashed line nothing was measured.",
        tuple(panels),
        {"model": "model, 90 % interval", "measured": "measured"},
        {
            "model": [curve.name for _, curve in curves for _ in curve.x],
            "parameter": [parameter for parameter, curve in curves for _ in curve.x],
            "at": [float(value) for _, curve in curves for value in curve.x],
            "predicted": [float(value) for _, curve in curves for value in curve.predicted],
            "low": [float(value) for _, curve in curves for value in curve.lower],
            "high": [float(value) for _, curve in curves for value in curve.upper],
        },
    )
