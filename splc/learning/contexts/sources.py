"""Predictors of a context by the values of others, and their files.

In: a joint model, and what was measured in other contexts (`Sources`). A `MappedProcess` maps the values of these: a
Gaussian process of ln y whose kernel has a linear map of them, and a difference. Out: what predicts (`SourceMixture`),
the mixture of both, or of a context of which nothing was measured the geometric mean of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.io.json import picked, plain_values
from splc.learning import projection
from splc.learning.projection import ITERATIONS, JITTER, Ensemble, Hyperparameters, KernelDesign, OptionBasis, solved
from splc.models.basis.regression import t_quantile
from splc.system.variability import VariabilityModel
from splc.types import Array

# Priors of the logarithms of the variances: centre and width. Those of the slope of each context, of the slope of their
# average, of the difference relative to the joint model, and of the noise.
PRIORS = np.array([(np.log(0.05), 2.0), (np.log(0.1), 2.0), (-3.0, 2.0), (np.log(0.01), 2.0)])
REACH = (8.0, 6.0)  # the greatest distances of the search from the centres
BEYOND = 0.25  # other contexts' values beyond those at the rows count as the largest plus this share of their range
_BLOCK = 2048  # configurations that are predicted at a time, which bounds the memory
_ARRAYS = ("values", "t", "noise", "theta", "variances")  # the arrays of a process in files


@dataclass(frozen=True, eq=False)
class MappedRows:
    """The values of m configurations in other contexts, and the columns of their options."""

    values: Array  # ln y in each other context, shape (m, contexts)
    design: KernelDesign  # the columns of their options

    def rows(self, rows: Array) -> MappedRows:
        """Return some of the configurations."""
        return MappedRows(self.values[rows], self.design.rows(rows))


@dataclass(frozen=True, eq=False)
class MappedProcess:
    """A Gaussian process of ln y by the values of other contexts, conditioned on measured configurations.

    t = mean slope 1 on the average of the other contexts + deviations of the slopes + difference + noise. The
    difference has the kernel of the joint model, of which only the size is free, so that four hyperparameters are
    learned from the few rows (docs/decisions/0016-contexts.md).
    """

    known: MappedRows  # the n measured configurations
    t: Array  # ln y of each, shape (n,)
    noise: Array  # multiples of the noise of each, shape (n,)
    theta: Array  # the logarithms of the hyperparameters of the kernel of the joint model
    variances: Array  # the logarithms of the variances, as `PRIORS`

    @classmethod
    def fit(cls, known: MappedRows, t: Array, noise: Array, theta: Array) -> Self:
        """Return the process with the most probable variances."""
        start = cls(known, t, noise, theta, PRIORS[:, 0])
        kernels, z = np.array([*start._kernels(known, known), np.diag(noise)]), start._z

        def objective(logarithms: Array) -> tuple[float, Array]:
            matrix = 1 + np.tensordot(np.exp(logarithms), kernels, 1)
            matrix.flat[:: len(z) + 1] += JITTER
            if (evidence := projection.negative_evidence(matrix, z)) is None:
                return np.inf, np.zeros_like(logarithms)
            distance = (logarithms - PRIORS[:, 0]) / PRIORS[:, 1]
            slopes = np.exp(logarithms) * np.tensordot(kernels, evidence[1], 2)
            return evidence[0] + float(distance @ distance) / 2, slopes + distance / PRIORS[:, 1]

        low, high = PRIORS[:, 0] - REACH[0], PRIORS[:, 0] + REACH[1]
        return replace(start, variances=projection.minimum(objective, PRIORS[:, 0], low, high, ITERATIONS)[0])

    @cached_property
    def _level(self) -> tuple[float, float]:
        """The mean and deviation that t is standardised with."""
        return float(self.t.mean()), float(self.t.std()) or 1.0

    def _columns(self, rows: MappedRows) -> Array:
        """Return the standardised values of the other contexts, minus the means of the measured rows."""
        low, high = self.known.values.min(axis=0), self.known.values.max(axis=0)
        margin = BEYOND * (high - low)
        values, reference = (np.clip(mapped.values, low - margin, high + margin) for mapped in (rows, self.known))
        return np.asarray((values - reference.mean(axis=0)) / self._level[1])

    @cached_property
    def _z(self) -> Array:
        level, deviation = self._level
        return np.asarray((self.t - level) / deviation - self._columns(self.known).mean(axis=1))

    def _kernels(self, first: MappedRows, second: MappedRows) -> tuple[Array, Array, Array]:
        """Return the kernels of slopes, of their average, and of the difference."""
        a, b = self._columns(first), self._columns(second)
        difference = projection.kernel_matrix(Hyperparameters.of(self.theta), first.design, second.design) - 1
        return a @ b.T / a.shape[1], np.outer(a.mean(axis=1), b.mean(axis=1)), difference

    def _kernel(self, first: MappedRows, second: MappedRows) -> Array:
        pairs = zip(np.exp(self.variances[:3]), self._kernels(first, second), strict=True)
        return np.asarray(1 + sum(size * kernel for size, kernel in pairs))

    @cached_property
    def _factor(self) -> Array:
        matrix = self._kernel(self.known, self.known)
        matrix.flat[:: len(matrix) + 1] += np.exp(self.variances[-1]) * self.noise + JITTER
        return projection.cholesky_factor(matrix)

    @property
    def noise_variance(self) -> float:
        """The variance of the noise of one measurement."""
        return float(np.exp(self.variances[-1])) * self._level[1] ** 2

    def moments(self, rows: MappedRows) -> tuple[Array, Array]:
        """Return the mean and the variance without noise of ln y at configurations, shapes (m,)."""
        columns, (level, deviation) = self._columns(rows), self._level
        white = solved(self._factor, self._kernel(self.known, rows))
        mean = level + deviation * (columns.mean(axis=1) + solved(self._factor, self._z) @ white)
        slopes, average, difference = np.exp(self.variances[:3])
        prior = 1 + slopes * (columns**2).mean(axis=1) + average * columns.mean(axis=1) ** 2
        prior = prior + difference * (projection.kernel_diagonal(Hyperparameters.of(self.theta), rows.design) - 1)
        return mean, deviation**2 * np.maximum(prior - np.einsum("ij,ij->j", white, white), 0.0)

    def covariance(self, rows: MappedRows, weights: Array) -> Array:
        """Return the covariance of W t, shape (k, k), for W of shape (k, m)."""
        white = solved(self._factor, self._kernel(self.known, rows) @ weights.T)
        prior = weights @ self._kernel(rows, rows) @ weights.T
        return np.asarray(self._level[1] ** 2 * (prior - white.T @ white))

    def as_json(self) -> dict[str, Any]:
        """Return all but the configurations, in JSON's types."""
        arrays = self.known.values, self.t, self.noise, self.theta, self.variances
        return {name: array.tolist() for name, array in zip(_ARRAYS, arrays, strict=True)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], design: KernelDesign) -> Self:
        """Return the process of `as_json`."""
        values, t, noise, theta, variances = (np.array(content[name], dtype=float) for name in _ARRAYS)
        fitting = len(values) == len(t) == len(noise) == len(design) and values.ndim == 2
        if not fitting or len(theta) != design.distinct + 4 or len(variances) != len(PRIORS):
            raise ValueError("the values of other contexts do not fit the system")
        return cls(MappedRows(values, design), t, noise, theta, variances)


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
        # Systems may differ in values.
        inner, known = configurations.within(self.configurations.system)
        rows = np.full(len(configurations), -1)
        rows[known] = self.configurations.find(inner)
        result = np.where((rows >= 0)[:, None], self.logarithms[rows], np.nan)
        for column, place in enumerate(self.places):
            missing, basis = np.flatnonzero(np.isnan(result[:, column])), self.joint.basis
            if len(missing) and basis.context is not None:
                joint = replace(self.joint, basis=replace(basis, context=replace(basis.context, place=place)))
                result[missing, column] = np.log(joint.predict(configurations[missing]))
        return result

    def design(self, configurations: Configurations) -> KernelDesign:
        """Return the columns of the options, without the context."""
        return OptionBasis(self.joint.basis.variables).designs(configurations)[0]

    def mapped(self, configurations: Configurations) -> MappedRows:
        """Return the values, and the columns of the options, of configurations."""
        return MappedRows(self.values(configurations), self.design(configurations))

    def as_json(self) -> dict[str, Any]:
        """Return all but the joint model, in JSON's types."""
        return {
            "places": list(self.places),
            "configurations": projection.configurations_as_json(self.configurations),
            "logarithms": plain_values(self.logarithms.T),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], joint: Ensemble, system: VariabilityModel) -> Self:
        """Return the sources of `as_json`."""
        places = tuple(map(int, content["places"]))
        configurations = projection.configurations_from_json(content["configurations"], system)
        logarithms = np.array(content["logarithms"], dtype=float).T
        context = joint.basis.context
        if context is None or logarithms.shape != (len(configurations), len(places)):
            raise ValueError("the other contexts do not fit the configurations")
        if not all(0 <= place < len(context.names) for place in places):
            raise ValueError("the other contexts do not fit the joint model")
        return cls(joint, places, configurations, logarithms)


