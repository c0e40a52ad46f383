"""The systems of a tree of logs: descriptions and measurements, found by folder or by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import InputError, Problem
from splc.project import Project
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Notes, notes_of

SUFFIXES = (".log", ".log.gz")


@dataclass(frozen=True)
class SystemFolder:
    """A folder with a system description."""

    name: str  # the name of the folder
    path: Path  # its path
    measured: bool = True  # whether it has measurements, too


def logs_below(root: Path) -> list[Path]:
    """Return the logs of a tree, in the order of their paths."""
    return sorted(path for path in _files(root) if path.name.endswith(SUFFIXES))


def systems_below(root: Path) -> list[SystemFolder]:
    """Return the folders of a tree that have a system description, in the order of their paths."""
    candidates = sorted({path.parent for path in _files(root) if path.name.endswith((".xml", ".xml.gz"))})
    folders = []
    for path in candidates:
        project = Project.load(path)
        if project.has_system:
            folders.append(SystemFolder(path.resolve().name, path, project.has_measurements))
    return folders


def system_of(log: Path, root: Path, systems: list[SystemFolder]) -> SystemFolder | None:
    """Return the system of a log: that of the nearest folder above it, else the one that its path names.

    A path names a system if the file or a folder, up to the root, has its name, possibly followed by `_` or other
    signs: `x264_3` and `x264_twise.log` name x264. If there is a single system, all logs belong to it. Systems without
    measurements come after the others.
    """
    measured = [system for system in systems if system.measured]
    system_of_path = (
        None if len(systems) == 1 else _system_in_path(log, root, measured) or _system_in_path(log, root, systems)
    )
    candidates = measured if len(measured) == 1 else systems
    return system_of_path or (candidates[0] if len(candidates) == 1 else None)


def _system_in_path(log: Path, root: Path, systems: list[SystemFolder]) -> SystemFolder | None:
    by_path = {system.path: system for system in systems}
    for folder in log.parents:
        if folder in by_path:
            return by_path[folder]
        if folder == root:
            break
    for part in reversed((root.resolve().name, *log.relative_to(root).parts)):
        matches = [system for system in systems if _names(part.casefold(), system.name.casefold())]
        if matches:
            return max(matches, key=lambda system: len(system.name))
    return None


def read_system(request: SystemInputs, folder: SystemFolder, notes: Notes) -> Measurements:
    """Read the description and the measurements of a system.

    Raises:
        InputError: if they cannot be read.
    """
    project = request.project(str(folder.path))
    space = Space(project.variability_model())
    measurements = request.read_measurements(project, space, notes)
    if measurements.report.invalid:
        source = measurements.report.source
        notes += notes_of([f"{source}: SPL Conqueror's program keeps such rows, so that its errors may be others"])
    return measurements


def require_folder(path: str) -> Path:
    """Return a folder.

    Raises:
        InputError: if it is none.
    """
    if not Path(path).is_dir():
        reason = "this is a file, not a folder" if Path(path).exists() else "there is no such folder"
        raise InputError(Problem(reason, path))
    return Path(path)


def _names(path_part: str, name: str) -> bool:
    return path_part.startswith(name) and not path_part[len(name) : len(name) + 1].isalnum()


def _files(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name) for name in names)


def grouped(logs: list[Path], root: Path, systems: list[SystemFolder]) -> Mapping[SystemFolder | None, list[Path]]:
    """Return system → its logs, in order; None → those without a system."""
    logs_by_system: dict[SystemFolder | None, list[Path]] = {}
    for log in logs:
        logs_by_system.setdefault(system_of(log, root, systems), []).append(log)
    return logs_by_system
