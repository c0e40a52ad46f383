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
    axis = Axis.over(np.concatenate([np.concatenate([effect.old, effect.new]).ravel() for effect in shown]), quantity)
    panels = []
    for effect in shown:
        at = np.arange(len(effect.labels), dtype=float)
        marks: list[Mark] = []
        for values, role, shift in ((effect.old, "quiet", -_APART), (effect.new, "model", _APART)):
            marks.append(Spans(values[1], values[2], role, across=False, at=at + shift))  # type: ignore[arg-type]
            marks.append(Curve(at + shift, values[0], role, marked=True))  # type: ignore[arg-type]
        panels.append(Panel(Axis.of_names(effect.labels), axis, tuple(marks), effect.name, 250, 220))
    hidden = f" {len(effects) - len(shown)} further options are not drawn." if len(effects) > len(shown) else ""
    return Chart(
        "change",
        f"{quantity}: {names[0]} and {names[1]}",
        f"Mean prediction over all valid configurations at each value, with 90 % intervals.{hidden}",
        tuple(panels),
        {"quiet": names[0], "model": names[1]},
        {
            "option": [effect.name for effect in effects for _ in effect.labels],
            "value": [label for effect in effects for label in effect.labels],
            names[0]: [float(value) for effect in effects for value in effect.old[0]],
            names[1]: [float(value) for effect in effects for value in effect.new[0]],
        },
    )
