"""The mixture that predicts where other contexts are measured: the joint model, and the mapped values of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.contexts.log_predictor import LogPredictor
from splc.learning.contexts.mapped_process import MappedProcess, MappedRows
from splc.learning.contexts.sources import Sources
from splc.learning.projection import Ensemble, KernelDesign, OptionBasis, Scale
from splc.system.variability import VariabilityModel
from splc.types import Array

KIND = "mixture"
# Configurations that are predicted at a time, which bounds the memory.
_BLOCK = 2048


@dataclass(frozen=True, eq=False)
class SourceMixture(LogPredictor):
    """A mixture of the joint model about one context, and of a process that maps the values of the others."""

    joint: Ensemble  # the joint model
    sources: Sources  # the values of the other contexts
    process: MappedProcess  # the mapped values, learned from the rows of the context
    weight: float  # the weight of the process
    noise: float  # the variance of the noise of a measurement of the process, with the usual number of repetitions

    @property
    def options(self) -> frozenset[str]:
        """The options that predictions depend on."""
        return self.joint.options

    @property
    def configurations(self) -> Configurations:
        """The configurations that it was learned from, of all contexts."""
        return self.joint.configurations

    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise over the divisor."""
        configurations = Configurations.of(self.configurations.system, configurations)
        g, deviations = self.joint.moments(configurations, variances)
        mapped, variance = np.empty(len(g)), np.empty(len(g))
        for start in range(0, len(g), _BLOCK):
            block = slice(start, start + _BLOCK)
            rows = mapped_rows(self.joint.basis, self.sources, configurations[block])
            mapped[block], variance[block] = self.process.moments(rows)
        mean, deviation = mixed(
            self.weight, (np.log(g * self.joint.scale.unit), deviations), (mapped, np.sqrt(variance + self.noise))
        )
        return self.scale.backward(mean - np.log(self.scale.unit)), deviation

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        return {
            "kind": KIND,
            "level": self.level,
            "joint": self.joint.as_json(),
            "sources": self.sources.as_json(),
            "process": self.process.as_json(),
            "weight": self.weight,
            "scale": self.scale.as_json(),
            "quantile": self.quantile,
            "noise": self.noise,
            "runs": self.runs,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the mixture of `as_json`."""
        joint = Ensemble.from_json(content["joint"], system)
        sources = Sources.from_json(content["sources"], joint, system)
        design = option_design(joint.basis, joint.configurations[joint.own])
        process = MappedProcess.from_json(content["process"], design)
        weight, quantile, noise = (float(content[name]) for name in ("weight", "quantile", "noise"))
        runs = float(content.get("runs", 0.0))
        return cls(Scale(**content["scale"]), quantile, joint, sources, process, weight, noise, runs=runs)


def mixed(weight: float, joint: tuple[Array, Array], mapped: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the means and standard deviations of a mixture, shapes (m,)."""
    mean = (1 - weight) * joint[0] + weight * mapped[0]
    between = (1 - weight) * (joint[0] - mean) ** 2 + weight * (mapped[0] - mean) ** 2
    return mean, np.sqrt((1 - weight) * joint[1] ** 2 + weight * mapped[1] ** 2 + between)


def mapped_rows(basis: OptionBasis, sources: Sources, configurations: Configurations) -> MappedRows:
    """Return the values and columns of configurations for the process."""
    return MappedRows(sources.values(configurations), option_design(basis, configurations))


def option_design(basis: OptionBasis, configurations: Configurations) -> KernelDesign:
    """Return the columns of the options, without the context."""
    return OptionBasis(basis.variables, basis.rows).designs(configurations)[0]
