"""The reader of study files (`study.toml`), which reports all errors of a file at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from splc.errors import Problems, SplcError, nearest, unknown_name_hint
from splc.io.files import Source, read_source
from splc.io.toml import finite_number, line_of, parse_toml, toml_value
from splc.project.config import read_columns
from splc.project.keys import ALIASES, COLUMNS, FILES, INPUTS, POLICIES, FileKey, stated_inputs, stated_policies
from splc.study.learners import LearnersReader
from splc.study.reference import Reference, ReferenceReader
from splc.study.specification import Study

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
    "reference": FileKey("Published values: a table, or the path of a CSV file."),
}
# More seeds than this are a mistake, such as a range that was written out.
MAX_SEEDS = 10_000


def read_study(path: str | Path) -> Study:
    """Read a study file.

    Raises:
        InputError: if it cannot be read or is not TOML; or naming everything that is wrong in it, with lines.
    """
    source = read_source(path)
    content, lines = parse_toml(source)
    return study_of(Path(path), source, content, lines)


def study_of(path: Path, source: Source, content: dict[str, Any], lines: Mapping[str, int]) -> Study:
    """Return the study of a file.

    Args:
        path: the file.
        source: its content as text.
        content: its content as TOML.
        lines: key → its line.

    Raises:
        InputError: naming everything that is wrong in it, with lines.
    """
    return _StudyReader(path, source, content, lines).study()


class _StudyReader:
    """Reads the content of a study file and collects problems."""

    def __init__(self, path: Path, source: Source, content: dict[str, Any], lines: Mapping[str, int]) -> None:
        self.path = path
        self.text = source.text().splitlines()
        self.content = content
        self.lines = lines
        self.problems = Problems(source.name)

    def study(self) -> Study:
        """Return the study."""
        for key in self.content:
            if key not in KEYS and key not in ALIASES:
                self.add(f"unknown key {key!r}", key, hint=unknown_name_hint(key, list(KEYS)))
        inputs = self.given()
        samplings, seeds = self.samplings(), self.seeds()
        measures = self.measures()
        study: dict[str, Any] = {
            "given": inputs,
            "samplings": samplings,
            "seeds": seeds,
            "learners": LearnersReader(self.problems, self.lines).learners(self.content.get("learners")),
            "scale": self.scale(),
            "at": self.at(),
            "constant": self.constant(),
            "measures": measures,
            "reference": self.reference(samplings, measures),
            "columns": read_columns(self.content, self.lines, self.problems),
            "by": self.by(),
            **stated_policies(self.content, self.lines, self.problems),
        }
        self.problems.raise_if_any()
        return Study(self.path, lines=dict(self.lines), **study)

    def add(self, message: str, key: str, *, text: str | None = None, hint: str | None = None) -> None:
        """Add a problem with a key."""
        self.problems.add(message, self.line(key), text=text, hint=hint)

    def line(self, key: str) -> int | None:
        """Return the line of a key, or of the table that it is in."""
        return line_of(key, self.lines)

    def line_of_item(self, key: str, item: str) -> int | None:
        """Return the line of a text in a list that may take several lines."""
        start = self.line(key)
        if start is None:
            return None
        for number in range(start, len(self.text) + 1):
            line = self.text[number - 1]
            if f'"{item}"' in line or f"'{item}'" in line:
                return number
            if number > start and line.lstrip().startswith("["):
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

    def samplings(self) -> tuple[str, ...]:
        """Return the samplings in canonical spelling."""
        specs: list[str] = []
        for item in self.items("samplings", str, "sampling specs, in quotes", 'samplings = ["ff", "pb:9,3"]'):
            try:
                spec = canonical(item)
            except SplcError as error:
                self.problems.include(error, self.line_of_item("samplings", item))
                continue
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

    def scale(self) -> float:
        """Return the factor on the analytical model."""
        value = self.content.get("scale", 1.0)
        number = finite_number(value)
        if number is None or number <= 0:
            self.add("scale must be a number above 0", "scale", text=f"scale = {toml_value(value)}")
            return 1.0
        return number

    def at(self) -> dict[str, float]:
        """Return the rows of tabled parameters."""
        content = self.content.get("at", {})
        if not isinstance(content, dict):
            self.add("at must be a table: name = number", "at", hint="write at = { nodes = 4 }")
            return {}
        values = {}
        for name, value in content.items():
            number = finite_number(value)
            if number is None:
                self.add(f"at.{name} must be a number", f"at.{name}", text=toml_value(value))
            else:
                values[name] = number
        return values

    def constant(self) -> bool:
        """Return whether the constant takes part in the comparison by terms."""
        value = self.content.get("constant", True)
        if not isinstance(value, bool):
            self.add("constant must be true or false", "constant", text=f"constant = {toml_value(value)}")
        return bool(value)

    def measures(self) -> tuple[str, ...]:
        """Return the further measures."""
        from comparison.measures import measure

        if "measures" not in self.content or self.content["measures"] == []:
            return ()
        keys = []
        for item in self.items("measures", str, "names of measures, in quotes", 'measures = ["smape"]'):
            try:
                keys.append(measure(item).key)
            except SplcError as error:
                self.problems.include(error, self.line_of_item("measures", item))
        return tuple(dict.fromkeys(keys))

    def by(self) -> str | None:
        """Return the context that a study is done of each value of."""
        value = self.content.get("by")
        if value is not None and (not isinstance(value, str) or not value.strip()):
            self.add("by must be the name of a column, in quotes", "by", text=f"by = {toml_value(value)}")
            return None
        filters = self.content.get("where", {})
        if isinstance(filters, dict) and value in filters:
            self.add(f"{value!r} is in by and in where", "by", hint="name it only once: all its values, or one")
        return value

    def reference(self, samplings: tuple[str, ...], measures: Sequence[str]) -> Reference:
        """Return the published values."""
        from splc.study.rows import measure_keys

        content = self.content.get("reference", {})
        reader = ReferenceReader(self.problems, samplings, canonical, measure_keys(measures))
        if isinstance(content, dict):
            return reader.table(content, self.lines)
        if isinstance(content, str) and content.strip():
            try:
                return reader.rows(read_source(self.path.parent / content))
            except SplcError as error:
                # The problems in that file follow.
                self.add("the published values cannot be read", "reference", text=f"reference = {toml_value(content)}")
                self.problems.include(error)
        else:
            self.add("reference must be a table, or the path of a CSV file", "reference", text=toml_value(content))
        return Reference()


def canonical(spec: str) -> str:
    """Return a sampling spec in one spelling.

    Raises:
        SpecError: if it is wrong.
    """
    from sampling import parse_spec

    return parse_spec(spec).text
