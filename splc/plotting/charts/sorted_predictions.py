"""The predictions of several models over the configurations in ascending order (figures 5.1 to 5.7 of the thesis)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from splc.plotting.charts.chart import SERIES, Axis, Chart, Curve, Mark, Panel, Points, Role, spread
from splc.types import Array

# Up to this number of configurations, lines join the predictions; with more, lines would be a band.
JOINED = 60
# The numbers of pieces of a running median, and of points of a model.
_PIECES, _POINTS = 50, 2000


def sorted_chart(names: Sequence[str], values: Array, measured: Array | None, quantity: str) -> Chart:
    """Return a chart of measured values and predictions, a line for each model, or points with their running median.

    Args:
        names: the names of the models; those beyond the last colour are not drawn.
        values: their predictions, shape (models, n).
        measured: the measured values, shape (n,), NaN where one is missing; None without measurements.
        quantity: the property with its unit.
    """
    order = ascending(values, measured)
    count = len(order)
    # No configuration was measured outside of those that are compared: all values are on the axis.
    y = Axis.over(np.append(values, [] if measured is None else measured), quantity)
    by = f"the predictions of {names[0]}" if measured is None else f"measured {quantity}"
    x = Axis.over([1.0, float(count)], f"configuration (sorted by {by})", log=False)
    marks: list[Mark] = []
    legend: dict[Role, str] = {}
    if measured is not None:
        legend["measured"] = "measured"
        marks.append(Curve(_numbers(count), measured[order], "measured", marked=count <= JOINED))
    for role, name, row in zip(SERIES, names, values, strict=False):
        legend[role] = name
        marks += _marks(row[order], role)
    # Medians are drawn over all points.
    marks.sort(key=lambda mark: not isinstance(mark, Points))
    left_out = len(names) - len(SERIES)
    hidden = f" {left_out} further models are not drawn." if left_out > 0 else ""
    median = "" if count <= JOINED else f" Lines are medians of about {round(count / _pieces(count))} neighbours."
    return Chart(
        "sorted",
        f"{quantity} of each configuration",
        f"The predictions of each configuration, in the order of {by}.{median}{hidden}",
        (Panel(x, y, tuple(marks), "", 780, 400),),
        legend,
        {
            **({} if measured is None else {"measured": measured[order].tolist()}),
            **{name: row[order].tolist() for name, row in zip(names, values, strict=True)},
        },
    )


def ascending(values: Array, measured: Array | None) -> Array:
    """Return the configurations in ascending order of the measured value, or of the first model's; shape (n,).

    Equal measured values are ordered by the first model's, then as given; configurations without a value are last.
    """
    # Measured values may be counts: the second key sorts equal values.
    return np.lexsort((values[0],) if measured is None else (values[0], measured))


def _marks(row: Array, role: Role) -> Iterator[Mark]:
    """Yield the marks of one model."""
    x = _numbers(len(row))
    if len(row) <= JOINED:
        yield Curve(x, row, role, marked=True)
        return
    drawn = spread(len(row), _POINTS)
    yield Points(x[drawn], row[drawn], role)
    pieces = np.array_split(np.arange(len(row)), _pieces(len(row)))
    finite = [piece[np.isfinite(row[piece])] for piece in pieces]
    medians = np.array([np.median(row[piece]) if len(piece) else np.nan for piece in finite])
    yield Curve(np.array([x[piece].mean() for piece in pieces]), medians, role, marked=True)


def _numbers(count: int) -> Array:
    return np.arange(1, count + 1, dtype=float)


def _pieces(count: int) -> int:
    """Return the number of neighbourhoods for the running median, each of about eight configurations or more."""
    return min(_PIECES, -(-count // 8))
