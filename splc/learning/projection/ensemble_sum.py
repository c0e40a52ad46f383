"""The sum of the full models of the parts of a property, and weighted sums of predictions.

In: the full models of the parts, each with the option that tells where it counts. Out: their sum with intervals
(`EnsembleSum`); and of any full model weighted sums of predictions, such as mean changes, with their uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.posterior import KernelPosterior, needs_scipy
from splc.learning.projection.predictor import Ensemble
from splc.learning.result import Predictor
from splc.learning.threads import one_thread
from splc.system.variability import VariabilityModel
from splc.types import Array, Link


@dataclass(frozen=True, eq=False)
class Summand:
    """The full model of a part."""

    full: Ensemble  # the full model
    # the option or observed variable that is 1 in the configurations that have the part; None: all have it
    where: str | None = None

    def counted(self, configurations: Configurations) -> Array:
        """Return which configurations have the part, shape (n,), bool."""
        if self.where is None:
            return np.ones(len(configurations), dtype=bool)
        return np.asarray(configurations.column(self.where) == 1)


@dataclass(frozen=True, eq=False)
class EnsembleSum:
    """The sum of the full models of parts."""

    level: ClassVar[float] = constants.LEVEL

    summands: tuple[Summand, ...]  # the full models of the parts, at least one

    @property
    def options(self) -> frozenset[str]:
        """The options and observed variables that predictions depend on."""
        wheres = frozenset(summand.where for summand in self.summands if summand.where is not None)
        return wheres.union(*(summand.full.options for summand in self.summands))

    @property
    def parts(self) -> tuple[KernelPosterior, ...]:
        """The posteriors of all full models."""
        return tuple(part for summand in self.summands for part in summand.full.parts)

    @property
    def configurations(self) -> Configurations:
        """The configurations that the part with the most of them was learned from."""
        return max((summand.full.configurations for summand in self.summands), key=len)

    @property
    def quantile(self) -> float:
        """The largest multiple of a standard deviation on each side of intervals."""
        return max(summand.full.quantile for summand in self.summands)

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return np.asarray(self._added(configurations, 1, lambda full, some: full.predict(some))[0])

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property.

        They are sums of the ends of the parts' intervals: what disturbs one part of a run may disturb all of them.
        """
        low, high = self._added(configurations, 2, lambda full, some: np.array(full.interval(some)))
        return low, high

    def _added(
        self, configurations: Configurations | Any, rows: int, of: Callable[[Ensemble, Configurations], Array]
    ) -> Array:
        """Return the sums of rows of values of the parts, each of the configurations that have it, shape (rows, m)."""
        configurations = Configurations.of(self.configurations.system, configurations)
        total = np.zeros((rows, len(configurations)))
        for summand in self.summands:
            counted = np.flatnonzero(summand.counted(configurations))
            total[:, counted] += of(summand.full, configurations[counted])
        return total

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        summands = [{"where": summand.where, "full": summand.full.as_json()} for summand in self.summands]
        return {"kind": "sum", "level": self.level, "summands": summands}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the sum of `as_json`."""
        summands = []
        for entry in content["summands"]:
            condition = entry["where"]
            if condition is not None and condition not in system.term_names:
                raise ValueError("the variable of a part does not fit the system")
            summands.append(Summand(Ensemble.from_json(entry["full"], system), condition))
        if not summands:
            raise ValueError("there are no parts")
        return cls(tuple(summands))


# What predicts where there is a printed model.
Full = Ensemble | EnsembleSum


@dataclass(frozen=True, eq=False)
class WeightedSums:
    """Weighted sums of predictions."""

    values: Array  # the sums, shape (k,)
    covariance: Array  # their posterior covariance, shape (k, k); without the noise of measurements


def predictions(full: Predictor, configurations: Configurations, link: Link) -> Array:
    """Return the predictions, shape (n,); with the link 'log' their natural logarithms."""
    predicted = full.predict(configurations)
    return np.log(predicted) if link == "log" else predicted


def weighted_sums(full: Full, configurations: Configurations, weights: Array, link: Link) -> WeightedSums:
    """Return W f, where f are the predictions, with the link 'log' their natural logarithms.

    Their covariance is that of the Gaussian processes on the full model's scale, at the slope of the predictions (the
    delta method), also where the printed model is a part of predictions. The parts of a sum are independent.

    `weights`: W, shape (k, n). `link`: of a positive property also 'log'; not for the sum of full models.
    """
    if isinstance(full, EnsembleSum):
        pairs = [(each.full, weights * each.counted(configurations)) for each in full.summands]
        parts = [weighted_sums(part, configurations, own, link) for part, own in pairs]
        values, covariances = [part.values for part in parts], [part.covariance for part in parts]
        return WeightedSums(np.sum(values, axis=0), np.sum(covariances, axis=0))
    configurations = Configurations.of(full.configurations.system, configurations)
    scale, mixture = full.scale, full.mixture(configurations) if full.parts else None
    t = np.full(len(configurations), full.constant[0]) if mixture is None else mixture.means.mean(axis=0)
    y = scale.backward(full.blended(t, configurations))
    # The derivative of the prediction, or of its logarithm, by the value on the scale.
    slopes = scale.slope(y) * scale.divisor(y)
    slopes = slopes / y if link == "log" else slopes * scale.unit
    f = np.log(y * scale.unit) if link == "log" else y * scale.unit
    weighted = weights * slopes
    if mixture is None:
        total = weighted.sum(axis=1)
        return WeightedSums(weights @ f, full.constant[1] ** 2 * np.outer(total, total))
    with one_thread(with_scipy=needs_scipy(len(full.configurations))):
        return WeightedSums(weights @ f, mixture.covariance(weighted))
