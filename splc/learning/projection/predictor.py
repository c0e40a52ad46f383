"""The predictor: the average of the refits of a full model, with its file.

In: the posteriors of a full model, its scale, the widths of intervals, and the printed model where it is a part of
predictions; or a file of them. Out: predictions with intervals (`Ensemble`).

Stacking: what predicts is a blend of the Gaussian processes and the printed model, weighted by their errors. Each row
is predicted by both models without its fold; the terms and their number, too, are those of the fold. The blend is a
mean on the scale of the full model: of logarithms, where that is one of ln y.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from splc.data.configurations import Configurations, Observed
from splc.errors import ConfigurationError, VariabilityError
from splc.io.json import picked, plain_values
from splc.learning import learner
from splc.learning.folds import Groups
from splc.learning.projection import constants
from splc.learning.projection.basis import OptionBasis, nearest_known, with_known_members
from splc.learning.projection.formula import model_of_text
from splc.learning.projection.posterior import KernelPosterior, Mixture, needs_scipy
from splc.learning.projection.scales import Scale
from splc.learning.result import Predictor
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel
from splc.types import Array, Link

_BLOCK = 2048  # configurations that are predicted at a time, which bounds the memory
_ROUNDING = 1e-12  # values that are smaller relative to the largest one are 0 except for rounding


@dataclass(frozen=True, eq=False)
class MomentsPredictor(ABC):
    """A predictor with intervals, which tells how certain it is."""

    level: ClassVar[float] = constants.LEVEL

    scale: Scale  # the scale of its standard deviations
    quantile: float  # the multiple of the standard deviation on each side of intervals
    # what the scatter of runs adds to the half width of intervals, in quadrature; of ln y or over the divisor
    runs: float = field(default=0.0, kw_only=True)

    @abstractmethod
    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise over the divisor."""

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.moments(configurations, variances=False)[0] * self.scale.unit

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals of a run, shapes (m,), in the unit of the property."""
        g, deviations = self.moments(configurations)
        return self.scale.ends(g, np.hypot(self.quantile * deviations, self.runs))


@dataclass(frozen=True, eq=False)
class Stacked:
    """The printed model as a part of what predicts."""

    printed: InfluenceModel  # the printed model
    weight: float  # its weight, above 0; that of the Gaussian processes is the rest of 1
    held_out: Array  # its prediction of each row without its fold, on the scale of the full model, shape (n,)
    # the options whose equal values make a known setting, which it has no part in predictions of; none: it always has
    same: tuple[str, ...] = ()

    @property
    def raised(self) -> float:
        """The multiple of errors at held-out rows that new ones have, since these rows chose the number of terms."""
        return raised(len(self.held_out), self.weight * len(self.printed.terms))

    def mixed(self, t: Array, printed: Array) -> Array:
        """Return the blend of predictions of both models on the scale, shape (m,)."""
        return (1 - self.weight) * t + self.weight * printed

    def blended(self, t: Array, configurations: Configurations, scale: Scale, learned: Configurations) -> Array:
        """Return the blend with predictions of the Gaussian processes on the scale, shape (m,)."""
        known = Groups(np.zeros(0), self.same).known(learned, configurations)
        printed = on_scale(learner.predictions(self.printed, configurations) / scale.unit, scale, t)
        return np.where(known, t, self.mixed(t, printed))

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's types."""
        model = {"text": self.printed.text, "link": self.printed.link}
        return {"weight": self.weight, "held_out": self.held_out.tolist(), "same": self.same, **model}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the part of `as_json`."""
        printed = model_of_text(content, system)
        held_out = np.array(content["held_out"], dtype=float)
        return cls(printed, float(content["weight"]), held_out, tuple(content.get("same", ())))


def on_scale(y: Array, scale: Scale, otherwise: Array) -> Array:
    """Return predictions of the printed model in units of a scale on it; `otherwise`: where it has no value there."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = scale.forward(np.maximum(y, scale.lowest))
    return np.where(np.isfinite(t), t, otherwise)


def raised(rows: int, terms: float) -> float:
    """Return the multiple of held-out errors that new ones have, for a number of terms that suits the held-out rows.

    (With it as many values are in 90 % intervals as in the full model's, within 0.3 %; without it 0.8 % fewer.)
    """
    return math.sqrt(1 + terms / rows)


