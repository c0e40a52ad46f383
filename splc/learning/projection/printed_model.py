"""The printed model: few readable terms that follow the full model (docs/decisions/0010-printed-model.md).

In: the target, the variables and settings (`printed_model`). Out: a `PrintedModel`: the terms with their influences and
their uncertainty in the unit of the property, the models of other sizes, and terms that the learning set does not
distinguish from them (`aliases_of`). Files without a full model have the `PrintedIntervals`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any, ClassVar, Literal, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.folds import CrossValidated
from splc.learning.projection import constants
from splc.learning.projection.basis import Variable
from splc.learning.projection.choice import IsPositive, chosen_form, with_agreed_terms
from splc.learning.projection.columns import CONSTANT_PLACE, LEFT_AROUND, Candidates
from splc.learning.projection.constants import ProjectionSettings
from splc.learning.projection.scales import Scale, half_width
from splc.learning.projection.submodels import Submodel, Target
from splc.learning.result import FormScore, InfluenceEstimate, PathPoint, PathTerm
from splc.models.influence import BLOCK, InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import CONSTANT, Term
from splc.types import Array, Link

# Rows with so little of their squared norm around the mean are constant.
_CONSTANT = 1e-14
# Aliases that are reported for a term.
MOST = 3


@dataclass(frozen=True)
class PrintedTerm:
    """A term as it was selected: a product of units."""

    term: Term  # the term
    text: str  # the term as text; the number of a group has the stem of its members as name: `3 * ref`
    influence: float  # its influence
    folds: int  # in how many folds the fold's own model has a term of the same variables
    standard_error: float = math.nan  # the standard error of its influence


@dataclass(frozen=True)
class PrintedModel:
    """A printed model."""

    form: Literal["sum", "product"]  # whether it is a sum of terms or a product of factors
    selected: tuple[PrintedTerm, ...]  # the terms, in canonical order
    derived: tuple[Derived, ...]  # subexpressions in the terms
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

    @property
    def terms(self) -> tuple[tuple[Term, float], ...]:
        """The terms with their influences."""
        return tuple((selected.term, selected.influence) for selected in self.selected)

    @property
    def estimates(self) -> tuple[InfluenceEstimate, ...]:
        """The uncertainty of the influence of every term."""
        return tuple(
            InfluenceEstimate.of(each.term, each.influence, each.standard_error, folds=each.folds)
            for each in self.selected
        )

    @property
    def cross_validated(self) -> CrossValidated:
        """The relative errors of held-out rows, in percent; of positive properties."""
        return CrossValidated.of(self.errors)

    def model(self, order: Sequence[str] = ()) -> InfluenceModel:
        """Return the performance-influence model."""
        return InfluenceModel.from_terms(self.terms, order, self.link, self.derived)


@dataclass(frozen=True, eq=False)
class PrintedIntervals:
    """Intervals with the prediction as their centre: of positive properties its multiples by a factor."""

    kind: ClassVar[str] = "printed"
    level: ClassVar[float] = constants.LEVEL

    model: InfluenceModel  # the printed model
    scale: Scale  # the scale of the full model, for the divisor of properties that are not positive
    quantile: float  # the half width: of ln y for positive properties, otherwise over the divisor

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property."""
        predicted = self.model.predict(configurations)
        if self.scale.positive:
            factor = float(np.exp(min(self.quantile, 600.0)))
            ends = predicted / factor, predicted * factor
        else:
            half_interval = self.quantile * self.scale.divisor(predicted / self.scale.unit) * self.scale.unit
            ends = predicted - half_interval, predicted + half_interval
        # Sums may be negative far from what was measured.
        return np.minimum(*ends), np.maximum(*ends)

    def as_json(self) -> dict[str, Any]:
        """Return all but the model, in JSON's types."""
        return {"kind": self.kind, "level": self.level, "scale": self.scale.as_json(), "quantile": self.quantile}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], model: InfluenceModel) -> Self:
        """Return the intervals of `as_json`."""
        return cls(model, Scale(**content["scale"]), float(content["quantile"]))


def printed_model(
    target: Target,
    variables: Sequence[Variable],
    settings: ProjectionSettings,
    space: Configurations | None = None,
    complete: bool = False,
) -> PrintedModel:
    """Return a short model that follows the full one; `complete`: whether all valid configurations were measured."""
    is_positive = _positive_over(space)
    forms, exact = chosen_form(target, variables, settings, is_positive, complete)
    best = forms[0]
    search = best.search
    model = exact or best.of_terms(sorted(best.chosen, key=search.candidates.name))
    # With few rows the support by folds is unreliable; if the number of terms is given, the nearest model is chosen.
    if exact is None and settings.terms is None and not target.few:
        model = with_agreed_terms(model, is_positive)
    units = {unit for position in model.chosen for unit in search.candidates.products[position]}
    derived = {part.name: part for unit in units for part in search.candidates.units[unit].atom.derived}
    return PrintedModel(
        form="product" if search.product else "sum",
        selected=_selected(model, np.sqrt(np.maximum(np.diag(model.covariance), 0.0))),
        derived=tuple(derived[name] for name in sorted(derived)),
        path=_path(best),
        aliases=aliases_of(search.candidates, model.chosen, target.learned),
        forms=tuple(
            FormScore(each.search.language, len(each.chosen), 100 * each.score, 100 * each.error) for each in forms
        ),
        distance=model.distance,
        errors=best.differences,
        quantile=half_width(best.differences, len(variables), independent=target.independent),
        folds=len(target.folds),
        exact=exact is not None,
    )


