"""The predictions of several models over the configurations in ascending order (figures 5.1 to 5.7 of the thesis)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from splc.errors import OutputError, Problem
from splc.plotting.style import BLACK, GREY, drawable, literal, named, scale_values
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D


@dataclass(frozen=True)
class Look:
    """The look of a model: colour, pattern of the line, marker, order of drawing, and whether it has a name."""

    color: str
    dashes: Any
    marker: str
    height: float
    named: bool = True


# Okabe and Ito's colours, in an order in which neighbours differ in lightness. Yellow is too light on white, and black
# is the colour of measured values: a dark blue, a violet and an olive replace them.
LOOKS = (
    Look("#00335c", (0, ()), "o", 4.8),
    Look("#e69f00", (0, (6, 2)), "s", 4.7),
    Look("#009e73", (0, (2, 1.2)), "^", 4.6),
    Look("#cc79a7", (0, (7, 2, 1.5, 2)), "D", 4.5),
    Look("#d55e00", (0, (1, 1)), "v", 4.4),
    Look("#56b4e9", (0, (9, 2, 3, 2)), "P", 4.3),
    Look("#6a3d9a", (0, (4, 1.5, 1, 1.5, 1, 1.5)), "X", 4.2),
    Look("#8c7a1e", (0, (12, 3)), "p", 4.1),
)
# Further models share one look, since more looks could not be distinguished.
REST = Look("#a0a0a0", "-", ".", 2.7, named=False)
# Up to this number of configurations, lines join the predictions; with more, lines would be a band.
JOINED = 60
# The number of pieces of a running median, and the number of marks above which a vector file would be too slow.
_PIECES, _VECTORS = 50, 20_000


@dataclass(frozen=True, eq=False)
class Curves:
    """The values of models on the same configurations.

    Attributes:
        names: the models' names, at least one.
        values: their predictions, shape (models, n), read-only.
        measured: the measured values, shape (n,), read-only, NaN where one is missing; None without measurements.
        nfp: the measured property; None without measurements.
    """

    names: tuple[str, ...]
    values: Array
    measured: Array | None = None
    nfp: str | None = None

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=float)
        measured = None if self.measured is None else np.array(self.measured, dtype=float)
        for name, array in (("values", values), ("measured", measured)):
            if array is not None:
                array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def order(self) -> Array:
        """The configurations in ascending order of the measured value, or of the first model's; shape (n,).

        Equal measured values are ordered by the first model's, then as given; configurations without a value are last.
        """
        # Measured values may be counts: the second key sorts equal values.
        return np.lexsort((self.values[0],) if self.measured is None else (self.values[0], self.measured))


def draw_curves(figure: Figure | SubFigure, curves: Curves) -> None:
    """Draw measured values and predictions, one line per model, or marks with their running median.

    Raises:
        OutputError: if there are no configurations.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    n = curves.values.shape[1]
    if not n:
        hint = "draw the terms only, or name other configurations"
        raise OutputError(Problem("there are no configurations to draw predictions of", hint=hint))
    axes = figure.add_subplot()
    order = curves.order
    values = drawable(curves.values[:, order])
    measured = None if curves.measured is None else drawable(curves.measured[order])
    scale_values(axes, np.append(values, [] if measured is None else measured))
    x = np.arange(1, n + 1)
    joined, names, handles = n <= JOINED, [], []
    if measured is not None:
        # A wide line below all models stays visible next to models that predict well.
        mark = "o" if joined else None
        (line,) = axes.plot(x, measured, color=BLACK, linewidth=2.6, marker=mark, markersize=6, zorder=3)
        handles.append(line)
        names.append("measured")
    draw = partial(_joined, axes, x) if joined else partial(_scattered, axes, x, values.size <= _VECTORS)
    for j, (name, row) in enumerate(zip(curves.names, values, strict=True)):
        line = draw(row, LOOKS[j] if j < len(LOOKS) else REST)
        if j < len(LOOKS):
            names.append(literal(name, 32))
        if j <= len(LOOKS):
            handles.append(line)
    if more := max(0, len(curves.names) - len(LOOKS)):
        names.append(f"{more} more models" if more > 1 else "1 more model")
    note = None if joined else f"models: median of ~{round(n / _pieces(n))} neighbours"
    legend = axes.legend(
        handles, ["-"] * len(names), loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, title=note,
        fontsize=9, handlelength=4, alignment="left", title_fontproperties={"size": 8},
    )  # fmt: skip
    named(legend, names)
    property_name = literal(curves.nfp or "value", 60)
    axes.set_xlabel(f"configuration (sorted by {_sorting(curves)})")
    axes.set_ylabel(property_name if measured is not None else f"predicted {property_name}")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    margin = max(0.5, 0.015 * n)
    axes.set_xlim(1 - margin, n + margin)
    axes.grid(axis="y", color=GREY, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _sorting(curves: Curves) -> str:
    """Return the values that the configurations are sorted by."""
    if curves.measured is None:
        return f"the predictions of {literal(curves.names[0], 32)}"
    return f"measured {literal(curves.nfp or 'value', 60)}"


def _pieces(n: int) -> int:
    """Return the number of neighbourhoods for the running median, each of about eight configurations or more."""
    return min(_PIECES, -(-n // 8))


def _joined(axes: Axes, x: Array, row: Array, look: Look) -> Line2D:
    """Draw every prediction, joined by a line, and return its handle for a legend."""
    size = 4.5 if len(x) <= JOINED // 2 else 3.5
    style: dict[str, Any] = {"color": look.color, "linestyle": look.dashes, "linewidth": 1.4, "marker": look.marker}
    (line,) = axes.plot(x, row, **style, markersize=size, zorder=look.height)
    return line


def _scattered(axes: Axes, x: Array, vectors: bool, row: Array, look: Look) -> Line2D:
    """Draw a dot per prediction (of a named model) and their running median; return the handle for a legend."""
    from matplotlib.lines import Line2D

    n = len(x)
    size, alpha = (2.6, 0.55) if n <= 500 else (1.8, 0.35) if n <= 5000 else (1.2, 0.18)
    style: dict[str, Any] = {"color": look.color, "linestyle": look.dashes, "linewidth": 1.6}
    if look.named:
        dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": size, "markeredgewidth": 0}
        axes.plot(x, row, **dots, color=look.color, alpha=alpha, zorder=look.height - 3, rasterized=not vectors)
        style |= {"marker": look.marker, "markersize": 5, "markeredgecolor": "white", "markeredgewidth": 0.5}
    pieces = [piece[np.isfinite(piece)] for piece in np.array_split(row, _pieces(n))]
    medians = [float(np.median(piece)) if len(piece) else np.nan for piece in pieces]
    places = [float(piece.mean()) for piece in np.array_split(x, _pieces(n))]
    # Without colours, a line among dots of the same lightness is visible only on a light background.
    axes.plot(places, medians, color="white", linewidth=3.2, alpha=0.8, zorder=2.5)
    # Markers of models that predict the same do not hide each other.
    every = (round(10 * look.height) % 3, 3)
    axes.plot(places, medians, **style, markevery=every, zorder=look.height)
    return Line2D([], [], **style)
