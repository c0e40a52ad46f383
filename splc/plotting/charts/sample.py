"""A sample: how often each value occurs, and how repetitions vary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.plotting.charts.chart import (
    Axis,
    BarMarks,
    Chart,
    Curve,
    Mark,
    Panel,
    Points,
    ReferenceLine,
    Role,
    beside,
    spread,
)
from splc.plotting.charts.heat_map import triangle
from splc.types import Array

# The greatest numbers of bars, and of options.
MAX_BARS, MAX_OPTIONS = 40, 10
# Smaller correlations have no number.
_SMALLEST = 0.1
# The medians along the table.
_BLOCKS = 16


def coverage_chart(values: Sequence[tuple[str, int, float]], rows: int) -> Chart:
    """Return a chart of how often each value occurs in the sample, beside its share of the valid configurations.

    Args:
        values: value as text, the number of rows that have it, and the fraction of valid configurations.
        rows: the number of rows.
    """
    shown = values[:MAX_BARS]
    share = np.array([100 * count / rows for _, count, _ in shown])
    expected = np.array([100 * fraction for _, _, fraction in shown])
    axis = Axis.over([*share.tolist(), *expected.tolist(), 0.0], "% of the sample", log=False, zero=True)
    texts = tuple(f"{count:,}" for _, count, _ in shown)
    start = np.zeros(len(shown))
    marks = (
        BarMarks(start, expected, ("quiet",), thickness=0.9),
        BarMarks(start, share, ("model",), texts, thickness=0.45),
    )
    hidden = f" {len(values) - len(shown)} further values are not drawn." if len(values) > len(shown) else ""
    return Chart(
        "coverage",
        "What was measured",
        f"How often each value occurs among the {rows:,} configurations, and its share of all valid ones. A value "
        f"without a bar of its own was not measured.{hidden}",
        (Panel(axis, Axis.of_names([name for name, _, _ in shown]), marks, "", 430, 0),),
        {"model": "measured", "quiet": "of all valid configurations"},
        {
            "value": [name for name, _, _ in values],
            "rows": [count for _, count, _ in values],
            "valid %": [100 * fraction for _, _, fraction in values],
        },
    )


def repetition_chart(values: Array, order: Array, quantity: str) -> Chart:
    """Return a chart of how repetitions of one configuration vary, and of their drift along the table.

    Args:
        values: the repetitions, shape (n, repetitions), NaN where one is missing.
        order: the place of each configuration in the table, shape (n,).
        quantity: the property with its unit.
    """
    several = np.isfinite(values).sum(axis=1) > 1
    keys = np.flatnonzero(several)
    chosen = values[keys]
    mean, deviation = np.nanmean(chosen, axis=1), np.nanstd(chosen, axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        scatter = 100 * deviation / np.abs(mean)
        off = 100 * (chosen / mean[:, None] - 1)
    x = Axis.over(mean, f"mean {quantity}")
    y = Axis.over(scatter, "standard deviation, % of the mean", log=False, zero=True)
    panels = [
        Panel(x, y, (Points(mean, scatter, "measured", keys=tuple(keys.tolist())),), "Scatter of repetitions", 380)
    ]
    # Numbers of repetitions that no configuration has are left out.
    off = off[:, np.isfinite(off).any(axis=0)]
    repetition = np.nanmedian(off, axis=0)
    number = np.broadcast_to(np.arange(1, off.shape[1] + 1), off.shape).ravel().astype(float)
    spread_out = number + beside(len(number))
    drift = Points(spread_out, off.ravel(), "measured", keys=tuple(np.repeat(keys, off.shape[1]).tolist()))
    medians = Curve(np.arange(1, off.shape[1] + 1, dtype=float), repetition, marked=True)
    axis = Axis.over([0.5, off.shape[1] + 0.5], "number of the repetition", log=False)
    runs = Axis(axis.label, axis.low, axis.high, at=tuple(float(at) for at in range(1, off.shape[1] + 1)))
    up = Axis.over(off, "difference from the mean, %", log=False, zero=True)
    panels.append(Panel(runs, up, (ReferenceLine(y=0.0), drift, medians), "First and later runs", 380))
    return Chart(
        "repetitions",
        "How far repetitions differ",
        "Left: the scatter of the repetitions of each configuration. Right: the difference of each repetition from "
        "the mean of its configuration; medians off 0 show that first or later runs are slower.",
        tuple(panels),
        {"measured": "a configuration", "model": "median"},
        {"mean": mean.tolist(), "standard deviation %": scatter.tolist()},
    )


def alias_chart(options: Sequence[str], associations: Array) -> Chart:
    """Return a chart of the association of options in the sample.

    Args:
        options: the options, the most important first.
        associations: the largest correlation of their values, 0 to 1, shape (k, k).
    """
    shown = options[:MAX_OPTIONS]
    pairs = {
        frozenset((first, second)): float(associations[row, column])
        for row, first in enumerate(shown)
        for column, second in enumerate(shown[:row])
    }
    text = {names: f"{value:.2f}" for names, value in pairs.items() if value >= _SMALLEST}
    hidden = f" {len(options) - len(shown)} less important options are not drawn." if len(options) > len(shown) else ""
    return Chart(
        "aliases",
        "Which options change together in the sample",
        "The largest correlation of the values of two options. The sample cannot separate the effects of two options "
        f"whose correlation is 1. Those below {_SMALLEST:g} have no number.{hidden}",
        (triangle(shown, pairs, 1.0, text),),
        {},
        {"options": [" and ".join(sorted(names)) for names in pairs], "correlation": list(pairs.values())},
    )


def drift_chart(errors: Array, learned: Array) -> Chart:
    """Return a chart of the errors of predictions along the table of measurements.

    Args:
        errors: the relative errors in percent in the order of the table, shape (n,).
        learned: which rows were learned from, shape (n,).
    """
    order = np.arange(1, len(errors) + 1, dtype=float)
    keys = spread(len(errors))
    marks: list[Mark] = [ReferenceLine(y=0.0)]
    roles: tuple[Role, Role] = ("measured", "model")
    for role, part in zip(roles, (learned, ~learned), strict=True):
        rows = keys[part[keys] & np.isfinite(errors[keys])]
        if len(rows):
            marks.append(Points(order[rows], errors[rows], role, keys=tuple(rows.tolist())))
    blocks = [block for block in np.array_split(np.arange(len(errors)), min(_BLOCKS, len(errors) // 8)) if len(block)]
    finite = [block for block in blocks if np.isfinite(errors[block]).any()]
    middles = np.array([order[block].mean() for block in finite])
    medians = np.array([np.nanmedian(errors[block]) for block in finite])
    marks.append(Curve(middles, medians, "rise", marked=True))
    kinds: dict[Role, str] = {"measured": "learned from", "model": "not learned from"}
    drawn = {mark.role for mark in marks if isinstance(mark, Points)}
    x = Axis.over(order, "row of the table", log=False)
    y = Axis.over(errors[keys], "error of the prediction, %", log=False, zero=True)
    return Chart(
        "drift",
        "Whether errors drift along the table",
        "The error of the prediction of each configuration in the order of the table, and the medians of neighbours. "
        "Where rows are in the order of the runs, medians that rise or fall show that the machine changed.",
        (Panel(x, y, tuple(marks), "", 560, 220),),
        {**{role: text for role, text in kinds.items() if role in drawn}, "rise": "median of neighbours"},
        {"row": middles.tolist(), "median error %": medians.tolist()},
    )
