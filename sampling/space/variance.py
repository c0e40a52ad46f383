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
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sampling.space.blocks import Block
from splc.types import Array

# Operations for all subsets of the choices of all blocks; beyond it, random orders are averaged.
MOST_WORK, MOST_CELLS = 3e8, 1 << 25
ORDERS = 100
# A variance below this, relative to the second moments of the terms, is a rounding error.
_NEGLIGIBLE = 1e-13
# Interactions of more choices are not listed.
MOST_TOGETHER = 3


@dataclass(frozen=True)
class Importance:
    """The importance of one choice.

    Attributes:
        choice: its number.
        share: its Shapley effect, a fraction.
        alone: its first-order index, a fraction.
        total: its total index, a fraction.
    """

    choice: int
    share: float
    alone: float
    total: float


@dataclass(frozen=True)
class Interaction:
    """The interaction of several choices.

    Attributes:
        choices: their numbers, ascending.
        share: its share of the variance, a fraction; negative where the choices carry the same information.
    """

    choices: tuple[int, ...]
    share: float


class Variance:
    """The variance of a sum of terms over the valid space, explained by choices.

    Args:
        blocks: the independent blocks of the choices that the model uses.
        influences: the influence of each term, shape (terms,).
    """

    def __init__(self, blocks: Sequence[Block], influences: Sequence[float]) -> None:
        self.blocks = tuple(blocks)
        self.influences = np.array(influences, dtype=float)
        self.choices = tuple(sorted(choice for block in blocks for choice in block.choices))
        self._grams: dict[tuple[int, int], Array] = {}
        self.total = self.closed(self.choices)
        moments = float((self.influences**2 * np.diag(self._product(self.choices))).sum())
        # Without a variance nothing is explained.
        self.constant = self.total <= _NEGLIGIBLE * moments

    @property
    def exhaustive(self) -> bool:
        """Whether the shares are computed for all subsets of choices, not from random orders."""
        sizes = [(len(block.choices), block.distinct_values.shape) for block in self.blocks]
        if any(count > 20 for count, _ in sizes):
            return False
        work = sum(2**count * rows * parts for count, (rows, parts) in sizes)
        return work <= MOST_WORK and all(2**count * parts**2 <= MOST_CELLS for count, (_, parts) in sizes)

    def closed(self, choices: Collection[int]) -> float:
        """Return Var(E[f | choices])."""
        difference = self._product(choices) - self._product(())
        return max(0.0, float(self.influences @ difference @ self.influences))

    def importance(self, seed: int = 0) -> tuple[Importance, ...]:
        """Return the importance of each choice, in ascending order.

        Args:
            seed: the seed of the random orders where not all subsets of choices can be examined.
        """
        if self.constant:
            return tuple(Importance(choice, 0.0, 0.0, 0.0) for choice in self.choices)
        shares = self._exact_shares() if self.exhaustive else self._drawn_shares(seed)
        # The sum differs from the variance by rounding errors only.
        total = sum(shares.values())
        rest = {choice: self.closed([other for other in self.choices if other != choice]) for choice in self.choices}
        return tuple(
            Importance(
                choice, shares[choice] / total, self.closed((choice,)) / self.total, 1 - rest[choice] / self.total
            )
            for choice in self.choices
        )

    def interactions(self, together: Iterable[Collection[int]]) -> tuple[Interaction, ...]:
        """Return the interactions of all subsets of two or three choices of these sets, in ascending order."""
        wanted = {
            subset
            for choices in together
            for size in range(2, MOST_TOGETHER + 1)
            for subset in combinations(sorted(choices), size)
        }
        if self.constant:
            return ()
        known = {u: self.closed(u) for each in wanted for size in (1, 2, 3) for u in combinations(each, size)}
        found = []
        for choices in sorted(wanted, key=lambda each: (len(each), each)):
            sizes = range(1, len(choices) + 1)
            signed = sum(
                (-1) ** (len(choices) - size) * known[u] for size in sizes for u in combinations(choices, size)
            )
            found.append(Interaction(choices, signed / self.total))
        return tuple(found)

    def _product(self, choices: Collection[int]) -> Array:
        """Return E[E[term s | choices] E[term t | choices]] for all pairs of terms, shape (terms, terms)."""
        size = len(self.influences)
        found = np.ones((size, size))
        for number, block in enumerate(self.blocks):
            mask = sum(1 << place for place, choice in enumerate(block.choices) if choice in choices)
            found *= self._gram(number, mask)[np.ix_(block.part_of, block.part_of)]
        return found

    def _gram(self, number: int, mask: int) -> Array:
        key = (number, mask)
        if key not in self._grams:
            self._grams[key] = self.blocks[number].gram(mask)
        return self._grams[key]

    def _exact_shares(self) -> dict[int, float]:
        """Return the Shapley effect of each choice, times the variance."""
        nodes, weights = np.polynomial.legendre.leggauss(len(self.choices) // 2 + 1)
        grams = [
            np.stack([self._gram(number, mask) for mask in range(1 << len(block.choices))])
            for number, block in enumerate(self.blocks)
        ]
        shares = dict.fromkeys(self.choices, 0.0)
        for q, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            expected = [_expected(gram, len(block.choices), q) for gram, block in zip(grams, self.blocks, strict=True)]
            spread = [own[np.ix_(b.part_of, b.part_of)] for own, b in zip(expected, self.blocks, strict=True)]
            for number, block in enumerate(self.blocks):
                others = np.outer(self.influences, self.influences)
                for place, each in enumerate(spread):
                    if place != number:
                        others = others * each
                for bit, choice in enumerate(block.choices):
                    increase = _increase(grams[number], len(block.choices), bit, q)
                    shares[choice] += weight * float((others * increase[np.ix_(block.part_of, block.part_of)]).sum())
        return {choice: max(0.0, share) for choice, share in shares.items()}

    def _drawn_shares(self, seed: int) -> dict[int, float]:
        """Return the mean increase over random orders and their reverses; it adds up to the variance in each order."""
        rng = np.random.default_rng(seed)
        shares = dict.fromkeys(self.choices, 0.0)
        for _ in range(ORDERS // 2):
            order = rng.permutation(self.choices).tolist()
            for known in (order, order[::-1]):
                before = 0.0
                for count, choice in enumerate(known, 1):
                    after = self.closed(frozenset(known[:count]))
                    shares[choice] += (after - before) / ORDERS
                    before = after
        return shares


def _probabilities(count: int, q: float) -> Array:
    """Return the probability of each subset of choices of which each is in it with probability q, shape (2^count,)."""
    sizes = np.array([mask.bit_count() for mask in range(1 << count)])
    found: Array = q**sizes * (1 - q) ** (count - sizes)
    return found


def _expected(grams: Array, count: int, q: float) -> Array:
    """Return the mean matrix over random subsets of a block's choices."""
    found: Array = np.tensordot(_probabilities(count, q), grams, axes=1)
    return found


def _increase(grams: Array, count: int, bit: int, q: float) -> Array:
    """Return the mean increase of the matrix by one choice over random subsets of the others."""
    masks = np.arange(1 << count)
    without = masks[masks >> bit & 1 == 0]
    weights = _probabilities(count, q)[without] / (1 - q)
    found: Array = np.tensordot(weights, grams[without | 1 << bit] - grams[without], axes=1)
    return found
