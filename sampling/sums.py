"""An arithmetic constraint over many options as an automaton that adds up: a comparison of sums.

Both sides are sums of groups of options that share none. A state is what has been added up so far; sums after which
every continuation fares alike are one state. So a linear constraint over 30 options has few states, or at most about
2^15 if no two of its coefficients have anything to do with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sampling.automata import MAX_CELLS, Automaton, live_values, merged, too_large, values_in
from sampling.problem import Comparison
from sampling.rows import distinct
from splc.arithmetic import Node, Sum, evaluate, names_in
from splc.constraints import TOLERANCE

Array = np.ndarray[Any, np.dtype[Any]]

MAX_STATES = 2**20
_MAX_SUFFIXES = 2**16


class _Sums:
    """The two sides of a comparison over the free variables, as constants and contributions of single variables."""

    def __init__(self, comparison: Comparison, order: Sequence[int], domains: Sequence[int]) -> None:
        self.live = {variable: live_values(comparison, variable, domains) for variable in comparison.scope}
        self.constant = np.zeros(2)
        # Variable → what its live values add to left and right, shape (values, 2).
        self.adds: dict[int, Array] = {}
        free = set(order)
        for side, tree in enumerate((comparison.origin.left, comparison.origin.right)):
            for sign, addend in _addends(tree):
                about = {comparison.tables[name][0] for name in names_in(addend) if name in comparison.tables} & free
                if len(about) > 1:
                    raise too_large(comparison)
                variable = next(iter(about), None)
                amount = sign * self._value(comparison, addend, variable)
                if not np.isfinite(amount).all():
                    raise too_large(comparison)
                if variable is None:
                    self.constant[side] += float(amount.reshape(-1)[0])
                else:
                    table = self.adds.setdefault(variable, np.zeros((len(self.live[variable]), 2)))
                    table[:, side] += amount
        for table in self.adds.values():
            for side in (0, 1):
                if np.ptp(table[:, side]) == 0:
                    self.constant[side] += table[0, side]
                    table[:, side] = 0.0

    def _value(self, comparison: Comparison, addend: Node, variable: int | None) -> Array:
        def value_of(name: str) -> Array:
            if name not in comparison.tables:
                return np.ones(1)
            where, table = comparison.tables[name]
            values: Array = table[self.live[where]].astype(float)
            return values if where == variable else values[:1]

        size = 1 if variable is None else len(self.live[variable])
        return np.broadcast_to(evaluate(addend, value_of, zero_safe=True), (size,))


def _addends(tree: Node, sign: int = 1) -> list[tuple[int, Node]]:
    if not isinstance(tree, Sum):
        return [(sign, tree)]
    return [pair for own, child in tree.addends for pair in _addends(child, sign * own)]


def summed(comparison: Comparison, order: Sequence[int], domains: Sequence[int]) -> Automaton:
    """Return the automaton of a comparison of sums that reads `order`, all its variables with several values.

    Raises:
        SpaceError: if the comparison is none of sums of single options, or has too many distinct sums.
    """
    sums = _Sums(comparison, order, domains)
    tables = [sums.adds.get(variable, np.zeros((len(sums.live[variable]), 2))) for variable in order]
    sides = [any(np.ptp(table[:, side]) > 0 for table in tables) for side in (0, 1)]
    magnitude = sum(float(np.abs(table).max()) for table in tables) + float(np.abs(sums.constant).max()) + 1.0
    # Far below the tolerance with which sides are compared, far above what rounding does to a sum.
    grain = 1e-13 * magnitude
    # What can still be added after each variable; with two varying sides it would not decide alone.
    suffixes = _suffixes(tables, grain) if not all(sides) else [None] * len(order)
    # Where one side is constant, sides that are nearly equal have its magnitude.
    margin = TOLERANCE * max(1.0, abs(float(sums.constant[1] if sides[0] else sums.constant[0])))
    now = sums.constant[None]
    raw: list[Array] = []
    for position, variable in enumerate(order):
        values = values_in(domains[variable])
        after = (now[:, None, :] + tables[position][None]).reshape(-1, 2)
        if len(after) > 8 * MAX_STATES:
            raise too_large(comparison)
        if position == len(order) - 1:
            holds = comparison.origin.compare(after[:, 0] - after[:, 1], np.abs(after).max(axis=1))
            rank, first = np.where(holds, 0, -1), np.zeros(1, dtype=np.int64)
        else:
            first, rank = _alike(after, suffixes[position], margin, grain)
        if len(first) > MAX_STATES:
            raise too_large(comparison)
        # The last state of each layer is "satisfied already", by a guard.
        satisfied = 0 if position == len(order) - 1 else len(first)
        rows = np.full((len(now) + 1, len(values)), satisfied)
        rows[:-1, np.searchsorted(values, sums.live[variable])] = rank.reshape(len(now), -1)
        raw.append(rows)
        now = after[first]
    steps: list[Array] = []
    number = np.zeros(1, dtype=np.int64)
    for rows in reversed(raw):
        step, others, last = merged(np.where(rows >= 0, number[rows], -1))
        number = np.append(others, last)
        steps.append(step)
    return Automaton(tuple(order), int(number[0]), tuple(reversed(steps)))


def _suffixes(tables: Sequence[Array], grain: float) -> list[Array | None]:
    """Return after each variable the distinct differences that the later ones can add; None where they are many."""
    found: list[Array | None] = [np.zeros(1)]
    for table in reversed(tables[1:]):
        later = found[-1]
        adds = table[:, 0] - table[:, 1]
        if later is None or len(later) * len(adds) > MAX_CELLS:
            found.append(None)
            continue
        both = np.sort((later[:, None] + adds[None]).reshape(-1))
        both = both[np.append(True, np.diff(both) > grain)]
        found.append(both if len(both) <= _MAX_SUFFIXES else None)
    return found[::-1]


def _alike(sums: Array, later: Array | None, margin: float, grain: float) -> tuple[Array, Array]:
    """Return first positions and ranks of the sums that differ.

    Args:
        sums: left and right, shape (n, 2).
        later: what can still be added to left - right, ascending, where that decides; else None.
        margin: a difference up to this counts as none.
        grain: sums closer than this are equal.
    """
    n = len(sums)
    if later is None:
        return distinct([np.round(side / grain).astype(np.int64) for side in sums.T], n)
    difference = sums[:, 0] - sums[:, 1]
    # Equal where the same additions lead below, to, and above zero: this decides every comparison.
    below = np.searchsorted(later, -margin - difference, side="left")
    above = np.searchsorted(later, margin - difference, side="right")
    return distinct([below, above], n)