def _positive_over(space: Configurations | None) -> IsPositive:
    """Return what tells whether a sum's predictions of a positive property are positive, at all rows and valid ones."""
    unit_values: dict[tuple[str, int], Array] = {}

    def is_positive(model: Submodel) -> bool:
        search, candidates = model.search, model.search.candidates
        if search.product or not search.target.positive:
            return True
        if not model.positive or space is None:
            return model.positive
        total = np.zeros(len(space))
        influences = model.coefficients / candidates.scales(model.chosen)
        for position, influence in zip(model.chosen, influences, strict=True):
            column = np.full(len(space), influence)
            for unit_index in candidates.products[position]:
                if (search.language, unit_index) not in unit_values:
                    unit_values[search.language, unit_index] = candidates.units[unit_index].atom.values(space)
                column = column * unit_values[search.language, unit_index]
            total += column
        return bool((total > 0).all())

    return is_positive


def _path(chosen: Submodel) -> tuple[PathPoint, ...]:
    """Return the best model of each size of the chosen language."""
    search = chosen.search
    points: list[PathPoint] = []
    previous: tuple[int, ...] = ()
    for size, selected in enumerate(search.models[0], 1):
        added = sorted(set(selected) - set(previous), key=search.candidates.name)
        if added:
            same_size = [each for each in search.submodels if each.size == size]
            best = chosen if chosen in same_size else min(same_size, key=lambda each: each.score)
            terms = _selected(best.of_terms(best.chosen))
            formula = tuple(PathTerm(term.text, term.influence) for term in terms)
            text = search.candidates.text(added[0])
            points.append(PathPoint(len(selected), 100 * best.error, text, 100 * best.distance, formula))
        previous = selected
    return tuple(points)


def _selected(model: Submodel, errors: Array | None = None) -> tuple[PrintedTerm, ...]:
    """Return the terms of a model in the unit of the property; `errors`: the standard errors of its coefficients."""
    search, candidates, unit = model.search, model.search.candidates, model.search.target.unit
    scales = 1 / candidates.scales(model.chosen) * (1.0 if search.product else unit)
    influences = model.coefficients * scales
    if search.product:
        influences[[not candidates.products[position] for position in model.chosen]] += np.log(unit)
    errors = np.full(len(scales), math.nan) if errors is None else errors * np.abs(scales)
    support, terms = search.supports(model.size), list[PrintedTerm]()
    for position, influence, error in zip(model.chosen, influences.tolist(), errors.tolist(), strict=True):
        factors = (candidates.units[unit].atom.term for unit in candidates.products[position])
        term, folds = reduce(mul, factors, CONSTANT), support[candidates.variables(position)]
        terms.append(PrintedTerm(term, candidates.text(position), influence, folds, error))
    return tuple(terms)


def aliases_of(candidates: Candidates, chosen: Sequence[int], learned: int) -> tuple[tuple[str, str], ...]:
    """Return pairs of texts: a term, and another one that is a linear function of it, but on the learning set only.

    At most `MOST` are returned for each term, of the fewest factors. A pair of printed terms is named once.
    """
    terms = sorted((candidate for candidate in chosen if candidate != CONSTANT_PLACE), key=candidates.name)
    if not terms or learned == 0:
        return ()
    # Only candidates with at most as many factors as the printed terms are aliases.
    simple = np.flatnonzero(candidates.factors <= candidates.factors[terms].max())
    blocks = (simple[start : start + BLOCK] for start in range(0, len(simple), BLOCK))
    alike = np.vstack([_correlations(candidates, block, terms, slice(learned)) for block in blocks]) >= 1 - LEFT_AROUND
    pairs: list[tuple[str, str]] = []
    for at, term in enumerate(terms):
        found = simple[alike[:, at] & (candidates.factors[simple] <= candidates.factors[term])]
        others = found[~np.isin(found, [CONSTANT_PLACE, *terms[at:]])]
        others = others[_correlations(candidates, others, [term])[:, 0] < 1 - LEFT_AROUND]
        ranked = sorted(others.tolist(), key=lambda other: (candidates.factors[other], candidates.name(other)))
        pairs += [(candidates.text(term), candidates.text(other)) for other in ranked[:MOST]]
    return tuple(pairs)


def _correlations(candidates: Candidates, first: Array, second: Sequence[int], rows: slice = slice(None)) -> Array:
    """Return the squared correlations of two sets of candidates at some rows, shape (first, second); 0 of constants."""
    standardised = []
    for columns in (candidates.columns[list(at), rows] / candidates.weights[rows] for at in (first, second)):
        centred = columns - columns.mean(axis=1, keepdims=True)
        norms = np.linalg.norm(centred, axis=1, keepdims=True)
        varies = norms > math.sqrt(_CONSTANT) * np.linalg.norm(columns, axis=1, keepdims=True)
        standardised.append(np.divide(centred, norms, out=np.zeros_like(centred), where=varies))
    return np.asarray((standardised[0] @ standardised[1].T) ** 2)
