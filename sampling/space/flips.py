"""Configurations in which single choices have other values, for effects of any predictor.

A choice is an option or an alternative group. The contexts of an effect are valid configurations without the choice;
each of them counts once, so that effects are averages over the valid space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.rows import distinct, packed
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.types import Array


@dataclass(frozen=True, eq=False)
class ChoiceValues:
    """The values of a choice in configurations."""

    positions: tuple[int, ...]  # the positions of its options
    # the value indices of its options, one row per value, in the order of `order_of`, shape (k, positions)
    values: Array
    codes: Array  # the value of each configuration, shape (n,)


@dataclass(frozen=True, eq=False)
class Flips:
    """Contexts with each value of some choices."""

    configurations: Configurations  # the contexts with the first value, then with the second one, …, k m configurations
    valid: Array  # which of them are valid, shape (k, m)
    weights: Array  # the weight of each context, shape (m,): 1 / the number of its values that are valid


def values_of(configurations: Configurations, positions: Sequence[int], space: Space) -> ChoiceValues:
    """Return the values that a choice has in configurations."""
    columns = configurations.indices[:, list(positions)]
    sizes = [space.problem.sizes[position] for position in positions]
    first, codes = distinct(packed(list(columns.T), sizes), len(columns))
    values = columns[first]
    order = order_of(values)
    return ChoiceValues(tuple(positions), values[order], np.argsort(order)[codes])


def order_of(values: Array) -> Array:
    """Return the order of the values of a choice, shape (k, positions): the first is what others are compared with.

    The alternatives of a group are in the order of its options, none of them first; other values are ascending.
    """
    found: Array = np.argsort(np.where(values.any(axis=1), values.argmax(axis=1), -1), kind="stable")
    return found


def flipped(contexts: Configurations, choices: Sequence[ChoiceValues], space: Space) -> Flips:
    """Return valid contexts with all combinations of values of some choices, the values of the last choice fastest."""
    combined = [contexts.indices]
    for choice in choices:
        combined = [_with(rows, choice.positions, value) for rows in combined for value in choice.values]
    configurations = Configurations(space.system, np.concatenate(combined))
    changed = {position for choice in choices for position in choice.positions}
    valid = space.check_changes(configurations, changed).reshape(len(combined), len(contexts))
    return Flips(configurations, valid, 1 / np.maximum(valid.sum(axis=0), 1))


def _with(rows: Array, positions: Sequence[int], value: Array) -> Array:
    changed = rows.copy()
    changed[:, list(positions)] = value
    return changed
