"""One task: sample, match with what was measured, learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from splc.errors import SplcError
from splc.study.inputs import Inputs, parts_of_learner, space_of
from splc.study.records import Record
from splc.study.tasks import Task
from splc.types import Array

if TYPE_CHECKING:
    from splc.learning import LearningResult
    from splc.types import Missing


def perform(task: Task, inputs: Inputs, missing: Missing) -> Mapping[str, Any]:
    """Run a task; return its record in JSON's types.

    Args:
        task: the task.
        inputs: what it learns from.
        missing: see `splc.learning.learning_set.match`.

    A sampling that cannot be drawn or learned from has a record with the reason.
    """
    try:
        record = _learned(task, inputs, missing)
    except SplcError as error:
        record = Record(reason=reason_of(error))
    return asdict(record)


def reason_of(error: SplcError) -> str:
    """Return an error as one sentence for a table, with what can be done about it."""
    return "; ".join(f"{each.message} ({each.hint})" if each.hint else each.message for each in error.problems)


def _learned(task: Task, inputs: Inputs, missing: Missing) -> Record:
    from sampling import draw_sample
    from splc.formats.models.json_writer import learned_json_text, model_json_text
    from splc.formats.models.log_writer import learned_log_text
    from splc.learning.judging import round_errors
    from splc.learning.learning_set import match

    measured = inputs.measurements
    sample = draw_sample(inputs.system, task.sampling, task.seed, measured.configurations, space_of(inputs.system))
    rows, notes = match(measured, sample.configurations, missing)
    provenance = {
        "sampling": sample.spec,
        "measured_configurations": len(measured),
        "learner": task.learner.name,
        "files": {key: dict(inputs.files[key]) for key in ("system", "measurements")},
    }
    result, rounds = _result(task, inputs, rows, provenance)
    result = timeless(result)
    if task.log.endswith(".log"):
        log = learned_log_text(result, test_errors=round_errors(result, measured))
    else:
        log = learned_json_text(result)
    return Record(
        learned_from=result.learning_configurations,
        rounds=rounds,
        termination=result.termination,
        learning_error=result.learning_error,
        error=result.error,
        error_all=result.error_all,
        model=model_json_text(result.model, result.nfp),
        log=log,
        notes=tuple(dict.fromkeys((*sample.notes, *notes, *result.notes))),
    )


def _result(task: Task, inputs: Inputs, rows: Array, provenance: dict[str, Any]) -> tuple[LearningResult, int]:
    """Return what is learned from some rows, as a whole or by parts, and the number of rounds (of all parts)."""
    from splc.learning import learn, learn_sum

    learner, measured = task.learner, inputs.measurements
    shared: dict[str, Any] = {
        "learning_set": rows,
        "learner": learner.resolved(),
        "seed": task.seed,
        "provenance": provenance,
    }
    if not learner.parts:
        result = learn(measured, inputs.nfp, observed=learner.observed, **shared)
        return result, len(result.rounds)
    found = learn_sum(measured, parts_of_learner(learner, measured), inputs.nfp, **shared)
    return found.whole, sum(len(part.rounds) for _, part in found.parts if part is not None)


def timeless(result: LearningResult) -> LearningResult:
    """Return a result without its times, so that the same inputs give the same bytes on one machine."""
    return replace(result, seconds=0.0, rounds=tuple(replace(this, seconds=0.0) for this in result.rounds))
