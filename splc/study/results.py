"""The results of a study: learned models compared with the analytical one, and both with the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from comparison.compare import compare_all, compared_model
from splc.errors import SplcError
from splc.models.influence import InfluenceModel
from splc.study.inputs import Loaded
from splc.study.records import Record, reason_of
from splc.study.rows import POWERS, Values, pair_values, semantic_keys, semantic_values
from splc.study.specification import Study
from splc.study.tasks import Task

ANALYTICAL = "analytical"


@dataclass(frozen=True, eq=False)
class Run:
    """A finished task with the comparisons of its model.

    Attributes:
        task: the task.
        record: its record.
        terms: number of terms of the model, None if nothing was learned.
        values: the compared pair → measure → value.
        reason: why there is no model or no comparison, None if there is one.
    """

    task: Task
    record: Record
    terms: int | None = None
    values: Mapping[str, Values] = field(default_factory=dict)
    reason: str | None = None

    @property
    def error(self) -> float | None:
        """The error rate on all measured configurations, in percent."""
        return self.values.get("measured_learned", {}).get("error_rate")


@dataclass(frozen=True, eq=False)
class Results:
    """All comparisons of a study.

    Attributes:
        runs: the runs, in the order of the tasks.
        analytical: the analytical model (scaled) against the measurements: measure → value; None without a model.
        unscaled: the same without the factor, None where there is none.
        best: the run with the least error rate against the measurements, None where there is none.
    """

    runs: tuple[Run, ...]
    analytical: Values | None = None
    unscaled: Values | None = None
    best: Run | None = None


def compare_runs(study: Study, loaded: Loaded, records: Sequence[tuple[Task, Record]]) -> Results:
    """Compare the models of a study."""
    analytical = None if loaded.analytical is None else loaded.analytical.scaled(study.scale)
    runs = tuple(_run(study, loaded, analytical, task, record) for task, record in records)
    unscaled = None
    if loaded.analytical is not None and study.scale != 1:
        unscaled = judged(study, loaded, loaded.analytical)
    return Results(
        runs,
        None if analytical is None else judged(study, loaded, analytical),
        unscaled,
        best_of(runs),
    )


def judged(study: Study, loaded: Loaded, model: InfluenceModel) -> Values:
    """Return the measures of a model against the measurements."""
    return _compared(study, loaded, [(ANALYTICAL, model)])["measured_learned"]


def best_of(runs: Sequence[Run]) -> Run | None:
    """Return the run with the least error rate; of equal ones the smallest model, then the first name.

    The order of the samplings does not matter.
    """
    ranked = [
        (run.error, run.terms or 0, run.task.learner.name, run.task.sampling, run.task.seed, run_index)
        for run_index, run in enumerate(runs)
        if run.error is not None
    ]
    return runs[min(ranked)[-1]] if ranked else None


def _run(study: Study, loaded: Loaded, analytical: InfluenceModel | None, task: Task, record: Record) -> Run:
    model = record.learned(loaded.inputs.system)
    if model is None:
        return Run(task, record, reason=record.reason)
    models = [(task.label, model)] if analytical is None else [(ANALYTICAL, analytical), (task.label, model)]
    try:
        values = _compared(study, loaded, models)
    except SplcError as error:
        return Run(task, record, len(model.terms), reason=f"cannot be compared: {reason_of(error)}")
    return Run(task, record, len(model.terms), values)


def _compared(study: Study, loaded: Loaded, models: Sequence[tuple[str, InfluenceModel]]) -> dict[str, Values]:
    """Return the measures of the last model against the measurements, and of two models against each other."""
    compared = compare_all(
        [compared_model(name, model, study.at) for name, model in models],
        loaded.inputs.measurements.configurations,
        measured=loaded.inputs.measured,
        constant=study.constant,
        measures=semantic_keys(study.measures),
        powers=POWERS,
    )
    values: dict[str, Values] = {}
    if compared.comparisons:
        values["analytical_learned"] = pair_values(compared.comparisons[0])
    values["measured_learned"] = semantic_values(compared.judged[-1].semantic)
    return values
