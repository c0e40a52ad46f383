"""Changes between two values of a context: by the models of both, or by their joint model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from comparison.changes import ModelChange, ModelCourse, TermCourse, model_change
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError
from splc.learning.contexts.contrasts import ContextContrast, ContextInfluences
from splc.learning.judging import predictions
from splc.models.basis.regression import NORMAL_QUANTILE, t_quantile
from splc.types import Array
from splc.workflows import learn

# Mean ratios differ from 1 if their interval of this level excludes 1, and by more than rounding.
LEVEL, ROUNDING = 0.99, 1e-6
# A model is clearly worse than another one if its error is this many times the cross-validated error of that one.
WORSE = 1.5
JOINT = "the joint model of all values is compared"


@dataclass(frozen=True, eq=False)
class Change:
    """The change between two values of the context.

    Attributes:
        first: the value before the change.
        second: the value after it.
        common: the number of configurations that were measured with both values.
        ratio: the mean of measured value after / before over these; None without any.
        ratio_error: the standard error of this mean; None with fewer than two configurations.
        shifted: whether the ratios differ from 1 by more than the uncertainty of their mean.
        error: the mean relative error in percent of the second value's model on its own measurements.
        transferred: the error of the first value's model on the second value's measurements.
        influences: the changes of influences; None for models without terms, with too few configurations, or of a joint
            model.
        reason: why there are no changes of influences.
        expected: the cross-validated error of the second value's model; None if it was not cross-validated.
        contrast: the change by the joint model of all values; None without one.
    """

    first: str
    second: str
    common: int
    ratio: float | None
    ratio_error: float | None
    shifted: bool
    error: float | None
    transferred: float | None
    influences: ModelChange | None = None
    reason: str = ""
    expected: float | None = None
    contrast: ContextContrast | None = None

    @property
    def worsened(self) -> bool:
        """True if the first value's model is clearly worse on the second value's measurements than that of these."""
        if self.expected is None or self.transferred is None:
            return False
        return self.transferred > max(WORSE * self.expected, ROUNDING)


def context_change(
    before: learn.Result, after: learn.Result, first: str, second: str, influences: ContextInfluences | None = None
) -> Change:
    """Return what changed between two values of the context.

    Args:
        before: the model of the first value.
        after: the model of the second one.
        first: the value before.
        second: the value after.
        influences: those of the joint model; None: the terms of both models are compared.
    """
    nfp = after.result.nfp
    old, new = ((table.configurations, table.column(nfp)) for table in (before.measured, after.measured))
    assert after.result.rows is not None
    transferred = after.result.rows.judge(partial(predictions, before.result.predictor)).all
    ratio = mean_ratio(before.measured, after.measured, nfp)
    crossed = after.result.cross_validated
    expected = None if crossed is None else crossed.mean
    change = Change(first, second, *ratio, after.result.error_all, transferred, expected=expected)
    if influences is not None and {first, second} <= {*influences.names}:
        return replace(change, contrast=influences.contrast(first, second), reason=JOINT)
    if not (before.result.readable and after.result.readable):
        return replace(change, reason=f"the learner {after.result.learner} gives no influences")
    try:
        return replace(change, influences=model_change(before.result.model, after.result.model, old, new))
    except ConfigurationError as problem:
        return replace(change, reason=problem.problems[0].message)


def joint_course(
    influences: ContextInfluences, values: Sequence[str], contrasts: Sequence[ContextContrast]
) -> ModelCourse:
    """Return the influences by the joint model with each value, those that changed first.

    Args:
        influences: the influences.
        values: the values in order.
        contrasts: the changes between consecutive values.
    """
    indices = [influences.names.index(value) for value in values]
    terms = []
    for at, option in enumerate(influences.options, start=1):
        deviations = np.sqrt(np.maximum(np.diag(influences.covariances[at]), 0.0))[indices]
        changed = tuple(option in {other.option for other in contrast.settled} for contrast in contrasts)
        widths = (NORMAL_QUANTILE * deviations).tolist()
        terms.append(TermCourse(option, tuple(influences.means[indices, at].tolist()), tuple(widths), changed))
    terms.sort(key=lambda term: (not any(term.changed), -max(map(abs, term.means)), term.text))
    return ModelCourse("log", tuple(terms), (1.0,) * len(contrasts))


def mean_ratio(before: Measurements, after: Measurements, nfp: str) -> tuple[int, float | None, float | None, bool]:
    """Return the number of common configurations, the mean of after / before, its error, and whether it is not 1."""
    before, after = before.measured(nfp), after.measured(nfp)
    rows = before.configurations.find(after.configurations)
    mask = rows >= 0
    old, new = before.column(nfp)[rows[mask]], after.column(nfp)[mask]
    ratios = new[old != 0] / old[old != 0]
    count = int(mask.sum())
    if len(ratios) < 2:
        return count, float(ratios[0]) if len(ratios) else None, None, False
    # The mean of noisy ratios is above 1 without a change; that of their logarithms is 0.
    away = np.log(ratios) if (ratios > 0).all() else ratios - 1
    quantile = t_quantile(len(ratios) - 1, 0.5 + LEVEL / 2)
    shifted = abs(float(np.mean(away))) > max(quantile * _standard_error(away), ROUNDING)
    return count, float(np.mean(ratios)), _standard_error(ratios), shifted


def _standard_error(values: Array) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))
