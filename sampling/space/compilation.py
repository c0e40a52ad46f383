"""Compilation of the constraints of a component to a decision diagram.

A node represents the constraints that remain after a prefix: the disjunctions that are not satisfied yet, each reduced
to its literals over later variables (equal remainders are merged, so that an alternative group is two nodes wide), and
the states of the automata of arithmetic constraints. Layers are built forwards, vectorised over nodes. Then, backwards,
nodes without a solution are removed, and nodes with equal continuations are merged.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.automata import MAX_CELLS, Automaton, merged, summed, tabulated
from sampling.space.diagram import Diagram, Layer
from sampling.space.problem import Component, Literals, flags_of, values_in
from sampling.space.rows import distinct, distinct_rows, packed
from splc.errors import SpaceError
from splc.types import Array

# What remains of a disjunction: layers with values (bits), ascending.
Tail = Literals
# The number of each automaton that reads a layer → the states after each state and value, its first state, and whether
# it reads no further layer.
Reading = dict[int, tuple[Array, int, bool]]

LARGEST_TABLE = MAX_CELLS  # constraints over more combinations of values must be comparisons of sums
# Variable orders are tried with a small number of transitions first; the last budget keeps memory below 1 GB.
BUDGETS = (2**14, 2**18, 2**22)
_ROUNDS = 20


def build(
    component: Component,
    parents: Sequence[int | None],
    kept: frozenset[int] | None = None,
    budgets: Sequence[int] = BUDGETS,
) -> Diagram:
    """Return the smallest diagram of a component among those of several variable orders.

    `kept`: the variables of a solution; other variables only need to have some value. None for all variables.
    """
    members = frozenset(component.variables)
    kept = members if kept is None else members & kept
    if len(members) == 1 and not component.disjunctions and not component.comparisons:
        values = values_in(component.domains[component.variables[0]])
        return Diagram(tuple(Layer(variable, (values,), np.zeros((1, 1), dtype=np.int32)) for variable in kept))
    tried = orders(component, parents, kept)
    automata: dict[object, Automaton] = {}
    for budget in budgets:
        built = [_attempt(component, order, len(kept), budget, automata) for order in tried]
        if done := [diagram for diagram in built if isinstance(diagram, Diagram)]:
            return min(done, key=lambda diagram: sum(layer.children.size for layer in diagram.layers))
        # Only the orders that came furthest are tried with a larger budget.
        reached = sorted((-layers, rank) for rank, layers in enumerate(built) if isinstance(layers, int))
        tried = [tried[rank] for _, rank in reached[: max(1, len(tried) // 2)]]
    raise SpaceError(
        f"the constraints over {len(members)} connected options are too complex for exact counts "
        f"(more than {budgets[-1]:,} transitions in every variable order)",
        hint="state constraints over fewer options, or describe a part of the system",
    )


@dataclass
class _Frontier:
    """The nodes before a layer: remaining disjunctions that each needs, and states of open automata."""

    tails: list[Tail]
    needed: Array
    states: dict[int, Array]


def _attempt(
    component: Component, order: Sequence[int], kept: int, budget: int, known: dict[object, Automaton]
) -> Diagram | int:
    """Return the diagram in one order, whose first `kept` variables make up a solution.

    If the budget is exceeded, return the number of finished layers.
    """
    layer_of = {variable: layer for layer, variable in enumerate(order)}
    starting: list[list[Tail]] = [[] for _ in order]
    for literals in component.disjunctions:
        tail = tuple(sorted((layer_of[variable], bits) for variable, bits in literals))
        starting[tail[0][0]].append(tail)
    automata = []
    for comparison in component.comparisons:
        free = tuple(sorted((v for v in comparison.scope if v in layer_of), key=layer_of.__getitem__))
        key = (id(comparison), free)
        if key not in known:
            make = tabulated if comparison.cells(component.domains) <= LARGEST_TABLE else summed
            known[key] = make(comparison, free, component.domains)
        automata.append(known[key])
    values = [values_in(component.domains[variable]) for variable in order]
    if any(automaton.start < 0 for automaton in automata):
        return _empty(order, values, kept)
    reading: list[Reading] = [{} for _ in order]
    for number, automaton in enumerate(automata):
        for left, (variable, table) in enumerate(zip(automaton.variables[::-1], automaton.steps[::-1], strict=True)):
            reading[layer_of[variable]][number] = table, automaton.start, left == 0
    frontier = _Frontier([], np.zeros((1, 0), dtype=bool), {})
    classes: list[tuple[Array, ...]] = []
    children: list[Array] = []
    spent = 0
    for layer, domain in enumerate(values):
        tables = [table for table, _, _ in reading[layer].values()]
        grouped = _classes(layer, domain, [*frontier.tails, *starting[layer]], tables)
        spent += len(frontier.needed) * len(grouped)
        if spent > budget:
            return layer
        frontier, child = _advance(frontier, layer, domain, grouped, starting[layer], reading[layer])
        classes.append(tuple(domain[group] for group in grouped))
        children.append(child)
        if not len(frontier.needed):
            return _empty(order, values, kept)
    return _reduced(order, classes, children, kept)


def _classes(layer: int, values: Array, tails: list[Tail], steps: list[Array]) -> list[Array]:
    """Return groups of positions in `values` that no constraint distinguishes, ordered by first member."""
    if len(values) <= 2:
        return [np.array([position]) for position in range(len(values))]
    size = int(values[-1]) + 1
    touched = dict.fromkeys(tail[0][1] for tail in tails if tail[0][0] == layer)
    signature = [np.zeros((1, len(values)), dtype=np.int64)]
    signature += [flags_of(bits, size)[values][None] for bits in touched] + [step + 1 for step in steps]
    first, rank = distinct_rows(np.concatenate(signature).T)
    return [np.flatnonzero(rank == group) for group in np.argsort(first)]


def _advance(
    frontier: _Frontier, layer: int, values: Array, grouped: list[Array], starting: list[Tail], reading: Reading
) -> tuple[_Frontier, Array]:
    """Return the nodes after a layer, and the transitions to them, shape (nodes before, classes)."""
    nodes = len(frontier.needed)
    first = np.array([group[0] for group in grouped])
    size = int(values[-1]) + 1
    targets: dict[Tail, int] = {}
    # (column of the tail before, None if every node needs it; column after, -1 for none; classes that fail it)
    moves: list[tuple[int | None, int, Array | None]] = []
    for column, tail in [*enumerate(frontier.tails), *((None, tail) for tail in starting)]:
        fails = None
        if tail[0][0] == layer:
            fails = ~flags_of(tail[0][1], size)[values[first]]
            tail = tail[1:]
        moves.append((column, targets.setdefault(tail, len(targets)) if tail else -1, fails))
    carried = [number for number in frontier.states if number not in reading]
    lasting = [*carried, *(number for number, (_, _, is_last) in reading.items() if not is_last)]
    alive = np.ones((len(grouped), nodes), dtype=bool)
    clashes = clashing_columns(list(targets))
    words: list[list[Array]] = []
    states: dict[int, list[Array]] = {number: [] for number in lasting}
    for row, position in enumerate(first):
        needs = np.zeros((nodes, len(targets)), dtype=bool)
        for column, target, fails in moves:
            if fails is not None and not fails[row]:
                continue
            if target < 0:
                alive[row] &= False if column is None else ~frontier.needed[:, column]
            else:
                needs[:, target] |= True if column is None else frontier.needed[:, column]
        for first_column, second_column in clashes:
            alive[row] &= ~(needs[:, first_column] & needs[:, second_column])
        after = {
            number: table[frontier.states.get(number, np.full(nodes, start)), position]
            for number, (table, start, _) in reading.items()
        }
        for following in after.values():
            alive[row] &= following >= 0
        is_alive = alive[row]
        for number in lasting:
            states[number].append(after[number][is_alive] if number in after else frontier.states[number][is_alive])
        # Rows of flags as 64-bit words.
        bytes_ = np.packbits(needs[is_alive], axis=1)
        bytes_ = np.pad(bytes_, ((0, 0), (0, -bytes_.shape[1] % 8)))
        words.append(list(bytes_.view(np.int64).T))
    # One column per word and per open automaton, over the remaining pairs of class and node.
    flags = [np.concatenate(parts) for parts in zip(*words, strict=True)]
    columns = {number: np.concatenate(parts) for number, parts in states.items()}
    sizes = [int(column.max(initial=0)) + 1 for column in columns.values()]
    living = int(alive.sum())
    representatives, rank = distinct([*flags, *packed(list(columns.values()), sizes)], living)
    child = np.full((len(grouped), nodes), -1, dtype=np.int32)
    child[alive] = rank
    needed = np.zeros((len(representatives), 0), dtype=bool)
    if flags:
        bytes_ = np.stack([word[representatives] for word in flags], axis=1).view(np.uint8)
        needed = np.unpackbits(bytes_, axis=1, count=len(targets)).astype(bool)
    merged = _Frontier(list(targets), needed, {number: column[representatives] for number, column in columns.items()})
    return merged, np.ascontiguousarray(child.T)


def clashing_columns(tails: list[Tail]) -> list[tuple[int, int]]:
    """Return pairs of columns that require different values of one variable, so that no node can need both."""
    single: dict[int, list[tuple[int, int]]] = {}
    for column, tail in enumerate(tails):
        if len(tail) == 1:
            single.setdefault(tail[0][0], []).append((column, tail[0][1]))
    return [
        (first, second)
        for demands in single.values()
        for (first, bits), (second, other_bits) in itertools.combinations(demands, 2)
        if not bits & other_bits
    ]


def _reduced(order: Sequence[int], classes: list[tuple[Array, ...]], children: list[Array], kept: int) -> Diagram:
    """Return the diagram of the first `kept` layers, without dead nodes and with equal nodes merged."""
    number = np.zeros(1, dtype=np.int64)
    layers: list[Layer] = []
    for layer in range(len(order) - 1, -1, -1):
        child = children[layer]
        rows, number = merged(np.where(child >= 0, number[child], -1))
        if layer >= kept:
            number = np.minimum(number, 0)
        else:
            # Classes with equal children are merged.
            alike: dict[bytes, list[int]] = {}
            for column, values in enumerate(rows.T):
                alike.setdefault(values.tobytes(), []).append(column)
            groups = [np.sort(np.concatenate([classes[layer][column] for column in group])) for group in alike.values()]
            picked = rows[:, [group[0] for group in alike.values()]].astype(np.int32)
            layers.append(Layer(order[layer], tuple(groups), picked))
    if number[0] < 0:
        return _empty(order, [np.concatenate(values) for values in classes], kept)
    return Diagram(tuple(reversed(layers)))


def _empty(order: Sequence[int], values: Sequence[Array], kept: int) -> Diagram:
    pairs = zip(order[:kept], values[:kept], strict=True)
    return Diagram(tuple(Layer(variable, (domain,), np.full((1, 1), -1)) for variable, domain in pairs), empty=True)


def orders(component: Component, parents: Sequence[int | None], first: frozenset[int]) -> list[list[int]]:
    """Return distinct candidate orders of a component's variables, some of which must precede all others."""
    scopes = [tuple(variable for variable, _ in literals) for literals in component.disjunctions]
    members = set(component.variables)
    scopes += [tuple(v for v in comparison.scope if v in members) for comparison in component.comparisons]
    scopes = list(dict.fromkeys(scopes))
    variables = component.variables
    frontier, gravity = frontier_order(variables, scopes), gravity_order(variables, scopes)
    candidates = [variables, _depth_first(variables, parents), frontier, gravity]
    unique = dict.fromkeys(tuple(sorted(order, key=lambda v: v not in first)) for order in candidates)
    return [list(order) for order in unique]


