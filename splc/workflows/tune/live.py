"""Tune with a command: every finished run is on disk before the next one starts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sampling import Space
from sampling.space.optimum import free_options, unused_options
from splc.data.configurations import Configurations, describe_configuration
from splc.data.property_unit import unit_in_name
from splc.errors import InputError, LearningError, OutputError, RequestError, SplcError, plural
from splc.formats.measurements.assignment import assignment_text, parse_assignments, with_assigned_values
from splc.formats.measurements.configurations_csv import write_configurations
from splc.formats.measurements.csv_table import exact_names
from splc.io.files import STANDARD, write_whole
from splc.io.numbers import signed_percentage
from splc.io.outputs import require_writable
from splc.io.streams import is_stream
from splc.learning.full_predictor import FullPredictor
from splc.measuring.command import OPTIONS, parse_template
from splc.measuring.execution import common_failure
from splc.measuring.journal import Journal
from splc.measuring.machine import load_warning
from splc.measuring.properties import Property, parse_properties
from splc.plotting import plot_format
from splc.plotting.charts.drawing import chart_file
from splc.system.variability import VariabilityModel
from splc.tuning.result import TuningResult
from splc.tuning.session import CONTINUATION, TunedCommand, TuningSession
from splc.tuning.tuner import Tuner
from splc.tuning.verification import LEAST_BUDGET
from splc.workflows import learn
from splc.workflows.measure.outcome import Outputs
from splc.workflows.measure.subject import absolute, context_notes, environment_of
from splc.workflows.note import Note, Notes, Rank
from splc.workflows.picture import chart_of
from splc.workflows.prediction_notes import unused_note
from splc.workflows.subspace import failure_notes, fixed_space, further_notes
from splc.workflows.tune.earlier import tell_earlier, with_earlier_values
from splc.workflows.tune.request import Request, default_of, with_default_values
from splc.workflows.tune.runs_view import view_of_run, view_of_start
from splc.workflows.verb import NOBODY, Watch

# Configurations that the command is checked for before the first run, and runs that are shown without being run.
_CHECKED, PREVIEWED = 1000, 5


@dataclass(frozen=True, eq=False)
class Result:
    """A tuning run that ended."""

    result: TuningResult | None  # what was found; None if no run has a value
    session: TuningSession  # the runs and their journal
    learned: learn.Result | None  # the model of all runs; None if none was learned
    outputs: Outputs  # the files of the measurements
    best: str  # the file of the best configuration
    interrupted: bool  # whether runs are left because of an interruption
    stopped: str | None  # why the first runs failed, if runs are left because of that
    notes: tuple[Note, ...] = ()  # what the user should know
    unit: str | None = None  # the unit of the property, None if it is not known
    of_standard_input: bool = False

    @property
    def single(self) -> TuningResult | None:
        """The result for one property; None of several, which have a front."""
        return None if self.result is None or self.result.front else self.result


def run(request: Request, watch: Watch = NOBODY) -> Result:
    """Find the best configuration with a command."""
    with Notes() as notes, ExitStack() as stack:
        prepared = _prepare(request, notes)
        tuner, command, outputs = prepared.tuner, prepared.command, prepared.outputs
        session = _session(request, prepared, stack, notes)
        watch.show(*view_of_start(session, watch.detail))
        with watch.patient("this run", by_key=True):
            interrupted, error = _run(request, session, watch)
        setup = command.setup(tuner.history.configurations)
        written = bool(tuner.history.asked_for) and outputs.write(setup, session.recorded)
        if error is not None:
            count = plural(len(session.recorded.results), "run is", "runs are")
            notes.append(
                Note(f"{count} recorded" + (f"; their values are in {outputs.measurements}" if written else ""))
            )
            raise error
        result, learned, unit = None, None, _unit(command.properties[0])
        if written or any(outcome.values for outcome in tuner.history.outcomes):
            result = tuner.report()
            if result.has_solution:
                _write_best(result, prepared)
            if request.plot is not None:
                write_whole(request.plot, chart_file(chart_of(result), plot_format(request.plot)))
            notes += remarks_of(result, tuner)
            if (text := load_warning(session.journal.records)) is not None:
                notes.append(Note(text, warning=True))
            if session.out_of_time:
                notes.append(Note("the time was over before all runs that verify; --resume with more time does them"))
            if written and not interrupted:
                learned = _learned(request, prepared, notes)
                predictor = None if learned is None else learned.result.predictor
                if isinstance(predictor, FullPredictor) and not predictor.options:
                    notes.append(unused_note(free_options(tuner.system, unused_options(tuner.system, ()))))
        stopped = None if interrupted or request.keep_going or request.earlier else common_failure(session.recorded)
        return Result(
            result,
            session,
            learned,
            outputs,
            prepared.best,
            interrupted,
            stopped,
            tuple(notes),
            unit,
            request.system == STANDARD,
        )


def _write_best(result: TuningResult, prepared: PreparedTuning) -> None:
    """Write the best configuration, or those of the front, with their values."""
    means = [point.means for point in result.front] or [{result.nfp: result.best.mean}]
    configurations = [point.configuration for point in result.front] or [result.best.configuration]
    indices = np.concatenate([row.indices for row in configurations])
    values = {name: np.array([mean[name].value for mean in means]) for name in means[0]}
    write_configurations(Configurations(prepared.system, indices), prepared.best, values)


@dataclass(frozen=True, eq=False)
class PreparedTuning:
    """A tuning run that was checked and not started."""

    system: VariabilityModel  # the system, without fixed values
    tuner: Tuner  # asks for the runs
    command: TunedCommand  # does them
    outputs: Outputs  # the files of the measurements
    best: str  # the file of the best configuration
    model: str  # the file of the model
    about: Mapping[str, Any]  # what its sessions have in common besides the command


@dataclass(frozen=True, eq=False)
class TuningPreview:
    """The first runs of a tuning run, which do not depend on values."""

    tuner: Tuner  # the tuner that asked for them
    commands: tuple[tuple[str, ...], ...]  # their command lines, as lists of arguments
    notes: tuple[Note, ...] = ()  # what the user should know


def preview(request: Request) -> TuningPreview:
    """Return the first runs of a tuning run, without running anything."""
    with Notes() as notes:
        prepared = _prepare(request, notes)
        tuner = prepared.tuner
        commands: list[tuple[str, ...]] = []
        while len(commands) < PREVIEWED and (trial := tuner.ask()) is not None:
            process = prepared.command.process(tuner.history.configurations[[trial.row]], trial)
            commands.append(process.args[0])
        return TuningPreview(tuner, tuple(commands), tuple(notes))


def _prepare(request: Request, notes: Notes) -> PreparedTuning:
    """Check a request completely, before anything is run."""
    request.require_consistent()
    outputs = Outputs.of(request.output, request.journal)
    project = request.project()
    known = request.read_system(project, notes, observed=False)
    described = project.system_table
    if described is None:
        described = project.system_file if project.inference is None else project.measurements_file
    inputs = (
        described,
        *(file.path for file in request.earlier_files),
        *(() if request.default is None else (request.default,)),
    )
    outputs.require_writable(inputs, request.resume, request.dry, CONTINUATION)
    best, model = _beside(outputs, request.best, "best.csv"), _beside(outputs, request.model, "learned.json")
    if request.plot is not None:
        plot_format(request.plot)
    for path in (best, model, request.plot):
        require_writable(path, (*inputs, outputs.measurements, outputs.journal))
    system = with_default_values(request.default, with_assigned_values(request.fix, known))
    notes += further_notes(known, system)
    system = with_earlier_values(request.earlier_files, system)
    properties = parse_properties(list(request.properties), exact_names(system))
    names = [metric.name for metric in properties]
    if request.race is not None and properties[0].source != "time":
        raise RequestError(f"only time can be raced: --property {names[0]}=time, not {properties[0].source}", "race")
    contexts = request.contexts
    notes += context_notes(contexts, (*exact_names(system), *names))
    template = parse_template(request.command or "", system, (OPTIONS, "repetition"), contexts)
    fixed = parse_assignments(request.fix, system)
    space = fixed_space(Space(system), fixed)
    default = default_of(request.default, space)
    budget = request.budget[0] if request.budget else None
    tuner = Tuner(space, names[0], budget, default, seed=request.seed, **request.settings(names))
    folder, environment = absolute(request.cwd), environment_of(request.env)
    command = TunedCommand(template, properties, folder, environment, request.timeout, contexts)
    command.setup(_checked(tuner))
    earlier = tell_earlier(request.earlier_files, contexts, system, tuner, notes)
    about = _about(request, tuner, assignment_text(fixed, system), earlier)
    return PreparedTuning(system, tuner, command, outputs, best, model, about)


def _unit(nfp: Property) -> str | None:
    """Return the unit of a property, None if it is not known."""
    return "s" if nfp.source in ("time", "cpu") else unit_in_name(nfp.name)


def _beside(outputs: Outputs, path: str | None, name: str) -> str:
    """Return the name of a file in the folder of the measurements, unless it is given."""
    if path is not None:
        return path
    unnamed = outputs.measurements == "-" or is_stream(outputs.measurements)
    return str(Path(outputs.journal if unnamed else outputs.measurements).with_name(name))


def _checked(tuner: Tuner) -> Configurations:
    """Return configurations for which the command is checked."""
    nothing = tuner.history.configurations[:0]
    return tuner.source.draw(_CHECKED, np.random.Generator(np.random.PCG64([tuner.seed, 0])), nothing)


def _about(request: Request, tuner: Tuner, fixed: str, earlier: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the settings that all sessions of a tuning run share, except for the command."""
    default = None if tuner.default is None else describe_configuration(tuner.default, 0)
    return {
        "budget": tuner.budget,
        # Not compared: the time of a session.
        "seconds": request.duration,
        "default": default,
        "maximize": request.maximize,
        "maximize_only": list(request.maximize_only) or None,
        "limits": list(request.limits),
        "fixed": fixed,
        "verify": request.verify,
        "explore": request.explore,
        "until": request.until,
        "race": request.race,
        "cost": request.cost,
        "from": earlier,
        "seed": request.seed,
    }


