"""The measurements that a model was learned from and judged by, its predictions there, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from splc.data.accuracy import mean_relative_error, pooled_error, standard_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.folds import Groups
from splc.types import Array

# The most configurations learned from, and the most others, that judge a model which predicts slower than measurements
# are read: a full model takes a second for so many, and a minute for 600,000. The standard error of their mean error is
# a hundredth of the deviation of single errors: ± 0.03 % where these are about 3 %.
MOST_JUDGED = 10_000
# The names of errors in `LearningResult`.
ERRORS = ("learning_error", "error", "error_all")
# Learning sets that are drawn with the same seed have another stream of random numbers.
_STREAM = 1


@dataclass(frozen=True)
class ErrorSample:
    """The sample of configurations that an error is computed on."""

    configurations: int  # the number of configurations in the sample
    of: int  # the number of configurations that they were drawn from
    standard_error: float | None  # the standard error of the error in percentage points, None where it is undefined
    printed: float | None = None  # the same of the error of the printed model, None without one


@dataclass(frozen=True, eq=False)
class Judgement:
    """The predictions of a model at the rows that judge it, and its mean relative errors in percent."""

    predicted: Array  # predictions at the measured configurations that judge it, shape (n,), NaN where it has no value
    evaluated: Array  # predictions at the evaluation set, shape (m,)
    learning: float | None  # the error on the learning set; None where it is undefined, as all errors
    rest: float | None  # the error on the measured configurations outside of it, or on the evaluation set
    all: float | None  # the error on all measured configurations
    # those of errors of a sample, by the names of errors in `LearningResult`
    standard_errors: Mapping[str, float | None]


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The measurements that a model was learned from and judged by."""

    measured: Measurements  # the measured configurations
    nfp: str  # the property
    learned: Array  # the positions of the learning set among these
    judging: tuple[Array, Array]  # the positions of those of the learning set, and of the others, that judge a model
    evaluation: Measurements | None = None  # the configurations of the evaluation set that judge it, None without one
    # error, by its name in `LearningResult` → the size of the sample that it is computed on, and the number of
    # configurations that this was drawn from; other errors are computed on all
    samples: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        measured: Measurements,
        nfp: str,
        learned: Array,
        evaluation: Measurements | None = None,
        *,
        seed: int = 0,
        limit: int | None = MOST_JUDGED,
    ) -> JudgedRows:
        """Return all rows, or samples of those learned from, of the others, and of the evaluation set.

        `evaluation`: measurements for the error outside of the learning set; None: the other measured configurations.
        `limit`: the most rows of each of the three; None: all.
        """
        rng = np.random.default_rng((seed, _STREAM))
        samples: dict[str, tuple[int, int]] = {}

        def drawn(name: str, table: Measurements, rows: Array) -> Array:
            known = rows[~np.isnan(table.column(nfp)[rows])]
            if limit is None or len(known) <= limit:
                return rows
            samples[name] = limit, len(known)
            return np.sort(rng.choice(known, limit, replace=False))

        judging = (
            drawn("learning_error", measured, learned),
            drawn("error", measured, np.delete(np.arange(len(measured)), learned)),
        )
        if samples:
            samples["error_all"] = sum(map(len, judging)), len(measured.measured(nfp))
        if evaluation is not None:
            samples.pop("error", None)
            evaluation = evaluation.measured(nfp)
            rows = drawn("error", evaluation, np.arange(len(evaluation)))
            evaluation = evaluation if len(rows) == len(evaluation) else evaluation[rows]
        return cls(measured, nfp, learned, judging, evaluation, samples)

    @cached_property
    def places(self) -> Array:
        """The positions of the measured configurations that judge a model, ascending."""
        return np.sort(np.concatenate(self.judging))

    @cached_property
    def configurations(self) -> Configurations:
        """The measured configurations that judge a model."""
        configurations = self.measured.configurations
        return configurations if len(self.places) == len(configurations) else configurations[self.places]

    def judge(self, predict: Callable[[Configurations], Array]) -> Judgement:
        """Return the judgement of the model with these predictions."""
        values, predicted = self.measured.column(self.nfp), predict(self.configurations)
        # Errors leave out rows without a prediction.
        everywhere = np.full(len(values), np.nan)
        everywhere[self.places] = predicted
        is_used = (values != 0) & ~np.isnan(values)
        used = int(is_used[self.learned].sum())
        sizes = used, int(is_used.sum()) - used
        parts = [(everywhere[rows], values[rows]) for rows in self.judging]
        learning, rest = (mean_relative_error(*part) for part in parts)
        deviations = [standard_error(*part, size) for part, size in zip(parts, sizes, strict=True)]
        total, total_deviation = mean_relative_error(everywhere, values), None
        if len(self.places) < len(values):
            total, total_deviation = pooled_error((learning, rest), deviations, sizes)
        evaluated = np.zeros(0)
        if self.evaluation is not None:
            evaluated, known = predict(self.evaluation.configurations), self.evaluation.column(self.nfp)
            rest = mean_relative_error(evaluated, known)
            deviations[1] = standard_error(evaluated, known, self.samples.get("error", (0, len(known)))[1])
        stated = zip(ERRORS, (*deviations, total_deviation), strict=True)
        standard_errors = {name: deviation for name, deviation in stated if name in self.samples}
        return Judgement(predicted, evaluated, learning, rest, total, standard_errors)

    def known(self, groups: Groups) -> Array:
        """Return which values of `tested`, with `unlearned`, are of groups that were learned from, shape (n,)."""
        table, rows = self._tested_rows(unlearned=True)
        rows = rows[~np.isnan(table.column(self.nfp)[rows])]
        if self.evaluation is None:
            return np.isin(groups.labels[rows], groups.labels[self.learned])
        return groups.known(self.measured.configurations[self.learned], table.configurations[rows])

    def _tested_rows(self, *, unlearned: bool = False, learned: bool = False) -> tuple[Measurements, Array]:
        """Return the measurements that `tested` is about, and their rows."""
        if self.evaluation is None or learned:
            return self.measured, self.judging[0 if learned else 1]
        places = self.measured.configurations[self.learned].find(self.evaluation.configurations)
        return self.evaluation, np.flatnonzero((places < 0) | (not unlearned))

    def tested(
        self,
        judgement: Judgement,
        *,
        unlearned: bool = False,
        runs: bool = False,
        learned: bool = False,
        kept: Array | None = None,
    ) -> tuple[Array, Array]:
        """Return the values and predictions that the error outside of the learning set is computed on, shapes (n,).

        `unlearned`: without those of an evaluation set that were learned from; `runs`: the values of single runs, each
        beside the prediction of its configuration; `learned`: those of the error on the learning set; `kept`: which of
        those with a value.
        """
        table, rows = self._tested_rows(unlearned=unlearned, learned=learned)
        if kept is not None:
            rows = rows[~np.isnan(table.column(self.nfp)[rows])][kept]
        own = table is self.measured
        predicted = judgement.predicted[np.searchsorted(self.places, rows)] if own else judgement.evaluated[rows]
        values = table.repetitions(self.nfp)[rows] if runs else table.column(self.nfp)[rows, None]
        known = ~np.isnan(values)
        return values[known], np.broadcast_to(predicted[:, None], values.shape)[known]
