"""Experiments in whichever format a file has: Extra-P's text, JSON and JSON lines, Talpas, and CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem, SpecError, nearest, unknown_name_hint
from splc.formats.experiments.csv import parse_experiment_csv
from splc.formats.experiments.extrap_json import parse_experiment_json
from splc.formats.experiments.extrap_text import KEYWORDS, parse_experiment_text
from splc.formats.experiments.json_lines import PARAMETERS, commas, parse_experiment_lines
from splc.io.files import Source, read_source
from splc.io.json import JsonError, parse_json

ExperimentFormat = Literal["text", "json", "jsonl", "talpas", "csv"]

_READERS: Mapping[ExperimentFormat, Callable[[Source], Experiment]] = {
    "text": parse_experiment_text,
    "json": parse_experiment_json,
    "jsonl": parse_experiment_lines,
    "talpas": lambda source: parse_experiment_lines(source, talpas=True),
    "csv": parse_experiment_csv,
}
_KNOWN = "Extra-P's text, JSON and JSON lines, Talpas, and CSV with a header"
_ARCHIVE = b"PK\x03\x04"
_WORD = re.compile(r"[A-Za-z]{4,12}(?=[\s(]|$)")


def read_experiment(
    path: str | Path, parameters: Sequence[str] | None = None, kind: ExperimentFormat | None = None
) -> Experiment:
    """Read an experiment: measurements at points of a few parameters, for call paths and metrics.

    Args:
        path: the file (`-`: standard input), compressed or not.
        parameters: the columns of a CSV that are parameters; None tells them by their place (`experiment_csv`).
        kind: the format; None tells it from the content.

    Raises:
        InputError: if the file cannot be read, is in none of the formats, or naming everything that is wrong in it.
        SpecError: if the format is not known, or parameters are given for another format than CSV, all of which
            name their own.
    """
    return parse_experiment(read_source(path), parameters, kind)


def parse_experiment(
    source: Source, parameters: Sequence[str] | None = None, kind: ExperimentFormat | None = None
) -> Experiment:
    """Return the experiment that a file holds. See `read_experiment`.

    Raises:
        InputError: as `read_experiment`.
        SpecError: as `read_experiment`.
    """
    if kind is not None and kind not in _READERS:
        raise SpecError(f"unknown format {kind!r}", hint=unknown_name_hint(kind, list(_READERS)))
    if not source.data.strip():
        raise InputError(Problem("the file is empty", source.name))
    found = kind or experiment_format(source)
    if found is None:
        raise InputError(_unknown(source))
    if found == "csv":
        return parse_experiment_csv(source, parameters)
    if parameters is not None:
        hint = "only a CSV has to be told which of its columns are parameters"
        raise SpecError(Problem(f"the file is {found} and names its parameters itself", source.name, hint=hint))
    return _READERS[found](source)


def experiment_format(source: Source) -> ExperimentFormat | None:
    """Return which format of experiments a file has, as its first lines tell; None where it is none of them.

    Raises:
        InputError: if it is no text.
    """
    if source.data.startswith(_ARCHIVE):
        return None
    lines = (line.strip() for line in re.split(r"[\r\n]+", source.text()))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if first.startswith("{"):
        return _json_format(first)
    word = _WORD.match(first)
    if word and word[0] in KEYWORDS:
        return "text"
    if re.search(r"[,;\t]", first):
        return "csv"
    return "text" if word and nearest(word[0], KEYWORDS) else None


def _json_format(first: str) -> ExperimentFormat:
    """Return the format of a file whose first line begins an object."""
    if commas(first) != first:
        return "talpas"
    try:
        entry = parse_json(first)
    except JsonError:
        # A line of JSON lines with a slip in it, or the beginning of an object over several lines.
        return "jsonl" if first.endswith("}") and f'"{PARAMETERS[0]}"' in first else "json"
    return "json" if "measurements" in entry else "jsonl"


def _unknown(source: Source) -> Problem:
    if source.data.startswith(_ARCHIVE):
        hint = "if it is an experiment of Extra-P (.extra-p), read the file that its measurements came from"
        return Problem("this is an archive", source.name, hint=hint)
    first = next((line for line in source.text().splitlines() if line.strip()), "")
    return Problem(
        "measurements at points of parameters, but in no known format",
        source.name,
        1,
        text=first[:200],
        hint=f"known are {_KNOWN}",
    )
