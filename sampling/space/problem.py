"""Constraint problems: variables with finite domains, disjunctions and relations over them, independent components.

A variability model has two such problems (see `problem_of`). In one, each option is a variable, so that the solutions
are the configurations. In the other, each optional numeric option has two variables, its switch (enabled or not) and
its value, so that solutions have a binary and a numeric part. `components` propagates single constraints to smaller
domains and returns what remains in independent parts.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from splc.system.clauses import Clause, clauses
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint
from splc.system.options import BinaryOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

T = TypeVar("T")
# Variables with values (bits), one of which at least must hold.
Literals = tuple[tuple[int, int], ...]


def bits_of(flags: Sequence[bool] | Array) -> int:
    """Return a set of values as the bits of an integer."""
    if len(flags) <= 64:
        return sum(1 << position for position, flag in enumerate(flags) if flag)
    packed = np.packbits(np.asarray(flags, dtype=bool), bitorder="little")
    return int.from_bytes(packed.tobytes(), "little")


def flags_of(bits: int, size: int) -> Array:
    """Return which of `size` values are in a set of bits, shape (size,)."""
    raw = np.frombuffer(bits.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:size].astype(bool)


def values_in(bits: int) -> Array:
    """Return the values in a set of bits, ascending."""
    return np.flatnonzero(flags_of(bits, bits.bit_length()))


@dataclass(frozen=True)
class Disjunction:
    """A disjunction: at least one of its variables has one of the given values (bits)."""

    literals: Literals
    origin: Clause | ArithmeticConstraint = field(compare=False)

    @property
    def scope(self) -> tuple[int, ...]:
        """Its variables."""
        return tuple(variable for variable, _ in self.literals)


@dataclass(frozen=True, eq=False)
class Relation:
    """An arithmetic constraint over variables."""

    origin: ArithmeticConstraint  # the constraint
    guards: dict[int, int]  # variable → the values (bits) that satisfy the constraint regardless of other variables
    tables: dict[str, tuple[int, Array]]  # name → its variable, and the number for each value; other names are 1
    source: str | None = None  # the file of the constraint, for messages

    @property
    def scope(self) -> tuple[int, ...]:
        """Its variables."""
        return tuple(sorted({*self.guards, *(variable for variable, _ in self.tables.values())}))

    def live(self, variable: int, domains: Sequence[int]) -> Array:
        """Return the values of a variable that do not satisfy the relation by a guard."""
        return values_in(domains[variable] & ~self.guards.get(variable, 0))

    def cells(self, domains: Sequence[int]) -> int:
        """Return the number of combinations of live values in a table of the relation."""
        return math.prod(len(self.live(variable, domains)) for variable in self.scope)

    def columns(
        self, variables: Sequence[int], domains: Sequence[int]
    ) -> tuple[tuple[int, ...], Callable[[str], Array]]:
        """Return the shape of the grid of live values of some variables, and a function from names to values on it.

        Other variables of the relation have their first live value.
        """
        shape = tuple(len(self.live(variable, domains)) for variable in variables)

        def column(name: str) -> Array:
            if name not in self.tables:
                return np.ones((1,) * len(shape))
            own, table = self.tables[name]
            values = np.asarray(table[self.live(own, domains)], dtype=float)
            values = values if own in variables else values[:1]
            return values.reshape([len(values) if variable == own else 1 for variable in variables])

        return shape, column

    def truth(self, variables: Sequence[int], domains: Sequence[int]) -> Array:
        """Return where the relation holds, an axis of live values per variable; others have a single live value."""
        shape, column = self.columns(variables, domains)
        return np.broadcast_to(self.origin.holds(column), shape)

    def holds(self, indices: Array) -> Array:
        """Return which assignments of values to all variables satisfy the relation, shape (n,)."""
        held = np.zeros(len(indices), dtype=bool)
        for variable, bits in self.guards.items():
            column = indices[:, variable]
            held |= flags_of(bits, max(bits.bit_length(), int(column.max(initial=0)) + 1))[column]
        columns = {name: table[indices[:, variable]] for name, (variable, table) in self.tables.items()}
        return held | self.origin.holds(lambda name: columns.get(name, np.ones(1)))


@dataclass(frozen=True)
class ConstraintProblem:
    """Variables with finite domains, and constraints over them."""

    sizes: tuple[int, ...]  # the number of values of each variable
    parents: tuple[int | None, ...]  # the parent of each variable in the description, for variable orders
    constraints: tuple[Disjunction | Relation, ...]  # the constraints; all must hold

    @property
    def domains(self) -> list[int]:
        """All values (bits) of each variable."""
        return [(1 << size) - 1 for size in self.sizes]


def stated(constraint: Disjunction | Relation) -> BooleanConstraint | ArithmeticConstraint | None:
    """Return the constraint of the model from which this one was derived, None for the hierarchy."""
    origin = constraint.origin
    return origin.origin if isinstance(origin, Clause) else origin


def problem_of(system: VariabilityModel, split: bool = False) -> ConstraintProblem:
    """Return the problem whose variables are the options and whose values are their value indices.

    `split`: whether it is that over binary options, switches of optional numeric options (0 disabled, 1 enabled), and
    values without "deselected", each in the order of the system.
    """
    switched = [system.positions[option.name] for option in system.numeric_options if option.optional and split]
    binary = len(system.binary_options)
    switches = {position: binary + rank for rank, position in enumerate(switched)}

    def variable(position: int) -> int:
        return position if position < binary else position + len(switched)

    def switch(position: int) -> tuple[int, int, Array]:
        if position in switches:
            return switches[position], 1, np.array([False, True])
        last = system.options[position].size - 1
        return position, 1 << last, np.arange(last + 1) < last

    def literal(position: int, allowed: Sequence[bool]) -> tuple[int, int]:
        # Literals over a numeric option depend only on whether it is enabled.
        if position in switches:
            return switches[position], int(allowed[-1]) | int(allowed[0]) << 1
        return variable(position), bits_of(allowed)

    constraints: list[Disjunction | Relation] = []
    for clause in clauses(system):
        literals = [literal(*each) for each in clause.literals]
        constraints.append(Disjunction(tuple(sorted(literals) if switched else literals), clause))
    constraints += [_comparison(system, constraint, variable, switch) for constraint in system.arithmetic_constraints]
    sizes = [option.size - (position in switches) for position, option in enumerate(system.options)]
    parents = [None if option.parent is None else system.positions.get(option.parent) for option in system.options]
    return ConstraintProblem(
        (*sizes[:binary], *[2] * len(switched), *sizes[binary:]),
        (*parents[:binary], *(parents[position] for position in switched), *parents[binary:]),
        tuple(constraints),
    )


def _comparison(
    system: VariabilityModel,
    constraint: ArithmeticConstraint,
    variable: Callable[[int], int],
    switch: Callable[[int], tuple[int, int, Array]],
) -> Relation:
    """Return a constraint as a relation.

    A deselected numeric option satisfies it. If `requires` is 'none', a deselected binary option has the value 0;
    otherwise it satisfies the constraint, and binary options need no table because they are 1 in all other cases.
    `variable`: position of an option → the variable of its values. `switch`: position of an optional numeric option →
    its switch variable, the values (bits) of that variable that disable it, and which of its values enable it.
    """
    guards: dict[int, int] = {}
    tables: dict[str, tuple[int, Array]] = {}

    def guard(target: int, bits: int) -> None:
        guards[target] = guards.get(target, 0) | bits

    for name in constraint.names:
        if name == ROOT:
            continue
        if name in system.switches:
            position, enabled = system.switches[name]
            target, disabling, enabling = switch(position)
            if constraint.requires == "none":
                tables[name] = (target, (enabling == enabled).astype(float))
            else:
                guard(target, disabling if enabled else bits_of(enabling))
            continue
        position = system.positions[name]
        option = system.options[position]
        if isinstance(option, BinaryOption):
            if constraint.requires == "none":
                tables[name] = (variable(position), np.array([0.0, 1.0]))
            else:
                guard(variable(position), 1)
            continue
        if option.optional:
            target, disabling, _ = switch(position)
            guard(target, disabling)
        # The entry for "deselected", if the variable has one, is guarded and does not matter.
        spare = option.values[:1] if option.optional and target == variable(position) else ()
        tables[name] = (variable(position), np.array([*option.values, *spare], dtype=float))
    return Relation(constraint, guards, tables, system.source)


@dataclass(frozen=True)
class Component:
    """Variables connected by constraints."""

    variables: tuple[int, ...]  # the variables, ascending
    domains: tuple[int, ...] = field(repr=False)  # the remaining values (bits) of each variable of the problem
    disjunctions: tuple[Literals, ...] = ()  # the disjunctions, reduced to the remaining values
    comparisons: tuple[Relation, ...] = ()  # the relations that are not satisfied yet

    @property
    def clauses(self) -> tuple[tuple[int, ...], ...] | None:
        """Its constraints as signed numbers of its variables, from 1; None unless they are clauses of binary ones."""
        if self.comparisons or any(self.domains[variable] != 3 for variable in self.variables):
            return None
        number = {variable: position for position, variable in enumerate(self.variables, 1)}
        return tuple(
            tuple(number[variable] if bits == 2 else -number[variable] for variable, bits in literals)
            for literals in self.disjunctions
        )

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


def roots_of(count: int, together: Iterable[Sequence[int]]) -> list[int]:
    """Return the representative of the group of each of `count` members, given sets of members that are together."""
    group = list(range(count))

    def root_of(member: int) -> int:
        while group[member] != member:
            group[member] = group[group[member]]
            member = group[member]
        return member

    for first, *others in together:
        for other in others:
            group[root_of(other)] = root_of(first)
    return [root_of(member) for member in range(count)]


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
    remaining = problem.domains if domains is None else list(domains)
    if not all(remaining):
        return None
    reduced = _propagate(problem, remaining)
    if reduced is None:
        return None
    literal_scopes = [tuple(variable for variable, _ in literals) for literals in reduced[0]]
    relation_scopes = [tuple(v for v in relation.scope if remaining[v].bit_count() > 1) for relation in reduced[1]]
    roots = roots_of(len(remaining), [*literal_scopes, *relation_scopes])
    parts: dict[int, tuple[list[int], list[Literals], list[Relation]]] = {}
    for variable, root in enumerate(roots):
        parts.setdefault(root, ([], [], []))[0].append(variable)
    for scope, literals in zip(literal_scopes, reduced[0], strict=True):
        parts[roots[scope[0]]][1].append(literals)
    for scope, relation in zip(relation_scopes, reduced[1], strict=True):
        parts[roots[scope[0]]][2].append(relation)
    frozen = tuple(remaining)
    return [Component(tuple(own), frozen, tuple(clauses), tuple(sums)) for own, clauses, sums in parts.values()]


def _propagate(problem: ConstraintProblem, domains: list[int]) -> tuple[list[Literals], list[Relation]] | None:
    """Reduce the remaining values of variables in place; return the constraints that are not satisfied yet."""
    constraints = problem.constraints
    about: dict[int, list[int]] = {}
    for number, constraint in enumerate(constraints):
        for variable in constraint.scope:
            about.setdefault(variable, []).append(number)
    # The remainder of each constraint: None if satisfied, a tuple of literals, or a relation.
    remains: list[Literals | Relation | None] = [
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
            possible = [(variable, bits & domains[variable]) for variable, bits in now]
            always = any(bits == domains[variable] for variable, bits in possible)
            now = None if always else tuple(literal for literal in possible if literal[1])
            if now == ():
                return None
            if now is not None and len(now) == 1:
                variable, bits = now[0]
                domains[variable] &= bits
                now = None
                new = [other for other in about[variable] if other not in waiting]
                waiting.update(new)
                queue.extend(new)
        remains[number] = now
    disjunctions = dict.fromkeys(now for now in remains if isinstance(now, tuple))
    return list(disjunctions), [now for now in remains if isinstance(now, Relation)]


def _reduced_comparison(comparison: Relation, domains: Sequence[int]) -> Literals | Relation | None:
    """Return the remainder of a relation: None if it is satisfied, literals, or the relation itself."""
    guards = {variable: bits & domains[variable] for variable, bits in comparison.guards.items()}
    if any(bits == domains[variable] for variable, bits in guards.items()):
        return None
    tabled = {variable for variable, _ in comparison.tables.values()}
    varying = tuple(v for v in tabled if (domains[v] & ~guards.get(v, 0)).bit_count() > 1)
    if len(varying) > 1:
        return comparison
    truth = comparison.truth(varying, domains)
    if truth.all():
        return None
    for variable in varying:
        held = comparison.live(variable, domains)[truth].tolist()
        guards[variable] = guards.get(variable, 0) | sum(1 << value for value in held)
    literals = [literal for literal in guards.items() if literal[1]]
    return tuple(sorted(literals) if varying and guards[varying[0]] else literals)
