"""Binary and numeric parts of configurations, and minimal binary parts.

The binary part has one selection (0 or 1) per binary option and one per switch of an optional numeric option; the
numeric part has one value index per numeric option. A numeric option whose switch is off is deselected, regardless of
its value. A part is valid if it belongs to a valid configuration.

Minimal parts have given selections, of options or sets of them, and few others. They are shortest paths through the
decision diagrams, computed for many demands at once. Of several, the result is the one that selects the first option in
which they differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from sampling.space.circuit import Circuit
from sampling.space.diagram import Costs, Weights, cheapest, literal
from sampling.space.problem import ConstraintProblem, problem_of
from sampling.space.rows import distinct, distinct_rows, packed, without_repeats
from sampling.space.satisfiability import Satisfiability
from sampling.space.solutions import Cache, Compiled, Solutions
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.io.numbers import count_text
from splc.system.variability import ENABLED
from splc.types import Array

Demand = frozenset[tuple[int, int]]

_CHUNK = 2**14
# The subsets need a second or so per million, their configurations a byte per option.
MAX_SUBSETS, MAX_BYTES = 2_000_000, 600_000_000


class Parts:
    """The parts of one system's valid configurations.

    `existing`: valid configurations that are not selected again; `known`: instead of these, their distinct selections,
    bool of shape (n, selectable). `apart`: whether designs cover what the existing configurations cover, too.
    """

    def __init__(
        self, space: Space, existing: Configurations | None = None, apart: bool = False, known: Array | None = None
    ) -> None:
        self.space = space
        self.existing = existing
        self.apart = apart
        self._known = known
        self.system = space.system
        # The positions of optional numeric options.
        self.optional = [self.system.positions[each.name] for each in self.system.numeric_options if each.optional]
        self.binary_names = tuple(option.name for option in self.system.binary_options)
        self.selectable = (*self.binary_names, *(ENABLED + self.system.names[position] for position in self.optional))

    @cached_property
    def problem(self) -> ConstraintProblem:
        """The system as variables: selections, then numeric values."""
        return problem_of(self.system, split=True) if self.optional else self.space.problem

    @cached_property
    def cache(self) -> Cache:
        """Diagrams built so far."""
        return {} if self.optional else self.space.cache

    @cached_property
    def both(self) -> Solutions:
        """The valid pairs of binary and numeric part."""
        return Solutions(self.problem, cache=self.cache) if self.optional else self.space.solutions

    @cached_property
    def binary(self) -> Solutions:
        """The valid binary parts."""
        return Solutions(self.problem, range(len(self.selectable)), cache=self.cache)

    @cached_property
    def numeric(self) -> Solutions:
        """The valid numeric parts."""
        return Solutions(self.problem, range(len(self.selectable), len(self.problem.sizes)), cache=self.cache)

    @cached_property
    def solver(self) -> Satisfiability | None:
        """The SAT solver of the selections, where these are too many for decision diagrams; None elsewhere."""
        return self.space.solver if self.problem is self.space.problem else None

    @cached_property
    def known(self) -> Array:
        """The distinct selections of existing configurations, bool of shape (n, selectable)."""
        if self._known is not None:
            return self._known
        if self.existing is None or not self.selectable:
            return np.zeros((0, len(self.selectable)), dtype=bool)
        columns = [self.existing.column(name) == 1 for name in self.selectable]
        return np.unique(np.stack(columns, axis=1), axis=0)

    @property
    def covered(self) -> Array:
        """The selections whose combinations need not be covered, bool of shape (n, selectable)."""
        return self.known[:0] if self.apart else self.known

    def compose(self, binary: Array, numeric: Array) -> Configurations:
        """Return the configurations of binary parts and numeric parts, row by row; they may be invalid."""
        indices = np.concatenate([binary[:, : len(self.binary_names)], numeric], axis=1, dtype=np.int64)
        for switch, position in enumerate(self.optional, len(self.binary_names)):
            indices[binary[:, switch] == 0, position] = self.system.options[position].size - 1
        return Configurations(self.system, indices)

    @cached_property
    def components(self) -> Array:
        """The number of the component of each selectable, shape (selectable,)."""
        return np.array([self.both.component_of[variable] for variable in range(len(self.selectable))], dtype=np.int64)


def minimal(parts: Parts, demands: Sequence[Demand]) -> tuple[Array, Array]:
    """Return the minimal binary parts that meet demands, shape (demands, selectable), and which can be met.

    Where the valid configurations are too many to count, a part is minimal if no selected option can be left out; a
    smaller one may exist.
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
    """Return the minimal binary parts that meet demands of equal size, packed as bits, and which can be met.

    `demands`: literals of different variables, shape (n, literals). `weights`: of the values of each selectable.
    """
    n = len(parts.selectable)
    bits = np.zeros((len(demands), -(-n // 8)), dtype=np.uint8)
    possible = np.full(len(demands), not parts.both.empty)
    if parts.both.empty or not n:
        return bits, possible
    weights = dict.fromkeys(range(n), (0, 1)) if weights is None else weights

    def smallest(number: int, literals: Array) -> tuple[Array, Array, Array]:
        """Return the minimal selections of a component as bits of whole rows, which are met, and the other bits."""
        own = parts.components == number
        component_weights = {variable: weights[variable] for variable in np.flatnonzero(own).tolist()}
        rows, met = _smallest(parts.both.compiled[number], component_weights, literals)
        packed_rows = np.zeros((len(rows), bits.shape[1]), dtype=np.uint8)
        for start in range(0, len(rows), _CHUNK):
            wide = np.zeros((len(rows[start : start + _CHUNK]), n), dtype=np.uint8)
            wide[:, own] = rows[start : start + _CHUNK]
            packed_rows[start : start + _CHUNK] = np.packbits(wide, axis=1)
        return packed_rows, met, ~np.packbits(own)

    for number in np.unique(parts.components).tolist():
        bits |= smallest(number, np.zeros((1, 0), dtype=np.int64))[0]
    for number, members, literals, numbers in _by_component(parts, demands):
        selections, met, others = smallest(number, literals)
        for start in range(0, len(members), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            bits[members[chunk]] = bits[members[chunk]] & others | selections[numbers[chunk]]
        possible[members] &= met[numbers]
    return bits, possible


def _smallest(compiled: Compiled, weights: Weights, demands: Array) -> tuple[Array, Array]:
    """Return the selections of least weight that meet demands, and which can be met; others are arbitrary."""
    if isinstance(compiled, Circuit):
        # Its literals count variables from 1, and are negative if not selected.
        positions = np.searchsorted(compiled.variables, demands >> 1) + 1
        costs_of_values = np.array([weights.get(variable, (0, 0)) for variable in compiled.variables])
        return compiled.cheapest(costs_of_values, np.where(demands & 1, positions, -positions))
    costs = Costs.ordered(weights)
    least = cheapest(compiled, costs, demands)
    return np.unpackbits(costs.selections(least), axis=1, count=len(weights)), least < costs.never


def feasible(parts: Parts, demands: Array) -> Array:
    """Return which demands, literals of shape (n, literals), some valid configuration meets, shape (n,)."""
    possible = np.full(len(demands), not parts.both.empty)
    for number, members, literals, numbers in () if parts.both.empty else _by_component(parts, demands):
        possible[members] &= _smallest(parts.both.compiled[number], {}, literals)[1][numbers]
    return possible


def unpacked(parts: Parts, bits: Array) -> Array:
    """Return rows of bits as selections, shape (n, selectable)."""
    return np.unpackbits(bits, axis=1, count=len(parts.selectable))


def _by_component(parts: Parts, demands: Array) -> Iterator[tuple[int, Array, Array, Array]]:
    """Yield for each component: the component, rows of demands, their distinct literals in it, the number of each."""
    tied = parts.components[demands >> 1]
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


def subset_minima(parts: Parts, t: int) -> tuple[Array, int]:
    """Return the distinct minimal configurations of all t-subsets of options, and the number of subsets without one.

    Unrelated subsets only, without those that some configuration of a sample to be extended selects.
    """
    subsets = unrelated_subsets(parts, t)
    for known in parts.covered:
        subsets = subsets[~known[subsets].all(axis=1)]
    bits, possible = minimal_bits(parts, literal(0, 1) + 2 * subsets)
    return unpacked(parts, without_repeats(bits[possible])), int((~possible).sum())


def option_minima(parts: Parts) -> tuple[Array, list[str]]:
    """Return the minimal configurations of single options, distinct, and the options that none of them selects.

    The first one has the mandatory options only, if that is a configuration. Options that some configuration of a
    sample to be extended selects are left out.
    """
    options = parts.system.binary_options
    top = {(p, 1) for p, each in enumerate(options) if each.parent is None and each.name in parts.system.mandatory}
    base, valid = minimal(parts, [frozenset(top)])
    first = base[valid & (base.sum(axis=1) == len(top)) & (len(parts.covered) == 0)]
    wanted = np.flatnonzero(~parts.covered.any(axis=0)).tolist()
    rows, possible = minimal(parts, [frozenset(top | {(option, 1)}) for option in wanted])
    never = [parts.selectable[option] for option, can in zip(wanted, possible, strict=True) if not can]
    return without_repeats(np.concatenate([first, rows[possible]])), never


def unrelated_subsets(parts: Parts, t: int) -> Array:
    """Return the t-subsets of options without an ancestor of or one that is implied by another, shape (n, t)."""
    n = len(parts.selectable)
    count = math.comb(n, t)
    if count > MAX_SUBSETS or count * n > MAX_BYTES:
        raise SpaceError(
            f"{n:,} options have {count_text(count)} subsets of {t}, too many for a sample",
            hint="use smaller subsets, a covering array (covering:T), or random:N",
        )
    later = np.triu(np.ones((n, n), dtype=bool), 1)
    positions, parents = parts.system.positions, {option.name: option.parent for option in parts.system.binary_options}
    for each in parts.system.binary_options:
        related = [group[0] for group in each.implied if len(group) == 1 and group[0] in parents]
        ancestor = each.parent
        while ancestor is not None:
            related.append(ancestor)
            ancestor = parents[ancestor]
        for name in related:
            later[tuple(sorted((positions[each.name], positions[name])))] = False
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
