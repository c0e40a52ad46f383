"""The printed model: few readable terms that follow the full model (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.model_scores import FormScore, PathPoint, PathTerm
from splc.learning.projection.aliases import aliases_of
from splc.learning.projection.competition import Contender, LanguageSearch
from splc.learning.projection.form import Form, IsPositive, chosen_form
from splc.learning.projection.projected import ProjectedModel
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.sparse_intervals import half_width
from splc.learning.projection.target import Target
from splc.learning.projection.variables import Variable
from splc.learning.result import CrossValidated, InfluenceEstimate
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import CONSTANT, Term
from splc.types import Array, Link

Expansion = tuple[tuple[Term, float], ...]


@dataclass(frozen=True)
class SparseSettings:
    """The settings of the printed model."""

    terms: int | None = None  # the largest number of terms, the constant included; None: chosen by the error
    readable: bool = False  # whether fewer terms are worth a slightly larger error
    form: Form = "auto"  # a sum, a product of factors, or what has the smaller error
    order: int | None = None  # the largest number of variables in a term; None: 5, or 6 with as many numeric options
    functions: tuple[str, ...] = ()  # further functions of numeric options, by name
    complete: bool = False  # whether all valid configurations were measured


@dataclass(frozen=True)
class SparseTerm:
    """A term as it was selected: a product of units."""

    text: str  # the term as text; the number of a group has the stem of its members as name: `3 * ref`
    influence: float  # its influence
    variables: tuple[str, ...]  # the names of its variables
    expansion: Expansion  # the terms that it is the sum of, with their weights
    free: bool  # whether its influence may be negative
    folds: int  # in how many folds the fold's own model has a term of the same variables


@dataclass(frozen=True)
class SparseModel:
    """A printed model."""

    form: Literal["sum", "product"]  # whether it is a sum of terms or a product of factors
    selected: tuple[SparseTerm, ...]  # the terms as they were selected, in canonical order
    derived: tuple[Derived, ...]  # subexpressions in the terms
    # the uncertainty of the influence of every term of the model, in the order of `terms`
    estimates: tuple[InfluenceEstimate, ...]
    path: tuple[PathPoint, ...]  # models from one term to many
    # for some terms, texts of other terms that the learning set does not distinguish from them: pairs (term, other)
    aliases: tuple[tuple[str, str], ...]
    forms: tuple[FormScore, ...]  # the best model of each form, the printed one first
    distance: float  # its mean distance to the full model at unmeasured configurations, over the divisor
    # the differences of predictions of held-out rows, by the fold's own terms and influences, and measured values,
    # shape (n,): of ln y for positive properties
    errors: Array
    quantile: float  # the half width of 90 % prediction intervals, on the scale of `errors`
    folds: int  # the number of folds
    exact: bool = False  # whether it fits all measured values exactly

    @property
    def link(self) -> Link:
        """The link of the model: `log` for a product of factors."""
        return "log" if self.form == "product" else "identity"

    @cached_property
    def terms(self) -> tuple[tuple[Term, float], ...]:
        """The terms with their influences: numbers of groups as sums of their members, equal terms merged."""
        totals: dict[Term, float] = {}
        for selected in self.selected:
            for term, weight in selected.expansion:
                totals[term] = totals.get(term, 0.0) + weight * selected.influence
        return tuple(totals.items())

    @cached_property
    def cross_validated(self) -> CrossValidated:
        """The relative errors of held-out rows, in percent; of positive properties."""
        return CrossValidated.of(self.errors)

    def model(self, order: Sequence[str] = ()) -> InfluenceModel:
        """Return the performance-influence model."""
        return InfluenceModel.from_terms(self.terms, order, self.link, self.derived)

    def columns(self, configurations: Configurations) -> Array:
        """Return the values of the selected terms, shape (n, selected)."""
        parts = [InfluenceModel.from_terms(term.expansion, derived=self.derived) for term in self.selected]
        return np.column_stack([np.zeros((len(configurations), 0)), *(part.predict(configurations) for part in parts)])


def printed_model(
    target: Target, variables: Sequence[Variable], settings: SparseSettings, space: Configurations | None = None
) -> SparseModel:
    """Return a short model that follows the full one."""
    rows = ModelRows(target)
    is_positive = _positive_over(rows, space)
    choice = chosen_form(
        rows,
        variables,
        is_positive,
        form=settings.form,
        order=settings.order,
        functions=settings.functions,
        readable=settings.readable,
        terms=settings.terms,
        complete=settings.complete,
    )
    # If the number of terms is given, the nearest model is chosen.
    model = ProjectedModel.of(choice, is_positive, consensus=settings.terms is None)
    search, contender = model.search, choice.contender
    scales = _scales(model)
    selected, derived = _selected(model, scales)
    return SparseModel(
        form="product" if search.product else "sum",
        selected=selected,
        derived=derived,
        estimates=_estimates(selected, model.covariance, scales),
        path=_path(contender),
        aliases=aliases_of(search.candidates, model.chosen, rows.learned),
        forms=tuple(
            FormScore(contender.language, len(contender.chosen), 100 * contender.score, 100 * contender.error)
            for contender in choice.forms
        ),
        distance=model.distance,
        errors=contender.differences,
        quantile=half_width(contender.differences, len(variables), independent=target.independent),
        folds=len(target.folds),
        exact=choice.exact is not None,
    )


def _positive_over(rows: ModelRows, space: Configurations | None) -> IsPositive:
    """Return what tells whether all predictions of a model are positive: at all rows and over the valid space.

    Products of factors, and properties that are not positive, have no bound.
    """
    unit_values: dict[tuple[str, int], Array] = {}

    def is_positive(search: LanguageSearch, terms: Sequence[int], coefficients: Array) -> bool:
        if search.product or not rows.target.positive:
            return True
        candidates = search.candidates
        if not (coefficients @ candidates.columns[list(terms)] > 0).all():
            return False
        if space is None:
            return True
        total = np.zeros(len(space))
        for position, influence in zip(terms, coefficients / candidates.scales(terms), strict=True):
            column = np.full(len(space), influence)
            for unit_index in candidates.products[position]:
                if (search.language, unit_index) not in unit_values:
                    unit_values[search.language, unit_index] = candidates.units[unit_index].atom.values(space)
                column = column * unit_values[search.language, unit_index]
            total += column
        return bool((total > 0).all())

    return is_positive


def _path(contender: Contender) -> tuple[PathPoint, ...]:
    """Return the best model of each size of the chosen language."""
    search = contender.search
    points: list[PathPoint] = []
    previous: tuple[int, ...] = ()
    for size, selected in enumerate(search.models[0], 1):
        added = sorted(set(selected) - set(previous), key=search.candidates.name)
        if added:
            same_size = [contender for contender in search.contenders if contender.size == size]
            best = contender if contender in same_size else min(same_size, key=lambda contender: contender.score)
            text = search.candidates.text(added[0])
            model = ProjectedModel.blended(best, best.chosen)
            terms = tuple(PathTerm(term.text, term.influence) for term in _selected(model, _scales(model))[0])
            points.append(PathPoint(len(selected), 100 * best.error, text, 100 * best.distance, terms))
        previous = selected
    return tuple(points)


def _scales(model: ProjectedModel) -> Array:
    """Return what the coefficients of a model are multiplied by to be influences in the unit of the property."""
    scales = 1 / model.search.candidates.scales(model.chosen)
    return scales if model.search.product else scales * model.search.rows.target.unit


def _selected(model: ProjectedModel, scales: Array) -> tuple[tuple[SparseTerm, ...], tuple[Derived, ...]]:
    """Return the terms of a model in the unit of the property, and the subexpressions in them."""
    search, unit = model.search, model.search.rows.target.unit
    candidates = search.candidates
    sparse_terms: list[SparseTerm] = []
    derived: dict[str, Derived] = {}
    influences = dict(zip(model.chosen, (model.coefficients * scales).tolist(), strict=True))
    for position in model.chosen:
        units = [candidates.units[unit_index] for unit_index in candidates.products[position]]
        expansion: Expansion = ((reduce(mul, (unit.atom.term for unit in units), CONSTANT), 1.0),)
        influence = influences[position]
        if search.product and not units:
            influence += float(np.log(unit))
        names = tuple(unit_of_term.variable for unit_of_term in units)
        is_free = bool(candidates.free[position])
        sparse_terms.append(
            SparseTerm(candidates.text(position), influence, names, expansion, is_free, model.support(position))
        )
        derived |= {
            derived_part.name: derived_part for unit_of_term in units for derived_part in unit_of_term.atom.derived
        }
    return tuple(sparse_terms), tuple(derived[name] for name in sorted(derived))


def _estimates(selected: Sequence[SparseTerm], covariance: Array, scales: Array) -> tuple[InfluenceEstimate, ...]:
    """Return the uncertainty of the influences of all terms.

    `covariance`: that of the selected terms' influences over the scales.
    """
    totals: dict[Term, float] = {}
    weights: dict[Term, Array] = {}
    folds: dict[Term, int] = {}
    for term_index, sparse_term in enumerate(selected):
        for term, weight in sparse_term.expansion:
            totals[term] = totals.get(term, 0.0) + weight * sparse_term.influence
            weights.setdefault(term, np.zeros(len(selected)))[term_index] += weight * scales[term_index]
            folds[term] = max(folds.get(term, 0), sparse_term.folds)
    estimates = []
    for term, influence in totals.items():
        # The squares of very large or small influences are not floating-point numbers.
        size = float(np.abs(weights[term]).max())
        share = weights[term] / size
        error = size * math.sqrt(max(float(share @ covariance @ share), 0.0))
        estimates.append(InfluenceEstimate.of(term, influence, error, folds=folds[term]))
    return tuple(estimates)
