"""The content of study files (`study.toml`), and their reader, which reports all errors of a file at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from comparison.measures import measure
from sampling import parse_spec
from splc.errors import Problems, SpecError, SplcError, nearest, unknown_name_hint
from splc.formats.column_choice import ColumnChoice
from splc.io.files import Source, read_source
from splc.io.toml import finite_number, line_of, listed_texts, parse_toml, plain_text, toml_value
from splc.learning.learner import Learner
from splc.learning.registry import BASELINES, DEFAULT, LEARNERS, learner_name, learner_of
from splc.project import Project
from splc.project.files import read_columns
from splc.project.keys import (
    ALIASES,
    COLUMNS,
    FILES,
    INPUTS,
    POLICIES,
    PROPERTY,
    FileKey,
    stated_inputs,
    stated_policies,
)
from splc.types import Aggregate, Duplicates, Invalid, Missing

KEYS: Mapping[str, FileKey] = {
    "samplings": FileKey("A list of [sampling specs](../explanation/designs.md).", "required"),
    "seeds": FileKey("The seeds of random draws.", "`[0]`"),
    **{name: replace(key, default="as in `splc.toml`") for name, key in INPUTS.items()},
    "learners": FileKey("Tables `[learners.NAME]`.", "one learner with the settings of `splc.toml`"),
    "scale": FileKey("A factor on the analytical model.", "`1.0`"),
    "at": FileKey("The rows of tabled parameters that represent them in terms: `{ nodes = 4 }`.", "middle rows"),
    "constant": FileKey("Whether to compare the constant.", "`true`"),
    "measures": FileKey("Further measures (`splc compare --measure list`).", "`[]`"),
    **POLICIES,
    **COLUMNS,
    "by": FileKey("A context: a study of each of its values, in a folder of its own."),
}
# Keys of a learner's table besides the settings.
LEARNER, PRESET, OBSERVED, SUM = "learner", "preset", "observed", "sum"
_NAMES = ", ".join(f"`{name}`" for name in LEARNERS if name not in BASELINES)
LEARNER_KEYS: Mapping[str, FileKey] = {
    LEARNER: FileKey(
        f"the learner (SPL Conqueror's preset has its own): {_NAMES}, or a baseline: "
        + ", ".join(f"`{name}`" for name in BASELINES),
        f'`"{DEFAULT}"`',
    ),
    PRESET: FileKey("the settings to start from", '`"default"`'),
    OBSERVED: FileKey("names or patterns of observed variables to learn from", "`[]`"),
    SUM: FileKey("parts of the property whose models are added up", "`[]`"),
}
_EXAMPLES = {OBSERVED: 'write observed = "C_*"', SUM: 'write sum = "seconds_{}:level_{}"'}
MAX_SEEDS = 10_000  # more seeds than this are a mistake, such as a range that was written out


@dataclass(frozen=True)
class StudyLearner:
    """A learner with its settings."""

    name: str = "default"  # its name in tables and files
    kind: str = DEFAULT  # its name in the table of learners (`splc.learning.registry`)
    preset: str = "default"  # the settings that it starts from
    settings: Mapping[str, Any] = field(default_factory=dict)  # those that differ, by name
    observed: tuple[str, ...] = ()  # observed variables to learn from: names or patterns (`splc learn --observed`)
    parts: tuple[str, ...] = ()  # the parts that are added up (`splc learn --sum`); empty: learned as a whole

    def resolved(self) -> Learner:
        """Return the learner with all its settings; SpecError for an unknown learner, preset or setting."""
        return learner_of(self.kind, self.preset, self.settings)


@dataclass(frozen=True)
class Study:
    """The content of a study file."""

    path: Path
    samplings: tuple[str, ...]  # sampling specs in canonical spelling, distinct, at least one
    seeds: tuple[int, ...] = (0,)
    # `system`, `measurements`, `property`, `analytical`, `parameters`, as stated; paths are relative to the file
    given: Mapping[str, str] = field(default_factory=dict)
    learners: tuple[StudyLearner, ...] | None = None  # None: one with the settings of the project's `[learning]`
    scale: float = 1.0
    at: Mapping[str, float] = field(default_factory=dict)  # tabled parameters → the value whose row is theirs in terms
    constant: bool = True
    measures: tuple[str, ...] = ()
    missing: Missing = "error"  # of a sampled configuration; with 'error' the run fails, and its record has the reason
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    by: str | None = None  # the context that a study is done of each value of
    invalid: Invalid = "error"
    duplicates: Duplicates = "error"
    aggregate: Aggregate = "mean"
    lines: Mapping[str, int] = field(default_factory=dict)  # key → its line in the file, for messages

    @property
    def folder(self) -> Path:
        """The folder of the study file."""
        return self.path.parent

    @property
    def policies(self) -> dict[str, Any]:
        """The treatment of problematic measurements."""
        return {"invalid": self.invalid, "duplicates": self.duplicates, "aggregate": self.aggregate}

    def project(self) -> Project:
        """Return the project of the study's folder, with the inputs that the study file states."""
        files: dict[str, Any] = {key: str(self.folder / self.given[key]) for key in FILES if key in self.given}
        return Project.load(self.folder, nfp=self.given.get(PROPERTY), columns=self.columns, **files)


