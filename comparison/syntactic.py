"""Comparison of two models by their terms: equivalence classes, four scores, each term scored once.

Kaltenecker, "Comparison of Analytical and Empirical Performance Models" (2016), section 4.1. The first model is the
reference: in the thesis, the analytical model is the first and the learned model the second.
"""

from __future__ import annotations

import math
from typing import Literal

from comparison.result import ClassScore, Found, SyntacticComparison, TermScore, Unseen
from splc.errors import ConfigurationError
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Operation
from splc.models.terms import Subexpression, Term, names_in, place_in

# The scores of a term that the other model lacks, and the least and greatest score of a term in both models.
NO_CLASS, NO_TERM, SHARED, SAME = -2.0, -1.0, 1.0, 2.0


def compare_terms(first: InfluenceModel, second: InfluenceModel, *, constant: bool = True) -> SyntacticComparison:
    """Return the scores of the terms of two models.

    The equivalence class of a term is the set of its options, also of those inside of subexpressions. Each distinct
    term of both models scores once: -2 where the other model has no term of its class, -1 where it has the class but
    not the term, 1 + `similarity` of the influences where both have it, 2 where these are equal.

    - Influences of opposite sign have the score 1, as all influences that differ by more than the first one, and
      are found as `opposite sign`.
    - Terms are not simplified: only canonical forms are equal, influences that differ in the last digit are
      different (and score almost 2), and a term with the influence 0 is a term.
    - A subexpression that is not a sum of terms is compared as a whole, and listed as unseen, unless it is a threshold,
      a maximum or a minimum of one option: these are functions of an option like its powers.
    - The links are ignored: where they differ, equal terms do not mean the same.
    """
    order = tuple(dict.fromkeys((*first.order, *second.order)))
    positions = {name: position for position, name in enumerate(order)}
    own, others = first.influences, second.influences
    classes: dict[frozenset[str], dict[Term, None]] = {}
    for model in (first, second):
        for term, influence in model.terms:
            if not math.isfinite(influence):
                message = f"the influence of {term.text(order)} is {influence}, which is not a finite number"
                raise ConfigurationError(message, hint="correct the influence in the model, or leave the term out")
            if (options := model.options_of(term)) or constant:
                classes.setdefault(options, {})[term] = None
    groups = []
    for options in sorted(classes, key=lambda names: (len(names), sorted(place_in(name, positions) for name in names))):
        shared = all(any(term in influence for term in classes[options]) for influence in (own, others))
        terms = sorted(classes[options], key=lambda term: term.sort_key(positions))
        scores = (_term_score(term, term.text(order), own.get(term), others.get(term), shared) for term in terms)
        groups.append(ClassScore(names_in(options, order), tuple(scores)))
    return SyntacticComparison(tuple(groups), constant, _unseen((first, second), order))


def similarity(first: float, second: float) -> float:
    """Return simValue: max(0, 1 - |second - first| / |first|), in [0, 1]; 1 where both are 0, 0 where only `first` is.

    The thesis divides by the influence itself; the magnitude gives negative influences the same meaning.
    """
    if first == second:
        return 1.0
    return max(0.0, 1.0 - abs(second - first) / abs(first)) if first != 0 else 0.0


def _term_score(term: Term, text: str, first: float | None, second: float | None, shared: bool) -> TermScore:
    """Return the score of a term; `shared`: both models have terms of its class."""
    case: Found
    if first is None or second is None:
        case, score = ("no term", NO_TERM) if shared else ("no class", NO_CLASS)
    elif first == second:
        case, score = "same", SAME
    else:
        case = "opposite sign" if min(first, second) < 0 < max(first, second) else "different"
        score = SHARED + similarity(first, second)
    return TermScore(term, text, score, case, first, second)


def _unseen(models: tuple[InfluenceModel, InfluenceModel], order: tuple[str, ...]) -> tuple[Unseen, ...]:
    """Return the subexpressions that are factors of terms, in the order of the terms; not those inside of others."""
    roles: tuple[Literal["first", "second"], ...] = ("first", "second")
    opaque: dict[str, tuple[tuple[str, ...], dict[Literal["first", "second"], None]]] = {}
    for model, role in zip(models, roles, strict=True):
        functions = {part.name for part in model.factors if isinstance(part, Operation) and part.is_shape}
        for term, _ in model.terms:
            for factor in term.factors:
                if isinstance(factor.option, Subexpression):
                    options = names_in(model.options_of(Term((factor,))), order)
                    if len(options) == 1 and factor.option in functions:
                        continue
                    opaque.setdefault(str(factor.option), (options, {}))[1][role] = None
    return tuple(Unseen(text, options, tuple(occurrences)) for text, (options, occurrences) in opaque.items())
