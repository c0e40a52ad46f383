"""The keys of `splc.toml` and of study files: what they mean, and what their values must be.

Readers of both files, fields of requests (`splc.workflows`) and `docs/reference/configuration.md` use the same keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from splc.errors import Problems, unknown_name_hint
from splc.io.toml import plain_text, toml_value
from splc.types import Aggregate, Duplicates, Invalid, Missing


@dataclass(frozen=True)
class FileKey:
    """A key: what it is, as command lines show it; its default and details as Markdown; the words of its values."""

    meaning: str
    default: str = "none"
    details: str = ""
    words: tuple[str, ...] = ()

    @property
    def metavar(self) -> str:
        """The words, as command lines show them."""
        return "|".join(self.words)


PROPERTY = "property"
ALIASES = {"nfp": PROPERTY}
FILES: Mapping[str, FileKey] = {
    "system": FileKey(
        "The system description or feature model, or a table.", "the only `*.xml` file with the root `<vm>`"
    ),
    "measurements": FileKey(
        "The measurements (CSV or XML).",
        "`measurements.csv`, or `measurements.xml`",
        "Also compressed (`.gz`), and `measurements.tar.gz` with one file.",
    ),
    "analytical": FileKey("The analytical model of `compare`, `calibrate` and `study`.", "`analytical.txt`"),
    "parameters": FileKey(
        "The machine parameters of analytical models (TOML).",
        "`parameters.toml`, or `parameters.txt`",
    ),
}
INPUTS: Mapping[str, FileKey] = {
    **FILES,
    PROPERTY: FileKey(
        "The non-functional property.",
        "the only property",
        "`nfp` is an alias; with several properties and no key, an error lists them.",
    ),
}
OBSERVED = "observed"
OBSERVED_FILES = FileKey("Files of [observed variables](observed.md): a path or a list.")
COLUMNS: Mapping[str, FileKey] = {
    "options": FileKey(
        "Columns that are options, beside inferred ones.", "`[]`", "Only if there is [no description](../howto/csv.md)."
    ),
    "constraints": FileKey(
        "Whether [constraints](../howto/csv.md#constraints) are inferred from the measurements.",
        "`true`",
        "Only if there is no description.",
    ),
    "contexts": FileKey(
        "Contexts with numeric values.", "`[]`", "Columns with texts are [contexts](../howto/versions.md) anyway."
    ),
    "ignore": FileKey("Columns that are not read.", "`[]`"),
    "where": FileKey("The rows with this value only.", "`{}`", 'Context → its value: `{ version = "1.2" }`.'),
}
POLICIES: Mapping[str, FileKey] = {
    "missing": FileKey("Sampled configurations that were not measured.", '`"error"`', words=get_args(Missing)),
    "invalid": FileKey("Rows whose configuration is unknown or invalid.", '`"error"`', words=get_args(Invalid)),
    "duplicates": FileKey("XML rows that measure a configuration again.", '`"error"`', words=get_args(Duplicates)),
    "aggregate": FileKey("What represents repetitions.", '`"mean"`', words=get_args(Aggregate)),
}
PROPERTIES, UNIT = "properties", "unit"
LEARNING, PRESET = "learning", "preset"
TABLES: Mapping[str, FileKey] = {
    f"[{PROPERTIES}.NAME]": FileKey(
        "`unit`: the [unit](file-formats.md#units) of a property.",
        "the unit in the name (`time_ms`, `energy (J)`, `solve_seconds`), or of the benchmark tool",
    ),
    f"[{LEARNING}]": FileKey(
        "The `preset`, and settings of the learners [projection](#settings-of-the-learner-projection) and "
        "[stepwise](#settings-of-the-learner-stepwise); each learner takes its own.",
        "the preset `default`",
    ),
}
PROJECT_KEYS: Mapping[str, FileKey] = {**INPUTS, OBSERVED: OBSERVED_FILES, **COLUMNS, **TABLES}


def stated_inputs(content: Mapping[str, Any], lines: Mapping[str, int], problems: Problems) -> dict[str, str]:
    """Return the inputs that the content of a file states, by key; `lines`: key, as it is written → its line."""
    inputs: dict[str, str] = {}
    for key_in_file, value in content.items():
        key = ALIASES.get(key_in_file, key_in_file)
        if key in inputs:
            names = " and as ".join(name for name in content if ALIASES.get(name, name) == key)
            problems.add(f"{key} is given twice, as {names}", lines.get(key_in_file), hint="remove one of them")
        elif key in INPUTS and isinstance(value, str) and value.strip():
            inputs[key] = value
        elif key in INPUTS:
            expected = "the path of a file" if key in FILES else "the name of a property"
            text = f"{key_in_file} = {toml_value(value)}"
            problems.add(f"{key_in_file} must be {expected}, in quotes", lines.get(key_in_file), text=text)
    return inputs


def stated_policies(content: Mapping[str, Any], lines: Mapping[str, int], problems: Problems) -> dict[str, str]:
    """Return the policies about problematic measurements that a file states; the arguments as of `stated_inputs`."""
    policies = {}
    for key, words in ((key, choice.words) for key, choice in POLICIES.items() if key in content):
        value = content[key]
        if value in words:
            policies[key] = value
        else:
            hint, text = unknown_name_hint(plain_text(value), words), f"{key} = {toml_value(value)}"
            problems.add(f"{key} must be one of {', '.join(words)}", lines.get(key), text=text, hint=hint)
    return policies
