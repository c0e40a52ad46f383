"""The full model: a Bayesian model of all products of options (docs/decisions/0009-default-learner.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

# numpy's function would import the masked arrays.
from statistics import median
from typing import Any, Protocol, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.basis import OptionBasis
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.fit import (
    Data,
    FirstFit,
    Refits,
    first_fit,
    log_errors,
    means_by_rows,
    refits,
    refits_below,
)
from splc.learning.projection.guard import permutation_test
from splc.learning.projection.kernel import KernelDesign
from splc.learning.projection.numbering import with_supported_numbers, without_numbers
from splc.learning.projection.order import Constants, canonical_order, hash_order, option_constants
from splc.learning.projection.posterior import KernelPosterior
from splc.learning.projection.scales import Scale, general_scales, positive_scale, without_extremes
from splc.learning.projection.screening import is_screened
from splc.learning.projection.space_predictions import SpacePredictions, mixed_covariance
from splc.learning.projection.sparse_intervals import half_width, run_width
from splc.learning.projection.stacking import Stacked
from splc.learning.projection.target import Target
from splc.learning.projection.variables import Variable
from splc.learning.result import CrossValidated
from splc.models.basis.regression import t_quantile
from splc.types import Array

NO_INFLUENCE = "no influence can be distinguished from noise"
SAME_VALUE = "all values are equal"
ONE_ROW = "one configuration shows no influence"
# Differences of means below this share of the largest value are roundoff.
_EQUAL = 1e-9


class MomentsPredictor(Protocol):
    """A predictor of a full model, which also tells how certain it is."""

    @property
    def level(self) -> float:
        """The probability that a measured value lies in an interval."""

    @property
    def quantile(self) -> float:
        """The multiple of the standard deviation on each side of intervals."""

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        ...

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        ...

    def moments(self, configurations: Configurations | Any, variances: bool = True) -> tuple[Array, Array]:
        """Return predictions in units of the scale, and their standard deviations with noise over the divisor."""
        ...


@dataclass(frozen=True, eq=False)
class FullModel:
    """A full model of a property."""

    basis: OptionBasis  # the columns of its variables, which are in canonical order
    scale: Scale  # the scale on which it is additive
    rows: Array  # the positions of the n configurations that it was learned from, among those given, in hash order
    configurations: Configurations  # these configurations
    data: Data  # their columns, values and numbers of repetitions
    refits: Refits | None  # its parts, one for each fold; None for a constant model
    constant: str = ""  # why nothing but a constant was learned, empty otherwise
    stacked: Stacked | None = None  # the printed model, where it is a part of predictions
    # the differences of the runs from the values of their configurations, as `residuals`, shape (n, repetitions), NaN
    # where there is none; None: each configuration counts as one run
    offsets: Array | None = field(default=None, kw_only=True)

    def of_runs(self, runs: Array) -> Self:
        """Return the model with intervals of runs, given those of the configurations, shape (all, repetitions)."""
        y, measured = self.data.y / self.scale.unit, runs[self.rows] / self.scale.unit
        if self.scale.positive:
            measured = np.where(measured > 0, measured, np.nan)
        return replace(self, offsets=self.scale.residual(y[:, None], measured))

    @cached_property
    def runs(self) -> float:
        """The half width that the scatter of runs adds to that of intervals, in quadrature."""
        return 0.0 if self.offsets is None else run_width(self.offsets)

    @cached_property
    def run_residuals(self) -> Array:
        """The errors of `held_out` at all runs, shape (runs,)."""
        if self.offsets is None:
            return self.residuals
        return np.asarray((self.residuals[:, None] + self.offsets)[~np.isnan(self.offsets)])

    @property
    def name(self) -> str:
        """The scale in words: 'ln y', 'y', …."""
        return {"log": "ln y", "shifted_log": "ln(y + shift)", "asinh": "asinh y"}.get(self.scale.name, "y")

    @cached_property
    def ensemble(self) -> Ensemble:
        """The average of the refits, which predicts."""
        n, refits = len(self.t), self.refits
        parts: tuple[KernelPosterior, ...] = ()
        noise, unit = 0.0, 1.0
        if refits is not None:
            parts, unit = refits.parts, refits.first.noise_unit
            noise = float(np.mean([part.noise_variance for part in parts]) / median(self.data.repetitions.tolist()))
        spread = float(self.t.std(ddof=1)) * math.sqrt(1 + 1 / n) if n > 1 else math.nan
        constant = (float(self.t.mean()), spread)
        facts = (parts, constant, noise, unit, self.quantile)
        return Ensemble(self.basis, self.scale, self.configurations, *facts, stacked=self.stacked, runs=self.runs)

    @property
    def predictor(self) -> MomentsPredictor:
        """The predictor: the ensemble, unless other contexts help to predict."""
        return self.ensemble

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.predictor.predict(configurations)

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        return self.predictor.interval(configurations)

    @cached_property
    def t(self) -> Array:
        """The measured values on the scale of the model, shape (n,)."""
        return self.scale.forward(self.data.y / self.scale.unit)

    @cached_property
    def held_out(self) -> Array:
        """The prediction of each row without its fold, in units of the scale, shape (n,)."""
        if self.refits is not None:
            t, stacked = self.refits.means, self.stacked
            return self.scale.backward(t if stacked is None else stacked.mixed(t, stacked.held_out))
        n = len(self.t)
        if self.data.independent == 1:
            return np.full(n, math.nan)
        groups = np.arange(n) if self.data.groups is None else np.unique(self.data.groups, return_inverse=True)[1]
        outside = n - np.bincount(groups)
        return self.scale.backward(((self.t.sum() - np.bincount(groups, self.t)) / outside)[groups])

    @cached_property
    def residuals(self) -> Array:
        """The errors of `held_out`: differences of ln y for positive properties, shape (n,)."""
        return self.scale.residual(self.held_out, self.data.y / self.scale.unit)

    @property
    def rms(self) -> float:
        """The root mean square of the errors outside of the folds, clipped at quantiles."""
        if len(self.t) == 1:
            return 0.0
        return float(np.sqrt(np.mean(without_extremes(self.residuals) ** 2)))

    @property
    def cross_validated(self) -> CrossValidated:
        """The relative errors of `held_out`, in percent; of positive properties."""
        return CrossValidated.of(self.residuals)

    @cached_property
    def known_error(self) -> float | None:
        """The mean relative error in percent at rows of groups that other rows are of; None without such rows."""
        if self.refits is None or self.data.groups is None or not self.scale.positive:
            return None
        _, group, counts = np.unique(self.data.groups, return_inverse=True, return_counts=True)
        several = counts[group] > 1
        t, stacked = means_by_rows(self.data, self.refits), self.stacked
        predicted = self.scale.backward(t if stacked is None else stacked.mixed(t, stacked.held_out))
        errors = self.scale.residual(predicted, self.data.y / self.scale.unit)[several]
        return CrossValidated.of(errors).mean if several.any() else None

    @cached_property
    def quantile(self) -> float:
        """The multiple of the standard deviation that prediction intervals have on each side."""
        if self.refits is None:
            return t_quantile(max(self.data.independent - 1, 1), (1 + constants.LEVEL) / 2)
        ratios = self.residuals / (self.refits.deviations * self.scale.slope(self.held_out))
        raised = 1.0 if self.stacked is None else self.stacked.raised
        return half_width(raised * ratios, len(self.basis.variables), constants.INFLATION, self.data.independent)

    def target(self, unmeasured: Configurations) -> Target:
        """Return the target of the printed model."""
        n, scale = len(self.configurations), self.scale
        both = Configurations.concatenate([self.configurations, unmeasured])
        found = self.space_predictions(both, unmeasured)
        predicted = found.means
        weights = np.ones(len(both))
        weights[:n] = max(1.0, len(unmeasured) / (2 * n))
        return Target(
            configurations=both,
            weights=weights,
            predicted=predicted,
            divisor=scale.divisor(predicted),
            slope=scale.slope(predicted),
            folds=found.folds,
            fold_of=self.data.folds,
            independent=self.data.independent,
            measured=self.data.y / scale.unit,
            unit=scale.unit,
            positive=scale.positive,
            multiplicative=self.refits is not None and scale.name == "log",
            rms=self.rms,
            spread=median(found.deviations.tolist()),
            covariance=found.covariance,
        )

    def space_predictions(self, configurations: Configurations, unmeasured: Configurations) -> SpacePredictions:
        """Return what is predicted of configurations.

        `unmeasured`: the last ones of them, whose deviations are wanted; if there are none, those of all.
        """
        designs = self.basis.designs(configurations)
        means = self.predictor.moments(configurations, variances=False)[0]
        deviations = self.predictor.moments(unmeasured if len(unmeasured) else configurations)[1]
        folds = means[None] if self.refits is None else self.fold_predictions(configurations, designs)
        return SpacePredictions(
            means, deviations, folds, lambda projection: self.covariance(configurations, designs, projection)
        )

    def fold_predictions(self, configurations: Configurations, designs: Sequence[KernelDesign]) -> Array:
        """Return the predictions of the fold models in units of the scale, shape (folds, m)."""
        assert self.refits is not None
        return np.array([self.scale.backward(fold.means(designs[fold.kind])) for fold in self.refits.folds])

    def covariance(self, configurations: Configurations, designs: Sequence[KernelDesign], projection: Array) -> Array:
        """Return the posterior covariance of W t at m configurations, shape (k, k), for W of shape (k, m)."""
        if self.refits is None:
            sums = projection.sum(axis=1)
            # One value has no variance; its constant has no estimate.
            variance = float(self.t.var(ddof=1)) if len(self.t) > 1 else 0.0
            return np.outer(sums, sums) * variance / len(self.t)
        return mixed_covariance([part.projected(designs[part.kind], projection) for part in self.refits.parts])


def fit_full_model(
    configurations: Configurations,
    y: Array,
    variables: tuple[Variable, ...],
    repetitions: Array | None = None,
    scale: str = "auto",
    known: Constants | None = None,
    on_fit: Callable[[int], None] = lambda iterations: None,
    *,
    tested: bool = True,
    groups: Array | None = None,
) -> FullModel:
    """Return the full model of a property.

    `y`: their values, finite, shape (n,). `repetitions`: the number of measurements of each configuration; None is 1.
    `groups`: the group of each configuration, shape (n,), which folds keep together; None: each one is a group.
    """
    if known is None:
        known = option_constants(configurations, y, [variable.name for variable in variables if variable.observed])
    variables = tuple(_raising(variable, configurations, y) for variable in canonical_order(variables, known))
    rows = hash_order(configurations, known)[: constants.ROWS_OF_MODEL]
    chosen, values = configurations[rows], np.asarray(y, dtype=float)[rows]
    kept = None if groups is None else groups[rows]
    counts = np.ones(len(rows)) if repetitions is None else np.asarray(repetitions, dtype=float)[rows]
    # Of all values: a property that is 0 somewhere has no ln y there.
    positive = bool(np.min(y) > 0)

    def data_of(used: tuple[Variable, ...]) -> tuple[OptionBasis, Data]:
        basis = OptionBasis(used, len(rows))
        return basis, Data(basis.designs(chosen), values, counts, on_fit, groups=kept)

    return chosen_model(chosen, rows, variables, data_of, positive=positive, scale=scale, tested=tested)


def chosen_model(
    configurations: Configurations,
    rows: Array,
    variables: tuple[Variable, ...],
    data_of: Callable[[tuple[Variable, ...]], tuple[OptionBasis, Data]],
    *,
    positive: bool,
    scale: str,
    tested: bool = True,
) -> FullModel:
    """Return the full model with the best columns, or a constant if no influence can be distinguished from noise.

    `rows`: their positions among those given, shape (n,).
    """
    unnumbered = without_numbers(variables)
    basis, data = data_of(unnumbered)
    values, counts = data.y, data.repetitions
    simple = (
        positive_scale("raw_constant" if scale == "raw" else "log", values) if positive else general_scales(values)[0]
    )
    if len(values) == 1 or float(np.ptp(simple.forward(values / simple.unit))) <= 1e-12:
        reason = ONE_ROW if len(values) == 1 else SAME_VALUE
        return FullModel(basis, simple, rows, configurations, data, None, reason)
    # Numbers in names never make a model constant.
    for used in dict.fromkeys([with_supported_numbers(variables, configurations, values, counts, simple), unnumbered]):
        basis, data = data_of(used)
        if not used:
            break
        refits = _positive(data, len(used), scale) if positive else _general(data, len(used))
        simple = refits.first.scale
        if not tested or permutation_test(data, len(used), refits):
            return _searched(FullModel(basis, simple, rows, configurations, data, refits))
    return FullModel(basis, simple, rows, configurations, data, None, NO_INFLUENCE)


def _searched(model: FullModel) -> FullModel:
    """Return a model with the variables only that a search was about, if there are many more than rows."""
    blocks, refits = len(model.basis.variables), model.refits
    if refits is None or not is_screened(blocks, min(len(model.t), constants.ROWS_OF_REFIT)):
        return model
    kept = refits.searched
    variables = tuple(model.basis.variables[block] for block in kept.tolist() if block < blocks)
    data = replace(model.data, designs=tuple(design.blocks(kept)[0] for design in model.data.designs))
    return replace(model, basis=replace(model.basis, variables=variables), data=data, refits=refits.of_blocks(kept))


def _raising(variable: Variable, configurations: Configurations, y: Array) -> Variable:
    """Return a variable of two members as the one with the larger mean value: its influence is read as a cost."""
    if variable.kind != "binary" or len(variable.members) != 2:
        return variable
    selected = configurations.column(variable.name) == 1
    if selected.all() or not selected.any():
        return variable
    difference = float(np.mean(y[selected]) - np.mean(y[~selected]))
    lower = difference < -_EQUAL * float(np.abs(y).max())
    return variable.with_members(variable.members[::-1]) if lower else variable


def _positive(data: Data, variables: int, setting: str) -> Refits:
    """Return the refits of a positive property on the scale of ln y, or of y where it is better ("Scale")."""
    scale = positive_scale("log", data.y)
    log = first_fit(data, variables, scale)
    if setting == "log" or (setting == "auto" and len(data.y) < constants.ROWS_OF_SCALE):
        return _refits(data, variables, log)
    if setting == "auto" and float(data.y.max() / scale.unit) > constants.LARGEST:
        return _refits(data, variables, log)
    fitted = np.exp(log.posterior.means(data.designs[0]))
    raw = first_fit(data, variables, positive_scale("raw", data.y), fitted)
    if setting == "raw":
        return _refits(data, variables, raw, fitted)
    if raw.evidence - log.evidence <= constants.SCALE_EVIDENCE:
        return _refits(data, variables, log)
    # Where the evidence is for y, y is nearly always chosen, and the folds on ln y need not all be fitted to know that.
    raw_refits = _refits(data, variables, raw, fitted)
    error = float(log_errors(raw_refits.first.scale, raw_refits.means, data.y).mean())
    log_refits = refits_below(data, _firsts(data, variables, log), error / constants.SCALE_ERROR)
    return raw_refits if log_refits is None else log_refits


def _refits(data: Data, variables: int, first: FirstFit, fitted: Array | None = None) -> Refits:
    """Return the refits, in turn with each kind of columns."""
    return refits(data, _firsts(data, variables, first, fitted))


def _firsts(data: Data, variables: int, first: FirstFit, fitted: Array | None = None) -> tuple[FirstFit, ...]:
    """Return the most probable models with each kind of columns, of which one is given."""
    fits = [first_fit(data, variables, first.scale, fitted, kind) for kind in range(1, len(data.designs))]
    return (first, *fits)


def _general(data: Data, variables: int) -> Refits:
    """Return the refits of a property with values of any sign, on the scale with the smallest error."""
    best: tuple[float, Refits] | None = None
    fitted = None
    for scale in general_scales(data.y):
        if float(abs(scale.forward(data.y / scale.unit)).max()) > constants.LARGEST:
            continue
        grown = fitted if scale.grows else None
        first = first_fit(data, variables, scale, grown)
        if fitted is None:
            fitted = first.posterior.means(data.designs[0])
        refits = _refits(data, variables, first, grown)
        error = float(abs(scale.backward(refits.means) - data.y / scale.unit).mean())
        if best is None or error < best[0] * (1 - 1e-9):
            best = error, refits
    assert best is not None
    return best[1]
