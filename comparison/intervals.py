"""Intervals of predictions and of influences, and their comparison (thesis, 7.2).

Learned models get theirs from the measurements that they were learned from, analytical ones from the intervals of their
machine parameters.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from comparison.result import IntervalComparison
from splc.data.configurations import Configurations
from splc.errors import MeasurementError, SpecError, listed, plural
from splc.models.basis.regression import Regression, t_quantile
from splc.models.influence import InfluenceModel
from splc.types import Array

MAX_PARAMETERS = 12


def parameter_intervals(model: InfluenceModel, configurations: Configurations) -> Array | None:
    """Return bounds of an analytical model's predictions from the intervals of its parameters, shape (2, n).

    They are the extremes at the corners of the box of parameters: exact where the prediction is monotone in each
    parameter, as in models that are linear in each; elsewhere the true bounds may be wider. All rows of a table are at
    their lower ends together, or all at their upper ends, since one benchmark measured them.
    """
    unknown = [parameter.name for parameter in model.parameters if not parameter.determined]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        raise SpecError(f"{listed(unknown)} {verb} not determined", hint="there are no intervals without them")
    varying = [parameter for parameter in model.parameters if parameter.has_interval]
    if not varying:
        return None
    if len(varying) > MAX_PARAMETERS:
        message = f"{len(varying)} parameters have bounds, at most {MAX_PARAMETERS} can"
        raise SpecError(message, hint="give numbers for those that matter least")
    least, greatest = np.array(math.inf), np.array(-math.inf)
    for ends in itertools.product(*((parameter.low, parameter.high) for parameter in varying)):
        at = {p.name: replace(p, values_of=values) for p, values in zip(varying, ends, strict=True)}
        derived = tuple(at.get(subexpression.name, subexpression) for subexpression in model.derived)
        predicted = replace(model, derived=derived).predict(configurations)
        least, greatest = np.minimum(least, predicted), np.maximum(greatest, predicted)
    return np.stack([least, greatest])


def compare_intervals(first: Array, second: Array, level: float) -> IntervalComparison:
    """Return measures of the overlap of two models' intervals of predictions, shape (2, n); touching ones overlap.

    The Hausdorff distance is the greater distance of the ends (Moore et al., Introduction to Interval Analysis, 2009,
    section 6.1). The level is 1 for certain bounds. Jaccard is None where overlaps and unions are infinitely long.
    """
    if not 0 < level <= 1:
        raise SpecError(f"an interval cannot have the level {level:g}", hint="give a fraction, such as 0.95")
    inner = np.minimum(first[1], second[1]), np.maximum(first[0], second[0])
    overlapping = inner[0] >= inner[1]
    with np.errstate(over="ignore"):
        lengths = np.array([_length(*first), _length(*second)])
        overlap = np.where(overlapping, _length(*inner[::-1]), 0.0)
        hull = _length(np.minimum(first[0], second[0]), np.maximum(first[1], second[1]))
        covered = np.where(overlapping, hull, lengths.sum(axis=0)).sum()
        shared = overlap.sum()
        # The distance of ends that are infinite in the same direction is 0.
        ends = np.abs(np.subtract(first, second, out=np.zeros_like(first), where=first != second))
        hausdorff = float(ends.max(axis=0).mean())
        width = lengths.mean(axis=1)
    defined = covered > 0 and not (np.isinf(covered) and np.isinf(shared))
    jaccard = float(shared / covered) if defined else None
    return IntervalComparison(level, float(overlapping.mean()), jaccard, hausdorff, (float(width[0]), float(width[1])))


def coverage(measured: Array, intervals: Array) -> float:
    """Return the fraction of at least one measured value (or run, (n, repetitions)) within the intervals with ends."""
    measured = measured.reshape(len(measured), -1)
    within = (intervals[0][:, None] <= measured) & (measured <= intervals[1][:, None])
    return float(within[~np.isnan(measured)].mean())


def _length(low: Array, high: Array) -> Array:
    """Return the lengths of intervals; 0 where both ends are the same infinity."""
    return np.asarray(np.subtract(high, low, out=np.zeros(len(low)), where=low != high))


_SMALL = 1e-100  # squares of smaller values, and of values above the inverse, are not precise


@dataclass(frozen=True, eq=False)
class InfluenceIntervals:
    """The uncertainty of a learned model's influences."""

    model: InfluenceModel  # the model
    level: float  # the level of the intervals
    fit: Regression  # the least-squares fit of the terms to the measurements (to their logarithms for link 'log')
    scatter: float  # the standard deviation of runs around the values of their configurations; 0 without repetitions


