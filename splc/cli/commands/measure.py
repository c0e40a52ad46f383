"""`splc measure`: run a command for each configuration and record what it reports."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from splc.cli.options import Binary, Json, Numeric, Sampling, Seed, System

WHAT = "What is run"
HOW_OFTEN = "How often, and in which order"
RESULTS = "What comes out"
BATCHES = "Commands that measure many configurations"
WHERE = "On several machines"

EXAMPLES = (
    "splc measure --command './solver -n {nx} -P {px}' --sampling pb:9,3 -o times.csv",
    "splc measure --command './solver {options}' --property 'seconds=regex:([0-9.]+) s' --sampling ff --dry-run",
)


def measure(
    command: Annotated[
        str,
        typer.Option(
            "--command",
            metavar="TEXT",
            help="The command, run without a shell: './solver -n {nx} {cache?--cache} -P {= px*py}', "
            "or with '{options}' for the options' output strings.",
            rich_help_panel=WHAT,
        ),
    ],
    sampling: Sampling = None,
    binary: Binary = None,
    numeric: Numeric = None,
    configurations: Annotated[
        str | None, typer.Option("--configurations", metavar="FILE", help="The configurations to measure (CSV).")
    ] = None,
    seed: Seed = 0,
    properties: Annotated[
        list[str] | None,
        typer.Option(
            "--property",
            metavar="NAME=SOURCE",
            help="What to record: NAME=time, NAME=cpu, NAME=csv:COLUMN, NAME=json:PATH or NAME=regex:PATTERN "
            "(its first group). Can be repeated. Without any: seconds=time.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    cwd: Annotated[
        str | None,
        typer.Option("--cwd", metavar="FOLDER", help="Where the command runs, if not here.", rich_help_panel=WHAT),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env",
            metavar="NAME=VALUE",
            help="An environment variable of the command. Can be repeated.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", metavar="SECONDS", help="End a run (or batch) after this time.", rich_help_panel=WHAT
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, metavar="N", help="Repetitions.", rich_help_panel=HOW_OFTEN)
    ] = 1,
    warmup: Annotated[
        int,
        typer.Option(
            "--warmup",
            min=0,
            metavar="N",
            help="Runs of each configuration before those, not used.",
            rich_help_panel=HOW_OFTEN,
        ),
    ] = 0,
    order: Annotated[
        Literal["repetition", "random"],
        typer.Option(
            "--order",
            metavar="repetition|random",
            help="All configurations once, then all again; or shuffled, by --seed.",
            rich_help_panel=HOW_OFTEN,
        ),
    ] = "repetition",
    max_deviation: Annotated[
        float | None,
        typer.Option(
            "--max-deviation",
            metavar="X",
            help="Repeat a configuration until the relative standard deviation of the first property is at most X "
            "(0.1: 10 %).",
            rich_help_panel=HOW_OFTEN,
        ),
    ] = None,
    max_repeat: Annotated[
        int | None,
        typer.Option(
            "--max-repeat",
            min=1,
            metavar="N",
            help="But not more than N times (10 by default).",
            rich_help_panel=HOW_OFTEN,
        ),
    ] = None,
    dry: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only say what would be run, how often and how long.", rich_help_panel=HOW_OFTEN
        ),
    ] = False,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="One process measures many configurations: it reads them as CSV on standard input, or from the file "
            "{configurations}, and prints CSV with a row for each as it is done.",
            rich_help_panel=BATCHES,
        ),
    ] = False,
    batch_by: Annotated[
        str | None,
        typer.Option(
            "--batch-by",
            metavar="OPTION,…",
            help="A batch command; one process for each combination of these options, which the command may name.",
            rich_help_panel=BATCHES,
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The measurements.", rich_help_panel=RESULTS)
    ] = "measurements.csv",
    journal: Annotated[
        str | None,
        typer.Option(
            "--journal",
            metavar="FILE",
            help="Where every run is recorded; by default beside the output.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a journal that is there.", rich_help_panel=RESULTS)
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="When resuming, do failed runs again.", rich_help_panel=RESULTS)
    ] = False,
    json: Json = False,
    backend: Annotated[
        Literal["local", "dask"],
        typer.Option(
            "--backend",
            metavar="local|dask",
            help="One run after the other here, or on a dask cluster.",
            rich_help_panel=WHERE,
        ),
    ] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="The dask scheduler; one run at a time on each of its workers.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    system: System = None,
) -> None:
    """Run a command once per configuration and repetition, and record what it reports.

    Every finished run is on disk before the next one starts; what was killed is gone on with by --resume.
    """
    from sampling import Space
    from splc.cli.measured import measured
    from splc.cli.measured_files import Outputs
    from splc.cli.measuring import absolute, configurations_to_measure, environment_of, output_strings
    from splc.cli.show.measure import dry_run
    from splc.errors import SpecError
    from splc.formats.measurements.csv_table import exact_names
    from splc.measuring.command import bind, program
    from splc.measuring.plan import MOST, Plan
    from splc.measuring.properties import parse_properties
    from splc.measuring.setup import Setup, require_batchable
    from splc.measuring.template import OPTIONS, parse_template
    from splc.project import Project

    # Whatever can be refused is refused before anything is run.
    if (backend == "dask") != (scheduler is not None):
        raise typer.BadParameter("--backend dask and --scheduler ADDRESS need each other", param_hint="--scheduler")
    if retry_failed and not resume:
        raise typer.BadParameter("only makes sense with --resume", param_hint="--retry-failed")
    if max_repeat is not None and max_deviation is None:
        raise typer.BadParameter("limits --max-deviation, which is not given; or --repeat?", param_hint="--max-repeat")
    batched = batch or batch_by is not None
    if batched and backend == "dask":
        raise SpecError("batch commands run here, one after the other", hint="leave out --backend dask")
    outputs = Outputs.of(output, journal, json)
    most = max(MOST, repeat) if max_repeat is None else max_repeat
    plan = Plan(repeat, warmup, order, seed, max_deviation, most)
    folder, environment = absolute(cwd), environment_of(env or [])
    project = Project.load(system=system)
    # What is observed of a run is not there before it.
    model = project.variability_model(observed=False)
    wanted = parse_properties(properties or [], exact_names(model), batch=batched)
    extras = (OPTIONS, "repetition")
    template = parse_template(command, model, ("configurations", *extras) if batched else extras)
    agreeing = [name.strip() for name in (batch_by or "").split(",") if name.strip()]
    if batched:
        require_batchable(agreeing, template, model)
    outputs.require_writable((project.system_file, configurations), resume, dry)
    space = Space(model)
    chosen = configurations_to_measure(project, space, (sampling, binary, numeric), seed, configurations)
    bound = bind(template, chosen, output_strings(chosen) if OPTIONS in template.extras else None)
    programs = dict.fromkeys(bound.arguments(row)[0] for row in range(len(chosen)))
    executables = {}
    if backend == "local":
        executables = {name: program(name, folder or ".", environment.get("PATH")) for name in programs}
    together = tuple(agreeing) if batched else None
    setup = Setup(bound, chosen, wanted, plan, executables, folder, environment, timeout, together)
    if dry:
        dry_run(setup, outputs.journal, json)
        return
    raise typer.Exit(measured(setup, outputs, list(programs), scheduler, resume, retry_failed, json))
