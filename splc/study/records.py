"""The record of a task: the learned model with its log and errors, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from splc.errors import SplcError
from splc.formats.models.json import parse_stored_json
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.study.inputs import Inputs, space_of
from splc.study.tasks import Task
from splc.system.variability import VariabilityModel

if TYPE_CHECKING:
    from splc.learning import LearningResult
    from splc.types import Missing


@dataclass(frozen=True)
class Record:
    """The result of a task, without times, so that the same inputs give the same record.

    Attributes:
        reason: why nothing was learned, None if a model was learned.
        learned_from: number of configurations that were learned from.
        rounds: number of rounds.
        termination: why learning ended.
        learning_error: mean relative error on the learning set, in percent.
        error: on the measured configurations outside of it.
        error_all: on all measured configurations.
        printed_error: the error of the printed model outside of the learning set, where another model predicts.
        printed_error_all: its error on all measured configurations.
        model: the model as JSON; None for a model without terms.
        log: the log; None for a model without terms.
        notes: what the user should know.
    """

    reason: str | None = None
    learned_from: int | None = None
    rounds: int | None = None
    termination: str | None = None
    learning_error: float | None = None
    error: float | None = None
    error_all: float | None = None
    printed_error: float | None = None
    printed_error_all: float | None = None
    model: str | None = None
    log: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Record:
        """Return a record from JSON's types."""
        return cls(**{**content, "notes": tuple(content["notes"])})

    def learned(self, system: VariabilityModel) -> InfluenceModel | None:
        """Return the model, None where nothing was learned."""
        if self.model is None:
            return None
        return parse_stored_json(Source("record", self.model.encode("utf-8")), system).model


def perform(task: Task, inputs: Inputs, missing: Missing) -> Mapping[str, Any]:
    """Run a task; return its record in JSON's types.

    `missing`: see `splc.learning.learning_set.match`.  If the sampling cannot be drawn or learned from, the record
    states the reason.
    """
    try:
        record = _learned(task, inputs, missing)
    except SplcError as error:
        record = Record(reason=reason_of(error))
    return asdict(record)


def reason_of(error: SplcError) -> str:
    """Return an error as one sentence for a table, with its hint."""
    return "; ".join(
        f"{problem.message} ({problem.hint})" if problem.hint else problem.message for problem in error.problems
    )


def _learned(task: Task, inputs: Inputs, missing: Missing) -> Record:
    from splc.formats.models.entries import learned_file
    from splc.formats.models.json_writer import model_json_text
    from splc.formats.models.writers import WRITERS
    from splc.formats.registry import suffix_of
    from splc.learning.judging import round_errors
    from splc.learning.plausibility import implausible
    from splc.workflows.learn.learning_sets import learn_rows, learning_rows

    measured, learner = inputs.measurements, task.learner
    space = space_of(inputs.system)
    learning_set = learning_rows(measured, inputs.nfp, task.sampling, task.seed, space, missing)
    provenance = {
        "sampling": learning_set.sampling,
        "measured_configurations": len(measured),
        "learner": learner.name,
        "files": {key: dict(inputs.files[key]) for key in ("system", "measurements") if key in inputs.files},
    }
    result, rounds = learn_rows(
        measured,
        inputs.nfp,
        learner.resolved(),
        learning_set.rows,
        observed=learner.observed,
        parts=learner.parts,
        seed=task.seed,
        provenance=provenance,
    )
    learning_set.require_enough_for(result)
    result = timeless(result)
    warnings = implausible(result.judgements[0].predicted, measured.column(inputs.nfp), inputs.nfp)
    model = log = None
    printed = result.printed_errors
    if result.readable:
        content = learned_file(result, str(inputs.files["measurements"]["path"]), round_errors(result))
        model = model_json_text(result.model, result.nfp)
        log = WRITERS[suffix_of(task.log)](content)
    return Record(
        learned_from=result.learning_configurations,
        rounds=rounds or None,
        termination=result.termination,
        learning_error=result.learning_error,
        error=result.error,
        error_all=result.error_all,
        printed_error=None if printed is None else printed.error,
        printed_error_all=None if printed is None else printed.error_all,
        model=model,
        log=log,
        notes=tuple(dict.fromkeys((*(note.text for note in learning_set.notes), *result.notes, *warnings))),
    )


def timeless(result: LearningResult) -> LearningResult:
    """Return a result without its times, so that the same inputs give the same bytes on one machine."""
    return replace(result, seconds=0.0, rounds=tuple(replace(step, seconds=0.0) for step in result.rounds))
