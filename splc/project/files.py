"""A project folder: its splc.toml, and its files, named by options, by splc.toml, or by convention, in this order."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from splc import learning as learners
from splc.data.property_unit import is_unit
from splc.errors import InputError, Problem, Problems, SplcError, listed, nearest, unknown_name_hint
from splc.formats.benchmarks.declaration import folder_reader
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import kind_of, xml_root_of_file
from splc.io.files import STANDARD, read_source
from splc.io.toml import line_of, listed_texts, parse_toml, plain_text, toml_value
from splc.learning.projection import ProjectionSettings
from splc.project import keys
from splc.project.keys import FILES, LEARNING, OBSERVED, PRESET, PROPERTIES, PROPERTY, UNIT

FILE_NAME = "splc.toml"


@dataclass(frozen=True)
class ProjectFile:
    """The content of a `splc.toml`, as far as stated."""

    path: Path | None = None  # None without a file
    # `system`, `measurements`, `analytical`, `parameters` and `property`, as written
    values: Mapping[str, str] = field(default_factory=dict)
    learning: Mapping[str, Any] = field(default_factory=dict)  # the settings in its [learning] table, by name, checked
    preset: str | None = None  # the preset that this table states
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
            is_own = key in ProjectionSettings.__dataclass_fields__
            (ProjectionSettings.of if is_own else learners.Settings().changed)({key: value})
        except SplcError as error:
            problems.include(error, lines.get(f"{LEARNING}.{key}", lines.get(LEARNING)))
    if preset is not None:
        preset = plain_text(preset)
        try:
            learners.learner_of(None, preset)
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
            elif entry[key] is not None and not is_unit(entry[key]):
                text = f"{UNIT} = {toml_value(entry[key])}"
                problems.add(f"the unit of {name!r} must be a short text, in quotes", line, text=text)
            elif entry[key] is not None:
                yield name, entry[key].strip()


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


MEASUREMENT_FILES = tuple(f"measurements.{suffix}" for suffix in ("csv", "xml", "csv.gz", "xml.gz", "tar.gz"))
# Feature models, used if there is no other description: root elements of XML (FeatureIDE), and file names.
FEATURE_ROOTS = frozenset(("featureModel", "extendedFeatureModel"))
FEATURE_MODELS = ("*.uvl", "*.uvl.gz", "*.dimacs", "*.dimacs.gz")
# Files with these names are inputs of the folder unless others are named.
CONVENTIONS = {
    "measurements": MEASUREMENT_FILES,
    "analytical": ("analytical.txt",),
    "parameters": ("parameters.toml", "parameters.txt"),
}


@dataclass(frozen=True)
class ProjectFiles:
    """The files of one system, found when they are asked for."""

    folder: Path
    # `system`, `measurements`, `nfp`, `analytical`, `parameters`, as far as given by options
    given: Mapping[str, str] = field(default_factory=dict)
    file: ProjectFile = field(default_factory=ProjectFile)  # its `splc.toml`
    chosen: ColumnChoice = field(default_factory=ColumnChoice)  # the roles of columns that command-line options state
    further: tuple[str, ...] = ()  # tables that are named beside the measurements, whose rows follow theirs
    foreign: bool = False  # whether the folder's files belong to another system, and only named ones are used

    @classmethod
    def load(
        cls,
        folder: str | Path = ".",
        *,
        system: str | None = None,
        measurements: str | Sequence[str] | None = None,
        nfp: str | None = None,
        analytical: str | None = None,
        parameters: str | None = None,
        columns: ColumnChoice | None = None,
    ) -> Self:
        """Return the project of a folder; files are relative to the current one. Several tables are read together."""
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(Problem("there is no such folder", str(folder)))
        first, further = first_and_further(measurements)
        if not os.access(folder, os.X_OK):
            raise _unreadable(folder)
        path = folder / FILE_NAME
        file = read_project_file(path) if path.exists() else ProjectFile()
        inputs = {"system": system, "measurements": first, "nfp": nfp, "analytical": analytical}
        inputs["parameters"] = parameters
        given = {key: value for key, value in inputs.items() if value is not None}
        return cls(folder, given, file, columns or ColumnChoice(), further)

    @property
    def nfp(self) -> str | None:
        """The property, None if neither an option nor `splc.toml` names one."""
        return self.given.get("nfp", self.file.values.get(PROPERTY))

    @property
    def columns(self) -> ColumnChoice:
        """The roles of columns of the measurements that options or `splc.toml` state."""
        # The roles in the file refer to the measurements of the folder; other tables may lack these columns.
        columns = self.file.columns.lenient if "measurements" in self.given else self.file.columns
        return self.chosen.over(columns)

    @property
    def files(self) -> tuple[str, ...]:
        """All input files that are named or found, none of which an output may replace."""
        paths = [] if self.file.path is None else [str(self.file.path)]
        for key in FILES:
            with suppress(InputError):
                path = self._named_file(key)
                if path is not None:
                    paths.append(path)
                elif key == "system":
                    paths += list(self._own_descriptions)
                else:
                    paths += self._conventional(key)
        with suppress(InputError):
            paths += self.observed_files
        return (*paths, *self.further)

    @property
    def observed_files(self) -> tuple[str, ...]:
        """The files of observed variables that `splc.toml` names."""
        return tuple(self._existing(OBSERVED, path) for path in self.file.observed)

    @property
    def system_file(self) -> str:
        """The system description."""
        if (path := self._named_file("system")) is not None:
            return path
        descriptions = self._own_descriptions
        if len(descriptions) == 1:
            return descriptions[0]
        named = "name one with --system"
        inferred = named
        if "measurements" in self.given:
            inferred += f", or infer the options from the table: --system {shlex.quote(self.given['measurements'])}"
        if descriptions:
            raise InputError(f"several system descriptions: {listed(descriptions)}", hint=inferred)
        hint = f"{named}, or a table of measurements with --measurements{self._tables}"
        if unreadable := self.descriptions(None):
            hint = f"{inferred} (not XML: {listed(unreadable)})"
        elif self.has_measurements:
            hint = named
        where = f"no *.xml with the root element <vm> in {self._folder_text}"
        raise InputError(f"no system description: {where}", hint=hint)

    @property
    def has_system(self) -> bool:
        """True if a system description is named or lies in the folder."""
        return self.system_table is None and (self._is_named("system") or bool(self._own_descriptions))

    @cached_property
    def system_table(self) -> str | None:
        """The table that is named as the system, whose options are inferred from it; None for a description."""
        with suppress(InputError):
            path = self._named_file("system")
            if path is not None and folder_reader(path):
                return path
            if path not in (None, STANDARD) and Path(path).is_file() and xml_root_of_file(Path(path)) is None:
                return path if kind_of(read_source(path)) == "measurements" else None
        return None

    @property
    def assumed_system(self) -> str | None:
        """The description in the folder, where an option names measurements, which may belong to another system."""
        table = self.given.get("measurements")
        if table is None or self._is_named("system") or table in self._conventional("measurements"):
            return None
        descriptions = self.descriptions()
        # The settings of the folder do not name its measurements.
        single = len(descriptions) == 1 and "measurements" not in self.file.values
        return descriptions[0] if single else None

    @property
    def lists_configurations(self) -> bool:
        """True if the system is inferred from a table of its own that has no measured column."""
        return False

    @property
    def measurements_file(self) -> str:
        """The measurements; those of the folder where the table that is named as the system lists configurations."""
        listed_here = self.lists_configurations and self._single_file("measurements") is not None
        given = not listed_here and "system" in self.given and "measurements" not in self.given
        if given and self.system_table is not None:
            return self.system_table
        if (path := self._single_file("measurements")) is None:
            message = f"no measurements: neither measurements.csv nor measurements.xml in {self._folder_text}"
            raise InputError(message, hint=f"name them with --measurements{self._tables}")
        return path

    @property
    def analytical_file(self) -> str | None:
        """The analytical model, None if it is not named and there is no analytical.txt."""
        return self._single_file("analytical")

    @property
    def parameters_file(self) -> str | None:
        """The parameters of the analytical model, None if they are not named and not in the folder."""
        return self._single_file("parameters")

    @property
    def has_measurements(self) -> bool:
        """True if measurements are named or lie in the folder (for what can do without)."""
        if self._is_named("measurements") or self._conventional("measurements"):
            return True
        return self.system_table is not None and not self.lists_configurations

    @property
    def _folder_text(self) -> str:
        return "this folder" if str(self.folder) == "." else str(self.folder)

    @property
    def _tables(self) -> str:
        """The tables of the folder as values of an option, empty without any."""
        tables = [str(path) for pattern in ("*.csv", "*.csv.gz") for path in sorted(self.folder.glob(pattern))]
        return f" ({listed(tables, 3)})" if tables else ""

    def descriptions(self, root: str | None = "vm") -> tuple[str, ...]:
        """Return the *.xml files of the folder with this root element; None for those that are not XML."""
        return tuple(str(path) for path, tag in self._xml_roots.items() if tag == root)

    @property
    def _own_descriptions(self) -> tuple[str, ...]:
        """The system descriptions of the folder; where there is none, its feature models, last those in SXFM."""
        if own := self.descriptions():
            return own
        paths = [path for path, tag in self._xml_roots.items() if tag in FEATURE_ROOTS]
        paths += [path for pattern in FEATURE_MODELS for path in sorted(self.folder.glob(pattern))]
        # Reading SXFM says what to do with it.
        return tuple(map(str, paths)) or self.descriptions("feature_model")

    @property
    def _xml_roots(self) -> dict[Path, str | None]:
        """The *.xml files of the folder with their root elements, None for those that are not XML."""
        if not os.access(self.folder, os.R_OK):
            raise _unreadable(self.folder)
        candidates = sorted(self.folder.glob("*.xml")) + sorted(self.folder.glob("*.xml.gz"))
        return {path: xml_root_of_file(path) for path in candidates}

    def _conventional(self, key: str) -> list[str]:
        """Return the files of the folder that have one of the names by which a kind of input is found."""
        names = () if self.foreign else CONVENTIONS[key]
        return [str(path) for name in names if (path := self.folder / name).exists()]

    def _single_file(self, key: str) -> str | None:
        """Return the file of a kind of input, None if it is not named and there is none in the folder."""
        if (path := self._named_file(key)) is not None:
            return path
        paths = self._conventional(key)
        if len(paths) > 1:
            raise InputError(f"several files of {key}: {listed(paths)}", hint=f"name one with --{key}")
        return paths[0] if paths else None

    def _named_file(self, key: str) -> str | None:
        """Return the file that an option or `splc.toml` names, None where neither does."""
        if key in self.given or not self._is_named(key):
            return self.given.get(key)
        return self._existing(key, self.file.values[key])

    def _is_named(self, key: str) -> bool:
        return key in self.given or key in self.file.values

    def _existing(self, key: str, value: str) -> str:
        """Return the path of a file that `splc.toml` names."""
        path = self.folder / value
        if not path.exists():
            names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            place, hint = (str(self.file.path), self.file.lines.get(key)), nearest(path.name, names)
            raise InputError(Problem(f"{key}: there is no such file", *place, text=str(path), hint=hint))
        return str(path)


def first_and_further(files: str | Sequence[str] | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the first of the files of measurements, None without any, and the others."""
    if files is None or isinstance(files, str):
        return files, ()
    return (files[0], tuple(files[1:])) if files else (None, ())


def _unreadable(folder: Path) -> InputError:
    hint = "allow it (chmod u+rx), or work in another folder and name the files with --system and --measurements"
    return InputError(Problem("the folder cannot be read: permission denied", str(folder), hint=hint))
