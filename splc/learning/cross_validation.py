"""Cross-validation: folds of a learning set, and the error at configurations that were not learned from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from splc.data.accuracy import mean_relative_error, relative_error_quantiles
from splc.data.measurements import Measurements
from splc.errors import Problem, SplcError
from splc.learning.features import FeatureTable, feature_table, stable_order
from splc.learning.folds import Groups, drawn_folds, repeated_settings
from splc.learning.judging import predictions
from splc.learning.result import CrossValidated, Predictor
from splc.types import Array


def random_folds(table: FeatureTable, number: int, seed: int, groups: Array | None = None) -> Array:
    """Return the fold of each row, shape (n,): random folds with equally many groups (±1), see `drawn_folds`."""
    shuffled = stable_order(table)[np.random.default_rng(seed).permutation(len(table))]
    return drawn_folds(shuffled, number, groups)


def cross_validate(
    measurements: Measurements,
    nfp: str,
    rows: Array,
    number: int,
    seed: int,
    learn: Callable[[Array], Predictor],
    should_stop: Callable[[], bool] = lambda: False,
    groups: Groups | None = None,
) -> CrossValidated | None:
    """Return the errors of the rows of a learning set, each predicted by a model of the other folds.

    The arguments are those of `cross_validate_all`, for one model.
    """
    errors_of_models = cross_validate_all(
        measurements, nfp, rows, number, seed, lambda fold_rows: [learn(fold_rows)], should_stop, groups
    )
    return errors_of_models[0] if errors_of_models else None


def cross_validate_all(
    measurements: Measurements,
    nfp: str,
    rows: Array,
    number: int,
    seed: int,
    learn: Callable[[Array], Sequence[Predictor]],
    should_stop: Callable[[], bool] = lambda: False,
    groups: Groups | None = None,
) -> list[CrossValidated | None]:
    """Return the errors of the rows of a learning set, each predicted by models of the other folds.

    `rows`: the positions of the learning set; all have a value of the property. `number`: the number of folds, at least
    2; there are at most as many as rows. `should_stop`: asked after every fold; true ends the cross-validation without
    a result. `groups`: the groups of all measurements that folds keep together; None: those of settings that repeat.
    """
    if len(rows) < 2:
        return []
    values, configurations = measurements.column(nfp)[rows], measurements.configurations[rows]
    groups = repeated_settings(measurements.configurations, rows) if groups is None else groups
    table, kept = feature_table(configurations, values), None if groups is None else groups.labels[rows]
    folds = random_folds(table, number, seed, kept)
    fold_predictions: list[tuple[Array, list[Array]]] = []
    for fold in range(int(folds.max()) + 1):
        held_out = folds == fold
        try:
            models = learn(rows[~held_out])
        except SplcError as error:
            fold_text = f"fold {fold + 1} of {folds.max() + 1}"
            hint = "choose other folds or none, or a larger learning set"
            problems = (
                Problem(f"{fold_text}: {problem.message}", hint=problem.hint or hint) for problem in error.problems
            )
            raise type(error)(problems) from None
        fold_predictions.append((held_out, [predictions(model, configurations[held_out]) for model in models]))
        if should_stop():
            return []
    errors: list[CrossValidated | None] = []
    for number_of_model in range(len(fold_predictions[0][1])):
        predicted = np.empty(len(rows))
        for held_out, predicted_held_out in fold_predictions:
            predicted[held_out] = predicted_held_out[number_of_model]
        mean, quantiles = mean_relative_error(predicted, values), relative_error_quantiles(predicted, values)
        if mean is None or quantiles is None:
            errors.append(None)
        else:
            errors.append(CrossValidated(median=quantiles[0], mean=mean, p95=quantiles[1]))
    return errors
