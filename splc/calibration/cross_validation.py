"""Cross-validation of calibrated models: predictions with parameters estimated from other configurations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.calibration.search import Misfit, search_near
from splc.calibration.sensitivity import Sensitivity
from splc.types import Array


def predictions_from_others(misfit: Misfit, best: Array, folds: int, seed: int) -> Array | None:
    """Return predictions of each configuration with parameters that are estimated without its fold.

    Args:
        misfit: what was made small.
        best: where it is least, in the parameters' units; searches of models that are not linear begin there.
        folds: how many folds of equal size (±1) there are; no more than configurations.
        seed: of the folds. The order of the configurations has no effect.

    Returns:
        Shape (n,), None where some have no predictions.
    """
    n = len(misfit.measured)
    places = misfit.predictions.configurations
    columns = [np.nan_to_num(places.column(name), nan=-np.inf) for name in sorted(places.system.names)]
    shuffled = np.lexsort([*columns, misfit.measured])[np.random.default_rng(seed).permutation(n)]
    predicted = np.full(n, np.nan)
    for number in range(min(folds, n)):
        held = np.zeros(n, dtype=bool)
        held[shuffled[number :: min(folds, n)]] = True
        others = replace(
            misfit,
            predictions=_on(misfit, ~held),
            measured=misfit.measured[~held],
            weights=misfit.weights[~held],
        )
        at = search_near(others, best)
        if at is not None:
            predicted[held] = _on(misfit, held)(at)[0]
    return predicted if np.isfinite(predicted).all() else None


def _on(misfit: Misfit, rows: Array) -> Sensitivity:
    own = misfit.predictions
    return Sensitivity(own.model, own.configurations[rows], own.free)
