"""`splc.toml`: what a project folder says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splc.errors import Problems, SplcError, unknown_name_hint
from splc.io.files import read_source
from splc.io.toml import parse_toml
from splc.learning.settings import Settings

FILE_NAME = "splc.toml"
PATHS = ("system", "measurements", "analytical", "parameters")
KEYS = (*PATHS, "nfp")
OBSERVED = "observed"
LEARNING = "learning"


@dataclass(frozen=True)
class ProjectFile:
    """The content of a `splc.toml`.

    Attributes:
        path: the file.
        values: `system`, `measurements`, `nfp`, `analytical`, `parameters`, as far as they are there, as written.
        learning: the settings of the learner, by name.
        observed: the files of observed variables, as written.
        lines: key (`nfp`, `learning.abortError`) → its line.
    """

    path: Path
    values: Mapping[str, str]
    learning: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict)
    observed: tuple[str, ...] = ()


def read_project_file(path: Path) -> ProjectFile:
    """Read a `splc.toml`.

    Raises:
        InputError: if it is no TOML; or naming every unknown key, wrong type and wrong setting, with its line.
    """
    content, lines = parse_toml(read_source(path))
    problems = Problems(path)
    values: dict[str, str] = {}
    for key, value in content.items():
        if key in KEYS:
            if isinstance(value, str) and value.strip():
                values[key] = value
            else:
                expected = "the name of a property" if key == "nfp" else "the path of a file"
                problems.add(f"{key} must be {expected}, in quotes", lines.get(key), text=f"{key} = {value!r}")
        elif key == OBSERVED:
            named = value if isinstance(value, list) else [value]
            if not named or not all(isinstance(file, str) and file.strip() for file in named):
                problems.add(f"{key} must be the path of a file, in quotes, or a list of such", lines.get(key))
        elif key != LEARNING:
            hint = unknown_name_hint(key, [*KEYS, OBSERVED, f"[{LEARNING}]"])
            problems.add(f"unknown key {key!r}", lines.get(key), hint=hint)
    learning = content.get(LEARNING, {})
    if not isinstance(learning, dict):
        problems.add(f"{LEARNING} must be a table", lines.get(LEARNING), hint=f"write [{LEARNING}] and settings below")
        learning = {}
    for key, value in learning.items():
        try:
            Settings().changed({key: value})
        except SplcError as error:
            problems.include(error, lines.get(f"{LEARNING}.{key}", lines.get(LEARNING)))
    problems.raise_if_any()
    observed = content.get(OBSERVED, [])
    return ProjectFile(path, values, learning, lines, tuple(observed if isinstance(observed, list) else [observed]))
