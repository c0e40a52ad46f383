"""The form of the printed model: a sum of terms, or a product of factors where a sum cannot follow the full model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np

from splc.learning.projection.candidates import Candidates
from splc.learning.projection.exact import with_exact
from splc.learning.projection.forward import MOST_TERMS, is_hopeless
from splc.learning.projection.rows import Rows
from splc.learning.projection.size import KAPPA, READABLE_LOSS, ProjectedModel, projected
from splc.learning.projection.units import has_levels, units_of
from splc.learning.projection.variables import Variable

Form = Literal["auto", "sum", "product"]

# Products have at most this number of variables: 5, or 6 with as many numeric options.
FEWEST_ORDER, MOST_ORDER = 5, 6
# Every further factor of a term must be worth a tenth of the score; in a product the weights end at 0.63.
SUM_PENALTY = tuple(0.9**further for further in range(3 * MOST_ORDER))
PRODUCT_PENALTY = (1.0, 0.9, 0.8, 0.7, 0.63)
# More numeric factors in a term of ln y explode outside of the measured range.
MOST_NUMERIC = 3
# A sum is replaced if it is farther from the full model than the product by this factor, or has this many more terms.
# (The reference replaces sums of more than 1.25 k + 1 terms. On the shared systems, sums of 1.5 k + 2 terms have the
# smaller error; on multiplicative truth they have several times as many as the product.)
FARTHER, LONGER, LONGER_BY = 3.0, 1.5, 2
# A sum whose terms cancel, so that the absolute shares add up to more than this, is replaced by a product that is as
# close to the full model: its shares and signs cannot be read. (On the shared systems they add up to at most 2.4.)
CANCELLING = 3.0
# From so many rows on, terms of single values of numeric options are printed if the error outside of the folds falls to
# this multiple: they are less readable than powers and logarithms. More terms with 1/x are worth as much.
LEVEL_ROWS, LEVEL_GAIN = 30, 0.8
# They are tried if the distance to the full model at the end of the path is above this share of the tolerance.
LIMITED = 1.0
# Forward selection has up to this many times the terms of the selected model.
SHORTENED = 1.3
# A sum no farther than this multiple of the tolerance is not tried with 1/x.
NEAR = 1.5


@dataclass(frozen=True)
class FormChoice:
    """The chosen projection.

    Attributes:
        projection: the projection.
        reason: why it is a product, if it was chosen; otherwise empty.
    """

    projection: ProjectedModel
    reason: str = ""


def chosen_form(
    rows: Rows, variables: Sequence[Variable], *, form: Form, order: int | None, readable: bool
) -> FormChoice:
    """Return the projection of the form that is asked for, or of the one that follows the full model better.

    Args:
        rows: the rows.
        variables: the variables.
        form: the form.
        order: the largest number of variables in a term; None: by the number of numeric options.
        readable: whether fewer terms are worth a slightly larger error.
    """
    numeric = sum(variable.kind == "numeric" for variable in variables)
    most = min(max(FEWEST_ORDER, min(MOST_ORDER, numeric)), max(len(variables), 1))
    order = most if order is None else min(order, max(len(variables), 1))
    if form == "product" and rows.target.positive:
        product = _product(rows, variables, order, readable)
        return FormChoice(with_exact(product) or product)
    hopeless = form == "auto" and rows.target.multiplicative
    sum_of = partial(_sum, rows, variables, order, readable, hopeless=hopeless)
    whole = sum_of()
    # A cost that falls with an option, such as one over the number of threads, is one term then.
    inverse = cache(partial(sum_of, reciprocal=True))
    if readable and numeric and rows.target.positive:
        # A sum without it may end after few terms, far from the full model.
        better = inverse().size < whole.size or inverse().error <= LEVEL_GAIN * whole.error
        if better and inverse().error <= READABLE_LOSS * whole.reference:
            whole = inverse()
    exact = with_exact(whole)
    # A readable model within its own tolerance stays as short as it is.
    limited = numeric and whole.floor > LIMITED * (whole.kappa if readable else KAPPA) * rows.tolerance
    if limited and exact is None and rows.target.positive:
        exact = with_exact(inverse())
    if exact is not None and (form == "sum" or not rows.target.multiplicative):
        return FormChoice(exact)
    if limited and exact is None:
        most, limit = MOST_TERMS, LEVEL_GAIN * whole.error
        others: list[Callable[[], ProjectedModel]] = [inverse]
        if rows.target.learned >= LEVEL_ROWS and any(map(has_levels, variables)):
            levels = sum_of(levels=True)
            if levels.error <= limit:
                # A property that falls with an option needs many single values, too.
                whole, most, limit = levels, levels.size - 1, READABLE_LOSS * levels.error
                others += [partial(sum_of, free=True)] * rows.target.positive
        whole = next((other for other in (each() for each in others) if _replaces(other, most, limit)), whole)
    if not rows.target.positive or (form == "sum" and whole.model.rms <= NEAR * whole.tolerance):
        return FormChoice(whole)
    if form == "auto" and not rows.target.multiplicative:
        return FormChoice(whole)
    useful = _useful(whole)
    product = _product(rows, variables, order, readable, useful)
    if form == "auto":
        other = with_exact(product)
        if other is not None and (exact is None or exact.size > LONGER * other.size + LONGER_BY):
            return FormChoice(other, "a product of factors: it fits all measured values exactly")
    if exact is not None:
        return FormChoice(exact)
    if form == "auto" and useful < MOST_TERMS and product.path[-1].rms > KAPPA * rows.tolerance:
        return FormChoice(whole)
    if _farther(whole, product) > FARTHER and numeric:
        whole = inverse()
    reason = "" if form == "sum" else _reason(whole, product)
    if reason and numeric and inverse().error <= READABLE_LOSS * product.error and not _reason(inverse(), product):
        whole, reason = inverse(), ""
    if hopeless and not reason and is_hopeless(whole.path[-1], KAPPA * rows.tolerance):
        return FormChoice(sum_of(hopeless=False))
    return FormChoice(product if reason else whole, reason)


def _sum(
    rows: Rows,
    variables: Sequence[Variable],
    order: int,
    readable: bool,
    *,
    hopeless: bool,
    reciprocal: bool = False,
    levels: bool = False,
    free: bool = False,
) -> ProjectedModel:
    units, values = units_of(variables, rows.configurations, reciprocal=reciprocal, levels=levels)
    candidates = Candidates(
        units,
        values,
        rows.weights(product=False),
        order=order,
        unit=rows.target.unit,
        penalty=SUM_PENALTY,
        signed=rows.target.positive and not free,
        names=rows.configurations.system.term_order,
    )
    return projected(rows, candidates, product=False, readable=readable, hopeless=hopeless)


def _useful(whole: ProjectedModel) -> int:
    """Return the number of terms above which a product is not printed instead of a sum, with a margin.

    A sum that follows the full model within its tolerance is replaced only by a much shorter product.
    """
    far = whole.model.rms > NEAR * whole.kappa * whole.rows.tolerance
    if far or _unreadable(whole):
        return MOST_TERMS
    # Backward elimination and exchange shorten what forward selection finds.
    return int(SHORTENED * (whole.size - LONGER_BY) / LONGER) + 1


def _product(
    rows: Rows, variables: Sequence[Variable], order: int, readable: bool, most: int = MOST_TERMS
) -> ProjectedModel:
    units, values = units_of(variables, rows.configurations, product=True)
    candidates = Candidates(
        units,
        values,
        rows.weights(product=True),
        order=min(order, len(PRODUCT_PENALTY)),
        penalty=PRODUCT_PENALTY,
        enumerated=False,
        most_numeric=MOST_NUMERIC,
        signed=False,
        names=rows.configurations.system.term_order,
    )
    return projected(rows, candidates, product=True, readable=readable, most=most)


def _farther(whole: ProjectedModel, product: ProjectedModel) -> float:
    """Return how many times as far from the full model a sum is as the product, or as it may be."""
    return whole.model.rms / max(product.model.rms, whole.kappa * whole.rows.tolerance)


def _replaces(other: ProjectedModel, most: int, limit: float) -> bool:
    """Return whether a sum is short, close and readable enough to replace another one."""
    return other.size <= most and other.error <= limit and not (other.rows.target.positive and _unreadable(other))


def _unreadable(whole: ProjectedModel) -> bool:
    """Return whether a sum has predictions that are not positive, or terms that cancel."""
    return bool((whole.predicted() <= 0).any()) or _cancelling(whole) > CANCELLING


def _cancelling(whole: ProjectedModel) -> float:
    """Return the sum of the absolute shares of a sum's terms; 1 where all raise the prediction."""
    model = whole.model
    columns = model.goal.candidates.columns[list(model.chosen)] / whole.rows.weights(product=False)
    contributions = model.coefficients * columns[:, whole.rows.learned].mean(axis=1)
    return float(np.abs(contributions).sum() / abs(contributions.sum()))


def _reason(whole: ProjectedModel, product: ProjectedModel) -> str:
    """Return why a product is printed instead of a sum; empty if the sum is printed."""
    ratio = _farther(whole, product)
    if ratio > FARTHER:
        return f"a product of factors: a sum of terms is {ratio:.2g} times as far from the full model"
    if (whole.predicted() <= 0).any():
        return "a product of factors: a sum of terms has predictions that are not positive"
    if _cancelling(whole) > CANCELLING and _farther(product, whole) <= 1:
        return "a product of factors: the terms of a sum cancel"
    if whole.size > LONGER * product.size + LONGER_BY:
        return f"a product of factors: it needs {product.size} terms, a sum {whole.size}"
    return ""
