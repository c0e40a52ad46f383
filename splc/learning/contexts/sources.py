"""Predictors of a context by the values of others, and their files.

In: a joint model, what was measured in other contexts (`Sources`), and a process that maps their values. Out: the
mixture that predicts where other contexts are measured (`SourceMixture`), and the geometric mean of the measured
contexts, with their spread, that predicts one of which nothing was measured (`UnmeasuredContext`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.contexts.mapped_process import MappedProcess, MappedRows
from splc.learning.projection import (
    Ensemble,
    KernelDesign,
    OptionBasis,
    Scale,
    column_as_json,
    column_from_json,
    configurations_as_json,
    configurations_from_json,
)
from splc.models.basis.regression import t_quantile
from splc.system.variability import VariabilityModel
from splc.types import Array

# Configurations that are predicted at a time, which bounds the memory.
_BLOCK = 2048


@dataclass(frozen=True, eq=False)
class Sources:
    """The values of other contexts at any configuration: measured ones, and elsewhere those of the joint model."""

    joint: Ensemble  # the joint model of all contexts, about any of them
    places: tuple[int, ...]  # the positions of the other contexts in `joint.basis.context.names`
    configurations: Configurations  # m distinct configurations that were measured in some of them
    logarithms: Array  # ln y, shape (m, contexts); NaN where a context was not measured

    @classmethod
    def of(cls, joint: Ensemble, parts: Mapping[int, tuple[Configurations, Array]]) -> Self:
        """Return the sources for place → measured configurations and their values."""
        every = Configurations.concatenate([configurations for configurations, _ in parts.values()]).unique()
        logarithms = np.full((len(every), len(parts)), np.nan)
        for column, (configurations, y) in enumerate(parts.values()):
            logarithms[every.find(configurations), column] = np.log(y)
        return cls(joint, tuple(parts), every, logarithms)

    def values(self, configurations: Configurations) -> Array:
        """Return ln y in each other context at m configurations, shape (m, contexts)."""
        rows = _rows_of(self.configurations, configurations)
        result = np.where((rows >= 0)[:, None], self.logarithms[rows], np.nan)
        for column, place in enumerate(self.places):
            missing = np.flatnonzero(np.isnan(result[:, column]))
            if len(missing):
                result[missing, column] = np.log(self._model(place).predict(configurations[missing]))
        return result

    def mapped(self, configurations: Configurations) -> MappedRows:
        """Return the values, and the columns of the options, of configurations."""
        return MappedRows(self.values(configurations), _option_design(self.joint, configurations))

    def _model(self, place: int) -> Ensemble:
        """Return the joint model about one context."""
        basis = self.joint.basis
        assert basis.context is not None
        return replace(self.joint, basis=replace(basis, context=replace(basis.context, place=place)))

    def as_json(self) -> dict[str, Any]:
        """Return all but the joint model, in JSON's types."""
        return {
            "places": list(self.places),
            "configurations": configurations_as_json(self.configurations),
            "logarithms": [column_as_json(column) for column in self.logarithms.T],
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], joint: Ensemble, system: VariabilityModel) -> Self:
        """Return the sources of `as_json`."""
        places = tuple(map(int, content["places"]))
        configurations = configurations_from_json(content["configurations"], system)
        logarithms = np.column_stack([column_from_json(column) for column in content["logarithms"]])
        context = joint.basis.context
        if context is None or logarithms.shape != (len(configurations), len(places)):
            raise ValueError("the other contexts do not fit the configurations")
        if not all(0 <= place < len(context.names) for place in places):
            raise ValueError("the other contexts do not fit the joint model")
        return cls(joint, places, configurations, logarithms)


def _option_design(joint: Ensemble, configurations: Configurations) -> KernelDesign:
    """Return the columns of the options, without the context."""
    return OptionBasis(joint.basis.variables, joint.basis.rows).designs(configurations)[0]


