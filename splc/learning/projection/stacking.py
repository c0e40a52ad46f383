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
from splc.errors import ExpressionError
from splc.learning.judging import predictions
from splc.learning.projection import constants
from splc.learning.projection.scales import Scale
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel
from splc.types import Array, Link

# With few rows, as of designs, held-out rows say little: of equal errors the full model has three quarters. (On 24
# samples of real systems predictions are 0.2 % better than those of the full model then, otherwise 1.3 % worse.)
FEW_ROWS_ODDS = 3.0


@dataclass(frozen=True, eq=False)
class Stacked:
    """The printed model as a part of what predicts."""

    printed: InfluenceModel  # the printed model
    weight: float  # its weight, above 0; that of the Gaussian processes is the rest of 1
    held_out: Array  # its prediction of each row without its fold, on the scale of the full model, shape (n,)

    @property
    def raised(self) -> float:
        """The multiple of errors at held-out rows that new ones have, since these rows chose the number of terms."""
        return raised(len(self.held_out), self.weight * len(self.printed.terms))

    def mixed(self, t: Array, printed: Array) -> Array:
        """Return the blend of predictions of both models on the scale, shape (m,)."""
        return (1 - self.weight) * t + self.weight * printed

    def blended(self, t: Array, configurations: Configurations, scale: Scale) -> Array:
        """Return the blend with predictions of the Gaussian processes on the scale, shape (m,)."""
        return self.mixed(t, on_scale(predictions(self.printed, configurations) / scale.unit, scale, t))

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's types."""
        printed = self.printed
        return {
            "weight": self.weight,
            "held_out": self.held_out.tolist(),
            "text": printed.text,
            "link": printed.link,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the part of `as_json`."""
        from splc.models.text.reader import expand_model

        link: Link = "log" if content["link"] == "log" else "identity"
        try:
            expanded = expand_model(content["text"], system.term_names)
        except ExpressionError as error:
            raise ValueError(str(error)) from None
        printed = InfluenceModel.of_system(expanded.expansion.items(), system, link, expanded.derived)
        return cls(printed, float(content["weight"]), np.array(content["held_out"], dtype=float))


def on_scale(y: Array, scale: Scale, otherwise: Array) -> Array:
    """Return predictions of the printed model in units of a scale on it; `otherwise`: where it has no value there."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = scale.forward(np.maximum(y, scale.lowest))
    return np.where(np.isfinite(t), t, otherwise)


def weight_of(full: Array, printed: Array, terms: int, rows: int) -> float:
    """Return the weight of the printed model for the absolute errors of both at held-out rows, shapes (n,).

    Errors are relative where all values are positive. `rows`: n, or the number of groups that folds keep together.

    Weights are inverse powers of mean errors. The power is the number of rows in a fold: more rows tell better
    which model is nearer to unmeasured values. The printed model's error is raised, since it has the number of terms
    that suits the held-out rows best. (Without this, one real system is predicted 1.25 instead of 1.13 times as badly
    as by the better model.)
    """
    errors = [float(full.mean()), float(printed.mean())]
    if min(errors) <= 0:
        return float(errors[1] <= 0)
    odds = FEW_ROWS_ODDS if rows < constants.FEW_ROWS else 1.0
    exponent = rows / constants.FOLDS * math.log(raised(rows, terms) * errors[1] / errors[0])
    return 1 / (1 + odds * math.exp(min(max(exponent, -600.0), 600.0)))


def raised(rows: int, terms: float) -> float:
    """Return the multiple of the errors of held-out rows that new ones have, for the number of terms that suits these.

    (With it 90 % intervals of the predictor contain as many values as those of the full model alone, within 0.3 %;
    without it 0.8 % fewer.)
    """
    return math.sqrt(1 + terms / rows)
