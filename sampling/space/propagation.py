"""Propagation of single constraints to smaller domains, and the remaining independent components."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sampling.space.automata import grid_truth, live_values
from sampling.space.problem import ConstraintProblem, Disjunction, Relation

T = TypeVar("T")


@dataclass(frozen=True)
class Component:
    """Variables connected by constraints."""

    variables: tuple[int, ...]  # the variables, ascending
    domains: tuple[int, ...] = field(repr=False)  # the remaining values (bits) of each variable of the problem
    disjunctions: tuple[tuple[tuple[int, int], ...], ...] = ()  # the disjunctions, reduced to the remaining values
    comparisons: tuple[Relation, ...] = ()  # the relations that are not satisfied yet

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for components of one problem with the same solutions."""
        around = {variable for comparison in self.comparisons for variable in comparison.scope}
        return (
            self.variables,
            tuple(self.domains[variable] for variable in self.variables),
            tuple((variable, self.domains[variable]) for variable in sorted(around)),
            frozenset(self.disjunctions),
            frozenset(map(id, self.comparisons)),
        )


def root_of(group: list[int], member: int) -> int:
    """Return the representative of a group in a union-find structure, in which each member refers to another one."""
    while group[member] != member:
        group[member] = group[group[member]]
        member = group[member]
    return member


def grouped(members: Iterable[tuple[set[int], T]]) -> list[tuple[set[int], list[T]]]:
    """Return members in groups that share no key, each with the keys of its members, in order of their last members."""
    groups: list[tuple[set[int], list[T]]] = []
    for keys, member in members:
        tied = [group for group in groups if keys & group[0]]
        apart = [group for group in groups if not keys & group[0]]
        held = [entry for _, group_members in reversed(tied) for entry in group_members]
        groups = [*apart, (keys.union(*(group_keys for group_keys, _ in tied)), [*held, member])]
    return groups


def components(problem: ConstraintProblem, domains: Sequence[int] | None = None) -> list[Component] | None:
    """Return the components of a problem, in order of their first variables, or None if it has no solution.

    `domains`: the values (bits) that each variable may take; None: all.
    """
    remaining = [(1 << size) - 1 for size in problem.sizes] if domains is None else list(domains)
    if not all(remaining):
        return None
    reduced = _propagate(problem, remaining)
    if reduced is None:
        return None
    disjunctions, comparisons = reduced
    group = list(range(len(remaining)))

    scopes = [tuple(variable for variable, _ in literals) for literals in disjunctions]
    scopes += [_free(comparison, remaining) for comparison in comparisons]
    for scope in scopes:
        for other in scope[1:]:
            group[root_of(group, other)] = root_of(group, scope[0])
    members: dict[int, list[int]] = {}
    for variable in range(len(remaining)):
        members.setdefault(root_of(group, variable), []).append(variable)
    clauses: dict[int, list[tuple[tuple[int, int], ...]]] = {}
    for literals in disjunctions:
        clauses.setdefault(root_of(group, literals[0][0]), []).append(literals)
    sums: dict[int, list[Relation]] = {}
    for comparison in comparisons:
        sums.setdefault(root_of(group, _free(comparison, remaining)[0]), []).append(comparison)
    frozen = tuple(remaining)
    return [
        Component(tuple(variables), frozen, tuple(clauses.get(root, ())), tuple(sums.get(root, ())))
        for root, variables in members.items()
    ]


def _free(comparison: Relation, domains: Sequence[int]) -> tuple[int, ...]:
    """Return the variables of a relation with several remaining values."""
    return tuple(variable for variable in comparison.scope if domains[variable].bit_count() > 1)


def _propagate(
    problem: ConstraintProblem, domains: list[int]
) -> tuple[list[tuple[tuple[int, int], ...]], list[Relation]] | None:
    """Reduce the remaining values of variables in place; return the constraints that are not satisfied yet."""
    constraints = problem.constraints
    about: dict[int, list[int]] = {}
    for number, constraint in enumerate(constraints):
        for variable in constraint.scope:
            about.setdefault(variable, []).append(number)
    # The remainder of each constraint: None if satisfied, a tuple of literals, or a relation.
    remains: list[tuple[tuple[int, int], ...] | Relation | None] = [
        constraint.literals if isinstance(constraint, Disjunction) else constraint for constraint in constraints
    ]
    queue = deque(range(len(constraints)))
    waiting = set(queue)
    while queue:
        number = queue.popleft()
        waiting.discard(number)
        now = remains[number]
        if isinstance(now, Relation):
            now = _reduced_comparison(now, domains)
        if isinstance(now, tuple):
            now = _reduced_literals(now, domains)
            if now == ():
                return None
            if now is not None and len(now) == 1:
                variable, bits = now[0]
                domains[variable] &= bits
                now = None
                for other in about[variable]:
                    if other not in waiting:
                        waiting.add(other)
                        queue.append(other)
        remains[number] = now
    disjunctions = dict.fromkeys(now for now in remains if isinstance(now, tuple))
    return list(disjunctions), [now for now in remains if isinstance(now, Relation)]


def _reduced_literals(
    literals: tuple[tuple[int, int], ...], domains: Sequence[int]
) -> tuple[tuple[int, int], ...] | None:
    """Return the literals that can still hold, () if there is none, None if one always holds."""
    possible = []
    for variable, bits in literals:
        bits &= domains[variable]
        if bits == domains[variable]:
            return None
        if bits:
            possible.append((variable, bits))
    return tuple(possible)


def _reduced_comparison(comparison: Relation, domains: Sequence[int]) -> tuple[tuple[int, int], ...] | Relation | None:
    """Return the remainder of a relation: None if it is satisfied, literals, or the relation itself."""
    guards = tuple((variable, bits & domains[variable]) for variable, bits in comparison.guards.items())
    if any(bits == domains[variable] for variable, bits in guards):
        return None
    open_guards = tuple((variable, bits) for variable, bits in guards if bits)
    guarded = dict(guards)
    varying = {
        variable
        for variable, _ in comparison.tables.values()
        if (domains[variable] & ~guarded.get(variable, 0)).bit_count() > 1
    }
    if len(varying) > 1:
        return comparison
    truth = grid_truth(comparison, tuple(varying), domains)
    if truth.all():
        return None
    if not varying:
        return open_guards
    (variable,) = varying
    live = live_values(comparison, variable, domains)
    bits = guarded.get(variable, 0) | sum(1 << value for value in live[truth].tolist())
    other_guards = tuple(literal for literal in open_guards if literal[0] != variable)
    return tuple(sorted((*other_guards, (variable, bits)))) if bits else other_guards
