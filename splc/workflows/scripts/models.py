"""The commands of scripts that learn models, print their history, and predict with them."""

from __future__ import annotations

import time
from typing import Any

from splc.formats.models.log_writer import VALIDATION, analysis_lines, learning_lines
from splc.learning.judging import round_errors
from splc.learning.learner import Learner
from splc.models.text.log_grammar import duration_text
from splc.workflows.learn_parts import learn_rows
from splc.workflows.scripts.context import Call
from splc.workflows.scripts.outputs import derived_path, write_predictions
from splc.workflows.scripts.samples import learning_rows
from splc.workflows.scripts.settings import judges, stepwise
from splc.workflows.scripts.state import Learned, LearningRows, State


def rows_of(call: Call) -> LearningRows:
    """Return the learning set of a script.

    Raises:
        SplcError: if it cannot be drawn, or there is nothing to learn from.
    """
    started = time.monotonic()
    shared, own = call.shared, call.own
    space, measured = shared.known_space, shared.known_measured
    rows = learning_rows(own.samplings, own.everything, measured, shared.known_nfp, space, call.script)
    call.run.log.line(f"Total sampling time: {duration_text(time.monotonic() - started)}")
    for text in rows.notes:
        call.run.log.error(text)
        call.run.note(f"{call.script}:{call.command.line}: {text}")
    return rows


def learned(call: Call, rows: LearningRows, learner: Learner) -> Learned:
    """Return the model that a learner learns from rows.

    Raises:
        SplcError: if nothing can be learned.
    """
    shared, own = call.shared, call.own
    measured, nfp = shared.known_measured, shared.known_nfp
    everything = "select-all-measurements true"
    sampling = (everything,) if own.everything else tuple(each.line for each in own.samplings)
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
        on_round=call.run.on_round,
        should_stop=call.run.should_stop,
    )
    found = Learned(
        script=call.script,
        line=call.command.line,
        command=call.command.name,
        nfp=nfp,
        sampling=sampling,
        result=result,
        errors=tuple(round_errors(result, judges(shared))),
        validation=len(rows.rows if rows.validation is None else rows.validation),
        log=call.run.log.path,
    )
    call.run.models.append(found)
    for text in result.notes:
        call.run.note(f"{call.script}:{call.command.line}: {text}")
    return found


def learn(call: Call) -> State:
    """`learn-splconqueror`: learn from the sampled, or from all measurements."""
    model = learned(call, rows_of(call), stepwise(call.run.preset, call.own.settings))
    for line in learning_lines(model.result, model.error, model.validation):
        call.run.log.line(line)
    if call.own.everything:
        call.run.log.line("Finished")
    return call.sharing(model=model)


def analyze(call: Call) -> State:
    """`analyze-learning`: print the rounds with their errors."""
    model = call.shared.known_model
    for line in analysis_lines(model.result, model.errors):
        call.run.log.line(line)
    return call.state


def predict(call: Call) -> State:
    """`predict-all-configs-splconqueror FILE` and `predict-configs-splconqueror`: write predictions of all measured."""
    model = call.shared.known_model
    if call.command.words:
        path = call.path()
    else:
        path = derived_path(call.script, call.run.log.path, "predictions", *model.sampling)
    write_predictions(model.result.predictor, call.shared.known_measured, model.nfp, path)
    call.run.files.append(path)
    return call.state
