"""Prediction intervals: quantiles of the mixture of all plausible hypotheses' predictive distributions.

The choice of one of many hypotheses is the largest part of the uncertainty far from the measured points. The interval
of a single least squares fit is much too narrow there: in the evaluation on synthetic functions such 90 %
intervals hold a new measurement in 10 to 40 % of all cases.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from splc.scaling.mixture import Plausible, mixture_interval
from splc.scaling.multi.default import plausible as plausible_of_several
from splc.scaling.noise import Condensed
from splc.scaling.single.default import plausible
from splc.types import Array


@dataclass(frozen=True, eq=False)
class PosteriorUncertainty:
    """The uncertainty of a quantity, given its measurements, whichever method chose its model.

    Attributes:
        points: shape (n, parameters).
        values: shape (n,), in units of `unit`.
        counts: measurements per point, shape (n,).
        squares: sums of squared deviations of repetitions, shape (n,).
        strong_scaling: whether negative powers are among the hypotheses; None: where values fall.
        unit: the divisor of the values.
        parameter: the only one of several parameters of the model that has an effect, as a position; None: it has all.
    """

    points: Array
    values: Array
    counts: Array
    squares: Array
    strong_scaling: bool | None
    unit: float
    parameter: int | None = None

    def interval(self, x: Array, center: Array, level: float) -> tuple[Array, Array]:
        """Return the bounds for new measurements at points x, shape (points, parameters), around predictions.

        The lower bounds are at least 0 if all measured values are positive.
        """
        x = x if self.parameter is None else x[:, [self.parameter]]
        with np.errstate(all="ignore"):
            found = self.plausible
            means, errors = found.predictions(x)
            lower, upper = mixture_interval(found.log_weights, means, errors, found.freedoms, center / self.unit, level)
            if (self.values > 0).all():
                # Times and sizes are never negative.
                lower = np.maximum(lower, 0.0)
            return lower * self.unit, upper * self.unit

    @cached_property
    def plausible(self) -> Plausible:
        """The plausible hypotheses, which are kept for further points."""
        if self.points.shape[1] == 1:
            return plausible(self.points[:, 0], self._measured, self.strong_scaling)
        return plausible_of_several(self.points, self._measured, self.strong_scaling)

    @property
    def _measured(self) -> Condensed:
        return Condensed(self.values[None], self.counts[None], self.squares[None], np.zeros(1, dtype=int))

    def __reduce__(self) -> tuple[type[PosteriorUncertainty], tuple[Any, ...]]:
        # Without the hypotheses, which have functions.
        return type(self), tuple(getattr(self, each.name) for each in fields(self))
