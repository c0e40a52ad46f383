"""A scaling model over two parameters as filled contours, with the measured points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from splc.plotting.style import BLACK, drawable, literal, plain_number, scale_parameter
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Dark is small; lightness alone gives the order, also in print without colours and for colour-blind readers.
_COLORS = "cividis"
# Values that span more than this factor have logarithmic levels; beyond these decades only powers of ten.
_WIDE, _DECADES = 50.0, 5.0


@dataclass(frozen=True, eq=False)
class Surface:
    """A model over two parameters.

    Attributes:
        names: the two parameters.
        x: values of the first parameter, ascending, shape (n,).
        y: values of the second parameter, ascending, shape (m,).
        predicted: the predictions, shape (m, n); not finite where there is none.
        points: the measured points, shape (k, 2).
        measured: the measured values, shape (k,).
    """

    names: tuple[str, str]
    x: Array
    y: Array
    predicted: Array
    points: Array
    measured: Array


def draw_surface(axes: Axes, surface: Surface, metric: str) -> None:
    """Draw the predictions in colours, and the measured values as points in the same colours.

    A dashed frame is around the measured points.
    """
    from matplotlib.colors import BoundaryNorm
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import FuncFormatter

    predicted, measured = drawable(surface.predicted), drawable(surface.measured)
    levels = levels_of(np.append(predicted.ravel(), measured))
    shown = np.ma.masked_invalid(np.clip(predicted, levels[0], levels[-1]))
    # One colour between two levels: a point that differs from what is around it has another value.
    norm = BoundaryNorm(levels, 256)
    filled = axes.contourf(surface.x, surface.y, shown, levels, norm=norm, cmap=_COLORS)
    lines = axes.contour(surface.x, surface.y, shown, levels, colors="white", linewidths=0.5, alpha=0.7)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    axes.add_patch(
        Rectangle(
            (low[0], low[1]), high[0] - low[0], high[1] - low[1], fill=False, edgecolor="white",
            linestyle=(0, (4, 3)), linewidth=1.2, zorder=3,
        )
    )  # fmt: skip
    x, y = surface.points.T
    axes.scatter(x, y, s=70, color=BLACK, zorder=4, clip_on=False)
    axes.scatter(
        x, y, c=measured, norm=norm, cmap=_COLORS, s=52, edgecolors="white", linewidths=0.9, zorder=4, clip_on=False
    )
    drawn = ((axes.xaxis, x, surface.x), (axes.yaxis, y, surface.y))
    for (axis, values, grid), name in zip(drawn, surface.names, strict=True):
        scale_parameter(axes, axis, values, grid)
        axis.set_label_text(literal(name, 40))
    axes.set_title("model, and measured points in the same colours", fontsize=9)
    figure = axes.figure
    bar = figure.colorbar(filled, ax=axes, format=FuncFormatter(plain_number), label=literal(metric, 60))
    bar.add_lines(lines)


def levels_of(values: Array) -> Array:
    """Return ascending levels, at least two, that enclose the finite values."""
    from matplotlib.ticker import MaxNLocator

    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if low > 1e-290 and high > _WIDE * low:
        steps = (1.0,) if high > 10**_DECADES * low else (1.0, 2.0, 5.0)
        powers = np.arange(np.floor(np.log10(low)) - 1, np.ceil(np.log10(high)) + 1)
        levels = np.outer(10.0**powers, steps).ravel()
        first, last = np.searchsorted(levels, low, "right") - 1, np.searchsorted(levels, high)
        return np.asarray(levels[first : last + 1])
    if high - low <= 1e-9 * abs(high):
        # Equal values have no levels of their own.
        margin = 0.05 * abs(high) or 1.0
        low, high = low - margin, high + margin
    return np.asarray(MaxNLocator(10).tick_values(low, high))
