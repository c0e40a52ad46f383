"""Influences of a printed model refitted to more rows than the full model learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.nonnegative import nonnegative
from splc.learning.projection.sparse_model import SparseModel
from splc.learning.result import InfluenceEstimate
from splc.models.influence import BLOCK
from splc.types import Array

# The weight of the projected influences, relative to columns of unit mean square: it decides only what the rows do not.
RIDGE = 1e-3
# The share of the step at which the first prediction over the valid space would be 0 that influences may take.
TOWARDS_ZERO = 0.9


def refit(printed: SparseModel, configurations: Configurations, values: Array, space: Configurations) -> SparseModel:
    """Return a printed model with influences that fit measured values best.

    Differences are relative where all values are positive, and of logarithms for a product of factors. Standard errors
    are those of the printed model. Of a positive property, the predictions of a sum stay positive where they were.

    `values`: the measured values, shape (n,).
    """
    product, relative = printed.form == "product", printed.form != "product" and bool((values > 0).all())
    target = np.log(values) if product else np.ones(len(values)) if relative else values
    gram = np.zeros((len(printed.selected), len(printed.selected)))
    moments = np.zeros(len(gram))
    # In blocks, since the columns of millions of rows need much memory.
    for start in range(0, len(values), BLOCK):
        rows = slice(start, start + BLOCK)
        columns = printed.columns(configurations[rows])
        if relative:
            columns = columns / values[rows, None]
        gram += columns.T @ columns
        moments += columns.T @ target[rows]
    sizes = np.sqrt(np.diag(gram) / len(values))
    present = sizes > 0
    projected = np.array([term.influence for term in printed.selected])
    units = sizes[present]
    gram = gram[np.ix_(present, present)] / np.outer(units, units) / len(values) + RIDGE * np.eye(len(units))
    moments = moments[present] / units / len(values) + RIDGE * projected[present] * units
    is_free = np.array([term.free for term in printed.selected])[present]
    influences = projected.copy()
    influences[present] = nonnegative(gram, moments, is_free) / units
    if relative:
        share = min(
            _positive_share(printed, projected, influences, rows_to_check) for rows_to_check in (configurations, space)
        )
        influences = projected + share * (influences - projected)
    selected = tuple(
        replace(term, influence=influence)
        for term, influence in zip(printed.selected, influences.tolist(), strict=True)
    )
    refitted = replace(printed, selected=selected)
    estimates = tuple(
        InfluenceEstimate.of(term, influence, estimate.standard_error, folds=estimate.folds)
        for (term, influence), estimate in zip(refitted.terms, printed.estimates, strict=True)
    )
    return replace(refitted, estimates=estimates)


def _positive_share(printed: SparseModel, start: Array, influences: Array, configurations: Configurations) -> float:
    """Return the share of the way from some influences to others on which all predictions stay positive; 1 at most.

    Predictions that are not positive at the start do not count.
    """
    share = 1.0
    for first in range(0, len(configurations), BLOCK):
        columns = printed.columns(configurations[first : first + BLOCK])
        start_values, end_values = columns @ start, columns @ influences
        lost = (end_values <= 0) & (start_values > 0)
        ends = start_values[lost] / (start_values[lost] - end_values[lost])
        share = min(share, TOWARDS_ZERO * float(ends.min(initial=np.inf)))
    return share
