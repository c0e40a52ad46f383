"""Measures of the similarity of two vectors of values: the table `MEASURES`.

A new measure is one function here and one entry in the table; the tests of its laws iterate over the table.

Everywhere a, b and x have the shape (n,) with n ≥ 1 and are finite, and the weights w are None (all rows weigh the
same) or positive, shape (n,), and about 1 on average. The function of a measure returns nan or inf where it is
undefined or its value is not a finite number, which also includes values whose powers overflow. Call the measures of
the table, which check this. With weights every sum and mean is weighted, and a maximum is that of the rows with a
positive weight.

Sources: the thesis (C. Kaltenecker, 2016), sections 2.3 and 4.2. [Cha] S.-H. Cha, "Comprehensive survey on
distance/similarity measures between probability density functions", 2007. [HK] R. Hyndman and A. Koehler, "Another
look at measures of forecast accuracy", 2006.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from splc.data.accuracy import relative_errors, symmetric_errors
from splc.errors import SpecError, unknown_name_hint
from splc.io.numbers import power_of_two
from splc.types import Array

Function = Callable[[Array, Array, "Array | None"], float]
Kind = Literal["percent", "fraction", "number", "distance"]
# The values that a directed measure, such as a relative error, is relative to.
Reference = Literal["first", "second"]


@dataclass(frozen=True)
class Measure:
    """A measure of the similarity of two vectors."""

    key: str  # its name in JSON and on the command line
    title: str  # its name in tables
    # 'percent' and 'fraction' (1 is 100 %) and 'number' are without a unit: a and b multiplied by the same c > 0 give
    # the same. A 'distance' has the unit of the property and is multiplied by c.
    kind: Kind
    better: Literal["higher", "lower"]  # whether higher or lower values mean more similar vectors
    # the formula for values and weights as above; the measure itself divides weights by their mean, so that equal ones
    # give the unweighted measure, and leaves out rows with the weight 0
    function: Function
    directed: bool = False  # whether m(a, b) differs from m(b, a), as it is relative to one of both

    def __call__(self, a: Array, b: Array, w: Array | None = None) -> float:
        """Return the value for finite a and b and weights w ≥ 0; nan where it is undefined or not a finite number."""
        a, b, w = prepared(a, b, w)
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


def weighted_sum(x: Array, w: Array | None) -> float:
    """Return the weighted sum."""
    return float(x.sum() if w is None else (w * x).sum())


def mean(x: Array, w: Array | None) -> float:
    """Return the weighted mean."""
    return float(np.average(x, weights=w))


def ratio(numerator: float, denominator: float) -> float:
    """Return a ratio; nan where the denominator is not positive, too small to be precise, or infinite."""
    return numerator / denominator if sys.float_info.min <= denominator < math.inf else math.nan


def similarity(numerator: float, denominator: float) -> float:
    """Return a ratio that can leave [-1, 1] by rounding only; nan as `ratio`."""
    quotient = ratio(numerator, denominator)
    return quotient if math.isnan(quotient) else max(-1.0, min(1.0, quotient))


def median(x: Array, w: Array | None) -> float:
    """Return the weighted median: that of the rows repeated as often as their (whole) weights say."""
    if w is None:
        return float(np.median(x))
    order = np.argsort(x, kind="stable")
    cumulated = np.cumsum(w[order])
    half = cumulated[-1] / 2
    # Sums of weights are rounded: a sum that differs from half by rounding is half.
    slack = 1e-12 * cumulated[-1]
    low, high = (x[order[int(np.searchsorted(cumulated, bound))]] for bound in (half - slack, half + slack))
    return float(low + high) / 2


def ranks(x: Array, w: Array | None) -> Array:
    """Return the weight of all lower values and half of that of equal ones; `w`: (n,), or several weights (k, n)."""
    distinct, which = np.unique(x, return_inverse=True)
    last = np.cumsum(np.bincount(which, minlength=len(distinct))) - 1
    weight = np.ones(len(x)) if w is None else w[..., np.argsort(which, kind="stable")]
    up_to = np.cumsum(weight, axis=-1)[..., last]
    below = np.concatenate([np.zeros((*up_to.shape[:-1], 1)), up_to[..., :-1]], axis=-1)
    return np.asarray((below + up_to)[..., which] / 2)


def centred(x: Array, w: Array | None) -> Array:
    """Return x less its weighted mean, shape (n,); exactly 0 where all values are the same."""
    return x - mean(x, w) if x.min() < x.max() else np.zeros(len(x))


def power_norm(x: Array, w: Array | None, p: float) -> float:
    """Return (sum w x^p)^(1/p) for x ≥ 0 and a finite p ≥ 1."""
    unit, total = 1.0, weighted_sum(x**p, w)
    if not sys.float_info.min <= total < math.inf:
        # High powers overflow and underflow easily; those of values up to 1 do not matter where they underflow.
        unit = float(x.max()) or 1.0
        total = weighted_sum((x / unit) ** p, w)
    return unit * (math.sqrt(total) if p == 2 else math.cbrt(total) if p == 3 else total ** (1 / p))


def error_rate(
    a: Array, b: Array, w: Array | None, of: Callable[[Array, Array | None], float] = mean, swapped: bool = False
) -> float:
    """Return 100 · mean(|a - b| / |a|), in percent, over the rows where a is not 0 (thesis, 4.2).

    `of`: what is taken of the relative errors instead of their mean, such as the median ([HK], MdAPE). `swapped`:
    whether b is the reference.
    """
    a, b = (b, a) if swapped else (a, b)
    used = a != 0
    errors = relative_errors(b[used], a[used])
    return 100 * of(errors, None if w is None else w[used]) if len(errors) else math.nan


def smape(a: Array, b: Array, w: Array | None) -> float:
    """Return 100 · mean(|a - b| / ((|a| + |b|) / 2)), in percent; rows where both are 0 have no error.

    The formula of P. Reisert et al., "Following the Blind Seer", section 3.1.
    """
    return 200 * mean(symmetric_errors(b, a), w)


def canberra(a: Array, b: Array, w: Array | None) -> float:
    """Return the sum of |a - b| / (|a| + |b|); rows where both are 0 count 0 ([Cha], L1 family)."""
    return weighted_sum(symmetric_errors(b, a), w)


def cosine(a: Array, b: Array, w: Array | None) -> float:
    """Return sum(ab) / (√sum(a²) · √sum(b²)) (thesis, 2.3.1); undefined where a or b is 0 throughout."""
    # Squares of huge values would overflow, those of tiny ones vanish.
    a, b = a / power_of_two(a), b / power_of_two(b)
    lengths = weighted_sum(a * a, w) * weighted_sum(b * b, w)
    return similarity(weighted_sum(a * b, w), math.sqrt(lengths))


def jaccard(a: Array, b: Array, w: Array | None) -> float:
    """Return sum(min(a, b)) / sum(max(a, b)) (thesis, 2.3.2); undefined where the sum of maxima is not positive.

    With negative values it may leave [0, 1], downwards without a bound.
    """
    return ratio(weighted_sum(np.minimum(a, b), w), weighted_sum(np.maximum(a, b), w))


def soergel(a: Array, b: Array, w: Array | None) -> float:
    """Return sum(|a - b|) / sum(max(a, b)) = 1 - Jaccard ([Cha], L1 family); undefined as Jaccard is."""
    return ratio(weighted_sum(np.abs(a - b), w), weighted_sum(np.maximum(a, b), w))


def braycurtis(a: Array, b: Array, w: Array | None) -> float:
    """Return sum(|a - b|) / sum(|a + b|) ([Cha], L1 family: Sørensen); undefined where b = -a."""
    return ratio(weighted_sum(np.abs(a - b), w), weighted_sum(np.abs(a + b), w))


def dice(a: Array, b: Array, w: Array | None) -> float:
    """Return 2 sum(ab) / (sum(a²) + sum(b²)) ([Cha], inner product family); undefined where both are 0 throughout."""
    return similarity(2 * weighted_sum(a * b, w), weighted_sum(a * a, w) + weighted_sum(b * b, w))


def kumar_hassebrook(a: Array, b: Array, w: Array | None) -> float:
    """Return sum(ab) / (sum(a²) + sum(b²) - sum(ab)) ([Cha], inner product family), also called Tanimoto or PCE."""
    products = weighted_sum(a * b, w)
    return similarity(products, weighted_sum(a * a, w) + weighted_sum(b * b, w) - products)


def minkowski(a: Array, b: Array, w: Array | None, p: float) -> float:
    """Return (sum(w |a - b|^p))^(1/p), p ≥ 1 (thesis, 2.3.3); for p = inf, max(|a - b|)."""
    distances = np.abs(a - b)
    return power_norm(distances, w, p) if p < math.inf else float(distances.max())


def mean_power(a: Array, b: Array, p: float, w: Array | None = None) -> float:
    """Return mean(|a - b|^p), without a root, p ≥ 1; for p = inf, max(|a - b|).

    These are the distances in the tables of the thesis (4.1 and 5.6 to 5.13), although its formula has the root.
    """
    check_order(p)
    a, b, w = prepared(a, b, w)
    if not len(a):
        return math.nan
    with np.errstate(over="ignore", under="ignore"):
        distances = np.abs(a - b)
        return mean(distances**p, w) if p < math.inf else float(distances.max())


def mae(a: Array, b: Array, w: Array | None) -> float:
    """Return the mean of |a - b|, the mean absolute error."""
    return mean_power(a, b, 1, w)


def rmse(a: Array, b: Array, w: Array | None) -> float:
    """Return √mean((a - b)²), the root mean squared error."""
    return minkowski(a, b, w, 2) / math.sqrt(weighted_sum(np.ones(len(a)), w))


def r2(a: Array, b: Array, w: Array | None) -> float:
    """Return 1 - sum((a - b)²) / sum((a - mean(a))²), of a as the reference; undefined where a is constant.

    T. Kvålseth, "Cautionary note about R²", The American Statistician 39(4), 1985, equation 1.
    """
    spread = centred(a, w)
    return 1 - ratio(weighted_sum((a - b) ** 2, w), weighted_sum(spread**2, w))


def pearson(a: Array, b: Array, w: Array | None) -> float:
    """Return the linear correlation; undefined where a or b is constant."""
    return cosine(centred(a, w), centred(b, w), w)


def spearman(a: Array, b: Array, w: Array | None) -> float:
    """Return the correlation of ranks (equal values share their mean rank); undefined where a or b is constant.

    It compares the orders of the configurations, which is enough to find good ones (V. Nair et al., "Using bad
    learners to find good configurations", 2017).
    """
    return pearson(ranks(a, w), ranks(b, w), w)


def check_order(p: float) -> None:
    """Refuse an invalid order of a Minkowski distance."""
    if not p >= 1:
        hint = "give a number of at least 1, or inf: below 1 the triangle inequality does not hold"
        raise SpecError(f"the order of a Minkowski distance cannot be {p:g}", hint=hint)


def _order(p: float, key: str, title: str) -> Measure:
    return Measure(key, title, "distance", "lower", partial(minkowski, p=p))


def _relative(key: str, title: str, **settings: Any) -> Measure:
    return Measure(key, title, "percent", "lower", partial(error_rate, **settings), directed=True)


# The first eight are computed by default, the others on request. The laws of each are in tests/comparison/laws.py.
_TABLE = (
    _relative("error_rate", "Error rate"),
    _relative("error_rate_reversed", "Error rate, reversed", swapped=True),
    Measure("cosine", "Cosine similarity", "fraction", "higher", cosine),
    Measure("jaccard", "Jaccard similarity", "fraction", "higher", jaccard),
    _order(1, "manhattan", "Manhattan distance"),
    _order(2, "euclidean", "Euclidean distance"),
    _order(3, "minkowski3", "Minkowski distance, order 3"),
    _order(math.inf, "chebyshev", "Chebyshev distance"),
    _relative("median_relative_error", "Median relative error", of=median),
    _relative("max_relative_error", "Greatest relative error", of=lambda x, w: float(x.max())),
    Measure("smape", "SMAPE", "percent", "lower", smape),
    Measure("mae", "Mean absolute error", "distance", "lower", mae),
    Measure("rmse", "Root mean squared error", "distance", "lower", rmse),
    Measure("r2", "R²", "fraction", "higher", r2, directed=True),
    Measure("pearson", "Pearson correlation", "fraction", "higher", pearson),
    Measure("spearman", "Spearman rank correlation", "fraction", "higher", spearman),
    Measure("canberra", "Canberra distance", "number", "lower", canberra),
    Measure("braycurtis", "Bray-Curtis dissimilarity", "fraction", "lower", braycurtis),
    Measure("soergel", "Soergel distance", "fraction", "lower", soergel),
    Measure("dice", "Dice similarity", "fraction", "higher", dice),
    Measure("kumar_hassebrook", "Kumar-Hassebrook", "fraction", "higher", kumar_hassebrook),
)
MEASURES: Mapping[str, Measure] = {entry.key: entry for entry in _TABLE}
DEFAULT_KEYS = tuple(entry.key for entry in _TABLE[:8])
# The error rates relative to the first and to the second values. Other directed measures have one key.
ERROR_RATES: Mapping[Reference, str] = {"first": "error_rate", "second": "error_rate_reversed"}


def measure(key: str) -> Measure:
    """Return the measure with a key of `MEASURES`, or the Minkowski distance of any order p ≥ 1 for `minkowskiP`.

    `minkowski4`, `minkowski2.5`; `minkowskiinf` is the Chebyshev distance. The measure keeps the key as given.
    """
    if key in MEASURES:
        return MEASURES[key]
    if order := re.fullmatch(r"minkowski([-+]?(?:\d++\.?+\d*+(?:e[-+]?\d+)?|inf|nan))", key):
        check_order(float(order[1]))
        return _order(float(order[1]), key, f"Minkowski distance, order {order[1]}")
    hint = "append the order, as in minkowski4 or minkowski2.5" if key.startswith("minkowski") else None
    raise SpecError(f"unknown measure {key!r}", hint=hint or unknown_name_hint(key, [*MEASURES, "minkowskiP"]))
