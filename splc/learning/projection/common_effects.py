"""Common effects: one term instead of a term for every member of an alternative group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from splc.learning.projection.candidates import Product
from splc.learning.projection.constants import SETTLED
from splc.learning.projection.exact import EXACT
from splc.learning.projection.size import READABLE_LOSS, ProjectedModel, error_of
from splc.learning.projection.subset import Subset, fitted
from splc.learning.projection.uncertainty import covariance_of, estimate
from splc.learning.projection.units import Unit
from splc.learning.projection.variables import Variable
from splc.models.terms import CONSTANT

# Differences below this share of the common influence, and errors below EXACT, are rounding.
ROUNDING = 1e-6


def with_common_effects(projection: ProjectedModel, variables: Sequence[Variable]) -> ProjectedModel:
    """Return a projection without differences between the members of a group that the data do not support.

    A product that was selected with every member of an alternative group has an effect that is common to all members.
    The influence of each member is this effect plus a difference. Differences whose sign is not settled are left out,
    as long as the error outside of the folds is one that a readable model may have.

    Args:
        projection: the projection.
        variables: the variables that its terms are made of.
    """
    for members in _groups(projection.model.goal.candidates.units, variables):
        for rest in _shared(projection.model, members):
            model = _with_common_effect(projection, [_product(rest, member) for member in members], rest)
            if model is not None:
                error = error_of(projection.rows, model, projection.product)
                projection = replace(projection, model=model, error=error)
    return projection


def _groups(units: Sequence[Unit], variables: Sequence[Variable]) -> Iterator[list[int]]:
    """Yield the positions of the members of each group of which every configuration has one."""
    for variable in variables:
        places = [place for place, unit in enumerate(units) if unit.member and unit.variable == variable.name]
        if places and not variable.optional and len(places) == len(variable.members):
            yield places


def _product(rest: Product, member: int) -> Product:
    return tuple(sorted((*rest, member)))


def _shared(model: Subset, members: Sequence[int]) -> list[Product]:
    """Return the products that were selected with every member."""
    chosen = {model.goal.candidates.products[position] for position in model.chosen}
    rests = {tuple(unit for unit in product if unit != members[0]) for product in chosen if members[0] in product}
    return sorted(rest for rest in rests if all(_product(rest, member) in chosen for member in members))


def _with_common_effect(projection: ProjectedModel, products: Sequence[Product], rest: Product) -> Subset | None:
    """Return a model with a common effect instead of products with all members; None if all differences remain.

    Args:
        projection: the projection.
        products: the product with every member.
        rest: the product without a member.
    """
    model, candidates = projection.model, projection.model.goal.candidates
    common = candidates.with_free_sign(rest)
    if common is None or common in model.chosen:
        return None
    places = [position for position in model.chosen if candidates.products[position] in products]
    influences = candidates.influences(model.chosen, model.coefficients)
    by_influence = sorted(places, key=lambda place: (influences[model.chosen.index(place)], candidates.name(place)))
    # The median has the smallest differences to the others.
    typical = by_influence[len(by_influence) // 2]
    trial = fitted(model.goal, [common if each == typical else each for each in model.chosen])
    limit = max(READABLE_LOSS * projection.reference, projection.error, EXACT)
    found = None
    while (place := _unsupported(projection, trial, common, places)) is not None:
        trial = trial.without(place)
        if common not in trial.chosen or error_of(projection.rows, trial, projection.product) > limit:
            break
        found = trial
    return found


def _unsupported(projection: ProjectedModel, model: Subset, common: int, places: Sequence[int]) -> int | None:
    """Return the difference whose sign is least settled; None if all are settled."""
    deviations = np.sqrt(np.maximum(np.diag(covariance_of(projection, model)), 0.0))
    scales = model.goal.candidates.influences(model.chosen, np.ones(len(model.chosen)))
    influences, deviations = scales * model.coefficients, scales * deviations
    smallest = ROUNDING * abs(float(influences[model.chosen.index(common)]))
    found: list[tuple[float, int]] = []
    for place in places:
        if place in model.chosen:
            at = model.chosen.index(place)
            difference = float(influences[at])
            sign = estimate(CONSTANT, difference, float(deviations[at])).sign_probability
            found.append((0.5 if abs(difference) <= smallest else sign, place))
    return min((each for each in found if each[0] < SETTLED), default=(0.0, None))[1]
