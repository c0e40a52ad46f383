"""Independent blocks of the options that a model uses, with the distribution of their values over the valid space.

Options that no constraint and no factor of a term tie together are independent of each other under the uniform
distribution over all valid configurations, so that the mean of a product of their factors is the product of means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sampling.space.optimum import configurations_of, positions_of
from sampling.space.problem import grouped, roots_of
from sampling.space.rows import distinct_rows
from sampling.space.space import Space
from splc.errors import ConfigurationError, Problem
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.terms import Term
from splc.types import Array

# Blocks with more valid combinations are drawn from: this number of combinations.
LIMIT, DRAWN = 1 << 16, 20_000


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
    # for each part its factors, a product for each choice, or one for several that a factor ties together
    pieces: tuple[tuple[Piece, ...], ...]
    _values: Array
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
        return self._values[self._distinct[0]]

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
        means: Array = (self.weights @ self.distinct_values)[self.part_of]
        return means

    @cached_property
    def _distinct(self) -> tuple[Array, Array]:
        return distinct_rows(self.codes)

    def gram(self, mask: int) -> Array:
        """Return E[E[part s | choices] E[part t | choices]] for all pairs of parts, shape (parts, parts).

        `mask`: the choices that are given, as bits in the order of `choices`.
        """
        known = [position for position in range(len(self.choices)) if mask >> position & 1]
        if len(known) == len(self.choices):
            return (self.distinct_values.T * self.weights) @ self.distinct_values
        _, group = distinct_rows(self.distinct_codes[:, known])
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        weights = np.add.reduceat(self.weights[order], starts)
        sums = np.add.reduceat((self.weights[:, None] * self.distinct_values)[order], starts, axis=0)
        gram: Array = (sums.T / weights) @ sums
        return gram


def blocks_of(
    model: InfluenceModel, space: Space, choices: Sequence[Sequence[int]], *, limit: int = LIMIT, seed: int = 0
) -> tuple[Block, ...]:
    """Return the independent blocks of the choices that a model uses.

    `model`: the model; terms with the influence 0 count as not used.
    """
    space.require_valid()
    components = space.solutions.components
    component_of = {variable: number for number, part in enumerate(components) for variable in part.variables}
    uses: dict[Term, tuple[int, ...]] = {}
    for term, influence in model.terms:
        for factor in term.factors if influence != 0 else ():
            single = Term((factor,))
            uses[single] = positions_of(model.options_of(single), space.system)
    used = {position for positions in uses.values() for position in positions}
    drawn = [number for number, members in enumerate(choices) if not used.isdisjoint(members)]
    together = (positions for positions in (*uses.values(), *(choices[number] for number in drawn)) if positions)
    roots = roots_of(len(components), ([component_of[position] for position in each] for each in together))
    root_of = {number: roots[component_of[choices[number][0]]] for number in drawn}
    rng = np.random.default_rng(seed)
    blocks = []
    for root in sorted(set(root_of.values())):
        inner = [number for number in drawn if root_of[number] == root]
        parts = [part for number, part in enumerate(components) if roots[number] == root]
        variables = tuple(sorted(variable for part in parts for variable in part.variables))
        block_options = frozenset(variables)
        products = [
            Term(tuple(f for f in term.factors if influence and block_options & set(uses[Term((f,))])))
            for term, influence in model.terms
        ]
        solutions = space.projection(variables)
        exact = solutions.count <= limit
        rows = solutions.enumerate(limit) if exact else solutions.draw(min(DRAWN, solutions.count), rng)
        columns = {variable: rows[:, column].astype(np.int64) for column, variable in enumerate(variables)}
        codes = np.stack([_codes([columns[position] for position in choices[number]]) for number in inner], axis=1)
        terms = tuple(dict.fromkeys(products))
        model_of_parts = InfluenceModel(tuple((term, 1.0) for term in terms), model.order, derived=model.derived)
        part_of = np.array([terms.index(product) for product in products], dtype=int)
        values = part_values(model_of_parts, variables, rows, space)
        of_choice = {position: number for number in inner for position in choices[number]}
        pieces = tuple(_pieces(term, uses, of_choice) for term in terms)
        blocks.append(
            Block(tuple(inner), variables, rows, codes, model_of_parts, part_of, exact, pieces, values, space)
        )
    return tuple(blocks)


def _pieces(part: Term, uses: Mapping[Term, tuple[int, ...]], of_choice: Mapping[int, int]) -> tuple[Piece, ...]:
    """Return the factors of a part, grouped by choices."""
    tied = (({of_choice[position] for position in uses[Term((factor,))]}, factor) for factor in part.factors)
    return tuple(Piece(tuple(sorted(about)), Term(tuple(sorted(factors)))) for about, factors in grouped(tied))


def part_values(parts: InfluenceModel, variables: Sequence[int], rows: Array, space: Space) -> Array:
    """Return the values of a block's parts at combinations of its options, shape (n, parts)."""
    try:
        return parts.contributions(configurations_of(variables, rows, space))
    except EvaluationError as error:
        raise ConfigurationError(Problem(error.what, hint=error.advice)) from None


def _codes(columns: Sequence[Array]) -> Array:
    """Return a number for each combination of values of a choice: of one option, the value index."""
    if len(columns) == 1:
        return columns[0]
    # Of an alternative group at most one member is selected: its number from 1, or 0.
    return np.asarray(sum(column * number for number, column in enumerate(columns, 1)), dtype=np.int64)
