"""The interpreter of scripts: a table of commands, each of which takes a state and returns the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sampling import command_strings
from splc.data.measurements import Measurements
from splc.errors import LearningError, SplcError, plural
from splc.formats.detect import suffix_of
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.models.log_writer import settings_line
from splc.formats.scripts.commands import settings_of
from splc.formats.scripts.samplings import truth
from splc.io.files import read_source, write_whole
from splc.learning.stepwise.settings import SPLCONQUEROR_2019
from splc.models.text.log_grammar import net_number
from splc.splconqueror import conversions, learning
from splc.splconqueror.learning import ABORT_ERROR, stated_deviation, stepwise
from splc.splconqueror.samples import rows_of, sampled
from splc.splconqueror.state import CommandCall, ScriptRun, State, identity


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


METHODS: Mapping[str, Callable[[CommandCall], State]] = MappingProxyType(
    {
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
)
