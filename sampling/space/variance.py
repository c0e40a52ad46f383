"""Shares of the variance of a model's prediction over the valid space, for options that constraints tie together.

All valid configurations are equally probable. `closed(u)` is Var(E[f | u]), the variance of the prediction that is
explained by knowing the choices u. From it follow:

- the *share* of a choice: its Shapley effect (Owen, "Sobol' indices and Shapley value", SIAM/ASA J. Uncertainty
  Quantification 2, 2014; Song, Nelson and Staum, "Shapley effects for global sensitivity analysis", same journal 4,
  2016): the mean increase of `closed` over all orders in which the choices become known. Shares are never negative and
  add up to 1, also where constraints make choices dependent. Without constraints it is the Sobol' index of the choice
  plus an equal part of the index of each of its interactions.
- the first-order index: closed(i) / variance, and the total index: 1 - closed(all but i) / variance.
- the interaction of several choices: the inclusion-exclusion sum of `closed` over their subsets / variance. Without
  constraints it is their Sobol' index. It is negative where choices carry the same information.

With the link 'log' the variance is that of the logarithm of the prediction.

The Shapley effect is the integral over q in [0, 1] of the expected increase of `closed` if each other choice is known
with probability q (Owen, "Multilinear extensions of games", Management Science 18, 1972). The integrand is a
polynomial, which Gauss-Legendre quadrature integrates exactly, and a product over independent blocks. So shares are
exact for any number of choices as long as the blocks are small.

Where a block has too many choices, or too few drawn rows for their combinations, shares are those of the covariance
decomposition instead (Caniou and Sudret, "Covariance-based sensitivity indices based on polynomial chaos functional
decomposition", MASCOT 10, 2010): the model is expanded into products of factors without their means, and the covariance
of each product with the prediction is divided equally among its choices. These shares add up to 1 and are equal to the
Shapley effects without constraints; with constraints they may be negative.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sampling.space.blocks import Block, Piece
from splc.io.numbers import power_of_two
from splc.types import Array

# Operations for all subsets of the choices of all blocks, and drawn rows for each combination of choices.
MAX_WORK, MAX_CELLS, MIN_ROWS = 3e8, 1 << 25, 20
# A product of more factors is not expanded.
_MAX_FACTORS = 10
# A variance below this, relative to the second moments of the terms, is a rounding error.
_NEGLIGIBLE = 1e-13
# Interactions of more choices are not listed.
MAX_TOGETHER = 3


@dataclass(frozen=True)
class Importance:
    """The importance of one choice."""

    choice: int  # its number
    share: float  # its Shapley effect, or its share of the covariance, a fraction
    alone: float  # its first-order index, a fraction
    total: float | None  # its total index, a fraction; None where not all subsets of choices are examined


@dataclass(frozen=True)
class Interaction:
    """The interaction of several choices."""

    choices: tuple[int, ...]  # their numbers, ascending
    share: float  # its share of the variance, a fraction; negative where the choices carry the same information


class Variance:
    """The variance of a sum of terms over the valid space, explained by choices."""

    def __init__(self, blocks: Sequence[Block], influences: Sequence[float]) -> None:
        self.blocks = tuple(blocks)
        # Squares of huge influences would overflow, those of tiny ones vanish.
        self._unit = power_of_two(np.array(influences, dtype=float))
        self.influences = np.array(influences, dtype=float) / self._unit
        self.choices = tuple(sorted(choice for block in blocks for choice in block.choices))
        self._grams: dict[tuple[int, int], Array] = {}
        self._total = self.closed(self.choices)
        moments = float((self.influences**2 * np.diag(self._product(self.choices))).sum())
        # Without a variance there is nothing to explain.
        self.constant = self._total <= _NEGLIGIBLE * moments

    @property
    def deviation(self) -> float:
        """The standard deviation of the sum."""
        return self._unit * math.sqrt(self._total)

    @property
    def exhaustive(self) -> bool:
        """Whether shares are Shapley effects, computed for all subsets of choices."""
        dense = (block.exact or MIN_ROWS * len(block.weights) <= len(block.rows) for block in self.blocks)
        if not all(dense):
            return False
        sizes = [(len(block.choices), block.distinct_values.shape) for block in self.blocks]
        if any(count > 20 for count, _ in sizes):
            return False
        work = sum(2**count * rows * parts for count, (rows, parts) in sizes)
        return work <= MAX_WORK and all(2**count * parts**2 <= MAX_CELLS for count, (_, parts) in sizes)

    def closed(self, choices: Collection[int]) -> float:
        """Return Var(E[f | choices])."""
        difference = self._product(choices) - self._product(())
        return max(0.0, float(self.influences @ difference @ self.influences))

    def importance(self) -> tuple[Importance, ...]:
        """Return the importance of each choice, in ascending order."""
        if self.constant:
            return tuple(Importance(choice, 0.0, 0.0, 0.0) for choice in self.choices)
        exhaustive = self.exhaustive
        shares = self._shapley() if exhaustive else self._covariances()
        # The sum differs from the variance by rounding errors only.
        variance = math.fsum(shares.values())
        importances = []
        for choice in self.choices:
            partial = self.closed([other for other in self.choices if other != choice]) if exhaustive else None
            total = None if partial is None else 1 - partial / self._total
            importances.append(
                Importance(choice, shares[choice] / variance, self.closed((choice,)) / self._total, total)
            )
        return tuple(importances)

    def interactions(self, together: Iterable[Collection[int]]) -> tuple[Interaction, ...]:
        """Return the interactions of all subsets of two or three choices of these sets, in ascending order."""
        subsets = {
            subset
            for choices in together
            for size in range(2, MAX_TOGETHER + 1)
            for subset in combinations(sorted(choices), size)
        }
        if self.constant:
            return ()
        known = {u: self.closed(u) for choices in subsets for size in (1, 2, 3) for u in combinations(choices, size)}
        interactions = []
        for choices in sorted(subsets, key=lambda subset: (len(subset), subset)):
            sizes = range(1, len(choices) + 1)
            signed = sum(
                (-1) ** (len(choices) - size) * known[u] for size in sizes for u in combinations(choices, size)
            )
            interactions.append(Interaction(choices, signed / self._total))
        return tuple(interactions)

    def _product(self, choices: Collection[int]) -> Array:
        """Return E[E[term s | choices] E[term t | choices]] for all pairs of terms, shape (terms, terms)."""
        size = len(self.influences)
        product = np.ones((size, size))
        for number, block in enumerate(self.blocks):
            mask = sum(1 << position for position, choice in enumerate(block.choices) if choice in choices)
            product *= self._gram(number, mask)[np.ix_(block.part_of, block.part_of)]
        return product

    def _gram(self, number: int, mask: int) -> Array:
        key = (number, mask)
        if key not in self._grams:
            self._grams[key] = self.blocks[number].gram(mask)
        return self._grams[key]

    def _shapley(self) -> dict[int, float]:
        """Return the Shapley effect of each choice, times the variance."""
        nodes, weights = np.polynomial.legendre.leggauss(len(self.choices) // 2 + 1)
        grams = [
            np.stack([self._gram(number, mask) for mask in range(1 << len(block.choices))])
            for number, block in enumerate(self.blocks)
        ]
        shares = dict.fromkeys(self.choices, 0.0)
        for q, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            expected = [_expected(gram, len(block.choices), q) for gram, block in zip(grams, self.blocks, strict=True)]
            spread = [gram[np.ix_(b.part_of, b.part_of)] for gram, b in zip(expected, self.blocks, strict=True)]
            for number, block in enumerate(self.blocks):
                weighted = np.outer(self.influences, self.influences)
                for index, factor in enumerate(spread):
                    if index != number:
                        weighted = weighted * factor
                for bit, choice in enumerate(block.choices):
                    increase = _increase(grams[number], len(block.choices), bit, q)
                    shares[choice] += weight * float((weighted * increase[np.ix_(block.part_of, block.part_of)]).sum())
        return {choice: max(0.0, share) for choice, share in shares.items()}

    def _covariances(self) -> dict[int, float]:
        """Return the covariance of the prediction with the products of each choice, shared among their choices."""
        shares = dict.fromkeys(self.choices, 0.0)
        for term, influence in enumerate(self.influences.tolist()):
            pieces = [
                (number, piece)
                for number, block in enumerate(self.blocks)
                for piece in block.pieces[block.part_of[term]]
            ]
            if influence == 0 or not pieces:
                continue
            if len(pieces) > _MAX_FACTORS:
                covariance_row = self._product(self.choices)[term] - self._product(())[term]
                covariances = [(pieces, float(covariance_row @ self.influences))]
            else:
                subsets = [chosen for size in range(1, len(pieces) + 1) for chosen in combinations(pieces, size)]
                covariances = [(list(subset), self._covariance(pieces, subset)) for subset in subsets]
            for subset, covariance in covariances:
                involved = {choice for _, piece in subset for choice in piece.choices}
                for choice in involved:
                    shares[choice] += influence * covariance / len(involved)
        return shares

    def _covariance(self, pieces: Sequence[tuple[int, Piece]], varying: Sequence[tuple[int, Piece]]) -> float:
        """Return the covariance of f with a product of pieces, some without their means, of the others the means."""
        joint, separate = self.influences.copy(), self.influences.copy()
        for number, block in enumerate(self.blocks):
            product = np.ones(len(block.weights))
            for numbered_piece in pieces:
                if numbered_piece[0] == number:
                    values = block.piece_values[numbered_piece[1]]
                    mean = float(block.weights @ values)
                    product = product * (values - mean if numbered_piece in varying else mean)
            joint *= ((block.weights * product) @ block.distinct_values)[block.part_of]
            separate *= float(block.weights @ product) * block.means
        return float((joint - separate).sum())


def _probabilities(count: int, q: float) -> Array:
    """Return the probability of each subset of choices of which each is in it with probability q, shape (2^count,)."""
    sizes = np.array([mask.bit_count() for mask in range(1 << count)])
    probabilities: Array = q**sizes * (1 - q) ** (count - sizes)
    return probabilities


def _expected(grams: Array, count: int, q: float) -> Array:
    """Return the mean matrix over random subsets of a block's choices."""
    expected: Array = np.tensordot(_probabilities(count, q), grams, axes=1)
    return expected


def _increase(grams: Array, count: int, bit: int, q: float) -> Array:
    """Return the mean increase of the matrix by one choice over random subsets of the others."""
    masks = np.arange(1 << count)
    without = masks[masks >> bit & 1 == 0]
    weights = _probabilities(count, q)[without] / (1 - q)
    increase: Array = np.tensordot(weights, grams[without | 1 << bit] - grams[without], axes=1)
    return increase
