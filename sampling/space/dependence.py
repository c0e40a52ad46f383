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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.blocks import Block, part_values
from sampling.space.flips import order_of
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.types import Array

# The largest number of combinations that are changed, over all values of a choice.
MAX_CHANGED = 1 << 18


@dataclass(frozen=True)
class ValueEffect:
    """The effect of one value of a choice."""

    # position of the option → value index: one option, or the members of an alternative group
    values: Mapping[int, int]
    fraction: float  # the fraction of valid configurations that have it
    mean: float  # the mean of the sum of terms in these
    # the mean change of the sum if the choice alone changes from its first value to this one; None where no valid
    # configuration allows that
    change: float | None


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
    codes = block.codes[:, column]
    distinct_column = block.distinct_codes[:, column]
    sums = block.distinct_values @ slopes
    columns = [block.variables.index(position) for position in positions]
    known, first = np.unique(codes, return_index=True)
    order = order_of(block.rows[first][:, columns])
    known, first = known[order], first[order]
    base = np.flatnonzero(codes == known[0])
    if len(base) * len(known) > MAX_CHANGED:
        most = max(1, MAX_CHANGED // len(known))
        base = base[np.linspace(0, len(base) - 1, most).astype(int)]
    effects = []
    for code, row in zip(known.tolist(), first.tolist(), strict=True):
        has_value = distinct_column == code
        fraction = float(block.weights[has_value].sum())
        mean = float(block.weights[has_value] @ sums[has_value]) / fraction
        value = block.rows[row, columns]
        if code == known[0]:
            effects.append(ValueEffect(dict(zip(positions, value.tolist(), strict=True)), fraction, mean, 0.0))
            continue
        changed = block.rows[base].copy()
        changed[:, columns] = value
        valid = _valid(block, changed, template, space)
        change = None
        if valid.any():
            before, after = (part_values(block.parts, block.variables, rows[valid], space) for rows in
                             (block.rows[base], changed))  # fmt: skip
            change = float(((after - before) @ slopes).mean())
        effects.append(ValueEffect(dict(zip(positions, value.tolist(), strict=True)), fraction, mean, change))
    return tuple(effects)


def _valid(block: Block, rows: Array, template: Array, space: Space) -> Array:
    """Return which combinations of a block's options are valid, shape (n,), bool; `template`: any solution."""
    indices = np.tile(template, (len(rows), 1))
    indices[:, list(block.variables)] = rows
    return space.check(Configurations(space.system, indices))
