"""Influences of a printed model refitted to more rows than the full model learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.nonnegative import nonnegative
from splc.learning.projection.printed import Printed
from splc.learning.projection.uncertainty import estimate
from splc.models.influence import BLOCK
from splc.types import Array

# The weight of the projected influences, relative to columns of unit mean square: it decides only what the rows do not.
RIDGE = 1e-3


def refit(printed: Printed, configurations: Configurations, values: Array) -> Printed:
    """Return a printed model with influences that fit measured values best.

    Differences are relative where all values are positive, and of logarithms for a product of factors. Standard errors
    are those of the printed model.

    Args:
        printed: the printed model.
        configurations: n configurations.
        values: the measured values, shape (n,).
    """
    product, relative = printed.form == "product", printed.form != "product" and bool((values > 0).all())
    target = np.log(values) if product else np.ones(len(values)) if relative else values
    gram = np.zeros((len(printed.selected), len(printed.selected)))
    moments = np.zeros(len(gram))
    # In blocks, for the columns of millions of rows need much memory.
    for start in range(0, len(values), BLOCK):
        rows = slice(start, start + BLOCK)
        columns = printed.columns(configurations[rows])
        if relative:
            columns = columns / values[rows, None]
        gram += columns.T @ columns
        moments += columns.T @ target[rows]
    sizes = np.sqrt(np.diag(gram) / len(values))
    present = sizes > 0
    projected = np.array([each.influence for each in printed.selected])
    units = sizes[present]
    gram = gram[np.ix_(present, present)] / np.outer(units, units) / len(values) + RIDGE * np.eye(len(units))
    moments = moments[present] / units / len(values) + RIDGE * projected[present] * units
    free = np.array([each.free for each in printed.selected])[present]
    influences = projected.copy()
    influences[present] = nonnegative(gram, moments, free) / units
    selected = tuple(
        replace(each, influence=influence)
        for each, influence in zip(printed.selected, influences.tolist(), strict=True)
    )
    found = replace(printed, selected=selected)
    estimates = tuple(
        estimate(term, influence, each.standard_error, each.folds)
        for (term, influence), each in zip(found.terms, printed.estimates, strict=True)
    )
    return replace(found, estimates=estimates)
