"""Readers of experiments in any format: Extra-P's text, JSON, JSON lines and .extra-p, Talpas, and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem, SpecError, unknown_name_hint
from splc.formats import registry
from splc.formats.detect import ExperimentFormat
from splc.formats.experiments.csv import parse_experiments_csv
from splc.formats.measurements.columns import ColumnChoice
from splc.io.files import Source, read_source

_KNOWN = "Extra-P's text, JSON, JSON lines and .extra-p, Talpas, and CSV with a header"


def read_experiment(
    path: str | Path,
    parameters: Sequence[str] | None = None,
    kind: ExperimentFormat | None = None,
    choice: ColumnChoice | None = None,
) -> Experiment:
    """Read an experiment: measurements at points of a few parameters, for call paths and metrics.

    Args:
        path: the file (`-`: standard input), compressed or not.
        parameters: the columns of a CSV that are parameters; None is by their place (see `csv`).
        kind: the format; None detects it from the content.
        choice: contexts of a CSV: those to select, further ones, and columns to ignore.

    Raises:
        InputError: if the file cannot be read or is in none of the formats, or with all of its errors.
        SpecError: if the format is unknown, or parameters are given for a format that names its own.
    """
    return parse_experiment(read_source(path), parameters, kind, choice)


def parse_experiment(
    source: Source,
    parameters: Sequence[str] | None = None,
    kind: ExperimentFormat | None = None,
    choice: ColumnChoice | None = None,
) -> Experiment:
    """Return the experiment of a file. See `read_experiment`."""
    (found,) = parse_experiments(source, parameters, kind, choice or ColumnChoice())
    return found


def parse_experiments(
    source: Source, parameters: Sequence[str] | None, kind: ExperimentFormat | None, choice: ColumnChoice
) -> tuple[Experiment, ...]:
    """Return the experiments of a file, one per value of the contexts in `choice.by`. See `read_experiment`."""
    known = [each.name for each in registry.formats_of("experiment")]
    if kind is not None and kind not in known:
        raise SpecError(f"unknown format {kind!r}", hint=unknown_name_hint(kind, known))
    if not source.data.strip():
        raise InputError(Problem("the file is empty", source.name))
    form = registry.format_of("experiment", source) if kind is None else registry.format_named("experiment", kind)
    if form is None:
        raise InputError(_unknown(source))
    if form.name == "csv":
        return parse_experiments_csv(source, parameters, choice)
    if choice.required:
        hint = "only a CSV has contexts and columns to ignore"
        message = f"the file is {form.name} and has no column {choice.required[0]!r}"
        raise SpecError(Problem(message, source.name, hint=hint))
    if parameters is not None:
        hint = "only a CSV needs the columns that are parameters"
        raise SpecError(Problem(f"the file is {form.name} and names its parameters itself", source.name, hint=hint))
    found: Experiment = form.read(source)
    return (found,)


def _unknown(source: Source) -> Problem:
    first = next((line for line in source.text().splitlines() if line.strip()), "")
    return Problem(
        "measurements at points of parameters, but in no known format",
        source.name,
        1,
        text=first[:200],
        hint=f"known are {_KNOWN}",
    )
