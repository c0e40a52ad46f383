"""Conflicts: minimal sets of constraints that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

from sampling.space.compilation import BUDGETS
from sampling.space.engines import MAX_DIAGRAM
from sampling.space.problem import ConstraintProblem, Disjunction, Relation, stated
from sampling.space.satisfiability import Satisfiability
from sampling.space.solutions import Cache, Solutions
from splc.errors import Problem, SpaceError
from splc.system.clauses import Clause

_MAX_TRIALS = 400
_MAX_UNDECIDED = 20
_MAX_NAMED = 10


def conflict(problem: ConstraintProblem, source: str | None) -> list[Problem]:
    """Return the error messages for a problem without solutions, one per constraint of a minimal conflict."""
    constraints = minimal_conflict(problem)
    if len(constraints) > _MAX_NAMED:
        return [
            Problem(
                "no valid configuration: the constraints contradict each other",
                source,
                hint=f"{len(constraints)} of them together have no solution",
            )
        ]
    units: dict[int, Problem] = {}
    for constraint in constraints:
        origin = constraint.origin
        stated_constraint = stated(constraint)
        text = origin.reason if isinstance(origin, Clause) else origin.text.strip()
        line = None if stated_constraint is None else stated_constraint.line
        units.setdefault(
            id(stated_constraint or origin),
            Problem("no valid configuration: contradicting constraint", source, line, text=text),
        )
    return list(units.values())


def minimal_conflict(problem: ConstraintProblem) -> list[Disjunction | Relation]:
    """Return constraints that have no solution together, of which none can be left out.

    Chunks of halving size are left out (a deletion filter). After too many trials, the result may not be minimal.
    """
    remaining: list[Disjunction | Relation] = list(problem.constraints)
    cache: Cache = {}
    trials = undecided = 0
    size = max(1, len(remaining) // 2)
    while True:
        start = 0
        while start < len(remaining) and trials < _MAX_TRIALS and undecided < _MAX_UNDECIDED:
            trial = remaining[:start] + remaining[start + size :]
            trials += 1
            impossible = _impossible(problem, trial, cache)
            undecided += impossible is None
            if impossible:
                remaining = trial
            else:
                start += size
        if size == 1:
            return remaining
        size = max(1, size // 2)


def _impossible(problem: ConstraintProblem, constraints: Sequence[Disjunction | Relation], cache: Cache) -> bool | None:
    """Return whether constraints have no solution, None if a small budget does not suffice."""
    reduced = ConstraintProblem(problem.sizes, problem.parents, tuple(constraints))
    if len(problem.sizes) > MAX_DIAGRAM and (solver := Satisfiability.of(reduced)):
        return solver.solution() is None
    try:
        return Solutions(reduced, kept=(), cache=cache, budgets=BUDGETS[:1]).empty
    except SpaceError:
        return None
