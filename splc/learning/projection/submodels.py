"""The target of the printed model, and models of every size, language and blend (docs/decisions/0010-printed-model.md).

A `Target` is the predictions of the full model. Columns of sums are fitted to predictions over their divisors, those of
products to their logarithms. `LanguageSearch` has a `Submodel` for each size and blend. A blend lambda weighs the full
model's predictions against the measured values: infinity is the projection alone; with a small one the full model
determines only what the measured values leave undetermined.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

# Not numpy's, which imports the masked arrays.
from statistics import median

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.basis import Variable
from splc.learning.projection.columns import Candidates, Language, units_of
from splc.learning.projection.constants import FEW_ROWS, FLOOR, ProjectionSettings
from splc.learning.projection.term_search import FURTHER_STEPS, forward, models_of_sizes, nonnegative
from splc.models.basis.atom import function_names
from splc.types import Array

# With fewer rows than `FEW_ROWS` models are chosen by their distance to the full model, whose expected error is at most
# so many of its standard deviations, and this.
SPREADS, FEW_ROWS_ERROR = 2.0, 0.4


@dataclass(frozen=True, eq=False)
class Target:
    """The predictions that the printed model follows, in units of `unit`; t is the scale of the full model."""

    configurations: Configurations  # the m configurations Z; the n configurations of the learning set come first
    weights: Array  # the weights v of the rows, shape (m,)
    predicted: Array  # the predictions g of the full model, shape (m,)
    divisor: Array  # the divisor of residuals, shape (m,): g for positive properties, which makes them relative
    slope: Array  # dy/dt at g over the divisor, shape (m,): 1 for a full model of ln y
    folds: Array  # predictions of the fold models, learned from the rows outside of their fold, shape (folds, m)
    fold_of: Array  # the fold of each configuration of the learning set, shape (n,)
    independent: int  # the number of groups that folds keep together; n without groups
    measured: Array  # the measured values of the learning set, shape (n,)
    unit: float  # the unit of all values, in the unit of the property
    positive: bool  # whether all values are positive; else influences may be negative, and the form is a sum
    spread: float  # the median predictive standard deviation at the unmeasured configurations, on the scale t
    covariance: Callable[[Array], Array]  # returns the posterior covariance of W t, shape (k, k), for W of shape (k, m)

    @property
    def learned(self) -> int:
        """The number n of configurations of the learning set."""
        return len(self.measured)

    @property
    def few(self) -> bool:
        """True if there are too few rows to choose models by their held-out errors."""
        return self.learned < FEW_ROWS

    @cached_property
    def roots(self) -> Array:
        """The square roots of the weights, shape (m,)."""
        return np.sqrt(self.weights)

    @cached_property
    def smallest(self) -> float:
        """The smallest prediction of a positive property."""
        return float(self.measured.min()) / FLOOR

    def factors(self, product: bool) -> Array:
        """Return what columns are multiplied by, shape (m,)."""
        return self.roots if product else self.roots / self.divisor

    def scaled(self, values: Array, product: bool) -> Array:
        """Return predictions, shape (..., m), as what columns are fitted to."""
        if product:
            return np.asarray(self.roots * np.log(np.maximum(values, self.smallest)))
        return np.asarray(self.factors(product) * values)

    def unscaled(self, scaled: Array, product: bool) -> Array:
        """Return the predictions whose `scaled` values, shape (..., m), are given."""
        if product:
            return np.asarray(np.exp(np.minimum(scaled / self.roots, 600.0)))
        return np.asarray(scaled / self.factors(product))

    def differences(self, predicted: Array) -> Array:
        """Return predictions for the learning set, shape (..., n), minus measured values: of ln y, or over divisors."""
        if self.positive:
            return np.asarray(np.log(np.maximum(predicted, self.smallest)) - np.log(self.measured))
        return np.asarray((predicted - self.measured) / self.divisor[: self.learned])

    def errors(self, differences: Array) -> Array:
        """Return the absolute errors of `differences`: relative ones of positive properties."""
        if self.positive:
            return np.asarray(np.abs(np.expm1(np.minimum(differences, 600.0))))
        return np.asarray(np.abs(differences))

    def distances(self, predicted: Array) -> Array:
        """Return mean distances of predictions, shape (..., m), to the full model, at unmeasured rows if possible."""
        unmeasured = slice(self.learned if len(self.weights) > self.learned else 0, None)
        deviations = (predicted[..., unmeasured] - self.predicted[unmeasured]) / self.divisor[unmeasured]
        return np.asarray(np.abs(deviations).mean(axis=-1))

    @cached_property
    def own_errors(self) -> Array:
        """The errors of the fold models at the rows of their folds, shape (n,)."""
        folds = np.minimum(self.fold_of, len(self.folds) - 1)
        return self.errors(self.differences(self.folds[folds, np.arange(self.learned)]))

    @cached_property
    def expected_error(self) -> float:
        """The full model's mean error at held-out rows; with few rows, which say little, at most its uncertainty."""
        expected = float(self.own_errors.mean())
        if self.few:
            expected = min(expected, SPREADS * self.spread * median(self.slope.tolist()), FEW_ROWS_ERROR)
        return expected


