"""`splc.toml`: what a project folder says about itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, Problems, SplcError, unknown_name_hint
from splc.formats.files import read_source
from splc.learning.settings import Settings

FILE_NAME = "splc.toml"
PATHS = ("system", "measurements", "analytical", "parameters")
KEYS = (*PATHS, "nfp")
LEARNING = "learning"

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_TABLE = re.compile(r"\s*\[+\s*([^\[\]]*?)\s*\]")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


@dataclass(frozen=True)
class ProjectFile:
    """The content of a `splc.toml`.

    Attributes:
        path: the file.
        values: `system`, `measurements`, `nfp`, `analytical`, `parameters`, as far as they are there, as written.
        learning: the settings of the learner, by name.
        lines: key (`nfp`, `learning.abortError`) → its line.
    """

    path: Path
    values: Mapping[str, str]
    learning: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict)


def read_project_file(path: Path) -> ProjectFile:
    """Read a `splc.toml`.

    Raises:
        InputError: if it is no TOML; or naming every unknown key, wrong type and wrong setting, with its line.
    """
    text = read_source(path).text()
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line, column = (int(n) for n in place.groups()) if place and place[1] else (None, None)
        what = _PLACE.sub("", message)
        if line is None and place:
            line, what = text.count("\n") + 1, f"{what} (at the end of the file)"
        raise InputError(Problem(f"not well-formed TOML: {what}", str(path), line, column)) from None
    except RecursionError:
        raise InputError(Problem("nested too deeply", str(path))) from None
    lines = dict(_lines_of_keys(text))
    problems = Problems(path)
    values: dict[str, str] = {}
    for key, value in content.items():
        if key in KEYS:
            if isinstance(value, str) and value.strip():
                values[key] = value
            else:
                expected = "the name of a property" if key == "nfp" else "the path of a file"
                problems.add(f"{key} must be {expected}, in quotes", lines.get(key), text=f"{key} = {value!r}")
        elif key != LEARNING:
            hint = unknown_name_hint(key, [*KEYS, f"[{LEARNING}]"])
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
    return ProjectFile(path, values, learning, lines)


def _lines_of_keys(text: str) -> Iterator[tuple[str, int]]:
    """Yield (dotted key or table, line) as far as a look at single lines tells; it serves messages only."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = _plain(match[1])
            yield table, number
        elif match := _KEY.match(line):
            key = _plain(match[1])
            yield (f"{table}.{key}" if table else key), number
            if not table and "." in key:
                yield key.split(".")[0], number


def _plain(key: str) -> str:
    return re.sub(r"\s*\.\s*", ".", re.sub(r"[\"']", "", key.strip()))
