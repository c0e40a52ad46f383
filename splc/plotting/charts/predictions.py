"""Predictions against measured values, where they are wrong, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from splc.plotting.charts.chart import (
    SERIES,
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
    columns_of,
    further,
    spread,
)
from splc.plotting.charts.influences import triangle
from splc.types import Array

# An option: its name, its values as texts, and the position of the value of each row, shape (n,).
OptionValues = tuple[str, tuple[str, ...], Array]
MAX_PANELS = 8  # the greatest number of panels of one option each
JOINED = 60  # up to this number of configurations, lines join the predictions; with more, lines would be a band
# The numbers of pieces of a running median, and of points of a model.
_PIECES, _POINTS = 50, 2000
_BLOCKS = 16  # the medians along a table
_ROLES: tuple[Role, Role] = ("measured", "model")  # the roles of rows that were learned from, and of others


def prediction_chart(
    measured: Array, predicted: Array, errors: Array, learned: Array, quantity: str, *, held_out: bool
) -> Chart:
    """Return a chart of predictions and of their relative errors in percent, all of shape (n,).

    `learned`: which rows were learned from. `held_out`: whether these are predicted without their own values.
    """
    x, y = _facing(quantity, measured, predicted)
    error = Axis.over(errors, "error of the prediction, %", log=False, zero=True)
    agreeing: tuple[Mark, ...] = (ReferenceLine(), *_parts(measured, predicted, learned))
    off: tuple[Mark, ...] = (ReferenceLine(y=0.0), *_parts(predicted, errors, learned))
    text = "predicted without its own value" if held_out else "fitted"
    kinds = ((learned, f"learned from, {text}"), (~learned, "not learned from"))
    return Chart(
        "prediction",
        "Predicted and measured values",
        "Each point is a configuration; on the dashed line the prediction is exact.",
        (Panel(x, y, agreeing, "", 380, 330), Panel(y, error, off, "", 380, 330)),
        {role: name for role, (rows, name) in zip(_ROLES, kinds, strict=True) if rows.any()},
        {"measured": measured.tolist(), "predicted": predicted.tolist(), "error %": errors.tolist()},
    )


def _facing(quantity: str, *values: Array) -> Iterator[Axis]:
    """Yield the axes of measured and of predicted values, which are the same."""
    both = Axis.over(np.concatenate(values), "")
    for word in ("measured", "predicted"):
        yield Axis(f"{word} {quantity}", both.low, both.high, both.log)


def _parts(x: Array, y: Array, learned: Array) -> Iterator[Points]:
    """Yield the points of rows that were learned from, and of the others."""
    for role, part in zip(_ROLES, (learned, ~learned), strict=True):
        rows = np.flatnonzero(part & np.isfinite(x) & np.isfinite(y))
        if len(rows):
            yield Points(x[rows], y[rows], role, keys=tuple(rows.tolist()))


def residual_chart(options: Sequence[OptionValues], errors: Array, learned: Array) -> Chart:
    """Return a chart of the relative errors in percent by the values of each option."""
    y = Axis.over(errors, "error, %", log=False, zero=True)
    panels = []
    drawn = spread(len(errors))
    some = f" {len(drawn)} of {len(errors):,} configurations are drawn." if len(drawn) < len(errors) else ""
    for name, labels, at in options[:MAX_PANELS]:
        places = np.full(len(at), np.nan)
        places[drawn] = np.where(at[drawn] >= 0, at[drawn] + beside(len(drawn)), np.nan)
        marks: tuple[Mark, ...] = (ReferenceLine(y=0.0), *_parts(places, errors, learned))
        panels.append(Panel(Axis.of_names(labels), y, marks, name, 250, 200))
    return Chart(
        "residuals",
        "Where the model is wrong",
        "The errors of the predictions at each value of the most important options. Errors on one side of 0 at some "
        f"value show an influence that the model lacks.{some}",
        tuple(panels),
        {},
        value_errors(options, {"": errors}),
    )


def value_errors(options: Sequence[OptionValues], errors: Mapping[str, Array]) -> dict[str, list[Any]]:
    """Return the errors of models at each value of options as a table: their number, mean, and mean size."""
    rows = [
        (option, label, model, len(chosen), float(chosen.mean()), float(np.abs(chosen).mean()))
        for option, labels, at in options
        for index, label in enumerate(labels)
        for model, values in errors.items()
        if len(chosen := values[(at == index) & np.isfinite(values)])
    ]
    columns = columns_of(("option", "value", "model", "rows", "mean error %", "mean size of errors %"), rows)
    if len(errors) < 2:
        del columns["model"]
    return columns


def drift_chart(errors: Array, learned: Array) -> Chart:
    """Return a chart of the relative errors in percent along the table of measurements, shape (n,)."""
    order = np.arange(1, len(errors) + 1, dtype=float)
    keys = spread(len(errors))
    places = np.full(len(errors), np.nan)
    places[keys] = order[keys]
    points = [*_parts(places, errors, learned)]
    blocks = [block for block in np.array_split(np.arange(len(errors)), min(_BLOCKS, len(errors) // 8)) if len(block)]
    finite = [block for block in blocks if np.isfinite(errors[block]).any()]
    middles = np.array([order[block].mean() for block in finite])
    medians = np.array([np.nanmedian(errors[block]) for block in finite])
    kinds = {"measured": "learned from", "model": "not learned from"}
    x = Axis.over(order, "row of the table", log=False)
    y = Axis.over(errors[keys], "error of the prediction, %", log=False, zero=True)
    marks: tuple[Mark, ...] = (ReferenceLine(y=0.0), *points, Curve(middles, medians, "rise", marked=True))
    return Chart(
        "drift",
        "Whether errors drift along the table",
        "The error of the prediction of each configuration in the order of the table, and the medians of neighbours. "
        "Where rows are in the order of the runs, medians that rise or fall show that the machine changed.",
        (Panel(x, y, marks, "", 560, 220),),
        {**{mark.role: kinds[mark.role] for mark in points}, "rise": "median of neighbours"},
        {"row": middles.tolist(), "median error %": medians.tolist()},
    )


def agreement_chart(names: Sequence[str], predicted: Sequence[Array], measured: Array, quantity: str) -> Chart:
    """Return a chart of the predictions of several models against measured values, each of shape (n,)."""
    x, y = _facing(quantity, measured, *predicted)
    keys = tuple(range(len(measured)))
    points = (Points(measured, values, role, keys=keys) for values, role in zip(predicted, SERIES, strict=False))
    return Chart(
        "agreement",
        "Predicted and measured values",
        "Each point is a configuration; on the dashed line the prediction is exact.",
        (Panel(x, y, (ReferenceLine(), *points), "", 420, 360),),
        dict(zip(SERIES, names, strict=False)),
        {"measured": measured.tolist(), **{n: p.tolist() for n, p in zip(names, predicted, strict=True)}},
    )


def error_chart(names: Sequence[str], errors: Sequence[Array], options: Sequence[OptionValues]) -> Chart:
    """Return a chart of the relative errors in percent of several models at each value of options."""
    y = Axis.over(np.concatenate(list(errors)), "error, %", log=False, zero=True)
    panels = []
    for name, labels, at in options[:MAX_PANELS]:
        drawn = spread(len(at))
        places, keys = at[drawn] + beside(len(drawn)), tuple(drawn.tolist())
        points = (Points(places, part[drawn], role, keys=keys) for part, role in zip(errors, SERIES, strict=False))
        panels.append(Panel(Axis.of_names(labels), y, (ReferenceLine(y=0.0), *points), name, 250, 200))
    return Chart(
        "errors",
        "Where the models are wrong",
        "The errors of the predictions at each value of an option.",
        tuple(panels),
        dict(zip(SERIES, names, strict=False)),
        value_errors(options, dict(zip(names, errors, strict=True))),
    )


def sorted_chart(names: Sequence[str], values: Array, measured: Array | None, quantity: str) -> Chart:
    """Return a chart of predictions over the configurations in ascending order (figures 5.1 to 5.7 of the thesis).

    A model is a line, or points with their running median; those beyond the last colour are not drawn. Predictions have
    the shape (models, n), measured values the shape (n,).
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
        marks += _model_marks(row[order], role)
    # Medians are drawn over all points.
    marks.sort(key=lambda mark: not isinstance(mark, Points))
    hidden = further(len(names), len(SERIES), "further models")
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


def _model_marks(row: Array, role: Role) -> Iterator[Mark]:
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


# The greatest numbers of bars, and of options.
MAX_BARS, MAX_OPTIONS = 40, 10
_SMALLEST = 0.1  # smaller correlations have no number


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
    numbered = tuple(np.repeat(keys, len(numbers)).tolist())
    drift = Points(places + beside(len(places)), off.ravel(), "measured", keys=numbered)
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


def associations(indices: Array, choices: Sequence[tuple[int, ...]]) -> Array:
    """Return the largest correlation of the values of each two choices, given indices of shape (n, options)."""
    columns = indices[:, [position for members in choices for position in members]].astype(float)
    columns -= columns.mean(axis=0)
    size = np.sqrt((columns**2).sum(axis=0))
    # What does not change is not associated with anything.
    columns /= np.where(size > 0, size, 1.0)
    correlations = np.abs(columns.T @ columns)
    starts = np.cumsum([0, *(len(members) for members in choices[:-1])])
    largest = np.maximum.reduceat(np.maximum.reduceat(correlations, starts, axis=0), starts, axis=1)
    return np.asarray(np.minimum(largest, 1.0))


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
