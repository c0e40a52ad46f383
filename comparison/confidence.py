"""Confidence intervals of a learned model's influences and predictions, from the measurements it was learned from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, SpecError, plural
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.types import Array

# The learner's own bound for collinear terms (1e-8 of a term's length outside of the others' span) is far above the
# first of these.
_COLLINEAR = 1e-10
_OUTSIDE = 1e-7
# Squares of smaller values, and of values above the inverse, are not precise.
_SMALL = 1e-100


@dataclass(frozen=True, eq=False)
class InfluenceIntervals:
    """Confidence intervals of a model's influences; arrays are read-only.

    Attributes:
        model: the model.
        level: the level of the intervals.
        low: the lower end per term, shape (terms,); -inf where the measurements do not determine the influence.
        high: the upper end per term, shape (terms,); inf likewise.
        refitted: the least-squares influences on the measurements, shape (terms,); NaN where undetermined.
        deviation: the standard deviation of the measurements around the refit (of their logarithms for link 'log').
        degrees: the degrees of freedom, n - rank.
        scales: the length of each term's values, shape (terms,); 1 where these are all 0.
        root: shape (terms, rank): root · rootᵀ is the covariance of the influences times `scales`.
        undetermined: orthonormal directions of the influences times `scales` that change nothing at the measured
            configurations, shape (terms, terms - rank).
    """

    model: InfluenceModel
    level: float
    low: Array
    high: Array
    refitted: Array
    deviation: float
    degrees: int
    scales: Array
    root: Array
    undetermined: Array

    def __post_init__(self) -> None:
        for name in ("low", "high", "refitted", "scales", "root", "undetermined"):
            getattr(self, name).setflags(write=False)

    @property
    def collinear(self) -> tuple[Term, ...]:
        """The terms whose influences the measurements do not determine."""
        return tuple(term for (term, _), low in zip(self.model.terms, self.low, strict=True) if np.isneginf(low))

    @property
    def quantile(self) -> float:
        """The quantile of Student's t distribution that belongs to the level."""
        from scipy.special import stdtrit

        return float(stdtrit(self.degrees, (1 + self.level) / 2))


def influence_intervals(
    model: InfluenceModel, configurations: Configurations, measured: Array, level: float = 0.95
) -> InfluenceIntervals:
    """Return confidence intervals of the influences of a learned model.

    The measured values are fitted by ordinary least squares on the model's own terms (for link 'log', their
    logarithms are). The covariance of that fit, σ²(XᵀX)⁻¹ with σ² = |residuals|² / (n - rank), and the quantile of
    Student's t distribution with n - rank degrees of freedom give the widths (Seber and Lee, Linear Regression
    Analysis, 2nd edition, sections 3.3 and 5.1).

    The intervals are centred at the influences of the model, not at those of the fit: they show how precisely this
    number of measurements determines the influences, and a model lies within its own intervals even if it was not
    found by least squares or not from these measurements. If it was, both are the same; otherwise `refitted` shows
    the difference.

    Caveat: the terms were chosen for the same measurements, which the widths do not account for. Intervals after such a
    selection are too narrow, and terms seem more certain than they are (Berk et al., Valid post-selection inference,
    Annals of Statistics 41(2), 2013).

    Args:
        model: the model.
        configurations: the configurations that it was learned from, n of them.
        measured: their values, shape (n,), finite.
        level: the level of the intervals, in (0, 1).

    Raises:
        SpecError: if the level is out of range.
        ConfigurationError: if there are not as many values as configurations, or a term has no value at one.
        MeasurementError: if a value is not finite (or, for link 'log', not positive), values are too large or
            too small, or there are no more measurements than terms that they determine, so that the deviation cannot
            be estimated.
    """
    if not 0 < level < 1:
        raise SpecError(f"an interval cannot have the level {level:g}", hint="give a fraction, such as 0.95")
    target = _target(model, configurations, measured)
    X = _term_values(model, configurations)
    n, terms = X.shape
    # Columns of powers and of logarithms differ greatly in length; the rank must not depend on it.
    greatest, term = (float(np.abs(values).max(initial=0.0)) for values in (target, X))
    if 0 < greatest < _SMALL or max(greatest, term) > 1 / _SMALL:
        message = f"intervals are undefined: values up to {greatest:g}, terms up to {term:g}"
        raise MeasurementError(message, hint="use another unit")
    scales = np.linalg.norm(X, axis=0)
    scales[scales == 0] = 1.0
    Q, R = np.linalg.qr(X / scales)
    left, singular, right = np.linalg.svd(R)
    rank = int((singular > _COLLINEAR * singular.max(initial=0)).sum())
    if n <= rank:
        need = f"{plural(n, 'measurement is', 'measurements are')} too few for {plural(terms, 'term', 'terms')}"
        raise MeasurementError(f"intervals are undefined: {need}", hint=f"at least {rank + 1} are needed")
    basis, directions = Q @ left[:, :rank], right[:rank].T
    shadow = basis.T @ target
    deviation = float(np.linalg.norm(target - basis @ shadow)) / math.sqrt(n - rank)
    undetermined = right[rank:].T
    determined = np.linalg.norm(undetermined, axis=1) <= _OUTSIDE
    refitted = np.where(determined, (directions / singular[:rank] @ shadow) / scales, np.nan)
    influences = np.array([influence for _, influence in model.terms])
    fitted = InfluenceIntervals(
        model,
        level,
        influences,
        influences.copy(),
        refitted,
        deviation,
        n - rank,
        scales,
        deviation * directions / singular[:rank],
        undetermined,
    )
    half = np.where(determined, fitted.quantile * np.linalg.norm(fitted.root, axis=1) / scales, np.inf)
    return replace(fitted, low=influences - half, high=influences + half)


