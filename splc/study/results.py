"""The results of a study: learned models compared with the analytical one, and both with the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from comparison.compare import compare_all, compared_model
from comparison.measures import DEFAULT_KEYS, MEASURES, measure
from comparison.result import Comparison, SemanticComparison
from comparison.statistics import GroupTest, compare_groups
from splc.errors import SplcError
from splc.io.json import picked
from splc.io.numbers import without_rounding
from splc.models.influence import InfluenceModel
from splc.study.folder import ArchivedRun, versions
from splc.study.specification import Study
from splc.study.tasks import Loaded, Record, Task, reason_of

ANALYTICAL = "analytical"
POWERS = (1.0, 2.0, 3.0)
Values = Mapping[str, float | None]

# The rows of tables, in the order and units of tables 5.6 to 5.13 of the thesis, whose distances are means without a
# root.
_PUBLISHED = {
    "cosine": "CS, cosine similarity, %",
    "jaccard": "JS, Jaccard similarity, %",
    "mean_power_1": "MD, mean |a - b|, as published",
    "mean_power_2": "ED, mean |a - b|^2, as published",
    "mean_power_3": "MiD, mean |a - b|^3, as published",
    "chebyshev": "CD, max |a - b|",
}
TERMS = {
    "syntactic_lower": "SC, least possible",
    "syntactic_upper": "SC, greatest possible",
    "syntactic_normalized": "SC, normalised to 0..1",
    "hybrid_syntactic": "hybrid, by terms, 0..1",
    "hybrid_semantic": "hybrid, by contributions, 0..1",
}
_OURS = {
    "manhattan": "Manhattan distance, sum |a - b|",
    "euclidean": "Euclidean distance, (sum |a - b|^2)^(1/2)",
    "minkowski3": "Minkowski distance, (sum |a - b|^3)^(1/3)",
}
OF_TERMS = ("syntactic", *TERMS)
# Fractions that the thesis states in percent.
_IN_PERCENT = ("cosine", "jaccard")
_RELATIVE_TO = {"error_rate": "a", "error_rate_reversed": "b"}
# Rows about learning: key → title.
LEARNING = {
    "learned_from": "configurations learned from",
    "rounds": "rounds",
    "terms": "terms",
    "learning_error": "learning error, %",
    "error": "error on all others, %",
    "error_all": "error on all measured, %",
}


def published_error_rate(group: str) -> str:
    """Return the key of the thesis' error rate in a group of comparisons.

    It is relative to what was measured: to the measurements, or to the model that was learned from them (table 4.1).
    """
    return "error_rate_reversed" if group == "analytical_learned" else "error_rate"


def published_titles(group: str) -> dict[str, str]:
    """Return key → title of the rows of the thesis' tables for a group of comparisons, in order."""
    rate = published_error_rate(group)
    return {"syntactic": "SC, syntactic score", rate: f"ER, error rate, % of {_RELATIVE_TO[rate]}", **_PUBLISHED}


def titles(group: str, further: Sequence[str] = ()) -> dict[str, str]:
    """Return key → title of all rows of a group of comparisons, in order."""
    [other] = set(_RELATIVE_TO) - {published_error_rate(group)}
    rows = {**published_titles(group), **TERMS, other: f"error rate, % of {_RELATIVE_TO[other]}", **_OURS}
    for key in further:
        entry = measure(key)
        rows.setdefault(key, f"{entry.title}, %" if entry.kind == "percent" else entry.title)
    return rows


def cell_of(key: str, value: float | None) -> float | None:
    """Return a value in the unit of the tables; a percentage that is 0 but for rounding is 0."""
    if value is None or key in _IN_PERCENT:
        return value and 100 * value
    percent = "%" in LEARNING[key] if key in LEARNING else key in MEASURES and MEASURES[key].kind == "percent"
    return without_rounding(value, 100) if percent else value


@dataclass(frozen=True, eq=False)
class Run:
    """A finished task with the comparisons of its model."""

    task: Task
    record: Record
    terms: int | None = None  # number of terms of the model, None if nothing was learned
    values: Mapping[str, Values] = field(default_factory=dict)  # the compared pair → measure → value
    reason: str | None = None  # why there is no model or no comparison, None if there is one

    @property
    def learner(self) -> str:
        """The name of the learner."""
        return self.task.learner.name

    @property
    def sampling(self) -> str:
        """The sampling spec."""
        return self.task.sampling

    @property
    def seed(self) -> int | None:
        """The seed, None where nothing is drawn."""
        return self.task.seed if self.task.seeded else None

    @property
    def log(self) -> str | None:
        """The file of the log, None without one."""
        return self.task.log if self.record.log is not None else None

    @property
    def error(self) -> float | None:
        """The error rate on all measured configurations, in percent."""
        return self.values.get("measured_learned", {}).get("error_rate")

    def number(self, key: str) -> float | None:
        """Return a number about learning, see `LEARNING`."""
        value: float | None = self.terms if key == "terms" else getattr(self.record, key)
        return value


