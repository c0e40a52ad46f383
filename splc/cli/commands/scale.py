"""`splc scale`: scaling models of profiles."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from splc.cli.json_output import print_object
from splc.cli.next_steps import show_next_steps
from splc.cli.options import By, Json
from splc.cli.progress import progress
from splc.cli.show.scale import ContextScaleObject, kind_of, show, show_by
from splc.cli.show.scale_next import next_steps
from splc.cli.terminal import show_notes
from splc.io.files import STANDARD
from splc.workflows.fields import as_option
from splc.workflows.scale import Request, run, run_by

EXAMPLES = (
    "splc scale profile.txt --predict-at p=1024",
    "splc scale runs.csv --coordinates p,n --metric time -o models.py",
    "splc scale profile.txt --predict-at p=16384 --tree",
)


def scale(
    request: Request,
    method: Annotated[str | None, as_option("NAME", "'default', 'classic', 'basic', 'refinement' or 'extrap'.")] = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Fit scaling models to a profile, one per call path and metric, and write them to learned.json.

    A profile has measurements at points of one or more parameters. The exit code is 1 if a call path has no model.
    """
    if method is not None:
        request = replace(request, settings={**request.settings, "method": method})
    if by is not None:
        fit_by(request, by, json=json)
        return
    fit_profile(request, json)


def fit_by(request: Request, by: str, *, json: bool) -> None:
    """Fit the models of each value of a context."""
    with progress("modelling") as on_progress:
        results = run_by(request, by, on_progress)
    if json:
        print_object(ContextScaleObject, results, by=by)
    else:
        show_by(results, by)
    show_notes(dict.fromkeys(note for result in results.values() for note in result.notes))
    if any(result.profile.failed for result in results.values()):
        raise typer.Exit(1)


def fit_profile(request: Request, json: bool) -> None:
    """Do what `splc scale` does."""
    with progress("modelling") as on_progress:
        result = run(request, on_progress)
    if json:
        print_object(kind_of(result), result)
    elif request.output != STANDARD:
        show(result)
    show_notes(result.notes)
    show_next_steps(next_steps(request, result))
    if result.profile.failed:
        raise typer.Exit(1)
