"""Influences of a printed model refitted to more rows than the full model learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.nonnegative import nonnegative
from splc.learning.projection.printed import Printed
from splc.learning.projection.uncertainty import estimate
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
    columns, target = printed.columns(configurations), values
    if printed.form == "product":
        target = np.log(values)
    elif (values > 0).all():
        columns, target = columns / values[:, None], np.ones(len(values))
    sizes = np.sqrt((columns**2).mean(axis=0))
    present = sizes > 0
    projected = np.array([each.influence for each in printed.selected])
    scaled = columns[:, present] / sizes[present]
    gram = scaled.T @ scaled / len(values) + RIDGE * np.eye(int(present.sum()))
    moments = scaled.T @ target / len(values) + RIDGE * (projected * sizes)[present]
    free = np.array([each.free for each in printed.selected])[present]
    influences = projected.copy()
    influences[present] = nonnegative(gram, moments, free) / sizes[present]
    selected = tuple(
        replace(each, influence=influence)
        for each, influence in zip(printed.selected, influences.tolist(), strict=True)
    )
    found = replace(printed, selected=selected)
    estimates = tuple(
        estimate(term, influence, each.standard_error)
        for (term, influence), each in zip(found.terms, printed.estimates, strict=True)
    )
    return replace(found, estimates=estimates)