def influence_intervals(
    model: InfluenceModel,
    configurations: Configurations,
    measured: Array,
    level: float = 0.95,
    runs: Array | None = None,
) -> InfluenceIntervals:
    """Return the uncertainty of the influences of a learned model.

    The measured values (for link 'log', their logarithms) are fitted by ordinary least squares on the model's own
    terms. The widths are those of Student's t with n - rank degrees of freedom, and of the covariance σ²(XᵀX)⁻¹ with
    σ² = |residuals|² / (n - rank) (Seber and Lee, Linear Regression Analysis, 2nd edition, sections 3.3 and 5.1). The
    centres are the predictions of the model, however it was found. Where its terms were chosen for the same
    measurements, intervals are too narrow (Berk et al., Valid post-selection inference, Annals of Statistics 41(2),
    2013).
    """
    positive = model.link == "log"
    wrong = ~np.isfinite(measured) | (positive & (measured <= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        kind = "a positive number, which the link 'log' needs" if positive else "a finite number"
        hint = "leave such configurations out"
        raise MeasurementError(f"the value of configuration {row}, {measured[row]:g}, is not {kind}", hint=hint)
    target = np.log(measured) if positive else measured  # what the sum of the terms is fitted to
    X = term_values(model, configurations)
    n, terms = X.shape
    greatest, term = (float(np.abs(values).max(initial=0.0)) for values in (target, X))
    if 0 < greatest < _SMALL or max(greatest, term) > 1 / _SMALL:
        message = f"intervals are undefined: values up to {greatest:g}, terms up to {term:g}"
        raise MeasurementError(message, hint="use another unit")
    fit = Regression.of(X, target)
    if not fit.freedom:
        need = f"{plural(n, 'measurement is', 'measurements are')} too few for {plural(terms, 'term', 'terms')}"
        raise MeasurementError(f"intervals are undefined: {need}", hint=f"at least {n + 1} are needed")
    scatter = 0.0
    if runs is not None:
        runs = np.log(np.where(runs > 0, runs, np.nan)) if positive else runs
        known = ~np.isnan(runs)
        freedom = int(np.maximum(known.sum(axis=1) - 1, 0).sum())
        scatter = float(np.linalg.norm((runs - target[:, None])[known])) / math.sqrt(freedom) if freedom else 0.0
    return InfluenceIntervals(model, level, fit, scatter)


def prediction_intervals(of: InfluenceIntervals, configurations: Configurations, *, single: bool = False) -> Array:
    """Return the confidence band of a model's predictions, or of `single` runs, shape (2, n).

    With x the term values of a configuration it is x'β ± t·√(x' Cov x), for link 'log' the exponential of these bounds,
    and infinite (0 and inf for link 'log') where the measurements do not determine a prediction.
    """
    model, fit = of.model, of.fit
    x = term_values(model, configurations)
    lengths = fit.errors_of(x)
    if single:
        lengths = np.hypot(lengths, np.hypot(fit.deviation, of.scatter))
    half = np.where(fit.determines(x), t_quantile(fit.freedom, (1 + of.level) / 2) * lengths, np.inf)
    centre = model.contributions(configurations).sum(axis=1)
    bounds = np.stack([centre - half, centre + half])
    if model.link == "log":
        with np.errstate(over="ignore"):
            bounds = np.exp(bounds)
    return bounds


def term_values(model: InfluenceModel, configurations: Configurations) -> Array:
    """Return the values of the model's terms, shape (n, terms)."""
    return replace(model, terms=tuple((term, 1.0) for term, _ in model.terms)).contributions(configurations)