def read_study(path: str | Path) -> Study:
    """Read a study file.

    Raises:
        InputError: if it cannot be read or is not TOML; or naming everything that is wrong in it, with lines.

    Examples:
        >>> splc.study.read_study("study.toml").samplings[:2]
        ('ff', 'pb:9,3')
    """
    source = read_source(path)
    return _Reader(Path(path), source, *parse_toml(source)).study()


class _Reader:
    """Reads the content of a study file and collects problems."""

    def __init__(self, path: Path, source: Source, content: dict[str, Any], lines: Mapping[str, int]) -> None:
        self.path, self.content, self.lines = path, content, lines
        self.text = source.text().splitlines()
        self.problems = Problems(source.name)

    def study(self) -> Study:
        """Return the study."""
        for key in self.content:
            if key not in KEYS and key not in ALIASES:
                self.add(f"unknown key {key!r}", key, hint=unknown_name_hint(key, list(KEYS)))
        study: dict[str, Any] = {
            "given": self.given(),
            "samplings": self.samplings(),
            "seeds": self.seeds(),
            "measures": self.measures(),
            "learners": self.learners(),
            "scale": float(self.value("scale", 1.0, lambda value: (finite_number(value) or 0) > 0, "a number above 0")),
            "at": self.at(),
            "constant": self.value("constant", True, lambda value: isinstance(value, bool), "true or false"),
            "columns": read_columns(self.content, self.lines, self.problems),
            "by": self.by(),
            **stated_policies(self.content, self.lines, self.problems),
        }
        self.problems.raise_if_any()
        return Study(self.path, lines=dict(self.lines), **study)

    def add(self, message: str, key: str, *, text: str | None = None, hint: str | None = None) -> None:
        """Add a problem with a key."""
        self.problems.add(message, line_of(key, self.lines), text=text, hint=hint)

    def line_of_item(self, key: str, item: str) -> int | None:
        """Return the line of a text in a list that may take several lines."""
        start = line_of(key, self.lines)
        for number in range(start or 1, len(self.text) + 1):
            line = self.text[number - 1]
            if f'"{item}"' in line or f"'{item}'" in line:
                return number
            if number > (start or 1) and line.lstrip().startswith("["):
                break
        return start

    def given(self) -> dict[str, str]:
        """Return the inputs that are named."""
        inputs = stated_inputs(self.content, self.lines, self.problems)
        for key in (key for key in FILES if key in inputs):
            if not (path := self.path.parent / inputs[key]).is_file():
                names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
                hint = nearest(path.name, names) or "paths are relative to this file"
                self.add(f"{key}: there is no such file", key, text=str(path), hint=hint)
        return inputs

    def items(self, key: str, kind: type, content: str, example: str) -> list[Any]:
        """Return the items of a list that must not be empty."""
        value = self.content.get(key)
        if not isinstance(value, list) or not value:
            missing = f"there are no {key}" if value is None or value == [] else f"{key} must be a list of {content}"
            self.add(missing, key, hint=f"write {example}")
            return []
        items = []
        for item in value:
            if isinstance(item, kind) and not isinstance(item, bool):
                items.append(item)
            else:
                self.add(f"{key} must be {content}", key, text=toml_value(item), hint=f"write {example}")
        return items

    def parsed(self, key: str, content: str, example: str, parse: Callable[[str], str]) -> Iterator[tuple[str, str]]:
        """Yield the texts of a list, each with what it stands for."""
        for item in self.items(key, str, content, example):
            try:
                yield item, parse(item)
            except SplcError as error:
                self.problems.include(error, self.line_of_item(key, item))

    def samplings(self) -> tuple[str, ...]:
        """Return the samplings in canonical spelling."""
        content, example = "sampling specs, in quotes", 'samplings = ["ff", "pb:9,3"]'
        specs: list[str] = []
        for item, spec in self.parsed("samplings", content, example, lambda item: parse_spec(item).text):
            if spec in specs:
                self.problems.add(f"duplicate sampling {item!r}", self.line_of_item("samplings", item))
            else:
                specs.append(spec)
        return tuple(specs)

    def seeds(self) -> tuple[int, ...]:
        """Return the seeds."""
        if "seeds" not in self.content:
            return (0,)
        seeds = self.items("seeds", int, "whole numbers", "seeds = [0, 1, 2]")
        for seed in seeds:
            if seed < 0:
                self.add(f"a seed must be at least 0, not {seed}", "seeds")
        if len(set(seeds)) < len(seeds):
            self.add("duplicate seed", "seeds", text=f"seeds = {seeds}")
        if len(seeds) > MAX_SEEDS:
            self.add(f"there are {len(seeds):,} seeds, more than {MAX_SEEDS:,}", "seeds")
        return tuple(seeds)

    def measures(self) -> tuple[str, ...]:
        """Return the further measures."""
        if self.content.get("measures", []) == []:
            return ()
        content, example = "names of measures, in quotes", 'measures = ["smape"]'
        keys = self.parsed("measures", content, example, lambda item: measure(item).key)
        return tuple(dict.fromkeys(key for _, key in keys))

    def value(self, key: str, default: Any, valid: Callable[[Any], bool], expected: str) -> Any:
        """Return the value of a key, the default if it is not valid."""
        value = self.content.get(key, default)
        if valid(value):
            return value
        self.add(f"{key} must be {expected}", key, text=f"{key} = {toml_value(value)}")
        return default

    def at(self) -> dict[str, float]:
        """Return the rows of tabled parameters."""
        content = self.content.get("at", {})
        if not isinstance(content, dict):
            self.add("at must be a table: name = number", "at", hint="write at = { nodes = 4 }")
            return {}
        values = {name: finite_number(value) for name, value in content.items()}
        for name in [name for name, number in values.items() if number is None]:
            self.add(f"at.{name} must be a number", f"at.{name}", text=toml_value(content[name]))
        return {name: number for name, number in values.items() if number is not None}

    def by(self) -> str | None:
        """Return the context that a study is done of each value of."""

        def is_name(value: Any) -> bool:
            return value is None or (isinstance(value, str) and bool(value.strip()))

        by: str | None = self.value("by", None, is_name, "the name of a column, in quotes")
        filters = self.content.get("where", {})
        if by is not None and isinstance(filters, dict) and by in filters:
            self.add(f"{by!r} is in by and in where", "by", hint="name it only once: all its values, or one")
        return by

    def learners(self) -> tuple[StudyLearner, ...] | None:
        """Return the learners, None where the file names none."""
        content = self.content.get("learners")
        if content is None:
            return None
        if not isinstance(content, dict) or not content:
            self.add("learners must be tables", "learners", hint="write [learners.NAME] and settings below")
            return None
        learners = []
        for name, table in content.items():
            key = f"learners.{name}"
            if not name.strip():
                self.add("a learner needs a name", key.rstrip())
            elif not isinstance(table, dict):
                self.add(f"{key} must be a table", key, hint=f"write [{key}] and settings below")
            else:
                learners.append(self.learner(name, table, key))
        return tuple(learners)

    def learner(self, name: str, table: dict[str, Any], place: str) -> StudyLearner:
        """Return the learner of a table."""
        preset = plain_text(table.get(PRESET, "default"))
        kind = plain_text(table[LEARNER]) if LEARNER in table else learner_name(None, preset)
        settings = {key: value for key, value in table.items() if key not in LEARNER_KEYS}
        checks: list[tuple[str, str, dict[str, Any]]] = [(LEARNER, "default", {})]
        if kind in LEARNERS:
            checks = [(PRESET, preset, {}), ("", "default", settings)]
        for key, base, changes in checks:
            try:
                learner_of(kind, base, changes)
            except SplcError as error:
                for problem in error.problems:
                    # A message about a setting names it, in any case.
                    mentioned = (setting for setting in settings if setting.casefold() in problem.message.casefold())
                    line = line_of(f"{place}.{key or next(mentioned, '')}", self.lines)
                    self.problems.include(SpecError(problem), line)
        observed, parts = (self.texts(table, key, place) for key in (OBSERVED, SUM))
        return StudyLearner(name, kind, preset, settings, observed, parts)

    def texts(self, table: dict[str, Any], key: str, place: str) -> tuple[str, ...]:
        """Return the text, or the list of texts, that a learner's table has under a key."""
        texts = listed_texts(table.get(key, []))
        if texts is None:
            message = f"{place}.{key} must be a text or a list of texts"
            self.add(message, f"{place}.{key}", text=toml_value(table[key]), hint=_EXAMPLES[key])
        return tuple(dict.fromkeys(texts or ()))
