"""Judge learned models: the errors of every learner, after every round, and the shares of terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from splc._version import __version__
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import plural
from splc.learning.expected import Expected
from splc.learning.judged_rows import JudgedRows
from splc.learning.learner import Learner
from splc.learning.model_scores import FormScore, PathPoint
from splc.learning.problem import LearningProblem
from splc.learning.result import (
    CrossValidated,
    InfluenceEstimate,
    Intervals,
    LearnedTerm,
    LearningResult,
    Predictor,
    Round,
    SparseErrors,
)
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.subexpressions import Derived
from splc.system.variability import VariabilityModel
from splc.types import Array, Link

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel


@dataclass(frozen=True)
class Errors:
    """Mean relative errors in percent, None where undefined.

    Attributes:
        learning: on the learning set.
        rest: on the measured configurations outside of it, or on the evaluation set.
        all: on all measured configurations.
        notes: notes for the user about the errors.
    """

    learning: float | None
    rest: float | None
    all: float | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SparsePart:
    """The printed model of a learner whose full model predicts.

    Attributes:
        model: the model.
        cross_validated: its error on held-out folds of the learning set.
        distance: its mean relative difference to the full model at unmeasured configurations, in percent.
        intervals: its prediction intervals.
        forms: the best model of each form that was tried, the chosen one first.
        folds: the number of folds that support of terms is counted in.
    """

    model: InfluenceModel
    cross_validated: CrossValidated | None = None
    distance: float | None = None
    intervals: Intervals | None = None
    forms: tuple[FormScore, ...] = ()
    folds: int = 0


def judged(
    problem: LearningProblem,
    learner: Learner,
    predictor: Predictor,
    *,
    termination: str,
    seconds: float,
    terms: Iterable[LearnedTerm] = (),
    rounds: Iterable[Round] = (),
    notes: Iterable[str] = (),
    scaling: ScalingModel | None = None,
    cross_validated: CrossValidated | None = None,
    expected: Expected | None = None,
    estimates: Iterable[InfluenceEstimate] = (),
    path: Iterable[PathPoint] = (),
    intervals: Intervals | None = None,
    printed: SparsePart | None = None,
) -> LearningResult:
    """Return the result of a learner, with its errors.

    Args:
        problem: what was learned from.
        learner: the learner.
        predictor: what predicts.
        termination: why learning ended.
        seconds: wall time of learning.
        terms: the terms as they were selected.
        rounds: the history.
        notes: what the user should know about the model.
        scaling: the scaling model, for learners that fit one.
        cross_validated: the error on held-out folds of the learning set.
        expected: how far values are expected to be from the prediction.
        estimates: the uncertainty of each influence.
        path: models from few terms to many.
        intervals: prediction intervals of what predicts.
        printed: the printed model, if it is not what predicts.
    """

    def errors_of_model(model: Predictor) -> Errors:
        return errors_of(model, problem.measurements, problem.nfp, problem.rows, problem.evaluation)

    errors = errors_of_model(predictor)
    printed_errors = None
    if printed is not None:
        sparse_errors = errors_of_model(printed.model)
        measures = printed.cross_validated, printed.distance
        printed_errors = SparseErrors(sparse_errors.learning, sparse_errors.rest, sparse_errors.all, *measures)
    system = problem.measurements.system
    facts: dict[str, Any] = {"splc": __version__, "learner": learner.name, "system": system.name}
    if problem.observed:
        facts["observed"] = list(problem.observed)
    return LearningResult(
        predictor=predictor,
        learner=learner.name,
        terms=tuple(terms),
        rounds=tuple(rounds),
        termination=termination,
        nfp=problem.nfp,
        learning_configurations=len(problem.rows),
        learning_error=errors.learning,
        error=errors.rest,
        error_all=errors.all,
        left_out=int((problem.values == 0).sum()),
        base=system.base_option,
        seconds=seconds,
        preset=learner.preset,
        settings=learner.settings,
        seed=problem.seed,
        provenance={**facts, **problem.provenance},
        notes=(*problem.notes, *notes, *errors.notes),
        scaling=scaling,
        cross_validated=cross_validated,
        expected=expected,
        estimates=tuple(estimates),
        path=tuple(path),
        intervals=intervals,
        printed=None if printed is None else printed.model,
        printed_errors=printed_errors,
        printed_intervals=None if printed is None else printed.intervals,
        forms=() if printed is None else printed.forms,
        folds=0 if printed is None else printed.folds,
        system=system,
        rows=JudgedRows(problem.measurements, problem.rows),
        unit=problem.measurements.unit(problem.nfp),
    )


def errors_of(
    predictor: Predictor, measurements: Measurements, nfp: str, rows: Array, evaluation: Measurements | None = None
) -> Errors:
    """Return the errors of a model.

    Args:
        predictor: the model.
        measurements: what was measured.
        nfp: the property; configurations without a value of it do not count.
        rows: the positions of the learning set.
        evaluation: measurements for the error outside of the learning set; None: the other measured configurations.
    """
    values = measurements.column(nfp)
    predicted = predictions(predictor, measurements.configurations)
    is_other = np.ones(len(measurements), dtype=bool)
    is_other[rows] = False
    if evaluation is None:
        rest_error = mean_relative_error(predicted[is_other], values[is_other])
    else:
        evaluated = evaluation.measured(nfp)
        rest_error = mean_relative_error(predictions(predictor, evaluated.configurations), evaluated.column(nfp))
    undefined_text = plural(int(np.isnan(predicted).sum()), "configuration", "configurations")
    return Errors(
        learning=mean_relative_error(predicted[rows], values[rows]),
        rest=rest_error,
        all=mean_relative_error(predicted, values),
        notes=(f"the model has no value at {undefined_text} measured",) if np.isnan(predicted).any() else (),
    )


def predictions(predictor: Predictor, configurations: Configurations) -> Array:
    """Return predictions, shape (n,), NaN where the model has no finite value."""
    try:
        return predictor.predict(configurations)
    except EvaluationError:
        if not isinstance(predictor, InfluenceModel):
            raise
    total = np.zeros(len(configurations))
    with np.errstate(over="ignore", invalid="ignore"):
        for term, influence in predictor.terms:
            total = total + influence * term.evaluate(configurations.column)
        predicted = np.exp(total) if predictor.link == "log" else total
    return np.where(np.isfinite(predicted), predicted, np.nan)


def influence_model(
    terms: Iterable[LearnedTerm],
    system: VariabilityModel,
    link: Link = "identity",
    derived: Iterable[Derived] = (),
) -> InfluenceModel:
    """Return selected terms as a performance-influence model, expanded to canonical terms."""
    return InfluenceModel.of_system((pair for term in terms for pair in term.expanded), system, link, derived)


def round_errors(result: LearningResult, measurements: Measurements) -> list[float | None]:
    """Return the mean relative error of the terms after each round on measured configurations, in percent.

    Without rounds it is that of the model alone. None where no measured value is usable.

    Args:
        result: the learning result.
        measurements: what the models are judged by.
    """
    evaluated = measurements.measured(result.nfp)
    values = evaluated.column(result.nfp)
    final_model = result.model if result.rounds else InfluenceModel(())
    earlier = [
        influence_model(step.terms, evaluated.system, final_model.link, final_model.derived)
        for step in result.rounds[:-1]
    ]
    last = result.predictor if result.printed is None else result.printed
    return [mean_relative_error(predictions(model, evaluated.configurations), values) for model in (*earlier, last)]
