"""Stacking: what predicts is a blend of the Gaussian processes and the printed model, weighted by their errors.

Each row is predicted by both models without its fold; the terms and their number, too, are those of the fold. The
blend is a mean on the scale of the full model: of logarithms, where that is one of ln y.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.scales import Scale
from splc.models.influence import EvaluationError, InfluenceModel
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Stacked:
    """The printed model as a part of what predicts.

    Attributes:
        printed: the printed model.
        weight: its weight, above 0; that of the Gaussian processes is the rest of 1.
        held_out: its prediction of each row without its fold, on the scale of the full model, shape (n,).
    """

    printed: InfluenceModel
    weight: float
    held_out: Array

    def mixed(self, t: Array, printed: Array) -> Array:
        """Return the blend of predictions on the scale, shape (m,); where the printed model has no value, the other."""
        return np.where(np.isfinite(printed), (1 - self.weight) * t + self.weight * printed, t)

    def blended(self, t: Array, configurations: Configurations, scale: Scale) -> Array:
        """Return the blend with predictions of the Gaussian processes on the scale, shape (m,)."""
        y = np.maximum(_known(self.printed, configurations) / scale.unit, scale.lowest)
        return self.mixed(t, scale.forward(y))

    def as_json(self) -> dict[str, Any]:
        """Return all but the printed model, in JSON's types."""
        return {"weight": self.weight, "held_out": self.held_out.tolist()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], printed: InfluenceModel) -> Self:
        """Return the part of `as_json`.

        Raises:
            KeyError, TypeError, ValueError: if the object is damaged.
        """
        return cls(printed, float(content["weight"]), np.array(content["held_out"], dtype=float))


def weight_of(full: Array, printed: Array, terms: int) -> float:
    """Return the weight of the printed model for the differences of ln y of both at held-out rows, shapes (n,).

    Weights are inverse powers of mean relative errors. The power is the number of rows in a fold: more rows tell better
    which model is nearer to unmeasured values. The printed model's error is raised, since it has the number of terms
    that suits the held-out rows best. (On 232 samples of real and made systems the choice of the smaller error is 3 to
    7 % worse on real systems, and as good on made ones; without raising, one real system is predicted 1.4 instead of
    1.2 times as badly as by the full model.)
    """
    raised = math.sqrt(1 + terms / len(full))
    errors = [float(np.abs(np.expm1(np.minimum(differences, 600.0))).mean()) for differences in (full, printed)]
    if min(errors) <= 0:
        return float(errors[1] <= 0)
    power = len(full) / constants.FOLDS
    return float(1 / (1 + np.exp(np.clip(power * math.log(raised * errors[1] / errors[0]), -600.0, 600.0))))


def _known(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the predictions of a model, NaN where it has none, shape (m,)."""
    try:
        return model.predict(configurations)
    except EvaluationError:
        half = len(configurations) // 2
        if not half:
            return np.full(1, np.nan)
        return np.concatenate([_known(model, configurations[:half]), _known(model, configurations[half:])])
