"""Constraints that all rows of a table satisfy, and which clauses follow from others.

That is decided by unit propagation, which is complete for implications between two options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from splc.io.numbers import number_text
from splc.system.constraints import OptionLiteral

Kind = Literal["identical", "implies", "excludes", "either", "at most one", "exactly one", "at least one", "values"]
# How the allowed values of a numeric option are stated.
Bounds = Literal["", "=", "<=", ">=", "in"]
_SHOWN_VALUES = 6
_SIGNS = {"identical": "<=>", "implies": "=>", "excludes": "excludes", "either": "|"}


@dataclass(frozen=True)
class MinedConstraint:
    """A constraint that all rows of a table satisfy."""

    kind: Kind  # the kind of the statement
    premise: OptionLiteral | None  # the literal that it is about, None for a set of options
    options: tuple[str, ...]  # the options that the premise implies, excludes, or selects one of; or the compared one
    rows: int  # the number of distinct rows that could have contradicted it
    expected: float  # the number of rows that would contradict it if the options were independent
    values: tuple[float, ...] = ()  # the values that the compared option can have if the premise holds
    bounds: Bounds = ""  # of values: all up to the largest or from the smallest (`<=`, `>=`), or `in`

    @property
    def contradiction(self) -> str:
        """The selections of two options that would contradict it: `a with b`."""
        premise, (other,) = self.premise, self.options
        assert premise is not None
        if self.kind == "excludes":
            return f"{premise.name} with {other}"
        return f"{premise.name} without {other}" if self.kind == "implies" else f"neither {premise.name} nor {other}"

    def __str__(self) -> str:
        premise = "" if self.premise is None else ("" if self.premise.positive else "!") + self.premise.name
        listed = ", ".join(self.options)
        if self.kind in _SIGNS:
            return f"{premise} {_SIGNS[self.kind]} {listed}"
        if self.kind != "values":
            return f"{premise} => {self.kind} of {listed}" if premise else f"{self.kind} of {listed}"
        values = [number_text(value) for value in self.values]
        if self.bounds != "in":
            return f"{premise} => {listed} {self.bounds} {values[-1 if self.bounds == '<=' else 0]}"
        shown = values if len(values) <= _SHOWN_VALUES else [*values[: _SHOWN_VALUES - 1], "…", values[-1]]
        return f"{premise} => {listed} in {{{', '.join(shown)}}}"


@dataclass(frozen=True)
class MinedConstraints:
    """The constraints of a table."""

    constraints: tuple[MinedConstraint, ...] = ()  # none follows from the others and from the known groups
    rows: int = 0  # the number of distinct rows of options
    unseen: tuple[MinedConstraint, ...] = ()  # those with less evidence, which exclude further pairs that no row has

    def __bool__(self) -> bool:
        return bool(self.constraints)


# The literals of column i are i and ~i: the column, and its negation.
Literals = tuple[int, ...]
ON_THE_WAY = 8  # the most incomplete assignments, relative to the limit of complete ones


@dataclass
class ClauseSet:
    """Clauses, and sets of columns of which at most one is 1, that can be asked what follows from them."""

    _containing: dict[int, list[Literals]] = field(default_factory=dict)
    _exclusive: dict[int, list[Sequence[int]]] = field(default_factory=dict)

    def add(self, clauses: Iterable[Literals]) -> None:
        """Add clauses."""
        for clause in clauses:
            for literal in clause:
                self._containing.setdefault(literal, []).append(clause)

    def remove(self, clauses: Iterable[Literals]) -> None:
        """Remove clauses that were added."""
        for clause in clauses:
            for literal in clause:
                self._containing[literal].remove(clause)

    def add_exclusive(self, columns: Sequence[int]) -> None:
        """Add a set of columns of which at most one is 1."""
        for column in columns:
            self._exclusive.setdefault(column, []).append(columns)

    def consequences(self, assumed: Iterable[int]) -> set[int] | None:
        """Return the literals that follow from some by unit propagation, None for a contradiction."""
        known: set[int] = set()
        pending = list(assumed)
        while pending:
            literal = pending.pop()
            if literal in known:
                continue
            if ~literal in known:
                return None
            known.add(literal)
            for columns in self._exclusive.get(literal, ()):
                pending += [~other for other in columns if other != literal]
            for clause in self._containing.get(~literal, ()):
                if known.isdisjoint(clause):
                    undecided = [candidate for candidate in clause if ~candidate not in known]
                    if not undecided:
                        return None
                    if len(undecided) == 1:
                        pending.append(undecided[0])
        return known

    def implies(self, clauses: Iterable[Literals]) -> bool:
        """Return whether each of some clauses follows by unit propagation."""
        return all(self.consequences([~literal for literal in clause]) is None for clause in clauses)

    def has_more_solutions(self, number: int, limit: int) -> bool:
        """Return whether more than `limit` assignments to so many columns seem to satisfy the clauses.

        The assignments are completed column by column. Far more than the limit before the last column count as more
        than the limit.
        """
        clauses = {clause for containing in self._containing.values() for clause in containing}
        for columns in {tuple(columns) for sets in self._exclusive.values() for columns in sets}:
            clauses |= {(~one, ~other) for one, other in combinations(columns, 2)}
        closing: dict[int, list[Literals]] = {}
        for clause in clauses:
            closing.setdefault(max(max(literal, ~literal) for literal in clause), []).append(clause)
        rows = np.zeros((1, 0), dtype=bool)
        for column in range(number):
            rows = np.concatenate([np.repeat(rows, 2, axis=0), np.tile([[False], [True]], (len(rows), 1))], axis=1)
            for clause in closing.get(column, ()):
                held = [rows[:, max(literal, ~literal)] == (literal >= 0) for literal in clause]
                rows = rows[np.logical_or.reduce(held)]
            if len(rows) > ON_THE_WAY * limit:
                return True
        return len(rows) > limit
