"""The printed model: few readable terms that follow the full model (docs/decisions/0010-printed-model.md).

In: the target, the variables and settings (`printed_model`). Languages are searched one after the other. A model that
fits all measured values exactly is taken first (`exact_model`), otherwise the shortest of those with nearly the
smallest score (`chosen_among`), with terms that most folds agree on (`with_agreed_terms`): many models are about as
near to the full one, and which of them is the nearest depends on the sample. Out: a `PrintedModel`: the terms with
their influences and their uncertainty in the unit of the property, the models of other sizes, and terms that the
learning set does not distinguish from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import mul

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.folds import CrossValidated
from splc.learning.learner import predictions
from splc.learning.projection.basis import Variable
from splc.learning.projection.columns import CONSTANT_PLACE, Language, aliases_of
from splc.learning.projection.constants import Form, ProjectionSettings
from splc.learning.projection.scales import half_width
from splc.learning.projection.submodels import PROJECTION, LanguageSearch, Submodel, Target, language_search
from splc.learning.projection.term_search import FURTHER_STEPS, forward, models_of_sizes
from splc.learning.result import FormScore, InfluenceEstimate, PathPoint, PathTerm
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT
from splc.types import Array, Link

LANGUAGES: dict[Form, tuple[Language, ...]] = {
    "auto": ("sum", "shapes", "product"),
    "sum": ("sum", "shapes"),
    "product": ("product",),
}
# A printed model has at most so many terms; fewer with few rows.
MAX_TERMS, MIN_TERMS, ROWS_PER_TERM, READABLE_TERMS = 20, 6, 2, 10
LONGEST = 120  # the largest number of terms that is searched, even if more are requested
# Other languages are not searched if a sum of costs is near the full model, in units of its error, and this short.
NEAR, SHORT, SHORT_WITH_THRESHOLDS = 0.5, 15, 8
EXACT = 1e-6  # relative differences up to this are rounding of the measured values
NOTHING = 1e-5  # terms whose largest contribution is below this share are 0
ROWS_PER_EXACT_TERM = 2  # a model that fits so many configurations per term exactly is true, but for chance
# Scores up to this multiple of the best one are admitted, and the shortest model is taken.
ADMITTED, READABLE_ADMITTED = 1.05, 1.10
FURTHER_TERMS = 2  # free signs and factors are worth this number of terms: the shares of a sum of costs can be read
BLEND_GAIN = 0.98  # influences that are not projected must be better by this factor
# A sum of costs is preferred up to this multiple of the best score, unless its errors are larger by more than so many
# standard errors: its influences are costs, and its shares can be read.
PREFERRED, STANDARD_ERRORS = 1.2, 2.0
# Nor with more than so many times as many terms: a sum of many costs that imitates a threshold cannot be read either.
LONGER = 1.5
# For terms that most folds agree on the error may rise by this factor, up to this multiple of the full model's.
RISE, FARTHEST = 1.1, 1.2
SHORTER = 1.02  # of models with the same agreement, the shortest whose expected error is within this factor
# The least share of the folds that must have a set of options.
MIN_SHARE = 3 / 8
_SAME = 1e-9


@dataclass(frozen=True)
class PrintedModel:
    """A printed model."""

    model: InfluenceModel  # the performance-influence model: a sum of terms, or a product of factors (link `log`)
    selected: tuple[InfluenceEstimate, ...]  # its terms, in canonical order
    path: tuple[PathPoint, ...]  # models from one term to many
    aliases: tuple[tuple[str, str], ...]  # (term, other term that the learning set does not distinguish from it)
    forms: tuple[FormScore, ...]  # the best model of each form, the printed one first
    distance: float  # its mean distance to the full model at unmeasured configurations, over the divisor
    errors: Array  # predictions of held-out rows by the fold's terms minus measured values, (n,); of ln y if positive
    quantile: float  # the half width of 90 % prediction intervals, on the scale of `errors`
    folds: int  # the number of folds
    exact: bool = False  # whether it fits all measured values exactly

    @property
    def cross_validated(self) -> CrossValidated:
        """The relative errors of held-out rows, in percent; of positive properties."""
        return CrossValidated.of(self.errors)


def printed_model(
    target: Target,
    variables: Sequence[Variable],
    settings: ProjectionSettings,
    space: Configurations | None = None,
    complete: bool = False,
) -> PrintedModel:
    """Return a short model that follows the full one; `complete`: whether all valid configurations were measured."""
    is_positive = partial(_positive_over, space)
    # Without numeric options sums have free signs anyway.
    numeric = any(variable.kind == "numeric" for variable in variables)
    languages: Sequence[Language] = [each for each in LANGUAGES[settings.form] if numeric or each != "shapes"]
    languages = languages if target.positive else ("shapes",)
    max_terms = most_terms(target.learned, settings.terms, settings.readable)
    short = SHORT_WITH_THRESHOLDS if "shapes" in languages else SHORT
    searches: list[LanguageSearch] = []
    for language in languages:
        searches.append(language_search(target, variables, language, max_terms, settings))
        is_only = settings.form == "auto" and language == "sum"
        if is_only and is_enough(searches[0].submodels, short, is_positive):
            break
    rows_per_term = 1 if complete else ROWS_PER_EXACT_TERM
    fitting = [model for search in searches if (model := exact_model(search, rows_per_term)) is not None]
    admitted = 1.0 if settings.terms is not None else READABLE_ADMITTED if settings.readable else ADMITTED
    forms, exact = chosen_among([search.submodels for search in searches], fitting, admitted, is_positive)
    best, search = forms[0], forms[0].search
    model = exact or best.of_terms(sorted(best.chosen, key=search.candidates.name))
    # With few rows the support by folds is unreliable; if the number of terms is given, the nearest model is chosen.
    if exact is None and settings.terms is None and not target.few:
        model = with_agreed_terms(model, is_positive)
    return PrintedModel(
        model=_model_of(model),
        selected=_selected(model, np.sqrt(np.maximum(np.diag(model.covariance), 0.0))),
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


def _positive_over(space: Configurations | None, model: Submodel) -> bool:
    """Return whether a sum's predictions of a positive property are positive, at all rows and valid configurations."""
    if model.search.product or not model.search.target.positive:
        return True
    if not model.positive or space is None:
        return model.positive
    return bool((predictions(_model_of(model), space) > 0).all())


