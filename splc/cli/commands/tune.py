"""`splc tune`: find the best configuration by measuring, learning and searching."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from splc.cli import INTERRUPTED
from splc.cli.interruption import interruption
from splc.cli.json_output import print_object
from splc.cli.next_steps import show_next_steps
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.tune import TuneObject, show, show_failure, show_run, show_start
from splc.cli.show.tune_preview import TunePreviewObject, show_preview
from splc.cli.show.tune_replays import TuneReplaysObject
from splc.cli.show.tune_replays import show as show_replays
from splc.cli.terminal import end_if_negative, show_notes
from splc.io.files import STANDARD
from splc.workflows.fields import Without
from splc.workflows.tune import Request, preview, replay, run
from splc.workflows.view import NextStep

EXAMPLES = (
    "splc tune --command './solver -n {nx} -P {px}' --budget 30 --default nx=100 -o tuned.csv",
    "splc tune --replay measurements.csv --property solve_seconds --budget 20,50 --seeds 3",
)


def tune(request: Annotated[Request, Without(("nfp", "measurements"))], json: Json = False) -> None:
    """Find the best configuration of a system: measure, learn, search, verify.

    The first runs see every value of every option. Then each run is the one that is expected to improve most on the
    best so far, by the model of all runs. The last runs verify the best configuration and the default: the reported
    value is the mean of these only. Every finished run is on disk before the next one starts; --resume continues.

    With --replay the rows of a table answer instead of the command: how well would it have worked with this budget?
    """
    request.require_consistent()
    if request.replay is not None:
        with interruption("this replay", (signal.SIGINT,)) as stop, progress("replaying") as advance:
            replays = replay(request, on_replay=lambda done, total: advance(done, total, ""), should_stop=stop)
        if json:
            print_object(TuneReplaysObject, replays)
        else:
            show_replays(replays)
        show_notes(replays.notes)
        if replays.interrupted:
            raise typer.Exit(INTERRUPTED)
        return
    if request.dry:
        planned = preview(request)
        if json:
            print_object(TunePreviewObject, planned)
        else:
            show_preview(planned)
        show_notes(planned.notes)
        return
    with interruption("this run", (signal.SIGINT,)) as stop:
        tuned = run(request, on_start=show_start, on_run=show_run, should_stop=stop)
    if json:
        print_object(TuneObject, tuned)
    elif tuned.result is not None:
        show(tuned)
    show_notes(tuned.notes)
    show_failure(tuned)
    if tuned.learned is not None and tuned.learned.output is not None and request.system != STANDARD:
        show_next_steps([NextStep(("explain", tuned.learned.output), "what each option costs")])
    if tuned.interrupted:
        raise typer.Exit(INTERRUPTED)
    if tuned.result is None or tuned.stopped is not None:
        raise typer.Exit(1)
    end_if_negative(tuned.notes)
