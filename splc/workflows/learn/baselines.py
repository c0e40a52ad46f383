"""Cross-validation of a learner, and baselines on the same split of the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from splc.data.accuracy import relative_error_quantiles
from splc.data.measurements import Measurements
from splc.errors import SplcError
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.learning.cross_validation import cross_validate_all
from splc.learning.folds import Groups
from splc.learning.learner import Learner
from splc.learning.registry import BASELINES, PMNF, learner_of
from splc.learning.result import LearningResult, Predictor
from splc.types import Array
from splc.workflows.views import Column, Rows, View, columns, counted

# The folds of `--baselines` where no configuration is outside of the learning set.
FOLDS = 5
# A smaller error than another is one of at most this part of it; the rest is chance.
WORTH_A_NOTE = 0.95


class Learn(Protocol):
    """Learns from some of the measured configurations."""

    def __call__(self, learner: Learner, rows: Array, evaluation: Measurements | None = None) -> LearningResult:
        """Return what a learner learns from rows, judged by the others or by an evaluation set."""


@dataclass(frozen=True, eq=False)
class JudgedLearner:
    """A learner on a split: its result and the distribution of its errors."""

    result: LearningResult  # the result
    # the median of the relative errors outside of the learning set, in percent; None where nothing is
    median: float | None
    p95: float | None  # their 95th percentile


@dataclass(frozen=True, eq=False)
class Split:
    """A learning set, and the configurations outside of it."""

    measured: Measurements  # the measurements
    nfp: str  # the property
    rows: Array  # the positions of the learning set
    evaluation: Measurements | None  # measurements to judge by instead of those not learned from
    seed: int  # the seed of whatever is drawn
    learn: Learn  # learns from some of the configurations
    should_stop: Callable[[], bool] = lambda: False  # asked after every fold and every baseline; true ends the work
    groups: Groups | None = None  # the groups of the measurements that folds keep together, if they are stated

    @property
    def test_set(self) -> Measurements:
        """The measurements that errors outside of the learning set are computed on, maybe none."""
        if self.evaluation is not None:
            return self.evaluation.measured(self.nfp)
        mask = ~np.isnan(self.measured.column(self.nfp))
        mask[self.rows] = False
        return self.measured[mask]

    def cross_validated(self, learner: Learner, result: LearningResult, folds: int) -> LearningResult:
        """Return a result of the learner with its cross-validated error; unchanged without folds."""
        if not folds:
            return result

        def models(part: Array) -> list[Predictor]:
            fitted = self.learn(learner, part)
            return [fitted.predictor, *([] if fitted.printed is None else [fitted.printed])]

        judging = (self.seed, models, self.should_stop, self.groups)
        crossed, printed, *_ = *cross_validate_all(self.measured, self.nfp, self.rows, folds, *judging), None, None
        errors = None if result.printed_errors is None else replace(result.printed_errors, cross_validated=printed)
        return replace(result, cross_validated=crossed, printed_errors=errors)

    def compared(self, result: LearningResult, folds: int) -> Iterator[JudgedLearner]:
        """Yield a result and those of all other baselines; fewer if it was stopped.

        Where configurations differ in numeric options only, pmnf is one of them, and is always cross-validated.
        """
        from splc.learning.pmnf import is_scalable

        yield self.judged(result)
        for name in (*((PMNF,) if is_scalable(self.measured.configurations) else ()), *BASELINES):
            if self.should_stop():
                break
            if name != result.learner:
                # There is no scaling model of few points.
                with suppress(SplcError) if name == PMNF else nullcontext():
                    learner = learner_of(name)
                    fitted = self.learn(learner, self.rows, self.evaluation)
                    crossed = self.cross_validated(learner, fitted, folds or FOLDS * (name == PMNF))
                    yield self.judged(crossed)

    def better_scaling(self, learner: Learner, compared: Sequence[JudgedLearner]) -> str | None:
        """Return a note if the first one of these learners has a larger cross-validated error than pmnf among them."""
        scaling = next((row.result.cross_validated for row in compared[1:] if row.result.learner == PMNF), None)
        if scaling is None:
            return None
        first = compared[0].result
        error = (first if first.cross_validated else self.cross_validated(learner, first, FOLDS)).cross_validated
        if error is None or scaling.mean > WORTH_A_NOTE * error.mean:
            return None
        return (
            f"scaling models predict better here: the cross-validated error of pmnf is {percentage(scaling.mean, 3)}, "
            f"that of {first.learner} {percentage(error.mean, 3)}; learn them with --learner {PMNF}"
        )

    def judged(self, result: LearningResult) -> JudgedLearner:
        """Return a result with the distribution of its errors outside of the learning set."""
        assert result.rows is not None
        values, predicted = result.rows.tested(result.judgements[0])
        median, p95 = relative_error_quantiles(predicted, values) or (None, None)
        return JudgedLearner(result, median, p95)


def learners_as_json(compared: Sequence[JudgedLearner]) -> dict[str, Any]:
    """Return the median and the 95th percentile of the errors of a learner, and the JSON objects of the others."""
    baselines = [
        {
            **picked(row, "learner = result.learner, error = result.error, error_median = median, error_p95 = p95"),
            **picked(row.result, "cross_validated, learning_error"),
            "terms": len(row.result.model.terms) if row.result.readable else None,
            **picked(row.result, "seconds, settings"),
        }
        for row in compared[1:]
    ]
    return {**picked(compared[0], "error_median = median, error_p95 = p95"), "baselines": baselines}


def table_of_learners(compared: Sequence[JudgedLearner], folds: int) -> View:
    """Yield the table of the errors of learners."""
    where = " outside of the learning set"
    errors = "error = result.error, median, 95th percentile = p95, cross-validated = result.cross_validated.mean"
    if all(row.median is None for row in compared):
        where = f", cross-validated with {counted(folds, 'fold')}"
        errors = "error = {0}.mean, median = {0}.median, 95th percentile = {0}.p95".format("result.cross_validated")
    yield f"\nRelative errors of learners{where}:"
    terms = Column("terms", lambda row: str(len(row.result.model.terms)) if row.result.readable else "–", right=True)
    time = Column("time", "result.seconds", lambda seconds: f"{seconds:.3g} s")
    yield Rows(compared, (*columns("learner = result.learner"), *columns(errors, percentage), terms, time))
