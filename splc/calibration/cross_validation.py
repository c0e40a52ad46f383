"""Cross-validation of calibrated models: predictions with parameters estimated from other configurations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.calibration.search import Misfit, search_near
from splc.calibration.sensitivity import Sensitivity
from splc.learning.folds import drawn_folds
from splc.types import Array


def predictions_from_others(misfit: Misfit, best: Array, folds: int, seed: int) -> Array | None:
    """Return predictions of each configuration with parameters that are estimated without its fold.

    `best`: its minimum, in the parameters' units; searches of models that are not linear begin there. `folds`: the
    number of folds of equal size (±1); at most one per configuration.
    """
    n = len(misfit.measured)
    configurations = misfit.predictions.configurations
    columns = [np.nan_to_num(configurations.column(name), nan=-np.inf) for name in sorted(configurations.system.names)]
    shuffled = np.lexsort([*columns, misfit.measured])[np.random.default_rng(seed).permutation(n)]
    fold_of, predicted = drawn_folds(shuffled, folds), np.full(n, np.nan)
    for number in range(min(folds, n)):
        is_held_out = fold_of == number
        training = replace(
            misfit,
            predictions=_on(misfit, ~is_held_out),
            measured=misfit.measured[~is_held_out],
            weights=misfit.weights[~is_held_out],
        )
        at = search_near(training, best)
        if at is not None:
            predicted[is_held_out] = _on(misfit, is_held_out)(at)[0]
    return predicted if np.isfinite(predicted).all() else None


def _on(misfit: Misfit, rows: Array) -> Sensitivity:
    predictions = misfit.predictions
    return Sensitivity(predictions.model, predictions.configurations[rows], predictions.free)
