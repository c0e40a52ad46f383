"""The Pareto front of two properties, with the measured configurations."""

from __future__ import annotations

import numpy as np

from splc.plotting.charts.chart import Axis, Chart, Curve, Mark, Panel, Points, Role
from splc.types import Array


def front_chart(front: Array, measured: Array, names: tuple[str, str], title: str) -> Chart:
    """Return a chart of predicted optima and of measured values.

    Args:
        front: the predictions of the configurations of the front, shape (n, 2).
        measured: the measured values of configurations, shape (k, 2).
        names: the two properties with their units.
        title: the title.
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
