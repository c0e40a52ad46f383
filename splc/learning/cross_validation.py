"""Cross-validation: folds of a learning set, and the error at configurations that were not learned from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splc.data.accuracy import mean_relative_error, relative_error_quantiles
from splc.data.measurements import Measurements
from splc.errors import Problem, SplcError
from splc.learning.features import FeatureTable, feature_table, stable_order
from splc.learning.judging import predictions
from splc.learning.result import CrossValidated, Predictor
from splc.types import Array


def random_folds(table: FeatureTable, number: int, seed: int) -> Array:
    """Return the fold of each row, shape (n,): random folds of equal size (±1), at most as many as rows."""
    rows = len(table)
    shuffled = stable_order(table)[np.random.default_rng(seed).permutation(rows)]
    folds = np.empty(rows, dtype=np.int64)
    folds[shuffled] = np.arange(rows) % min(number, rows)
    return folds


def cross_validate(
    measurements: Measurements,
    nfp: str,
    rows: Array,
    number: int,
    seed: int,
    learn: Callable[[Array], Predictor],
    should_stop: Callable[[], bool] = lambda: False,
) -> CrossValidated | None:
    """Return the errors of the rows of a learning set, each predicted by a model of the other folds.

    Args:
        measurements: what was measured.
        nfp: the property.
        rows: the positions of the learning set; all have a value of the property.
        number: the number of folds, at least 2; there are at most as many as rows.
        seed: the seed of the folds.
        learn: returns what is learned from some of the rows.
        should_stop: asked after every fold; true ends the cross-validation without a result.

    Returns:
        The errors; None for fewer than two rows, where no measured value is usable, or if it was stopped.

    Raises:
        SplcError: if nothing can be learned from a fold.
    """
    if len(rows) < 2:
        return None
    values, configurations = measurements.column(nfp)[rows], measurements.configurations[rows]
    folds = random_folds(feature_table(configurations, values), number, seed)
    predicted = np.empty(len(rows))
    for fold in range(int(folds.max()) + 1):
        held = folds == fold
        try:
            predictor = learn(rows[~held])
        except SplcError as error:
            place = f"fold {fold + 1} of {folds.max() + 1}"
            hint = "choose other folds or none, or a larger learning set"
            problems = (Problem(f"{place}: {each.message}", hint=each.hint or hint) for each in error.problems)
            raise type(error)(problems) from None
        predicted[held] = predictions(predictor, configurations[held])
        if should_stop():
            return None
    mean, quantiles = mean_relative_error(predicted, values), relative_error_quantiles(predicted, values)
    if mean is None or quantiles is None:
        return None
    return CrossValidated(median=quantiles[0], mean=mean, p95=quantiles[1])
