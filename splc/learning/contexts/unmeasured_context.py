"""The full model of a context that was not measured: the geometric mean of the measured ones, with their spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.contexts.log_predictor import LogPredictor
from splc.learning.contexts.sources import Sources
from splc.learning.projection import Ensemble, Scale
from splc.models.basis.regression import t_quantile
from splc.system.variability import VariabilityModel
from splc.types import Array

KIND = "unmeasured"


@dataclass(frozen=True, eq=False)
class UnmeasuredContext(LogPredictor):
    """A full model of a context of which nothing was measured.

    Contexts count as draws of one population: with C of them, ln y of a further one is within t sqrt(1 + 1/C) standard
    deviations of their mean, where t is the quantile of Student's distribution with C - 1 degrees of freedom. A single
    context has no spread, and intervals are those of its values.
    """

    sources: Sources  # the values of the measured contexts

    @property
    def joint(self) -> Ensemble:
        """The joint model of the measured contexts."""
        return self.sources.joint

    @property
    def options(self) -> frozenset[str]:
        """The options that predictions depend on."""
        return self.joint.options

    @property
    def configurations(self) -> Configurations:
        """The configurations that it was learned from, of all contexts."""
        return self.joint.configurations

    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise.

        The deviations include the spread between contexts, as a multiple of which `quantile` gives intervals.
        """
        configurations = Configurations.of(self.configurations.system, configurations)
        values = self.sources.values(configurations)
        g = self.scale.backward(values.mean(axis=1) - np.log(self.scale.unit))
        contexts = values.shape[1]
        if not variances:
            return g, np.zeros(len(g))
        deviations = self.joint.moments(configurations)[1]
        if contexts > 1:
            width = t_quantile(contexts - 1, (1 + self.level) / 2) / self.quantile
            spread = width**2 * (1 + 1 / contexts) * values.var(axis=1, ddof=1)
            deviations = np.sqrt(deviations**2 + spread)
        return g, deviations

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        return {
            "kind": KIND,
            "level": self.level,
            "joint": self.joint.as_json(),
            "sources": self.sources.as_json(),
            "scale": self.scale.as_json(),
            "quantile": self.quantile,
            "runs": self.runs,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the model of `as_json`."""
        joint = Ensemble.from_json(content["joint"], system)
        sources = Sources.from_json(content["sources"], joint, system)
        runs = float(content.get("runs", 0.0))
        return cls(Scale(**content["scale"]), float(content["quantile"]), sources, runs=runs)
