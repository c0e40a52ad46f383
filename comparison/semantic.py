"""Semantic comparison: two vectors of values on the same configurations (thesis, 4.2), weighted or not (7.2)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from comparison.measures import DEFAULT_KEYS, ERROR_RATES, Reference, mean_power, measure
from comparison.result import SemanticComparison
from splc.data.configurations import Configurations
from splc.errors import MeasurementError, SpecError
from splc.io.numbers import number_text
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.types import Array


def compare_values(
    first: Array,
    second: Array,
    *,
    keys: Sequence[str] = DEFAULT_KEYS,
    powers: Sequence[float] = (1, 2, 3),
    weights: Array | None = None,
    weighted_by: str | None = None,
    reference: Reference = "first",
) -> SemanticComparison:
    """Compare two vectors of values on the same configurations; only the ratios of weights matter."""
    first, second = _values(first, "first"), _values(second, "second")
    w = None if weights is None else checked_weights(weights, len(first))
    values = {}
    for key, chosen in {key: measure(key) for key in keys}.items():
        backwards = reference == "second" and chosen.directed and key not in ERROR_RATES.values()
        values[key] = _defined(chosen(*((second, first) if backwards else (first, second)), w))
    of_powers = {number_text(p): _defined(mean_power(first, second, p, w)) for p in powers}
    zeros, others = (int(np.count_nonzero(each == 0)) for each in (first, second))
    negative = int(np.count_nonzero(first < 0)), int(np.count_nonzero(second < 0))
    weighing = None if weights is None else weighted_by or "given"
    return SemanticComparison(len(first), values, of_powers, zeros, others, negative, weighing, reference)


def weights_from(values: Array) -> Array:
    """Return |value| / mean |value|, shape (n,), read-only: weights in proportion to the values."""
    sizes = np.abs(_values(values, "weighting"))
    if len(sizes):
        if not sizes.any():
            raise SpecError("all values are 0, which gives no weights", hint="use other weights, or none")
        sizes = sizes / sizes.max()
        sizes = sizes / sizes.mean()
    sizes.setflags(write=False)
    return sizes


def weights_of_terms(model: InfluenceModel, terms: Collection[Term], configurations: Configurations) -> Array:
    """Return the share of some terms of a model in each prediction, shape (n,), in [0, 1], read-only.

    The share is sum |contribution of these terms| / sum |contribution of all terms|, 0 where nothing contributes. For
    a model with the link 'log', contributions are those to the logarithm.
    """
    sizes = np.abs(model.contributions(configurations))
    # Contributions are finite; their sum may overflow.
    greatest = sizes.max(axis=1, keepdims=True)
    sizes /= np.where(greatest > 0, greatest, 1.0)
    chosen = np.array([term in terms for term, _ in model.terms])
    total = sizes.sum(axis=1)
    shares: Array = sizes[:, chosen].sum(axis=1) / np.where(total > 0, total, 1.0)
    if len(shares) and not shares.any():
        named = ", ".join(sorted(term.text(model.order) for term in terms))
        raise SpecError(f"{named} contributes nothing to any prediction, which gives no weights")
    shares = np.minimum(shares, 1.0)
    shares.setflags(write=False)
    return shares


def _values(numbers: Array, position: str) -> Array:
    """Return finite values as floats, shape (n,), or refuse them."""
    values = np.array(numbers, dtype=float)
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        which = f"{wrong.sum():,} of the {position} values"
        message = f"{which} are not finite, as {values[row]} at configuration {row}"
        raise MeasurementError(message, hint="leave these configurations out")
    return values


def checked_weights(numbers: Array, count: int) -> Array:
    """Return weights as floats, shape (count,)."""
    weights = np.asarray(numbers)
    if weights.shape != (count,) or (weights.dtype.kind not in "biuf" and count):
        message = f"the weights are {weights.dtype} of shape {weights.shape}, not numbers of shape ({count},)"
        raise SpecError(message, hint="give one weight per configuration")
    weights = weights.astype(float)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise SpecError(f"a weight cannot be {weights[row]:g}, as at configuration {row}", hint="0 leaves one out")
    if count and not weights.any():
        raise SpecError("all weights are 0", hint="at least one configuration has to count")
    return weights


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
