"""Pairs of values that no row of a table has, and that are not constraints for lack of evidence.

They may be constraints: it is unlikely that no row has such a pair by chance, or that no row has two of three options.
But the further conditions of constraints do not hold, or the probability is not small enough to be safe
(`splc.system.mining.pairs`). They have no effect, but are reported to the user.
"""

from __future__ import annotations

import math

import numpy as np

from splc.system.constraints import OptionLiteral
from splc.system.mining.literal_table import LiteralTable
from splc.system.mining.mined_constraint import Kind, MinedConstraint
from splc.system.mining.pairs import log_chance
from splc.system.mining.redundancy import ClauseSet
from splc.types import Array

# The expected number of reported pairs in a table of independent options.
FALSE_ALARMS = 0.5
# The most pairs that are compared with the constraints, the least likely ones first.
MAX_COMPARED = 1000
# The most options among which sets of three are looked for.
MAX_IN_SETS = 200


def unseen_pairs(table: LiteralTable, known: ClauseSet) -> tuple[MinedConstraint, ...]:
    """Return pairs of literals of binary options that no row has, the least likely ones first.

    `known`: the constraints; pairs that they exclude are left out.
    """
    width, binary, counts = table.width, table.binary, table.counts
    literals = np.concatenate([np.arange(binary), np.arange(width, width + binary)])
    first, second = np.nonzero(np.triu(counts.pairs[np.ix_(literals, literals)] == 0, 1))
    first, second = literals[first], literals[second]
    different = table.options[first % width] != table.options[second % width]
    first, second = first[different], second[different]
    chance = log_chance(counts.rows, counts.single[first], counts.single[second])
    by_itself = chance <= math.log(FALSE_ALARMS / max(table.tests, 1))
    unlikely = np.flatnonzero(by_itself | _together(first, second, chance, binary))
    pairs = []
    for at in unlikely[np.argsort(chance[unlikely], kind="stable")][:MAX_COMPARED].tolist():
        # Literals of constraints count from 1; negations are negative.
        clause = tuple(
            literal % width + 1 if literal >= width else -(literal + 1) for literal in (int(first[at]), int(second[at]))
        )
        if not known.implies([clause]):
            pairs.append(_constraint(table, int(first[at]), int(second[at])))
    return tuple(pairs)


def _together(first: Array, second: Array, chance: Array, binary: int) -> Array:
    """Return which pairs are among three selected options of which no two occur together, by more than chance."""
    is_unlikely = np.zeros(len(first), dtype=bool)
    selected = (first < binary) & (second < binary)
    if binary > MAX_IN_SETS or not selected.any():
        return is_unlikely
    i, j = first[selected], second[selected]
    logs = np.full((binary, binary), np.inf)
    logs[i, j] = logs[j, i] = chance[selected]
    least = np.array([(logs[a] + logs[b]).min() for a, b in zip(i.tolist(), j.tolist(), strict=True)])
    is_unlikely[selected] = least + chance[selected] <= math.log(FALSE_ALARMS / max(math.comb(binary, 3), 1))
    return is_unlikely


def _constraint(table: LiteralTable, first: int, second: int) -> MinedConstraint:
    """Return the constraint that would exclude two literals."""
    premise, conclusion = (
        OptionLiteral(table.names[literal % table.width], literal < table.width) for literal in (first, second)
    )
    kind: Kind = "excludes"
    if not conclusion.positive:
        kind = "implies"
        if not premise.positive:
            kind, premise = "either", OptionLiteral(premise.name, True)
    elif not premise.positive:
        kind, premise, conclusion = "implies", conclusion, premise
    counts = table.counts
    least, most = sorted((counts.single[first], counts.single[second]))
    return MinedConstraint(kind, premise, (conclusion.name,), int(least), float(least * most / counts.rows))
