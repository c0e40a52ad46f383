"""`splc measure`: run a command for each configuration and record what it reports."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Annotated, Literal

import typer

from splc.cli import INTERRUPTED
from splc.cli.interruption import interruption
from splc.cli.json_output import print_object
from splc.cli.next_steps import show_next_steps
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.measure import MeasurementObject, PreviewObject, progress_text, show, show_preview
from splc.cli.terminal import show_notes
from splc.io.files import STANDARD
from splc.workflows.common_fields import scheduler_of
from splc.workflows.fields import as_argument, as_flag, as_option
from splc.workflows.measure.measure import preview, run
from splc.workflows.measure.request import MACHINES, REPETITIONS, Request
from splc.workflows.view import NextStep

EXAMPLES = (
    "splc measure --command './solver -n {nx} -P {px}' --sampling pb:9,3 -o times.csv",
    "splc measure --command './solver {options}' --property 'seconds=regex:([0-9.]+) s' --sampling ff --dry-run",
    "splc measure configurations.csv --command './solver -n {nx}' -o configured.csv",
)


def measure(
    request: Request,
    table: Annotated[str | None, as_argument("CONFIGURATIONS", "The configurations to measure: a table (CSV).")] = None,
    dry: Annotated[
        bool, as_flag("--dry-run", "Only print what would be run, how often and how long.", REPETITIONS)
    ] = False,
    json: Json = False,
    backend: Annotated[
        Literal["local", "dask"],
        as_option("local|dask", "One run after the other on this machine, or on a dask cluster.", MACHINES),
    ] = "local",
) -> None:
    """Run a command once per configuration and repetition, and record what it reports.

    Every finished run is on disk before the next one starts; --resume continues a measurement that was ended, and
    --append adds configurations to one, such as those of splc suggest.
    """
    if table is not None:
        if request.configurations is not None:
            raise typer.BadParameter("the configurations are given twice", param_hint="--configurations")
        request = replace(request, configurations=table)
    request = replace(request, scheduler=scheduler_of(backend, request.scheduler))
    if dry:
        planned = preview(request)
        if json:
            print_object(PreviewObject, planned)
        else:
            show_preview(planned)
        show_notes(planned.prepared.notes)
        return
    after = "this run" if not request.batched else "this row" if request.scheduler is None else "this batch"
    by_key = (signal.SIGINT,)
    with interruption(after, by_key) as stop, progress("measuring", estimated=False) as advance:
        result = run(
            request,
            on_progress=lambda now, at_once: advance(now.done, now.total, progress_text(now, at_once)),
            should_stop=stop,
            on_note=lambda note: show_notes([note]),
        )
    if json:
        print_object(MeasurementObject, result)
    show(result, quiet=json)
    if result.written and not result.interrupted and STANDARD not in (result.outputs.measurements, request.system):
        measured = ("--measurements", result.outputs.measurements)
        system = () if request.system is None else ("--system", request.system)
        inputs = (*system, *measured)
        turns = result.session.setup.turns
        steps = [NextStep(("changed", *inputs, "--by", name), f"what differs between {name}s") for name in turns]
        names = result.session.setup.property_names
        choice = ("--property", names[0]) if len(names) > 1 else ()
        show_next_steps(steps or [NextStep(("learn", *inputs, *choice), "a model of these measurements")])
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.session.recorded.failed or result.stopped is not None:
        raise typer.Exit(1)
