"""What `splc measure` reads: configurations, environment, folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from splc.cli.terminal import note
from splc.errors import InputError, Problem, SpecError, plural

if TYPE_CHECKING:
    from sampling import Space
    from splc.data.configurations import Configurations
    from splc.project import Project

SHOWN = 5


def configurations_to_measure(
    project: Project, space: Space, sampling: tuple[str | None, str | None, str | None], seed: int, file: str | None
) -> Configurations:
    """Return the configurations that a sampling picks or a file lists, distinct.

    Args:
        project: the project.
        space: its valid configurations.
        sampling: the spec, or its binary and numeric parts.
        seed: of what is drawn.
        file: a CSV file of configurations.

    Raises:
        InputError: if the file cannot be read, or has configurations that are not valid.
        SpecError: if there is neither, or both, or the spec is wrong.
    """
    from sampling import draw_sample, parse_spec
    from sampling.designs.whole.measured import Measured
    from splc.formats.measurements.configurations_csv import read_configurations
    from splc.measuring.setup import distinct

    if file is None:
        if sampling == (None, None, None):
            hint = "--sampling SPEC (all+ff is every valid configuration), or --configurations FILE.csv"
            raise SpecError("which configurations are to be measured?", hint=hint)
        whole, binary, numeric = sampling
        spec = parse_spec(whole, binary=binary, numeric=numeric)
        if isinstance(spec.whole, Measured):
            hint = "name the file with --configurations"
            raise SpecError("what is measured already need not be sampled to be measured", hint=hint)
        found = draw_sample(space.model, spec, seed, None, space)
        for text in found.notes:
            note(text)
        return found.configurations
    if sampling != (None, None, None):
        raise SpecError("configurations are given twice, as a sampling and as a file", hint="leave one out")
    listed = read_configurations(file, space.model)
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
    once = distinct(listed)
    if len(once) < len(listed):
        note(f"{file}: {plural(len(listed) - len(once), 'row repeats', 'rows repeat')} a configuration; use --repeat")
    return once


def output_strings(configurations: Configurations) -> list[str]:
    """Return the output strings of each configuration, as `{options}` puts them in."""
    from sampling.strings import output_strings as strings

    return strings(configurations)


def environment_of(assignments: Sequence[str]) -> dict[str, str]:
    """Return environment variables out of 'NAME=VALUE'.

    Raises:
        SpecError: if one is not of that form.
    """
    found = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or "\0" in text:
            raise SpecError(Problem("an environment variable is NAME=VALUE", text=text))
        found[name.strip()] = value
    return found


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