@dataclass(frozen=True, eq=False)
class SourceMixture(projection.MomentsPredictor):
    """A predictor of ln y of a context by the values of others.

    A context that was measured is predicted by a mixture of the joint model about it, and of a process that maps the
    values of the others; one of which nothing was measured, by their geometric mean. Contexts count as draws of one
    population: with C of them, ln y of a further one is within t sqrt(1 + 1/C) standard deviations of their mean, where
    t is the quantile of Student's distribution with C - 1 degrees of freedom. A single context has no spread, and
    intervals are those of its values.
    """

    sources: Sources  # the values of the other contexts
    process: MappedProcess | None = None  # the mapped values, learned from the rows of the context; None without rows
    weight: float = 0.0  # the weight of the process
    noise: float = 0.0  # the variance of a measurement's noise, with the usual number of repetitions

    @property
    def options(self) -> frozenset[str]:
        """The options that predictions depend on."""
        return self.sources.joint.options

    @property
    def configurations(self) -> Configurations:
        """The configurations that it was learned from, of all contexts."""
        return self.sources.joint.configurations

    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise over the divisor."""
        joint = self.sources.joint
        configurations = Configurations.from_frame(joint.configurations.system, configurations)
        if self.process is None:
            values = self.sources.values(configurations)
            mean, contexts, deviations = values.mean(axis=1), values.shape[1], np.zeros(len(values))
            if variances:
                # With the standard deviation between contexts.
                deviations = joint.moments(configurations)[1]
                width = t_quantile(contexts - 1, (1 + self.level) / 2) / self.quantile if contexts > 1 else 0.0
                spread = width**2 * (1 + 1 / contexts) * values.var(axis=1, ddof=int(contexts > 1))
                deviations = np.sqrt(deviations**2 + spread)
        else:
            g, deviations = joint.moments(configurations, variances)
            mapped, variance = np.empty((2, len(g)))
            for start in range(0, len(g), _BLOCK):
                block = slice(start, start + _BLOCK)
                mapped[block], variance[block] = self.process.moments(self.sources.mapped(configurations[block]))
            of_joint = np.log(g * joint.scale.unit), deviations
            mean, deviations = mixed(self.weight, of_joint, (mapped, np.sqrt(variance + self.noise)))
        return self.scale.backward(mean - np.log(self.scale.unit)), deviations

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        process = self.process
        of_process = {} if process is None else {"process": process.as_json(), **picked(self, "weight, noise")}
        return {
            "kind": "unmeasured" if process is None else "mixture",
            "joint": self.sources.joint.as_json(),
            "sources": self.sources.as_json(),
            "scale": self.scale.as_json(),
            **picked(self, "level, quantile, runs"),
            **of_process,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the model of `as_json`."""
        joint = Ensemble.from_json(content["joint"], system)
        sources, scale = Sources.from_json(content["sources"], joint, system), projection.Scale(**content["scale"])
        process = None
        if content["kind"] == "mixture":
            process = MappedProcess.from_json(content["process"], sources.design(joint.configurations[joint.own]))
        numbers = {name: float(content.get(name, 0.0)) for name in ("weight", "noise", "runs")}
        return cls(scale, float(content["quantile"]), sources, process, **numbers)


def mixed(weight: float, joint: tuple[Array, Array], mapped: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the means and standard deviations of a mixture, shapes (m,)."""
    mean = (1 - weight) * joint[0] + weight * mapped[0]
    between = (1 - weight) * (joint[0] - mean) ** 2 + weight * (mapped[0] - mean) ** 2
    return mean, np.sqrt((1 - weight) * joint[1] ** 2 + weight * mapped[1] ** 2 + between)
