"""`splc learn`: learn a performance-influence model from measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from splc import report as reports
from splc.cli.commands.scale import fit_profile
from splc.cli.detail import detail
from splc.cli.interruption import Interruption, interruption
from splc.cli.json_output import print_object
from splc.cli.next_steps import show_next_steps
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.learn import LearnedObject, show
from splc.cli.show.learn_by import LearnedByObject
from splc.cli.show.learn_by import show as show_by
from splc.cli.show.learn_next import next_steps, next_steps_by
from splc.cli.terminal import end_if_negative, note, show_notes, warn
from splc.formats.measurements.columns import shown_value
from splc.io.files import STANDARD
from splc.learning.projection import Form, ScaleChoice
from splc.learning.registry import PROJECTION
from splc.learning.result import Round, Step
from splc.workflows import scale as scaling
from splc.workflows.field_values import one_or_several
from splc.workflows.fields import as_argument, as_flag, as_option, values_of
from splc.workflows.learn import Request, Result, run, unmeasured
from splc.workflows.learn import contexts as learn_by
from splc.workflows.learn.learning_sets import LEARNING, RESULTS, profile_of, with_aggregate

EXAMPLES = (
    "splc learn",
    "splc learn --sampling pb:9,3 -o model.json",
    "splc learn --learner pmnf --numeric ff",
)
NOTHING = "before there was a model: nothing is written"
PRINTED = f"Model of the learner {PROJECTION} (settings of the same names)"


def learn(
    request: Request,
    tables: Annotated[
        tuple[str, ...],
        as_argument("TABLE…", "Measurements: tables, or output of benchmark tools."),
    ] = (),
    first: Annotated[str | None, as_option("TERM", "The first term of the learner stepwise.", LEARNING)] = None,
    terms: Annotated[int | None, as_option("N", "The largest number of terms.", PRINTED, minimum=1)] = None,
    readable: Annotated[bool, as_flag("--readable", "At most 10 terms, for up to 10 % more error.", PRINTED)] = False,
    form: Annotated[
        Form | None, as_option("auto|sum|product", "A sum of terms or a product.", PRINTED, default="auto")
    ] = None,
    scale: Annotated[
        ScaleChoice | None,
        as_option("auto|log|raw", "Full model of ln y, or of y.", PRINTED, default="auto"),
    ] = None,
    order: Annotated[
        int | None, as_option("N", "The most options in a term.", PRINTED, minimum=1, default="5 or 6")
    ] = None,
    path: Annotated[bool, as_flag("--path", "Print models from few terms to many with errors.", RESULTS)] = False,
    by: Annotated[
        str | None,
        as_option(
            "COLUMN",
            "One model per value of this context (version).",
            LEARNING,
        ),
    ] = None,
    share: Annotated[bool, as_flag("--share", "With --by: learn all values together.", LEARNING)] = False,
    report: Annotated[str | None, as_option("FILE", "Write a report (.html, .md).", RESULTS)] = None,
    json: Json = False,
) -> None:
    """Learn a performance-influence model, and write it to learned.log and learned.json.

    Without a sampling all measured configurations are learned from, and only cross-validation judges the model.
    Scaling models of profiles have their own command, splc scale.
    """
    if tables:
        if request.measurements is not None:
            raise typer.BadParameter("the measurements are given twice", param_hint="--measurements")
        request = replace(request, measurements=one_or_several(tables))
    flags = {"terms": terms, "readable": readable or None, "form": form, "scale": scale, "order": order, "first": first}
    settings = {name: value for name, value in flags.items() if value is not None}
    request = replace(request, settings={**request.settings, **settings})
    if report is not None:
        if by is not None:
            raise typer.BadParameter("with --by there are several models: use splc report", param_hint="--report")
        reports.require_format(report)
    if by is not None:
        _learn_by(learn_by.Request(**values_of(request), by=by, share=share), json=json)
        return
    if share:
        raise typer.BadParameter("it needs the context, such as --by version", param_hint="--share")
    profile = profile_of(request)
    if profile is not None:
        _scale(request, profile, json)
        return
    with interruption("this step", kept=False, lost=NOTHING) as stop, progress("learning") as advance:
        trial = partial(_after_trial, advance)
        after = _after_step(advance, stop)
        if request.unmeasured:
            result = unmeasured.run(request, after, stop, stop.end_at_once)
        else:
            result = run(
                request,
                after,
                stop,
                on_trial=trial,
                on_learned=stop.end_at_once,
                on_share=lambda share: advance(share, 1.0, ""),
            )
    if json:
        print_object(LearnedObject, result)
    elif request.output != STANDARD:
        show(result, path=path)
    show_notes(result.notes)
    if report is not None:
        _write_report(request, result, report)
    show_next_steps(next_steps(result))
    if result.interrupted:
        note("learning was interrupted; what was learned until then is kept")
        raise typer.Exit(130)
    end_if_negative(result.notes)


def _write_report(request: Request, result: Result, file: str) -> None:
    """Write the report of a learned model."""
    model = result.companion or result.output
    if model is None or model == STANDARD:
        raise typer.BadParameter("the report needs the file of the model", param_hint="--report")
    values = {name: value for name, value in values_of(request).items() if name in reports.Request.__dataclass_fields__}
    with progress("report"):
        reports.run(reports.Request(**values | {"models": (model,), "output": file}))
    note(f"the report is in {file}")


def _learn_by(request: learn_by.Request, *, json: bool) -> None:
    """Learn one model per value of a context."""
    with interruption("this step", kept=False, lost=NOTHING) as stop, progress("learning") as advance:
        result = learn_by.run(request, _after_step(advance, stop), stop, stop.end_at_once)
    if json:
        print_object(LearnedByObject, result)
    else:
        show_by(result)
    show_notes(result.notes)
    for value, reason in result.failed.items():
        warn(f"no model of {request.by} {shown_value(value)}: {reason}")
    show_next_steps(next_steps_by(result))
    if result.stopped:
        note("learning was interrupted; what was learned until then is kept")
        raise typer.Exit(130)
    if result.failed:
        raise typer.Exit(1)
    end_if_negative(result.notes)


def _scale(request: Request, profile: str, json: bool) -> None:
    """Do what `splc scale PROFILE` does, and say so."""
    note(f"{profile} is a profile: this is 'splc scale {profile}'")
    settings = with_aggregate(request, request.settings)
    metrics = () if request.nfp is None else (request.nfp,)
    output = request.output or scaling.DEFAULT_OUTPUT
    fit_profile(scaling.Request(profile=profile, metrics=metrics, settings=settings, output=output), json)


def _after_trial(advance: Callable[[int, int | None, str], None], done: int, total: int) -> None:
    """Move the progress bar after a trial of settings."""
    advance(done, total, "trying settings")


def _after_step(advance: Callable[[int, int | None, str], None], stop: Interruption) -> Callable[[Step, str], None]:
    """Return the function that moves the progress bar after each step."""

    def after(this: Step, line: str) -> None:
        stop.kept = stop.kept or this.kept
        # The bar of a learner without rounds is moved by the share of its work.
        if isinstance(this, Round) or detail().verbose:
            advance(this.number, None, line)

    return after
