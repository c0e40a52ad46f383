"""Distributions of distances, and draws from them while distances run out of solutions."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Literal, get_args

import numpy as np

from sampling.space.ranks import uniform_below

Distribution = Literal["uniform", "binomial", "geometric", "normal"]
DISTRIBUTIONS: tuple[str, ...] = get_args(Distribution)

_BITS = 128


def probabilities(distribution: Distribution, n: int) -> list[int]:
    """Return integers proportional to the probabilities of n distances, in ascending order of the distances.

    `uniform`: all equal. `binomial`: n - 1 trials with probability 1/2. `geometric`: each half as probable as the one
    before. `normal`: the mean is in the middle, and the ends are three standard deviations away.
    """
    match distribution:
        case "uniform":
            return [1] * n
        case "binomial":
            binomials = [1]
            for number in range(1, n):
                binomials.append(binomials[-1] * (n - number) // number)
            return binomials
        case "geometric":
            return [1 << (n - 1 - number) for number in range(n)]
        case "normal":
            with localcontext() as context:
                context.prec = 40
                scores = [Decimal(3 * (2 * number - n + 1)) / max(1, n - 1) for number in range(n)]
                return [int((-score * score / 2).exp() * 2**_BITS) for score in scores]


class Lottery:
    """Draws of places with given weights, without those that were removed.

    Weights below 2^-128 of the largest one count as 0 until larger ones are removed.

    Args:
        weights: one per place, at least one above 0.
        rng: the random generator.
    """

    def __init__(self, weights: Sequence[int], rng: np.random.Generator) -> None:
        self._weights = list(weights)
        self._rng = rng
        self._removed: set[int] = set()
        self._lost = 0
        self._build()

    def draw(self) -> int:
        """Return a place; its probability is its share of the weights that were not removed."""
        while True:
            position = bisect.bisect_right(self._ends, uniform_below(self._ends[-1], self._rng))
            if position not in self._removed:
                return position

    def remove(self, position: int) -> None:
        """Remove a place."""
        self._removed.add(position)
        self._weights[position] = 0
        self._lost += self._ends[position] - (self._ends[position - 1] if position else 0)
        if 2 * self._lost > self._ends[-1]:
            self._build()

    def _build(self) -> None:
        excess = max(0, max(self._weights).bit_length() - _BITS)
        self._ends = list(itertools.accumulate(weight >> excess for weight in self._weights))
        self._removed = set()
        self._lost = 0
