"""The languages of the printed model, searched one after the other (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from splc.learning.projection.choice import ADMITTED, READABLE_ADMITTED, FormChoice, chosen_among, is_enough
from splc.learning.projection.competition import Contender, LanguageSearch, language_search
from splc.learning.projection.exact import ROWS_PER_TERM as ROWS_PER_EXACT_TERM
from splc.learning.projection.exact import ExactModel, exact_model
from splc.learning.projection.rows import ModelRows
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
# The largest number of terms that is searched, even if more are requested.
LONGEST = 120
# Other languages are not searched if a sum of costs is near the full model and this short: a few thresholds may
# replace several costs.
SHORT, SHORT_WITH_THRESHOLDS = 15, 8

# Returns whether all predictions of terms with coefficients over the valid space are positive.
IsPositive = Callable[[LanguageSearch, Sequence[int], Array], bool]


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


def chosen_form(
    rows: ModelRows,
    variables: Sequence[Variable],
    is_positive: IsPositive,
    *,
    form: Form = "auto",
    order: int | None = None,
    functions: Sequence[str] = (),
    readable: bool = False,
    terms: int | None = None,
    complete: bool = False,
) -> FormChoice:
    """Return the model with the smallest score, or the shortest one that is nearly as good.

    `is_positive`: whether all predictions of a model are positive; others are not taken. `order`: the largest number of
    variables in a term; None: by the number of numeric options. `terms`: the largest number of terms; None: by the
    number of rows.
    """

    def is_fine(model: Contender | ExactModel) -> bool:
        return is_positive(model.search, model.chosen, model.coefficients)

    languages = languages_of(form, variables, positive=rows.target.positive)
    max_terms = most_terms(rows.learned, terms, readable)
    searches: list[LanguageSearch] = []
    for language in languages:
        searches.append(language_search(rows, variables, language, max_terms, order, functions))
        short_limit = SHORT_WITH_THRESHOLDS if "shapes" in languages else SHORT
        if form == "auto" and language == "sum" and is_enough(searches[0].contenders, short_limit, is_fine):
            break
    rows_per_term = 1 if complete else ROWS_PER_EXACT_TERM
    exact = [model for search in searches if (model := exact_model(search, rows_per_term)) is not None]
    admitted = 1.0 if terms is not None else READABLE_ADMITTED if readable else ADMITTED
    return chosen_among([search.contenders for search in searches], exact, admitted, is_fine)
