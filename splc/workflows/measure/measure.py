"""Run a command for each configuration and record what it reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from sampling import Space
from sampling.command_strings import output_strings
from splc.errors import OutputError, RequestError, SpecError, plural
from splc.formats.measurements.csv_table import exact_names
from splc.measuring.cluster import Cluster, described
from splc.measuring.command import bind, program
from splc.measuring.continuation import GROWING, corrected, measured_table, plan_in, settings_in
from splc.measuring.journal import Journal, Record, read_journal
from splc.measuring.load import load_warning
from splc.measuring.plan import MOST, Plan
from splc.measuring.properties import parse_properties
from splc.measuring.run_results import RunResults, common_failure
from splc.measuring.session import Progress, Remaining, Session, left_of
from splc.measuring.setup import Setup, require_batchable, require_same
from splc.measuring.template import OPTIONS, parse_template
from splc.project import Project
from splc.workflows.fields import given_fields
from splc.workflows.measure.files import Outputs
from splc.workflows.measure.preparation import (
    absolute,
    context_notes,
    environment_of,
)
from splc.workflows.measure.request import Request
from splc.workflows.measure.selection import configurations_of, subject_of
from splc.workflows.measure.sessions import do_runs, resumption
from splc.workflows.measure.turns import constant_contexts, context_children, in_turn, turns_of, with_turns
from splc.workflows.note import Note, Notes, notes_of


@dataclass(frozen=True, eq=False)
class Prepared:
    """A measurement that was checked and not started.

    Attributes:
        setup: what is measured.
        outputs: the files.
        programs: the programs that the command starts.
        notes: what the user should know.
    """

    setup: Setup
    outputs: Outputs
    programs: tuple[str, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class Preview:
    """The runs that a measurement would do.

    Attributes:
        prepared: the measurement.
        recorded: the results in its journal.
        left: the runs that are left, as far as is known before they are done.
    """

    prepared: Prepared
    recorded: RunResults
    left: Remaining


@dataclass(frozen=True, eq=False)
class Result:
    """A measurement that ended.

    Attributes:
        session: the runs and their journal.
        progress: the number of runs, done and failed.
        interrupted: whether runs are left because of an interruption.
        stopped: why the first runs failed, if runs are left because of that.
        outputs: the files.
        written: whether there are measurements (else every run failed).
        notes: what the user should know.
    """

    session: Session
    progress: Progress
    interrupted: bool
    outputs: Outputs
    written: bool
    notes: tuple[Note, ...] = ()
    stopped: str | None = None


def prepare(request: Request, *, dry: bool = False) -> Prepared:
    """Check a request completely, before anything is run.

    Args:
        request: what to measure.
        dry: whether nothing will be run, so that existing results do not matter.

    Raises:
        SplcError: if the request is wrong, a file cannot be read or written, or a program does not exist.
    """
    with Notes() as notes:
        return _prepare(request, dry, notes)


def _prepare(request: Request, dry: bool, notes: Notes) -> Prepared:
    """Check a request; add the notes to the list."""
    if request.retry_failed and not request.continues:
        raise RequestError("failed runs are repeated only with --resume", "retry_failed")
    if request.max_repeat is not None and request.max_deviation is None:
        raise RequestError("a limit of repetitions needs --max-deviation; or --repeat?", "max_repeat")
    outputs = Outputs.of(request.output, request.journal)
    records = read_journal(outputs.journal) if request.continues else []
    if request.command is None:
        request = _completed(request, records, outputs, notes)
    assert request.command is not None
    most = max(MOST, request.repeat) if request.max_repeat is None else request.max_repeat
    plan = Plan(request.repeat, request.warmup, request.order, request.seed, request.max_deviation, most)
    folder, environment = absolute(request.cwd), environment_of(request.env)
    project = Project.load(system=request.system)
    sampling = (request.sampling, request.binary, request.numeric)
    sampled = sampling != (None, None, None)
    if request.configurations is not None and sampled:
        raise SpecError("configurations are given twice, as a sampling and as a file", hint="leave one out")
    unnamed = request.configurations is None and not sampled
    earlier = measured_table(records, outputs.journal) if records and (request.append or unnamed) else None
    names = tuple(text.partition("=")[0].strip() for text in request.properties)
    before = plan_in(records)
    name = None if before is None else before["system"]["name"]
    turns = turns_of(request.contexts)
    subject = subject_of(project, request.configurations, earlier, name, (*names, *turns))
    system = subject.system
    notes += notes_of(subject.notes)
    properties = parse_properties(list(request.properties), exact_names(system), batch=request.batched)
    extras: tuple[str, ...] = (OPTIONS, "repetition")
    notes += context_notes(request.contexts, (*exact_names(system), *(metric.name for metric in properties)))
    extended = with_turns(system, turns)
    constants = constant_contexts(request.contexts)
    batch_extras = ("configurations", *extras) if request.batched else extras
    template = parse_template(request.command, extended, batch_extras, constants)
    if request.batched:
        require_batchable(request.batch_by, template, extended)
    described = project.system_file if project.has_system else None
    outputs.require_writable((described, request.configurations), request.continues, dry)
    space = Space(system)
    chosen, texts = configurations_of(subject, space, request.configurations, earlier, sampling, request.seed)
    notes += notes_of(texts)
    strings = output_strings(chosen) if OPTIONS in template.extras else None
    if turns:
        count, cells = len(chosen), strings
        chosen = in_turn(chosen, extended, turns)
        strings = None if cells is None else [cell for cell in cells for _ in range(len(chosen) // count)]
    bound = bind(template, chosen, strings)
    programs = tuple(dict.fromkeys(bound.arguments(row)[0] for row in range(len(chosen))))
    executables = {}
    if request.scheduler is None:
        executables = {name: program(name, folder or ".", environment.get("PATH")) for name in programs}
    setup = Setup(
        bound,
        chosen,
        properties,
        plan,
        executables,
        folder,
        environment,
        request.timeout,
        request.batch_by if request.batched else None,
        constants,
        {name: context_children(extended, name) for name in turns},
    )
    return Prepared(setup, outputs, programs, tuple(notes))


def _completed(request: Request, records: Sequence[Record], outputs: Outputs, notes: Notes) -> Request:
    """Return a request without a command with that of the journal, and with its settings.

    Raises:
        RequestError: if there is no journal to continue.
    """
    if not request.continues:
        raise RequestError("the command to run is missing; write --command './program {option}'", "command")
    settings = settings_in(records, outputs.journal)
    notes.append(Note(f"the command and its settings are those of {outputs.journal}: {settings['command']}"))
    names = given_fields(request)
    return replace(request, **{name: value for name, value in settings.items() if name not in names})


def preview(request: Request) -> Preview:
    """Return what a measurement would run, without running it.

    Raises:
        SplcError: as `prepare`.
    """
    prepared = prepare(request, dry=True)
    setup, recorded = prepared.setup, RunResults(prepared.setup.property_names)
    records = read_journal(prepared.outputs.journal)
    # A journal without a successful run is begun anew unless it is resumed.
    if request.continues or any(record.get("status") == "ok" for record in records):
        recorded.include(records)
        failed = bool(recorded.failed)
        allowed = corrected(records, setup.description(), failed) if request.retry_failed else ()
        allowed = (*allowed, *(GROWING if request.append else ()))
        if records or not request.append:
            require_same(records, setup.description(), prepared.outputs.journal, allowed)
        if request.retry_failed:
            for failure in recorded.failed:
                recorded.forget(failure)
    return Preview(prepared, recorded, left_of(setup, recorded))


def run(
    request: Request,
    *,
    on_progress: Callable[[Progress, int], None] = lambda progress, at_once: None,
    should_stop: Callable[[], bool] = lambda: False,
    on_note: Callable[[Note], None] = lambda note: None,
) -> Result:
    """Do the runs that are left; every finished run is on disk before the next one starts.

    Args:
        request: what to measure.
        on_progress: called after every run with the progress and the number of simultaneous runs.
        should_stop: whether to stop after the current run.
        on_note: called with each note at once, since measurements take long.

    Raises:
        SplcError: as `prepare`; or if the journal cannot be written, or no machine can do a run, after finished runs
            were written.
    """
    prepared = prepare(request)
    setup, outputs = prepared.setup, prepared.outputs
    notes: list[Note] = []

    def tell(text: str, *, warning: bool = False) -> None:
        notes.append(Note(text, warning))
        on_note(notes[-1])

    for note in prepared.notes:
        tell(note.text)
    with ExitStack() as stack:
        cluster = None
        if request.scheduler is not None:
            cluster = stack.enter_context(Cluster(request.scheduler))
            cluster.require_programs(prepared.programs, setup.folder, setup.environment)
            if hosts := cluster.shared_machines():
                tell(described(hosts))
        exists = Path(outputs.journal).exists()
        continued = exists and request.continues
        if request.continues and not exists:
            tell(f"{outputs.journal} does not exist yet: this measurement begins")
        journal = stack.enter_context((Journal.resume if exists else Journal.create)(outputs.journal))
        try:
            session = Session.begin(
                setup,
                journal,
                retry_failed=request.retry_failed,
                restart=not request.continues,
                append=request.append,
            )
        except OutputError:
            if not exists:
                # The file has no run to continue.
                Path(outputs.journal).unlink(missing_ok=True)
            raise
        if exists and not continued:
            tell(f"{outputs.journal} has no successful run: this measurement begins anew")
        for text in resumption(session, continued):
            tell(text)
        loaded = False

        def advance(progress: Progress, at_once: int) -> None:
            """Warn of a loaded machine after the first run: it is not too late to measure later."""
            nonlocal loaded
            on_progress(progress, at_once)
            if progress.measured == 1 and not loaded and (warned := load_warning(journal.records)) is not None:
                loaded = True
                tell(warned, warning=True)

        latest, interrupted, error = do_runs(session, cluster, advance, should_stop, request.keep_going)
        if not loaded and (warned := load_warning(journal.records)) is not None:
            tell(warned, warning=True)
        try:
            written = outputs.write(setup, session.recorded)
        except OutputError as failure:
            raise error or failure from None
        if error is not None:
            count = plural(len(session.recorded.results), "run is", "runs are")
            tell(f"{count} recorded" + (f"; their values are in {outputs.measurements}" if written else ""))
            raise error
        ended = not interrupted and not request.keep_going and latest.done < latest.total
        stopped = common_failure(session.recorded) if ended else None
        return Result(session, latest, interrupted, outputs, written, tuple(notes), stopped)