@dataclass(frozen=True, eq=False)
class Ensemble(MomentsPredictor):
    """The posteriors of a full model given all rows, one for the hyperparameters of each refit."""

    basis: OptionBasis  # the columns of the variables
    configurations: Configurations  # the configurations that were learned from
    parts: tuple[KernelPosterior, ...]  # the posteriors; none for a constant model
    constant: tuple[float, float]  # mean and standard deviation of predictions of a constant model, on the scale
    noise: float  # the variance of the noise of a measurement with the usual number of repetitions
    noise_unit: float  # the mean multiple that `Scale.noise` is divided by
    places: Array | None = None  # the context of each configuration, positions in `basis.context.names`
    joint_quantile: float | None = None  # the multiple that differences between contexts have: of all held-out values
    stacked: Stacked | None = None  # the printed model, where it is a part of predictions

    @property
    def options(self) -> frozenset[str]:
        """The options and observed variables that predictions depend on; none of a constant model."""
        formula = self.basis.formula
        names = frozenset[str]() if formula is None else formula.model.options
        return names.union(*(variable.members for variable in self.basis.variables if self.parts))

    @property
    def measured(self) -> Array:
        """The values that it was learned from, shape (n,); of a constant model none are kept."""
        if not self.parts:
            return np.zeros(0)
        t = self.times_formula(self.parts[0].t, self.configurations)
        values: Array = self.scale.backward(t) * self.scale.unit
        # A measured 0 stays 0, even if the scale does not return exactly 0.
        return np.where(np.abs(values) > _ROUNDING * np.abs(values).max(), values, 0.0)

    @property
    def own(self) -> Array:
        """The positions of the rows of the context that predictions are about, shape (k,); of all without contexts."""
        if self.places is None or self.basis.context is None:
            return np.arange(len(self.configurations))
        return np.flatnonzero(self.places == self.basis.context.place)

    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise over the divisor."""
        scale = self.scale
        configurations = Configurations.from_frame(self.configurations.system, configurations)
        if not self.parts:
            g = scale.backward(self.times_formula(np.full(len(configurations), self.constant[0]), configurations))
            return g, self.constant[1] * scale.slope(g)
        configurations, near = nearest_known(configurations, self.basis.variables)
        means, latent = self._latent(configurations, variances)
        for others, weight in near if variances else ():
            # What an influence is between and beyond the known values is not known.
            latent += (weight * (means - self._latent(others, False)[0])) ** 2
        g = scale.backward(means)
        return g, self.deviations(g, latent)

    def deviations(self, g: Array, latent: Array) -> Array:
        """Return standard deviations with noise over the divisor for predictions and variances without it."""
        noise = self.noise * self.scale.noise(g) / self.noise_unit
        return np.asarray(np.sqrt(latent + noise) * self.scale.slope(g))

    def _latent(self, configurations: Configurations, variances: bool) -> tuple[Array, Array]:
        """Return the means on the scale, and their variances without noise, shapes (m,)."""
        variants = with_known_members(configurations, self.basis.variables)
        if len(variants) > 1:
            means, latent = np.array([self._latent(variant, variances) for variant in variants]).swapaxes(0, 1)
            return means.mean(axis=0), latent.mean(axis=0) + means.var(axis=0, ddof=1)
        means, latent = np.zeros((2, len(configurations)))
        with learner.one_thread(with_scipy=needs_scipy(len(self.configurations))):
            for start in range(0, len(configurations), _BLOCK):
                block = slice(start, start + _BLOCK)
                mixture = self.mixture(configurations[block])
                if variances:
                    t, latent[block] = mixture.means, mixture.variances()
                else:
                    t = np.array([part.means(mixture.designs[part.kind]) for part in self.parts])
                means[block] = self.blended(t.mean(axis=0), configurations[block])
        return means, latent

    def mixture(self, configurations: Configurations) -> Mixture:
        """Return the posteriors at configurations of its system."""
        return Mixture(self.parts, self.basis.designs(configurations))

    def times_formula(self, t: Array, configurations: Configurations) -> Array:
        """Return predictions on the scale for those of the Gaussian processes, shape (…, m)."""
        formula = self.basis.formula
        return t if formula is None else t + formula.logarithms(configurations)

    def blended(self, t: Array, configurations: Configurations) -> Array:
        """Return predictions for those of the Gaussian processes, both on the scale, shape (m,)."""
        t = self.times_formula(t, configurations)
        if self.stacked is None:
            return t
        return self.stacked.blended(t, configurations, self.scale, self.configurations)

    def weighted_sums(self, configurations: Configurations, weights: Array, link: Link) -> tuple[Array, Array]:
        """Return W f for predictions f, or with the link 'log' their logarithms, and its covariance; W: (k, n).

        The covariance is that of the Gaussian processes at the slope of the predictions (the delta method), without
        noise.
        """
        configurations = Configurations.from_frame(self.configurations.system, configurations)
        scale, mixture = self.scale, self.mixture(configurations) if self.parts else None
        t = np.full(len(configurations), self.constant[0]) if mixture is None else mixture.means.mean(axis=0)
        y = scale.backward(self.blended(t, configurations))
        # The derivative of the prediction, or of its logarithm, by the value on the scale.
        slopes = scale.slope(y) * scale.divisor(y)
        slopes = slopes / y if link == "log" else slopes * scale.unit
        f = np.log(y * scale.unit) if link == "log" else y * scale.unit
        weighted = weights * slopes
        if mixture is None:
            total = weighted.sum(axis=1)
            return weights @ f, self.constant[1] ** 2 * np.outer(total, total)
        with learner.one_thread(with_scipy=needs_scipy(len(self.configurations))):
            return weights @ f, mixture.covariance(weighted)

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        variables, parts, context = self.basis.variables, self.parts, self.basis.context
        first = parts[0] if parts else None
        observed = {
            each.name: picked(each, "values, optional") | {"column": self.configurations.column(each.name)}
            for each in variables
            if each.observed
        }
        for name in self.options.difference(self.configurations.system.names, observed):
            # The formula depends on it, too.
            observed[name] = {"values": (), "optional": False, "column": self.configurations.column(name)}
        content = {
            "kind": "projection",
            **picked(self, "level, quantile, noise, noise_unit"),
            "scale": self.scale.as_json(),
            "constant": list(self.constant),
            "variables": [each.name for each in variables],
            "members": {each.name: list(each.members) for each in variables if len(each.members) > 1},
            "numbered": [each.name for each in variables if each.kind == "group" and each.values],
            "hyperparameters": [part.logarithms.tolist() for part in parts],
            "kinds": [part.kind for part in parts],
            # Predictions depend on no factorisation, which differs in the last digits between machines.
            "weights": [part.weights.tolist() for part in parts],
            **picked(first, "mean, deviation"),
            "values": first.t.tolist() if first else [],
            "noises": first.noise.tolist() if first else [],
            "configurations": configurations_as_json(self.configurations),
            "observed": plain_values(observed),
        }
        if self.runs:
            content["runs"] = self.runs
        if self.basis.formula is not None:
            content["formula"] = self.basis.formula.as_json()
        if context is not None and self.places is not None:
            content["contexts"] = context.as_json() | {"rows": self.places.tolist()}
            content["contexts"] |= {} if self.joint_quantile is None else {"quantile": self.joint_quantile}
        return content if self.stacked is None else {**content, "stacked": self.stacked.as_json()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the ensemble of `as_json`; files of earlier versions lack some of the keys."""
        configurations = configurations_from_json(content["configurations"], system, content.get("observed", {}))
        system = configurations.system
        contexts, basis, places = content.get("contexts") or {}, OptionBasis.from_json(content, system), None
        if basis.context is not None:
            places = np.array(contexts["rows"], dtype=int)
            if len(places) != len(configurations) or not np.isin(places, np.arange(len(basis.context.names))).all():
                raise ValueError("the contexts do not fit the configurations")
        designs, rows = basis.designs(configurations, places), len(configurations)
        kinds = [int(kind) for kind in content["kinds"]]
        values, noises = np.array(content["values"], dtype=float), np.array(content["noises"], dtype=float)
        every, parts = content.get("weights", [None] * len(kinds)), []
        for kind, row, weights in zip(kinds, content["hyperparameters"], every, strict=True):
            logarithms = np.array(row, dtype=float)
            stored = None if weights is None else np.array(weights, dtype=float)
            fits = 0 <= kind < len(designs) and len(logarithms) == designs[kind].distinct + 4
            if not fits or {len(values), len(noises), rows if stored is None else len(stored)} != {rows}:
                raise ValueError("the hyperparameters do not fit the system")
            standard = float(content["mean"]), float(content["deviation"])
            parts.append(KernelPosterior(logarithms, designs[kind], values, noises, *standard, kind, stored))
        level, spread = content["constant"]
        joint_quantile = contexts.get("quantile")
        return cls(
            Scale(**content["scale"]),
            float(content["quantile"]),
            basis,
            configurations,
            tuple(parts),
            # A single row has no scatter.
            constant=(float(level), np.nan if spread is None else float(spread)),
            noise=float(content["noise"]),
            noise_unit=float(content["noise_unit"]),
            places=places,
            joint_quantile=None if joint_quantile is None else float(joint_quantile),
            stacked=Stacked.from_json(content["stacked"], system) if content.get("stacked") is not None else None,
            runs=float(content.get("runs", 0.0)),
        )


