"""The choice among models of all languages, sizes and blends (docs/decisions/0010-printed-model.md).

In: the target as `ModelRows`, the variables, and settings. Languages are searched one after the other (`chosen_form`).
A model that fits all measured values exactly is taken first (`exact_model`), otherwise the shortest of those with
nearly the smallest score (`chosen_among`). Out: `ProjectedModel`, with terms that most folds agree on: near the full
model there are many models of about the same error, and which of them is the nearest one depends on the sample; sets of
options that the models of many folds have are more often those of another sample, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.learning.projection.columns import CONSTANT_PLACE, Language
from splc.learning.projection.competition import (
    FURTHER_STEPS,
    PROJECTION,
    Contender,
    LanguageSearch,
    ModelRows,
    language_search,
)
from splc.learning.projection.settings import Form, ProjectionSettings
from splc.learning.projection.term_search import forward, models_of_sizes
from splc.learning.projection.variables import Variable
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


@dataclass(frozen=True, eq=False)
class ExactModel:
    """Terms and influences that fit all measured values exactly."""

    search: LanguageSearch  # the models of its language
    chosen: tuple[int, ...]  # the positions of its terms, in canonical order
    coefficients: Array  # the coefficients of their columns, shape (terms,)


@dataclass(frozen=True)
class FormChoice:
    """The chosen model."""

    contender: Contender  # the model
    forms: tuple[Contender, ...]  # the best model of each language, the chosen one first
    exact: ExactModel | None = None  # the terms and influences that fit all measured values exactly, if there are any


def chosen_form(
    rows: ModelRows,
    variables: Sequence[Variable],
    settings: ProjectionSettings,
    is_positive: IsPositive,
    complete: bool = False,
) -> FormChoice:
    """Return the model with the smallest score, or the shortest one that is nearly as good, with positive predictions.

    `complete`: whether all valid configurations were measured.
    """
    terms = settings.terms
    languages = languages_of(settings.form, variables, positive=rows.target.positive)
    max_terms = most_terms(rows.learned, terms, settings.readable)
    short = SHORT_WITH_THRESHOLDS if "shapes" in languages else SHORT
    searches: list[LanguageSearch] = []
    for language in languages:
        searches.append(language_search(rows, variables, language, max_terms, settings))
        is_only = settings.form == "auto" and language == "sum"
        if is_only and is_enough(searches[0].contenders, short, is_positive):
            break
    rows_per_term = 1 if complete else ROWS_PER_EXACT_TERM
    exact = [model for search in searches if (model := exact_model(search, rows_per_term)) is not None]
    admitted = 1.0 if terms is not None else READABLE_ADMITTED if settings.readable else ADMITTED
    return chosen_among([search.contenders for search in searches], exact, admitted, is_positive)


def languages_of(form: Form, variables: Sequence[Variable], *, positive: bool) -> tuple[Language, ...]:
    """Return the languages that are searched."""
    if not positive:
        return ("shapes",)
    # Without numeric options sums have free signs anyway.
    numeric = any(variable.kind == "numeric" for variable in variables)
    return tuple(language for language in LANGUAGES[form] if numeric or language != "shapes")


def most_terms(rows: int, terms: int | None, readable: bool) -> int:
    """Return the largest number of terms of a printed model."""
    if terms is not None:
        return min(terms, LONGEST)
    max_terms = READABLE_TERMS if readable else MAX_TERMS
    return max(min(MIN_TERMS, rows), min(max_terms, rows // ROWS_PER_TERM))


def exact_model(search: LanguageSearch, rows_per_term: int = ROWS_PER_EXACT_TERM) -> ExactModel | None:
    """Return the shortest model of a language that fits all measured values exactly, None if there is none.

    The full model is smooth: it follows measured values without noise closely, but not exactly. A short model that
    fits them exactly is closer to the truth than one that follows the full model.
    """
    rows, candidates = search.rows, search.candidates
    measured, weights = rows.target.measured, rows.weights(search.product)[: rows.learned]
    target = weights * (np.log(measured) if search.product else measured)
    limit = EXACT * float(rows.roots.max())
    models = (sorted(model, key=candidates.name) for model in dict.fromkeys(search.models[0]))
    short_models = [model for model in models if rows_per_term * len(model) <= len(measured)]
    union = sorted({position for model in short_models for position in model})
    columns = candidates.columns[union][:, : rows.learned].T
    residual = target - columns @ np.linalg.lstsq(columns, target)[0]
    if not short_models or np.linalg.norm(residual) > limit * np.sqrt(len(target)):
        # All terms together do not fit, so that no model does.
        return None
    for model in short_models:
        # The constant of free terms has the unit of the values.
        stays = np.array([position == CONSTANT_PLACE and bool(candidates.free[position]) for position in model], bool)
        exact_fit = _exact_fit(columns[:, np.searchsorted(union, model)], target, limit, stays)
        if exact_fit is not None:
            positions = [model[index] for index in exact_fit[0].tolist()]
            if positions and (candidates.free[positions] | (exact_fit[1] > 0)).all():
                return ExactModel(search, tuple(positions), exact_fit[1])
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
    groups: Sequence[Sequence[Contender]], exact: Sequence[ExactModel], admitted: float, is_positive: IsPositive
) -> FormChoice:
    """Return the shortest exact model, or the choice among the models of each language, with positive predictions."""
    contenders = [contender for group in groups for contender in group]
    shortest_exact = min(filter(is_positive, exact), key=lambda model: len(model.chosen), default=None)
    if shortest_exact is not None:
        size = len(shortest_exact.chosen)
        searched = [each for each in contenders if each.search is shortest_exact.search and each.size >= size]
        selected = min(searched, key=lambda contender: (contender.size, contender.score))
    else:
        found = _first_positive(contenders, lambda remaining: _preferred(remaining, admitted), is_positive)
        # There are only sums, none of which is positive everywhere.
        selected = _shortest(contenders, admitted) if found is None else found
    best_of_languages = (
        _first_positive(group, lambda contenders: _shortest(contenders, ADMITTED), is_positive)
        for group in groups
        if not any(contender.search is selected.search for contender in group)
    )
    others = (contender for contender in best_of_languages if contender is not None)
    return FormChoice(selected, (selected, *others), shortest_exact)


def is_enough(contenders: Sequence[Contender], short: int, is_positive: IsPositive) -> bool:
    """Return whether there is a model that other languages would hardly improve: near the full model, and short."""
    best = _shortest(contenders, ADMITTED)
    enough = len(best.chosen) <= short and best.distance <= NEAR * best.search.rows.expected_error
    return enough and is_positive(best)


def _first_positive(
    contenders: Sequence[Contender], choose: Callable[[Sequence[Contender]], Contender], is_positive: IsPositive
) -> Contender | None:
    """Return the first model by some choice whose predictions are positive, None if there is none."""
    candidates = [contender for contender in contenders if contender.positive]
    while candidates:
        selected = choose(candidates)
        if is_positive(selected):
            return selected
        candidates = [contender for contender in candidates if contender is not selected]
    return None


def _shortest(contenders: Sequence[Contender], admitted: float) -> Contender:
    """Return the shortest model whose score is admitted, with the best blend."""
    limit = admitted * min(contender.score for contender in contenders) * (1 + _SAME)
    fine = [contender for contender in contenders if contender.score <= limit]
    fewest = min(map(_length, fine))
    best = _best([contender for contender in fine if _length(contender) == fewest])
    blends = [
        contender for contender in contenders if contender.search is best.search and contender.chosen == best.chosen
    ]
    projected = _best([contender for contender in blends if contender.blend == PROJECTION] or [best])
    fitted = _best([contender for contender in blends if contender.blend != PROJECTION] or [best])
    return fitted if fitted.score < BLEND_GAIN * projected.score else projected


def _length(contender: Contender) -> int:
    """Return the number of terms, with those that free signs and factors are worth."""
    return len(contender.chosen) + FURTHER_TERMS * (contender.search.language != "sum")


def _best(contenders: Sequence[Contender]) -> Contender:
    """Return the first model with the smallest score, up to roundoff."""
    limit = min(contender.score for contender in contenders) * (1 + _SAME)
    return next(contender for contender in contenders if contender.score <= limit)


def _preferred(contenders: Sequence[Contender], admitted: float) -> Contender:
    """Return the shortest admitted model; a sum of costs if it is not clearly worse."""
    shortest = _shortest(contenders, admitted)
    costs = [contender for contender in contenders if contender.search.language == "sum"]
    if shortest.search.language == "sum" or not costs:
        return shortest
    sum_of_costs = _shortest(costs, admitted)
    best = min(contender.score for contender in contenders)
    if sum_of_costs.score > PREFERRED * best or len(sum_of_costs.chosen) > LONGER * _length(shortest):
        return shortest
    differences: Array = sum_of_costs.errors - shortest.errors
    standard_error = float(differences.std(ddof=1)) / np.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return sum_of_costs if float(differences.mean()) <= STANDARD_ERRORS * standard_error else shortest


@dataclass(frozen=True, eq=False)
class ProjectedModel:
    """The chosen model as columns of candidates, with its influences and those that the fold models give its terms."""

    contender: Contender  # the chosen model, before terms of more support
    chosen: tuple[int, ...]  # the positions of its terms, in canonical order
    coefficients: Array  # the coefficients of their columns, shape (terms,)

    @classmethod
    def of(cls, choice: FormChoice, is_positive: IsPositive, consensus: bool = True) -> ProjectedModel:
        """Return the chosen model, with the terms that most folds agree on if all its predictions are positive then."""
        contender, search = choice.contender, choice.contender.search
        if choice.exact is not None:
            return cls(contender, choice.exact.chosen, choice.exact.coefficients)
        projected = cls.blended(contender, sorted(contender.chosen, key=search.candidates.name))
        # With few rows, the support by folds is unreliable.
        return projected._with_agreed_terms(is_positive) if consensus and not search.rows.few else projected

    @classmethod
    def blended(cls, contender: Contender, chosen: Sequence[int]) -> ProjectedModel:
        """Return terms with the blend of a model, without those whose influence is 0 since it must not be negative."""
        search = contender.search
        coefficients = search.blend(None, chosen).coefficients(chosen, contender.blend)
        nonzero = np.flatnonzero(search.candidates.free[list(chosen)] | (coefficients != 0))
        return cls(contender, tuple(chosen[at] for at in nonzero.tolist()), coefficients[nonzero])

    def _with_agreed_terms(self, is_positive: IsPositive) -> ProjectedModel:
        """Return a short model whose terms have more support by folds, if its expected error is hardly larger."""
        name = self.search.candidates.name

        def model(terms: tuple[int, ...]) -> ProjectedModel:
            return self.blended(self.contender, sorted(terms, key=name))

        def is_near(projected: ProjectedModel, limit: float) -> bool:
            return projected.expected_error <= limit and is_positive(projected)

        limit = min(RISE * self.expected_error, FARTHEST * self.search.rows.expected_error)
        for models in agreed_models(self.search, self.contender.size, self.chosen):
            largest = model(models[-1])
            if is_near(largest, limit):
                near_limit = min(limit, SHORTER * largest.expected_error)
                return next(projected for projected in map(model, models) if is_near(projected, near_limit))
        return self

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
        search, blend, target = self.search, self.contender.blend, self.search.rows.target
        operator = search.blend(None, self.chosen).operator(self.chosen, blend)
        posterior = target.covariance(operator * search.rows.slope(search.product))
        folds = len(target.folds)
        influences = np.array([search.blend(k, self.chosen).coefficients(self.chosen, blend) for k in range(folds)])
        deviations = influences - influences.mean(axis=0)
        return np.asarray(posterior + (folds - 1) / folds * deviations.T @ deviations)


# Returns whether all predictions of a model over the valid space are positive.
IsPositive = Callable[[Contender | ExactModel | ProjectedModel], bool]


def agreed_models(search: LanguageSearch, size: int, chosen: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield models of terms whose variables are together in a term in all folds, then in one fold less, ….

    They are those of every size from 1 to `size` that follow the full model as closely as such terms can. It ends where
    all terms that were chosen have as much support.
    """
    candidates, support = search.candidates, search.supports(size)
    of_candidate = np.array([support[candidates.variables(position)] for position in range(len(candidates))])
    folds = len(search.models) - 1
    of_candidate[CONSTANT_PLACE] = folds
    min_support = int(of_candidate[list(chosen)].min(initial=folds))
    for support_needed in range(folds, max(min_support, math.ceil(MIN_SHARE * folds) - 1), -1):
        positions = np.flatnonzero(of_candidate >= support_needed)
        [selection] = forward(candidates.only(positions), search.full.target[None], size + FURTHER_STEPS)
        agreed = [tuple(positions[list(model)].tolist()) for model in models_of_sizes(selection, size) if model]
        if agreed:
            yield tuple(agreed)
