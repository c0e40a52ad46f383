"""The commands of scripts that write systems and measurements without numeric options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sampling import Space
from splc.errors import InputError, Problem
from splc.formats import registry
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.measurements.splconqueror_xml import write_measurements_xml
from splc.formats.system.splconqueror_xml import read_variability_model, write_variability_model
from splc.io.files import read_source
from splc.project import Project
from splc.splconqueror.scripts.binary_form import binary_measurements, binary_system
from splc.splconqueror.scripts.context import CommandCall
from splc.splconqueror.scripts.state import State


def convert_systems(call: CommandCall) -> State:
    """`convert-vm FOLDER FOLDERS FILES TARGET`: write systems with binary options instead of numeric ones."""
    for source, target in _files(call, "system"):
        write_variability_model(binary_system(read_variability_model(source)), target)
        call.run.files.append(str(target))
    return call.state


def convert_measurements(call: CommandCall) -> State:
    """`convert-measurements FOLDER FOLDERS FILES TARGET`: write measurements for the systems of `convert-vm`.

    The system of a file is the one in its folder, or else that of the script.
    """
    for source, target in _files(call, "measurements"):
        descriptions = Project.load(source.parent).descriptions()
        space: Space = call.run.inputs.space(descriptions[0]) if len(descriptions) == 1 else call.shared.known_space
        measured = call.run.inputs.measured(str(source), space, call.shared.nfp)
        xml = registry.suffix_of(str(source)) == ".xml"
        write = write_measurements_xml if xml else write_measurements_splconqueror_csv
        losses = write(binary_measurements(measured, binary_system(space.system)), target)
        call.remark(f"{target}: {text}" for text in losses)
        call.run.files.append(str(target))
    return call.state


def _files(call: CommandCall, kind: registry.Kind) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a kind in the folders that the command names, and the files to write.

    Raises:
        InputError: if there is none, or the pattern is wrong.
    """
    folder, folders, files, target = call.command.words
    base, goal = Path(call.path(folder)), Path(call.path(target))
    pattern = files if folders == "." else f"{folders}/{files}"
    if any(part in {"/", ".."} or ("**" in part and part != "**") for part in Path(pattern).parts):
        hint = "give folders and files below it, such as * *.xml"
        raise InputError(Problem(f"{pattern} is not a pattern of files in a folder", str(base), hint=hint))
    paths = [path for path in sorted(base.glob(pattern)) if path.is_file() and goal not in path.parents]
    paths = [path for path in paths if registry.kind_of(read_source(path)) == kind]
    if not paths:
        missing_kind = "system" if kind == "system" else "file of measurements"
        raise InputError(Problem(f"no {missing_kind} matches {pattern}", str(base), hint="* stands for any characters"))
    for path in paths:
        output = goal / path.relative_to(base)
        output.parent.mkdir(parents=True, exist_ok=True)
        yield path, output