@dataclass(frozen=True, eq=False)
class Summand:
    """The full model of a part."""

    full: Ensemble  # the full model
    where: str | None = None  # the option or observed variable that is 1 in those with the part; None: all have it

    def counted(self, configurations: Configurations) -> Array:
        """Return which configurations have the part, shape (n,), bool."""
        if self.where is None:
            return np.ones(len(configurations), dtype=bool)
        return np.asarray(configurations.column(self.where) == 1)


@dataclass(frozen=True, eq=False)
class EnsembleSum:
    """The sum of the full models of parts."""

    level: ClassVar[float] = Ensemble.level

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
        """Return the sums of the ends of the parts' intervals, since what disturbs one part may disturb all."""
        low, high = self._added(configurations, 2, lambda full, some: np.array(full.interval(some)))
        return low, high

    def _added(
        self, configurations: Configurations | Any, rows: int, of: Callable[[Ensemble, Configurations], Array]
    ) -> Array:
        """Return the sums of rows of values of the parts, each of the configurations that have it, shape (rows, m)."""
        configurations = Configurations.from_frame(self.configurations.system, configurations)
        total = np.zeros((rows, len(configurations)))
        for summand in self.summands:
            counted = np.flatnonzero(summand.counted(configurations))
            total[:, counted] += of(summand.full, configurations[counted])
        return total

    def weighted_sums(self, configurations: Configurations, weights: Array, link: Link) -> tuple[Array, Array]:
        """Return `Ensemble.weighted_sums` of the sum, not of its logarithms; the parts are independent."""
        pairs = ((each.full, weights * each.counted(configurations)) for each in self.summands)
        values, covariances = zip(*(full.weighted_sums(configurations, own, link) for full, own in pairs), strict=True)
        return np.sum(values, axis=0), np.sum(covariances, axis=0)

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


def predictions(full: Predictor, configurations: Configurations, link: Link) -> Array:
    """Return the predictions, shape (n,); with the link 'log' their natural logarithms."""
    predicted = full.predict(configurations)
    return np.log(predicted) if link == "log" else predicted


def configurations_as_json(configurations: Configurations) -> dict[str, list[float | None]]:
    """Return the values of configurations in JSON's types: option → its column."""
    return {option.name: plain_values(configurations.value(option.name)) for option in configurations.system.options}


def configurations_from_json(
    content: Mapping[str, Sequence[float | None]], system: VariabilityModel, observed: Mapping[str, Any] = {}
) -> Configurations:
    """Return the configurations of `configurations_as_json`; `observed`: those of observed variables, as in files."""
    try:
        columns = {name: np.array(column, dtype=float) for name, column in content.items()}
        configurations = Configurations.from_columns(system, columns)
        if not observed:
            return configurations
        values = {name: np.array(entry["column"], dtype=float) for name, entry in observed.items()}
        cells = Observed(values, np.ones(len(configurations), dtype=bool))
        return replace(configurations, system=replace(configurations.system, observed=tuple(values)), observed=cells)
    except (ConfigurationError, VariabilityError) as error:
        raise ValueError(str(error)) from None
