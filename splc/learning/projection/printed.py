"""The printed model: few readable terms that follow the full model (reference/default-learner.md, section 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.aliases import aliases_of
from splc.learning.projection.common_effects import with_common_effects
from splc.learning.projection.form import Form, chosen_form
from splc.learning.projection.path import path_points
from splc.learning.projection.rows import Rows
from splc.learning.projection.size import ProjectedModel, held_out, shortened
from splc.learning.projection.subset import Subset
from splc.learning.projection.target import Target
from splc.learning.projection.uncertainty import covariance_of, estimate
from splc.learning.projection.units import Unit
from splc.learning.projection.variables import Variable
from splc.learning.result import InfluenceEstimate, PathPoint
from splc.models.influence import InfluenceModel, Link
from splc.models.subexpressions import Derived
from splc.models.terms import CONSTANT, Term
from splc.types import Array

Expansion = tuple[tuple[Term, float], ...]


@dataclass(frozen=True)
class PrintSettings:
    """The settings of the printed model.

    Attributes:
        terms: the largest number of summands, the constant included; None: chosen by the error.
        readable: whether fewer terms are worth a slightly larger error.
        form: a sum, a product of factors, or what follows the full model better.
        order: the largest number of variables in a term; None: 5, or 6 with as many numeric options.
    """

    terms: int | None = None
    readable: bool = False
    form: Form = "auto"
    order: int | None = None


@dataclass(frozen=True)
class PrintedTerm:
    """A term as it was selected: a product of units.

    Attributes:
        text: the term as text; the number of a group has the stem of its members as name: `3 * ref`.
        influence: its influence.
        variables: the names of its variables.
        expansion: the terms that it is the sum of, with their weights.
        free: whether its influence may be negative.
    """

    text: str
    influence: float
    variables: tuple[str, ...]
    expansion: Expansion
    free: bool


@dataclass(frozen=True)
class Printed:
    """A printed model.

    Attributes:
        form: whether it is a sum of terms or a product of factors.
        selected: the terms as they were selected, in canonical order.
        derived: subexpressions in the terms.
        estimates: the uncertainty of the influence of every term of the model, in the order of `terms`.
        path: models from one summand to many.
        aliases: for some terms, texts of other terms that the learning set does not distinguish from them: pairs
            (term, other).
        reason: why it is a product, if that was chosen; otherwise empty.
        kappa: the share of the full model's expected error that it may be away from it.
        tolerance: the distance to the full model, a root mean square of relative differences, that this allows.
        distance: its distance to the full model.
        floor: the distance at the end of the path.
        errors: the differences of predictions at held-out rows, with the influences of the fold models, and measured
            values, shape (n,): of ln y for positive properties.
    """

    form: Literal["sum", "product"]
    selected: tuple[PrintedTerm, ...]
    derived: tuple[Derived, ...]
    estimates: tuple[InfluenceEstimate, ...]
    path: tuple[PathPoint, ...]
    aliases: tuple[tuple[str, str], ...]
    reason: str
    kappa: float
    tolerance: float
    distance: float
    floor: float
    errors: Array

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

    def model(self, order: Sequence[str] = ()) -> InfluenceModel:
        """Return the performance-influence model.

        Args:
            order: the order of the names in terms.
        """
        return InfluenceModel.from_terms(self.terms, order, self.link, self.derived)

    def columns(self, configurations: Configurations) -> Array:
        """Return the values of the selected terms, shape (n, selected)."""
        parts = [InfluenceModel.from_terms(each.expansion, derived=self.derived) for each in self.selected]
        return np.column_stack([np.zeros((len(configurations), 0)), *(part.predict(configurations) for part in parts)])


def printed_model(target: Target, variables: Sequence[Variable], settings: PrintSettings) -> Printed:
    """Return a short model that follows the full one.

    Args:
        target: the predictions of the full model.
        variables: the variables that terms are made of.
        settings: the settings.
    """
    rows = Rows(target)
    choice = chosen_form(rows, variables, form=settings.form, order=settings.order, readable=settings.readable)
    projection = with_common_effects(choice.projection, variables) if settings.readable else choice.projection
    model = projection.model if settings.terms is None else shortened(projection, max(settings.terms, 1))
    selected, derived = _selected(projection, model)
    scales = model.goal.candidates.influences(model.chosen, np.ones(len(model.chosen)))
    if not projection.product:
        scales = scales * target.unit
    return Printed(
        form="product" if projection.product else "sum",
        selected=selected,
        derived=derived,
        estimates=_estimates(selected, covariance_of(projection, model), scales),
        path=path_points(projection, model),
        aliases=aliases_of(projection, model),
        reason=choice.reason,
        kappa=projection.kappa,
        tolerance=projection.tolerance,
        distance=model.rms,
        floor=projection.floor,
        errors=rows.differences(held_out(rows, model, projection.product)),
    )


def _selected(projection: ProjectedModel, model: Subset) -> tuple[tuple[PrintedTerm, ...], tuple[Derived, ...]]:
    """Return the terms of a model in the unit of the property, and the subexpressions in them."""
    candidates, unit = model.goal.candidates, projection.rows.target.unit
    influences = candidates.influences(model.chosen, model.coefficients)
    found: list[PrintedTerm] = []
    derived: dict[str, Derived] = {}
    for position, influence in zip(model.chosen, influences.tolist(), strict=True):
        units = [candidates.units[place] for place in candidates.products[position]]
        start: Expansion = ((CONSTANT, 1.0),)
        expansion = reduce(_times, units, start)
        if not projection.product:
            influence *= unit
        elif not units:
            influence += float(np.log(unit))
        names = tuple(each.variable for each in units)
        found.append(
            PrintedTerm(candidates.text(position), influence, names, expansion, bool(candidates.free[position]))
        )
        derived |= {each.name: each for one in units for each in one.derived}
    return tuple(found), tuple(derived[name] for name in sorted(derived))


def _times(expansion: Expansion, unit: Unit) -> Expansion:
    """Return a sum of terms multiplied by a unit."""
    return tuple((term * factor, weight * own) for term, weight in expansion for factor, own in unit.expansion)


def _estimates(selected: Sequence[PrintedTerm], covariance: Array, scales: Array) -> tuple[InfluenceEstimate, ...]:
    """Return the uncertainty of the influences of all terms.

    `covariance`: that of the selected terms' influences over the scales.
    """
    totals: dict[Term, float] = {}
    weights: dict[Term, Array] = {}
    for place, each in enumerate(selected):
        for term, weight in each.expansion:
            totals[term] = totals.get(term, 0.0) + weight * each.influence
            weights.setdefault(term, np.zeros(len(selected)))[place] += weight * scales[place]
    found = []
    for term, influence in totals.items():
        # The squares of very large or small influences are not floating-point numbers.
        size = float(np.abs(weights[term]).max())
        share = weights[term] / size
        error = size * math.sqrt(max(float(share @ covariance @ share), 0.0))
        found.append(estimate(term, influence, error))
    return tuple(found)
