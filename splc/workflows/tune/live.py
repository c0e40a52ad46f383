"""Tune with a command: every finished run is on disk before the next one starts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from sampling import Space
from sampling.space.optimum import free_options, unused_options
from splc.data.configurations import Configurations, describe_configuration
from splc.data.property_unit import unit_in_name
from splc.errors import InputError, LearningError, RequestError, SplcError, shorten
from splc.formats.measurements.configurations import with_unlisted
from splc.formats.measurements.csv import exact_names, write_configurations
from splc.formats.measurements.selections import assignment_text, parse_assignments, with_assigned_values
from splc.formats.measurements.tables import read_table
from splc.io.files import STANDARD, require_writable
from splc.io.numbers import count_text, short_number, signed_percentage
from splc.io.presentation import REPORTING
from splc.learning.result import FullPredictor
from splc.measuring.command import OPTIONS, parse_template
from splc.measuring.execution import common_failure
from splc.measuring.machine import load_warning
from splc.measuring.properties import parse_properties
from splc.plotting.charts.drawing import require_picture, write_picture
from splc.system.variability import VariabilityModel
from splc.tuning.changes import changed, shown_values
from splc.tuning.history import TrialOutcome
from splc.tuning.result import TuningResult
from splc.tuning.session import CONTINUATION, TunedCommand, TuningSession
from splc.tuning.tuner import Tuner
from splc.tuning.verification import LEAST_BUDGET
from splc.workflows import learn
from splc.workflows.measure.outcome import Outputs, context_notes, place_of
from splc.workflows.note import Note, Noted, Notes, Rank, direction_notes
from splc.workflows.pictures import chart_of
from splc.workflows.prediction_notes import unused_note
from splc.workflows.subspace import all_of, failure_notes, fixed_space, further_notes
from splc.workflows.tune.request import Request, default_of, tell_earlier, with_default_values
from splc.workflows.views import UNWATCHED, Detail, Message, View, Watch, counted, messages

# Configurations that the command is checked for before the first run, and runs that are shown without being run.
_CHECKED, PREVIEWED = 1000, 5
WIDTH = 80  # the length of what a line says of a configuration or a failure
REPORTED = 5  # the number of runs after which the report is written again
# The files of the best configuration and of the model, beside the measurements unless they are named.
BEST, MODEL = "best.csv", "learned.json"


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """A tuning run that ended."""

    result: TuningResult | None  # what was found; None if no run has a value
    session: TuningSession  # the runs and their journal
    learned: learn.Result | None  # the model of all runs; None if none was learned
    outputs: Outputs  # the files of the measurements
    best: str  # the file of the best configuration
    interrupted: bool  # whether runs are left because of an interruption
    stopped: str | None  # why the first runs failed, if runs are left because of that
    unit: str | None = None  # the unit of the property, None if it is not known
    of_standard_input: bool = False
    running: bool = False  # whether more runs follow

    @property
    def single(self) -> TuningResult | None:
        """The result for one property; None of several, which have a front."""
        return None if self.result is None or self.result.front else self.result


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Find the best configuration with a command."""
    with Notes() as notes, ExitStack() as stack:
        system, tuner, command, outputs, about = _prepared(request, notes)
        begin = partial(TuningSession.begin, tuner, command, about=about, restart=not request.resume)
        session = outputs.begin(stack, begin, request.resume, "tuning run", notes.append)
        if watch.detail.interactive:
            # The lowest value is of a single run, which may be lucky; predictions are relative to it. The verified
            # value is a mean.
            goal = f"{'greatest' if tuner.objective.maximize else 'least'} run"
            header = _line("run", "why", tuner.objective.nfp, goal, "predicted", f"changes of the {goal} before")
            watch.show(*messages(Noted(notes=tuple(notes)).first), Message(goal_text(tuner), "line"), header)
        nfp, file = command.properties[0], outputs.beside(request.best, BEST)
        unit = "s" if nfp.source in ("time", "cpu") else unit_in_name(nfp.name)

        def told(outcome: TrialOutcome) -> None:
            watch.show(*view_of_run(session, outcome, watch.detail))
            known = any(each.values for each in tuner.history.outcomes)
            if request.report is not None and known and len(tuner.history.asked_for) % REPORTED == 0:
                so_far = Result(tuner.report(), session, None, outputs, file, False, None, unit, running=True)
                import_module(REPORTING).report_of(so_far, request.report)

        interrupted, error = False, None
        # With earlier runs, the command is known to work.
        keep_going = request.keep_going or bool(request.earlier)
        with watch.patient("this run", by_key=True):
            try:
                session.run(watch.stop, told, keep_going=keep_going, workers=request.workers, seconds=request.duration)
                interrupted = watch.stop() and not tuner.done
            except KeyboardInterrupt:
                interrupted = True
            except SplcError as failure:
                error = failure
        setup = command.setup(tuner.history.configurations) if tuner.history.asked_for else None
        written = outputs.finish(setup, session.recorded, error, notes.append)
        result, learned = None, None
        if written or any(outcome.values for outcome in tuner.history.outcomes):
            result = tuner.report()
            if result.has_solution:
                # The best configuration, or those of the front, with their values.
                means = [point.means for point in result.front] or [{result.nfp: result.best.mean}]
                found = [point.configuration for point in result.front] or [result.best.configuration]
                best = Configurations(system, np.concatenate([row.indices for row in found]))
                values = {name: np.array([mean[name].value for mean in means]) for name in means[0]}
                write_configurations(best, file, values)
            if request.plot is not None:
                write_picture(chart_of(result), request.plot)
            notes += remarks_of(result, tuner)
            if (text := load_warning(session.journal.records)) is not None:
                notes.append(Note(text, warning=True))
            if session.out_of_time:
                notes.append(Note("the time was over before all runs that verify; --resume with more time does them"))
            if written and not interrupted:
                learned = _learned(request, nfp.name, outputs, notes)
                predictor = None if learned is None else learned.result.predictor
                if isinstance(predictor, FullPredictor) and not predictor.options:
                    notes.append(unused_note(free_options(tuner.system, unused_options(tuner.system, ()))))
        stopped = None if interrupted or keep_going else common_failure(session.recorded)
        ended = (interrupted, stopped, unit, request.system == STANDARD)
        tuned = Result(result, session, learned, outputs, file, *ended, notes=tuple(notes))
        if request.report is not None and result is not None:
            import_module(REPORTING).report_of(tuned, request.report)
        return tuned


