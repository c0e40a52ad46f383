"""The tasks of a study: each learns one model, is named by a hash of all that decides it, and leaves a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sampling import parse_spec
from splc._version import __version__
from splc.errors import SplcError
from splc.formats.models.json import parse_stored_json
from splc.formats.models.json_writer import model_json_text
from splc.formats.models.stored_model import learned_file
from splc.formats.registry import model_writers, suffix_of
from splc.io.file_names import distinct_names, file_name
from splc.io.files import Source, read_source
from splc.learning.judging import round_errors
from splc.learning.plausibility import implausible
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.study.folder import key_of
from splc.study.inputs import Inputs, space_of
from splc.study.specification import Study, StudyLearner
from splc.system.variability import VariabilityModel
from splc.types import Missing
from splc.workflows.learn.learning_sets import learn_rows, learning_rows

# The version of records; increase it if the same inputs give another record.
VERSION = 3


@dataclass(frozen=True)
class Task:
    """A model to learn."""

    sampling: str
    seed: int
    seeded: bool  # whether anything is drawn, so that the seed matters
    learner: StudyLearner
    key: str  # the hash of everything that decides the result
    # the file of the log (of learners whose models no log can express: JSON) within the results folder; models without
    # terms have none
    log: str

    @property
    def label(self) -> str:
        """The sampling with its seed: `random:50 seed 3`."""
        return self.sampling + (f" seed {self.seed}" if self.seeded else "")

    @property
    def title(self) -> str:
        """The learner and the sampling."""
        return f"{self.learner.name}: {self.label}"


def tasks_of(study: Study, learners: tuple[StudyLearner, ...], inputs: Inputs) -> tuple[Task, ...]:
    """Return the tasks of a study: learners, then samplings, then seeds, in the file's order."""
    plan = [
        (learner, sampling, seed, is_drawn)
        for learner in learners
        for sampling in study.samplings
        for is_drawn in [draws(sampling, learner)]
        for seed in (study.seeds if is_drawn else study.seeds[:1])
    ]
    folders = distinct_names({learner.name: file_name(learner.name) for learner in learners})
    draws_of_logs = {(sampling, seed, is_drawn) for _, sampling, seed, is_drawn in plan}
    logs = distinct_names({draw: file_name(draw[0], f"seed-{draw[1]}" if draw[2] else "") for draw in draws_of_logs})
    tasks = []
    for learner, sampling, seed, is_drawn in plan:
        resolved = learner.resolved()
        log = logs[sampling, seed, is_drawn] + resolved.suffix
        # Without random draws the seed does not matter, so the record serves any list of seeds.
        task_seed = seed if is_drawn else 0
        content = {
            "task": VERSION,
            "version": __version__,
            "inputs": inputs.identity,
            "missing": study.missing,
            "sampling": sampling,
            "seed": task_seed,
            "learner": learner.name,
            "preset": learner.preset,
            "settings": dict(resolved.settings),
        }
        if learner.observed or learner.parts:
            # The results of other learners do not depend on observed variables.
            content |= {"observed": list(learner.observed), "sum": list(learner.parts), **inputs.observed_identity}
        if populations := parse_spec(sampling).files:
            content |= {"populations": {name: read_source(name).sha256 for name in populations}}
        path = f"logs/{folders[learner.name]}/{log}" if len(learners) > 1 else f"logs/{log}"
        tasks.append(Task(sampling, task_seed, is_drawn, learner, key_of(content), path))
    return tuple(tasks)


def draws(sampling: str, learner: StudyLearner) -> bool:
    """Return whether a sampling, or a learner, draws at random by the study's seeds.

    A design that draws has a `seed` of its own, which is None unless the spec states it.
    """
    if learner.resolved().draws:
        return True
    spec = parse_spec(sampling)
    parts = [part for part in (spec.whole, spec.binary, spec.numeric) if part is not None]
    return any(getattr(part, "seed", 0) is None for part in parts)


@dataclass(frozen=True)
class Record:
    """The result of a task, without times, so that the same inputs give the same record."""

    reason: str | None = None  # why nothing was learned, None if a model was learned
    learned_from: int | None = None  # number of configurations that were learned from
    rounds: int | None = None
    termination: str | None = None
    learning_error: float | None = None  # mean relative error on the learning set, in percent
    error: float | None = None  # on the measured configurations outside of it
    error_all: float | None = None  # on all measured configurations
    # the error of the printed model outside of the learning set, where another model predicts
    printed_error: float | None = None
    printed_error_all: float | None = None  # its error on all measured configurations
    model: str | None = None  # the model as JSON; None for a model without terms
    log: str | None = None  # the log; None for a model without terms
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
    if result.readable:
        content = learned_file(result, str(inputs.files["measurements"]["path"]), round_errors(result))
        model = model_json_text(result.model, result.nfp)
        log = model_writers()[suffix_of(task.log)].write(content)
    printed = result.printed_errors
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
