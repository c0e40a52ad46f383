"""Minimal configurations: valid configurations with given selections that select the fewest options.

They are shortest paths through the decision diagrams, computed for many demands at once. Of several minimal
configurations, the result is the one that selects the first option in which they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sampling.space.diagram import Diagram, Layer
from sampling.space.parts import Parts
from splc.types import Array

Demand = frozenset[tuple[int, int]]

_CHUNK = 2**22
_INT64_OPTIONS = 54


def selected(*variables: int) -> Demand:
    """Return the demand that these variables are selected."""
    return frozenset((variable, 1) for variable in variables)


def minimal(parts: Parts, demands: Sequence[Demand]) -> tuple[Array, Array]:
    """Return the minimal binary parts that meet demands.

    `demands`: sets of pairs (selectable, 0 or 1).

    Returns:
        One row per demand, shape (demands, selectable), and which demands can be met, shape (demands,).
    """
    rows = np.zeros((len(demands), len(parts.selectable)), dtype=np.uint8)
    possible = np.full(len(demands), not parts.both.empty)
    if parts.both.empty:
        return rows, possible
    for diagram in parts.both.diagrams:
        own = [v for v in diagram.variables if v < len(parts.selectable)]
        if not own:
            continue
        members = frozenset(own)
        local = [frozenset(pair for pair in demand if pair[0] in members) for demand in demands]
        different = list(dict.fromkeys(local))
        number = {demand: place for place, demand in enumerate(different)}
        which = np.array([number[demand] for demand in local], dtype=np.int64)
        found, met = _shortest(diagram, different, sorted(own))
        rows[:, sorted(own)] = found[which]
        possible &= met[which]
    rows[~possible] = 0
    return rows, possible


def _shortest(diagram: Diagram, demands: Sequence[Demand], own: list[int]) -> tuple[Array, Array]:
    """Return the minimal selections of `own` in a diagram, one row per demand, and whether there is one."""
    rank = {variable: place for place, variable in enumerate(own)}
    n = len(own)
    # One more option costs more than any choice among equally many options.
    dtype = np.dtype(np.int64 if n <= _INT64_OPTIONS else object)
    never = 1 << 61 if n <= _INT64_OPTIONS else 1 << (2 * n + 8)
    cost = {variable: (1 << n) - (1 << (n - 1 - place)) for variable, place in rank.items()}
    rows = np.zeros((len(demands), n), dtype=np.uint8)
    met = np.zeros(len(demands), dtype=bool)
    step = max(1, _CHUNK // max(1, diagram.size))
    for start in range(0, len(demands), step):
        some = [dict(demand) for demand in demands[start : start + step]]
        below: list[Array] = [np.zeros((len(some), 1), dtype=dtype)]
        prices = []
        for layer in reversed(diagram.layers):
            price = _prices(layer, some, cost.get(layer.variable, 0), never, dtype)
            prices.append(price)
            below.append(_through(layer, price, below[-1], never).min(axis=2))
        below.reverse()
        prices.reverse()
        met[start : start + step] = below[0][:, 0] < never
        nodes = np.zeros(len(some), dtype=np.int64)
        each = np.arange(len(some))
        for number, layer in enumerate(diagram.layers):
            children = layer.children[nodes]
            total = np.where(children >= 0, below[number + 1][each[:, None], children], never)
            chosen = (total + prices[number]).argmin(axis=1)
            if layer.variable in rank:
                values = np.array(
                    [
                        demand.get(layer.variable, layer.classes[column][0])
                        for demand, column in zip(some, chosen, strict=True)
                    ]
                )
                rows[start : start + step, rank[layer.variable]] = values
            nodes = np.maximum(children[each, chosen], 0)
    return rows, met


def _prices(layer: Layer, demands: list[dict[int, int]], cost: int, never: int, dtype: Any) -> Array:
    """Return the cost of each class of values under each demand, shape (demands, classes)."""
    prices = np.zeros((len(demands), len(layer.classes)), dtype=dtype)
    wanted = np.array([demand.get(layer.variable, -1) for demand in demands])
    for column, values in enumerate(layer.classes):
        prices[:, column] = cost if values[0] > 0 else 0
        for value in (0, 1) if (wanted >= 0).any() else ():
            prices[wanted == value, column] = cost * value if value in values else never
    return prices


def _through(layer: Layer, prices: Array, below: Array, never: int) -> Array:
    """Return the least cost below each node by class, shape (demands, nodes, classes)."""
    reached = np.where(layer.children[None] >= 0, below[:, layer.children], never)
    # `never` stays the largest cost and never overflows.
    costs: Array = np.minimum(reached + prices[:, None, :], never)
    return costs
