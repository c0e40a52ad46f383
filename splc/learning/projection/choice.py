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
    """The chosen model."""

    contender: Contender  # the model
    forms: tuple[Contender, ...]  # the best model of each language, the chosen one first
    exact: ExactModel | None = None  # the terms and influences that fit all measured values exactly, if there are any


def chosen_among(
    groups: Sequence[Sequence[Contender]], exact: Sequence[ExactModel], admitted: float, is_fine: IsFine
) -> FormChoice:
    """Return the model with the smallest score, or the shortest one that is nearly as good.

    `is_fine`: whether all predictions of a model are positive; others are not taken.
    """
    shortest_exact = min(filter(is_fine, exact), key=lambda model: len(model.chosen), default=None)
    if shortest_exact is not None:
        searched = (contender for group in groups for contender in group if contender.search is shortest_exact.search)
        long_enough = [contender for contender in searched if contender.size >= len(shortest_exact.chosen)]
        contender = min(long_enough, key=lambda contender: (contender.size, contender.score))
        return FormChoice(contender, _forms(groups, contender, is_fine), shortest_exact)
    contenders = [contender for group in groups for contender in group]
    selected = _first_fine(contenders, lambda remaining: _preferred(remaining, admitted), is_fine)
    # There are only sums, none of which is positive everywhere.
    selected = _shortest(contenders, admitted) if selected is None else selected
    return FormChoice(selected, _forms(groups, selected, is_fine))


def is_enough(contenders: Sequence[Contender], short: int, is_fine: IsFine) -> bool:
    """Return whether there is a model that other languages would hardly improve: near the full model, and short."""
    best = _shortest(contenders, ADMITTED)
    enough = len(best.chosen) <= short and best.distance <= NEAR * best.search.rows.expected_error
    return enough and is_fine(best)


def _shortest(contenders: Sequence[Contender], admitted: float) -> Contender:
    """Return the shortest model whose score is admitted, with the best blend."""
    limit = admitted * min(contender.score for contender in contenders) * (1 + _SAME)
    fine = [contender for contender in contenders if contender.score <= limit]
    fewest = min(map(_length, fine))
    shortest = [contender for contender in fine if _length(contender) == fewest]
    best = _best(shortest)
    blends = [
        contender for contender in contenders if contender.search is best.search and contender.chosen == best.chosen
    ]
    projected = _best([contender for contender in blends if contender.blend == PROJECTION] or [best])
    fitted = _best([contender for contender in blends if contender.blend != PROJECTION] or [best])
    return fitted if fitted.score < BLEND_GAIN * projected.score else projected


def _length(contender: Contender) -> int:
    """Return the number of terms, with those that free signs and factors are worth."""
    return len(contender.chosen) + FURTHER_TERMS * (contender.language != "sum")


def _best(contenders: Sequence[Contender]) -> Contender:
    """Return the first model with the smallest score, up to roundoff."""
    limit = min(contender.score for contender in contenders) * (1 + _SAME)
    return next(contender for contender in contenders if contender.score <= limit)


def _preferred(contenders: Sequence[Contender], admitted: float) -> Contender:
    """Return the shortest admitted model; a sum of costs if it is not clearly worse."""
    shortest = _shortest(contenders, admitted)
    costs = [contender for contender in contenders if contender.language == "sum"]
    if shortest.language == "sum" or not costs:
        return shortest
    sum_of_costs = _shortest(costs, admitted)
    best = min(contender.score for contender in contenders)
    if sum_of_costs.score > PREFERRED * best or len(sum_of_costs.chosen) > LONGER * _length(shortest):
        return shortest
    differences: Array = sum_of_costs.errors - shortest.errors
    standard_error = float(differences.std(ddof=1)) / np.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return sum_of_costs if float(differences.mean()) <= STANDARD_ERRORS * standard_error else shortest


def _forms(groups: Sequence[Sequence[Contender]], selected: Contender, is_fine: IsFine) -> tuple[Contender, ...]:
    """Return the best model of each language whose predictions are positive, the chosen one first."""
    best_of_languages = [
        _first_fine(group, lambda contenders: _shortest(contenders, ADMITTED), is_fine)
        for group in groups
        if not any(contender.search is selected.search for contender in group)
    ]
    return (selected, *(contender for contender in best_of_languages if contender is not None))


def _first_fine(
    contenders: Sequence[Contender], choose: Callable[[Sequence[Contender]], Contender], is_fine: IsFine
) -> Contender | None:
    """Return the first model by some choice whose predictions are positive, None if there is none."""
    candidates = [contender for contender in contenders if contender.positive]
    while candidates:
        selected = choose(candidates)
        if is_fine(selected):
            return selected
        candidates = [contender for contender in candidates if contender is not selected]
    return None
