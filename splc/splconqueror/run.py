"""`splc run`: the interpreter of scripts, a table of commands, each of which takes a state and returns the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from sampling import command_strings
from splc.data.measurements import Measurements
from splc.errors import LearningError, RequestError, SplcError, plural
from splc.formats.detect import suffix_of
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.models.log_writer import settings_line
from splc.formats.scripts import settings_of, truth
from splc.io.files import STANDARD, read_source, write_whole
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.learning.stepwise.settings import SPLCONQUEROR, SPLCONQUEROR_2019
from splc.models.text.log_grammar import net_number
from splc.splconqueror import conversions, learning
from splc.splconqueror.check import checked
from splc.splconqueror.learning import ABORT_ERROR, require_preset, rows_of, sampled, stated_deviation, stepwise
from splc.splconqueror.state import CommandCall, Learned, RunLog, ScriptRun, State, identity
from splc.splconqueror.study import WrittenStudy, write_study
from splc.workflows.fields import as_argument, flag, option, request
from splc.workflows.note import Note, Noted, notes_of
from splc.workflows.views import UNWATCHED, Column, Detail, End, Message, Rows, Verb, View, Watch, columns, counted


def interpret(run: ScriptRun, path: str, state: State) -> State:
    """Run a script, from what scripts share of a state; return the state after it."""
    state = state.with_own(State())
    for command in run.scripts[identity(path)].commands:
        if run.stopped or run.watch.stop():
            run.stopped = True
            break
        run.watch.advance(0, None, f"{path}:{command.line}: {command.text}")
        run.log.line(f"command: {command.text}")
        try:
            state = METHODS[command.name](CommandCall(run, command, path, state))
        except SplcError as error:
            failed = error.at(path, command.line)
            run.log.error(str(failed))
            raise failed from None
        except KeyboardInterrupt:
            # The command was stopped before it had a result to keep.
            if not run.watch.stop():
                raise
            run.stopped = True
    return state


def _vm(call: CommandCall) -> State:
    space, state = call.run.read_space(call.path()), call.state
    # Measurements and models belong to the system before.
    return state if space is state.space else State(space=space, nfp=state.nfp).with_own(state)


def _all(call: CommandCall) -> State:
    run, state = call.run, call.state
    check = truth(call.command.values.get("check", "true"))
    measured = run.read_measured(call.path(), state.known_space, state.nfp, check)
    report = measured.report
    for line, reason in report.invalid:
        run.log.error(f"{report.source}:{line}: {reason}")
    if report.invalid:
        rows = plural(len(report.invalid), "row", "rows")
        remark = "the program keeps them, as all check:false does"
        call.note(f"{report.source}: {rows} left out, their configuration is not valid; {remark}")
    run.log.line("Configs with too large deviation: 0")
    text = f"{len(measured)} configurations loaded."
    deviation, settings = stated_deviation(measured, state.settings), state.settings
    if deviation is not None:
        text += f" {ABORT_ERROR} set to highest deviation value: {net_number(deviation)}."
        settings = {**settings, ABORT_ERROR: net_number(deviation)}
    run.log.line(text)
    return replace(state, measured=measured, settings=settings)


def _evaluation_set(call: CommandCall) -> State:
    measured = call.run.read_measured(call.path(), call.state.known_space, call.state.nfp)
    return replace(call.state, evaluation=measured)


def _nfp(call: CommandCall) -> State:
    if call.state.measured is not None:
        call.state.measured.resolve_property(call.word)
    return replace(call.state, nfp=call.word)


def _log(call: CommandCall) -> State:
    call.run.log.open(call.path())
    return _print_settings(call)


def _script(call: CommandCall) -> State:
    return interpret(call.run, call.path(), call.state).with_own(call.state)


def _settings(call: CommandCall) -> State:
    loads = call.command.name == "load-mlsettings"
    settings = settings_of(read_source(call.path())) if loads else call.command.values
    return _print_settings(replace(call, state=replace(call.state, settings=settings)))


def _print_settings(call: CommandCall) -> State:
    call.run.log.line(settings_line(stepwise(call.run.preset, call.state.settings).settings))
    return call.state


def _sampling(call: CommandCall) -> State:
    assert call.command.sampling is not None
    sampling = replace(call.command.sampling, redraws=call.run.preset == SPLCONQUEROR_2019)
    return replace(call.state, samplings=(*call.state.samplings, sampling))


def _print_configurations(call: CommandCall) -> State:
    """`printconfigs`: write a table in SPL Conqueror's form for `.csv`, else a line per configuration."""
    state, space = call.state, call.state.known_space
    samplings = [sampling for sampling in state.samplings if not sampling.validation]
    sample, notes = (None, ()) if state.everything else sampled(samplings, space, call.script)
    call.remark(notes)
    configurations = state.known_measured.configurations if sample is None else sample
    path, texts = call.path(), call.command.words[1:]
    if suffix_of(path) == ".csv":
        write_measurements_splconqueror_csv(Measurements(configurations.unique(), {}), path)
    else:
        prefix, postfix, *_ = *texts, *("prefix", "postfix")[len(texts) :]
        lines = command_strings(configurations, prefix, postfix, state.order)
        write_whole(path, "".join(f"{line}\n" for line in lines))
    call.run.files.append(path)
    return state


