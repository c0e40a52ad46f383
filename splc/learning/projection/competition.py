"""The models of every size, language and blend, with their scores (docs/decisions/0010-printed-model.md).

In: the target and the variables. Out: `LanguageSearch`, with a `Contender` for each size and blend. `ModelRows` are
the target in the units that columns are fitted to. A `Blend` lambda weighs the full model's predictions against the
measured values: infinity is the projection alone; with a small one the full model determines only what the measured
values leave undetermined.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

# Not numpy's, which imports the masked arrays.
from statistics import median

import numpy as np

from splc.learning.projection.columns import Candidates, Language, units_of
from splc.learning.projection.constants import FEW_ROWS, FLOOR
from splc.learning.projection.full_model import Target
from splc.learning.projection.settings import ProjectionSettings
from splc.learning.projection.term_search import forward, models_of_sizes, nonnegative
from splc.learning.projection.variables import Variable
from splc.models.basis.atom import function_names
from splc.types import Array

# With fewer rows than `FEW_ROWS` models are chosen by their distance to the full model, whose expected error is at most
# so many of its standard deviations, and this.
SPREADS, FEW_ROWS_ERROR = 2.0, 0.4
# The blends. (Of 78 models of the reference, 5 had 1, 54 infinity and 19 a tenth.)
PROJECTION = math.inf
BLENDS = (PROJECTION, 0.1)
# Backward elimination from a longer path repairs early mistakes.
FURTHER_STEPS = 8
# Terms have at most this number of variables: 5, or 6 with as many numeric options.
MIN_ORDER, MAX_ORDER = 5, 6
# With more numeric factors in a term of ln y, predictions explode outside of the measured range.
MAX_NUMERIC = 3


@dataclass(frozen=True, eq=False)
class ModelRows:
    """The predictions of the full model; the n configurations of the learning set come first."""

    target: Target

    @property
    def learned(self) -> int:
        """The number n of learned configurations."""
        return self.target.learned

    @cached_property
    def roots(self) -> Array:
        """The square roots of the weights, shape (m,)."""
        return np.sqrt(self.target.weights)

    @cached_property
    def smallest(self) -> float:
        """The smallest prediction of a positive property."""
        return float(self.target.measured.min()) / FLOOR

    def weights(self, product: bool) -> Array:
        """Return what columns are multiplied by, shape (m,)."""
        return self.roots if product else self.roots / self.target.divisor

    def scaled(self, values: Array, product: bool) -> Array:
        """Return predictions, shape (..., m), as what columns are fitted to."""
        if product:
            return np.asarray(self.roots * np.log(np.maximum(values, self.smallest)))
        return np.asarray(self.weights(product) * values)

    def predicted(self, scaled: Array, product: bool) -> Array:
        """Return the predictions whose `scaled` values, shape (..., m), are given."""
        if product:
            return np.asarray(np.exp(np.minimum(scaled / self.roots, 600.0)))
        return np.asarray(scaled / self.weights(product))

    def slope(self, product: bool) -> Array:
        """Return the derivative of `scaled` by the full model's t, shape (m,)."""
        slope = self.roots * self.target.slope
        if product:
            slope = slope * (self.target.divisor / np.maximum(self.target.predicted, self.smallest))
        return np.asarray(slope)

    def differences(self, predicted: Array) -> Array:
        """Return predictions for the learning set, shape (..., n), minus measured values.

        They are differences of logarithms for positive properties, otherwise over the divisor.
        """
        measured = self.target.measured
        if self.target.positive:
            return np.asarray(np.log(np.maximum(predicted, self.smallest)) - np.log(measured))
        return np.asarray((predicted - measured) / self.target.divisor[: len(measured)])

    def errors(self, differences: Array) -> Array:
        """Return the absolute errors of `differences`: relative ones of positive properties."""
        if self.target.positive:
            return np.asarray(np.abs(np.expm1(np.minimum(differences, 600.0))))
        return np.asarray(np.abs(differences))

    def distances(self, predicted: Array) -> Array:
        """Return the mean distances of predictions, shape (..., m), to the full model, over the divisor, shape (...).

        It is that at the unmeasured configurations, if there are any.
        """
        unmeasured = slice(self.learned if len(self.roots) > self.learned else 0, None)
        deviations = (predicted[..., unmeasured] - self.target.predicted[unmeasured]) / self.target.divisor[unmeasured]
        return np.asarray(np.abs(deviations).mean(axis=-1))

    @cached_property
    def own_errors(self) -> Array:
        """The errors of the fold models at the rows of their folds, shape (n,)."""
        folds = np.minimum(self.target.fold_of, len(self.target.folds) - 1)
        return self.errors(self.differences(self.target.folds[folds, np.arange(self.learned)]))

    @cached_property
    def expected_error(self) -> float:
        """The expected error of the full model: its mean error at held-out rows; with few rows at most its uncertainty.

        Few held-out rows say little, and the models that leave one of them out know less than the full model.
        """
        expected = float(self.own_errors.mean())
        if self.few:
            spread = self.target.spread * median(self.target.slope.tolist())
            expected = min(expected, SPREADS * spread, FEW_ROWS_ERROR)
        return expected

    @property
    def few(self) -> bool:
        """True if there are too few rows to choose models by their held-out errors."""
        return self.learned < FEW_ROWS


