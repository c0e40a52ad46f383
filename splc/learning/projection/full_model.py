"""The full model: a Bayesian model of all products of options (docs/decisions/0009-default-learner.md).

In: configurations with their values, and the variables that vary. `fit_full_model` orders them by their content, and
`chosen_model` decides about columns, scale, and whether there is any influence. Out: a `FullModel`. It predicts
(`predictor`), tells how wrong it is without a row's fold (`residuals`, `quantile`), and what the printed model follows
(`target`). A model that learned from other contexts, too, has the model of all (`whole`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

# numpy's function would import the masked arrays.
from statistics import median
from typing import Any, NamedTuple, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.blocks import Blocks, Covariance
from splc.learning.folds import CrossValidated
from splc.learning.learner import LearningProblem
from splc.learning.projection import constants
from splc.learning.projection.basis import MIN_GROUP, OptionBasis, Variable, variables_of, varying, without_numbers
from splc.learning.projection.fit import Data, Refits, best_refits, first_fit, is_screened, permutation_test
from splc.learning.projection.formula import Formula
from splc.learning.projection.order import Constants, canonical_order, hash_order, option_constants
from splc.learning.projection.posterior import kernel_matrix
from splc.learning.projection.predictor import Ensemble, MomentsPredictor, Stacked
from splc.learning.projection.scales import Scale, general_scales, half_width, positive_scale, run_width
from splc.learning.projection.submodels import Target
from splc.models.basis.regression import t_quantile
from splc.types import Array

NO_INFLUENCE = "no influence can be distinguished from noise"
SAME_VALUE = "all values are equal"
ONE_ROW = "one configuration shows no influence"
_EQUAL = 1e-9  # differences of means below this share of the largest value are roundoff


class SpacePredictions(NamedTuple):
    """The predictions of a full model for m configurations, in units of its scale."""

    means: Array  # the predictions, shape (m,)
    deviations: Array  # the standard deviations over the divisor of those that were not measured
    folds: Array  # the predictions of the fold models, shape (folds, m)
    covariance: Callable[[Array], Array]  # returns the posterior covariance of W t, shape (k, k), for W of shape (k, m)


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
    # the differences of runs from the values of their configurations, as `residuals`, shape (n, repetitions), or NaN
    offsets: Array | None = field(default=None, kw_only=True)
    blocks: Blocks | None = field(default=None, kw_only=True)  # the blocks of these runs, whose values are adjusted
    # of a model of one context, that of all, whose rows the posteriors learned from, and the context of each row
    whole: FullModel | None = field(default=None, kw_only=True)
    places: Array | None = field(default=None, kw_only=True)

    def of_runs(self, runs: Array, blocks: Blocks | None = None) -> Self:
        """Return the model with intervals of runs, given those of all configurations, (n, repetitions), and blocks."""
        y, measured = self.data.y / self.scale.unit, runs[self.rows] / self.scale.unit
        if self.scale.positive:
            measured = np.where(measured > 0, measured, np.nan)
        if blocks is not None:
            # A reference, which each block has, counts as much as other configurations.
            blocks, turn = blocks[self.rows], np.cumsum(~np.isnan(measured), axis=1)
            measured = np.where(turn <= median(self.data.repetitions.tolist()), measured, np.nan)
        return replace(self, offsets=self.scale.residual(y[:, None], measured), blocks=blocks)

    @cached_property
    def runs(self) -> float:
        """The half width that the scatter of runs and blocks adds to that of intervals, in quadrature."""
        width = 0.0 if self.offsets is None else run_width(self.offsets)
        return width if self.blocks is None else math.hypot(width, self.blocks.width(constants.LEVEL))

    @cached_property
    def run_residuals(self) -> Array:
        """The errors of `held_out` at all runs, shape (runs,)."""
        if self.offsets is None:
            return self.residuals
        return np.asarray((self.residuals[:, None] + self.offsets)[~np.isnan(self.offsets)])

    def in_new_blocks(self, errors: Array) -> Array:
        """Return errors as `residuals` at all runs as if their blocks were new, (runs,); without blocks as they are."""
        if self.blocks is None or self.offsets is None:
            return errors
        return np.asarray((errors[:, None] + self.offsets - self.blocks.deviations)[~np.isnan(self.offsets)])

    @cached_property
    def ensemble(self) -> Ensemble:
        """The average of the refits, which predicts."""
        n, refits, whole = len(self.t), self.refits, self.whole
        noise, parts = 0.0, () if refits is None else refits.parts
        if parts:
            noise = float(np.mean([part.noise_variance for part in parts]) / median(self.data.repetitions.tolist()))
        spread = float(self.t.std(ddof=1)) * math.sqrt(1 + 1 / n) if n > 1 else math.nan
        return Ensemble(
            self.scale,
            self.quantile,
            self.basis,
            self.configurations if whole is None else whole.configurations,
            parts,
            constant=(float(self.t.mean()), spread),
            noise=noise,
            noise_unit=1.0 if refits is None else refits.first.noise_unit,
            places=self.places,
            joint_quantile=None if whole is None else whole.quantile,
            stacked=self.stacked,
            runs=self.runs,
        )

    @cached_property
    def predictor(self) -> MomentsPredictor:
        """The predictor: the ensemble, unless the measured values of other contexts help to predict."""
        return self.ensemble

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.predictor.predict(configurations)

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        return self.predictor.interval(configurations)

    @cached_property
    def _offset(self) -> Array:
        """The logarithms of a formula at the rows, which are added to the Gaussian processes, shape (n,)."""
        formula = self.basis.formula
        return np.zeros(len(self.data.y)) if formula is None else formula.logarithms(self.configurations)

    @cached_property
    def t(self) -> Array:
        """The values that the Gaussian processes learn: the measured ones on the scale of the model, shape (n,)."""
        return self.scale.forward(self.data.y / self.scale.unit) - self._offset

    def _in_units(self, t: Array) -> Array:
        """Return predictions of rows without their folds, by the Gaussian processes, in units of the scale."""
        t = t + self._offset
        return self.scale.backward(t if self.stacked is None else self.stacked.mixed(t, self.stacked.held_out))

    @cached_property
    def held_out(self) -> Array:
        """The prediction of each row without its fold, in units of the scale, shape (n,)."""
        if self.refits is not None:
            return self._in_units(self.refits.means)
        n = len(self.t)
        if self.data.independent == 1:
            return np.full(n, math.nan)
        groups = np.arange(n) if self.data.groups is None else np.unique(self.data.groups, return_inverse=True)[1]
        outside = n - np.bincount(groups)
        return self._in_units(((self.t.sum() - np.bincount(groups, self.t)) / outside)[groups])

    @cached_property
    def residuals(self) -> Array:
        """The errors of `held_out`: differences of ln y for positive properties, shape (n,)."""
        return self.scale.residual(self.held_out, self.data.y / self.scale.unit)

    @cached_property
    def ratios(self) -> Array:
        """The errors of `held_out` as multiples of their standard deviations, shape (n,); not of a constant."""
        deviations = np.full(len(self.t), math.nan) if self.refits is None else self.refits.deviations
        return np.asarray(self.residuals / (deviations * self.scale.slope(self.held_out)))

    @property
    def cross_validated(self) -> CrossValidated:
        """The relative errors of `held_out`, in percent, of runs in new blocks where runs have blocks."""
        return CrossValidated.of(self.in_new_blocks(self.residuals))

    @cached_property
    def known_error(self) -> float | None:
        """The mean relative error in percent at rows of groups that other rows are of; None without such rows."""
        if self.refits is None or self.data.groups is None or self.blocks is not None or not self.scale.positive:
            return None
        _, group, counts = np.unique(self.data.groups, return_inverse=True, return_counts=True)
        several = counts[group] > 1
        means = self.refits.means_by_rows(self.data)
        predicted = self.scale.backward(means) if self.stacked and self.stacked.same else self._in_units(means)
        errors = self.scale.residual(predicted, self.data.y / self.scale.unit)[several]
        return CrossValidated.of(errors).mean if several.any() else None

    @cached_property
    def quantile(self) -> float:
        """The multiple of the standard deviation that prediction intervals have on each side."""
        if self.refits is None:
            return t_quantile(max(self.data.independent - 1, 1), (1 + constants.LEVEL) / 2)
        raised = 1.0 if self.stacked is None else self.stacked.raised
        return half_width(raised * self.ratios, len(self.basis.variables), constants.INFLATION, self.data.independent)

    def target(self, unmeasured: Configurations) -> Target:
        """Return the target of the printed model."""
        n, scale = len(self.configurations), self.scale
        both = Configurations.concatenate([self.configurations, unmeasured])
        found = self.at(both, unmeasured)
        weights = np.ones(len(both))
        weights[:n] = max(1.0, len(unmeasured) / (2 * n))
        return Target(
            configurations=both,
            weights=weights,
            predicted=found.means,
            divisor=scale.divisor(found.means),
            slope=scale.slope(found.means),
            folds=found.folds,
            fold_of=self.data.folds,
            independent=self.data.independent,
            measured=self.data.y / scale.unit,
            unit=scale.unit,
            positive=scale.positive,
            spread=median(found.deviations.tolist()),
            covariance=found.covariance,
        )

    def at(self, configurations: Configurations, unmeasured: Configurations) -> SpacePredictions:
        """Return what is predicted of configurations; `unmeasured`: the last ones, whose deviations are wanted."""
        scale, ensemble, wanted = self.scale, self.ensemble, slice(-len(unmeasured) if len(unmeasured) else 0, None)
        if self.refits is None:
            g, deviations = ensemble.moments(configurations)
            # A formula that is exact has a printed model with options, which has folds.
            copies = np.tile(g, (1 if self.basis.formula is None else int(self.data.folds.max()) + 1, 1))
            variance = float(self.t.var(ddof=1)) if len(self.t) > 1 else 0.0  # one value has no estimate

            def covariance(weights: Array) -> Array:
                return np.outer(weights.sum(axis=1), weights.sum(axis=1)) * variance / len(self.t)

            return SpacePredictions(g, deviations[wanted], copies, covariance)
        mixture = ensemble.mixture(configurations)
        g = scale.backward(ensemble.blended(mixture.means.mean(axis=0), configurations))
        fold_of = self.data.folds if self.whole is None else self.whole.data.folds
        # A part and the fold model with its hyperparameters share the kernel, which most of the time goes into.
        pairs = zip(self.refits.folds, mixture.kernels, strict=False)
        folds = [fold.mean_of(cross[fold_of != at]) for at, (fold, (_, _, cross)) in enumerate(pairs)]
        deviations = ensemble.deviations(g[wanted], mixture.variances(wanted))
        t = ensemble.times_formula(np.array(folds), configurations)
        return SpacePredictions(g, deviations, scale.backward(t), mixture.covariance)


# Fits the full model of the rows of a problem alone; `tested`: whether it is a constant without clear influences.
SingleFit = Callable[..., FullModel]
# Fits the full model of a problem where it learns from further rows, too, such as those of other versions. The last
# argument is called after each search with its number of iterations.
FullModelFit = Callable[[LearningProblem, SingleFit, Callable[[int], None]], FullModel]


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
    formula: Formula | None = None,
) -> FullModel:
    """Return the full model of values y, (n,), of configurations; folds keep `groups`, (n,), together.

    `formula`: an analytical model that values are multiples of.
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
    multiples = values if formula is None else values / np.exp(formula.logarithms(chosen))

    def data_of(used: tuple[Variable, ...]) -> tuple[OptionBasis, Data]:
        basis = OptionBasis(used, formula=formula)
        return basis, Data(basis.designs(chosen), multiples, counts, on_fit, groups=kept)

    if formula is None:
        return chosen_model(chosen, rows, variables, data_of, positive=positive, scale=scale, tested=tested)
    model = chosen_model(chosen, rows, variables, data_of, positive=positive, scale="log", tested=False)
    # The formula knows how small values can be.
    whole = replace(positive_scale("log", values), lowest=0.0)
    return replace(model, scale=whole, data=replace(model.data, y=values), constant="")


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
    """Return the full model with the best columns, or a constant if no influence can be distinguished from noise."""
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
        refits = best_refits(data, len(used), scale, positive=positive)
        simple = refits.first.scale
        if not tested or permutation_test(data, len(used), refits):
            if is_screened(len(used), min(len(values), constants.ROWS_OF_REFIT)):
                # Only the variables that a search was about: there are many more than rows. Other blocks stay.
                others = range(len(used), len(used) + data.designs[0].unscreened)
                kept = np.array(sorted({*refits.searched.tolist(), *others}))
                searched = tuple(used[block] for block in kept.tolist() if block < len(used))
                basis, refits = replace(basis, variables=searched), refits.of_blocks(kept)
                data = replace(data, designs=tuple(design.blocks(kept)[0] for design in data.designs))
            return FullModel(basis, simple, rows, configurations, data, refits)
    return FullModel(basis, simple, rows, configurations, data, None, NO_INFLUENCE)


