"""Predicted against measured values of one model."""

from __future__ import annotations

import numpy as np

from splc.plotting.style import DARK, GREY, LIGHT, drawing, literal, logarithmic, new_figure, plain_number, saved
from splc.types import Array

_MANY = 2000


def prediction_plot(measured: Array, predicted: Array, learned: Array, nfp: str, title: str, file_format: str) -> bytes:
    """Return a plot of predicted against measured values; the same input gives the same bytes.

    Args:
        measured: the measured values, shape (n,).
        predicted: the predicted values, shape (n,).
        learned: whether a configuration is in the learning set, shape (n,), bool.
        nfp: the property.
        title: the title.
        file_format: one of `FORMATS`.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    with drawing():
        figure = new_figure(5.5, 5.5)
        axes = figure.add_subplot()
        positive = len(measured) > 0 and min(measured.min(), predicted.min()) > 0
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]))
            axis.set_major_formatter(FuncFormatter(plain_number))
        if positive and measured.max() > 50 * measured.min():
            for axis, drawn in ((axes.xaxis, measured), (axes.yaxis, predicted)):
                logarithmic(axes, axis, float(drawn.min()), float(drawn.max()))
        values = np.concatenate([measured, predicted])
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, label="predicted = measured", zorder=1)
        # The learning set, often much smaller, is drawn on top.
        for rows, marker, color, label in (
            (~learned, "o", LIGHT, "not learned from"),
            (learned, "x", DARK, "learned from"),
        ):
            if not rows.any():
                continue
            marks = axes.scatter(
                measured[rows],
                predicted[rows],
                s=18 if len(measured) <= _MANY else 8,
                marker=marker,
                color=color,
                linewidths=0.9,
                label=f"{label} ({int(rows.sum()):,})",
                zorder=3,
                rasterized=len(measured) > 10 * _MANY,
            )
            if marker == "o":
                marks.set_facecolor("none")
        axes.set_xlabel(f"measured {literal(nfp)}")
        axes.set_ylabel(f"predicted {literal(nfp)}")
        axes.set_title(literal(title))
        axes.legend(frameon=False)
        return saved(figure, file_format)
