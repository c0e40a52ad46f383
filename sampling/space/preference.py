"""The first solutions in an order of preference: the options one after the other, each with a preferred value."""

from __future__ import annotations

import numpy as np

from sampling.space.diagram import Diagram
from sampling.space.paths import COUNT
from sampling.space.solutions import Solutions
from splc.types import Array

_CHUNK = 2**22


def first_solutions(solutions: Solutions, orders: Array, preferred: Array, quotas: Array) -> tuple[Array, Array]:
    """Return the first solutions in several orders, as a solver that always tries the preferred value first finds them.

    `orders`: permutations of the positions of the variables, the first to be decided first, shape (n, variables).
    `preferred`: the value that is tried first, for each variable, shape (n, variables). `quotas`: the number of
    solutions in each order, shape (n,), at most that of all solutions. Returns: The solutions, shape (sum of quotas,
    variables), and the number of the order of each.
    """
    columns = {variable: position for position, variable in enumerate(solutions.variables)}
    diagrams = [diagram for diagram in solutions.diagrams if diagram.variables]
    owner = np.zeros(len(columns), dtype=np.int64)
    for number, diagram in enumerate(diagrams):
        owner[[columns[variable] for variable in diagram.variables]] = number
    most = int(quotas.max(initial=1))
    order_numbers = np.arange(len(orders))
    rows = np.full((len(orders), len(columns)), -1, dtype=np.int64)
    quotas = quotas.copy()
    # The number of completions of each component, at most `most`.
    counts = np.stack([_completions(diagram, rows, columns, most) for diagram in diagrams], axis=1)
    for depth in range(len(columns)):
        indices = np.arange(len(rows))
        variable = orders[order_numbers, depth]
        value = preferred[order_numbers, variable]
        tried = rows.copy()
        tried[indices, variable] = value
        below = counts.copy()
        for number in np.unique(owner[variable]).tolist():
            members = owner[variable] == number
            below[members, number] = _completions(diagrams[number], tried[members], columns, most)
        preferred_counts = np.minimum(_product(below, most), quotas)
        # The rest of a quota has the other value.
        other = quotas > preferred_counts
        alternatives = rows[other].copy()
        alternatives[np.arange(len(alternatives)), variable[other]] = 1 - value[other]
        over = counts[other].copy()
        for number in np.unique(owner[variable[other]]).tolist():
            members = owner[variable[other]] == number
            over[members, number] = _completions(diagrams[number], alternatives[members], columns, most)
        is_preferred = preferred_counts > 0
        rows = np.concatenate([tried[is_preferred], alternatives])
        counts = np.concatenate([below[is_preferred], over])
        order_numbers, quotas = (
            np.concatenate([order_numbers[is_preferred], order_numbers[other]]),
            np.concatenate([preferred_counts[is_preferred], (quotas - preferred_counts)[other]]),
        )
        # Solutions with the preferred value come first, after those that share fewer decisions.
        order = np.lexsort((np.concatenate([indices[is_preferred] * 2, indices[other] * 2 + 1]),))
        rows, counts, order_numbers, quotas = rows[order], counts[order], order_numbers[order], quotas[order]
    return rows, order_numbers


def _product(counts: Array, most: int) -> Array:
    """Return the products of rows of counts, at most `most`."""
    products = np.ones(len(counts), dtype=np.int64)
    for column in counts.T:
        products = np.minimum(products * column, most)
    return products


def _completions(diagram: Diagram, rows: Array, columns: dict[int, int], most: int) -> Array:
    """Return the number of a component's solutions with the values of each row (-1: any), at most `most`."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    widest = max(layer.children.size for layer in diagram.layers)
    size = max(1, _CHUNK // widest)
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        layers = []
        for layer in diagram.layers:
            assigned = block[:, columns[layer.variable]]
            allowed = [np.where(assigned < 0, len(values), np.isin(assigned, values)) for values in layer.classes]
            layers.append((layer.children, np.stack(allowed, axis=1)))
        numbers[start : start + size] = COUNT.below(layers, np.ones((len(block), 1), dtype=np.int64), most)[0][:, 0]
    return numbers


def random_orders(n: int, variables: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return n random permutations of variables and n random values (0 or 1) of each, shape (n, variables)."""
    keys = np.frombuffer(rng.bytes(8 * n * variables), dtype="<u8").reshape(n, variables)
    return np.argsort(keys, axis=1, kind="stable"), (keys & 1).astype(np.int64)