# The blends. (Of 78 models of the reference, 5 had 1, 54 infinity and 19 a tenth.)
PROJECTION, BLEND = math.inf, 0.1
BLENDS = (PROJECTION, BLEND)
# Terms have at most this number of variables: 5, or 6 with as many numeric options.
MIN_ORDER, MAX_ORDER = 5, 6
MAX_NUMERIC = 3  # with more numeric factors in a term of ln y, predictions explode outside of the measured range


@dataclass(frozen=True, eq=False)
class LanguageSearch:
    """The models of one language."""

    target: Target
    candidates: Candidates
    language: Language
    models: tuple[tuple[tuple[int, ...], ...], ...]  # for all rows, then each fold: the terms by size

    @property
    def product(self) -> bool:
        """True if terms are those of ln y."""
        return self.language == "product"

    @cached_property
    def goals(self) -> Mapping[tuple[int | None, float], tuple[Array, Array]]:
        """The weights of rows, and the weighted goal, for the full model (None) and each fold, and each blend."""
        target, product, goals = self.target, self.product, dict[tuple[int | None, float], tuple[Array, Array]]()
        for fold, predicted in zip((None, *range(len(target.folds))), (target.predicted, *target.folds), strict=True):
            goal = target.scaled(predicted, product)
            goals[fold, PROJECTION] = np.ones(len(goal)), goal
            # Each measured row has the weight 1, and all predictions together that of `BLEND` times as many.
            rows, values = np.flatnonzero(target.fold_of != fold), target.predicted.copy()
            values[: target.learned] = target.measured
            weights = np.full(len(goal), BLEND * max(len(rows), 1) / float(target.weights.sum()))
            goal = weights * goal
            goal[rows] += target.scaled(values, product)[rows] / target.weights[rows]
            weights[rows] += 1 / target.weights[rows]
            goals[fold, BLEND] = weights, goal
        return goals

    def coefficients(self, fold: int | None, blend: float, chosen: Sequence[int]) -> Array:
        """Return the least-squares coefficients of terms, not negative where they must not be."""
        columns, (weights, goal) = self.candidates.columns[list(chosen)], self.goals[fold, blend]
        gram, moments, is_free = columns * weights @ columns.T, columns @ goal, self.candidates.free[list(chosen)]
        coefficients = np.linalg.solve(gram, moments)
        if (coefficients[~is_free] < 0).any():
            scale = 1 / np.sqrt(np.diag(gram))
            coefficients = scale * nonnegative(gram * np.outer(scale, scale), scale * moments, is_free)
        return np.asarray(coefficients)

    @cached_property
    def submodels(self) -> tuple[Submodel, ...]:
        """The models of all sizes and blends, smaller ones first."""
        return tuple(
            Submodel(self, size, blend, model, self.coefficients(None, blend, model))
            for size, model in enumerate(self.models[0], 1)
            for blend in BLENDS
        )

    def supports(self, size: int) -> Counter[frozenset[str]]:
        """Return in how many folds the model of a size has a term of each set of variables."""
        sets = ({self.candidates.variables(position) for position in models[size - 1]} for models in self.models[1:])
        return Counter(variables for of_fold in sets for variables in of_fold)


