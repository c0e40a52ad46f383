"""The analysis of a system: the number of valid configurations, and suspicious parts of its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sampling.space.space import Space
from sampling.space.suspicions import suspicions
from splc.errors import SpaceError, listed
from splc.system.constraints import BooleanConstraint, Constraint
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

FindingKind = Literal["dead option", "always selected", "unused values", "constraint never binds", "text"]


@dataclass(frozen=True)
class Finding:
    """A part of a description that is probably a mistake.

    Attributes:
        kind: the kind of the finding.
        message: one sentence.
        options: the options that it concerns.
        line: the line of the option or constraint in the description.
    """

    kind: FindingKind
    message: str
    options: tuple[str, ...] = ()
    line: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True)
class Description:
    """An analysed system.

    Attributes:
        system: the system.
        count: the exact number of valid configurations; None where the constraints are too complex to count.
        occurrences: option → for each value index, the number of valid configurations it occurs in.
        findings: suspicious parts; without `count` only those that are found without counting.
        uncounted: why there is no count.
    """

    system: VariabilityModel
    count: int | None
    occurrences: Mapping[str, tuple[int, ...]]
    findings: tuple[Finding, ...]
    uncounted: str | None = None


def describe(space: Space) -> Description:
    """Count the valid configurations of a system and find suspicious parts of its description.

    Raises:
        VariabilityError: naming contradicting constraints, if no configuration is valid.
    """
    system = space.system
    found = tuple(Finding("text", text) for text in suspicions(system))
    try:
        space.require_valid()
        count, occurrences = space.count, space.option_counts()
    except SpaceError as error:
        return Description(system, None, {}, found, error.problems[0].message)
    found += tuple(_options(system, count, occurrences))
    found += tuple(_constraints(space, count))
    return Description(system, count, occurrences, found)


def _options(system: VariabilityModel, count: int, occurrences: Mapping[str, Sequence[int]]) -> Iterator[Finding]:
    """Yield options that are never or always selected, and values that no valid configuration has."""
    for option in system.options:
        counts = occurrences[option.name]
        if isinstance(option, NumericOption):
            yield from _numeric(option, count, counts)
        elif counts[1] == 0:
            yield Finding("dead option", f"{option.name} can never be selected", (option.name,), option.line)
        elif counts[1] == count and option.name not in system.mandatory:
            message = f"{option.name} is always selected, but not declared as mandatory"
            yield Finding("always selected", message, (option.name,), option.line)


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
        what = listed([f"{value:g}" for value in unused])
        message = f"{name} is never {what}" if len(unused) == 1 else f"{name} never has any of the values {what}"
        yield Finding("unused values", message, (name,), option.line)


def _constraints(space: Space, count: int) -> Iterator[Finding]:
    """Yield the stated constraints that exclude no configuration."""
    for constraint in space.system.constraints:
        try:
            without = space.count_without(constraint)
        except SpaceError:
            continue
        if without == count:
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
