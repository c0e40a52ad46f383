"""Minimal configurations: valid configurations with given selections, of options or sets of them, and few others.

They are shortest paths through the decision diagrams, computed for many demands at once. Of several minimal
configurations, the result is the one that selects the first option in which they differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from sampling.space.circuit import Circuit
from sampling.space.parts import Parts
from sampling.space.paths import Costs, Weights, cheapest, literal
from sampling.space.rows import distinct, distinct_rows, packed, without_repeated_bytes, without_repeats
from splc.errors import SpaceError
from splc.io.numbers import count_text
from splc.types import Array

Demand = frozenset[tuple[int, int]]

_CHUNK = 2**14
# The subsets need a second or so per million, their configurations a byte per option.
MAX_SUBSETS, MAX_BYTES = 2_000_000, 600_000_000


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
    for component, members, literals, numbers in _by_component(parts, demands):
        changes, met = smallest.changes(component, literals)
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
    for component, members, literals, numbers in () if parts.both.empty else _by_component(parts, demands):
        compiled = parts.both.compiled[component]
        if isinstance(compiled, Circuit):
            met = _in_circuit(compiled, np.zeros((len(compiled.variables), 2)), literals)[1]
        else:
            met = cheapest(compiled, Costs.none(), literals) == 0
        possible[members] &= met[numbers]
    return possible


def unpacked(parts: Parts, bits: Array) -> Array:
    """Return rows of bits as selections, shape (n, selectable)."""
    return np.unpackbits(bits, axis=1, count=len(parts.selectable))


def _components(parts: Parts) -> Array:
    """Return the number of the component of each selectable, shape (selectable,)."""
    numbers = np.zeros(len(parts.selectable), dtype=np.int64)
    for number, compiled in enumerate(parts.both.compiled):
        numbers[[v for v in compiled.variables if v < len(numbers)]] = number
    return numbers


def _in_circuit(circuit: Circuit, weights: Array, demands: Array) -> tuple[Array, Array]:
    """Return the solutions of least weight that meet demands, and which can be met."""
    # Its literals count variables from 1, and are negative if not selected.
    positions = np.searchsorted(circuit.variables, demands >> 1) + 1
    return circuit.cheapest(weights, np.where(demands & 1, positions, -positions))


def _by_component(parts: Parts, demands: Array) -> Iterator[tuple[int, Array, Array, Array]]:
    """Yield the parts of demands that are in one component each.

    Each time the component, the rows of demands, the distinct parts of them in it, and the number of each row's part.
    """
    tied = _components(parts)[demands >> 1]
    for leader in range(demands.shape[1]):
        same = tied == tied[:, leader : leader + 1]
        # The demands of which this is the first literal in its component.
        members = np.flatnonzero(~same[:, :leader].any(axis=1))
        later = same[members, leader:]
        sizes = [len(parts.both.compiled), *[2] * later.shape[1]]
        _, patterns = distinct(packed([tied[members, leader], *later.T], sizes), len(members))
        order = np.argsort(patterns, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(patterns[order])) + 1) if len(order) else ():
            columns = leader + np.flatnonzero(later[rows[0]])
            literals = demands[members[rows]][:, columns]
            first, numbers = distinct_rows(literals, [2 * len(parts.selectable)] * len(columns))
            yield int(tied[members[rows[0]], leader]), members[rows], literals[first], numbers


class _Smallest:
    """The minimal selections of single components, as changes of the minimal configuration without demands."""

    def __init__(self, parts: Parts, weights: Weights | None) -> None:
        self._compiled = parts.both.compiled
        self._component = _components(parts)
        self._weights = dict.fromkeys(range(len(parts.selectable)), (0, 1)) if weights is None else weights
        self._costs: dict[int, Costs] = {}
        self.base = np.zeros(-(-len(self._component) // 8), dtype=np.uint8)
        for number in np.unique(self._component).tolist():
            self.base |= self._solved(number, np.zeros((1, 0), dtype=np.int64))[0][0]

    def changes(self, number: int, demands: Array) -> tuple[Array, Array]:
        """Return the bits that differ from the base, for demands of one component, and which can be met."""
        bits = np.zeros((len(demands), len(self.base)), dtype=np.uint8)
        selections, met = self._solved(number, demands)
        bits[met] = selections ^ (self.base & np.packbits(self._component == number))
        return bits, met

    def _solved(self, number: int, demands: Array) -> tuple[Array, Array]:
        """Return the minimal selections of a component for the demands that can be met, and which can be met.

        The selections are bits of whole rows, shape (met, bytes).
        """
        compiled, members = self._compiled[number], np.flatnonzero(self._component == number)
        if isinstance(compiled, Circuit):
            weights = np.array([self._weights[variable] for variable in compiled.variables])
            rows, met = _in_circuit(compiled, weights, demands)
            return self._wide(members, rows[met]), met
        if number not in self._costs:
            self._costs[number] = Costs.ordered({variable: self._weights[variable] for variable in members.tolist()})
        costs = self._costs[number]
        least = cheapest(compiled, costs, demands)
        met = least < costs.never
        return self._wide(members, np.unpackbits(costs.selections(least[met]), axis=1, count=len(members))), met

    def _wide(self, members: Array, selections: Array) -> Array:
        """Return the selections of a component as bits of whole rows, shape (n, bytes)."""
        rows = np.zeros((len(selections), len(self.base)), dtype=np.uint8)
        for start in range(0, len(selections), _CHUNK):
            block = selections[start : start + _CHUNK]
            wide = np.zeros((len(block), len(self._component)), dtype=np.uint8)
            wide[:, members] = block
            rows[start : start + _CHUNK] = np.packbits(wide, axis=1)
        return rows


def subset_minima(parts: Parts, t: int) -> tuple[Array, int]:
    """Return the distinct minimal configurations of all t-subsets of options, and the number of subsets without one.

    Subsets in which one option is an ancestor of another, or implies another one alone, are left out, and so are
    those that some configuration of a sample to be extended selects.
    """
    subsets = unrelated_subsets(parts, t)
    for known in parts.covered:
        subsets = subsets[~known[subsets].all(axis=1)]
    bits, possible = minimal_bits(parts, literal(0, 1) + 2 * subsets)
    return unpacked(parts, without_repeated_bytes(bits[possible])), int((~possible).sum())


def option_minima(parts: Parts) -> tuple[Array, list[str]]:
    """Return the minimal configurations of single options, distinct, and the options that none of them selects.

    The first one has the mandatory options only, if that is a configuration. Options that some configuration of a
    sample to be extended selects are left out.
    """
    top = [
        parts.system.positions[option.name]
        for option in parts.system.binary_options
        if option.parent is None and option.name in parts.system.mandatory
    ]
    base, valid = minimal(parts, [selected(*top)])
    first = base[valid & (base.sum(axis=1) == len(top)) & (len(parts.covered) == 0)]
    options = np.flatnonzero(~parts.covered.any(axis=0)).tolist()
    rows, possible = minimal(parts, [selected(*top, option) for option in options])
    never = [parts.selectable[option] for option, can in zip(options, possible, strict=True) if not can]
    return without_repeats(np.concatenate([first, rows[possible]])), never


def unrelated_subsets(parts: Parts, t: int) -> Array:
    """Return the t-subsets of options that are not related, in lexicographic order, shape (n, t)."""
    n = len(parts.selectable)
    count = math.comb(n, t)
    if count > MAX_SUBSETS or count * n > MAX_BYTES:
        raise SpaceError(
            f"{n:,} options have {count_text(count)} subsets of {t}, too many for a sample",
            hint="use smaller subsets, a covering array (covering:T), or random:N",
        )
    apart = np.ones((n, n), dtype=bool)
    for pair in parts.related():
        first, second = min(pair), max(pair)
        apart[[first, second], [second, first]] = False
    later = np.triu(apart, 1)
    subsets = np.zeros((1, 0), dtype=np.int64)
    # The options that may follow each subset: later ones that are not related to any of it.
    following = np.ones((1, n), dtype=bool)
    for needed in range(t, 0, -1):
        # An option with too few others behind it would end in a smaller subset.
        enough = np.cumsum(following[:, ::-1], axis=1, dtype=np.int32)[:, ::-1] >= needed
        row, option = np.nonzero(following & enough)
        subsets = np.concatenate([subsets[row], option[:, None]], axis=1)
        if needed > 1:
            following = following[row] & later[option]
    return subsets