def _measurements_to_csv(call: CommandCall) -> State:
    state, measured = call.state, call.state.known_measured
    if state.samplings and not state.everything:
        try:
            measured = measured[rows_of(call).rows]
        except LearningError as error:
            call.remark(problem.message for problem in error.problems)
            measured = measured[:0]
    losses = write_measurements_splconqueror_csv(measured, call.path())
    call.remark(f"{call.path()}: {text}" for text in losses)
    call.run.files.append(call.path())
    return state


def _clean(call: CommandCall) -> State:
    state = call.run.before = call.state
    if call.command.name == "clean-sampling":
        return replace(state, samplings=(), everything=False)
    if call.command.name == "clean-learning":
        return replace(state, model=None).with_own(State())
    return State().with_own(state)


METHODS: Mapping[str, Callable[[CommandCall], State]] = {
    "vm": _vm,
    "all": _all,
    "evaluationset": _evaluation_set,
    "nfp": _nfp,
    "log": _log,
    "script": _script,
    "mlsettings": _settings,
    "load-mlsettings": _settings,
    "printsettings": _print_settings,
    "solver": lambda call: call.state,
    "define-python-path": lambda call: call.state,
    "binary": _sampling,
    "numeric": _sampling,
    "hybrid": _sampling,
    "select-all-measurements": lambda call: replace(call.state, everything=truth(call.word)),
    "learn-splconqueror": learning.learn,
    "learn-splconqueror-opt": learning.search_stepwise,
    "learn-python": learning.learn_python,
    "learn-python-opt": learning.search_python,
    "truemodel": learning.fit_terms,
    "analyze-learning": learning.analyze,
    "evaluate-model": learning.evaluate,
    "predict-all-configs-splconqueror": learning.predict,
    "predict-configs-splconqueror": learning.predict,
    "printconfigs": _print_configurations,
    "measurementstocsv": _measurements_to_csv,
    "optionorder": lambda call: replace(call.state, order=call.command.words),
    "clean-sampling": _clean,
    "clean-learning": _clean,
    "clean-global": _clean,
    "rollback": lambda call: call.run.before,
    "convert-vm": conversions.convert_systems,
    "convert-measurements": conversions.convert_measurements,
}


STUDY = "study.toml"


@request
class Request:
    """Run scripts of SPL Conqueror: read, sample, learn, and write the logs that they name.

    All errors of all scripts are reported before anything runs. Without a command 'log' the log is printed.
    docs/howto/spl-conqueror.md lists the commands.
    """

    scripts: Annotated[tuple[str, ...], as_argument("SCRIPT…", "The scripts (.a), run one after the other.")]
    check: bool = flag("--check")("Only check the scripts, and all that they call.")
    preset: str = option(SPLCONQUEROR, "NAME")("The settings that those of the scripts change.")
    output: str = option(STUDY, "FILE", names="--output -o", default=STUDY)("The study to write.")
    to_study: bool = flag("--to-study")("Write the script as a study, and do not run it.")


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """The models and files that scripts gave."""

    request: Request
    commands: dict[str, int]  # script → the number of its commands, also of scripts that scripts call
    models: tuple[Learned, ...] = ()  # the models that were learned, in order
    logs: tuple[str, ...] = ()  # the logs that were written
    files: tuple[str, ...] = ()  # the other files that were written
    stopped: bool = False  # whether the run was stopped early


