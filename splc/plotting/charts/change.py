"""The effects of options in two models beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.plotting.charts.chart import Axis, Chart, Curve, Mark, Panel, Spans
from splc.types import Array

# The greatest number of panels.
MAX_PANELS = 12
# The distance of the marks of the two models at one value.
_APART = 0.08


@dataclass(frozen=True)
class TwoEffects:
    """The effects of the values of an option in two models.

    Attributes:
        name: the option.
        labels: its values.
        old: mean predictions of the first model with the ends of their intervals, shape (3, k).
        new: those of the second model.
    """

    name: str
    labels: tuple[str, ...]
    old: Array
    new: Array


def change_chart(effects: Sequence[TwoEffects], names: tuple[str, str], quantity: str) -> Chart:
    """Return a chart with a panel for each option.

    Args:
        effects: the options, the most changed first.
        names: the names of the models.
        quantity: what they predict.
    """
    shown = effects[:MAX_PANELS]
    axis = Axis.over(np.concatenate([np.concatenate([each.old, each.new]).ravel() for each in shown]), quantity)
    panels = []
    for each in shown:
        at = np.arange(len(each.labels), dtype=float)
        marks: list[Mark] = []
        for values, role, shift in ((each.old, "quiet", -_APART), (each.new, "model", _APART)):
            marks.append(Spans(values[1], values[2], role, across=False, at=at + shift))  # type: ignore[arg-type]
            marks.append(Curve(at + shift, values[0], role, marked=True))  # type: ignore[arg-type]
        panels.append(Panel(Axis.of_names(each.labels), axis, tuple(marks), each.name, 250, 220))
    rest = f" {len(effects) - len(shown)} further options are not drawn." if len(effects) > len(shown) else ""
    return Chart(
        "change",
        f"{quantity}: {names[0]} and {names[1]}",
        f"Mean prediction over all valid configurations at each value, with 90 % intervals.{rest}",
        tuple(panels),
        {"quiet": names[0], "model": names[1]},
        {
            "option": [each.name for each in effects for _ in each.labels],
            "value": [label for each in effects for label in each.labels],
            names[0]: [float(value) for each in effects for value in each.old[0]],
            names[1]: [float(value) for each in effects for value in each.new[0]],
        },
    )
