"""The commands of scripts that learn models, print their history, and predict with them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from splc.formats.models.log_writer import VALIDATION, analysis_lines, learning_lines
from splc.formats.scripts.reader import RANDOMIZED, truth, whole_number
from splc.io.files import write_whole
from splc.learning.judging import round_errors
from splc.learning.learner import Learner
from splc.learning.settings_search import search_settings
from splc.learning.stepwise.settings import Settings
from splc.models.text.log_grammar import duration_text, net_number
from splc.splconqueror.scripts.context import CommandCall
from splc.splconqueror.scripts.outputs import derived_path, write_predictions
from splc.splconqueror.scripts.samples import learning_rows
from splc.splconqueror.scripts.settings import effective, stepwise
from splc.splconqueror.scripts.state import Learned, MatchedRows, State
from splc.workflows.learn.learning_sets import learn_rows

PERFORM = "performWithOptimal"


def rows_of(call: CommandCall) -> MatchedRows:
    """Return the learning set of a script.

    Raises:
        SplcError: if it cannot be drawn, or there is nothing to learn from.
    """
    started = time.monotonic()
    shared, script_state = call.shared, call.own
    space, measured = shared.known_space, shared.known_measured
    rows = learning_rows(
        script_state.samplings, script_state.everything, measured, shared.known_nfp, space, call.script
    )
    call.run.log.line(f"Total sampling time: {duration_text(time.monotonic() - started)}")
    call.remark(rows.notes)
    return rows


def learned(call: CommandCall, rows: MatchedRows, learner: Learner) -> Learned:
    """Return the model that a learner learns from rows.

    Raises:
        SplcError: if nothing can be learned.
    """
    shared, script_state = call.shared, call.own
    measured, nfp = shared.known_measured, shared.known_nfp
    all_measurements = "select-all-measurements true"
    sampling = (all_measurements,) if script_state.everything else tuple(entry.line for entry in script_state.samplings)
    facts: dict[str, Any] = {"sampling": "; ".join(sampling), "measured_configurations": len(measured.measured(nfp))}
    if rows.validation is not None:
        facts[VALIDATION] = len(rows.validation)
    result, _ = learn_rows(
        measured,
        nfp,
        learner,
        rows.rows,
        evaluation=shared.evaluation,
        validation=rows.validation,
        provenance=facts,
        on_step=call.run.on_step,
        should_stop=call.run.should_stop,
    )
    learned_model = Learned(
        script=call.script,
        line=call.command.line,
        command=call.command.name,
        nfp=nfp,
        sampling=sampling,
        result=result,
        errors=tuple(round_errors(result)),
        validation=len(rows.rows if rows.validation is None else rows.validation),
        log=call.run.log.path,
    )
    call.run.models.append(learned_model)
    for text in result.notes:
        call.run.note(text, call.place)
    return learned_model


def learn(call: CommandCall) -> State:
    """`learn-splconqueror`: learn from the sampled, or from all measurements."""
    return _learn(call, rows_of(call), call.own.settings)


def search(call: CommandCall) -> State:
    """`learn-splconqueror-opt`: choose the settings with the least error on held-out folds, and learn with them."""
    rows, script_state, command = rows_of(call), call.own, call.command
    seed = whole_number("seed", command.values.get("seed", "0"), 0)
    is_random = any(word.casefold() == RANDOMIZED for word in command.words)
    settings_found = search_settings(
        call.shared.known_measured,
        call.shared.known_nfp,
        command.lists,
        preset=call.run.preset,
        settings=effective(script_state.settings),
        learning_set=rows.rows,
        folds=Settings().changed(script_state.settings).crossValidation_k,
        samples=whole_number("samples", command.values.get("samples", "10"), 1) if is_random else None,
        seed=seed,
        should_stop=call.run.should_stop,
    )
    best = {name: str(value) for name, value in settings_found.best.settings.items()}
    write_trials(
        call,
        [(trial.settings, None if trial.error is None else trial.error.mean) for trial in settings_found.trials],
        best,
    )
    if not truth(command.values.get(PERFORM, "true")):
        return call.state
    state = _learn(call, rows, {**script_state.settings, **best})
    return replace(state, own=script_state)


def write_trials(
    call: CommandCall, trials: Sequence[tuple[Mapping[str, Any], float | None]], best: Mapping[str, str]
) -> None:
    """Write the best settings of a search to the log, and all that were tried to the file that the command names."""
    errors = [error for _, error in trials if error is not None]
    call.run.log.line(f"Optimal parameters: {' '.join(f'{name}:{value}' for name, value in best.items())}")
    call.run.log.line(f"Error on held-out folds: {net_number(min(errors))} %")
    if "file" in call.command.values:
        path = call.path(call.command.values["file"])
        rows = [[*best, "error"]]
        rows += [[*map(str, values.values()), "" if error is None else net_number(error)] for values, error in trials]
        write_whole(path, "".join(f"{';'.join(row)}\n" for row in rows))
        call.run.files.append(path)


def _learn(call: CommandCall, rows: MatchedRows, settings: Mapping[str, str]) -> State:
    model = learned(call, rows, stepwise(call.run.preset, settings))
    for line in learning_lines(model.result, model.error, model.validation):
        call.run.log.line(line)
    if call.own.everything:
        call.run.log.line("Finished")
    return call.sharing(model=model)


def analyze(call: CommandCall) -> State:
    """`analyze-learning`: print the rounds with their errors."""
    model = call.shared.known_model
    for line in analysis_lines(model.result, model.errors):
        call.run.log.line(line)
    return call.state


def predict(call: CommandCall) -> State:
    """`predict-all-configs-splconqueror FILE` and `predict-configs-splconqueror`: write predictions of all measured."""
    model = call.shared.known_model
    if call.command.words:
        path = call.path()
    else:
        path = derived_path(call.script, call.run.log.path, "predictions", *model.sampling)
    write_predictions(model.result.predictor, call.shared.known_measured, model.nfp, path)
    call.run.files.append(path)
    return call.state
