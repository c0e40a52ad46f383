"""The pictures of results, what `--plot` writes and `plot()` of a result returns, and the surface of two options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from comparison import Comparison
from sampling import Ranking, Space
from splc.data.accuracy import signed_errors
from splc.data.configurations import Configurations, value_table
from splc.data.property_unit import titled
from splc.errors import SpecError
from splc.formats.column_choice import shown_value
from splc.learning.projection import valid_configurations
from splc.learning.result import LearningResult, Predictor
from splc.plotting import plot_format
from splc.plotting.charts.chart import Chart, spread
from splc.plotting.charts.curves import front_chart, progress_chart
from splc.plotting.charts.drawing import Picture, chart_file, draw_into
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import prediction_chart
from splc.tuning.result import TuningResult
from splc.types import Array, Link
from splc.workflows.explain.explain import Explained, explained_chart
from splc.workflows.explain.importance import Overview

# Of a surface: the configurations whose other options have their values, and the most values of an option.
CONTEXTS, MAX_VALUES = 100, 12


def picture_of(result: Any, file: str | Path | None = None, ax: Any = None, title: str | None = None) -> Any:
    """Return the picture of a result; with `ax`, the axes of matplotlib that it was drawn into."""
    if file is not None:
        plot_format(file)
    chart = chart_of(result)
    chart = replace(chart, title=chart.title if title is None else title)
    if ax is not None:
        draw_into(chart, ax)
        return ax
    picture = Picture(partial(chart_file, chart))
    # What cannot be drawn is an error here, not where the picture is shown.
    if file is None:
        picture.draw(picture.shown)
    else:
        picture.save(file)
    return picture


@singledispatch
def chart_of(result: Any) -> Chart:
    """Return the chart of a result."""
    raise SpecError(f"there is no picture of a {type(result).__name__}")


@chart_of.register
def _(result: TuningResult) -> Chart:
    steps = result.trajectory
    values = np.array([step.values.get(result.nfp, np.nan) for step in steps])
    best = np.array([np.nan if step.best is None else step.best for step in steps])
    default = None if result.default is None else result.default.value
    return progress_chart([step.why or "search" for step in steps], values, best, default, result.nfp)


@chart_of.register
def _(result: LearningResult) -> Chart:
    """Return the chart of predicted against measured values of the configurations that judge a model."""
    if result.rows is None or not result.judgements:
        raise SpecError("the measurements are not part of this result", hint="learn it in this program: splc.learn")
    measured, places = result.rows.measured, result.rows.places
    learned = np.isin(places, result.rows.learned)
    values, predicted = measured.column(result.nfp)[places], result.judgements[0].predicted
    mask = ~np.isnan(values) & ~np.isnan(predicted)
    contexts = (f"{name} = {shown_value(value)}" for name, value in measured.contexts.items())
    title = ", ".join((measured.system.name, *contexts))
    values, predicted = values[mask], predicted[mask]
    errors = signed_errors(predicted, values)
    label = titled(result.nfp, result.unit)
    return replace(prediction_chart(values, predicted, errors, learned[mask], label, held_out=False), title=title)


@chart_of.register
def _(result: Overview | Explained) -> Chart:
    return explained_chart(result, "", "prediction")


@chart_of.register
def _(result: Ranking) -> Chart:
    if len(result.predicted) != 2:
        raise SpecError("only the Pareto front of two models has a picture", hint="splc.optimize([one, other])")
    names = ("first model", "second model")
    return front_chart(result.predicted.T, np.zeros((0, 2)), names, result.configurations.system.name)


@chart_of.register
def _(result: Comparison) -> Chart:
    if not result.same_link:
        raise SpecError("a product and a sum have no terms that can be compared")
    return term_chart([result])


@dataclass(frozen=True, eq=False)
class ResponseSurface:
    """The mean prediction at pairs of values of two options."""

    names: tuple[str, str]  # the options
    x: Array  # the values of the first one, shape (k,)
    y: Array  # the values of the second one, shape (m,)
    predicted: Array  # the mean predictions (of products geometric), shape (m, k); NaN where nothing is valid


def response_surface(predictor: Predictor, link: Link, space: Space, names: tuple[str, str]) -> ResponseSurface:
    """Return the mean prediction at each pair of values of two numeric options, averaged over the same contexts."""
    system = space.system
    pool = valid_configurations(system, CONTEXTS).indices
    contexts = pool[spread(len(pool), CONTEXTS)]
    columns = [system.positions[name] for name in names]
    indices = [spread(system.options[column].size, MAX_VALUES) for column in columns]
    values = [value_table(system.options[column])[rows] for column, rows in zip(columns, indices, strict=True)]
    # Deselected options have no number.
    indices = [rows[np.isfinite(column)] for rows, column in zip(indices, values, strict=True)]
    values = [column[np.isfinite(column)] for column in values]
    x, y = indices
    grid = np.tile(contexts, (len(y) * len(x), 1))
    grid[:, columns[0]] = np.repeat(np.tile(x, len(y)), len(contexts))
    grid[:, columns[1]] = np.repeat(y, len(x) * len(contexts))
    configurations = Configurations(system, grid)
    valid = np.flatnonzero(space.check(configurations))
    predicted = np.full(len(grid), np.nan)
    predicted[valid] = predictor.predict(configurations[valid])
    product = link == "log" and bool((predicted[valid] > 0).all())
    cells = (np.log(predicted) if product else predicted).reshape(len(y), len(x), len(contexts))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.nansum(cells, axis=2) / np.isfinite(cells).sum(axis=2)
    return ResponseSurface(names, values[0], values[1], np.exp(means) if product else means)
