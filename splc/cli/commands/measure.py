"""`splc measure`: run a command for each configuration and record what it reports."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from splc.cli.options import Binary, Json, Numeric, Sampling, Seed, System, flag, option

WHAT = "Command"
HOW_OFTEN = "Repetitions and order"
RESULTS = "Output"
BATCHES = "Commands that measure many configurations"
WHERE = "Several machines"

EXAMPLES = (
    "splc measure --command './solver -n {nx} -P {px}' --sampling pb:9,3 -o times.csv",
    "splc measure --command './solver {options}' --property 'seconds=regex:([0-9.]+) s' --sampling ff --dry-run",
)


def measure(
    command: Annotated[
        str,
        option(
            "TEXT",
            "The command, run without a shell: './solver -n {nx} {cache?--cache} -P {= px*py}', "
            "or with '{options}' for the options' output strings.",
            WHAT,
        ),
    ],
    sampling: Sampling = None,
    binary: Binary = None,
    numeric: Numeric = None,
    configurations: Annotated[str | None, option("FILE", "The configurations to measure (CSV).")] = None,
    seed: Seed = 0,
    properties: Annotated[
        list[str] | None,
        option(
            "NAME=SOURCE",
            "What to record: NAME=time, NAME=cpu, NAME=csv:COLUMN, NAME=json:PATH or NAME=regex:PATTERN "
            "(its first group). Can be repeated. Without any: seconds=time.",
            WHAT,
            names="--property",
        ),
    ] = None,
    cwd: Annotated[str | None, option("FOLDER", "The folder in which the command runs.", WHAT)] = None,
    env: Annotated[
        list[str] | None, option("NAME=VALUE", "An environment variable of the command. Can be repeated.", WHAT)
    ] = None,
    context: Annotated[
        list[str] | None,
        option("COLUMN=VALUE", "A column of the table: the machine, the version. Can be repeated.", WHAT),
    ] = None,
    timeout: Annotated[float | None, option("SECONDS", "End a run (or batch) after this time.", WHAT)] = None,
    repeat: Annotated[int, option("N", "Repetitions.", HOW_OFTEN, min=1)] = 1,
    warmup: Annotated[
        int, option("N", "Runs of each configuration before the repetitions, not used.", HOW_OFTEN, min=0)
    ] = 0,
    order: Annotated[
        Literal["repetition", "random"],
        option("repetition|random", "All configurations once, then all again; or shuffled, by --seed.", HOW_OFTEN),
    ] = "repetition",
    max_deviation: Annotated[
        float | None,
        option(
            "X",
            "Repeat a configuration until the relative standard deviation of the first property is at most X "
            "(0.1: 10 %).",
            HOW_OFTEN,
        ),
    ] = None,
    max_repeat: Annotated[
        int | None,
        option("N", "The greatest number of repetitions for --max-deviation. Default: 10.", HOW_OFTEN, min=1),
    ] = None,
    dry: Annotated[bool, flag("--dry-run", "Only print what would be run, how often and how long.", HOW_OFTEN)] = False,
    batch: Annotated[
        bool,
        flag(
            "--batch",
            "One process measures many configurations: it reads them as CSV on standard input, or from the file "
            "{configurations}, and prints CSV with a row for each as it is done.",
            BATCHES,
        ),
    ] = False,
    batch_by: Annotated[
        str | None,
        option(
            "OPTION,…",
            "A batch command; one process for each combination of these options, which the command may name.",
            BATCHES,
        ),
    ] = None,
    output: Annotated[str, option("FILE", "The measurements.", RESULTS, names="--output -o")] = "measurements.csv",
    journal: Annotated[
        str | None, option("FILE", "The record of every run; by default in the folder of the output.", RESULTS)
    ] = None,
    resume: Annotated[bool, flag("--resume", "Continue an existing journal.", RESULTS)] = False,
    retry_failed: Annotated[bool, flag("--retry-failed", "When resuming, repeat failed runs.", RESULTS)] = False,
    keep_going: Annotated[
        bool, flag("--keep-going", "Measure on although the first 3 runs failed for the same reason.", RESULTS)
    ] = False,
    json: Json = False,
    backend: Annotated[
        Literal["local", "dask"],
        option("local|dask", "One run after the other on this machine, or on a dask cluster.", WHERE),
    ] = "local",
    scheduler: Annotated[
        str | None,
        option(
            "ADDRESS",
            "The dask scheduler, or its scheduler file; one run at a time on each machine. "
            "Default: one is started here.",
            WHERE,
        ),
    ] = None,
    system: System = None,
) -> None:
    """Run a command once per configuration and repetition, and record what it reports.

    Every finished run is on disk before the next one starts; --resume continues a measurement that was ended.
    """
    given = dict(locals())
    import signal

    from splc.cli import INTERRUPTED
    from splc.cli.arguments import request_of, scheduler_of, values_of
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.show.measure import as_json, preview_json, progress_text, show, show_preview
    from splc.cli.terminal import progress, show_notes
    from splc.workflows.measure import Request, preview, run

    request = request_of(
        Request,
        given,
        ("context", "dry", "json", "backend"),
        scheduler=scheduler_of(backend, scheduler),
        contexts=values_of(context, "--context"),
        batch=batch or batch_by is not None,
        batch_by=tuple(name.strip() for name in (batch_by or "").split(",") if name.strip()),
    )
    if dry:
        planned = preview(request)
        show_notes(planned.prepared.notes)
        if json:
            print_json("measure", preview_json(planned))
        else:
            show_preview(planned)
        return
    after = "this run" if not request.batch else "this row" if request.scheduler is None else "this batch"
    by_key = (signal.SIGINT,)
    with interruption(after, by_key) as stop, progress("measuring") as advance:
        result = run(
            request,
            on_progress=lambda now, at_once: advance(now.done, now.total, progress_text(now, at_once)),
            should_stop=stop,
            on_note=lambda note: show_notes([note]),
        )
    if json:
        print_json("measure", as_json(result))
    show(result, quiet=json)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.session.recorded.failed or result.stopped is not None:
        raise typer.Exit(1)
