"""Clauses that follow from others by unit propagation: a check of equivalence without a solver."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from splc.formats.system.feature_models import literals_of
from splc.system.clauses import clauses
from splc.system.variability import VariabilityModel

NamedClause = frozenset[tuple[str, bool]]


def named_clauses(system: VariabilityModel) -> set[NamedClause]:
    """Return the clauses of a system of binary options."""
    return {frozenset(literals_of(clause, system)) for clause in clauses(system)}


def without_proof(stated: Iterable[NamedClause], given: Collection[NamedClause]) -> list[NamedClause]:
    """Return the stated clauses whose negation does not lead to a contradiction by unit propagation."""
    known = list(given)
    with_literal: dict[tuple[str, bool], list[NamedClause]] = defaultdict(list)
    for clause in known:
        for literal in clause:
            with_literal[literal].append(clause)
    units = [literal for clause in known if len(clause) == 1 for literal in clause]
    subsuming = set(known)
    return [
        clause
        for clause in stated
        if clause not in subsuming
        and not _refuted([(name, not positive) for name, positive in clause] + units, with_literal)
    ]


def _refuted(assumed: list[tuple[str, bool]], with_literal: dict[tuple[str, bool], list[NamedClause]]) -> bool:
    """Return whether literals contradict each other by unit propagation."""
    values: dict[str, bool] = {}
    pending = list(assumed)
    while pending:
        name, positive = pending.pop()
        if name in values:
            if values[name] != positive:
                return True
            continue
        values[name] = positive
        for clause in with_literal[name, not positive]:
            if any(values.get(other) == sign for other, sign in clause):
                continue
            free = [literal for literal in clause if literal[0] not in values]
            if not free:
                return True
            if len(free) == 1:
                pending.append(free[0])
    return False
