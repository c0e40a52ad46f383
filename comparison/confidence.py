"""Confidence intervals of a learned model's influences and predictions, from the measurements it was learned from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, SpecError, plural
from splc.models.basis.regression import Regression, t_quantile
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.types import Array

# Squares of smaller values, and of values above the inverse, are not precise.
_SMALL = 1e-100


@dataclass(frozen=True, eq=False)
class InfluenceIntervals:
    """Confidence intervals of a model's influences; arrays are read-only."""

    model: InfluenceModel  # the model
    level: float  # the level of the intervals
    low: Array  # the lower end per term, shape (terms,); -inf where the measurements do not determine the influence
    high: Array  # the upper end per term, shape (terms,); inf likewise
    fit: Regression  # the least-squares fit of the terms to the measurements (to their logarithms for link 'log')
    # the standard deviation of runs around the values of their configurations; 0 without repetitions
    scatter: float = 0.0

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            getattr(self, name).setflags(write=False)

    @property
    def refitted(self) -> Array:
        """The least-squares influences on the measurements, shape (terms,); NaN where undetermined."""
        return np.where(self.fit.determined, self.fit.coefficients, np.nan)

    @property
    def collinear(self) -> tuple[Term, ...]:
        """The terms whose influences the measurements do not determine."""
        return tuple(term for (term, _), low in zip(self.model.terms, self.low, strict=True) if np.isneginf(low))

    @property
    def quantile(self) -> float:
        """The quantile of Student's t distribution that belongs to the level."""
        return t_quantile(self.fit.freedom, (1 + self.level) / 2)


def influence_intervals(
    model: InfluenceModel,
    configurations: Configurations,
    measured: Array,
    level: float = 0.95,
    runs: Array | None = None,
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

    `measured`: their values, shape (n,), finite. `runs`: the values of all runs, shape (n, repetitions), NaN where one
    is missing; None: one run each.
    """
    if not 0 < level < 1:
        raise SpecError(f"an interval cannot have the level {level:g}", hint="give a fraction, such as 0.95")
    target = _target(model, configurations, measured)
    X = _term_values(model, configurations)
    n, terms = X.shape
    greatest, term = (float(np.abs(values).max(initial=0.0)) for values in (target, X))
    if 0 < greatest < _SMALL or max(greatest, term) > 1 / _SMALL:
        message = f"intervals are undefined: values up to {greatest:g}, terms up to {term:g}"
        raise MeasurementError(message, hint="use another unit")
    fit = Regression.of(X, target)
    if not fit.freedom:
        need = f"{plural(n, 'measurement is', 'measurements are')} too few for {plural(terms, 'term', 'terms')}"
        raise MeasurementError(f"intervals are undefined: {need}", hint=f"at least {n + 1} are needed")
    influences = np.array([influence for _, influence in model.terms])
    scatter = 0.0 if runs is None else _scatter(runs, measured, model.link == "log")
    intervals = InfluenceIntervals(model, level, influences, influences.copy(), fit, scatter)
    half_widths = np.where(fit.determined, intervals.quantile * fit.errors, np.inf)
    return replace(intervals, low=influences - half_widths, high=influences + half_widths)


def prediction_intervals(
    intervals: InfluenceIntervals, configurations: Configurations, *, single: bool = False
) -> Array:
    """Return the confidence band of a model's predictions, lower and upper bounds, shape (2, n).

    With x the term values of a configuration it is x'β ± t·√(x' Cov x), for link 'log' the exponential of these
    bounds. Where the measurements do not determine a prediction, the bounds are infinite (0 and inf for link 'log').
    Memory grows linearly with n.
    """
    model = intervals.model
    x = _term_values(model, configurations)
    lengths = intervals.fit.errors_of(x)
    if single:
        lengths = np.hypot(lengths, np.hypot(intervals.fit.deviation, intervals.scatter))
    half = np.where(intervals.fit.determines(x), intervals.quantile * lengths, np.inf)
    centre = model.contributions(configurations).sum(axis=1)
    bounds = np.stack([centre - half, centre + half])
    if model.link == "log":
        with np.errstate(over="ignore"):
            bounds = np.exp(bounds)
    return bounds


def _term_values(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the values of the model's terms, shape (n, terms)."""
    return replace(model, terms=tuple((term, 1.0) for term, _ in model.terms)).contributions(configurations)


def _scatter(runs: Array, measured: Array, logarithmic: bool) -> float:
    """Return the standard deviation of runs around the value of their configuration, 0 without repetitions."""
    if logarithmic:
        runs, measured = np.log(np.where(runs > 0, runs, np.nan)), np.log(measured)
    known = ~np.isnan(runs)
    freedom = int(np.maximum(known.sum(axis=1) - 1, 0).sum())
    return float(np.linalg.norm((runs - measured[:, None])[known])) / math.sqrt(freedom) if freedom else 0.0


def _target(model: InfluenceModel, configurations: Configurations, measured: Array) -> Array:
    """Return what the sum of the terms is fitted to, shape (n,)."""
    measured = np.asarray(measured, dtype=float)
    if measured.shape != (len(configurations),):
        count = plural(measured.size, "value does", "values do")
        raise ConfigurationError(f"{count} not belong to {len(configurations)} configurations")
    positive = model.link == "log"
    wrong = ~np.isfinite(measured) | (positive & (measured <= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        kind = "a positive number, which the link 'log' needs" if positive else "a finite number"
        hint = "leave such configurations out"
        raise MeasurementError(f"the value of configuration {row}, {measured[row]:g}, is not {kind}", hint=hint)
    return np.log(measured) if positive else measured
