"""The choice of language, size and blend of the printed model (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.learning.projection.blend import PROJECTION
from splc.learning.projection.competition import Contender, LanguageSearch, language_search
from splc.learning.projection.exact import ExactModel, exact_model
from splc.learning.projection.rows import Rows
from splc.learning.projection.units import Language
from splc.learning.projection.variables import Variable
from splc.types import Array

Form = Literal["auto", "sum", "product"]

LANGUAGES: dict[Form, tuple[Language, ...]] = {
    "auto": ("sum", "shapes", "product"),
    "sum": ("sum", "shapes"),
    "product": ("product",),
}
# A printed model has at most so many terms; fewer with few rows. (The reference has 3 rows per term, and 3 terms at
# least: with 9 to 27 rows the printed model then has 1.075 times the error of the full one, at worst 2.4 times; with
# these limits, and sizes by `distance` alone, 1.002 and 1.24 times, over 57 samples of 11 systems.)
MAX_TERMS, MIN_TERMS, ROWS_PER_TERM, READABLE_TERMS = 20, 6, 2, 10
# More terms are not searched, whatever is asked for.
LONGEST = 120
# Scores up to this multiple of the best one are admitted, and the shortest model is taken. (1.02 in the reference. On
# 36 samples of real systems 1.05 gives 11.1 instead of 12.6 terms for 0.7 % more error; on 28 of known ones it gives 8
# instead of 9 terms and 4 % less error.)
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
# Other languages are not searched where a sum of costs is so near, in units of the full model's error, and so short: a
# few thresholds may say what several costs imitate.
NEAR, SHORT, SHORT_WITH_THRESHOLDS = 0.5, 15, 8
_SAME = 1e-9

# Returns whether all predictions of terms with coefficients over the valid space are positive.
IsPositive = Callable[[LanguageSearch, Sequence[int], Array], bool]


@dataclass(frozen=True)
class FormChoice:
    """The chosen model.

    Attributes:
        contender: the model.
        forms: the best model of each language, the chosen one first.
        exact: the terms and influences that fit all measured values exactly, if there are any.
    """

    contender: Contender
    forms: tuple[Contender, ...]
    exact: ExactModel | None = None


def most_terms(rows: int, terms: int | None, readable: bool) -> int:
    """Return the largest number of terms of a printed model."""
    if terms is not None:
        return min(terms, LONGEST)
    most = READABLE_TERMS if readable else MAX_TERMS
    return max(min(MIN_TERMS, rows), min(most, rows // ROWS_PER_TERM))


def chosen_form(
    rows: Rows,
    variables: Sequence[Variable],
    is_positive: IsPositive,
    *,
    form: Form = "auto",
    order: int | None = None,
    functions: Sequence[str] = (),
    readable: bool = False,
    terms: int | None = None,
) -> FormChoice:
    """Return the model with the smallest score, or the shortest one that is nearly as good.

    Args:
        rows: the rows.
        variables: the variables, in canonical order.
        is_positive: whether all predictions of a model are positive; others are not taken.
        form: the form that is asked for.
        order: the largest number of variables in a term; None: by the number of numeric options.
        functions: further functions of numeric options, by name.
        readable: whether fewer terms are worth a larger error.
        terms: the largest number of terms; None: by the number of rows.
    """
    languages = LANGUAGES[form]
    if not rows.target.positive:
        languages = ("shapes",)
    elif not any(variable.kind == "numeric" for variable in variables):
        # Without numeric options sums have free signs anyway.
        languages = tuple(each for each in languages if each != "shapes")
    most = most_terms(rows.learned, terms, readable)
    searches: list[LanguageSearch] = []
    for language in languages:
        searches.append(language_search(rows, variables, language, most, order, functions))
        short = SHORT_WITH_THRESHOLDS if "shapes" in languages else SHORT
        if form == "auto" and language == "sum" and _is_enough(searches[0], short, is_positive):
            break
    found_exact = [each for each in map(exact_model, searches) if each is not None]
    fine = (each for each in found_exact if is_positive(each.search, each.chosen, each.coefficients))
    exact = min(fine, key=lambda each: len(each.chosen), default=None)
    if exact is not None:
        own = [each for each in exact.search.contenders if each.size >= len(exact.chosen)]
        contender = min(own, key=lambda each: (each.size, each.score))
        return FormChoice(contender, _forms(searches, contender, is_positive), exact)
    admitted = 1.0 if terms is not None else READABLE_ADMITTED if readable else ADMITTED
    contenders = [each for search in searches for each in search.contenders]
    found = _positive(contenders, lambda left: _preferred(left, admitted), is_positive)
    # Sums only, and none is positive everywhere.
    found = _shortest(contenders, admitted) if found is None else found
    return FormChoice(found, _forms(searches, found, is_positive))


def _is_enough(search: LanguageSearch, short: int, is_positive: IsPositive) -> bool:
    """Return whether a search found a model that other languages would hardly improve."""
    found = _shortest(search.contenders, ADMITTED)
    enough = len(found.chosen) <= short and found.distance <= NEAR * search.rows.expected_error
    return enough and is_positive(search, found.chosen, found.coefficients)


def _shortest(contenders: Sequence[Contender], admitted: float) -> Contender:
    """Return the shortest model whose score is admitted, with the best blend."""
    limit = admitted * min(each.score for each in contenders) * (1 + _SAME)
    fine = [each for each in contenders if each.score <= limit]
    fewest = min(map(_length, fine))
    short = [each for each in fine if _length(each) == fewest]
    best = _best(short)
    blends = [each for each in contenders if each.search is best.search and each.chosen == best.chosen]
    projected = _best([each for each in blends if each.blend == PROJECTION] or [best])
    fitted = _best([each for each in blends if each.blend != PROJECTION] or [best])
    return fitted if fitted.score < BLEND_GAIN * projected.score else projected


def _length(contender: Contender) -> int:
    """Return the number of terms, with those that free signs and factors are worth."""
    return len(contender.chosen) + FURTHER_TERMS * (contender.language != "sum")


def _best(contenders: Sequence[Contender]) -> Contender:
    """Return the first model with the smallest score, up to roundoff."""
    limit = min(each.score for each in contenders) * (1 + _SAME)
    return next(each for each in contenders if each.score <= limit)


def _preferred(contenders: Sequence[Contender], admitted: float) -> Contender:
    """Return the shortest admitted model; a sum of costs if it is not clearly worse."""
    found = _shortest(contenders, admitted)
    costs = [each for each in contenders if each.language == "sum"]
    if found.language == "sum" or not costs:
        return found
    sum_of_costs = _shortest(costs, admitted)
    best = min(each.score for each in contenders)
    if sum_of_costs.score > PREFERRED * best or len(sum_of_costs.chosen) > LONGER * _length(found):
        return found
    further: Array = sum_of_costs.errors - found.errors
    standard_error = float(further.std(ddof=1)) / np.sqrt(len(further)) if len(further) > 1 else 0.0
    return sum_of_costs if float(further.mean()) <= STANDARD_ERRORS * standard_error else found


def _forms(searches: Iterable[LanguageSearch], chosen: Contender, is_positive: IsPositive) -> tuple[Contender, ...]:
    """Return the best model of each language whose predictions are positive, the chosen one first."""
    found = [
        _positive(search.contenders, lambda left: _shortest(left, ADMITTED), is_positive)
        for search in searches
        if search is not chosen.search
    ]
    return (chosen, *(each for each in found if each is not None))


def _positive(
    contenders: Iterable[Contender], choose: Callable[[Sequence[Contender]], Contender], is_positive: IsPositive
) -> Contender | None:
    """Return the first model by some choice whose predictions are positive, None if there is none."""
    left = [each for each in contenders if each.positive]
    while left:
        found = choose(left)
        if is_positive(found.search, found.chosen, found.coefficients):
            return found
        left = [each for each in left if each is not found]
    return None