def prediction_intervals(
    intervals: InfluenceIntervals, configurations: Configurations, *, single: bool = False
) -> Array:
    """Return the confidence band of a model's predictions, lower and upper bounds, shape (2, n).

    With x the term values of a configuration it is x'β ± t·√(x' Cov x), for link 'log' the exponential of these
    bounds. Where the measurements do not determine a prediction, the bounds are infinite (0 and inf for link 'log').
    Memory grows linearly with n.

    Args:
        intervals: the intervals of the influences.
        configurations: where to predict.
        single: whether the bounds are those of a single measured value, √(σ² + x' Cov x), instead of those of the
            mean: only then is the coverage of measured values near the level.

    Raises:
        ConfigurationError: if a term has no value at a configuration.
    """
    model = intervals.model
    x = _term_values(model, configurations) / intervals.scales
    lengths = np.linalg.norm(x @ intervals.root, axis=1)
    if single:
        lengths = np.hypot(lengths, intervals.deviation)
    outside = np.linalg.norm(x @ intervals.undetermined, axis=1) > _OUTSIDE * np.linalg.norm(x, axis=1)
    half = np.where(outside, np.inf, intervals.quantile * lengths)
    centre = model.contributions(configurations).sum(axis=1)
    bounds = np.stack([centre - half, centre + half])
    if model.link == "log":
        with np.errstate(over="ignore"):
            bounds = np.exp(bounds)
    return bounds


def _term_values(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the values of the model's terms, shape (n, terms)."""
    return replace(model, terms=tuple((term, 1.0) for term, _ in model.terms)).contributions(configurations)


def _target(model: InfluenceModel, configurations: Configurations, measured: Array) -> Array:
    """Return what the sum of the terms is fitted to, shape (n,)."""
    measured = np.asarray(measured, dtype=float)
    if measured.shape != (len(configurations),):
        given = plural(measured.size, "value does", "values do")
        raise ConfigurationError(f"{given} not belong to {len(configurations)} configurations")
    positive = model.link == "log"
    wrong = ~np.isfinite(measured) | (positive & (measured <= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        kind = "a positive number, which the link 'log' needs" if positive else "a finite number"
        hint = "leave such configurations out"
        raise MeasurementError(f"the value of configuration {row}, {measured[row]:g}, is not {kind}", hint=hint)
    return np.log(measured) if positive else measured
