"""Heat maps: a surface of numbers, and the lower triangle of a square of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from splc.io.numbers import short_number
from splc.plotting.charts.chart import WIDE, Axis, Chart, HeatCells, Mark, Panel, Points
from splc.types import Array

# Where the points of measured cells are, relative to the middle of their cell.
_CORNER = (0.38, -0.3)


def surface_chart(
    names: tuple[str, str], x: Array, y: Array, values: Array, quantity: str, measured: Array | None = None
) -> Chart:
    """Return a chart of the response surface of two numeric options, or of two parameters.

    Args:
        names: the options.
        x: the values of the first one, ascending, shape (k,).
        y: the values of the second one, ascending, shape (m,).
        values: the mean predictions, shape (m, k); NaN where no configuration is valid.
        quantity: what is predicted, with its unit.
        measured: the measured values, NaN where nothing was measured, shape (m, k); None: predictions are means over
            other options.
    """
    # Axes of values grow upwards, those of names downwards.
    up = values[::-1]
    shades = _shades(up)
    labels = [[f"{number:g}" for number in grid.tolist()] for grid in (x, y[::-1])]
    texts = tuple(tuple(short_number(cell, 3) for cell in row) for row in up.tolist())
    titles = tuple(
        tuple(
            f"{names[0]} = {a}, {names[1]} = {b}: {short_number(cell, 4)}"
            for a, cell in zip(labels[0], row, strict=True)
        )
        for b, row in zip(labels[1], up.tolist(), strict=True)
    )
    description = (
        f"Mean prediction of {quantity} at each pair of values, all other options as in the same valid configurations; "
        "darker is greater. Cells without a number are not valid."
    )
    marks: list[Mark] = [HeatCells(shades, texts, titles)]
    table: dict[str, list[float]] = {}
    if measured is not None:
        description = "The model at pairs of values; darker is greater. Cells with a point were measured."
        row, column = np.nonzero(np.isfinite(measured[::-1]))
        marks.append(Points(column + _CORNER[0], row + _CORNER[1], "measured"))
        table["measured"] = [float(cell) for cells in measured for cell in cells]
    panel = Panel(
        Axis.of_names(labels[0], names[0]),
        Axis.of_names(labels[1], names[1]),
        tuple(marks),
        "" if measured is None else quantity,
        max(300, min(640, 110 + 58 * len(x))),
        0,
    )
    return Chart(
        "surface",
        f"{quantity} by {names[0]} and {names[1]}",
        description,
        (panel,),
        {} if measured is None else {"measured": "measured"},
        {
            names[0]: [float(value) for _ in y for value in x],
            names[1]: [float(value) for value in y for _ in x],
            quantity: [float(cell) for cells in values for cell in cells],
            **table,
        },
    )


def _shades(values: Array) -> Array:
    """Return values as parts of their range, on a logarithmic scale where they span orders of magnitude."""
    finite = values[np.isfinite(values)]
    if len(finite) and finite.min() > 0 and finite.max() > WIDE * finite.min():
        values, finite = np.log(values), np.log(finite)
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    return np.asarray((values - low) / ((high - low) or 1.0))


def triangle(
    names: Sequence[str], pairs: Mapping[frozenset[str], float], largest: float, text: Mapping[frozenset[str], str]
) -> Panel:
    """Return a panel with a cell for each pair of names.

    Args:
        names: the names.
        pairs: two names → the value; pairs without one have 0.
        largest: the size of the value with the darkest shade.
        text: two names → the text of their cell.
    """
    rows, columns = names[1:], names[:-1]
    shades = np.full((len(rows), len(columns)), np.nan)
    texts, titles = [[""] * len(columns) for _ in rows], [[""] * len(columns) for _ in rows]
    for row, first in enumerate(rows):
        for column, second in enumerate(columns[: row + 1]):
            pair = frozenset((first, second))
            shades[row, column] = abs(pairs.get(pair, 0.0)) / largest
            texts[row][column] = text.get(pair, "")
            titles[row][column] = f"{first} and {second}: {text.get(pair) or '0'}"
    cells = HeatCells(shades, tuple(map(tuple, texts)), tuple(map(tuple, titles)))
    return Panel(Axis.of_names(columns), Axis.of_names(rows), (cells,), "", 430, 0)
