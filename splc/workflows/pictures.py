"""The pictures of results, what `--plot` writes and `plot()` of a result returns, and the surface of two options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from comparison import Comparison
from sampling import Space
from sampling.space.ranking import Ranking
from splc.data.configurations import Configurations, value_table
from splc.errors import SpecError
from splc.learning.projection import valid_configurations
from splc.learning.result import LearningResult, Predictor
from splc.plotting import plot_format
from splc.plotting.charts.chart import Chart, joined
from splc.plotting.charts.curves import front_chart, progress_chart
from splc.plotting.charts.drawing import Picture, chart_file
from splc.plotting.charts.effects import ValueEffects, effects_chart
from splc.plotting.charts.influences import Share, importance_chart, term_chart, waterfall_chart
from splc.plotting.charts.predictions import learned_chart
from splc.tuning.result import TuningResult
from splc.types import Array, Link
from splc.workflows.explain.contributions import Explained, sums_of
from splc.workflows.explain.overview import OptionImportance, OptionValue, Overview, label_of

# Options with a smaller share of the variance are not drawn value by value.
MIN_SHARE = 0.005
# Of a surface: the configurations whose other options have their values, and the most values of an option.
CONTEXTS, MAX_VALUES = 100, 12


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


def explained_chart(found: Overview | Explained, title: str, quantity: str) -> Chart:
    """Return the chart of the importance of options and of their effects, or of the contributions to a prediction."""
    if isinstance(found, Explained):
        steps = [(term.text, term.difference) for term, _ in sums_of(found.contributions)]
        names = ("mean" if found.against is None else "other configuration", "this configuration")
        chart = waterfall_chart(steps, found.reference, names, quantity, product=found.product)
        return replace(chart, title=title)
    effects = [
        effect_of(option, None, product=found.product)
        for option in found.options
        if option.share >= MIN_SHARE and len(option.values) > 1
    ]
    charts = [importance_chart(shares_of(found), quantity)]
    charts += [effects_chart(effects, np.zeros(0), quantity)] if effects else []
    return joined(charts, title)


def shares_of(found: Overview) -> list[Share]:
    """Return the shares of the options in percent, with the ends of their intervals as far as they are known."""
    return [
        Share(item.name, 100 * item.share, *(None if end is None else 100 * end for end in (item.low, item.high)))
        for item in found.options
    ]


def effect_of(option: OptionImportance, configurations: Configurations | None, *, product: bool) -> ValueEffects:
    """Return the effect of an option, with the indices of its values in configurations, if there are any."""
    values = option.values
    numbers = tuple(value.number for value in values if value.number is not None)
    numeric = len(numbers) == len(values) and len(numbers) > 2
    means = np.array([value.mean for value in values])
    low, high = (interval_ends(values, means, end, product=product) for end in ("low", "high"))
    at = np.zeros(0, dtype=int) if configurations is None else positions(option, configurations)
    return ValueEffects(
        option.name, tuple(value.label for value in values), numbers if numeric else None, means, low, high, at
    )


def interval_ends(values: Sequence[OptionValue], means: Array, end: str, *, product: bool) -> Array:
    """Return one end of the interval of each mean: that of its change from the first value."""
    ends = np.full(len(values), np.nan)
    for index, value in enumerate(values):
        bound = getattr(value, end)
        if bound is not None and value.change is not None:
            ends[index] = means[index] * bound / value.change if product else means[index] + bound - value.change
    return ends


def positions(option: OptionImportance, configurations: Configurations) -> Array:
    """Return the position of the value of an option, or of an alternative group, in each configuration; else -1."""
    system = configurations.system
    columns = [system.positions[name] for name in option.options]
    labels = {value.label: index for index, value in enumerate(option.values)}
    cache: dict[tuple[int, ...], int] = {}
    indices = np.full(len(configurations), -1)
    for row, values in enumerate(configurations.indices[:, columns].tolist()):
        key = tuple(values)
        if key not in cache:
            label, _ = label_of(system, dict(zip(columns, key, strict=True)))
            cache[key] = labels.get(label, -1)
        indices[row] = cache[key]
    return indices


@dataclass(frozen=True, eq=False)
class ResponseSurface:
    """The mean prediction at pairs of values of two options."""

    names: tuple[str, str]  # the options
    x: Array  # the values of the first one, shape (k,)
    y: Array  # the values of the second one, shape (m,)
    # the mean predictions, of products the geometric means, shape (m, k); NaN where no configuration is valid
    predicted: Array


def response_surface(predictor: Predictor, link: Link, space: Space, names: tuple[str, str]) -> ResponseSurface:
    """Return the mean prediction at each pair of values of two numeric options, averaged over the same contexts."""
    system = space.system
    pool = valid_configurations(system, CONTEXTS).indices
    contexts = pool[_spread(len(pool), CONTEXTS)]
    columns = [system.positions[name] for name in names]
    indices = [_spread(system.options[column].size, MAX_VALUES) for column in columns]
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
    count = np.isfinite(cells).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.nansum(cells, axis=2) / count
    return ResponseSurface(names, values[0], values[1], np.exp(means) if product else means)


def _spread(count: int, most: int) -> Array:
    """Return at most so many positions, evenly spread, with the first and the last one."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