@dataclass(frozen=True, eq=False)
class TuningPreview(Noted):
    """The first runs of a tuning run, which do not depend on values."""

    tuner: Tuner  # the tuner that asked for them
    commands: tuple[str, ...]  # their command lines


def preview(request: Request) -> TuningPreview:
    """Return the first runs of a tuning run, without running anything."""
    with Notes() as notes:
        _, tuner, command, *_ = _prepared(request, notes)
        commands: list[str] = []
        while len(commands) < PREVIEWED and (trial := tuner.ask()) is not None:
            commands.append(shlex.join(command.process(tuner.history.configurations[[trial.row]], trial).args[0]))
        return TuningPreview(tuner, tuple(commands), notes=tuple(notes))


def _prepared(request: Request, notes: Notes) -> tuple[VariabilityModel, Tuner, TunedCommand, Outputs, dict[str, Any]]:
    """Check a request completely, before anything is run.

    Return the system without fixed values, what asks for the runs, what does them, the files of the measurements, and
    what the sessions of a tuning run have in common besides the command.
    """
    request.require_consistent()
    outputs = Outputs.of(request.output, request.journal)
    project = request.project()
    known = request.read_system(project, notes, observed=False)
    described = project.system_table
    if described is None:
        described = project.system_file if project.inference is None else project.measurements_file
    inputs = (described, *(file for file, _ in request.earlier_files), request.default)
    outputs.require_writable(inputs, request.resume, request.dry, CONTINUATION)
    others = (*inputs, outputs.measurements, outputs.journal)
    for path in (outputs.beside(request.best, BEST), outputs.beside(request.model, MODEL)):
        require_writable(path, others)
    require_picture(request.plot, others)
    if request.report is not None:
        import_module(REPORTING).require_format(request.report)
        require_writable(request.report, others)
    system = with_default_values(request.default, with_assigned_values(request.fix, known))
    notes += further_notes(known, system)
    for file, _ in request.earlier_files:
        system = with_unlisted(read_table(file), system)
    properties = parse_properties(list(request.properties), exact_names(system))
    names = [metric.name for metric in properties]
    if request.race is not None and properties[0].source != "time":
        raise RequestError(f"only time can be raced: --property {names[0]}=time, not {properties[0].source}", "race")
    contexts = request.constants
    notes += context_notes(contexts, (*exact_names(system), *names))
    template = parse_template(request.command or "", system, (OPTIONS, "repetition"), contexts)
    fixed = parse_assignments(request.fix, system)
    space = fixed_space(Space(system), fixed)
    default = default_of(request.default, space)
    budget = request.budget[0] if request.budget else None
    tuner = Tuner(space, names[0], budget, default, seed=request.seed, **request.settings(names))
    goals = [(goal.nfp, unit_in_name(goal.nfp), goal.maximize) for goal in tuner.objective.goals]
    notes += direction_notes(goals, "tune", request)
    command = TunedCommand(template, properties, *place_of(request.cwd, request.env), request.timeout, contexts)
    command.setup(tuner.source.draw(_CHECKED, tuner.generator(0), tuner.history.configurations[:0]))
    earlier = tell_earlier(request.earlier_files, contexts, system, tuner, notes)
    about = {
        "budget": tuner.budget,
        # Not compared: the time of a session.
        "seconds": request.duration,
        "default": None if tuner.default is None else describe_configuration(tuner.default, 0),
        "maximize": request.maximize,
        "maximize_only": list(request.maximize_only) or None,
        "limits": list(request.limits),
        "fixed": assignment_text(fixed, system),
        **{name: getattr(request, name) for name in ("verify", "explore", "until", "race", "cost")},
        "from": earlier,
        "seed": request.seed,
    }
    return system, tuner, command, outputs, about


