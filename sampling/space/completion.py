"""Minimal configurations: valid configurations with given selections that select the fewest options.

They are shortest paths through the decision diagrams, computed for many demands at once. Of several minimal
configurations, the result is the one that selects the first option in which they differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sampling.space.paths import Costs, Weights, cheapest, literal
from sampling.space.circuit import Circuit
from sampling.space.parts import Parts
from sampling.space.rows import distinct, packed
from splc.types import Array

Demand = frozenset[tuple[int, int]]

_CHUNK = 2**14


def selected(*variables: int) -> Demand:
    """Return the demand that these variables are selected."""
    return frozenset((variable, 1) for variable in variables)


def minimal(parts: Parts, demands: Sequence[Demand]) -> tuple[Array, Array]:
    """Return the minimal binary parts that meet demands.

    Where the valid configurations are too many to count, a part is minimal if no selected option can be left out; a
    smaller one may exist.

    `demands`: sets of pairs (selectable, 0 or 1).

    Returns: One row per demand, shape (demands, selectable), and which demands can be met, shape (demands,).
    """
    rows = np.zeros((len(demands), len(parts.selectable)), dtype=np.uint8)
    possible = np.zeros(len(demands), dtype=bool)
    if parts.solver is not None and not parts.space.is_counted:
        for row, demand in enumerate(demands):
            selection = parts.solver.minimal([variable + 1 if value else -variable - 1 for variable, value in demand])
            if selection is not None:
                rows[row], possible[row] = selection, True
        return rows, possible
    sizes = np.array([len(demand) for demand in demands])
    for size in np.unique(sizes).tolist():
        # No solution has two values of one variable.
        members = [row for row in np.flatnonzero(sizes == size).tolist() if len(dict(demands[row])) == size]
        literals = [[literal(*pair) for pair in sorted(demands[row])] for row in members]
        bits, met = minimal_bits(parts, np.array(literals, dtype=np.int64).reshape(len(members), size))
        rows[members] = np.where(met[:, None], unpacked(parts, bits), 0)
        possible[members] = met
    return rows, possible


def minimal_bits(parts: Parts, demands: Array, weights: Weights | None = None) -> tuple[Array, Array]:
    """Return the minimal binary parts that meet demands of equal size, packed as bits.

    `demands`: literals of different variables, shape (n, literals).
    """
    possible = np.full(len(demands), not parts.both.empty)
    if parts.both.empty or not parts.selectable:
        return np.zeros((len(demands), -(-len(parts.selectable) // 8)), dtype=np.uint8), possible
    smallest = _Smallest(parts, weights)
    bits = np.repeat(smallest.base[None], len(demands), axis=0)
    for members, literals, numbers in _by_component(parts, demands):
        changes, met = smallest.changes(literals)
        for start in range(0, len(members), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            bits[members[chunk]] ^= changes[numbers[chunk]]
        possible[members] &= met[numbers]
    return bits, possible


def feasible(parts: Parts, demands: Array) -> Array:
    """Return which demands some valid configuration meets, shape (n,).

    `demands`: literals of different variables, shape (n, literals).
    """
    possible = np.full(len(demands), not parts.both.empty)
    for members, literals, numbers in () if parts.both.empty else _by_component(parts, demands):
        met = np.zeros(len(literals), dtype=bool)
        for number, rows in _groups(_components(parts)[literals[:, 0] >> 1]):
            compiled = parts.both.compiled[number]
            if isinstance(compiled, Circuit):
                met[rows] = compiled.cheapest(
                    np.zeros((len(compiled.variables), 2)), _signed(compiled, literals[rows])
                )[1]
            else:
                met[rows] = cheapest(compiled, Costs.none(), literals[rows]) == 0
        possible[members] &= met[numbers]
    return possible


def unpacked(parts: Parts, bits: Array) -> Array:
    """Return rows of bits as selections, shape (n, selectable)."""
    return np.unpackbits(bits, axis=1, count=len(parts.selectable))


def _components(parts: Parts) -> Array:
    """Return the number of the diagram of each selectable, shape (selectable,)."""
    numbers = np.zeros(len(parts.selectable), dtype=np.int64)
    for number, compiled in enumerate(parts.both.compiled):
        numbers[[v for v in compiled.variables if v < len(numbers)]] = number
    return numbers


def _signed(circuit: Circuit, demands: Array) -> Array:
    """Return literals as those of a circuit: variables count from 1, negative if not selected."""
    positions = np.searchsorted(circuit.variables, demands >> 1) + 1
    return np.where(demands & 1, positions, -positions)


def _by_component(parts: Parts, demands: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield the parts of demands that are in one component each.

    Each time the rows of demands, the distinct parts of them in one component, and the number of each row's part.
    """
    tied = _components(parts)[demands >> 1]
    for leader in range(demands.shape[1]):
        same = tied == tied[:, leader : leader + 1]
        # The demands of which this is the first literal in its component.
        members = np.flatnonzero(~same[:, :leader].any(axis=1))
        later = same[members, leader:]
        for _, rows in _groups(distinct(packed(list(later.T), [2] * later.shape[1]), len(members))[1]):
            columns = leader + np.flatnonzero(later[rows[0]])
            literals = demands[members[rows]][:, columns]
            first, numbers = distinct(
                packed(list(literals.T), [2 * len(parts.selectable)] * len(columns)), len(literals)
            )
            yield members[rows], literals[first], numbers


