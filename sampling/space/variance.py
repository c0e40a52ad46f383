"""Shares of the variance of a model's prediction over the valid space, for options that constraints tie together.

All valid configurations are equally probable. Options that no constraint and no factor of a term tie together are
independent of each other, in separate blocks, so that the mean of a product of their factors is the product of means.

`closed(u)` is Var(E[f | u]), the variance of the prediction that is
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
Shapley effects without constraints; with constraints they may be negative. On 30 random systems with constraints the
largest difference from the Shapley effects is 0.02 on the mean (0.11 if whole terms are divided equally).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations

import numpy as np

from sampling.space.optimum import configurations_of, positions_of, tied
from sampling.space.problem import grouped
from sampling.space.rows import distinct_rows
from sampling.space.space import Space
from splc.errors import ConfigurationError, Problem
from splc.io.numbers import power_of_two
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.terms import Term
from splc.types import Array

# Blocks with more valid combinations are drawn from: this number of combinations.
LIMIT, DRAWN = 1 << 16, 20_000
# Subsets of the choices of a block, operations for those of all blocks, and drawn rows for each combination of choices.
MAX_SUBSETS, MAX_WORK, MAX_CELLS, MIN_ROWS = 1 << 20, 3e8, 1 << 25, 20
_MAX_FACTORS = 10  # a product of more factors is not expanded
_NEGLIGIBLE = 1e-13  # a variance below this, relative to the second moments of the terms, is a rounding error
MAX_TOGETHER = 3  # interactions of more choices are not listed


@dataclass(frozen=True)
class Piece:
    """A product of factors over certain choices, by their numbers."""

    choices: tuple[int, ...]
    term: Term


@dataclass(frozen=True, eq=False)
class Block:
    """Choices that constraints or factors of terms tie together.

    A choice is an option or an alternative group. Each term is a product of parts, one in each block.
    """

    choices: tuple[int, ...]  # the numbers of the choices that the model uses, ascending
    variables: tuple[int, ...]  # the positions of all options of the block, ascending
    rows: Array  # valid combinations of value indices, equally probable, shape (n, variables)
    codes: Array  # the value of each choice in each row as a number, shape (n, choices)
    parts: InfluenceModel  # the distinct parts of terms in this block, as a model of terms with the influence 1
    part_of: Array  # the position among `parts` of the part of each term of the whole model, shape (terms,)
    exact: bool  # whether `rows` are all valid combinations, not drawn ones
    pieces: tuple[tuple[Piece, ...], ...]  # for each part its factors: a product for each choice, or for tied choices
    values: Array  # the values of the parts in each row, shape (n, parts)
    _space: Space

    @cached_property
    def weights(self) -> Array:
        """The probability of each distinct combination of the choices, shape (m,)."""
        return np.bincount(self._distinct[1]) / len(self.rows)

    @cached_property
    def distinct_codes(self) -> Array:
        """The distinct combinations of the choices, shape (m, choices)."""
        return self.codes[self._distinct[0]]

    @cached_property
    def distinct_values(self) -> Array:
        """The values of the parts at the distinct combinations, shape (m, parts)."""
        return self.values[self._distinct[0]]

    @cached_property
    def piece_values(self) -> dict[Piece, Array]:
        """The values of each piece at the distinct combinations, shapes (m,)."""
        distinct_pieces = tuple(dict.fromkeys(piece for pieces in self.pieces for piece in pieces))
        product = replace(self.parts, terms=tuple((piece.term, 1.0) for piece in distinct_pieces))
        values = part_values(product, self.variables, self.rows[self._distinct[0]], self._space)
        return dict(zip(distinct_pieces, values.T, strict=True))

    @cached_property
    def means(self) -> Array:
        """The mean of the part of each term, shape (terms,)."""
        return np.asarray((self.weights @ self.distinct_values)[self.part_of])

    @cached_property
    def _distinct(self) -> tuple[Array, Array]:
        return distinct_rows(self.codes)

    def gram(self, mask: int) -> Array:
        """Return E[E[part s | u] E[part t | u]] for all pairs of parts, u the choices with bits in a mask."""
        known = [position for position in range(len(self.choices)) if mask >> position & 1]
        if len(known) == len(self.choices):
            return (self.distinct_values.T * self.weights) @ self.distinct_values
        _, group = distinct_rows(self.distinct_codes[:, known])
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        weights = np.add.reduceat(self.weights[order], starts)
        sums = np.add.reduceat((self.weights[:, None] * self.distinct_values)[order], starts, axis=0)
        return np.asarray((sums.T / weights) @ sums)


def blocks_of(
    model: InfluenceModel, space: Space, choices: Sequence[Sequence[int]], *, limit: int = LIMIT, seed: int = 0
) -> tuple[Block, ...]:
    """Return the independent blocks of the choices that a model uses; terms with the influence 0 count as not used."""
    space.require_valid()
    factors = dict.fromkeys(factor for term, influence in model.terms if influence != 0 for factor in term.factors)
    uses = {f: frozenset(positions_of(model.options_of(Term((f,))), space.system)) for f in factors}
    used = frozenset[int]().union(*uses.values())
    drawn = [number for number, members in enumerate(choices) if not used.isdisjoint(members)]
    rng = np.random.default_rng(seed)
    blocks = []
    for components in tied(space, [*map(sorted, uses.values()), *(choices[number] for number in drawn)]):
        variables = tuple(sorted(v for number in components for v in space.solutions.components[number].variables))
        inner = [number for number in drawn if choices[number][0] in variables]
        if not inner:
            continue
        products = [
            Term(tuple(f for f in term.factors if influence and not uses[f].isdisjoint(variables)))
            for term, influence in model.terms
        ]
        solutions = space.projection(variables)
        exact = solutions.count <= limit
        rows = solutions.enumerate(limit) if exact else solutions.draw(min(DRAWN, solutions.count), rng)
        columns = {variable: rows[:, column].astype(np.int64) for column, variable in enumerate(variables)}
        # Of an alternative group at most one member is selected: its number from 1, or 0.
        groups = ([columns[position] for position in choices[number]] for number in inner)
        codes = np.stack([sum(column * code for code, column in enumerate(group, 1)) for group in groups], axis=1)
        terms = tuple(dict.fromkeys(products))
        model_of_parts = InfluenceModel(tuple((term, 1.0) for term in terms), model.order, derived=model.derived)
        part_of = np.array([terms.index(product) for product in products], dtype=int)
        values = part_values(model_of_parts, variables, rows, space)
        of_choice = {position: number for number in inner for position in choices[number]}
        pieces = []
        for term in terms:
            groups_of_factors = grouped(({of_choice[position] for position in uses[f]}, f) for f in term.factors)
            pieces.append(
                tuple(Piece(tuple(sorted(about)), Term(tuple(sorted(fs)))) for about, fs in groups_of_factors)
            )
        blocks.append(
            Block(tuple(inner), variables, rows, codes, model_of_parts, part_of, exact, tuple(pieces), values, space)
        )
    return tuple(blocks)


def part_values(parts: InfluenceModel, variables: Sequence[int], rows: Array, space: Space) -> Array:
    """Return the values of a block's parts at combinations of its options, shape (n, parts)."""
    try:
        return parts.contributions(configurations_of(variables, rows, space))
    except EvaluationError as error:
        raise ConfigurationError(Problem(error.what, hint=error.advice)) from None


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
        self._gram = cache(lambda number, mask: self.blocks[number].gram(mask))
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
        sizes = [(2 ** len(block.choices), *block.distinct_values.shape) for block in self.blocks]
        work = sum(math.prod(size) for size in sizes)
        few = all(count <= MAX_SUBSETS and count * parts**2 <= MAX_CELLS for count, _, parts in sizes)
        return few and work <= MAX_WORK and all(dense)

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
            others = [other for other in self.choices if other != choice]
            total = 1 - self.closed(others) / self._total if exhaustive else None
            alone = self.closed((choice,)) / self._total
            importances.append(Importance(choice, shares[choice] / variance, alone, total))
        return tuple(importances)

    def interactions(self, together: Iterable[Collection[int]]) -> tuple[Interaction, ...]:
        """Return the interactions of all subsets of two or three choices of these sets, in ascending order."""
        if self.constant:
            return ()
        sizes = range(1, MAX_TOGETHER + 1)
        subsets = {u for choices in together for size in sizes for u in combinations(sorted(choices), size)}
        closed = {u: self.closed(u) for u in subsets}
        interactions = []
        for choices in sorted(closed, key=lambda subset: (len(subset), subset)):
            if len(choices) > 1:
                parts = (u for size in sizes for u in combinations(choices, size))
                signed = sum((-1) ** (len(choices) - len(u)) * closed[u] for u in parts)
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

    def _shapley(self) -> dict[int, float]:
        """Return the Shapley effect of each choice, times the variance."""
        nodes, weights = np.polynomial.legendre.leggauss(len(self.choices) // 2 + 1)
        grams = [
            np.stack([self._gram(number, mask) for mask in range(1 << len(block.choices))])
            for number, block in enumerate(self.blocks)
        ]
        shares = dict.fromkeys(self.choices, 0.0)
        for q, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            # The probability of each subset of the choices of a block, of which each is in it with probability q.
            sizes = [np.array([mask.bit_count() for mask in range(len(gram))]) for gram in grams]
            chances = [q**size * (1 - q) ** (size[-1] - size) for size in sizes]
            expected = [np.tensordot(chance, gram, axes=1) for chance, gram in zip(chances, grams, strict=True)]
            spread = [gram[np.ix_(b.part_of, b.part_of)] for gram, b in zip(expected, self.blocks, strict=True)]
            for number, block in enumerate(self.blocks):
                weighted = np.outer(self.influences, self.influences)
                for index, factor in enumerate(spread):
                    if index != number:
                        weighted = weighted * factor
                masks = np.arange(len(grams[number]))
                for bit, choice in enumerate(block.choices):
                    # The mean increase of the matrix by the choice over random subsets of the others.
                    without = masks[masks >> bit & 1 == 0]
                    increases = grams[number][without | 1 << bit] - grams[number][without]
                    increase = np.tensordot(chances[number][without] / (1 - q), increases, axes=1)
                    shares[choice] += weight * float((weighted * increase[np.ix_(block.part_of, block.part_of)]).sum())
        return {choice: max(0.0, share) for choice, share in shares.items()}

    def _covariances(self) -> dict[int, float]:
        """Return the covariance of the prediction with the products of each choice, shared among their choices."""
        shares = dict.fromkeys(self.choices, 0.0)
        for term, influence in enumerate(self.influences.tolist()):
            pieces = [(i, piece) for i, block in enumerate(self.blocks) for piece in block.pieces[block.part_of[term]]]
            if influence == 0 or not pieces:
                continue
            if len(pieces) > _MAX_FACTORS:
                covariance_row = self._product(self.choices)[term] - self._product(())[term]
                covariances = [(pieces, float(covariance_row @ self.influences))]
            else:
                subsets = [chosen for size in range(1, len(pieces) + 1) for chosen in combinations(pieces, size)]
                covariances = [(list(subset), self._covariance(pieces, subset)) for subset in subsets]
            for subset, covariance in covariances:
                for choice in (involved := {choice for _, piece in subset for choice in piece.choices}):
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
