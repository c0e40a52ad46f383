"""The interpreter of scripts: a table of commands, each of which takes a state and returns the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from splc.errors import LearningError, SplcError, plural
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.scripts.reader import settings_of, truth
from splc.io.files import read_source
from splc.learning.stepwise.settings import SPLCONQUEROR_2019
from splc.models.text.log_grammar import net_number
from splc.splconqueror.scripts import conversions, estimators, given_models, models
from splc.splconqueror.scripts.context import CommandCall, ScriptRun
from splc.splconqueror.scripts.outputs import write_printed
from splc.splconqueror.scripts.paths import identity
from splc.splconqueror.scripts.samples import sampled
from splc.splconqueror.scripts.settings import ABORT_ERROR, stated_deviation
from splc.splconqueror.scripts.state import Own, Shared, State


def interpret(run: ScriptRun, path: str, shared: Shared) -> Shared:
    """Run a script; return what it shares with other scripts.

    Raises:
        SplcError: with the script and the line of the command that failed.
    """
    state = State(shared)
    for command in run.scripts[identity(path)].commands:
        if run.stopped or run.should_stop():
            run.stopped = True
            break
        run.on_command(path, command)
        run.log.line(f"command: {command.text}")
        try:
            state = METHODS[command.name](CommandCall(run, command, path, state))
        except SplcError as error:
            failed = error.at(path, command.line)
            run.log.error(str(failed))
            raise failed from None
        except KeyboardInterrupt:
            # The command was stopped before it had a result to keep.
            if not run.should_stop():
                raise
            run.stopped = True
    return state.shared


def _vm(call: CommandCall) -> State:
    space = call.run.inputs.space(call.path())
    if space is call.shared.space:
        return call.state
    # Measurements and models belong to the system before.
    return replace(call.state, shared=Shared(space=space, system_file=call.path(), nfp=call.shared.nfp))


def _all(call: CommandCall) -> State:
    run, settings = call.run, call.own.settings
    check = truth(call.command.values.get("check", "true"))
    measured = run.inputs.measured(call.path(), call.shared.known_space, call.shared.nfp, check)
    report = measured.report
    for line, reason in report.invalid:
        run.log.error(f"{report.source}:{line}: {reason}")
    if report.invalid:
        rows = plural(len(report.invalid), "row", "rows")
        remark = "the program keeps them, as all check:false does"
        run.note(f"{report.source}: {rows} left out, their configuration is not valid; {remark}", call.place)
    run.log.line("Configs with too large deviation: 0")
    text = f"{len(measured)} configurations loaded."
    deviation = stated_deviation(measured, settings)
    if deviation is not None:
        text += f" {ABORT_ERROR} set to highest deviation value: {net_number(deviation)}."
        settings = {**settings, ABORT_ERROR: net_number(deviation)}
    run.log.line(text)
    return replace(call.sharing(measured=measured), own=replace(call.own, settings=settings))


def _evaluation_set(call: CommandCall) -> State:
    return call.sharing(evaluation=call.run.inputs.measured(call.path(), call.shared.known_space, call.shared.nfp))


def _nfp(call: CommandCall) -> State:
    name = call.command.words[0]
    if call.shared.measured is not None:
        call.shared.measured.resolve_property(name)
    return call.sharing(nfp=name)


def _log(call: CommandCall) -> State:
    call.run.log.open(call.path())
    return _print_settings(call)


def _script(call: CommandCall) -> State:
    return replace(call.state, shared=interpret(call.run, call.path(), call.shared))


def _settings(call: CommandCall) -> State:
    state = call.owning(settings=call.command.values)
    call.run.show_settings(state.own)
    return state


def _load_settings(call: CommandCall) -> State:
    state = call.owning(settings=settings_of(read_source(call.path())))
    call.run.show_settings(state.own)
    return state


def _print_settings(call: CommandCall) -> State:
    call.run.show_settings(call.own)
    return call.state


def _keep_state(call: CommandCall) -> State:
    return call.state


def _sampling(call: CommandCall) -> State:
    assert call.command.sampling is not None
    sampling = replace(call.command.sampling, redraws=call.run.preset == SPLCONQUEROR_2019)
    return call.owning(samplings=(*call.own.samplings, sampling))


def _select_all(call: CommandCall) -> State:
    return call.owning(everything=truth(call.command.words[0]))


def _print_configurations(call: CommandCall) -> State:
    samplings = [sampling for sampling in call.own.samplings if not sampling.validation]
    space = call.shared.known_space
    sample, notes = (None, ()) if call.own.everything else sampled(samplings, space, call.script)
    call.remark(notes)
    configurations = call.shared.known_measured.configurations if sample is None else sample
    write_printed(configurations, call.path(), call.command.words[1:], call.shared.order)
    call.run.files.append(call.path())
    return call.state


def _measurements_to_csv(call: CommandCall) -> State:
    measured = call.shared.known_measured
    if call.own.samplings and not call.own.everything:
        try:
            measured = measured[models.rows_of(call).rows]
        except LearningError as error:
            call.remark(problem.message for problem in error.problems)
            measured = measured[:0]
    losses = write_measurements_splconqueror_csv(measured, call.path())
    call.remark(f"{call.path()}: {text}" for text in losses)
    call.run.files.append(call.path())
    return call.state


def _option_order(call: CommandCall) -> State:
    return call.sharing(order=call.command.words)


def _clean_sampling(call: CommandCall) -> State:
    call.run.before = call.state
    return call.owning(samplings=(), everything=False)


def _clean_learning(call: CommandCall) -> State:
    call.run.before = call.state
    return State(replace(call.shared, model=None), Own())


def _clean_global(call: CommandCall) -> State:
    call.run.before = call.state
    return replace(call.state, shared=Shared())


def _rollback(call: CommandCall) -> State:
    return call.run.before


METHODS: Mapping[str, Callable[[CommandCall], State]] = MappingProxyType(
    {
        "vm": _vm,
        "all": _all,
        "evaluationset": _evaluation_set,
        "nfp": _nfp,
        "log": _log,
        "script": _script,
        "mlsettings": _settings,
        "load-mlsettings": _load_settings,
        "printsettings": _print_settings,
        "solver": _keep_state,
        "define-python-path": _keep_state,
        "binary": _sampling,
        "numeric": _sampling,
        "hybrid": _sampling,
        "select-all-measurements": _select_all,
        "learn-splconqueror": models.learn,
        "learn-splconqueror-opt": models.search,
        "analyze-learning": models.analyze,
        "truemodel": given_models.fit_terms,
        "evaluate-model": given_models.evaluate,
        "predict-all-configs-splconqueror": models.predict,
        "predict-configs-splconqueror": models.predict,
        "printconfigs": _print_configurations,
        "measurementstocsv": _measurements_to_csv,
        "optionorder": _option_order,
        "clean-sampling": _clean_sampling,
        "clean-learning": _clean_learning,
        "clean-global": _clean_global,
        "rollback": _rollback,
        "convert-vm": conversions.convert_systems,
        "convert-measurements": conversions.convert_measurements,
        "learn-python": estimators.learn_python,
        "learn-python-opt": estimators.search_python,
    }
)
