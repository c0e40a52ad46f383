"""Aliases: terms that the learning set does not distinguish."""

from __future__ import annotations

import numpy as np

from splc.learning.projection.size import ProjectedModel
from splc.learning.projection.subset import CONSTANT_PLACE, LEFT_AROUND, Subset
from splc.types import Array

# Aliases that are reported for a term.
MOST = 3


def aliases_of(projection: ProjectedModel, model: Subset) -> tuple[tuple[str, str], ...]:
    """Return pairs of texts: a term, and another one that is a linear function of it on the learning set.

    Terms that are linear functions of each other at all valid configurations are the same and not reported. At most
    `MOST` others are returned for each term, those of the fewest factors first.

    Args:
        projection: the projection.
        model: the printed model.
    """
    candidates, rows = model.goal.candidates, projection.rows
    terms = sorted(model.terms, key=candidates.name)
    if not terms or len(rows.learned) == 0:
        return ()
    learned = _standardised(candidates.columns[:, rows.learned] / rows.weights(projection.product)[rows.learned])
    left = 1 - (learned @ learned[terms].T) ** 2
    found: list[tuple[str, str]] = []
    for place, term in enumerate(terms):
        same = left[:, place] <= LEFT_AROUND
        same[[CONSTANT_PLACE, term]] = False
        # No simpler explanation than these can be given.
        same &= candidates.factors <= candidates.factors[term]
        others = np.flatnonzero(same)
        whole = candidates.columns[[term, *others]] / rows.weights(projection.product)
        whole = _standardised(whole)
        distinct = 1 - (whole[1:] @ whole[0]) ** 2 > LEFT_AROUND
        ranked = sorted(others[distinct].tolist(), key=lambda at: (candidates.factors[at], candidates.name(at)))
        found += [(candidates.text(term), candidates.text(other)) for other in ranked[:MOST]]
    return tuple(found)


def _standardised(columns: Array) -> Array:
    """Return rows with mean 0 and norm 1; constant ones are 0."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    constant = norms <= 1e-9 * np.linalg.norm(columns, axis=1, keepdims=True)
    return np.asarray(np.where(constant, 0.0, centred / np.where(constant, 1.0, norms)))