def _session(request: Request, prepared: PreparedTuning, stack: ExitStack, notes: Notes) -> TuningSession:
    """Return the session, whose journal is open until the stack is closed."""
    outputs = prepared.outputs
    exists = Path(outputs.journal).exists()
    if request.resume and not exists:
        notes.append(Note(f"{outputs.journal} does not exist yet: this tuning run begins"))
    journal = stack.enter_context((Journal.resume if exists else Journal.create)(outputs.journal))
    try:
        session = TuningSession.begin(
            prepared.tuner, prepared.command, journal, prepared.about, restart=not request.resume
        )
    except OutputError:
        if not exists:
            # The file has no run to continue.
            Path(outputs.journal).unlink(missing_ok=True)
        raise
    if exists and not request.resume:
        notes.append(Note(f"{outputs.journal} has no successful run: this tuning run begins anew"))
    if journal.torn:
        notes.append(Note(f"{journal.path}: an incomplete record is dropped; its run is repeated"))
    if session.ended_leftover:
        notes.append(Note("a run of an earlier session was still running; it was ended"))
    if session.extended:
        notes.append(Note("the budget is larger than before: the search continues, and is verified again"))
    if exists and request.resume:
        notes.append(Note(f"{plural(session.resumed, 'run is', 'runs are')} recorded already"))
    return session