def _groups(numbers: Array) -> Iterator[tuple[int, Array]]:
    """Yield each number and its positions."""
    if not len(numbers):
        return
    order = np.argsort(numbers, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        yield int(numbers[rows[0]]), rows


class _Smallest:
    """The minimal selections of single components, as changes of the minimal configuration without demands."""

    def __init__(self, parts: Parts, weights: Weights | None) -> None:
        self._compiled = parts.both.compiled
        self._component = _components(parts)
        self._members = [np.flatnonzero(self._component == number) for number in range(len(self._compiled))]
        self._weights = dict.fromkeys(range(len(parts.selectable)), (0, 1)) if weights is None else weights
        self._costs = [
            None if isinstance(compiled, Circuit) else Costs.ordered({v: self._weights[v] for v in members.tolist()})
            for compiled, members in zip(self._compiled, self._members, strict=True)
        ]
        self.base = np.zeros(-(-len(self._component) // 8), dtype=np.uint8)
        for number in np.unique(self._component).tolist():
            self.base |= self._solved(number, np.zeros((1, 0), dtype=np.int64))[0][0]

    def changes(self, demands: Array) -> tuple[Array, Array]:
        """Return the bits that differ from the base, for demands of one component each, and which can be met."""
        bits = np.zeros((len(demands), len(self.base)), dtype=np.uint8)
        met = np.zeros(len(demands), dtype=bool)
        for number, rows in _groups(self._component[demands[:, 0] >> 1]):
            selections, met[rows] = self._solved(number, demands[rows])
            component_bits = np.packbits(self._component == number)
            bits[rows[met[rows]]] = selections ^ (self.base & component_bits)
        return bits, met

    def _solved(self, number: int, demands: Array) -> tuple[Array, Array]:
        """Return the minimal selections of a component for the demands that can be met, and which can be met.

        The selections are bits of whole rows, shape (met, bytes).
        """
        compiled, costs = self._compiled[number], self._costs[number]
        if isinstance(compiled, Circuit):
            weights = np.array([self._weights[variable] for variable in compiled.variables])
            rows, met = compiled.cheapest(weights, _signed(compiled, demands))
            return self._wide(number, rows[met]), met
        assert costs is not None
        least = cheapest(compiled, costs, demands)
        met = least < costs.never
        selections = costs.selections(least[met])
        return self._wide(number, np.unpackbits(selections, axis=1, count=len(self._members[number]))), met

    def _wide(self, number: int, selections: Array) -> Array:
        """Return the selections of a component as bits of whole rows, shape (n, bytes)."""
        rows = np.zeros((len(selections), len(self.base)), dtype=np.uint8)
        for start in range(0, len(selections), _CHUNK):
            block = selections[start : start + _CHUNK]
            wide = np.zeros((len(block), len(self._component)), dtype=np.uint8)
            wide[:, self._members[number]] = block
            rows[start : start + _CHUNK] = np.packbits(wide, axis=1)
        return rows
