"""`splc measure`: run a command for each configuration and record what it reports."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from sampling import Space
from sampling.command_strings import output_strings
from splc.errors import InputError, MachineError, OutputError, RequestError, SpecError, plural
from splc.formats.measurements.option_columns import exact_names
from splc.measuring import setup as setups
from splc.measuring.cluster import Cluster, described
from splc.measuring.command import OPTIONS, bind, parse_template, program
from splc.measuring.distribution import run_on_cluster
from splc.measuring.execution import RunResults, common_failure
from splc.measuring.journal import read_journal
from splc.measuring.machine import load_warning
from splc.measuring.plan import MOST, Plan
from splc.measuring.properties import parse_properties
from splc.measuring.session import Progress, Session, left_of
from splc.project import Project
from splc.workflows.common_fields import Sampling, Seed, System, scheduler_of
from splc.workflows.field_values import names_of
from splc.workflows.fields import argument, flag, given_fields, option, request
from splc.workflows.measure import subject
from splc.workflows.measure.outcome import Outputs, Preview, Result, as_json, view
from splc.workflows.note import Note, Notes
from splc.workflows.verb import UNWATCHED, Verb, Watch
from splc.workflows.views import duration

COMMAND, REPETITIONS, RESULTS = "Command", "Repetitions and order", "Output"
ONE_BATCH = ("all",)
BATCHES, MACHINES = "Commands that measure many configurations", "Several machines"


@request
class Request:
    """Run a command once per configuration and repetition, and record what it reports.

    Every finished run is on disk before the next one starts; --resume continues a measurement that was ended, and
    --append adds configurations to one, such as those of splc suggest.
    """

    command: str | None = option(
        None,
        "TEXT",
        "The command, run without a shell: './solver -n {nx} {cache?--cache} -P {= px*py}', "
        "or with '{options}' for the options' output strings.",
        COMMAND,
        default="that of the journal, with its settings",
    )
    table: str | None = argument(None, "CONFIGURATIONS", "The configurations to measure: a table (CSV).")
    sampling: Sampling = None
    configurations: str | None = option(
        None, "FILE", "The configurations to measure (CSV). Without a description their columns are the options."
    )
    seed: Seed = 0
    properties: tuple[str, ...] = option(
        (),
        "NAME=SOURCE",
        "What to record: NAME=time, NAME=cpu, NAME=csv:COLUMN, NAME=json:PATH or NAME=regex:PATTERN "
        "(its first group). Can be repeated.",
        COMMAND,
        names="--property",
        default="seconds=time",
    )
    cwd: str | None = option(None, "FOLDER", "The folder in which the command runs.", COMMAND)
    env: tuple[str, ...] = option((), "NAME=VALUE", "An environment variable of the command. Can be repeated.", COMMAND)
    contexts: subject.Contexts = option(
        {},
        "COLUMN=VALUE",
        "A column of the table: the machine, the version; '{COLUMN}' in the command is its value. Can be "
        "repeated; several values of a column are measured in turn.",
        COMMAND,
        names="--column",
        parse=subject.contexts_of,
        repeated=True,
    )
    timeout: float | None = option(None, "SECONDS", "End a run (or batch) after this time.", COMMAND)
    repeat: int = option(1, "N", "Repetitions.", REPETITIONS, minimum=1)
    warmup: int = option(0, "N", "Runs of each configuration before the repetitions, not used.", REPETITIONS, minimum=0)
    order: Literal["repetition", "random"] = option(
        "repetition",
        "repetition|random",
        "All configurations once, then all again; or shuffled, by --seed.",
        REPETITIONS,
    )
    max_deviation: float | None = option(
        None,
        "X",
        "Repeat a configuration until the relative standard deviation of the first property is at most X (0.1: 10 %).",
        REPETITIONS,
    )
    max_repeat: int | None = option(
        None, "N", "The greatest number of repetitions for --max-deviation.", REPETITIONS, minimum=1, default="10"
    )
    dry: bool = flag("--dry-run", "Only print what would be run, how often and how long.", REPETITIONS)
    batch: tuple[str, ...] = option(
        (),
        "all|OPTION,…",
        "One process measures all configurations, or those with the same values of these options, which the "
        "command may name. It reads them as CSV on standard input, or from the file {configurations}, and prints "
        "CSV with a row for each as it is done.",
        BATCHES,
        parse=names_of,
    )
    output: str = option("measurements.csv", "FILE", "The measurements.", RESULTS, names="--output -o")
    journal: str | None = option(
        None, "FILE", "The record of every run.", RESULTS, default="in the folder of the output"
    )
    resume: bool = flag("--resume", "Continue an existing journal.", RESULTS)
    append: bool = flag("--append", "Add these configurations to an existing journal, and to its table.", RESULTS)
    retry_failed: bool = flag(
        "--retry-failed", "When resuming, repeat failed runs, also with another command.", RESULTS
    )
    keep_going: bool = flag("--keep-going", "Measure on although the first 3 runs failed for the same reason.", RESULTS)
    scheduler: str | None = option(
        None,
        "ADDRESS",
        "The dask scheduler, or its scheduler file; one run at a time on each machine.",
        MACHINES,
        default="one is started here",
    )
    backend: Literal["local", "dask"] = option(
        "local", "local|dask", "One run after the other on this machine, or on a dask cluster.", MACHINES
    )
    system: System = None

    @property
    def continues(self) -> bool:
        """True if an existing journal is continued."""
        return self.resume or self.append


def run(request: Request, watch: Watch = UNWATCHED) -> Result | Preview:
    """Do the runs that are left; every finished run is on disk before the next one starts."""
    if request.table is not None and request.configurations is not None:
        raise RequestError("the configurations are given twice", "configurations")
    scheduler, file = scheduler_of(request.backend, request.scheduler), request.table or request.configurations
    request = replace(request, configurations=file, scheduler=scheduler)
    if request.dry:
        return _preview(request)
    after = "this run" if not request.batch else "this row" if request.scheduler is None else "this batch"
    with watch.patient(after, by_key=True), watch.progress("measuring", estimated=False):
        return _measure(request, watch)


def _prepared(request: Request, notes: Notes) -> tuple[setups.Setup, Outputs]:
    """Check a request completely, before anything is run."""
    if request.retry_failed and not request.continues:
        raise RequestError("failed runs are repeated only with --resume", "retry_failed")
    if request.max_repeat is not None and request.max_deviation is None:
        raise RequestError("a limit of repetitions needs --max-deviation; or --repeat?", "max_repeat")
    outputs = Outputs.of(request.output, request.journal)
    records = read_journal(outputs.journal) if request.continues else []
    if request.command is None:
        if not request.continues:
            raise RequestError("the command to run is missing; write --command './program {option}'", "command")
        stated, given = setups.settings_in(records, outputs.journal), given_fields(request)
        notes.append(Note(f"the command and its settings are those of {outputs.journal}: {stated['command']}"))
        request = replace(request, **{name: value for name, value in stated.items() if name not in given})
    assert request.command is not None
    most = max(MOST, request.repeat) if request.max_repeat is None else request.max_repeat
    plan = Plan(request.repeat, request.warmup, request.order, request.seed, request.max_deviation, most)
    folder, environment = subject.absolute(request.cwd), subject.environment_of(request.env)
    project, file = Project.load(system=request.system), request.configurations
    if file is not None and request.sampling is not None:
        raise SpecError("configurations are given twice, as a sampling and as a file", hint="leave one out")
    earlier = None
    if records and (request.append or (file is None and request.sampling is None)):
        earlier = setups.measured_table(records, outputs.journal)
    turns, constants = subject.turns_of(request.contexts), subject.constant_contexts(request.contexts)
    before = setups.plan_in(records)
    name = None if before is None else before["system"]["name"]
    taken = (*(text.partition("=")[0].strip() for text in request.properties), *turns)
    system, table = subject.system_of(project, file, earlier, name, taken, notes)
    options = exact_names(system)
    properties = parse_properties(list(request.properties), options, batch=bool(request.batch))
    notes += subject.context_notes(request.contexts, (*options, *(metric.name for metric in properties)))
    extended = subject.with_turns(system, turns)
    together = () if request.batch == ONE_BATCH else request.batch
    extras = (*(["configurations"] if request.batch else []), OPTIONS, "repetition")
    template = parse_template(request.command, extended, extras, constants)
    if request.batch:
        setups.require_batchable(together, template, extended)
    described = project.system_file if project.has_system else None
    outputs.require_writable((described, file), request.continues, request.dry)
    chosen = subject.configurations_of(Space(system), table, file, earlier, request.sampling, request.seed, notes)
    strings = output_strings(chosen) if OPTIONS in template.extras else None
    if turns:
        each = len(chosen)
        chosen = subject.in_turn(chosen, extended, turns)
        strings = strings and [text for text in strings for _ in range(len(chosen) // each)]
    command = bind(template, chosen, strings)
    executables = {}
    if request.scheduler is None:
        executables = {name: program(name, folder or ".", environment.get("PATH")) for name in command.programs}
    batch = together if request.batch else None
    values: dict[str, dict[str, str]] = {name: {} for name in turns}
    for child in extended.binary_options:
        if child.parent in values:
            values[child.parent][child.name] = child.presentation.output_string or child.name
    settings = (executables, folder, environment, request.timeout, batch, constants, values)
    return setups.Setup(command, chosen, properties, plan, *settings), outputs


def _preview(request: Request) -> Preview:
    """Return what a measurement would run, without running it."""
    with Notes() as notes:
        setup, outputs = _prepared(request, notes)
    recorded = RunResults(setup.property_names)
    records = read_journal(outputs.journal)
    # A journal without a successful run is begun anew unless it is resumed.
    if request.continues or any(record.get("status") == "ok" for record in records):
        recorded.include(records)
        allowed = setups.corrected(records, setup.description(), bool(recorded.failed)) if request.retry_failed else ()
        if records or not request.append:
            growing = setups.GROWING if request.append else ()
            setups.require_same(records, setup.description(), outputs.journal, (*allowed, *growing))
        for failure in recorded.failed if request.retry_failed else ():
            recorded.forget(failure)
    return Preview(setup, recorded, left_of(setup, recorded), tuple(notes))


def _measure(request: Request, watch: Watch) -> Result:
    """Do the runs that are left; notes are shown at once, since measurements take long."""
    with Notes() as prepared:
        setup, outputs = _prepared(request, prepared)
    notes: list[Note] = []

    def tell(*told: Note) -> None:
        notes.extend(told)
        for note in told:
            watch.show((note,))

    def warn_of_load() -> bool:
        text = load_warning(session.journal.records)
        tell(*([] if text is None else [Note(text, warning=True)]))
        return text is not None

    tell(*prepared)
    with ExitStack() as stack:
        cluster, backend, at_once = None, None, 1
        if request.scheduler is not None:
            cluster = stack.enter_context(Cluster(request.scheduler))
            cluster.require_programs(setup.command.programs, setup.folder, setup.environment)
            if hosts := cluster.shared_machines():
                tell(Note(described(hosts)))
        file, continues = outputs.journal, request.continues
        exists = Path(file).exists()
        if continues and not exists:
            tell(Note(f"{file} does not exist yet: this measurement begins"))
        ways = {"retry_failed": request.retry_failed, "restart": not continues, "append": request.append}
        session = outputs.begin(stack, lambda journal: Session.begin(setup, journal, **ways))
        if exists and not continues:
            tell(Note(f"{file} has no successful run: this measurement begins anew"))
        recorded = f"{plural(session.resumed, 'run is', 'runs are')} recorded already"
        tell(*map(Note, session.changes), *([Note(recorded)] if exists and continues else []))
        if cluster is not None:
            backend, at_once = partial(run_on_cluster, cluster), cluster.machines_at_once()
        latest, loaded = Progress(), False

        def advance(progress: Progress) -> None:
            """Show the progress, and warn of a loaded machine after the first run: it is not too late to wait."""
            nonlocal latest, loaded
            latest = progress
            text = f"{progress.done:,} of {progress.total:,} runs"
            text += f", {progress.failed:,} failed" if progress.failed else ""
            if (seconds := progress.seconds_left(at_once)) is not None:
                text += f", about {duration(seconds)} left"
            watch.advance(progress.done, progress.total, text)
            if progress.measured == 1 and not loaded:
                loaded = warn_of_load()

        interrupted, error = False, None
        try:
            machines = None if cluster is None else cluster.machines()
            latest = session.measure(backend, watch.stop, advance, machines, keep_going=request.keep_going)
            interrupted = watch.stop() and latest.done < latest.total
        except KeyboardInterrupt:
            interrupted = True
        except (OutputError, InputError, MachineError) as failure:
            error = failure
        if not loaded:
            warn_of_load()
        try:
            written = outputs.write(setup, session.recorded)
        except OutputError as failure:
            raise error or failure from None
        if error is not None:
            tell(outputs.note_of_kept(session.recorded, written))
            raise error
        ended = not interrupted and not request.keep_going and latest.done < latest.total
        stopped = common_failure(session.recorded) if ended else None
        return Result(session, latest, interrupted, outputs, written, stopped, request.system, tuple(notes))


EXAMPLES = (
    "splc measure --command './solver -n {nx} -P {px}' --sampling pb:9,3 -o times.csv",
    "splc measure --command './solver {options}' --property 'seconds=regex:([0-9.]+) s' --sampling ff --dry-run",
    "splc measure configurations.csv --command './solver -n {nx}' -o configured.csv",
)
VERB = Verb(Request, run, view, as_json, EXAMPLES)
