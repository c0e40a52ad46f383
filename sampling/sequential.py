"""Sequential selection: what to measure next, each choice given those before it.

The loop is greedy: a strategy chooses the candidate with the largest gain per cost, its posterior is conditioned on a
measurement of it, and so on. Strategies differ in their posteriors and in what they call a gain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from splc.types import Array

_EQUAL = 1e-9  # gains that differ by less, relative to the largest, are equal: the first one is taken, on every CPU


@dataclass(frozen=True, eq=False)
class NextCandidates:
    """Candidates to measure next."""

    rows: Array  # their rows, in the order in which to measure them
    reason: str = ""  # the reason for them, for users
    gain: float | None = None  # the expected gain; None where the strategy does not choose by gain


class SequentialStrategy(Protocol):
    """A strategy that chooses candidates; it keeps its own state of the measurements."""

    def choose(self) -> NextCandidates | None:
        """Return what to measure next; None if no candidate is left or helps."""
        ...

    def add(self, row: int) -> None:
        """Condition on a measurement of a candidate, which is not made yet."""
        ...


@dataclass(frozen=True, eq=False)
class SelectedCandidates:
    """Selected candidates, in order."""

    rows: Array  # their rows, shape (k,)
    choices: tuple[NextCandidates, ...]  # the choice that each one belongs to
    spent: float  # the cost of all measurements with theirs
    unaffordable: int | None = None  # the next candidate, if the budget does not suffice for it
    exhausted: bool = False  # whether the strategy had no further choice

    @property
    def gains(self) -> Array:
        """The gains, NaN where there is none, shape (k,)."""
        return np.array([np.nan if choice.gain is None else choice.gain for choice in self.choices])


def select(
    strategy: SequentialStrategy,
    count: int | None,
    costs: Array | None = None,
    *,
    spent: float = 0.0,
    budget: float | None = None,
) -> SelectedCandidates:
    """Return the candidates that a strategy selects: `count`, or those of one choice, within a budget of all costs."""
    rows: list[int] = []
    choices: list[NextCandidates] = []
    while count is None or len(rows) < count:
        choice = strategy.choose()
        if choice is None:
            return SelectedCandidates(np.array(rows, dtype=int), tuple(choices), spent, exhausted=True)
        for row in choice.rows[: None if count is None else count - len(rows)].tolist():
            cost = 0.0 if costs is None else float(costs[row])
            if budget is not None and spent + cost > budget:
                return SelectedCandidates(np.array(rows, dtype=int), tuple(choices), spent, row)
            rows.append(row)
            choices.append(choice)
            spent += cost
            strategy.add(row)
        if count is None:
            break
    return SelectedCandidates(np.array(rows, dtype=int), tuple(choices), spent)


def most_worth(worths: Array, allowed: Array, costs: Array | None = None) -> int:
    """Return the first of the allowed candidates with the largest worth per cost; one must be allowed."""
    rates = np.where(allowed, worths if costs is None else worths / costs, -np.inf)
    best = float(rates.max())
    return int(np.flatnonzero(rates >= best - _EQUAL * abs(best))[0])
