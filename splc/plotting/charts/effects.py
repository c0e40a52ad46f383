"""The effect of each value of an option: mean predictions with a band, and the measured values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.plotting.charts.chart import Axis, Band, Chart, Curve, Mark, Panel, Points, Spans, beside, spread
from splc.types import Array

# The greatest number of panels.
MAX_PANELS = 12


@dataclass(frozen=True)
class ValueEffects:
    """The effect of the values of an option.

    Attributes:
        name: the option.
        labels: its values as texts.
        numbers: its values as numbers; None for names.
        means: the mean prediction at each value, shape (k,).
        low: the lower ends of their intervals, shape (k,), NaN where they are not known.
        high: the upper ends.
        at: the position of the value of each measured row, shape (n,), -1 where it has none of them.
    """

    name: str
    labels: tuple[str, ...]
    numbers: tuple[float, ...] | None
    means: Array
    low: Array
    high: Array
    at: Array


def effects_chart(effects: Sequence[ValueEffects], measured: Array, quantity: str) -> Chart:
    """Return a chart with a panel for each option, the most important first.

    Args:
        effects: the options.
        measured: the measured values, shape (n,).
        quantity: what is measured.
    """
    shown = effects[:MAX_PANELS]
    keys = spread(len(measured))
    values = np.concatenate(
        [measured[keys], *[np.concatenate([effect.means, effect.low, effect.high]) for effect in shown]]
    )
    axis = Axis.over(values, quantity, log=None)
    panels = tuple(_panel(effect, measured, keys, axis) for effect in shown)
    hidden = f" {len(effects) - len(shown)} less important ones are not drawn." if len(effects) > len(shown) else ""
    some = f" {len(keys)} of {len(measured):,} measured values are drawn." if len(keys) < len(measured) else ""
    known = any(np.isfinite(effect.low).any() for effect in effects)
    band = ", with the 90 % interval of the change from the first value" if known else ""
    return Chart(
        "effects",
        f"How {quantity} changes with each option",
        f"Mean prediction over all valid configurations at each value{band}.{some}{hidden}",
        panels,
        {"model": "mean prediction", "measured": "measured"} if len(measured) else {},
        {
            "option": [effect.name for effect in effects for _ in effect.labels],
            "value": [label for effect in effects for label in effect.labels],
            "mean": [float(mean) for effect in effects for mean in effect.means],
            "low": [float(low) for effect in effects for low in effect.low],
            "high": [float(high) for effect in effects for high in effect.high],
        },
    )


def _panel(effect: ValueEffects, measured: Array, keys: Array, y: Axis) -> Panel:
    marks: list[Mark] = []
    at = effect.at[keys] if len(keys) else np.zeros(0, dtype=int)
    keys = keys[at >= 0]
    at = at[at >= 0]
    if effect.numbers is not None:
        numbers = np.array(effect.numbers)
        positions = numbers[at]
        x = Axis.over(numbers, "")
        if len(numbers) <= 6:
            x = Axis(x.label, x.low, x.high, x.log, at=effect.numbers)
        if np.isfinite(effect.low).any():
            marks.append(Band(numbers, effect.low, effect.high))
        line = Curve(numbers, effect.means, marked=True)
    else:
        positions = at + beside(len(at))
        x = Axis.of_names(effect.labels)
        numbers = np.arange(len(effect.labels), dtype=float)
        marks.append(Spans(effect.low, effect.high, across=False))
        line = Curve(numbers, effect.means, marked=True)
    if len(keys):
        marks.insert(0, Points(positions.astype(float), measured[keys], "measured", keys=tuple(keys.tolist())))
    return Panel(x, y, (*marks, line), effect.name, 250, 220)
