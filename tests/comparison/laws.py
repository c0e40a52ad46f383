"""The laws of each measure of `comparison.measures`, for any values, and for positive ones, as of performance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from comparison.measures import Measure


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


_METRIC = Laws()
_LIMITED = Laws(bounds=(0.0, 1.0))
_NO_TRIANGLE = Laws(triangle=False)
_DISSIMILARITY = Laws(bounds=(0.0, 1.0), triangle=False)
_SMAPE = Laws(bounds=(0.0, 200.0))
# Relative errors leave out references of 0: vectors that differ only there have no error.
_ERROR = Laws(symmetric=False, separates=False, triangle=False)
_FULL_ERROR = replace(_ERROR, separates=True)
_R2 = Laws(1.0, (-math.inf, 1.0), symmetric=False, triangle=False)
# The cosine of proportional vectors is 1, as is the correlation of linearly dependent ones.
_ANGLE = Laws(1.0, (-1.0, 1.0), separates=False, triangle=False)
_PRODUCT = Laws(1.0, (-1.0, 1.0), triangle=False)
_KUMAR = replace(_PRODUCT, bounds=(-1 / 3, 1.0))
_JACCARD = Laws(1.0, (-math.inf, 1.0), triangle=False)
# Of positive values 1 - Jaccard is a metric.
_POSITIVE_JACCARD = Laws(1.0, (0.0, 1.0))
_POSITIVE_ANGLE, _POSITIVE_PRODUCT = (replace(laws, bounds=(0.0, 1.0)) for laws in (_ANGLE, _PRODUCT))
# Those for any values and those for positive ones, by key; Minkowski distances, of any order, are metrics.
_LAWS = {
    "error_rate": (_ERROR, _FULL_ERROR),
    "error_rate_reversed": (_ERROR, _FULL_ERROR),
    "cosine": (_ANGLE, _POSITIVE_ANGLE),
    "jaccard": (_JACCARD, _POSITIVE_JACCARD),
    "manhattan": (_METRIC, _METRIC),
    "euclidean": (_METRIC, _METRIC),
    "chebyshev": (_METRIC, _METRIC),
    "median_relative_error": (_ERROR, _ERROR),
    "max_relative_error": (_ERROR, _FULL_ERROR),
    "smape": (_SMAPE, _SMAPE),
    "mae": (_METRIC, _METRIC),
    "rmse": (_METRIC, _METRIC),
    "r2": (_R2, _R2),
    "pearson": (_ANGLE, _ANGLE),
    "spearman": (_ANGLE, _ANGLE),
    "canberra": (_METRIC, _METRIC),
    "braycurtis": (_NO_TRIANGLE, _DISSIMILARITY),
    "soergel": (_NO_TRIANGLE, _LIMITED),
    "dice": (_PRODUCT, _POSITIVE_PRODUCT),
    "kumar_hassebrook": (_KUMAR, _POSITIVE_PRODUCT),
}
# Every row k times gives k^growth times the value: 0 for means, so that values over different numbers of configurations
# can be compared.
_GROWTH = {"manhattan": 1.0, "euclidean": 1 / 2, "canberra": 1.0}


def laws_of(measure: Measure, *, positive: bool) -> Laws:
    """Return the laws of a measure."""
    return _METRIC if measure.key.startswith("minkowski") else _LAWS[measure.key][positive]


def growth_of(measure: Measure) -> float:
    """Return the power of the number of times that every row is repeated by which the measure grows."""
    order = measure.key.removeprefix("minkowski")
    return 1 / float(order) if order != measure.key else _GROWTH.get(measure.key, 0.0)
