"""Automata of arithmetic constraints, which read the variables in a given order.

A constraint over few values is tabulated; prefixes with the same valid continuations are one state (the minimal
automaton). A constraint over many variables must be a comparison of sums: both sides are sums over disjoint groups of
options, and a state consists of the partial sums and the position in incomplete groups. So a linear constraint over 30
options has few states, and at most about 2^15 if its coefficients are unrelated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.problem import Relation, grouped, values_in
from sampling.space.rows import distinct, distinct_rows, packed
from splc.arithmetic.functions import evaluate
from splc.arithmetic.tree import Node, Sum, names_in
from splc.errors import Problem, SpaceError, shorten
from splc.system.constraints import TOLERANCE
from splc.types import Array

# 32 MB per array of a tabulated constraint.
MAX_CELLS = 2**22
MAX_STATES = 2**20
_MAX_SUFFIXES = 2**16


@dataclass(frozen=True)
class Automaton:
    """States and transitions."""

    variables: tuple[int, ...]  # the variables in reading order
    start: int  # the initial state, -1 if the constraint cannot be satisfied
    # for each variable, the state after each value, shape (states before it, values), -1 where the constraint is
    # violated. The only state after the last variable is 0.
    steps: tuple[Array, ...]


def tabulated(comparison: Relation, order: Sequence[int], domains: Sequence[int]) -> Automaton:
    """Return the minimal automaton of a relation that reads `order`, its variables with several values."""
    truth = comparison.truth(order, domains)
    live = [comparison.live(variable, domains) for variable in order]
    after = np.where(truth.reshape(-1), 0, -1)
    satisfied = 0
    steps: list[Array] = []
    for position in range(len(order) - 1, -1, -1):
        values = values_in(domains[order[position]])
        # One row per prefix, and a last row for prefixes that satisfy a guard.
        prefixes = len(after) // len(live[position])
        rows = np.full((prefixes + 1, len(values)), satisfied)
        rows[:-1, np.searchsorted(values, live[position])] = after.reshape(prefixes, -1)
        step, number = merged(rows)
        after, satisfied = number[:-1], int(number[-1])
        steps.append(step)
    steps.reverse()
    return Automaton(tuple(order), int(after[0]), tuple(steps))


def merged(rows: Array) -> tuple[Array, Array]:
    """Merge equal rows of transitions: the state after each value, -1 for none, shape (states, values)."""
    size = int(rows.max()) + 2
    first, rank = distinct_rows(rows + 1, [size] * rows.shape[1])
    step = rows[first]
    leads = (step >= 0).any(axis=1)
    return step[leads], np.where(leads, np.cumsum(leads) - 1, -1)[rank]


def too_large(comparison: Relation) -> SpaceError:
    """Return the error for a constraint that is too large for a table and not a comparison of sums."""
    constraint = comparison.origin
    text = f"the constraint {shorten(constraint.text.strip())!r} has too many combinations of values for exact counts"
    hint = f"use at most {MAX_CELLS:,} combinations of its options' values, or a comparison of sums of small groups of "
    hint += "options with few distinct values"
    return SpaceError(Problem(text, file=comparison.source, line=constraint.line, hint=hint))


@dataclass
class _AddendGroup:
    """Addends over the same variables."""

    variables: tuple[int, ...]  # the variables in reading order
    steps: list[Array]  # for each variable, the state after each live value, shape (states before, values)
    adds: Array  # the amounts that each final state adds to the left and the right side, shape (states, 2)


def summed(comparison: Relation, order: Sequence[int], domains: Sequence[int]) -> Automaton:
    """Return the automaton of a comparison of sums that reads `order`, its variables with several values."""
    constant, groups = _groups(comparison, order, domains)
    magnitude = float(np.abs(constant).max()) + sum(float(np.abs(group.adds).max()) for group in groups) + 1.0
    # Far below the tolerance of comparisons, far above the rounding errors of sums.
    grain = 1e-13 * magnitude
    varying = [any(group.adds[:, side].any() for group in groups) for side in (0, 1)]
    # If both sides vary, their difference is not sufficient, because the tolerance depends on their magnitude.
    later = [None] * len(order) if all(varying) else _additions(groups, order, grain)
    margin = TOLERANCE * max(1.0, abs(float(constant[0 if varying[1] else 1])))
    group_of = {variable: group for group in groups for variable in group.variables}
    now = constant[None]
    states: dict[int, Array] = {}
    raw: list[Array] = []
    for position, variable in enumerate(order):
        values = values_in(domains[variable])
        live = comparison.live(variable, domains)
        if len(now) * len(live) > 8 * MAX_STATES:
            raise too_large(comparison)
        after = np.repeat(now, len(live), axis=0)
        states = {key: np.repeat(state, len(live)) for key, state in states.items()}
        if group := group_of.get(variable):
            step = group.steps[group.variables.index(variable)]
            before = states.pop(id(group), np.zeros(len(after), dtype=np.int64))
            reached = step[before, np.tile(np.arange(len(live)), len(now))]
            if variable == group.variables[-1]:
                after = after + group.adds[reached]
            else:
                states[id(group)] = reached
        last = position == len(order) - 1
        if last:
            holds = comparison.origin.compare(after[:, 0] - after[:, 1], np.abs(after).max(axis=1))
            rank, first = np.where(holds, 0, -1), np.zeros(1, dtype=np.int64)
        else:
            sizes = [int(state.max()) + 1 for state in states.values()]
            words = [*_alike(after, later[position], margin, grain), *packed(list(states.values()), sizes)]
            first, rank = distinct(words, len(after))
        if len(first) > MAX_STATES:
            raise too_large(comparison)
        # The last state of each layer is "already satisfied" by a guard.
        rows = np.full((len(now) + 1, len(values)), 0 if last else len(first))
        rows[:-1, np.searchsorted(values, live)] = rank.reshape(len(now), -1)
        raw.append(rows)
        now = after[first]
        states = {key: state[first] for key, state in states.items()}
    steps: list[Array] = []
    number = np.zeros(1, dtype=np.int64)
    for rows in reversed(raw):
        step, number = merged(np.where(rows >= 0, number[rows], -1))
        steps.append(step)
    return Automaton(tuple(order), int(number[0]), tuple(reversed(steps)))


def _groups(comparison: Relation, order: Sequence[int], domains: Sequence[int]) -> tuple[Array, list[_AddendGroup]]:
    """Return the constants of both sides, and the groups of addends that share variables."""
    constant = np.zeros(2)
    rank = {variable: position for position, variable in enumerate(order)}
    addends: list[tuple[set[int], tuple[int, int, Node]]] = []
    pending = [(1, 1, comparison.origin.right), (0, 1, comparison.origin.left)]
    while pending:
        side, sign, tree = pending.pop()
        if isinstance(tree, Sum):
            pending += [(side, sign * child_sign, child) for child_sign, child in reversed(tree.addends)]
        else:
            about = {comparison.tables[name][0] for name in names_in(tree) if name in comparison.tables}
            addends.append((about & rank.keys(), (side, sign, tree)))
    groups = []
    for about, members in grouped(addends):
        variables = tuple(sorted(about, key=rank.__getitem__))
        if math.prod(len(comparison.live(variable, domains)) for variable in variables) > MAX_CELLS:
            raise too_large(comparison)
        shape, column = comparison.columns(variables, domains)
        amounts = np.zeros((2, math.prod(shape)))
        for side, sign, addend in members:
            values = evaluate(addend, column, zero_safe=True)
            amounts[side] += sign * np.broadcast_to(values, shape).reshape(-1)
        if not np.isfinite(amounts).all():
            raise too_large(comparison)
        for side in (0, 1):
            if np.ptp(amounts[side]) == 0:
                constant[side] += amounts[side, 0]
                amounts[side] = 0.0
        if variables:
            # The states are the prefixes with different possible amounts.
            different, after = np.unique(amounts[0] + 1j * amounts[1], return_inverse=True)
            after = after.reshape(-1)
            steps: list[Array] = []
            for width in reversed(shape):
                rows = after.reshape(-1, width)
                first, after = distinct_rows(rows, [int(rows.max()) + 1] * width)
                steps.append(rows[first])
            groups.append(_AddendGroup(variables, steps[::-1], np.stack([different.real, different.imag], axis=1)))
    return constant, groups


def _additions(groups: Sequence[_AddendGroup], order: Sequence[int], grain: float) -> list[Array | None]:
    """Return after each variable the distinct differences that later groups can add, None if there are too many."""
    closing = {group.variables[-1]: np.unique(group.adds[:, 0] - group.adds[:, 1]) for group in groups}
    additions: list[Array | None] = [np.zeros(1)]
    for variable in reversed(order[1:]):
        later = additions[-1]
        adds = closing.get(variable, np.zeros(1))
        if later is None or len(later) * len(adds) > MAX_CELLS:
            additions.append(None)
            continue
        both = np.sort((later[:, None] + adds[None]).reshape(-1))
        both = both[np.append(True, np.diff(both) > grain)]
        additions.append(both if len(both) <= _MAX_SUFFIXES else None)
    return additions[::-1]


def _alike(sums: Array, later: Array | None, margin: float, grain: float) -> list[Array]:
    """Return keys that are equal for partial sums of both sides, shape (n, 2), with the same valid continuations.

    `later`: the amounts that can still be added to left - right, ascending; None if they are not known. `margin`:
    differences up to this are regarded as 0.
    """
    if later is None:
        return [np.round(side / grain).astype(np.int64) for side in sums.T]
    difference = sums[:, 0] - sums[:, 1]
    # Sums are equivalent if the same additions lead below, to, and above zero.
    below = np.searchsorted(later, -margin - difference, side="left")
    above = np.searchsorted(later, margin - difference, side="right")
    return [below, above]
