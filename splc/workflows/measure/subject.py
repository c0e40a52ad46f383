"""The subject of a measurement: its system, its configurations, and its contexts, of one value or of several in turn.

In the runs a context of several values, such as two versions, is one more alternative group, so that a command has the
value as `{version}`; in tables it is the column that a context has.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from sampling import Space, draw_sample, parse_spec
from sampling.designs.whole.measured import Measured
from splc.data.configurations import Configurations
from splc.errors import InputError, Problem, SpecError, listed, plural
from splc.formats.column_choice import MISSING, ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.configurations import read_configurations
from splc.formats.measurements.tables import read_file_columns, read_table, union_of
from splc.formats.table import table_of
from splc.io.files import Source
from splc.io.numbers import parse_number
from splc.learning.active.suggestion import suggested_columns
from splc.project import Project
from splc.system.options import with_alternatives
from splc.system.variability import VariabilityModel
from splc.workflows.field_values import assigned
from splc.workflows.note import Note, Notes, notes_of

# Context → its value, or its values in turn.
Contexts = Mapping[str, str | tuple[str, ...]]
# The number of columns, and of configurations that are not valid, in messages.
SHOWN_COLUMNS, SHOWN_ROWS = 12, 5


def contexts_of(texts: Sequence[str]) -> dict[str, str | tuple[str, ...]]:
    """Return contexts of texts `COLUMN=VALUE`; several values of one column are measured in turn."""
    contexts: dict[str, tuple[str, ...]] = {}
    for name, value in assigned(texts, "COLUMN=VALUE"):
        contexts[name] = tuple(dict.fromkeys((*contexts.get(name, ()), value)))
    return {name: values[0] if len(values) == 1 else values for name, values in contexts.items()}


def constant_contexts(contexts: Contexts) -> dict[str, str]:
    """Return the contexts of one value."""
    return {name: value for name, value in contexts.items() if isinstance(value, str)}


def turns_of(contexts: Contexts) -> dict[str, tuple[str, ...]]:
    """Return the contexts of several values."""
    return {name: value for name, value in contexts.items() if not isinstance(value, str)}


def with_turns(system: VariabilityModel, turns: Mapping[str, Sequence[str]]) -> VariabilityModel:
    """Return a system with each context of several values as an alternative group."""
    for name, values in turns.items():
        system = replace(system, options=with_alternatives(system.options, name, values))
    return system


def in_turn(
    configurations: Configurations, system: VariabilityModel, turns: Mapping[str, Sequence[str]]
) -> Configurations:
    """Return each configuration of a system `with_turns` with each value of the contexts, one after the other."""
    values = list(product(*turns.values()))
    rows = np.repeat(np.arange(len(configurations)), len(values))
    columns = {name: column[rows] for name, column in configurations.to_columns().items()}
    for name, texts in zip(turns, zip(*values, strict=True), strict=True):
        columns[name] = np.array(list(texts) * len(configurations), dtype=object)
    return Configurations.from_columns(system, columns)


def context_notes(contexts: Contexts, taken: Collection[str]) -> tuple[Note, ...]:
    """Return notes about contexts that other commands take for properties; `taken` are names of other columns."""
    every = {name: (entry,) if isinstance(entry, str) else entry for name, entry in contexts.items()}
    values = [(name, value) for name, entries in every.items() for value in entries]
    for name, value in values:
        if name in taken:
            raise SpecError(f"the context {name!r} has the name of an option or a property", hint="rename it")
        if value.casefold() in MISSING:
            raise SpecError(f"the context {name!r} needs a value, not {value!r}", hint="write --column machine=NAME")
    numbers = dict.fromkeys(name for name, value in values if not math.isnan(parse_number(value)))
    return notes_of(
        f"the values of {name!r} are numbers: other commands need --context {shlex.quote(name)}" for name in numbers
    )


def environment_of(assignments: Sequence[str]) -> dict[str, str]:
    """Return the environment variables of texts `NAME=VALUE`."""
    environment = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or "\0" in text:
            raise SpecError(Problem("an environment variable is NAME=VALUE", text=text))
        environment[name.strip()] = value
    return environment


def absolute(folder: str | None) -> str | None:
    """Return the folder in which commands run."""
    if folder is None:
        return None
    if not Path(folder).is_dir():
        raise InputError(Problem("there is no such folder", folder, hint="--cwd names where the command runs"))
    return os.fspath(Path(folder).absolute())


def system_of(
    project: Project, file: str | None, earlier: Source | None, name: str | None, taken: Sequence[str], notes: Notes
) -> tuple[VariabilityModel, Source | None]:
    """Return the system, and the table that states it; without a description all columns of a table are its options."""
    described = project.has_system or project.system_table is not None or bool(project.descriptions(None))
    tables = [entry for entry in (earlier, None if file is None else read_table(file)) if entry is not None]
    if described or not tables:
        if not described and not project.has_measurements:
            hint = (
                "name a table of the configurations to measure: splc measure TABLE.csv; or a description with --system"
            )
            raise InputError("neither a system description nor a table of configurations", hint=hint)
        # Observed variables are known only after a run.
        return project.variability_model(observed=False), None
    names = [*read_file_columns(tables[-1]).columns]
    left_out = (*suggested_columns(names), *(column for column in taken if column in names))
    choice = ColumnChoice(ignore=left_out, constraints=False).lenient
    table = union_of(tables, choice) if len(tables) > 1 else tables[0]
    result = inference_of(table, choice=choice, measured=False)
    shown = listed(result.columns, SHOWN_COLUMNS)
    notes += notes_of([f"{tables[-1].name}: without a system description, its columns are the options: {shown}"])
    return replace(result.system, name=name or result.system.name), table


def configurations_of(
    space: Space,
    table: Source | None,
    file: str | None,
    earlier: Source | None,
    sampling: str | None,
    seed: int,
    notes: Notes,
) -> Configurations:
    """Return the distinct configurations to measure, those of the journal first."""
    if table is not None:
        with table_of(table).placing():
            return read_configurations(table, space.system).unique()
    parts = [] if earlier is None else [read_configurations(earlier, space.system)]
    if file is not None:
        parts.append(_listed_configurations(space, file, notes))
    elif earlier is None or sampling is not None:
        if sampling is None:
            hint = "--sampling SPEC (all+ff is every valid configuration), or --configurations FILE.csv"
            raise SpecError("which configurations are to be measured?", hint=hint)
        spec = parse_spec(sampling)
        if isinstance(spec.whole, Measured):
            hint = "name the file with --configurations"
            raise SpecError("the sampling 'measured' cannot choose what to measure", hint=hint)
        sample = draw_sample(space.system, spec, seed, None, space)
        notes += notes_of(sample.notes)
        parts.append(sample.configurations)
    return Configurations.concatenate(parts).unique()


def _listed_configurations(space: Space, file: str, notes: Notes) -> Configurations:
    """Return the distinct configurations that a CSV file lists."""
    configurations = read_configurations(file, space.system)
    if len(configurations) == 0:
        raise InputError(Problem("the file has no configurations", file))
    wrong = np.flatnonzero(~space.check(configurations)).tolist()
    if wrong:
        problems = []
        for row in wrong[:SHOWN_ROWS]:
            violated = "; ".join(space.violations(configurations, row)) or "the constraints"
            problems.append(Problem(f"configuration {row + 1} is not valid: it violates {violated}", file))
        hint = "leave them out, or correct the description"
        of = plural(len(configurations), "configuration is", "configurations are")
        raise InputError([*problems, Problem(f"{len(wrong)} of {of} not valid", file, hint=hint)])
    once = configurations.unique()
    if repeated := len(configurations) - len(once):
        notes += notes_of([f"{file}: {plural(repeated, 'row repeats', 'rows repeat')} a configuration; use --repeat"])
    return once