@dataclass(frozen=True, eq=False)
class Blend:
    """The influences of terms for one target: the full model, or the model of a fold."""

    rows: ModelRows
    candidates: Candidates
    union: tuple[int, ...]  # the positions of all terms that are asked for, ascending
    product: bool  # whether terms are those of ln y
    fold: int | None = None  # the fold whose rows are left out; None for the full model

    @cached_property
    def columns(self) -> Array:
        """The columns of the terms, shape (terms, m)."""
        return self.candidates.columns[list(self.union)]

    @cached_property
    def target(self) -> Array:
        """The scaled predictions that the columns are fitted to, shape (m,)."""
        target = self.rows.target
        return self.rows.scaled(target.predicted if self.fold is None else target.folds[self.fold], self.product)

    @cached_property
    def measured(self) -> Array:
        """The positions of the measured rows that are used, shape (n,)."""
        return np.flatnonzero(self.rows.target.fold_of != self.fold)

    @cached_property
    def _projected(self) -> tuple[Array, Array]:
        return self.columns @ self.columns.T, self.columns @ self.target

    @cached_property
    def _fitted(self) -> tuple[Array, Array]:
        """The Gram matrix and moments of the measured rows, of which each has the weight 1."""
        measured, roots, values = self.measured, self.rows.roots, self.rows.target.predicted.copy()
        values[: self.rows.learned] = self.rows.target.measured
        columns = self.columns[:, measured] / roots[measured]
        return columns @ columns.T, columns @ (self.rows.scaled(values, self.product)[measured] / roots[measured])

    def _ratio(self, blend: float) -> float:
        return blend * max(len(self.measured), 1) / float(self.rows.roots @ self.rows.roots)

    def _equations(self, chosen: Sequence[int], blend: float) -> tuple[Array, Array, Array]:
        """Return the places of terms in the union, their Gram matrix and their moments."""
        indices = np.searchsorted(self.union, chosen)
        gram, moments = self._projected
        if not math.isinf(blend):
            ratio = self._ratio(blend)
            gram, moments = self._fitted[0] + ratio * gram, self._fitted[1] + ratio * moments
        return indices, gram[indices][:, indices], moments[indices]

    def coefficients(self, chosen: Sequence[int], blend: float) -> Array:
        """Return the coefficients of the columns of terms, shape (terms,)."""
        _, gram, moments = self._equations(chosen, blend)
        coefficients = np.linalg.solve(gram, moments)
        is_free = self.candidates.free[list(chosen)]
        if (coefficients[~is_free] < 0).any():
            scale = 1 / np.sqrt(np.diag(gram))
            coefficients = scale * nonnegative(gram * np.outer(scale, scale), scale * moments, is_free)
        return np.asarray(coefficients)

    def operator(self, chosen: Sequence[int], blend: float) -> Array:
        """Return the matrix, shape (terms, m), from predictions as `ModelRows.scaled` to coefficients of any sign."""
        indices, gram, _ = self._equations(chosen, blend)
        columns, measured = self.columns[indices], self.measured
        if not math.isinf(blend):
            columns = self._ratio(blend) * columns
            columns[:, measured] += self.columns[np.ix_(indices, measured)] / self.rows.roots[measured] ** 2
        return np.asarray(np.linalg.solve(gram, columns))


