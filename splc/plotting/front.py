"""The Pareto front of two properties, with the measured configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.plotting.style import (
    DARK,
    FAINT,
    LIGHT,
    drawable,
    drawing,
    literal,
    logarithmic,
    new_figure,
    plain_number,
    saved,
)
from splc.types import Array


def front_plot(
    points: Sequence[Sequence[float]],
    measured: Sequence[Sequence[float]],
    names: tuple[str, str],
    title: str,
    file_format: str,
) -> bytes:
    """Return a plot of predicted optima and of measured values; the same input gives the same bytes.

    Args:
        points: the predictions of the configurations of the front.
        measured: the measured values of configurations.
        names: the two properties.
        title: the title.
        file_format: one of `FORMATS`.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    with drawing():
        figure = new_figure(6.5, 5)
        axes = figure.add_subplot()
        front, known = (drawable(np.array(each, dtype=float).reshape(-1, 2)) for each in (points, measured))
        if len(known):
            label = f"measured ({len(known):,} configurations)"
            axes.scatter(
                known[:, 0], known[:, 1], s=12, color=LIGHT, linewidths=0, label=label, rasterized=len(known) > 20_000
            )
        order = np.argsort(front[:, 0], kind="stable")
        label = f"predicted Pareto front ({len(front):,} configurations)"
        axes.plot(*front[order].T, color=DARK, marker="D", markersize=5, linewidth=0.8, linestyle=":", label=label)
        both = np.concatenate([front, known])
        for column, axis in zip(both.T, (axes.xaxis, axes.yaxis), strict=True):
            axis.set_major_locator(MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]))
            axis.set_major_formatter(FuncFormatter(plain_number))
            if _wide(column):
                logarithmic(axes, axis, np.nanmin(column), np.nanmax(column))
        axes.set_xlabel(literal(names[0]))
        axes.set_ylabel(literal(names[1]))
        axes.set_title(literal(title))
        axes.grid(color=FAINT)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=9)
        return saved(figure, file_format)


def _wide(values: Array) -> bool:
    """Return whether values are positive and span more than an order of magnitude and a half."""
    return len(values) > 0 and bool(np.nanmin(values) > 0) and bool(np.nanmax(values) > 50 * np.nanmin(values))
