"""What `splc learn --learner pmnf` is asked for: which options belong to which learner, files, series, settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from splc.io.files import Source
    from splc.project import Project

# Options of `splc learn` by what they are about.
OF_STEPWISE = ("preset", "observed", "parts", "verbose")
OF_PMNF = ("method", "coordinates", "callpath", "metric", "predict_at", "jobs")
OF_EXPERIMENTS = ("coordinates", "callpath", "metric")
OF_SYSTEMS = (
    *("sampling", "binary", "numeric", "missing", "evaluate_on", "plot", "seed"),
    *("system", "invalid", "duplicates"),
)


def given_options(context: typer.Context) -> frozenset[str]:
    """Return the names of the options that the command line gives, also those given as they are by default."""
    found = []
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            found.append(name)
    return frozenset(found)


def refuse(context: typer.Context, names: Iterable[str], reason: str) -> None:
    """Raise an error if the command line gives one of these options, which would have no effect.

    Raises:
        typer.BadParameter: naming the first one, and why.
    """
    given = given_options(context)
    for option in context.command.params:
        if option.name in given and option.name in names:
            raise typer.BadParameter(reason, param_hint=option.opts[0])


def experiment_source(project: Project, measurements: str | None, coordinates: str | None) -> Source | None:
    """Return the file with measurements at points of parameters; None where they are about a described system.

    A CSV is about the system that is described, where there is one.

    Raises:
        InputError: if the file cannot be read.
    """
    from splc.formats.detect import experiment_format, xml_root
    from splc.io.files import STANDARD, read_source

    if measurements is None:
        if coordinates is not None or not project.has_system:
            if not project.has_measurements:
                return None
            measurements = project.measurements_file
        else:
            return None
    if "system" in project.given:
        return None
    if measurements == STANDARD:
        # It can be read only once, so nothing can be told from its content before.
        return read_source(measurements)
    source = read_source(measurements)
    if xml_root(source.data[: 1 << 18]) is not None:
        return None
    csv = source.data.strip() and experiment_format(source) == "csv"
    return None if csv and coordinates is None and project.has_system else source


def scaling_settings(stated: Mapping[str, str], method: str | None) -> dict[str, Any]:
    """Return the settings of `splc.scaling.fit` that `--set NAME=VALUE` and `--method` state.

    Raises:
        SpecError: for an unknown name or a wrong value.
    """
    from splc.scaling.settings import parsed_settings

    return parsed_settings({**stated, "method": method} if method else stated)


def points_of(texts: Sequence[str] | None, known: Sequence[str], needed: Sequence[str]) -> list[dict[str, float]]:
    """Return the points of `--predict-at p=1024,n=64`.

    Args:
        texts: what the command line has.
        known: the parameters.
        needed: those that a point must have a value of.

    Raises:
        SpecError: for anything else, or an unknown or missing parameter.
    """
    from splc.errors import SpecError, listed, unknown_name_hint

    points = []
    for text in texts or ():
        point: dict[str, float] = {}
        for part in text.split(","):
            name, sign, value = (each.strip() for each in part.rpartition("="))
            if not sign or not name:
                raise SpecError(f"{text!r} is no point", hint="give the parameters' values: --predict-at p=1024,n=64")
            if name not in known:
                raise SpecError(f"--predict-at: unknown parameter {name!r}", hint=unknown_name_hint(name, known))
            if name in point:
                raise SpecError(f"--predict-at: {name} is there twice in {text!r}", hint="repeat the option instead")
            try:
                point[name] = float(value)
            except ValueError:
                point[name] = math.nan
            if not math.isfinite(point[name]):
                raise SpecError(f"--predict-at: {name} cannot be {value!r}", hint="it is a number")
        missing = [name for name in needed if name not in point]
        if missing:
            raise SpecError(f"--predict-at {text}: no value of {listed(missing)}", hint="a point has all parameters")
        points.append(point)
    return points
