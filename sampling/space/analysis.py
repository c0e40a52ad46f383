"""The analysis of a system: the number of valid configurations, and suspicious parts of its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sampling.space.space import SOLVER, Space
from sampling.space.suspicions import suspicions
from splc.errors import SpaceError, listed
from splc.system.constraints import BooleanConstraint, Constraint
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

FindingKind = Literal["dead option", "always selected", "unused values", "constraint never binds", "text"]


@dataclass(frozen=True)
class Finding:
    """A part of a description that is probably a mistake."""

    kind: FindingKind  # the kind of the finding
    message: str  # one sentence
    options: tuple[str, ...] = ()  # the options that it concerns
    line: int | None = None  # the line of the option or constraint in the description

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True)
class Description:
    """An analysed system."""

    system: VariabilityModel  # the system
    count: int | None  # the exact number of valid configurations; None where the constraints are too complex to count
    # option → for each value index, the number of valid configurations it occurs in
    occurrences: Mapping[str, tuple[int, ...]]
    findings: tuple[Finding, ...]  # suspicious parts; without `count` only those that are found without counting
    uncounted: str | None = None  # why there is no count
    # the engine that answered exactly: `decision diagrams`, `d-DNNF (D4)` or `SAT (Glucose)`; None if dead options were
    # not looked for
    engine: str | None = None
    # the binary options that all valid configurations select, None if that is not known
    core: tuple[str, ...] | None = None
    dead: tuple[str, ...] | None = None  # the binary options that none selects, None if that is not known


def describe(space: Space) -> Description:
    """Count the valid configurations of a system and find suspicious parts of its description."""
    system = space.system
    findings = tuple(Finding("text", text) for text in suspicions(system))
    binary = system.binary_options
    solver = space.solver
    try:
        space.require_valid()
        count, occurrences = space.count, space.option_counts()
    except SpaceError as error:
        if solver is None:
            return Description(system, None, {}, findings, error.problems[0].message)
        fixed = [int(value) for value in solver.fixed]
        core = tuple(option.name for option in binary if fixed[system.positions[option.name]] == 1)
        dead = tuple(option.name for option in binary if fixed[system.positions[option.name]] == 0)
        findings += (*_fixed(system, core, dead), *_constraints(space, None))
        return Description(system, None, {}, findings, error.problems[0].message, SOLVER, core, dead)
    core = tuple(option.name for option in binary if occurrences[option.name][1] == count)
    dead = tuple(option.name for option in binary if occurrences[option.name][1] == 0)
    findings += (*_fixed(system, core, dead), *_values(system, count, occurrences), *_constraints(space, count))
    return Description(system, count, occurrences, findings, None, space.engine, core, dead)


def _fixed(system: VariabilityModel, core: Sequence[str], dead: Sequence[str]) -> Iterator[Finding]:
    """Yield options that are never selected, and those that always are without being declared as mandatory."""
    always, never = frozenset(core) - system.mandatory, frozenset(dead)
    for option in system.binary_options:
        if option.name in never:
            yield Finding("dead option", f"{option.name} can never be selected", (option.name,), option.line)
        elif option.name in always:
            message = f"{option.name} is always selected, but not declared as mandatory"
            yield Finding("always selected", message, (option.name,), option.line)


def _values(system: VariabilityModel, count: int, occurrences: Mapping[str, Sequence[int]]) -> Iterator[Finding]:
    """Yield numeric options with values that no valid configuration has."""
    for option in system.numeric_options:
        yield from _numeric(option, count, occurrences[option.name])


def _numeric(option: NumericOption, count: int, counts: Sequence[int]) -> Iterator[Finding]:
    name = option.name
    unused = [value for value, occurring in zip(option.values, counts, strict=False) if occurring == 0]
    if option.optional and counts[-1] == count:
        yield Finding("dead option", f"{name} can never have a value: it is always deselected", (name,), option.line)
        return
    if option.optional and counts[-1] == 0:
        message = f"{name} always has a value, although it has a deselectedFlag"
        yield Finding("always selected", message, (name,), option.line)
    if unused:
        values = listed([f"{value:g}" for value in unused])
        message = f"{name} is never {values}" if len(unused) == 1 else f"{name} never has any of the values {values}"
        yield Finding("unused values", message, (name,), option.line)


def _constraints(space: Space, count: int | None) -> Iterator[Finding]:
    """Yield the stated constraints that exclude no configuration."""
    stated = space.system.constraints
    implied = space.solver.redundant(stated) if space.solver is not None else None
    for number, constraint in enumerate(stated):
        if implied is not None:
            redundant = implied[number]
        else:
            try:
                redundant = space.count_without(constraint) == count
            except SpaceError:
                continue
        if redundant:
            message = (
                f"the constraint {constraint.text.strip()!r} never binds: the same configurations are valid without it"
            )
            yield Finding("constraint never binds", message, constraint.names, constraint.line)


def constraint_kind(constraint: Constraint) -> str:
    """Return the kind of a constraint: 'boolean', 'non-boolean', or 'mixed' with its attributes."""
    if isinstance(constraint, BooleanConstraint):
        return "boolean"
    if constraint.kind == "non-boolean":
        return constraint.kind
    return f"mixed, req={constraint.requires}" + (", negated" if constraint.negated else "")


def option_role(system: VariabilityModel, option: BinaryOption) -> str:
    """Return the role of a binary option in the hierarchy: 'alternative', 'mandatory' or 'optional'."""
    if system.alternatives(option):
        return "alternative"
    return "optional" if option.optional or system.exclusions[option.name] else "mandatory"


def in_tree_order(system: VariabilityModel) -> Iterator[tuple[BinaryOption, int]]:
    """Yield the binary options, children below their parents, each with its depth."""
    children: dict[str | None, list[BinaryOption]] = {}
    for option in system.binary_options:
        children.setdefault(option.parent, []).append(option)
    pending = [(option, 0) for option in reversed(children.get(None, []))]
    while pending:
        option, depth = pending.pop()
        yield option, depth
        pending += [(child, depth + 1) for child in reversed(children.get(option.name, []))]
