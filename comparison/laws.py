"""Measures of the similarity of two vectors, and the laws that can hold for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.types import Array

Function = Callable[[Array, Array, "Array | None"], float]
Kind = Literal["percent", "fraction", "number", "distance"]
# The values that a directed measure, such as a relative error, is relative to.
Reference = Literal["first", "second"]


@dataclass(frozen=True)
class Laws:
    """The laws of a measure m for any a, b and c, wherever it is defined."""

    identity: float = 0.0  # m(a, a)
    bounds: tuple[float, float] = (0.0, math.inf)  # the closed interval that m(a, b) lies in
    symmetric: bool = True  # m(a, b) = m(b, a)
    separates: bool = True  # only equal vectors have m(a, b) = m(a, a) (where all weights are positive)
    # D(a, c) ≤ D(a, b) + D(b, c), with the dissimilarity D(a, b) = |m(a, b) - m(a, a)|: the measure itself, or 1 - it
    # for a similarity
    triangle: bool = True


@dataclass(frozen=True)
class Measure:
    """A measure of the similarity of two vectors."""

    key: str  # its name in JSON and on the command line
    title: str  # its name in tables
    # 'percent' and 'fraction' (1 is 100 %) and 'number' are without a unit: a and b multiplied by the same c > 0 give
    # the same. A 'distance' has the unit of the property and is multiplied by c.
    kind: Kind
    better: Literal["higher", "lower"]  # whether higher or lower values mean more similar vectors
    # the formula for a and b, shape (n,), n ≥ 1, finite, and weights w, shape (n,), positive, or None. Call the measure
    # itself instead, which ensures these conditions: weights are divided by their mean, so that equal weights give the
    # unweighted measure, and rows with the weight 0 are left out.
    function: Function
    laws: Laws  # the laws for all vectors
    positive: Laws  # the laws for positive values, as those of performance are
    # every row k times gives k^growth times the value: 0 for means, so that values over different numbers of
    # configurations can be compared, but 1/p for Minkowski distances
    growth: float = 0.0

    def __call__(self, a: Array, b: Array, w: Array | None = None) -> float:
        """Return the value for a and b, shape (n,), finite, with weights w ≥ 0 of a positive sum, or None.

        The result is nan where it is undefined (always for n = 0) or not a finite number.
        """
        return self.of_prepared(*prepared(a, b, w))

    def of_prepared(self, a: Array, b: Array, w: Array | None) -> float:
        """Return the value for vectors and weights from `prepared`."""
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            value = float(self.function(a, b, w)) if len(a) else math.nan
        return value if math.isfinite(value) else math.nan


def prepared(a: Array, b: Array, w: Array | None) -> tuple[Array, Array, Array | None]:
    """Return vectors and weights without the rows that weigh 0; the mean of all weights, these included, is 1."""
    if w is None or len(w) == 0 or w.min() == w.max():
        return a, b, None
    w = w / w.max()
    w = w / w.mean()
    counts = w > 0
    return (a, b, w) if counts.all() else (a[counts], b[counts], w[counts])
