"""The choice of the engine that compiles a component: decision diagrams, or D4 for many connected binary options."""

from __future__ import annotations

from collections.abc import Sequence

from sampling.space import d4
from sampling.space.circuit import Circuit
from sampling.space.compilation import BUDGETS, build
from sampling.space.diagram import Diagram
from sampling.space.propagation import Component
from splc.errors import SpaceError

Compiled = Diagram | Circuit

# Components of more variables are compiled by D4 where it is installed: the sizes of diagrams, and the time for their
# variable orders, grow too fast.
MAX_DIAGRAM = 100


class CircuitError(SpaceError):
    """A component is too complex for D4. Trying again would take as long."""


def compiled(
    component: Component,
    parents: Sequence[int | None],
    kept: frozenset[int] | None = None,
    budgets: Sequence[int] = BUDGETS,
) -> Compiled:
    """Return all solutions of a component.

    `kept`: the variables of a solution; other variables only need to have some value. None for all variables.
    """
    if len(component.variables) <= MAX_DIAGRAM or not is_compilable(component):
        return build(component, parents, kept, budgets)
    if kept is not None and not kept.issuperset(component.variables):
        # A circuit cannot be projected to some of its variables; only small diagrams are tried.
        return build(component, parents, kept, budgets[:1])
    position = {variable: number for number, variable in enumerate(component.variables, 1)}
    clauses = [
        [position[variable] if bits == 2 else -position[variable] for variable, bits in literals]
        for literals in component.disjunctions
    ]
    circuit = d4.compiled(component.variables, clauses)
    if circuit is None:
        raise CircuitError(
            f"the constraints over {len(component.variables):,} connected options are too complex for exact counts",
            hint="state constraints over fewer options, or describe a part of the system",
        )
    return circuit


def is_compilable(component: Component) -> bool:
    """Return whether D4 is installed, and can compile a component: clauses of binary variables."""
    return (
        d4.is_installed()
        and not component.comparisons
        and all(component.domains[variable] == 3 for variable in component.variables)
    )
