"""Importances of columns: how much predictions vary with each of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splc.types import Array

# At most this number of rows, and of values of a column, are combined.
MAX_ROWS, MAX_VALUES = 500, 25


def total_effects(predict: Callable[[Array], Array], X: Array) -> Array:
    """Return the share of each column in the variance of predictions, shape (features,), at least 0; the sum is 1.

    The effect of a column is the mean over rows of the variance of the prediction where only this column changes, to
    the values that it has in X (the total effect of Sobol's analysis, for independent columns). All shares of a
    constant function are 0.

    `predict`: returns the predictions of rows, shape (n,). `X`: the rows, shape (n, features).
    """
    rows = X[np.unique(np.linspace(0, len(X) - 1, min(len(X), MAX_ROWS)).round().astype(int))]
    effects = np.zeros(X.shape[1])
    for column in range(X.shape[1]):
        values, weights = column_values(X[:, column])
        if len(values) == 1:
            continue
        changed = np.repeat(rows, len(values), axis=0)
        changed[:, column] = np.tile(values, len(rows))
        predicted = predict(changed).reshape(len(rows), len(values))
        means = predicted @ weights
        effects[column] = float((((predicted - means[:, np.newaxis]) ** 2) @ weights).mean())
    # Rounding errors of predictions that do not depend on a column are no effect.
    effects[effects <= 1e-12 * effects.max(initial=0.0)] = 0.0
    total = effects.sum()
    return effects / total if total > 0 and np.isfinite(total) else np.zeros_like(effects)


def column_values(column: Array) -> tuple[Array, Array]:
    """Return the values of a column and their frequencies, which add up to 1; of many values, some."""
    values, counts = np.unique(column, return_counts=True)
    if len(values) > MAX_VALUES:
        selected = np.linspace(0, len(values) - 1, MAX_VALUES).round().astype(int)
        values, counts = (
            values[selected],
            np.diff(np.append(np.cumsum(counts)[selected] - counts[selected], counts.sum())),
        )
    return values, counts / counts.sum()
