"""The choice among models of all languages, sizes and blends (docs/decisions/0010-printed-model.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from splc.learning.projection.blend import PROJECTION
from splc.learning.projection.competition import Contender
from splc.learning.projection.exact import ExactModel
from splc.types import Array

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
# Other languages are not searched where a sum of costs is so near, in units of the full model's error.
NEAR = 0.5
_SAME = 1e-9


# Returns whether all predictions of a model over the valid space are positive.
IsFine = Callable[[Contender | ExactModel], bool]


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


def chosen_among(
    groups: Sequence[Sequence[Contender]], exact: Sequence[ExactModel], admitted: float, is_fine: IsFine
) -> FormChoice:
    """Return the model with the smallest score, or the shortest one that is nearly as good.

    Args:
        groups: the models of each language.
        exact: the models that fit all measured values exactly, which come before all others.
        admitted: the multiple of the best score up to which the shortest model is taken.
        is_fine: whether all predictions of a model are positive; others are not taken.
    """
    shortest_exact = min(filter(is_fine, exact), key=lambda each: len(each.chosen), default=None)
    if shortest_exact is not None:
        searched = (each for group in groups for each in group if each.search is shortest_exact.search)
        long_enough = [each for each in searched if each.size >= len(shortest_exact.chosen)]
        contender = min(long_enough, key=lambda each: (each.size, each.score))
        return FormChoice(contender, _forms(groups, contender, is_fine), shortest_exact)
    contenders = [each for group in groups for each in group]
    chosen = _first_fine(contenders, lambda others: _preferred(others, admitted), is_fine)
    # Sums only, and none is positive everywhere.
    chosen = _shortest(contenders, admitted) if chosen is None else chosen
    return FormChoice(chosen, _forms(groups, chosen, is_fine))


def is_enough(contenders: Sequence[Contender], short: int, is_fine: IsFine) -> bool:
    """Return whether there is a model that other languages would hardly improve: near the full model, and short.

    Args:
        contenders: the models of one language.
        short: the largest number of its terms.
        is_fine: see `chosen_among`.
    """
    best = _shortest(contenders, ADMITTED)
    enough = len(best.chosen) <= short and best.distance <= NEAR * best.search.rows.expected_error
    return enough and is_fine(best)


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


def _forms(groups: Sequence[Sequence[Contender]], chosen: Contender, is_fine: IsFine) -> tuple[Contender, ...]:
    """Return the best model of each language whose predictions are positive, the chosen one first."""
    others = [
        _first_fine(group, lambda contenders: _shortest(contenders, ADMITTED), is_fine)
        for group in groups
        if not any(each.search is chosen.search for each in group)
    ]
    return (chosen, *(each for each in others if each is not None))


def _first_fine(
    contenders: Sequence[Contender], choose: Callable[[Sequence[Contender]], Contender], is_fine: IsFine
) -> Contender | None:
    """Return the first model by some choice whose predictions are positive, None if there is none."""
    others = [each for each in contenders if each.positive]
    while others:
        chosen = choose(others)
        if is_fine(chosen):
            return chosen
        others = [each for each in others if each is not chosen]
    return None