def _learned(request: Request, nfp: str, outputs: Outputs, notes: Notes) -> learn.Result | None:
    """Return the model of all runs, which is written; None if none can be learned."""
    measured = outputs.measurements
    if outputs.unnamed:
        return None
    roles = {name: getattr(request, name) for name in ("system", "options", "no_constraints", "ignore")}
    contexts = request.constants
    roles |= {"context": (*request.columns.contexts, *contexts), "where": contexts}
    own = learn.Request(**roles, measurements=measured, nfp=nfp, output=outputs.beside(request.model, MODEL))
    # Rows of another context are no measurements of this one.
    files = [file for file, stated in request.earlier_files if not stated]
    try:
        if files:
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
    default = None if result.default is None else history.row_of(result.default.configuration)
    if objective.limits and not objective.admissible(history, history.row_of(result.best.configuration)):
        limits = " and ".join(f"{limit.nfp} {limit.relation} {limit.value:g}" for limit in objective.limits)
        notes.append(Note(f"no run is within the limits ({limits}): this is no solution", warning=True, negative=True))
    elif default is not None and objective.limits and not objective.admissible(history, default):
        text = "the default is not within the limits, so that the best configuration may be worse"
        notes.append(Note(text, warning=True))
    fresh = result.front[0].fresh if result.front else result.best.mean.runs > 0
    if not fresh and not history.is_exact(objective.nfp):
        cure = f"a budget of at least {LEAST_BUDGET}, or --verify N, keeps runs back to measure it again"
        subject = "the front is that of the search" if result.front else "the best value is predicted"
        notes.append(Note(f"{subject}, not verified: {cure}"))
    if tuner.default is None and not result.front:
        notes.append(Note("without a --default nothing says how much is gained", about=Rank.LIMIT))
    if result.drift is not None:
        text = f"the default has {signed_percentage(result.drift, 3)} since the search: the machine has changed"
        notes.append(Note(text, warning=True))
    known = "the search leaves them out"
    if history.working_share < 1:
        known = f"the search expects 1 of {1 / history.working_share:.0f} others like them to work"
    notes += failure_notes(history.failures, known)
    if tuner.nothing_expected:
        early = "" if tuner.budget is None else f" after {len(history.trials):,} of {tuner.budget:,} runs"
        notes.append(Note(f"it ended{early}: no other configuration is expected to be better", about=Rank.METHOD))
    if tuner.source.count is not None and tuner.source.count <= len(history.configurations):
        notes.append(Note("all valid configurations were measured", about=Rank.METHOD))
    return notes


def goal_text(tuner: Tuner) -> str:
    """Return what is searched with how many runs."""
    goals = " and ".join(f"{'greatest' if goal.maximize else 'least'} {goal.nfp}" for goal in tuner.objective.goals)
    size = "" if tuner.source.count is None else f"{count_text(tuner.source.count)} "
    reserve = f", of them {tuner.reserve:,} to verify" if tuner.reserve else ""
    runs = "as many runs as the time allows" if tuner.budget is None else counted(tuner.budget, "run")
    return f"{goals} of {size}{all_of(tuner.system)}; {runs}{reserve}"


def view_of_run(session: TuningSession, outcome: TrialOutcome, detail: Detail) -> View:
    """Yield a line about a run."""
    trial, tuner = outcome.trial, session.tuner
    if not detail.interactive or trial is None:
        return
    nfp, history = tuner.objective.nfp, tuner.history
    before, best = (best_outcome(session, part) for part in (history.outcomes[:-1], history.outcomes))
    value, about, expected = outcome.values.get(nfp), "", ""
    if trial.predicted is not None and before is not None and (level := before.values[nfp]):
        expected = signed_percentage(100 * (trial.predicted - level) / abs(level), 2)
    if outcome.failure is not None and outcome.at_least is None:
        about = outcome.failure
    elif before is not None:
        old, new = (history.configurations[[row]] for row in (before.row, outcome.row))
        about = shown_values(changed(tuner.variables, old, new), new)
    shown = "failed" if value is None else short_number(value, 4)
    if outcome.at_least is not None:
        shown = f"> {short_number(outcome.at_least, 4)}"
    record = "" if best is None else short_number(best.values[nfp], 4)
    yield _line(str(trial.number), trial.why, shown, record, expected, shorten(about, WIDTH))


def best_outcome(session: TuningSession, outcomes: Sequence[TrialOutcome]) -> TrialOutcome | None:
    """Return the run with the best value within the limits, None if there is none."""
    objective, best = session.tuner.objective, None
    for outcome in outcomes:
        if outcome.failure is None and all(limit.holds(outcome.values[limit.nfp]) for limit in objective.limits):
            value = outcome.values[objective.nfp]
            if best is None or objective.better(value, best.values[objective.nfp]):
                best = outcome
    return best


def _line(run: str, why: str, value: str, best: str, expected: str, changes: str) -> Message:
    return Message(f"{run:>4}  {why:8} {value:>10} {best:>12}  {expected:>9}  {changes}".rstrip(), "line")