@dataclass(frozen=True, eq=False)
class Submodel:
    """Terms of one language with the influences that follow the full model."""

    search: LanguageSearch  # the models of its language
    size: int  # the size of the models of the folds that it is judged by
    blend: float  # how influences weigh the full model against measured values
    chosen: tuple[int, ...]  # the positions of its terms
    coefficients: Array  # the coefficients of their columns, shape (terms,)

    def of_terms(self, chosen: Sequence[int]) -> Submodel:
        """Return other terms with the same blend, without those whose influence is 0 since it must not be negative."""
        coefficients = self.search.coefficients(None, self.blend, chosen)
        kept = np.flatnonzero(self.search.candidates.free[list(chosen)] | (coefficients != 0))
        return replace(self, chosen=tuple(chosen[at] for at in kept.tolist()), coefficients=coefficients[kept])

    @cached_property
    def predicted(self) -> Array:
        """The predictions at all rows, shape (m,), in the unit of the target."""
        columns = self.search.candidates.columns[list(self.chosen)]
        return self.search.target.unscaled(self.coefficients @ columns, self.search.product)

    @property
    def positive(self) -> bool:
        """True if its predictions at all rows are positive, or need not be."""
        return not self.search.target.positive or bool((self.predicted > 0).all())

    @cached_property
    def distance(self) -> float:
        """The mean distance to the full model."""
        return float(self.search.target.distances(self.predicted))

    @property
    def expected_error(self) -> float:
        """The error that the full model and the distance to it give."""
        return float(np.hypot(self.search.target.expected_error, self.distance))

    @cached_property
    def differences(self) -> Array:
        """The `Target.differences` of held-out rows, by the fold's own terms and influences, shape (n,)."""
        search, target = self.search, self.search.target
        fold_of = np.minimum(target.fold_of, len(target.folds) - 1)
        values = np.zeros(len(target.weights))
        for fold, models in enumerate(search.models[1:]):
            chosen, out = models[self.size - 1], np.flatnonzero(fold_of == fold)
            coefficients = search.coefficients(fold, self.blend, chosen)
            values[out] = coefficients @ search.candidates.columns[list(chosen)][:, out]
        return target.differences(target.unscaled(values, search.product)[: target.learned])

    @property
    def errors(self) -> Array:
        """The errors of held-out rows, shape (n,)."""
        return self.search.target.errors(self.differences)

    @cached_property
    def error(self) -> float:
        """The mean of `errors`: the honest error."""
        return float(self.errors.mean())

    @cached_property
    def score(self) -> float:
        """The mean of the honest and the expected error; with few rows, where that says little, the latter."""
        return self.expected_error if self.search.target.few else (self.error + self.expected_error) / 2

    @cached_property
    def covariance(self) -> Array:
        """The covariance of the coefficients: that of the posterior plus the jackknife's over the folds."""
        search, target, chosen = self.search, self.search.target, self.chosen
        columns, (weights, _) = search.candidates.columns[list(chosen)], search.goals[None, self.blend]
        # From what columns are fitted to to coefficients of any sign.
        operator = np.linalg.solve(columns * weights @ columns.T, columns * weights)
        # The derivative of what columns are fitted to by the full model's t.
        slope = target.roots * target.slope
        if search.product:
            slope = slope * (target.divisor / np.maximum(target.predicted, target.smallest))
        posterior = target.covariance(operator * slope)
        folds = len(target.folds)
        influences = np.array([search.coefficients(fold, self.blend, chosen) for fold in range(folds)])
        deviations = influences - influences.mean(axis=0)
        return np.asarray(posterior + (folds - 1) / folds * deviations.T @ deviations)


def language_search(
    target: Target, variables: Sequence[Variable], language: Language, most: int, settings: ProjectionSettings
) -> LanguageSearch:
    """Return the models of a language, from one term to `most`."""
    product = language == "product"
    units, values = units_of(variables, target.configurations, language, function_names(settings.functions))
    numeric = sum(variable.kind == "numeric" for variable in variables)
    longest = max(MIN_ORDER, min(MAX_ORDER, numeric)) if settings.order is None else settings.order
    candidates = Candidates(
        units,
        values,
        target.factors(product),
        order=min(longest, max(len(variables), 1)),
        unit=1.0 if product else target.unit,
        signed=language == "sum",
        most_numeric=MAX_NUMERIC if product else None,
        names=target.configurations.system.term_order,
    )
    targets = target.scaled(np.vstack([target.predicted, target.folds]), product)
    selections = forward(candidates, targets, most + FURTHER_STEPS)
    models = tuple(tuple(models_of_sizes(selection, most)) for selection in selections)
    return LanguageSearch(target, candidates, language, models)
