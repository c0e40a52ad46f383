"""What `splc learn` learns from: settings, the learning set, the evaluation set, and where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sampling import SamplingSpec, Space
    from splc.data.measurements import Measurements
    from splc.project import Project


def stated_settings(assignments: Sequence[str]) -> dict[str, str]:
    """Return the settings of `--set NAME=VALUE`.

    Raises:
        typer.BadParameter: if one has no `=`.
    """
    found = {}
    for assignment in assignments:
        name, sign, value = assignment.partition("=")
        if not sign or not name.strip():
            raise typer.BadParameter(f"{assignment!r} is not NAME=VALUE", param_hint="--set")
        found[name.strip()] = value.strip()
    return found


def note_without_effect(settings: Mapping[str, Any]) -> None:
    """Say which of the settings have no effect, and why."""
    from splc.cli.terminal import note
    from splc.learning.stepwise.settings import WITHOUT_EFFECT, spelling

    silent = {spelling(name): reason for name, reason in WITHOUT_EFFECT.items()}
    for name in settings:
        if spelling(name) in silent:
            note(f"the setting {name} has no effect: {silent[spelling(name)]}")


def with_deviation(settings: Mapping[str, Any], measured: Measurements) -> dict[str, Any]:
    """Return the settings with the deviation that a measurement file states as abortError, unless that is set.

    It makes no sense to learn what lies below the measurements' own deviation; SPL Conqueror has the same rule.
    """
    from splc.cli.terminal import note
    from splc.learning.stepwise.settings import spelling

    deviation = measured.report.deviation
    if deviation is None or any(spelling(name) == spelling("abortError") for name in settings):
        return dict(settings)
    note(
        f"abortError is {deviation:g}, as {measured.report.source} states its deviation (--set abortError=… changes it)"
    )
    return {**settings, "abortError": deviation}


def evaluation_set(project: Project, path: str, nfp: str, space: Space, policies: Mapping[str, Any]) -> Measurements:
    """Read the measurements to judge the model by; they must have values of the property."""
    from splc.cli.terminal import report
    from splc.errors import MeasurementError

    found = project.measurements(space.model, space, file=path, **policies)
    report(found.report)
    try:
        usable = found.measured(nfp)
    except MeasurementError as error:
        raise error.at(path) from None
    if len(usable) == 0:
        raise MeasurementError(f"no configuration has a value of {nfp}").at(path)
    return found


def learning_rows(
    measured: Measurements, nfp: str, spec: SamplingSpec, seed: int, space: Space, missing: Any
) -> tuple[Any, str]:
    """Return the positions of the measured configurations to learn from, and the sampling as read."""
    import numpy as np

    from sampling import draw_sample
    from splc.cli.terminal import note
    from splc.errors import LearningError
    from splc.learning.learning_set import match

    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if len(usable) == 0:
        raise LearningError(f"no configuration has a value of {nfp}").at(measured.report.source)
    known = measured[usable]
    sample = draw_sample(space.model, spec, seed, known.configurations, space)
    positions, notes = match(known, sample.configurations, missing)
    for text in (*sample.notes, *notes):
        note(text)
    return usable[positions], sample.spec


def input_files(
    project: Project, measured: Measurements | None, evaluation: Measurements | None = None
) -> dict[str, Any]:
    """Return name and hash of the system description and of what was read of measurements."""
    from splc.io.files import STANDARD, read_source

    files: dict[str, Any] = {}
    if project.system_file != STANDARD:
        files["system"] = {"path": project.system_file, "sha256": read_source(project.system_file).sha256}
    for key, found in (("measurements", measured), ("evaluation", evaluation)):
        if found is not None:
            files[key] = {"path": found.report.source, "sha256": found.report.sha256}
    return files
