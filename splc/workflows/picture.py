"""The pictures of results: what `--plot` writes, and what `plot()` of a result returns."""

from __future__ import annotations

from functools import partial, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from comparison import Comparison
from sampling.space.ranking import Ranking
from splc.errors import SpecError
from splc.learning.result import LearningResult
from splc.plotting import plot_format
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.curves import front_chart, progress_chart
from splc.plotting.charts.drawing import Picture, chart_file
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import learned_chart
from splc.tuning.result import TuningResult
from splc.workflows.explain.contributions import Explained
from splc.workflows.explain.overview import Overview
from splc.workflows.explain.pictures import explained_chart


def picture_of(result: Any, file: str | Path | None = None) -> Picture:
    """Return the picture of a result."""
    if file is not None:
        plot_format(file)
    picture = Picture(partial(chart_file, chart_of(result)))
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
    whys = [step.why or "search" for step in steps]
    return progress_chart(whys, values, best, default, result.nfp)


@chart_of.register
def _(result: LearningResult) -> Chart:
    return learned_chart(result)


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
