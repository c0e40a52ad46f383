"""The response surface: the mean prediction at each pair of values of two numeric options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations, value_table
from splc.learning.projection import valid_configurations
from splc.learning.result import Predictor
from splc.types import Array, Link

# The configurations whose other options have their values, and the most values of an option.
CONTEXTS, MAX_VALUES = 100, 12


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
