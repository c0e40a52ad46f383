"""Effects of the values of one choice on a model's prediction, with all other options averaged over the valid space.

Two averages are given for each value v of a choice (an option or an alternative group). All valid configurations are
equally probable.

- `mean`: the mean prediction of the valid configurations with the value v, E[f | choice = v]. Constraints may make
  other options typical of v, whose effects are in it.
- `change`: the mean change of the prediction if the choice alone changes from its first value to v, over all valid
  configurations with the first value in which that gives a valid configuration. Without constraints it is the
  difference of the partial dependence (Friedman, "Greedy function approximation", Annals of Statistics 29, 2001)
  at v and at the first value; with constraints, no invalid configuration is predicted.

With the link 'log' both are about the sum of terms, the logarithm of the prediction.

For effects of any other predictor, `flipped` gives valid configurations in which single choices have other values; each
of them without the choice counts once, so that effects are averages over the valid space.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.rows import distinct_rows
from sampling.space.space import Space
from sampling.space.variance import Block, part_values
from splc.data.configurations import Configurations
from splc.types import Array

MAX_CHANGED = 1 << 18  # the largest number of combinations that are changed, over all values of a choice


@dataclass(frozen=True)
class ValueEffect:
    """The effect of one value of a choice."""

    values: Mapping[int, int]  # position → value index of the option, or of each member of an alternative group
    fraction: float  # the fraction of valid configurations that have it
    mean: float  # the mean of the sum of terms in these
    change: float | None  # the mean change of the sum; None where no valid configuration allows it


def value_effects(
    blocks: Sequence[Block], influences: Sequence[float], space: Space, choices: Sequence[Sequence[int]]
) -> dict[int, tuple[ValueEffect, ...]]:
    """Return the effects of the values of each choice that the blocks are about."""
    weights = np.array(influences, dtype=float)
    template = space.solutions.unrank([0])[0].astype(np.int64)
    effects = {}
    for block in blocks:
        other_factors = weights.copy()
        for other in blocks:
            if other is not block:
                other_factors = other_factors * other.means
        # The sum of terms as a function of the parts of this block, with all other blocks averaged.
        slopes = np.bincount(block.part_of, other_factors, len(block.parts.terms))
        for position, choice in enumerate(block.choices):
            effects[choice] = _effects(block, position, choices[choice], slopes, template, space)
    return effects


def _effects(
    block: Block, column: int, positions: Sequence[int], slopes: Array, template: Array, space: Space
) -> tuple[ValueEffect, ...]:
    """Return the effects of the values of one choice; `slopes`: the factor of each part in the sum of terms."""
    # Options of other blocks have the values of any solution.
    rows = np.tile(template, (len(block.rows), 1))
    rows[:, list(block.variables)] = block.rows
    contexts = Configurations(space.system, rows)
    choice = values_of(contexts, positions, space)
    base = np.flatnonzero(choice.codes == 0)
    if len(base) * len(choice.values) > MAX_CHANGED:
        most = max(1, MAX_CHANGED // len(choice.values))
        base = base[np.linspace(0, len(base) - 1, most).astype(int)]
    flips = flipped(contexts[base], [choice], space)
    changed = flips.configurations.indices[:, list(block.variables)].reshape(*flips.valid.shape, -1)
    sums = block.distinct_values @ slopes
    effects = []
    for number, (value, valid) in enumerate(zip(choice.values, flips.valid, strict=True)):
        has_value = block.distinct_codes[:, column] == value @ np.arange(1, len(positions) + 1)
        fraction = float(block.weights[has_value].sum())
        mean = float(block.weights[has_value] @ sums[has_value]) / fraction
        change = None if number else 0.0
        if number and valid.any():
            after = part_values(block.parts, block.variables, changed[number, valid], space)
            change = float(((after - block.values[base[valid]]) @ slopes).mean())
        effects.append(ValueEffect(dict(zip(positions, value.tolist(), strict=True)), fraction, mean, change))
    return tuple(effects)


@dataclass(frozen=True, eq=False)
class ChoiceValues:
    """The values of a choice in configurations."""

    positions: tuple[int, ...]  # the positions of its options
    values: Array  # the value indices of its options, those that others are compared with first, shape (k, positions)
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
    first, codes = distinct_rows(columns, sizes)
    values = columns[first]
    # The alternatives of a group are in the order of its options, none of them first; other values are ascending.
    order = np.argsort(np.where(values.any(axis=1), values.argmax(axis=1), -1), kind="stable")
    return ChoiceValues(tuple(positions), values[order], np.argsort(order)[codes])


def flipped(contexts: Configurations, choices: Sequence[ChoiceValues], space: Space) -> Flips:
    """Return valid contexts with all combinations of values of some choices, the values of the last choice fastest."""
    combined = np.tile(contexts.indices, (math.prod(len(choice.values) for choice in choices), 1, 1))
    changed = [position for choice in choices for position in choice.positions]
    for rows, values in zip(combined, itertools.product(*(choice.values for choice in choices)), strict=True):
        rows[:, changed] = np.concatenate(values)
    configurations = Configurations(space.system, combined.reshape(-1, combined.shape[-1]))
    valid = space.check(configurations).reshape(combined.shape[:2])
    return Flips(configurations, valid, 1 / np.maximum(valid.sum(axis=0), 1))
