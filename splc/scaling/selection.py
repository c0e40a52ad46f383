"""What a learner chose for a batch of quantities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from splc.scaling.columns import columns
from splc.scaling.exponents import Exponents
from splc.types import Array

# The paper compares terms where the model is to be used: at four times the largest x that was measured.
FAR = 4.0
# Numbers in an intermediate result of a batch: some megabytes.
_NUMBERS = 500_000


def batch_size(points: int, hypotheses: int) -> int:
    """Return how many quantities to fit at once."""
    return max(1, _NUMBERS // max(points * hypotheses, 1))


@dataclass(frozen=True, eq=False)
class Selection:
    """One hypothesis per quantity.

    Attributes:
        terms: the terms that occur.
        first, second: the terms of each quantity's model, as positions in `terms`, -1 for none, shape (models,).
        coefficients: constant, first, second, shape (3, models).
        certainty: the posterior probability of the lead term, shape (models,); NaN where the method has none.
        floored: whether noise was taken for partly absolute, shape (models,).
    """

    terms: tuple[Exponents, ...]
    first: Array
    second: Array
    coefficients: Array
    certainty: Array
    floored: Array

    def compact(self) -> Selection:
        """Return it with only those terms that some quantity has."""
        used = np.unique(np.concatenate([self.first, self.second]))
        used = used[used >= 0]
        places = np.append(np.full(len(self.terms), -1), -1)
        places[used] = np.arange(len(used))
        terms = tuple(self.terms[at] for at in used)
        return replace(self, terms=terms, first=places[self.first], second=places[self.second])

    def values(self, x: Array) -> Array:
        """Return the predictions at points x, shape (models, points)."""
        known = np.concatenate([columns(self.terms, x), np.zeros((1, len(x)))])
        constant, first, second = self.coefficients[:, :, None]
        return np.asarray(constant + first * known[self.first] + second * known[self.second])

    def lead(self, far: float) -> Array:
        """Return the position of the term that contributes most at x = far, -1 for a constant; shape (models,)."""
        return leading(self.first, self.second, self.coefficients, columns(self.terms, np.array([far]))[:, 0])


def leading(first: Array, second: Array, coefficients: Array, at: Array) -> Array:
    """Return the term that contributes most: `first` or `second`, whose shape broadcasts to the result's.

    Args:
        first: the first terms, -1 for none.
        second: the second terms, -1 for none.
        coefficients: constant, first, second, shape (3, …).
        at: the values of all terms where contributions are compared, shape (terms,).
    """
    known = np.append(at, 0.0)
    more = np.abs(coefficients[2] * known[second]) > np.abs(coefficients[1] * known[first])
    return np.where(more, second, first)
