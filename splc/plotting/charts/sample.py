"""A sample: how often each value occurs, which options change together, and how repetitions vary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.plotting.charts.chart import Axis, BarMarks, Chart, Curve, Panel, Points, ReferenceLine, beside, further
from splc.plotting.charts.influences import triangle
from splc.types import Array

# The greatest numbers of bars, and of options.
MAX_BARS, MAX_OPTIONS = 40, 10
# Smaller correlations have no number.
_SMALLEST = 0.1


def coverage_chart(values: Sequence[tuple[str, int, float]], rows: int) -> Chart:
    """Return a chart of how often each value occurs in the sample, beside its share of the valid configurations.

    `values`: value as text, the number of rows that have it, of all `rows`, and the fraction of valid configurations.
    """
    names, counts = [name for name, _, _ in values], [count for _, count, _ in values]
    valid = [100 * fraction for _, _, fraction in values]
    share = np.array([100 * count / rows for count in counts[:MAX_BARS]])
    expected = np.array(valid[:MAX_BARS])
    axis = Axis.over(np.append(share, expected), "% of the sample", log=False, zero=True)
    texts = tuple(f"{count:,}" for count in counts[:MAX_BARS])
    start = np.zeros(len(share))
    marks = (
        BarMarks(start, expected, ("quiet",), thickness=0.9),
        BarMarks(start, share, ("model",), texts, thickness=0.45),
    )
    return Chart(
        "coverage",
        "What was measured",
        f"How often each value occurs among the {rows:,} configurations, and its share of all valid ones. A value "
        f"without a bar of its own was not measured.{further(len(values), MAX_BARS, 'further values')}",
        (Panel(axis, Axis.of_names(names[:MAX_BARS]), marks, "", 430, 0),),
        {"model": "measured", "quiet": "of all valid configurations"},
        {"value": names, "rows": counts, "valid %": valid},
    )


def repetition_chart(values: Array, quantity: str) -> Chart:
    """Return a chart of how repetitions of one configuration vary, and of their drift from run to run.

    `values`: the repetitions, shape (n, repetitions), NaN where one is missing.
    """
    keys = np.flatnonzero(np.isfinite(values).sum(axis=1) > 1)
    chosen = values[keys]
    mean, deviation = np.nanmean(chosen, axis=1), np.nanstd(chosen, axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        scatter = 100 * deviation / np.abs(mean)
        off = 100 * (chosen / mean[:, None] - 1)
    x = Axis.over(mean, f"mean {quantity}")
    y = Axis.over(scatter, "standard deviation, % of the mean", log=False, zero=True)
    scattered = Points(mean, scatter, "measured", keys=tuple(keys.tolist()))
    # Numbers of repetitions that no configuration has are left out.
    off = off[:, np.isfinite(off).any(axis=0)]
    numbers = np.arange(1.0, off.shape[1] + 1)
    places = np.broadcast_to(numbers, off.shape).ravel()
    drift = Points(
        places + beside(len(places)), off.ravel(), "measured", keys=tuple(np.repeat(keys, len(numbers)).tolist())
    )
    medians = Curve(numbers, np.nanmedian(off, axis=0), marked=True)
    axis = Axis.over([0.5, len(numbers) + 0.5], "number of the repetition", log=False)
    runs = Axis(axis.label, axis.low, axis.high, at=tuple(numbers.tolist()))
    up = Axis.over(off, "difference from the mean, %", log=False, zero=True)
    return Chart(
        "repetitions",
        "How far repetitions differ",
        "Left: the scatter of the repetitions of each configuration. Right: the difference of each repetition from "
        "the mean of its configuration; medians off 0 show that first or later runs are slower.",
        (
            Panel(x, y, (scattered,), "Scatter of repetitions", 380),
            Panel(runs, up, (ReferenceLine(y=0.0), drift, medians), "First and later runs", 380),
        ),
        {"measured": "a configuration", "model": "median"},
        {"mean": mean.tolist(), "standard deviation %": scatter.tolist()},
    )


def alias_chart(options: Sequence[str], associations: Array) -> Chart:
    """Return a chart of the association of options in the sample, the most important first.

    `associations`: the largest correlation of their values, 0 to 1, shape (k, k).
    """
    shown = options[:MAX_OPTIONS]
    pairs = {
        frozenset((first, second)): float(associations[row, column])
        for row, first in enumerate(shown)
        for column, second in enumerate(shown[:row])
    }
    text = {names: f"{value:.2f}" for names, value in pairs.items() if value >= _SMALLEST}
    return Chart(
        "aliases",
        "Which options change together in the sample",
        "The largest correlation of the values of two options. The sample cannot separate the effects of two options "
        f"whose correlation is 1. Those below {_SMALLEST:g} have no number."
        f"{further(len(options), MAX_OPTIONS, 'less important options')}",
        (triangle(shown, pairs, 1.0, text),),
        {},
        {"options": [" and ".join(sorted(names)) for names in pairs], "correlation": list(pairs.values())},
    )
