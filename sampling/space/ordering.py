"""Variable orders for small decision diagrams. No order is best for all models, so several are tried."""

from __future__ import annotations

from collections.abc import Sequence

from sampling.space.propagation import Component

_ROUNDS = 20


def orders(component: Component, parents: Sequence[int | None], first: frozenset[int]) -> list[list[int]]:
    """Return distinct candidate orders of a component's variables.

    `first`: the variables that must precede all others.
    """
    scopes = _scopes(component)
    candidates = [
        list(component.variables),
        _depth_first(component.variables, parents),
        frontier_order(component.variables, scopes),
        gravity_order(component.variables, scopes),
    ]
    unique = dict.fromkeys(tuple(sorted(order, key=lambda v: v not in first)) for order in candidates)
    return [list(order) for order in unique]


def _scopes(component: Component) -> list[tuple[int, ...]]:
    members = set(component.variables)
    scopes = [tuple(variable for variable, _ in literals) for literals in component.disjunctions]
    scopes += [tuple(v for v in comparison.scope if v in members) for comparison in component.comparisons]
    return list(dict.fromkeys(scopes))


def _depth_first(variables: Sequence[int], parents: Sequence[int | None]) -> list[int]:
    """Return the variables in depth-first order of the description."""
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
    best, best_span = list(variables), span_of(position, scopes)
    for _ in range(_ROUNDS):
        pulls: dict[int, list[float]] = {variable: [] for variable in variables}
        for scope in scopes:
            centre = sum(position[variable] for variable in scope) / len(scope)
            for variable in scope:
                pulls[variable].append(centre)
        target = {variable: sum(pull) / len(pull) if pull else position[variable] for variable, pull in pulls.items()}
        order = sorted(variables, key=lambda variable: (target[variable], variable))
        position = {variable: float(rank) for rank, variable in enumerate(order)}
        span = span_of(position, scopes)
        if span >= best_span:
            break
        best, best_span = order, span
    return best


def span_of(position: dict[int, float], scopes: Sequence[tuple[int, ...]]) -> float:
    """Return the sum of the distances between the first and the last variable of each constraint in an order."""
    return sum(max(map(position.__getitem__, scope)) - min(map(position.__getitem__, scope)) for scope in scopes)
