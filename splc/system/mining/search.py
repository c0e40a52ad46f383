"""The search for constraints that all rows of a table satisfy by far more than chance.

Pairs of literals are tested (`splc.system.mining.pairs`). Alternative groups below an option and sets of options of
which at most one is selected are made of such pairs. Constraints that follow from others are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from splc.system.mining.binary import Stated, binary_constraints
from splc.system.mining.independence import MAX_CONFIGURATIONS, binary_rows, is_drawn, likely_configurations
from splc.system.mining.literal_table import LiteralTable
from splc.system.mining.mined_constraint import MinedConstraint, MinedConstraints
from splc.system.mining.option_rows import OptionRows
from splc.system.mining.pairs import LEAST_EXPECTED
from splc.system.mining.redundancy import ClauseSet
from splc.system.mining.unseen import unseen_pairs
from splc.system.mining.values import value_constraints

# A table is complete if it has all configurations of its binary options that its constraints allow. Then pairs of
# literals that no row has are constraints without the other tests, with at least this number of configurations, and
# of contradicting rows that independence predicts: designs, and tables that end early, leave out combinations of
# selected options, which look like exclusions, but no implications.
LEAST_COMPLETE, LEAST_IMPLICATIONS = 24, 2.0
# Tables of more columns are not compared with all configurations that their constraints allow.
MAX_COLUMNS = 64


def mined_constraints(table: OptionRows) -> MinedConstraints:
    """Return the constraints that all rows of a table satisfy by far more than chance.

    Those that the known groups and the other constraints imply are left out.
    """
    if len(table.selected) < 2 or not table.selected.shape[1]:
        return MinedConstraints((), len(table.selected))
    rows = binary_rows(table)
    results = None
    if is_drawn(table):
        results = _constraints(LiteralTable(table, np.arange(len(table.selected))), likely_configurations(table))
    few = table.selected.shape[1] <= MAX_COLUMNS and len(rows) <= MAX_CONFIGURATIONS
    if results is None and few and len(rows) >= LEAST_COMPLETE:
        results = _constraints(LiteralTable(table, rows, complete=True), len(rows))
        if results and any(constraint.expected < _least_of(constraint) for constraint in results[0]):
            results = None
    if results is None:
        results = _constraints(LiteralTable(table, rows))
    constraints, unseen = results or ((), ())
    return MinedConstraints(tuple(constraints), len(table.selected), tuple(unseen))


def _least_of(constraint: MinedConstraint) -> float:
    """Return the least number of contradicting rows that independence predicts in a complete table."""
    if constraint.kind == "at most one":
        return LEAST_EXPECTED * math.comb(len(constraint.options), 2)
    return LEAST_EXPECTED if constraint.kind in {"excludes", "either"} else LEAST_IMPLICATIONS


def _constraints(
    table: LiteralTable, most: int | None = None
) -> tuple[Sequence[MinedConstraint], Sequence[MinedConstraint]] | None:
    """Return the constraints, without those that follow from others, and pairs that no row has (`unseen_pairs`).

    `most`: the most configurations of the binary options that they may allow; for more, None is returned.
    """
    known = ClauseSet()
    for members, parent in table.groups:
        known.add_exclusive([member + 1 for member in members])
        above = () if parent is None else (-(parent + 1),)
        known.add([(*above, *(member + 1 for member in members))])
        known.add((-(member + 1), -above[0]) for member in members if above)
    stated: list[Stated] = []
    for constraint, clauses in binary_constraints(table):
        if not known.implies(clauses):
            known.add(clauses)
            stated.append((constraint, clauses))
    if most is not None and known.has_more_solutions(table.binary, most):
        return None
    needed = []
    for constraint, clauses in reversed(stated):
        if constraint.kind in {"implies", "excludes", "either", "at least one"}:
            known.remove(clauses)
            if known.implies(clauses):
                continue
            known.add(clauses)
        needed.append(constraint)
    return [*reversed(needed), *value_constraints(table, known)], unseen_pairs(table, known)
