"""Probable mistakes in a variability model that its text shows without the valid configurations.

Mistakes that only the valid configurations show (dead options, constraints that never bind) are in `analysis`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from splc.system.constraints import BooleanConstraint, Constraint
from splc.system.options import NO_OUTPUT, BinaryOption, NumericOption
from splc.system.variability import VariabilityModel, plain_name


def suspicions(system: VariabilityModel) -> list[str]:
    """Return probable mistakes, the reader's notes first, each with its line where that is known."""
    mistakes = [
        *system.notes,
        *(text for option in system.binary_options for text in _binary(system, option)),
        *_groups(system),
        *(text for option in system.numeric_options for text in _numeric(option)),
        *_spellings(system),
        *_constraints(system),
    ]
    return list(dict.fromkeys(mistakes))


def _at(line: int | None, message: str) -> str:
    return f"line {line}: {message}" if line else message


def _binary(system: VariabilityModel, option: BinaryOption) -> Iterator[str]:
    name, line = option.name, option.line
    for group in option.excluded:
        if len(group) > 1:
            yield _at(
                line, f"{name} excludes {' | '.join(group)} as one group, which has no effect; list each name by itself"
            )
        elif group[0] == name:
            yield _at(line, f"{name} excludes itself, which has no effect")
    for group in option.implied:
        if name in group:
            yield _at(line, f"{name} implies itself, which has no effect")
        elif all(other in system.exclusions[name] for other in group):
            yield _at(line, f"{name} implies options that it excludes ({' | '.join(group)}) and can never be selected")
    if not option.optional and system.exclusions[name] and not system.alternatives(option):
        excluded = ", ".join(system.exclusions[name])
        yield _at(
            line,
            f"{name} is not optional, but excludes options that are not its alternatives ({excluded}): "
            "it is in effect optional",
        )


def _groups(system: VariabilityModel) -> Iterator[str]:
    """Yield alternative groups whose members do not all exclude each other."""
    for group in system.alternative_groups:
        compatible = [f"{a} and {b}" for a, b in combinations(group, 2) if b not in system.exclusions[a]]
        if compatible:
            yield f"the alternatives {', '.join(group)} do not all exclude each other: {'; '.join(compatible)}"


def _numeric(option: NumericOption) -> Iterator[str]:
    name, line = option.name, option.line
    if option.deselected_flag in option.values:
        yield _at(
            line,
            f"{name}: deselectedFlag {option.deselected_flag:g} is one of its values, "
            "which files cannot distinguish from deselected",
        )
    output = (option.presentation.output_string or "").strip()
    if output and output != NO_OUTPUT:
        yield _at(
            line,
            f"{name}: outputString {output!r} is never printed; a numeric option prints its prefix, value and postfix "
            f"({NO_OUTPUT} alone has an effect)",
        )
    if len(option.values) == 1:
        yield _at(line, f"{name} has only one value, {option.values[0]:g}")
    if option.step is not None and option.maximum is not None:
        yield _at(
            line,
            f"{name}: the steps do not reach maxValue {option.maximum:g}; the last value is "
            f"{option.values[-1]:g} (SPL Conqueror goes one step beyond maxValue)",
        )


def _spellings(system: VariabilityModel) -> Iterator[str]:
    """Yield names that SPL Conqueror cannot distinguish, since it keeps only letters, digits and _."""
    plain: dict[str, list[str]] = {}
    for name in system.names:
        plain.setdefault(plain_name(name), []).append(name)
    for spelling, names in plain.items():
        if len(names) > 1:
            yield f"SPL Conqueror cannot distinguish {', '.join(names)}: it reads each of them as {spelling!r}"


def _constraints(system: VariabilityModel) -> Iterator[str]:
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
            if both:
                verdict = "can never hold" if constraint.conjunction else "always holds"
                yield _at(line, f"the constraint {text!r} {verdict}: it has {both[0]} and its negation")
        elif constraint.ambiguous:
            yield _at(
                line, f"the constraint {text!r} is read as in SPL Conqueror: a / b * c is a / (b * c); add parentheses"
            )