def _depth_first(variables: Sequence[int], parents: Sequence[int | None]) -> list[int]:
    children: dict[int | None, list[int]] = {}
    members = set(variables)
    for variable in variables:
        above = parents[variable]
        while above is not None and above not in members:
            above = parents[above]
        children.setdefault(above, []).append(variable)
    order: list[int] = []
    stack = children.get(None, [])[::-1]
    while stack:
        variable = stack.pop()
        order.append(variable)
        stack.extend(children.get(variable, [])[::-1])
    return order


def frontier_order(variables: Sequence[int], scopes: Sequence[tuple[int, ...]]) -> list[int]:
    """Return the greedy order: the next variable is the one after which the fewest constraints are open."""
    about: dict[int, list[int]] = {variable: [] for variable in variables}
    for number, scope in enumerate(scopes):
        for variable in scope:
            about[variable].append(number)
    missing = [len(scope) for scope in scopes]
    opened = [False] * len(scopes)
    order: list[int] = []
    remaining = dict.fromkeys(variables)
    near: dict[int, None] = {}
    while remaining:

        def opens(variable: int) -> tuple[int, int, int]:
            new = sum(not opened[number] for number in about[variable])
            closed = sum(missing[number] == 1 for number in about[variable])
            return new - closed, -len(about[variable]) if near else len(about[variable]), variable

        best = min(near or remaining, key=opens)
        order.append(best)
        del remaining[best]
        near.pop(best, None)
        for number in about[best]:
            missing[number] -= 1
            if not opened[number]:
                opened[number] = True
                near.update((other, None) for other in scopes[number] if other in remaining)
    return order


def gravity_order(variables: Sequence[int], scopes: Sequence[tuple[int, ...]]) -> list[int]:
    """Return the order of FORCE: variables move to the centres of their constraints until the order converges.

    Aloul, Markov, Sakallah: "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI 2003.
    """
    position = {variable: float(rank) for rank, variable in enumerate(variables)}
    best, best_span = list(variables), float("inf")
    # The first round is about the order itself.
    for _ in range(_ROUNDS + 1):
        span = sum(max(map(position.__getitem__, scope)) - min(map(position.__getitem__, scope)) for scope in scopes)
        if span >= best_span:
            break
        best, best_span = sorted(variables, key=position.__getitem__), span
        pulls: dict[int, list[float]] = {variable: [] for variable in variables}
        for scope in scopes:
            centre = sum(position[variable] for variable in scope) / len(scope)
            for variable in scope:
                pulls[variable].append(centre)
        target = {variable: sum(pull) / len(pull) if pull else position[variable] for variable, pull in pulls.items()}
        order = sorted(variables, key=lambda variable: (target[variable], variable))
        position = {variable: float(rank) for rank, variable in enumerate(order)}
    return best
