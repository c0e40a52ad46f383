"""The inputs of a measurement: configurations, environment variables, folder."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from sampling import Space, draw_sample, parse_spec
from sampling.designs.whole.measured import Measured
from splc.data.configurations import Configurations
from splc.errors import InputError, Problem, SpecError, plural
from splc.formats.measurements.columns import MISSING
from splc.formats.measurements.configurations_csv import read_configurations
from splc.io.numbers import parse_number
from splc.workflows.measure.turns import Contexts
from splc.workflows.note import Note, notes_of

SHOWN = 5


def sampled_configurations(
    space: Space, sampling: str | None, binary: str | None, numeric: str | None, seed: int
) -> tuple[Configurations, tuple[str, ...]]:
    """Return the configurations that a sampling picks, and notes about them.

    Raises:
        SpecError: if there is no spec, or it is wrong.
    """
    if sampling is None and binary is None and numeric is None:
        hint = "--sampling SPEC (all+ff is every valid configuration), or --configurations FILE.csv"
        raise SpecError("which configurations are to be measured?", hint=hint)
    spec = parse_spec(sampling, binary=binary, numeric=numeric)
    if isinstance(spec.whole, Measured):
        hint = "name the file with --configurations"
        raise SpecError("the sampling 'measured' cannot choose what to measure", hint=hint)
    sample = draw_sample(space.system, spec, seed, None, space)
    return sample.configurations, sample.notes


def listed_configurations(space: Space, file: str) -> tuple[Configurations, tuple[str, ...]]:
    """Return the distinct configurations that a CSV file lists, and notes about them.

    Raises:
        InputError: if the file cannot be read, is empty, or has configurations that are not valid.
    """
    listed = read_configurations(file, space.system)
    if len(listed) == 0:
        raise InputError(Problem("the file has no configurations", file))
    valid = space.check(listed)
    if not valid.all():
        wrong = (~valid).nonzero()[0].tolist()
        problems = []
        for row in wrong[:SHOWN]:
            violated = "; ".join(space.violations(listed, row)) or "the constraints"
            problems.append(Problem(f"configuration {row + 1} is not valid: it violates {violated}", file))
        hint = "leave them out, or correct the description"
        message = f"{len(wrong)} of {plural(len(listed), 'configuration is', 'configurations are')} not valid"
        raise InputError([*problems, Problem(message, file, hint=hint)])
    once = listed.unique()
    repeated = len(listed) - len(once)
    if not repeated:
        return once, ()
    return once, (f"{file}: {plural(repeated, 'row repeats', 'rows repeat')} a configuration; use --repeat",)


def environment_of(assignments: Sequence[str]) -> dict[str, str]:
    """Return the environment variables of texts 'NAME=VALUE'.

    Raises:
        SpecError: if one is not of that form.
    """
    environment = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or "\0" in text:
            raise SpecError(Problem("an environment variable is NAME=VALUE", text=text))
        environment[name.strip()] = value
    return environment


def context_notes(contexts: Contexts, taken: Collection[str]) -> tuple[Note, ...]:
    """Return notes about contexts that other commands take for properties.

    Args:
        contexts: context → its value, or its values.
        taken: the names of the other columns of the table.

    Raises:
        SpecError: if a context has the name of another column, or no value.
    """
    values = [
        (name, value) for name, entry in contexts.items() for value in ((entry,) if isinstance(entry, str) else entry)
    ]
    for name, value in values:
        if name in taken:
            raise SpecError(f"the context {name!r} has the name of an option or a property", hint="rename it")
        if value.casefold() in MISSING:
            raise SpecError(f"the context {name!r} needs a value, not {value!r}", hint="write --context machine=NAME")
    numbers = dict.fromkeys(name for name, value in values if not math.isnan(parse_number(value)))
    return notes_of(
        f"the values of {name!r} are numbers: other commands need --context {shlex.quote(name)}" for name in numbers
    )


def absolute(folder: str | None) -> str | None:
    """Return the folder in which commands run.

    Raises:
        InputError: if there is none.
    """
    if folder is None:
        return None
    if not Path(folder).is_dir():
        raise InputError(Problem("there is no such folder", folder, hint="--cwd names where the command runs"))
    return os.fspath(Path(folder).absolute())
