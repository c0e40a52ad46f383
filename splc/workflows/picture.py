"""The pictures of results: what `--plot` writes, and what `plot()` of a result returns."""

from __future__ import annotations

from functools import partial, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from comparison import Comparison
from sampling.space.ranking import Ranking
from splc.data.measurements import Measurements
from splc.data.property_unit import titled
from splc.errors import SpecError
from splc.formats.measurements.columns import shown_value
from splc.learning.judging import predictions
from splc.learning.result import LearningResult
from splc.plotting import comparison_plot, plot_format, prediction_plot
from splc.plotting.front import front_plot
from splc.plotting.picture import Picture
from splc.types import Array
from splc.workflows.explain.contributions import Explained
from splc.workflows.explain.overview import Overview
from splc.workflows.explain.plot import explained_picture


def picture_of(result: Any, file: str | Path | None = None) -> Picture:
    """Return the picture of a result.

    Args:
        result: the result.
        file: the file to write it to, too.

    Raises:
        OutputError: if matplotlib is not installed, or the file cannot be written.
        SpecError: if there is nothing to draw.
    """
    plot_format("picture.png" if file is None else file)
    picture = Picture(partial(drawn, result))
    # What cannot be drawn is an error here, not where the picture is shown.
    if file is None:
        picture.draw("png")
    else:
        picture.save(file)
    return picture


@singledispatch
def drawn(result: Any, file_format: str) -> bytes:
    """Return the picture of a result as a file of a format."""
    raise SpecError(f"there is no picture of a {type(result).__name__}")


@drawn.register
def _(result: LearningResult, file_format: str) -> bytes:
    if result.rows is None:
        raise SpecError("the measurements are not part of this result", hint="learn it in this program: splc.learn")
    return learned_picture(result, result.rows.measured, result.rows.learned, file_format)


def learned_picture(result: LearningResult, measured: Measurements, rows: Array, file_format: str) -> bytes:
    """Return the picture of predicted against measured values.

    Args:
        result: the learned model.
        measured: the measurements.
        rows: the positions of the learning set among them.
        file_format: the format of the file.
    """
    learned = np.zeros(len(measured), dtype=bool)
    learned[rows] = True
    values = measured.column(result.nfp)
    predicted = predictions(result.predictor, measured.configurations)
    there = ~np.isnan(values) & ~np.isnan(predicted)
    contexts = (f"{name} = {shown_value(value)}" for name, value in measured.contexts.items())
    title = ", ".join((measured.system.name, *contexts))
    named = titled(result.nfp, result.unit)
    return prediction_plot(values[there], predicted[there], learned[there], named, title, file_format)


@drawn.register
def _(result: Overview | Explained, file_format: str) -> bytes:
    return explained_picture(result, "", "prediction", file_format)


@drawn.register
def _(result: Ranking, file_format: str) -> bytes:
    if len(result.predicted) != 2:
        raise SpecError("only the Pareto front of two models has a picture", hint="splc.optimize([one, other])")
    points = result.predicted.T.tolist()
    return front_plot(points, [], ("first model", "second model"), result.configurations.system.name, file_format)


@drawn.register
def _(result: Comparison, file_format: str) -> bytes:
    if not result.same_link:
        raise SpecError("a product and a sum have no terms that can be compared")
    return comparison_plot(("terms",), None, [result], file_format)
