"""Judge learned models: the errors of every learner, after every round, and at held-out folds of the learning set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from splc._version import __version__
from splc.data.accuracy import error_distribution
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import Problem, SplcError, plural
from splc.io.numbers import percentage
from splc.learning.features import FeatureTable, feature_table, stable_order
from splc.learning.folds import (
    MOST_JUDGED,
    CrossValidated,
    Groups,
    JudgedRows,
    Judgement,
    PrintedErrors,
    drawn_folds,
    repeated_settings,
    splits,
)
from splc.learning.learner import Learner, LearningProblem
from splc.learning.result import LearnedTerm, LearningResult, Predictor
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.system.variability import VariabilityModel
from splc.types import Array, Link


def judged(
    problem: LearningProblem,
    learner: Learner,
    predictor: Predictor,
    *,
    notes: Iterable[str] = (),
    printed: InfluenceModel | None = None,
    printed_errors: PrintedErrors | None = None,
    **found: Any,
) -> LearningResult:
    """Return the result of a learner with all errors; `found`: further fields, also `termination` and `seconds`."""
    # All rows, where a performance-influence model predicts: its terms are computed faster than rows are read.
    limit = None if isinstance(predictor, InfluenceModel) else MOST_JUDGED
    seen = problem.measurements, problem.nfp, problem.rows, problem.evaluation
    rows = JudgedRows.of(*seen, seed=problem.seed, limit=limit)
    judgement = rows.judge(partial(predictions, predictor))
    judgements = [judgement]
    if printed is not None:
        other = rows.judge(partial(predictions, printed))
        judgements.append(other)
        printed_errors = replace(printed_errors or PrintedErrors(), **dict[str, Any](other.errors))
    system = problem.measurements.system
    facts: dict[str, Any] = {"splc": __version__, "learner": learner.name, "system": system.name}
    if problem.observed:
        facts["observed"] = list(problem.observed)
    return LearningResult(
        predictor=predictor,
        learner=learner.name,
        nfp=problem.nfp,
        learning_configurations=len(problem.rows),
        left_out=int((problem.values == 0).sum()),
        base=system.base_option,
        preset=learner.preset,
        settings=learner.settings,
        seed=problem.seed,
        provenance={**facts, **problem.provenance},
        notes=(*problem.notes, *notes, *judgement_notes(rows, judgement)),
        printed=printed,
        printed_errors=printed_errors,
        system=system,
        rows=rows,
        judgements=tuple(judgements),
        unit=problem.measurements.unit(problem.nfp),
        groups=problem.groups,
        **{**found, **judgement.errors},
    )


def judgement_notes(rows: JudgedRows, judgement: Judgement) -> Iterator[str]:
    """Yield what the user should know about the errors of what predicts."""
    if undefined := int(np.isnan(judgement.predicted).sum()):
        count = plural(undefined, "configuration", "configurations")
        yield f"the model has no value at {count} {'of the sample' if rows.samples else 'measured'}"
    groups = {"learning_error": "configurations learned from", "error": "others"}
    if rows.evaluation is not None:
        groups = {**groups, "error": "of the evaluation set", "error_all": "measured"}
    texts = []
    for name, group in groups.items():
        if name in rows.samples:
            size, count_of_all = rows.samples[name]
            error = percentage(judgement.standard_errors[name], 2)
            texts.append(f"{size:,} of {count_of_all:,} {group}" + (f" (± {error})" if error else ""))
    if texts:
        yield f"errors are those of a sample: {' and '.join(texts)}"


def predictions(predictor: Predictor, configurations: Configurations) -> Array:
    """Return predictions, shape (n,), NaN where the model has no finite value."""
    if not isinstance(predictor, InfluenceModel):
        return predictor.predict(configurations)
    undefined = np.zeros(len(configurations), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        blocks = predictor.contribution_blocks(configurations, undefined)
        total = np.concatenate([contributions.sum(axis=1) for _, contributions in blocks])
        predicted = np.exp(total) if predictor.link == "log" else total
    return np.where(undefined | ~np.isfinite(predicted), np.nan, predicted)


def influence_model(
    terms: Iterable[LearnedTerm], system: VariabilityModel, link: Link = "identity", derived: Iterable[Derived] = ()
) -> InfluenceModel:
    """Return selected terms as a performance-influence model, expanded to canonical terms."""
    return InfluenceModel.of_system((pair for term in terms for pair in term.expanded), system, link, derived)


def round_errors(result: LearningResult) -> list[float | None]:
    """Return the mean relative error of the terms after each round on the rows that judge the result, in percent.

    These are the evaluation set, or else all measured configurations. Without rounds it is that of the model alone.
    None where no measured value is usable.
    """
    rows, final = result.rows, result.of_printed
    last = final.error_all if rows is None or rows.evaluation is None else final.error
    if rows is None or len(result.rounds) < 2:
        return [last]
    model = result.model
    earlier = [
        rows.judge(partial(predictions, influence_model(step.terms, rows.measured.system, model.link, model.derived)))
        for step in result.rounds[:-1]
    ]
    name = "error_all" if rows.evaluation is None else "error"
    return [*(step.errors[name] for step in earlier), last]


def random_folds(table: FeatureTable, number: int, seed: int, groups: Array | None = None) -> Array:
    """Return the fold of each row, shape (n,): random folds with equally many groups (±1), see `drawn_folds`."""
    shuffled = stable_order(table)[np.random.default_rng(seed).permutation(len(table))]
    return drawn_folds(shuffled, number, groups)


def cross_validate(
    measurements: Measurements,
    nfp: str,
    rows: Array,
    number: int,
    seed: int,
    learn: Callable[[Array], Sequence[Predictor]],
    should_stop: Callable[[], bool] = lambda: False,
    groups: Groups | None = None,
) -> list[CrossValidated | None]:
    """Return the errors of the rows of a learning set, each predicted by models of the other folds.

    `rows`: the positions of the learning set; all have a value of the property. `number`: the number of folds, at least
    2; there are at most as many as rows. `should_stop`: asked after every fold; true ends the cross-validation without
    a result. `groups`: the groups of all measurements that folds keep together; None: those of settings that repeat.
    """
    if len(rows) < 2:
        return []
    values, configurations = measurements.column(nfp)[rows], measurements.configurations[rows]
    groups = repeated_settings(measurements.configurations, rows) if groups is None else groups
    table, kept = feature_table(configurations, values), None if groups is None else groups.labels[rows]
    folds = random_folds(table, number, seed, kept)
    # The predictions of each model, shape (models, n).
    predicted: Array = np.zeros((0, len(rows)))
    for fold, (held_out, rest) in enumerate(splits(folds), 1):
        try:
            models = learn(rows[rest])
        except SplcError as error:
            fold_text = f"fold {fold} of {folds.max() + 1}"
            hint = "choose other folds or none, or a larger learning set"
            problems = (Problem(f"{fold_text}: {each.message}", hint=each.hint or hint) for each in error.problems)
            raise type(error)(problems) from None
        if not len(predicted):
            predicted = np.empty((len(models), len(rows)))
        predicted[:, held_out] = [predictions(model, configurations[held_out]) for model in models]
        if should_stop():
            return []
    errors = [error_distribution(row, values) for row in predicted]
    return [None if each is None else CrossValidated(*each) for each in errors]