@dataclass(frozen=True, eq=False)
class Contender:
    """A model of one language, size and blend."""

    search: LanguageSearch  # the models of its language
    size: int  # the largest number of its terms
    blend: float  # how its influences weigh the full model against measured values
    chosen: tuple[int, ...]  # the positions of its terms
    differences: Array  # those of held-out rows, by the fold's own terms and influences, shape (n,)
    error: float  # their mean error: the honest error
    distance: float  # the mean distance to the full model
    # the mean of `error` and of the error that the full model and the distance give; with few rows the latter alone
    score: float
    positive: bool  # whether its predictions at all rows are positive

    @cached_property
    def coefficients(self) -> Array:
        """The coefficients of its terms, shape (terms,)."""
        return self.search.full.coefficients(self.chosen, self.blend)

    @property
    def errors(self) -> Array:
        """The errors of held-out rows, shape (n,)."""
        return self.search.rows.errors(self.differences)


@dataclass(frozen=True, eq=False)
class LanguageSearch:
    """The models of one language."""

    rows: ModelRows
    candidates: Candidates
    language: Language
    # the positions of the terms of the model of each size from 1 on; of the full model, then of each fold
    models: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def product(self) -> bool:
        """True if terms are those of ln y."""
        return self.language == "product"

    @cached_property
    def full(self) -> Blend:
        """The influences of the models of the full model."""
        return self.blend(None)

    def blend(self, fold: int | None, further: Sequence[int] = ()) -> Blend:
        """Return the influences of the models of a fold, or of the full model, and of further terms."""
        models = self.models[0 if fold is None else fold + 1]
        union = sorted({*further, *(position for model in models for position in model)})
        return Blend(self.rows, self.candidates, tuple(union), self.product, fold)

    @cached_property
    def contenders(self) -> tuple[Contender, ...]:
        """The models of all sizes and blends, smaller ones first."""
        rows, target, columns = self.rows, self.rows.target, self.candidates.columns
        folds = range(len(target.folds))
        fold_of, blends = np.minimum(target.fold_of, folds[-1]), [self.blend(fold) for fold in folds]
        contenders: list[Contender] = []
        for size, at in np.ndindex(len(self.models[0]), len(BLENDS)):
            model = self.models[0][size]
            predicted = rows.predicted(self.full.coefficients(model, BLENDS[at]) @ columns[list(model)], self.product)
            values = np.zeros(len(rows.roots))
            for fold, models in enumerate(self.models[1:]):
                chosen, out = models[size], np.flatnonzero(fold_of == fold)
                values[out] = blends[fold].coefficients(chosen, BLENDS[at]) @ columns[list(chosen)][:, out]
            differences = rows.differences(rows.predicted(values, self.product)[: rows.learned])
            error, distance = float(rows.errors(differences).mean()), float(rows.distances(predicted))
            expected = float(np.hypot(rows.expected_error, distance))
            # With few rows, the error of held-out rows can be small by chance.
            score = expected if rows.few else (error + expected) / 2
            positive = not target.positive or bool((predicted > 0).all())
            contenders.append(
                Contender(self, size + 1, BLENDS[at], model, differences, error, distance, score, positive)
            )
        return tuple(contenders)

    def supports(self, size: int) -> Counter[frozenset[str]]:
        """Return in how many folds the model of a size has a term of each set of variables."""
        sets = ({self.candidates.variables(position) for position in models[size - 1]} for models in self.models[1:])
        return Counter(variables for of_fold in sets for variables in of_fold)


def language_search(
    rows: ModelRows,
    variables: Sequence[Variable],
    language: Language,
    most: int,
    settings: ProjectionSettings,
) -> LanguageSearch:
    """Return the models of a language, from one term to `most`."""
    product = language == "product"
    units, values = units_of(variables, rows.target.configurations, language, function_names(settings.functions))
    numeric = sum(variable.kind == "numeric" for variable in variables)
    longest = max(MIN_ORDER, min(MAX_ORDER, numeric)) if settings.order is None else settings.order
    candidates = Candidates(
        units,
        values,
        rows.weights(product),
        order=min(longest, max(len(variables), 1)),
        unit=1.0 if product else rows.target.unit,
        signed=language == "sum",
        most_numeric=MAX_NUMERIC if product else None,
        names=rows.target.configurations.system.term_order,
    )
    targets = rows.scaled(np.vstack([rows.target.predicted, rows.target.folds]), product)
    selections = forward(candidates, targets, most + FURTHER_STEPS)
    models = tuple(tuple(models_of_sizes(selection, most)) for selection in selections)
    return LanguageSearch(rows, candidates, language, models)
