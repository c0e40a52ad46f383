"""Predicted against measured values, and the errors along the predictions and by option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from splc.plotting.charts.chart import Axis, Chart, Mark, Panel, Points, ReferenceLine, Role, beside, spread
from splc.types import Array

# The greatest number of panels of one option each.
MAX_PANELS = 8
_ROLES: tuple[Role, Role] = ("measured", "model")


def prediction_chart(
    measured: Array, predicted: Array, errors: Array, learned: Array, quantity: str, *, held_out: bool
) -> Chart:
    """Return a chart of predictions and of their relative errors.

    Args:
        measured: the measured values, shape (n,).
        predicted: the predictions, shape (n,).
        errors: the relative errors in percent, shape (n,).
        learned: which rows were learned from, shape (n,).
        quantity: the property with its unit.
        held_out: whether rows that were learned from are predicted without their own values.
    """
    both = Axis.over(np.concatenate([measured, predicted]), "")
    x, y = (Axis(f"{word} {quantity}", both.low, both.high, both.log) for word in ("measured", "predicted"))
    error = Axis.over(errors, "error of the prediction, %", log=False, zero=True)
    along = Axis(f"predicted {quantity}", both.low, both.high, both.log)
    agreeing: tuple[Mark, ...] = (ReferenceLine(), *_parts(measured, predicted, learned))
    off: tuple[Mark, ...] = (ReferenceLine(y=0.0), *_parts(predicted, errors, learned))
    text = "predicted without its own value" if held_out else "fitted"
    kinds = {"measured": f"learned from, {text}", "model": "not learned from"}
    present: dict[Role, str] = {
        role: kinds[role] for role in _ROLES if (learned if role == "measured" else ~learned).any()
    }
    return Chart(
        "prediction",
        "Predicted and measured values",
        "Each point is a configuration; on the dashed line the prediction is exact.",
        (Panel(x, y, agreeing, "", 380, 330), Panel(along, error, off, "", 380, 330)),
        present,
        {"measured": measured.tolist(), "predicted": predicted.tolist(), "error %": errors.tolist()},
    )


def residual_chart(options: Sequence[tuple[str, tuple[str, ...], Array]], errors: Array, learned: Array) -> Chart:
    """Return a chart of the relative errors by the values of each option.

    Args:
        options: the options: name, values as texts, and the position of the value of each row, shape (n,).
        errors: the relative errors in percent, shape (n,).
        learned: which rows were learned from, shape (n,).
    """
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


def value_errors(
    options: Sequence[tuple[str, tuple[str, ...], Array]], errors: Mapping[str, Array]
) -> dict[str, list[Any]]:
    """Return the errors at each value of options as a table: their number, mean, and mean size.

    Args:
        options: the options: name, values as texts, and the position of the value of each row, shape (n,).
        errors: the model → its relative errors in percent, shape (n,).
    """
    rows = [
        (option, label, model, values[(at == index) & np.isfinite(values)])
        for option, labels, at in options
        for index, label in enumerate(labels)
        for model, values in errors.items()
    ]
    groups = [(*names, values) for *names, values in rows if len(values)]
    columns: dict[str, list[Any]] = {
        "option": [option for option, *_ in groups],
        "value": [label for _, label, *_ in groups],
        "model": [model for _, _, model, _ in groups],
        "rows": [len(values) for *_, values in groups],
        "mean error %": [float(values.mean()) for *_, values in groups],
        "mean size of errors %": [float(np.abs(values).mean()) for *_, values in groups],
    }
    return columns if len(errors) > 1 else {name: column for name, column in columns.items() if name != "model"}


def _parts(x: Array, y: Array, learned: Array) -> tuple[Mark, ...]:
    """Return the points of rows that were learned from, and of the others."""
    marks: list[Mark] = []
    for role, part in zip(_ROLES, (learned, ~learned), strict=True):
        rows = np.flatnonzero(part & np.isfinite(x) & np.isfinite(y))
        if len(rows):
            marks.append(Points(x[rows], y[rows], role, keys=tuple(rows.tolist())))
    return tuple(marks)