def _model_of(model: Submodel) -> InfluenceModel:
    """Return the performance-influence model, in the unit of the property."""
    candidates = model.search.candidates
    link: Link = "log" if model.search.product else "identity"
    units = {unit for position in model.chosen for unit in candidates.products[position]}
    derived = {part.name: part for unit in units for part in candidates.units[unit].atom.derived}
    terms = ((each.term, each.influence) for each in _selected(model))
    return InfluenceModel.from_terms(terms, (), link, (derived[name] for name in sorted(derived)))


# Returns whether all predictions of a model over the valid space are positive.
IsPositive = Callable[[Submodel], bool]


def most_terms(rows: int, terms: int | None, readable: bool) -> int:
    """Return the largest number of terms of a printed model."""
    if terms is not None:
        return min(terms, LONGEST)
    max_terms = READABLE_TERMS if readable else MAX_TERMS
    return max(min(MIN_TERMS, rows), min(max_terms, rows // ROWS_PER_TERM))


def exact_model(search: LanguageSearch, rows_per_term: int = ROWS_PER_EXACT_TERM) -> Submodel | None:
    """Return the shortest model of a language that fits all measured values exactly, None if there is none.

    It is closer to the truth than one that follows the full model, which is smooth.
    """
    target, candidates = search.target, search.candidates
    factors = target.factors(search.product)[: target.learned]
    values = factors * (np.log(target.measured) if search.product else target.measured)
    limit = EXACT * float(target.roots.max())
    models = (sorted(model, key=candidates.name) for model in dict.fromkeys(search.models[0]))
    for model in (model for model in models if rows_per_term * len(model) <= len(values)):
        columns = candidates.columns[model][:, : target.learned].T
        # The constant of free terms has the unit of the values.
        stays = np.array([position == CONSTANT_PLACE and bool(candidates.free[position]) for position in model], bool)
        if (found := _exact_fit(columns, values, limit, stays)) is not None:
            chosen = [model[index] for index in found[0].tolist()]
            if chosen and (candidates.free[chosen] | (found[1] > 0)).all():
                return Submodel(search, len(chosen), PROJECTION, tuple(chosen), found[1])
    return None


def _exact_fit(columns: Array, target: Array, limit: float, stays: Array) -> tuple[Array, Array] | None:
    """Return the columns, shape (n, k), that are needed to fit a target exactly, or stay, and their coefficients."""
    indices = np.arange(columns.shape[1])
    for _ in range(2):
        coefficients, _, rank, _ = np.linalg.lstsq(columns[:, indices], target, rcond=1e-10)
        if rank < len(indices) or abs(columns[:, indices] @ coefficients - target).max(initial=0.0) > limit:
            return None
        contributions = abs(columns[:, indices] * coefficients).max(axis=0, initial=0.0)
        needed = stays[indices] | (contributions > NOTHING * abs(target).max())
        if needed.all():
            break
        indices = indices[needed]
    return indices, coefficients


def chosen_among(
    groups: Sequence[Sequence[Submodel]], exact: Sequence[Submodel], admitted: float, is_positive: IsPositive
) -> tuple[tuple[Submodel, ...], Submodel | None]:
    """Return the best model of each language, the chosen one first, and the exact model where one is chosen.

    `groups`: the models of each language. `exact`: those that fit exactly.
    """
    submodels = [model for group in groups for model in group]
    shortest_exact = min(filter(is_positive, exact), key=lambda model: len(model.chosen), default=None)
    if shortest_exact is not None:
        size = len(shortest_exact.chosen)
        searched = [each for each in submodels if each.search is shortest_exact.search and each.size >= size]
        selected = min(searched, key=lambda model: (model.size, model.score))
        shortest_exact = replace(selected, chosen=shortest_exact.chosen, coefficients=shortest_exact.coefficients)
    else:
        found = _first_positive(submodels, lambda remaining: _preferred(remaining, admitted), is_positive)
        # There are only sums, none of which is positive everywhere.
        selected = _shortest(submodels, admitted) if found is None else found
    others = (
        _first_positive(group, lambda remaining: _shortest(remaining, ADMITTED), is_positive)
        for group in groups
        if not any(model.search is selected.search for model in group)
    )
    return (selected, *(model for model in others if model is not None)), shortest_exact


def is_enough(submodels: Sequence[Submodel], short: int, is_positive: IsPositive) -> bool:
    """Return whether there is a model that other languages would hardly improve: near the full model, and short."""
    best = _shortest(submodels, ADMITTED)
    near = max(NEAR * best.search.target.expected_error, EXACT)
    enough = len(best.chosen) <= short and best.distance <= near
    return enough and is_positive(best)


def _first_positive(
    submodels: Sequence[Submodel], choose: Callable[[Sequence[Submodel]], Submodel], is_positive: IsPositive
) -> Submodel | None:
    """Return the first model by some choice whose predictions are positive, None if there is none."""
    candidates = [model for model in submodels if model.positive]
    while candidates and not is_positive(selected := choose(candidates)):
        candidates = [model for model in candidates if model is not selected]
    return selected if candidates else None


def _shortest(submodels: Sequence[Submodel], admitted: float) -> Submodel:
    """Return the shortest model whose score is admitted, with the best blend."""
    limit = admitted * min(model.score for model in submodels) * (1 + _SAME)
    fine = [model for model in submodels if model.score <= limit]
    fewest = min(map(_length, fine))
    best = _best([model for model in fine if _length(model) == fewest])
    blends = [model for model in submodels if model.search is best.search and model.chosen == best.chosen]
    projected = _best([model for model in blends if model.blend == PROJECTION] or [best])
    fitted = _best([model for model in blends if model.blend != PROJECTION] or [best])
    return fitted if fitted.score < BLEND_GAIN * projected.score else projected


def _length(model: Submodel) -> int:
    """Return the number of terms, with those that free signs and factors are worth."""
    return len(model.chosen) + FURTHER_TERMS * (model.search.language != "sum")


def _best(submodels: Sequence[Submodel]) -> Submodel:
    """Return the first model with the smallest score, up to roundoff."""
    limit = min(model.score for model in submodels) * (1 + _SAME)
    return next(model for model in submodels if model.score <= limit)


def _preferred(submodels: Sequence[Submodel], admitted: float) -> Submodel:
    """Return the shortest admitted model; a sum of costs if it is not clearly worse."""
    shortest = _shortest(submodels, admitted)
    costs = [model for model in submodels if model.search.language == "sum"]
    if shortest.search.language == "sum" or not costs:
        return shortest
    sum_of_costs = _shortest(costs, admitted)
    best = min(model.score for model in submodels)
    if sum_of_costs.score > PREFERRED * best or len(sum_of_costs.chosen) > LONGER * _length(shortest):
        return shortest
    differences: Array = sum_of_costs.errors - shortest.errors
    standard_error = float(differences.std(ddof=1)) / np.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return sum_of_costs if float(differences.mean()) <= STANDARD_ERRORS * standard_error else shortest


def with_agreed_terms(model: Submodel, is_positive: IsPositive) -> Submodel:
    """Return a short model whose terms have more support by folds, if its expected error is hardly larger."""
    name, target = model.search.candidates.name, model.search.target

    def of_terms(terms: tuple[int, ...]) -> Submodel:
        return model.of_terms(sorted(terms, key=name))

    def is_near(submodel: Submodel, limit: float) -> bool:
        return submodel.expected_error <= limit and is_positive(submodel)

    limit = min(RISE * model.expected_error, FARTHEST * target.expected_error)
    for models in agreed_models(model.search, model.size, model.chosen):
        largest = of_terms(models[-1])
        if is_near(largest, limit):
            near_limit = min(limit, SHORTER * largest.expected_error)
            return next(submodel for submodel in map(of_terms, models) if is_near(submodel, near_limit))
    return model


def agreed_models(search: LanguageSearch, size: int, chosen: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield models of terms whose variables are together in a term in all folds, then in one fold less, ….

    They are the closest ones to the full model of every size up to `size`, until all chosen terms have as much support.
    """
    candidates, support = search.candidates, search.supports(size)
    goal = search.target.scaled(search.target.predicted, search.product)
    of_candidate = np.array([support[candidates.variables(position)] for position in range(len(candidates))])
    folds = len(search.models) - 1
    of_candidate[CONSTANT_PLACE] = folds
    min_support = int(of_candidate[list(chosen)].min(initial=folds))
    for support_needed in range(folds, max(min_support, math.ceil(MIN_SHARE * folds) - 1), -1):
        positions = np.flatnonzero(of_candidate >= support_needed)
        [selection] = forward(candidates.only(positions), goal[None], size + FURTHER_STEPS)
        agreed = [tuple(positions[list(model)].tolist()) for model in models_of_sizes(selection, size) if model]
        if agreed:
            yield tuple(agreed)


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


def _selected(model: Submodel, errors: Array | None = None) -> tuple[InfluenceEstimate, ...]:
    """Return the terms of a model in the unit of the property; `errors`: the standard errors of its coefficients."""
    search, candidates, unit = model.search, model.search.candidates, model.search.target.unit
    scales = 1 / candidates.scales(model.chosen) * (1.0 if search.product else unit)
    influences = model.coefficients * scales
    if search.product:
        influences[[not candidates.products[position] for position in model.chosen]] += np.log(unit)
    errors = np.full(len(scales), math.nan) if errors is None else errors * np.abs(scales)
    support, terms = search.supports(model.size), list[InfluenceEstimate]()
    for position, influence, error in zip(model.chosen, influences.tolist(), errors.tolist(), strict=True):
        factors = (candidates.units[unit].atom.term for unit in candidates.products[position])
        term, folds = reduce(mul, factors, CONSTANT), support[candidates.variables(position)]
        terms.append(InfluenceEstimate.of(term, influence, error, folds=folds, text=candidates.text(position)))
    return tuple(terms)