def run(request: Request, watch: Watch = UNWATCHED) -> Result | WrittenStudy:
    """Check scripts, and run them or write them as a study.

    While no script has named a file for the log, its lines are shown to the watch.
    """
    if request.check and request.to_study:
        raise RequestError("only one of them can be used", "check", "to_study")
    if request.output != STUDY and not request.to_study:
        raise RequestError("it needs --to-study", "output")
    require_preset(request.preset)
    scripts = checked(request.scripts)
    if request.to_study:
        return write_study(scripts, request.scripts, request.preset, request.output)
    commands = {script.path: len(script.commands) for script in scripts.values()}
    empty = (path for path, number in commands.items() if not number)
    notes = tuple(Note(f"{path}: the script has no commands", warning=True) for path in empty)
    if request.check:
        return Result(request, commands, notes=notes)
    log = RunLog((lambda line: None) if watch.detail.json else watch.show)
    state = ScriptRun(scripts, request.preset, log, watch)
    with watch.patient("this round"):
        try:
            for path in request.scripts:
                interpret(state, path, State())
        finally:
            log.close()
    notes += notes_of(state.stated_notes())
    written = tuple(log.files), tuple(dict.fromkeys(state.files))
    return Result(request, commands, tuple(state.models), *written, state.stopped, notes=notes)


def as_json(result: Result | WrittenStudy) -> dict[str, Any]:
    """Return the JSON object of a run of scripts, or of the study that they were written as."""
    notes = [str(note) for note in result.notes]
    if isinstance(result, WrittenStudy):
        facts = picked(result, "output, samplings, learners, runs, learnings, not_expressed")
        return {"schema": "splc.run.study/1", **facts, "notes": notes}
    return {
        "schema": "splc.run/1",
        "scripts": [{"script": path, "commands": count} for path, count in result.commands.items()],
        "learnings": list(map(_learned_as_json, result.models)),
        **picked(result, "logs, files"),
        "notes": notes,
        "stopped": result.stopped,
    }


def _learned_as_json(learned: Learned) -> dict[str, Any]:
    result = learned.result
    return {
        **picked(learned, "script, line, command, log, nfp, sampling"),
        **picked(result, "learner, settings, learning_configurations"),
        "validation_configurations": learned.validation,
        "learning_error": result.learning_error,
        "error": learned.error,
        "rounds": len(result.rounds),
        "termination": result.termination,
        "model": {"text": result.model.text, "terms": len(result.model.terms)} if result.readable else None,
    }


def view(result: Result | WrittenStudy, detail: Detail) -> View:
    """Yield the models unless the log was shown, and the files that were written."""
    if isinstance(result, WrittenStudy):
        yield result.notes
        if result.output != STANDARD:
            parts = {"sampling": len(result.samplings), "learner": len(result.learners), "run": result.runs}
            yield f"{result.output}: {', '.join(counted(number, noun) for noun, number in parts.items())}"
        return
    if result.request.check:
        yield from (f"{path}: {counted(number, 'command')}, no errors" for path, number in result.commands.items())
    elif all(model.log is not None for model in result.models):
        yield Rows(result.models, MODELS)
    for path in (*result.logs, *result.files):
        yield Message(f"written: {path}", json=False)
    yield result.notes
    if result.stopped:
        yield Message("the run was interrupted; what was written until then is kept")
        yield End(130)


MODELS = (
    *columns("script"),
    *columns("line, log", str),
    Column("sampling", lambda row: "; ".join(row.sampling)),
    *columns("configurations = result.learning_configurations", str),
    Column("terms", lambda row: len(row.result.model.terms) if row.result.readable else row.result.learner, right=True),
    *columns("learning error = result.learning_error, error", percentage),
)

_WRITTEN = "splc run script.a --to-study -o study-of-script.toml"
EXAMPLES = ("splc run script.a", "splc run script.a --check --json", _WRITTEN)
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="running")
