"""Scaling models over one parameter at a time: measured values, predictions and their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from splc.plotting.looks import LOOKS
from splc.plotting.style import (
    GREY,
    drawable,
    drawing,
    literal,
    named,
    new_figure,
    saved,
    scale_parameter,
    scale_values,
)
from splc.plotting.surface import Surface, draw_surface
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More models cannot be told apart.
MAX_MODELS = len(LOOKS)
# Bands of intervals of more models hide each other.
_BANDS = 3
_SIZE = (5.0, 4.2)
_LEGEND = 2.2
_SURFACE = 5.8
# Panels in a row, and characters in a line of a label.
_COLUMNS, _CHARACTERS = 3, 48


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
        curves: the models, at most `MAX_MODELS`.
    """

    parameter: str
    fixed: Mapping[str, float]
    curves: Sequence[ScalingCurve]


def scaling_plot(
    slices: Sequence[Slice], metric: str, title: str, file_format: str, surface: Surface | None = None
) -> bytes:
    """Return a plot with a panel per parameter; the same input gives the same bytes.

    Args:
        slices: the panels; all have the same models.
        metric: the metric.
        title: the title.
        file_format: one of `FORMATS`.
        surface: a model over two parameters, for a panel of its own.
    """
    with drawing():
        several = len(slices[0].curves) > 1
        widths = ([_SIZE[0]] * len(slices) + [_SURFACE] * (surface is not None))[:_COLUMNS]
        rows = math.ceil(len(slices) / _COLUMNS)
        figure = new_figure(sum(widths) + _LEGEND * several, rows * _SIZE[1])
        figure.suptitle(literal(title, 80))
        panels = figure.subplots(rows, len(widths), squeeze=False, width_ratios=widths).ravel()
        for axes, part in zip(panels, slices, strict=False):
            _panel(axes, part)
        for axes in panels[len(slices) + (surface is not None) :]:
            axes.remove()
        if surface is not None:
            draw_surface(panels[-1], surface, metric)
        for axes in panels[: len(slices) : len(widths)]:
            axes.set_ylabel(literal(metric, 60))
        if several:
            beside = panels[min(len(slices), _COLUMNS) - 1]
            handles, labels = beside.get_legend_handles_labels()
            legend = beside.legend(
                handles, ["-"] * len(labels), loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9
            )
            named(legend, [literal(curve.name, 32) for curve in slices[-1].curves])
        return saved(figure, file_format)


def _panel(axes: Axes, part: Slice) -> None:
    for at, (curve, look) in enumerate(zip(part.curves, LOOKS, strict=False)):
        predicted = drawable(curve.predicted)
        axes.plot(curve.x, predicted, color=look.color, linestyle=look.dashes, linewidth=1.6, label=str(at), zorder=3)
        axes.plot(
            curve.measured_at, drawable(curve.measured), color=look.color, linestyle="none", marker=look.marker,
            markersize=5, zorder=4,
        )  # fmt: skip
        if at < _BANDS:
            band = drawable(curve.lower), drawable(curve.upper)
            axes.fill_between(curve.x, *band, color=look.color, alpha=0.15, linewidth=0, zorder=2)
    measured = np.concatenate([curve.measured_at for curve in part.curves])
    last = float(measured.max())
    scale_parameter(axes, axes.xaxis, measured, part.curves[0].x)
    scale_values(axes, drawable(np.concatenate([values for c in part.curves for values in (c.measured, c.predicted)])))
    axes.axvline(last, color=GREY, linewidth=0.8, zorder=1)
    axes.annotate(
        "measured", (last, 1.0), xycoords=("data", "axes fraction"), xytext=(-3, 1), textcoords="offset points",
        ha="right", color=GREY, fontsize=8,
    )  # fmt: skip
    axes.set_xlabel(_label(part))
    axes.grid(axis="y", color=GREY, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _label(part: Slice) -> str:
    """Return the parameter and the values of the others, in lines that fit below a panel."""
    lines = [literal(part.parameter, 30)]
    fixed = [f"{literal(name, 30)} = {value:g}" for name, value in part.fixed.items()]
    for at, text in enumerate(fixed):
        piece = f"{'' if at else '('}{text}{',' if at + 1 < len(fixed) else ')'}"
        gap = " " if at else "   "
        if len(lines[-1]) + len(gap) + len(piece) <= _CHARACTERS:
            lines[-1] += gap + piece
        else:
            lines.append(piece)
    return "\n".join(lines)
