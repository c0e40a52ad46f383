"""Aliases: terms that the learning set does not distinguish."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE, LEFT_AROUND, Candidates
from splc.types import Array

# Rows with so little of their squared norm around the mean are constant.
_CONSTANT = 1e-14
# Aliases that are reported for a term.
MOST = 3


def aliases_of(candidates: Candidates, chosen: Sequence[int], learned: int) -> tuple[tuple[str, str], ...]:
    """Return pairs of texts: a term, and another one that is a linear function of it on the learning set.

    Terms that are linear functions of each other at all valid configurations are the same and not reported. At most
    `MOST` others are returned for each term, those of the fewest factors first. A pair of printed terms is named once.
    """
    terms = sorted((candidate for candidate in chosen if candidate != CONSTANT_PLACE), key=candidates.name)
    weights = candidates.weights
    if not terms or learned == 0:
        return ()
    # Only candidates with at most as many factors as the printed terms are aliases.
    simple = np.flatnonzero(candidates.factors <= candidates.factors[terms].max())
    columns = candidates.columns[simple, :learned]
    unit_terms = standardised(candidates.columns[terms, :learned] / weights[:learned])
    residuals = 1 - (columns @ (unit_terms / weights[:learned]).T) ** 2 / variation(columns, weights[:learned])[:, None]
    pairs: list[tuple[str, str]] = []
    for term_index, term in enumerate(terms):
        alternatives = simple[
            (residuals[:, term_index] <= LEFT_AROUND) & (candidates.factors[simple] <= candidates.factors[term])
        ]
        alternatives = alternatives[(alternatives != CONSTANT_PLACE) & ~np.isin(alternatives, terms[term_index:])]
        standardised_all = standardised(candidates.columns[[term, *alternatives]] / weights)
        distinct = 1 - (standardised_all[1:] @ standardised_all[0]) ** 2 > LEFT_AROUND
        ranked = sorted(alternatives[distinct].tolist(), key=lambda at: (candidates.factors[at], candidates.name(at)))
        pairs += [(candidates.text(term), candidates.text(alternative)) for alternative in ranked[:MOST]]
    return tuple(pairs)


def variation(columns: Array, weights: Array) -> Array:
    """Return the sum of squares around the mean of each row over the weights; infinite for constant ones."""
    total_squares = np.einsum("ij,ij,j->i", columns, columns, 1 / weights**2)
    centred_squares: Array = total_squares - (columns @ (1 / weights)) ** 2 / len(weights)
    centred_squares[centred_squares <= _CONSTANT * total_squares] = np.inf
    return centred_squares


def standardised(columns: Array) -> Array:
    """Return rows with mean 0 and norm 1; constant ones are 0."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    constant = norms <= math.sqrt(_CONSTANT) * np.linalg.norm(columns, axis=1, keepdims=True)
    return np.asarray(np.where(constant, 0.0, centred / np.where(constant, 1.0, norms)))
