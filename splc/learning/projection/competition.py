"""The models of every size and language, with their scores (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.learning.projection.blend import BLENDS, Blend
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.forward import forward
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.size import models_of_sizes
from splc.learning.projection.units import Language, units_of
from splc.learning.projection.variables import Variable
from splc.types import Array

# Backward elimination from a longer path repairs early mistakes.
FURTHER_STEPS = 8
# Terms have at most this number of variables: 5, or 6 with as many numeric options.
MIN_ORDER, MAX_ORDER = 5, 6
# With more numeric factors in a term of ln y, predictions explode outside of the measured range.
MAX_NUMERIC = 3


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
    # the mean of `error` and of the error that the full model and the distance to it give; with few rows the latter
    # alone
    score: float
    positive: bool  # whether its predictions at all rows are positive

    @property
    def language(self) -> Language:
        """Its language."""
        return self.search.language

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

    rows: ModelRows  # the rows
    candidates: Candidates  # the candidates
    language: Language  # the language
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
        rows, target = self.rows, self.rows.target
        sizes, folds = len(self.models[0]), len(target.folds)
        shape = (sizes, len(BLENDS))
        held_out = np.empty((*shape, rows.learned))
        for fold in range(folds):
            out = np.flatnonzero(np.minimum(target.fold_of, folds - 1) == fold)
            fold_blend = self.blend(fold)
            for size, at in np.ndindex(shape):
                model = self.models[fold + 1][size]
                if size and model == self.models[fold + 1][size - 1]:
                    held_out[size, at, out] = held_out[size - 1, at, out]
                    continue
                columns = self.candidates.columns[list(model)][:, out]
                held_out[size, at, out] = fold_blend.coefficients(model, BLENDS[at]) @ columns
        contenders: list[Contender] = []
        for size, at in np.ndindex(shape):
            model = self.models[0][size]
            values = self.full.coefficients(model, BLENDS[at]) @ self.candidates.columns[list(model)]
            predicted = rows.predicted(values, self.product)
            values = np.zeros(len(rows.roots))
            values[: rows.learned] = held_out[size, at]
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
        variables_of_folds = (
            {self.candidates.variables(position) for position in models[size - 1]} for models in self.models[1:]
        )
        return Counter(variables for fold_variables in variables_of_folds for variables in fold_variables)

    def support(self, size: int, position: int) -> int:
        """Return in how many folds the model of a size has a term of the same variables as a candidate."""
        return self.supports(size)[self.candidates.variables(position)]


def language_search(
    rows: ModelRows,
    variables: Sequence[Variable],
    language: Language,
    most: int,
    order: int | None = None,
    functions: Sequence[str] = (),
) -> LanguageSearch:
    """Return the models of a language, from one term to `most`.

    `order`: the largest number of variables in a term; None: by the number of numeric options.
    """
    product = language == "product"
    units, values = units_of(variables, rows.target.configurations, language, functions)
    numeric = sum(variable.kind == "numeric" for variable in variables)
    longest = max(MIN_ORDER, min(MAX_ORDER, numeric)) if order is None else order
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
