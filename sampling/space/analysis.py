"""The analysis of a system: the number of valid configurations, and probable mistakes in its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from sampling.space.space import SOLVER, Space
from splc.errors import SpaceError, listed
from splc.system.constraints import BooleanConstraint, Constraint
from splc.system.options import NO_OUTPUT, BinaryOption, NumericOption
from splc.system.variability import VariabilityModel, plain_name

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
    occurrences: Mapping[str, tuple[int, ...]]  # option → the number of valid configurations with each value
    findings: tuple[Finding, ...]  # suspicious parts; without `count` only those that are found without counting
    uncounted: str | None = None  # why there is no count
    engine: str | None = None  # the engine that answered exactly, None if dead options were not looked for
    core: tuple[str, ...] | None = None  # the binary options that all select, None if that is not known
    dead: tuple[str, ...] | None = None  # the binary options that none selects, None if that is not known


def describe(space: Space) -> Description:
    """Count the valid configurations of a system and find suspicious parts of its description."""
    system = space.system
    findings = tuple(Finding("text", text) for text in suspicions(system))
    names = [option.name for option in system.binary_options]
    solver = space.solver
    try:
        space.require_valid()
        count, occurrences = space.count, space.option_counts()
    except SpaceError as error:
        if solver is None:
            return Description(system, None, {}, findings, error.problems[0].message)
        core, dead = (tuple(n for n in names if solver.fixed[system.positions[n]] == value) for value in (1, 0))
        findings += (*_fixed(system, core, dead), *_constraints(space, None))
        return Description(system, None, {}, findings, error.problems[0].message, SOLVER, core, dead)
    core, dead = (tuple(name for name in names if occurrences[name][1] == number) for number in (count, 0))
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
        name, counts = option.name, occurrences[option.name]
        if option.optional and counts[-1] == count:
            message = f"{name} can never have a value: it is always deselected"
            yield Finding("dead option", message, (name,), option.line)
            continue
        if option.optional and counts[-1] == 0:
            message = f"{name} always has a value, although it has a deselectedFlag"
            yield Finding("always selected", message, (name,), option.line)
        unused = [f"{value:g}" for value, occurring in zip(option.values, counts, strict=False) if occurring == 0]
        if unused:
            never = "is never" if len(unused) == 1 else "never has any of the values"
            yield Finding("unused values", f"{name} {never} {listed(unused)}", (name,), option.line)


def _constraints(space: Space, count: int | None) -> Iterator[Finding]:
    """Yield the stated constraints that exclude no configuration."""
    stated = space.system.constraints

    def never_binds(constraint: Constraint) -> bool:
        with suppress(SpaceError):
            return space.count_without(constraint) == count
        return False

    redundant = map(never_binds, stated) if space.solver is None else space.solver.redundant(stated)
    for constraint, is_redundant in zip(stated, redundant, strict=True):
        if is_redundant:
            text = constraint.text.strip()
            message = f"the constraint {text!r} never binds: the same configurations are valid without it"
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


def suspicions(system: VariabilityModel) -> list[str]:
    """Return probable mistakes, the reader's notes first, each with its line where that is known."""
    mistakes = [
        *system.notes,
        *(text for option in system.binary_options for text in _of_binary(system, option)),
        *_of_groups(system),
        *(text for option in system.numeric_options for text in _of_numeric(option)),
        *_of_spellings(system),
        *_of_constraints(system),
    ]
    return list(dict.fromkeys(mistakes))


def _at(line: int | None, message: str) -> str:
    return f"line {line}: {message}" if line else message


def _of_binary(system: VariabilityModel, option: BinaryOption) -> Iterator[str]:
    name, line = option.name, option.line
    for group in option.excluded:
        if len(group) > 1:
            several = " | ".join(group)
            yield _at(line, f"{name} excludes {several} as one group, which has no effect; list each name by itself")
        elif group[0] == name:
            yield _at(line, f"{name} excludes itself, which has no effect")
    for group in option.implied:
        if name in group:
            yield _at(line, f"{name} implies itself, which has no effect")
        elif all(other in system.exclusions[name] for other in group):
            yield _at(line, f"{name} implies options that it excludes ({' | '.join(group)}) and can never be selected")
    if not option.optional and system.exclusions[name] and not system.alternatives(option):
        excluded = f"excludes options that are not its alternatives ({', '.join(system.exclusions[name])})"
        yield _at(line, f"{name} is not optional, but {excluded}: it is in effect optional")


def _of_groups(system: VariabilityModel) -> Iterator[str]:
    """Yield alternative groups whose members do not all exclude each other."""
    for group in system.alternative_groups:
        compatible = [f"{a} and {b}" for a, b in combinations(group, 2) if b not in system.exclusions[a]]
        if compatible:
            yield f"the alternatives {', '.join(group)} do not all exclude each other: {'; '.join(compatible)}"


def _of_numeric(option: NumericOption) -> Iterator[str]:
    name, line = option.name, option.line
    if option.deselected_flag in option.values:
        flag = f"deselectedFlag {option.deselected_flag:g} is one of its values"
        yield _at(line, f"{name}: {flag}, which files cannot distinguish from deselected")
    output = (option.presentation.output_string or "").strip()
    if output and output != NO_OUTPUT:
        printed = f"a numeric option prints its prefix, value and postfix ({NO_OUTPUT} alone has an effect)"
        yield _at(line, f"{name}: outputString {output!r} is never printed; {printed}")
    if len(option.values) == 1:
        yield _at(line, f"{name} has only one value, {option.values[0]:g}")
    if option.step is not None and option.maximum is not None:
        last = f"the last value is {option.values[-1]:g} (SPL Conqueror goes one step beyond maxValue)"
        yield _at(line, f"{name}: the steps do not reach maxValue {option.maximum:g}; {last}")


def _of_spellings(system: VariabilityModel) -> Iterator[str]:
    """Yield names that SPL Conqueror cannot distinguish, since it keeps only letters, digits and _."""
    plain: dict[str, list[str]] = {}
    for name in system.names:
        plain.setdefault(plain_name(name), []).append(name)
    for spelling, names in plain.items():
        if len(names) > 1:
            yield f"SPL Conqueror cannot distinguish {', '.join(names)}: it reads each of them as {spelling!r}"


def _of_constraints(system: VariabilityModel) -> Iterator[str]:
    seen: dict[Constraint, Constraint] = {}
    for constraint in system.constraints:
        line, text = constraint.line, constraint.text.strip()
        first = seen.setdefault(constraint, constraint)
        if first is not constraint:
            location = f" (line {first.line})" if first.line else ""
            yield _at(line, f"duplicate constraint {text!r}{location}")
        if isinstance(constraint, BooleanConstraint):
            signs = {(literal.name, literal.positive) for literal in constraint.literals}
            both = sorted({name for name, positive in signs if (name, not positive) in signs})
            # Of a conjunction that can never hold, the contradiction is an error.
            if both and not constraint.conjunction:
                yield _at(line, f"the constraint {text!r} always holds: it has {both[0]} and its negation")
        elif constraint.ambiguous:
            reading = "is read as in SPL Conqueror: a / b * c is a / (b * c); add parentheses"
            yield _at(line, f"the constraint {text!r} {reading}")
