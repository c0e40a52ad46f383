"""`splc.toml`: the inputs and settings of a project folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splc.data.property_unit import is_unit
from splc.errors import Problems, SplcError, unknown_name_hint
from splc.formats.measurements.columns import ColumnChoice
from splc.io.files import read_source
from splc.io.toml import line_of, listed_texts, parse_toml, plain_text, toml_value
from splc.learning.projection import ProjectionSettings
from splc.learning.registry import PROJECTION, learner_of, own_settings
from splc.learning.stepwise.settings import Settings
from splc.project import keys
from splc.project.keys import LEARNING, OBSERVED, PRESET, PROPERTIES, UNIT

FILE_NAME = "splc.toml"


@dataclass(frozen=True)
class ProjectFile:
    """The content of a `splc.toml`, as far as stated."""

    path: Path | None = None  # None without a file
    # `system`, `measurements`, `analytical`, `parameters` and `property`, as written
    values: Mapping[str, str] = field(default_factory=dict)
    learning: Mapping[str, Any] = field(default_factory=dict)  # the settings of learners, by name
    preset: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)  # key (`property`, `learning.abortError`) → its line
    observed: tuple[str, ...] = ()  # the files of observed variables, as written
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    units: Mapping[str, str] = field(default_factory=dict)  # property → its unit


def read_project_file(path: Path) -> ProjectFile:
    """Read a `splc.toml`."""
    content, written_lines = parse_toml(read_source(path))
    lines = {keys.ALIASES.get(key, key): line for key, line in written_lines.items()}
    problems = Problems(path)
    values = keys.stated_inputs(content, written_lines, problems)
    known = {*keys.INPUTS, *keys.ALIASES, OBSERVED, *keys.COLUMNS, PROPERTIES, LEARNING}
    for key in (key for key in content if key not in known):
        problems.add(f"unknown key {key!r}", lines.get(key), hint=unknown_name_hint(key, list(keys.PROJECT_KEYS)))
    files = listed_texts(content.get(OBSERVED, []))
    if files is None or (OBSERVED in content and not files):
        problems.add(f"{OBSERVED} must be the path of a file, in quotes, or a list of such", lines.get(OBSERVED))
    learning = content.get(LEARNING, {})
    if not isinstance(learning, dict):
        problems.add(f"{LEARNING} must be a table", lines.get(LEARNING), hint=f"write [{LEARNING}] and settings below")
        learning = {}
    learning = {**learning}
    preset = learning.pop(PRESET, None)
    for key, value in learning.items():
        try:
            # Each learner checks its own settings; for an unknown name the message is that of the stepwise learner.
            (ProjectionSettings.of if own_settings(PROJECTION, {key: value}) else Settings().changed)({key: value})
        except SplcError as error:
            problems.include(error, lines.get(f"{LEARNING}.{key}", lines.get(LEARNING)))
    if preset is not None:
        preset = plain_text(preset)
        try:
            learner_of(None, preset)
        except SplcError as error:
            problems.include(error, lines.get(f"{LEARNING}.{PRESET}", lines.get(LEARNING)))
    columns = read_columns(content, lines, problems)
    units = dict(_units(content.get(PROPERTIES, {}), lines, problems))
    problems.raise_if_any()
    return ProjectFile(path, values, learning, preset, lines, tuple(files or ()), columns, units)


def _units(content: Any, lines: Mapping[str, int], problems: Problems) -> Iterator[tuple[str, str]]:
    """Yield each property that a project file states a unit of, and the unit."""
    entries = content if isinstance(content, dict) else {}
    if entries is not content or not all(isinstance(entry, dict) for entry in entries.values()):
        hint = f'write [{PROPERTIES}.time] and {UNIT} = "s" below'
        problems.add(f"{PROPERTIES} must be tables, one for each property", lines.get(PROPERTIES), hint=hint)
        return
    for name, entry in entries.items():
        for key in entry:
            line = line_of(f"{PROPERTIES}.{name}.{key}", lines)
            if key != UNIT:
                problems.add(f"unknown key {key!r} of the property {name!r}", line, hint=unknown_name_hint(key, [UNIT]))
        unit = entry.get(UNIT)
        if unit is not None and not is_unit(unit):
            text = f"{UNIT} = {toml_value(unit)}"
            line = line_of(f"{PROPERTIES}.{name}.{UNIT}", lines)
            problems.add(f"the unit of {name!r} must be a short text, in quotes", line, text=text)
        elif unit is not None:
            yield name, unit.strip()


def read_columns(content: Mapping[str, Any], lines: Mapping[str, int], problems: Problems) -> ColumnChoice:
    """Return the roles of columns that a project file or a study file states."""
    columns: dict[str, Any] = {}
    for key in ("contexts", "ignore", "options"):
        value = content.get(key, [])
        columns[key] = tuple(listed_texts(value) or ())
        if listed_texts(value) is None:
            text = f"{key} = {toml_value(value)}"
            problems.add(f"{key} must be a list of columns, in quotes", lines.get(key), text=text)
    filters = content.get("where", {})
    # No other type: a boolean is a number, too.
    if not isinstance(filters, dict) or any(type(value) not in (str, int, float) for value in filters.values()):
        example = 'where = { version = "0.9.1" }'
        problems.add("where must be a table of columns with a value each", lines.get("where"), hint=f"write {example}")
        filters = {}
    texts = {name: value if isinstance(value, str) else f"{value:.15g}" for name, value in filters.items()}
    constraints = content.get("constraints", True)
    if not isinstance(constraints, bool):
        text = f"constraints = {toml_value(constraints)}"
        problems.add("constraints must be true or false", lines.get("constraints"), text=text)
    return ColumnChoice(where=texts, **columns, constraints=constraints is not False)
