"""`splc measure`: run a command for each configuration and record what it reports."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from sampling import Space, draw_sample, parse_spec
from sampling.command_strings import output_strings
from sampling.designs.whole import Measured
from splc.data.configurations import Configurations
from splc.errors import InputError, MachineError, OutputError, Problem, RequestError, SpecError, listed, plural
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.configurations import read_configurations
from splc.formats.measurements.csv import exact_names
from splc.formats.measurements.tables import read_file_columns, read_table, union_of
from splc.formats.table import table_of
from splc.io.files import Source
from splc.learning.active.suggestion import suggested_columns
from splc.measuring import setup as setups
from splc.measuring.cluster import Cluster, run_on_cluster
from splc.measuring.command import OPTIONS, bind, parse_template, program
from splc.measuring.execution import MOST, Order, Plan, RunResults, common_failure
from splc.measuring.journal import read_journal
from splc.measuring.machine import load_warning
from splc.measuring.properties import parse_properties
from splc.measuring.session import Progress, Session, left_of
from splc.project import Project
from splc.system.options import with_alternatives
from splc.system.variability import VariabilityModel
from splc.workflows import fields
from splc.workflows.fields import flag, option, request
from splc.workflows.measure import outcome
from splc.workflows.note import Note, Notes, notes_of
from splc.workflows.views import UNWATCHED, Verb, Watch, duration

COMMAND, REPETITIONS, RESULTS = "Command", "Repetitions and order", "Output"
ONE_BATCH = ("all",)
# The number of columns, and of configurations that are not valid, in messages.
SHOWN_COLUMNS, SHOWN_ROWS = 12, 5
BATCHES, MACHINES = "Commands that measure many configurations", "Several machines"


@request
class Request:
    """Run a command once per configuration and repetition, and record what it reports.

    Every finished run is on disk before the next one starts; --resume continues a measurement that was ended, and
    --append adds configurations to one, such as those of splc suggest.
    """

    command: str | None = option(None, "TEXT", COMMAND, default="that of the journal, with its settings")(
        "The command, run without a shell: './solver -n {nx} {cache?--cache} -P {= px*py}', or with '{options}' for "
        "the options' output strings."
    )
    table: str | None = fields.argument(None, "CONFIGURATIONS")("The configurations to measure: a table (CSV).")
    sampling: fields.Sampling = None
    configurations: str | None = option(None, "FILE")(
        "The configurations to measure (CSV). Without a description their columns are the options."
    )
    seed: fields.Seed = 0
    properties: tuple[str, ...] = option((), "NAME=SOURCE", COMMAND, names="--property", default="seconds=time")(
        "What to record: NAME=time, NAME=cpu, NAME=csv:COLUMN, NAME=json:PATH or NAME=regex:PATTERN (its first "
        "group). Can be repeated."
    )
    cwd: str | None = option(None, "FOLDER", COMMAND)("The folder in which the command runs.")
    env: tuple[str, ...] = option((), "NAME=VALUE", COMMAND)("An environment variable of the command. Can be repeated.")
    contexts: outcome.Contexts = option(
        {}, "COLUMN=VALUE", COMMAND, names="--column", parse=outcome.contexts_of, repeated=True
    )(
        "A column of the table: the machine, the version; '{COLUMN}' in the command is its value. Can be repeated; "
        "several values of a column are measured in turn."
    )
    timeout: float | None = option(None, "SECONDS", COMMAND)("End a run (or batch) after this time.")
    repeat: int = option(1, "N", REPETITIONS, minimum=1)("Repetitions.")
    warmup: int = option(0, "N", REPETITIONS, minimum=0)("Runs of each configuration before the repetitions, not used.")
    order: Literal["repetition", "random"] = option("repetition", "repetition|random", REPETITIONS)(
        "All configurations once, then all again; or shuffled, by --seed."
    )
    block: int | None = option(None, "N", REPETITIONS, minimum=1)(
        "A random order in blocks of N runs, each after a run of the first configuration; the column 'block' of the "
        "table numbers them (splc learn --block block)."
    )
    max_deviation: float | None = option(None, "X", REPETITIONS)(
        "Repeat a configuration until the relative standard deviation of the first property is at most X (0.1: 10 %)."
    )
    max_repeat: int | None = option(None, "N", REPETITIONS, minimum=1, default="10")(
        "The greatest number of repetitions for --max-deviation."
    )
    dry: bool = flag("--dry-run", REPETITIONS)("Only print what would be run, how often and how long.")
    batch: tuple[str, ...] = option((), "all|OPTION,…", BATCHES, parse=fields.names_of)(
        "One process measures all configurations, or those with the same values of these options, which the command "
        "may name. It reads them as CSV on standard input, or from the file {configurations}, and prints CSV with a "
        "row for each as it is done."
    )
    output: str = option("measurements.csv", "FILE", RESULTS, names="--output -o")("The measurements.")
    journal: str | None = option(None, "FILE", RESULTS, default="in the folder of the output")(
        "The record of every run."
    )
    resume: bool = flag("--resume", RESULTS)("Continue an existing journal.")
    append: bool = flag("--append", RESULTS)("Add these configurations to an existing journal, and to its table.")
    retry_failed: bool = flag("--retry-failed", RESULTS)(
        "When resuming, repeat failed runs, also with another command."
    )
    keep_going: bool = flag("--keep-going", RESULTS)("Measure on although the first 3 runs failed for the same reason.")
    scheduler: str | None = option(None, "ADDRESS", MACHINES, default="one is started here")(
        "The dask scheduler, or its scheduler file; one run at a time on each machine."
    )
    backend: Literal["local", "dask"] = option("local", "local|dask", MACHINES)(
        "One run after the other on this machine, or on a dask cluster."
    )
    system: fields.System = None

    @property
    def continues(self) -> bool:
        """True if an existing journal is continued."""
        return self.resume or self.append


def run(request: Request, watch: Watch = UNWATCHED) -> outcome.Result | outcome.Preview:
    """Do the runs that are left; every finished run is on disk before the next one starts."""
    if request.table is not None and request.configurations is not None:
        raise RequestError("the configurations are given twice", "configurations")
    scheduler, file = fields.scheduler_of(request.backend, request.scheduler), request.table or request.configurations
    request = replace(request, configurations=file, scheduler=scheduler)
    if request.dry:
        return _preview(request)
    after = "this run" if not request.batch else "this row" if request.scheduler is None else "this batch"
    with watch.patient(after, by_key=True), watch.progress("measuring", estimated=False):
        return _measure(request, watch)


def _prepared(request: Request, notes: Notes) -> tuple[setups.Setup, outcome.Outputs]:
    """Check a request completely, before anything is run."""
    if request.retry_failed and not request.continues:
        raise RequestError("failed runs are repeated only with --resume", "retry_failed")
    if request.max_repeat is not None and request.max_deviation is None:
        raise RequestError("a limit of repetitions needs --max-deviation; or --repeat?", "max_repeat")
    outputs = outcome.Outputs.of(request.output, request.journal)
    records = read_journal(outputs.journal) if request.continues else []
    if request.command is None:
        if not request.continues:
            raise RequestError("the command to run is missing; write --command './program {option}'", "command")
        stated, given = setups.settings_in(records, outputs.journal), fields.given_fields(request)
        notes.append(Note(f"the command and its settings are those of {outputs.journal}: {stated['command']}"))
        request = replace(request, **{name: value for name, value in stated.items() if name not in given})
    assert request.command is not None
    most = max(MOST, request.repeat) if request.max_repeat is None else request.max_repeat
    order: Order = request.order if request.block is None else "random"
    plan = Plan(request.repeat, request.warmup, order, request.seed, request.max_deviation, most, request.block)
    if request.block is not None and request.scheduler is not None:
        raise RequestError("the runs of a block follow each other on one machine", "block")
    folder, environment = outcome.place_of(request.cwd, request.env)
    project, file = Project.load(system=request.system), request.configurations
    if file is not None and request.sampling is not None:
        raise SpecError("configurations are given twice, as a sampling and as a file", hint="leave one out")
    earlier = None
    if records and (request.append or (file is None and request.sampling is None)):
        earlier = setups.measured_table(records, outputs.journal)
    turns, constants = outcome.turns_of(request.contexts), outcome.constant_contexts(request.contexts)
    before = setups.plan_in(records)
    name = None if before is None else before["system"]["name"]
    taken = (*(text.partition("=")[0].strip() for text in request.properties), *turns)
    system, table = system_of(project, file, earlier, name, taken, notes)
    options = exact_names(system)
    properties = parse_properties(list(request.properties), options, batch=bool(request.batch))
    notes += outcome.context_notes(request.contexts, (*options, *(metric.name for metric in properties)))
    extended = system
    for context, entries in turns.items():
        extended = replace(extended, options=with_alternatives(extended.options, context, entries))
    together = () if request.batch == ONE_BATCH else request.batch
    extras = (*(["configurations"] if request.batch else []), OPTIONS, "repetition")
    template = parse_template(request.command, extended, extras, constants)
    if request.batch:
        setups.require_batchable(together, template, extended)
    described = project.system_file if project.has_system else None
    outputs.require_writable((described, file), request.continues, request.dry, setups.CONTINUATION)
    chosen = configurations_of(request, Space(system), table, earlier, notes)
    strings = output_strings(chosen) if OPTIONS in template.extras else None
    if turns:
        # Each configuration with each value of the contexts, one after the other. Every other one begins with the last
        # value: the first run after one of another configuration may be slower.
        combinations = list(product(*turns.values()))
        orders = (combinations, combinations[::-1])
        ordered = [each for row in range(len(chosen)) for each in orders[row % 2]]
        rows = np.repeat(np.arange(len(chosen)), len(combinations))
        columns = {name: column[rows] for name, column in chosen.to_columns().items()}
        for context, entries in zip(turns, zip(*ordered, strict=True), strict=True):
            columns[context] = np.array(entries, dtype=object)
        chosen = Configurations.from_columns(extended, columns)
        strings = strings and [strings[row] for row in rows.tolist()]
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


def system_of(
    project: Project, file: str | None, earlier: Source | None, name: str | None, taken: Sequence[str], notes: Notes
) -> tuple[VariabilityModel, Source | None]:
    """Return the system, and the table that states it; without a description all columns of a table are its options."""
    described = project.has_system or project.system_table is not None or bool(project.descriptions(None))
    tables = [entry for entry in (earlier, None if file is None else read_table(file)) if entry is not None]
    if described or not tables:
        if not described and not project.has_measurements:
            hint = "name a table of the configurations to measure: splc measure TABLE.csv"
            hint += "; or a description with --system"
            raise InputError("neither a system description nor a table of configurations", hint=hint)
        # Observed variables are known only after a run.
        return project.variability_model(observed=False), None
    names = [*read_file_columns(tables[-1]).columns]
    left_out = (*suggested_columns(names), *(column for column in taken if column in names))
    choice = ColumnChoice(ignore=left_out, constraints=False).lenient
    table = union_of(tables, choice) if len(tables) > 1 else tables[0]
    result = inference_of(table, choice=choice, measured=False)
    shown = listed(result.columns, SHOWN_COLUMNS)
    notes += notes_of([f"{tables[-1].name}: without a system description, its columns are the options: {shown}"])
    return replace(result.system, name=name or result.system.name), table


def configurations_of(
    request: Request, space: Space, table: Source | None, earlier: Source | None, notes: Notes
) -> Configurations:
    """Return the distinct configurations to measure, those of the journal first."""
    if table is not None:
        with table_of(table).placing():
            return read_configurations(table, space.system).unique()
    parts = [] if earlier is None else [read_configurations(earlier, space.system)]
    if request.configurations is not None:
        parts.append(_listed_configurations(space, request.configurations, notes))
    elif earlier is None or request.sampling is not None:
        if request.sampling is None:
            hint = "--sampling SPEC (all+ff is every valid configuration), or --configurations FILE.csv"
            raise SpecError("which configurations are to be measured?", hint=hint)
        spec = parse_spec(request.sampling)
        if isinstance(spec.whole, Measured):
            hint = "name the file with --configurations"
            raise SpecError("the sampling 'measured' cannot choose what to measure", hint=hint)
        sample = draw_sample(space.system, spec, request.seed, None, space)
        notes += notes_of(sample.notes)
        parts.append(sample.configurations)
    return Configurations.concatenate(parts).unique()


def _listed_configurations(space: Space, file: str, notes: Notes) -> Configurations:
    """Return the distinct configurations that a CSV file lists."""
    configurations = read_configurations(file, space.system)
    if len(configurations) == 0:
        raise InputError(Problem("the file has no configurations", file))
    wrong = np.flatnonzero(~space.check(configurations)).tolist()
    if wrong:
        problems = []
        for row in wrong[:SHOWN_ROWS]:
            violated = "; ".join(space.violations(configurations, row)) or "the constraints"
            problems.append(Problem(f"configuration {row + 1} is not valid: it violates {violated}", file))
        hint = "leave them out, or correct the description"
        of = plural(len(configurations), "configuration is", "configurations are")
        raise InputError([*problems, Problem(f"{len(wrong)} of {of} not valid", file, hint=hint)])
    once = configurations.unique()
    if repeated := len(configurations) - len(once):
        notes += notes_of([f"{file}: {plural(repeated, 'row repeats', 'rows repeat')} a configuration; use --repeat"])
    return once


def _preview(request: Request) -> outcome.Preview:
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
    return outcome.Preview(setup, recorded, left_of(setup, recorded), notes=tuple(notes))


def _measure(request: Request, watch: Watch) -> outcome.Result:
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
                text = f"several workers on one machine ({listed(hosts)}) measure one after the other"
                tell(Note(f"{text}; one worker is enough"))
        ways: dict[str, Any] = {"retry_failed": request.retry_failed, "append": request.append}
        begin = partial(Session.begin, setup, restart=not request.continues, **ways)
        session = outputs.begin(stack, begin, request.continues, "measurement", tell)
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
        written = outputs.finish(setup, session.recorded, error, tell)
        ended = not interrupted and not request.keep_going and latest.done < latest.total
        stopped = common_failure(session.recorded) if ended else None
        state = (session, latest, interrupted, outputs, written, stopped, request.system)
        return outcome.Result(*state, notes=tuple(notes))


EXAMPLES = (
    "splc measure --command './solver -n {nx} -P {px}' --sampling pb:9,3 -o times.csv",
    "splc measure --command './solver {options}' --property 'seconds=regex:([0-9.]+) s' --sampling ff --dry-run",
    "splc measure configurations.csv --command './solver -n {nx}' -o configured.csv",
)
VERB = Verb(Request, run, outcome.view, outcome.as_json, EXAMPLES)