def covariance_of(configurations: Configurations, y: Array, repetitions: Array) -> tuple[Array, Covariance | None]:
    """Return an order of configurations by content, and the covariance of ln y between positions, if there is any."""
    known = option_constants(configurations, y)
    rows = hash_order(configurations, known)
    ordered = configurations[rows]
    basis = OptionBasis(without_numbers(canonical_order(varying(variables_of(ordered.system), ordered), known)))
    if not basis.variables or float(np.ptp(np.log(y))) <= 1e-12:
        return rows, None
    design, some = basis.designs(ordered)[0], slice(constants.ROWS_OF_SEARCH)
    data = Data((design.rows(some),), y[rows][some], repetitions[rows][some])
    found = first_fit(data, len(basis.variables), positive_scale("log", data.y)).posterior
    deviation = found.deviation**2
    return rows, lambda first, second: deviation * kernel_matrix(found.theta, design.rows(first), design.rows(second))


def with_supported_numbers(
    variables: tuple[Variable, ...], configurations: Configurations, y: Array, repetitions: Array, scale: Scale
) -> tuple[Variable, ...]:
    """Return variables without those numbers in the names of groups' members that the evidence is not for."""
    groups = {variable.name: variable for variable in variables if variable.kind == "group" and variable.values}
    if not groups:
        return variables
    some = slice(constants.ROWS_OF_NUMBERING)
    rows, values, counts = configurations[some], y[some], repetitions[some]
    margins = {name: constants.EVIDENCE_PER_MEMBER * (len(group.members) - MIN_GROUP) for name, group in groups.items()}

    @cache
    def evidence(numbered: frozenset[str], shared: frozenset[str] = frozenset()) -> float:
        """Return the evidence with the numbers of some groups, and others whose members share one relevance."""
        members = (replace(variable, values=()) if variable.name in shared else variable for variable in variables)
        basis = OptionBasis(without_numbers(members, numbered))
        return first_fit(Data(basis.designs(rows)[:1], values, counts), len(variables), scale).evidence

    def supported(added: frozenset[str], numbered: frozenset[str], min_gain: float) -> bool:
        """Return whether the evidence is for the numbers of new groups besides those that are kept."""
        found, margin = evidence(numbered | added), sum(margins[name] for name in added)
        return found > evidence(numbered, added) + min_gain and found > evidence(numbered) - margin

    all_groups, numbered = frozenset(groups), frozenset[str]()
    everywhere = supported(all_groups, numbered, constants.NUMBER_EVIDENCE)
    if len(groups) * len(variables) > constants.SINGLE_GROUPS:
        return variables if everywhere else without_numbers(variables)
    if everywhere:
        kept = [name for name in groups if supported(frozenset((name,)), all_groups - {name}, 0.0)]
        return without_numbers(variables, kept)
    # If the numbers of one group are supported, those of the other groups need less evidence.
    for min_gain in (constants.NUMBER_EVIDENCE, constants.FURTHER_NUMBER_EVIDENCE):
        numbered |= {name for name in all_groups - numbered if supported(frozenset((name,)), numbered, min_gain)}
        if not numbered or numbered == all_groups:
            break
    return without_numbers(variables, numbered)


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