def _rows_of(known: Configurations, wanted: Configurations) -> Array:
    """Return the row of each wanted configuration among known ones, -1 if there is none.

    Wanted ones may be of a system with other values of the same options, such as those that are extrapolated.
    """
    if wanted.system is known.system or wanted.system.options == known.system.options:
        return known.find(wanted)
    names = [option.name for option in known.system.options]
    values = [np.column_stack([each.value(name) for name in names]) for each in (known, wanted)]
    _, group = np.unique(np.nan_to_num(np.vstack(values), nan=-np.inf), axis=0, return_inverse=True)
    rows = np.full(int(group.max()) + 1, -1)
    rows[group[: len(known)]] = np.arange(len(known))
    return np.asarray(rows[group[len(known) :]])


@dataclass(frozen=True, eq=False)
class LogPredictor(ABC):
    """A full model of ln y by the values of other contexts, whose prediction intervals are factors."""

    level: ClassVar[float] = Ensemble.level

    scale: Scale  # ln y
    quantile: float  # the multiple of the standard deviation on each side of intervals
    sources: Sources  # the values of the other contexts
    # what the scatter of runs adds to the half width of intervals, in quadrature
    runs: float = field(default=0.0, kw_only=True)

    @property
    def joint(self) -> Ensemble:
        """The joint model."""
        return self.sources.joint

    @property
    def options(self) -> frozenset[str]:
        """The options that predictions depend on."""
        return self.joint.options

    @property
    def configurations(self) -> Configurations:
        """The configurations that it was learned from, of all contexts."""
        return self.joint.configurations

    @abstractmethod
    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise, shapes (m,)."""

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.moments(configurations, variances=False)[0] * self.scale.unit

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals of a run, shapes (m,), in the unit of the property."""
        g, deviations = self.moments(configurations)
        factor = np.exp(np.minimum(np.hypot(self.quantile * deviations, self.runs), 600.0))
        return g / factor * self.scale.unit, g * factor * self.scale.unit


@dataclass(frozen=True, eq=False)
class SourceMixture(LogPredictor):
    """A mixture of the joint model about one context, and of a process that maps the values of the others."""

    process: MappedProcess  # the mapped values, learned from the rows of the context
    weight: float  # the weight of the process
    noise: float  # the variance of the noise of a measurement of the process, with the usual number of repetitions

    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise over the divisor."""
        configurations = Configurations.of(self.configurations.system, configurations)
        g, deviations = self.joint.moments(configurations, variances)
        mapped, variance = np.empty(len(g)), np.empty(len(g))
        for start in range(0, len(g), _BLOCK):
            block = slice(start, start + _BLOCK)
            mapped[block], variance[block] = self.process.moments(self.sources.mapped(configurations[block]))
        mean, deviation = mixed(
            self.weight, (np.log(g * self.joint.scale.unit), deviations), (mapped, np.sqrt(variance + self.noise))
        )
        return self.scale.backward(mean - np.log(self.scale.unit)), deviation

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        return {
            "kind": "mixture",
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
        design = _option_design(joint, joint.configurations[joint.own])
        process = MappedProcess.from_json(content["process"], design)
        weight, quantile, noise = (float(content[name]) for name in ("weight", "quantile", "noise"))
        runs = float(content.get("runs", 0.0))
        return cls(Scale(**content["scale"]), quantile, sources, process, weight, noise, runs=runs)


def mixed(weight: float, joint: tuple[Array, Array], mapped: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the means and standard deviations of a mixture, shapes (m,)."""
    mean = (1 - weight) * joint[0] + weight * mapped[0]
    between = (1 - weight) * (joint[0] - mean) ** 2 + weight * (mapped[0] - mean) ** 2
    return mean, np.sqrt((1 - weight) * joint[1] ** 2 + weight * mapped[1] ** 2 + between)


@dataclass(frozen=True, eq=False)
class UnmeasuredContext(LogPredictor):
    """A full model of a context of which nothing was measured: the geometric mean of the others.

    Contexts count as draws of one population: with C of them, ln y of a further one is within t sqrt(1 + 1/C) standard
    deviations of their mean, where t is the quantile of Student's distribution with C - 1 degrees of freedom. A single
    context has no spread, and intervals are those of its values.
    """

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
            "kind": "unmeasured",
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
        sources = Sources.from_json(content["sources"], Ensemble.from_json(content["joint"], system), system)
        runs = float(content.get("runs", 0.0))
        return cls(Scale(**content["scale"]), float(content["quantile"]), sources, runs=runs)
