"""Doubts about the roles of the columns of a table: what its rows do not decide, and the user is asked about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.formats.coded_columns import CROSSED, EVIDENCE, SET, CodedColumns, alike
from splc.formats.labels import are_hashes
from splc.formats.names import is_hyperparameter_name, may_be_context_name
from splc.io.csv_rows import distinct_texts

OPTION, CONTEXT, OBSERVED = "option", "context", "observed"
# Contexts with at most so many values have models of their values.
_LEVELS = 10


@dataclass(frozen=True)
class Doubt:
    """The role of a column that the rows do not decide, and another one."""

    used: str  # its role
    other: str  # the role that it may have instead
    size: int  # the number of its different values
    usual: str  # the most frequent one in rows with those of contexts that have fewer values


def flags_of(doubts: Mapping[str, Doubt], roles: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the options of the command line that state roles; contexts of many values are left out."""
    flags: dict[str, list[str]] = {"options": [], "context": [], "ignore": []}
    for name in sorted(roles, key=lambda name: doubts[name].size):
        is_context = roles[name] == CONTEXT and doubts[name].size <= _LEVELS and doubts[name].usual
        flags["options" if roles[name] == OPTION else "context" if is_context else "ignore"].append(name)
    return flags


def doubts_about(
    table: CodedColumns,
    columns: Mapping[str, Sequence[str]],
    options: Sequence[str],
    contexts: Iterable[str],
    stated: Collection[str],
) -> dict[str, Doubt]:
    """Return the doubts about options and contexts, in the order of the table, unless the user states their roles."""
    kinds = {name: CONTEXT for name in contexts if table.sizes[name] > 1}
    varying = [name for name in options if table.sizes[name] > 1]
    numbers = [name for name in varying if name in table.numbers and name not in stated]
    # Where most options have few values, one of many may be measured.
    dense = [name for name in numbers if table.has_integers(name) and table.is_dense(name, 1 / EVIDENCE)]
    many = [name for name in numbers if table.sizes[name] > SET and name not in dense]
    many = [name for name in many if not is_hyperparameter_name(name)]
    many = [name for name in many if not table.is_few(name) or alike(np.bincount(table.codes[name])) < CROSSED]
    kinds |= dict.fromkeys(many if 2 * len(many) <= len(varying) else (), OBSERVED)
    kinds |= {name: CONTEXT for name in numbers if may_be_context_name(name) and not table.is_binary(name)}
    if kinds.keys() >= {*varying} != set():
        # Something is an option.
        del kinds[varying[0]]
    coded = {name: distinct_texts(columns[name]) for name in columns if name in kinds and name not in stated}
    doubts, rows = dict[str, Doubt](), np.arange(table.rows)
    for name in sorted(coded, key=lambda name: len(coded[name][0])):
        distinct, codes = coded[name]
        usual = int(np.bincount(codes[rows]).argmax())
        # Hashes are never options.
        used = OPTION if name in options else CONTEXT
        other = kinds[name] if used == OPTION or are_hashes(distinct) else OPTION
        doubts[name] = Doubt(used, other, len(distinct), distinct[usual].strip())
        rows = rows[codes[rows] == usual] if CONTEXT in (used, other) else rows
    return {name: doubts[name] for name in coded}