@dataclass(frozen=True, eq=False)
class Results:
    """All comparisons of a study."""

    runs: tuple[Run, ...]  # the runs, in the order of the tasks
    analytical: Values | None = None  # the analytical model (scaled) against measurements: measure → value
    unscaled: Values | None = None  # the same without the factor, None where there is none
    best: Run | None = None  # the run with the least error rate against the measurements, None where there is none

    def test(self) -> GroupTest | None:
        """Return the comparison of the errors on all measured configurations, over the seeds.

        A group is a sampling, with several learners a learner and a sampling; None without two groups of several runs.
        """
        several = len({run.learner for run in self.runs}) > 1
        groups: dict[str, list[float]] = {}
        for run in self.runs:
            if run.record.error_all is not None:
                name = f"{run.learner}, {run.sampling}" if several else run.sampling
                groups.setdefault(name, []).append(run.record.error_all)
        return compare_groups(dict(sorted(groups.items())))


R = TypeVar("R", Run, ArchivedRun)  # a run of a study that was just done, or as `runs.csv` has it
# Learner → sampling → the number of configurations learned from, and the error on all others, of each run.
Errors = Mapping[str, Mapping[str, Sequence[tuple[float | None, float | None]]]]


def grouped(runs: Sequence[R], samplings: Sequence[str] = ()) -> dict[str, dict[str, list[R]]]:
    """Return learner → sampling → its runs, in order; with `samplings` each learner has all of these."""
    groups: dict[str, dict[str, list[R]]] = {}
    for run in runs:
        by_sampling = groups.setdefault(run.learner, {name: [] for name in samplings})
        by_sampling.setdefault(run.sampling, []).append(run)
    return groups


def errors_of(runs: Sequence[R]) -> Errors:
    """Return learner → sampling → the number of configurations learned from, and the error on all others, by run."""
    found: dict[str, dict[str, list[tuple[float | None, float | None]]]] = {}
    for run in runs:
        of_sampling = found.setdefault(run.learner, {}).setdefault(run.sampling, [])
        of_sampling.append((run.number("learned_from"), run.number("error")))
    return found


def compare_runs(study: Study, loaded: Loaded, records: Sequence[tuple[Task, Record]]) -> Results:
    """Compare the models of a study."""
    given = loaded.analytical
    analytical = None if given is None else given.scaled(study.scale)
    runs = tuple(_run(study, loaded, analytical, task, record) for task, record in records)
    models = (analytical, given if study.scale != 1 else None)
    found = (None if model is None else _compared(study, loaded, [(ANALYTICAL, model)]) for model in models)
    judged, unscaled = (None if values is None else values["measured_learned"] for values in found)
    # Of runs with equal errors the smallest model, then the first name: the order of the samplings does not matter.
    known = [(run.error, run, index) for index, run in enumerate(runs) if run.error is not None]
    ranked = [(error, run.terms or 0, run.learner, run.sampling, run.task.seed, at) for error, run, at in known]
    return Results(runs, judged, unscaled, runs[min(ranked)[-1]] if ranked else None)


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
        measures=tuple(dict.fromkeys((*DEFAULT_KEYS, *study.measures))),
        powers=POWERS,
    )
    values: dict[str, Values] = {}
    if compared.comparisons:
        values["analytical_learned"] = pair_values(compared.comparisons[0])
    values["measured_learned"] = _semantic_values(compared.judged[-1].semantic)
    return values


def _semantic_values(found: SemanticComparison) -> dict[str, float | None]:
    """Return the values of a comparison of predictions: error rates in percent, similarities as fractions."""
    return {**found.values, **{f"mean_power_{power}": value for power, value in found.mean_power.items()}}


def pair_values(found: Comparison) -> dict[str, float | None]:
    """Return the values of a comparison of two models."""
    scores = found.syntactic
    values: dict[str, float | None] = {"syntactic": scores.score}
    values |= {f"syntactic_{name}": getattr(scores, name) for name in ("lower", "upper", "normalized")}
    if not found.same_link:
        # Equal terms of a product and of a sum have different meanings.
        values = dict.fromkeys(values)
    if found.hybrid is not None:
        values |= {"hybrid_syntactic": found.hybrid.syntactic, "hybrid_semantic": found.hybrid.semantic}
    return values if found.semantic is None else values | _semantic_values(found.semantic)


def manifest_of(study: Study, loaded: Loaded, results: Results) -> dict[str, Any]:
    """Return the content of a finished study's manifest: inputs, settings and versions, without files and times."""
    inputs, best = loaded.inputs, results.best
    facts = "learner = kind, preset, observed, sum = parts"
    learners = {one.name: {**picked(one, facts), **one.resolved().settings} for one in loaded.learners}
    run_keys = "learner, sampling, seed, key = task.key, log, reason, notes = record.notes"
    return {
        "study": {
            **picked(study, "samplings, seeds"),
            "learners": learners,
            **picked(study, "at, measures, scale, constant, missing, invalid, duplicates, aggregate"),
        },
        "inputs": inputs.files,
        "nfp": inputs.nfp,
        "contexts": dict(inputs.measurements.contexts),
        "configurations": len(inputs.measurements),
        "versions": versions(),
        "tasks": [picked(run, run_keys) for run in results.runs],
        "best": best and picked(best, "learner, sampling, seed, error_rate = error"),
    }
