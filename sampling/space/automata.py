"""Automata of arithmetic constraints, which read the variables in a given order.

A constraint over few values is tabulated; prefixes with the same valid continuations are one state (the minimal
automaton). A constraint over many variables must be a comparison of sums (`sampling.space.sums`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.problem import Relation, flags_of
from sampling.space.rows import distinct, packed
from splc.errors import Problem, SpaceError, shorten
from splc.types import Array

# 32 MB per array of a tabulated constraint.
MAX_CELLS = 2**22


@dataclass(frozen=True)
class Automaton:
    """States and transitions."""

    variables: tuple[int, ...]  # the variables in reading order
    start: int  # the initial state, -1 if the constraint cannot be satisfied
    # for each variable, the state after each value, shape (states before it, values), -1 where the constraint is
    # violated. The only state after the last variable is 0.
    steps: tuple[Array, ...]


def values_in(bits: int) -> Array:
    """Return the values in a set of bits, ascending."""
    return np.flatnonzero(flags_of(bits, bits.bit_length()))


def live_values(comparison: Relation, variable: int, domains: Sequence[int]) -> Array:
    """Return the values of a variable that do not satisfy the relation by a guard."""
    return values_in(domains[variable] & ~comparison.guards.get(variable, 0))


def columns(
    comparison: Relation, variables: Sequence[int], domains: Sequence[int]
) -> tuple[tuple[int, ...], Callable[[str], Array]]:
    """Return the shape of the grid of live values of some variables, and a function from names to values on it.

    Other variables of the relation have their first live value.
    """
    axes = {variable: axis for axis, variable in enumerate(variables)}
    shape = tuple(len(live_values(comparison, variable, domains)) for variable in variables)

    def column(name: str) -> Array:
        if name not in comparison.tables:
            return np.ones((1,) * len(shape))
        variable, table = comparison.tables[name]
        values = np.asarray(table[live_values(comparison, variable, domains)], dtype=float)
        if variable not in axes:
            return values[:1].reshape((1,) * len(shape))
        return values.reshape([len(values) if axis == axes[variable] else 1 for axis in range(len(shape))])

    return shape, column


def grid_truth(comparison: Relation, variables: Sequence[int], domains: Sequence[int]) -> Array:
    """Return where the relation holds, with one axis of live values per variable.

    All other variables of the relation must have a single live value.
    """
    shape, column = columns(comparison, variables, domains)
    truth: Array = np.broadcast_to(comparison.origin.holds(column), shape)
    return truth


def cells(comparison: Relation, domains: Sequence[int]) -> int:
    """Return the number of combinations of live values in a table of the relation."""
    return math.prod(len(live_values(comparison, variable, domains)) for variable in comparison.scope)


def tabulated(comparison: Relation, order: Sequence[int], domains: Sequence[int]) -> Automaton:
    """Return the minimal automaton of a relation that reads `order`, its variables with several values."""
    truth = grid_truth(comparison, order, domains)
    live = [live_values(comparison, variable, domains) for variable in order]
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
    """Merge equal rows of transitions.

    `rows`: shape (states, values): the state after each value, -1 for none.
    """
    size = int(rows.max()) + 2
    first, rank = distinct(packed(list((rows + 1).T), [size] * rows.shape[1]), len(rows))
    step = rows[first]
    leads = (step >= 0).any(axis=1)
    return step[leads], np.where(leads, np.cumsum(leads) - 1, -1)[rank]


def too_large(comparison: Relation) -> SpaceError:
    """Return the error for a constraint that is too large for a table and not a comparison of sums."""
    constraint = comparison.origin
    return SpaceError(
        Problem(
            f"the constraint {shorten(constraint.text.strip())!r} has too many combinations of values for exact counts",
            file=comparison.source,
            line=constraint.line,
            hint=f"use at most {MAX_CELLS:,} combinations of its options' values, or a comparison of sums of small "
            "groups of options with few distinct values",
        )
    )
