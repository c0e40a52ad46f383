"""Systems and measurements with an alternative group of binary options instead of each numeric option."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import SpaceError
from splc.io.numbers import number_text
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import NO_OUTPUT, BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel

# The most combinations of values that a constraint may be about.
MOST = 100_000


def binary_system(system: VariabilityModel) -> VariabilityModel:
    """Return a system without numeric options that has the same valid configurations.

    Each numeric option `x` becomes a binary option of this name, with a member `x_VALUE` per value; it is optional if
    the numeric option can be deselected. A constraint about numbers becomes one clause per combination that violates
    it.

    Raises:
        SpaceError: if a constraint is about too many combinations of values.
        VariabilityError: if a name is taken.
    """
    options = list(system.binary_options)
    for numeric in system.numeric_options:
        options.append(BinaryOption(numeric.name, optional=numeric.optional, presentation=_presentation(NO_OUTPUT)))
        names = member_names(numeric)
        for name, value in zip(names, numeric.values, strict=True):
            excluded = tuple((other_name,) for other_name in names if other_name != name)
            text = f"{numeric.presentation.prefix}{number_text(value)}{numeric.presentation.postfix}"
            options.append(
                BinaryOption(name, numeric.name, optional=False, excluded=excluded, presentation=_presentation(text))
            )
    constraints: list[Constraint] = []
    for constraint in system.constraints:
        if isinstance(constraint, BooleanConstraint):
            literals = tuple(_switch(literal, system) for literal in constraint.literals)
            constraints.append(_boolean(literals, conjunction=constraint.conjunction))
        else:
            constraints += disjunctions(constraint, system)
    return VariabilityModel(system.name, tuple(options), tuple(constraints))


def binary_measurements(measured: Measurements, system: VariabilityModel) -> Measurements:
    """Return measurements of the same configurations in `system`, the binary form of their system."""
    source_system, indices = measured.system, measured.configurations.indices
    columns = [indices[:, source_system.positions[option.name]] for option in source_system.binary_options]
    for numeric in source_system.numeric_options:
        values = indices[:, source_system.positions[numeric.name]]
        columns.append(values < len(numeric.values))
        columns += [values == value_index for value_index in range(len(numeric.values))]
    rows = np.stack(columns, axis=1).astype(np.uint8)
    return replace(measured, configurations=Configurations(system, rows))


def member_names(option: NumericOption) -> list[str]:
    """Return the names of the binary options for the values of a numeric option."""
    texts = (number_text(value).replace("-", "m").replace("+", "") for value in option.values)
    return [f"{option.name}_{re.sub('[^0-9a-z]', '_', text)}" for text in texts]


def _presentation(text: str) -> Presentation:
    return Presentation(output_string=text)


def _switch(literal: OptionLiteral, system: VariabilityModel) -> OptionLiteral:
    """Return a literal in which `Enabledx` is `x`, and `Disabledx` its negation."""
    if literal.name not in system.switches:
        return literal
    position, enabled = system.switches[literal.name]
    return OptionLiteral(system.names[position], literal.positive == enabled)


def disjunctions(constraint: ArithmeticConstraint, system: VariabilityModel) -> Iterator[Constraint]:
    """Yield a disjunction per combination that violates a constraint, or the constraint if it has no numbers."""
    switches = {name: at for name, (at, _) in system.switches.items()}
    positions = dict.fromkeys(switches.get(name, system.positions.get(name, -1)) for name in constraint.names)
    options = [replace(system.options[position], parent=None) for position in sorted(positions) if position >= 0]
    if not any(isinstance(option, NumericOption) for option in options):
        yield constraint
        return
    options = [
        replace(option, optional=True, implied=(), excluded=()) if isinstance(option, BinaryOption) else option
        for option in options
    ]
    if math.prod(option.size for option in options) > MOST:
        message = f"the constraint {constraint.text.strip()!r} is about more than {MOST:,} combinations of values"
        raise SpaceError(message, hint="leave the numeric options as they are")
    subsystem = VariabilityModel("constraint", tuple(options), (constraint,))
    sizes = [option.size for option in subsystem.options]
    rows = np.indices(sizes).reshape(len(sizes), -1).T
    for row in rows[~Space(subsystem).check(Configurations(subsystem, rows))].tolist():
        literals = []
        for option, value in zip(subsystem.options, row, strict=True):
            if isinstance(option, BinaryOption):
                literals.append(OptionLiteral(option.name, value == 0))
            elif value == len(option.values):
                literals.append(OptionLiteral(option.name, True))
            else:
                literals.append(OptionLiteral(member_names(option)[value], False))
        yield _boolean(tuple(literals), conjunction=False)


def _boolean(literals: tuple[OptionLiteral, ...], *, conjunction: bool) -> BooleanConstraint:
    text = (" & " if conjunction else " | ").join(
        ("" if literal.positive else "!") + literal.name for literal in literals
    )
    return BooleanConstraint(literals, conjunction, text)
