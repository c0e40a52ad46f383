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

    Args:
        candidates: the candidates.
        chosen: the positions of the terms of the printed model.
        learned: the number of learned rows, which come first.
    """
    terms = sorted((place for place in chosen if place != CONSTANT_PLACE), key=candidates.name)
    weights = candidates.weights
    if not terms or learned == 0:
        return ()
    # No simpler explanation than these can be given.
    simple = np.flatnonzero(candidates.factors <= candidates.factors[terms].max())
    columns = candidates.columns[simple, :learned]
    own = standardised(candidates.columns[terms, :learned] / weights[:learned])
    left = 1 - (columns @ (own / weights[:learned]).T) ** 2 / variation(columns, weights[:learned])[:, None]
    found: list[tuple[str, str]] = []
    for place, term in enumerate(terms):
        others = simple[(left[:, place] <= LEFT_AROUND) & (candidates.factors[simple] <= candidates.factors[term])]
        others = others[(others != CONSTANT_PLACE) & ~np.isin(others, terms[place:])]
        whole = standardised(candidates.columns[[term, *others]] / weights)
        distinct = 1 - (whole[1:] @ whole[0]) ** 2 > LEFT_AROUND
        ranked = sorted(others[distinct].tolist(), key=lambda at: (candidates.factors[at], candidates.name(at)))
        found += [(candidates.text(term), candidates.text(other)) for other in ranked[:MOST]]
    return tuple(found)


def variation(columns: Array, weights: Array) -> Array:
    """Return the sum of squares around the mean of each row over the weights; infinite for constant ones."""
    whole = np.einsum("ij,ij,j->i", columns, columns, 1 / weights**2)
    around: Array = whole - (columns @ (1 / weights)) ** 2 / len(weights)
    around[around <= _CONSTANT * whole] = np.inf
    return around


def standardised(columns: Array) -> Array:
    """Return rows with mean 0 and norm 1; constant ones are 0."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    constant = norms <= math.sqrt(_CONSTANT) * np.linalg.norm(columns, axis=1, keepdims=True)
    return np.asarray(np.where(constant, 0.0, centred / np.where(constant, 1.0, norms)))
