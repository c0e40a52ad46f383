"""The choice among models of all languages, sizes and blends (docs/decisions/0010-printed-model.md).

In: the target, the variables, and settings. Languages are searched one after the other (`chosen_form`). A model that
fits all measured values exactly is taken first (`exact_model`), otherwise the shortest of those with nearly the
smallest score (`chosen_among`), with terms that most folds agree on (`with_agreed_terms`): near the full model there
are many models of about the same error, and which of them is the nearest one depends on the sample; sets of options
that the models of many folds have are more often those of another sample, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from splc.learning.projection.basis import Variable
from splc.learning.projection.columns import CONSTANT_PLACE, Language
from splc.learning.projection.constants import Form, ProjectionSettings
from splc.learning.projection.submodels import (
    FURTHER_STEPS,
    PROJECTION,
    LanguageSearch,
    Submodel,
    Target,
    language_search,
)
from splc.learning.projection.term_search import forward, models_of_sizes
from splc.types import Array

LANGUAGES: dict[Form, tuple[Language, ...]] = {
    "auto": ("sum", "shapes", "product"),
    "sum": ("sum", "shapes"),
    "product": ("product",),
}
# A printed model has at most so many terms; fewer with few rows. (With 3 rows per term, and 3 terms at least, that of 9
# to 27 rows has 1.075 times the error of the full one; with these limits 1.002, over 57 samples of 11 systems.)
MAX_TERMS, MIN_TERMS, ROWS_PER_TERM, READABLE_TERMS = 20, 6, 2, 10
# The largest number of terms that is searched, even if more are requested.
LONGEST = 120
# Other languages are not searched if a sum of costs is near the full model, in units of its error, and this short: a
# few thresholds may replace several costs.
NEAR, SHORT, SHORT_WITH_THRESHOLDS = 0.5, 15, 8
# Relative differences up to this are rounding of the measured values.
EXACT = 1e-6
# Terms whose largest contribution is below this share are 0.
NOTHING = 1e-5
# A model that fits this number of configurations per term exactly does so by chance only if it is true.
ROWS_PER_EXACT_TERM = 2
# Scores up to this multiple of the best one are admitted, and the shortest model is taken. (With 1.02, 36 samples of
# real systems have 12.6 instead of 11.1 terms and 0.7 % less error, 28 known ones 9 instead of 8 and 4 % more error.)
ADMITTED, READABLE_ADMITTED = 1.05, 1.10
# Free signs and factors are worth this number of terms: the shares of a sum of costs can be read.
FURTHER_TERMS = 2
# Influences that are not projected must be better by this factor.
BLEND_GAIN = 0.98
# A sum of costs is preferred up to this multiple of the best score, unless its errors are larger by more than so many
# standard errors: its influences are costs, and its shares can be read. (1.1 and 1 in the reference. On 54 samples of
# shared and known systems these limits give a sum of costs in 40 instead of 34, for 1 to 2 % more error.)
PREFERRED, STANDARD_ERRORS = 1.2, 2.0
# Nor with more than so many times as many terms: a sum of many costs that imitates a threshold cannot be read either.
LONGER = 1.5
# For terms that most folds agree on the expected error may rise by this factor, up to this multiple of the full
# model's. (On 10 samples of each of 28 shared systems and numbers of rows, the common large sets of two samples are
# 0.53 of all sets without consensus, 0.58 with 1.05 and 0.59 with 1.1, and printed / full error is 1.09, 1.10 and 1.11.
# With fewer than 30 rows the error rises by 5 to 8 % and the sets are no more alike.)
RISE, FARTHEST = 1.1, 1.2
# Among models of the same agreement, the shortest one is printed whose expected error is within this factor of the
# largest one's. (With 1.02, 0.4 terms fewer; with 1.05, 1.3, but for 3 % more error on some systems.)
SHORTER = 1.02
# The least share of the folds that must have a set of options.
MIN_SHARE = 3 / 8
_SAME = 1e-9


# Returns whether all predictions of a model over the valid space are positive.
IsPositive = Callable[[Submodel], bool]


def chosen_form(
    target: Target,
    variables: Sequence[Variable],
    settings: ProjectionSettings,
    is_positive: IsPositive,
    complete: bool = False,
) -> tuple[tuple[Submodel, ...], Submodel | None]:
    """Return the best model of each language, the chosen one first, and the exact model where one is chosen."""
    terms = settings.terms
    # Without numeric options sums have free signs anyway.
    numeric = any(variable.kind == "numeric" for variable in variables)
    languages: Sequence[Language] = [each for each in LANGUAGES[settings.form] if numeric or each != "shapes"]
    languages = languages if target.positive else ("shapes",)
    max_terms = most_terms(target.learned, terms, settings.readable)
    short = SHORT_WITH_THRESHOLDS if "shapes" in languages else SHORT
    searches: list[LanguageSearch] = []
    for language in languages:
        searches.append(language_search(target, variables, language, max_terms, settings))
        is_only = settings.form == "auto" and language == "sum"
        if is_only and is_enough(searches[0].submodels, short, is_positive):
            break
    rows_per_term = 1 if complete else ROWS_PER_EXACT_TERM
    exact = [model for search in searches if (model := exact_model(search, rows_per_term)) is not None]
    admitted = 1.0 if terms is not None else READABLE_ADMITTED if settings.readable else ADMITTED
    return chosen_among([search.submodels for search in searches], exact, admitted, is_positive)


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
    short_models = [model for model in models if rows_per_term * len(model) <= len(values)]
    union = sorted({position for model in short_models for position in model})
    columns = candidates.columns[union][:, : target.learned].T
    residual = values - columns @ np.linalg.lstsq(columns, values)[0]
    if np.linalg.norm(residual) > limit * np.sqrt(len(values)):
        # All terms together do not fit, so that no model does.
        return None
    for model in short_models:
        # The constant of free terms has the unit of the values.
        stays = np.array([position == CONSTANT_PLACE and bool(candidates.free[position]) for position in model], bool)
        if (found := _exact_fit(columns[:, np.searchsorted(union, model)], values, limit, stays)) is not None:
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
    """Return what `chosen_form` does for the models of each language, and those that fit exactly."""
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
