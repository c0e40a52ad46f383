"""The chosen model with its influences, and those that the fold models give its terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.learning.projection.choice import FormChoice
from splc.learning.projection.competition import Contender, LanguageSearch
from splc.learning.projection.consensus import FARTHEST, RISE, SHORTER, agreed_models
from splc.learning.projection.exchange import exchanged
from splc.learning.projection.form import IsPositive
from splc.types import Array


@dataclass(frozen=True, eq=False)
class ProjectedModel:
    """The printed model as columns of candidates."""

    contender: Contender  # the chosen model, before exchange
    chosen: tuple[int, ...]  # the positions of its terms, in canonical order
    coefficients: Array  # the coefficients of their columns, shape (terms,)

    @classmethod
    def of(cls, choice: FormChoice, is_positive: IsPositive, consensus: bool = True) -> ProjectedModel:
        """Return the chosen model, with terms exchanged for better ones if all its predictions are positive then."""
        contender, exact = choice.contender, choice.exact
        search = contender.search
        name = search.candidates.name
        if exact is not None:
            order = sorted(range(len(exact.chosen)), key=lambda at: name(exact.chosen[at]))
            return cls(contender, tuple(exact.chosen[at] for at in order), exact.coefficients[order])
        first = tuple(sorted(contender.chosen, key=name))
        exchanged_terms = tuple(sorted(exchanged(search.candidates, first, search.full.target), key=name))
        projected = cls.blended(contender, exchanged_terms)
        if not is_positive(search, projected.chosen, projected.coefficients):
            projected = cls.blended(contender, first)
        # With few rows, the support by folds is unreliable.
        return projected._with_agreed_terms(is_positive) if consensus and not search.rows.few else projected

    def _with_agreed_terms(self, is_positive: IsPositive) -> ProjectedModel:
        """Return a short model whose terms have more support by folds, if its expected error is hardly larger."""
        search, name = self.search, self.search.candidates.name

        def model(terms: tuple[int, ...]) -> ProjectedModel:
            return self.blended(self.contender, tuple(sorted(terms, key=name)))

        def is_near(projected: ProjectedModel, limit: float) -> bool:
            return projected.expected_error <= limit and is_positive(search, projected.chosen, projected.coefficients)

        limit = min(RISE * self.expected_error, FARTHEST * search.rows.expected_error)
        for models in agreed_models(search, self.contender.size, self.chosen):
            largest = model(models[-1])
            if is_near(largest, limit):
                near_limit = min(limit, SHORTER * largest.expected_error)
                return next(projected for projected in map(model, models) if is_near(projected, near_limit))
        return self

    @classmethod
    def blended(cls, contender: Contender, chosen: tuple[int, ...]) -> ProjectedModel:
        """Return terms with the blend of a model, without those whose influence is 0 since it must not be negative."""
        search = contender.search
        coefficients = search.blend(None, chosen).coefficients(chosen, contender.blend)
        nonzero = np.flatnonzero(search.candidates.free[list(chosen)] | (coefficients != 0))
        return cls(contender, tuple(chosen[at] for at in nonzero.tolist()), coefficients[nonzero])

    @property
    def search(self) -> LanguageSearch:
        """The models of its language."""
        return self.contender.search

    @cached_property
    def predicted(self) -> Array:
        """The predictions at all rows, shape (m,), in the unit of the target."""
        columns = self.search.candidates.columns[list(self.chosen)]
        return self.search.rows.predicted(self.coefficients @ columns, self.search.product)

    @property
    def distance(self) -> float:
        """The mean distance to the full model."""
        return float(self.search.rows.distances(self.predicted))

    @cached_property
    def expected_error(self) -> float:
        """The error that the full model and the distance to it give."""
        return float(np.hypot(self.search.rows.expected_error, self.distance))

    @cached_property
    def covariance(self) -> Array:
        """The covariance of the coefficients, shape (terms, terms).

        It is the sum of two: that of the full model's posterior, and the jackknife's over the models of the folds
        (docs/decisions/0009-default-learner.md).
        """
        search, blend = self.search, self.contender.blend
        rows = search.rows
        blend_of_all = search.blend(None, self.chosen)
        posterior = rows.target.covariance(blend_of_all.operator(self.chosen, blend) * rows.slope(search.product))
        folds = len(rows.target.folds)
        fold_coefficients = np.array(
            [search.blend(k, self.chosen).coefficients(self.chosen, blend) for k in range(folds)]
        )
        deviations = fold_coefficients - fold_coefficients.mean(axis=0)
        return np.asarray(posterior + (folds - 1) / folds * deviations.T @ deviations)

    def support(self, position: int) -> int:
        """Return in how many folds the fold's own model has a term of the same variables."""
        return self.search.support(self.contender.size, position)
