"""The commands of scripts that write systems and measurements with binary options instead of numeric ones."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError, Problem, SpaceError
from splc.formats import detect
from splc.formats.detect import read_variability_model
from splc.io.files import read_source
from splc.io.numbers import number_text
from splc.project import Project
from splc.splconqueror.state import CommandCall, State
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import NO_OUTPUT, BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel

MOST = 100_000  # the most combinations of values that a constraint may be about


def convert_systems(call: CommandCall) -> State:
    """`convert-vm FOLDER FOLDERS FILES TARGET`: write systems with binary options instead of numeric ones."""
    for source, target in _files(call, "system"):
        detect.format_named("system", "xml").write(binary_system(read_variability_model(source)), target)
        call.run.files.append(str(target))
    return call.state


def convert_measurements(call: CommandCall) -> State:
    """`convert-measurements FOLDER FOLDERS FILES TARGET`: write measurements for the systems of `convert-vm`.

    The system of a file is the one in its folder, or else that of the script.
    """
    for source, target in _files(call, "measurements"):
        descriptions = Project.load(source.parent).descriptions()
        space = call.run.read_space(descriptions[0]) if len(descriptions) == 1 else call.state.known_space
        measured = call.run.read_measured(str(source), space, call.state.nfp)
        name = "xml" if detect.suffix_of(str(source)) == ".xml" else "splconqueror-csv"
        form = detect.format_named("measurements", name)
        losses = form.write(binary_measurements(measured, binary_system(space.system)), target)
        call.remark(f"{target}: {text}" for text in losses)
        call.run.files.append(str(target))
    return call.state


def _files(call: CommandCall, kind: detect.Kind) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a kind in the folders that the command names, and the files to write."""
    folder, folders, files, target = call.command.words
    base, goal = Path(call.path(folder)), Path(call.path(target))
    pattern = files if folders == "." else f"{folders}/{files}"
    if any(part in {"/", ".."} or ("**" in part and part != "**") for part in Path(pattern).parts):
        hint = "give folders and files below it, such as * *.xml"
        raise InputError(Problem(f"{pattern} is not a pattern of files in a folder", str(base), hint=hint))
    paths = [path for path in sorted(base.glob(pattern)) if path.is_file() and goal not in path.parents]
    paths = [path for path in paths if detect.kind_of(read_source(path)) == kind]
    if not paths:
        missing_kind = "system" if kind == "system" else "file of measurements"
        raise InputError(Problem(f"no {missing_kind} matches {pattern}", str(base), hint="* stands for any characters"))
    for path in paths:
        output = goal / path.relative_to(base)
        output.parent.mkdir(parents=True, exist_ok=True)
        yield path, output


def binary_system(system: VariabilityModel) -> VariabilityModel:
    """Return a system without numeric options that has the same valid configurations.

    Each numeric option `x` becomes a binary option of this name, with a member `x_VALUE` per value; it is optional if
    the numeric option can be deselected. A constraint about numbers becomes one clause per combination that violates
    it.
    """
    options = list(system.binary_options)
    for numeric in system.numeric_options:
        presentation = Presentation(output_string=NO_OUTPUT)
        options.append(BinaryOption(numeric.name, optional=numeric.optional, presentation=presentation))
        names = _member_names(numeric)
        for name, value in zip(names, numeric.values, strict=True):
            excluded = tuple((other,) for other in names if other != name)
            text = f"{numeric.presentation.prefix}{number_text(value)}{numeric.presentation.postfix}"
            shown = Presentation(output_string=text)
            options.append(BinaryOption(name, numeric.name, optional=False, excluded=excluded, presentation=shown))
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


def _member_names(option: NumericOption) -> list[str]:
    """Return the names of the binary options for the values of a numeric option."""
    texts = (number_text(value).replace("-", "m").replace("+", "") for value in option.values)
    return [f"{option.name}_{re.sub('[^0-9a-z]', '_', text)}" for text in texts]


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
                literals.append(OptionLiteral(_member_names(option)[value], False))
        yield _boolean(tuple(literals), conjunction=False)


def _boolean(literals: tuple[OptionLiteral, ...], *, conjunction: bool) -> BooleanConstraint:
    names = [("" if literal.positive else "!") + literal.name for literal in literals]
    return BooleanConstraint(literals, conjunction, (" & " if conjunction else " | ").join(names))