def _run(
    request: Request,
    session: TuningSession,
    watch: Watch,
) -> tuple[bool, SplcError | None]:
    """Do the runs that are left; return whether they were interrupted, and the error that ended them."""
    try:
        session.run(
            watch.stop,
            lambda outcome: watch.show(*view_of_run(session, outcome, watch.detail)),
            # With earlier runs, the command is known to work.
            keep_going=request.keep_going or bool(request.earlier),
            workers=request.workers,
            seconds=request.duration,
        )
    except KeyboardInterrupt:
        return True, None
    except SplcError as error:
        return False, error
    return watch.stop() and not session.tuner.done, None


def _learned(request: Request, prepared: PreparedTuning, notes: Notes) -> learn.Result | None:
    """Return the model of all runs, which is written; None if none can be learned."""
    measured = prepared.outputs.measurements
    if measured == "-" or is_stream(measured):
        return None
    roles = {name: getattr(request, name) for name in ("system", "options", "no_constraints", "ignore")}
    contexts = request.contexts
    roles |= {"context": (*request.columns.contexts, *contexts), "where": contexts}
    own = learn.Request(**roles, measurements=measured, nfp=prepared.tuner.objective.nfp, output=prepared.model)
    try:
        # Rows of another context are no measurements of this one.
        files = [file.path for file in request.earlier_files if not file.contexts]
        if not files:
            return learn.run(own)
        try:
            return learn.run(replace(own, measurements=(measured, *files)))
        except InputError as error:
            notes.append(Note(f"the model is of the runs of this command only: {error.problems[0].message}"))
            return learn.run(own)
    except (InputError, LearningError) as error:
        notes.append(Note(f"no model is learned: {error.problems[0].message}"))
        return None


def remarks_of(result: TuningResult, tuner: Tuner) -> list[Note]:
    """Return notes about the result of a tuning run."""
    notes: list[Note] = []
    history, objective = tuner.history, tuner.objective
    exact = history.is_exact(objective.nfp)
    row = history.row_of(result.best.configuration)
    if not objective.admissible(history, row) and objective.limits:
        limits = " and ".join(f"{limit.nfp} {limit.relation} {limit.value:g}" for limit in objective.limits)
        notes.append(Note(f"no run is within the limits ({limits}): this is no solution", warning=True, negative=True))
    elif result.default is not None and objective.limits:
        start = history.row_of(result.default.configuration)
        if not objective.admissible(history, start):
            notes.append(
                Note("the default is not within the limits, so that the best configuration may be worse", True)
            )
    fresh = result.front[0].fresh if result.front else result.best.mean.runs > 0
    if not fresh and not exact:
        cure = f"a budget of at least {LEAST_BUDGET}, or --verify N, keeps runs back to measure it again"
        subject = "the front is that of the search" if result.front else "the best value is predicted"
        notes.append(Note(f"{subject}, not verified: {cure}"))
    if tuner.default is None and not result.front:
        notes.append(Note("without a --default nothing says how much is gained", about=Rank.LIMIT))
    if result.drift is not None:
        text = f"the default has {signed_percentage(result.drift, 3)} since the search: the machine has changed"
        notes.append(Note(text, warning=True))
    notes += failure_notes(history.failures, "the search leaves them out")
    if tuner.nothing_expected:
        early = "" if tuner.budget is None else f" after {len(history.trials):,} of {tuner.budget:,} runs"
        notes.append(Note(f"it ended{early}: no other configuration is expected to be better", about=Rank.METHOD))
    if tuner.source.count is not None and tuner.source.count <= len(history.configurations):
        notes.append(Note("all valid configurations were measured", about=Rank.METHOD))
    return notes
