"""Misfit: the part of the residuals that neighbouring points have in common, where no hypothesis is exact.

Noise differs from point to point. Residuals that are alike along lines say that the behaviour is not among the
hypotheses, or only near some points. The hypotheses are then fitted to the points near the largest values, from which
predictions start: the part of the variance that neighbours have in common grows with the distance from there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.scaling.evidence import NoiseEvidence
from splc.scaling.multi.lines import lines
from splc.types import Array

# The correlation of neighbouring residuals, less this number of its standard errors, is the share in common.
_SURE = 1.0
# The size of the misfit where all parameters have their smallest values, relative to that at the largest ones, as a
# natural logarithm: for the fit, and the candidates for intervals.
_GROWTH = 6.0
_GROWTHS = np.linspace(0, _GROWTH, 25)
# Smaller residuals are those of rounding: they are alike, and no misfit.
_ROUNDING = 1e-8
# Residuals of outliers count as this number of robust standard deviations.
_CLIPPED = 3.0


def shared(points: Array, residuals: Array) -> Array:
    """Return the share of the residuals' variance that neighbouring points have in common, shape (models,).

    `points`: shape (n, parameters). `residuals`: weighted, shape (models, n).
    """
    along = [rows for parameter in range(points.shape[1]) for rows in lines(points, parameter)]
    if not along:
        return np.zeros(len(residuals))
    first, second = (np.concatenate(ends) for ends in zip(*((row[:-1], row[1:]) for row in along), strict=True))
    limit = 1.4826 * _CLIPPED * np.median(np.abs(residuals), axis=1, keepdims=True)
    clipped = np.clip(residuals, -limit, limit)
    variance = (clipped**2).mean(axis=1)
    common = (clipped[:, first] * clipped[:, second]).mean(axis=1)
    correlation = np.divide(common, variance, out=np.zeros(len(common)), where=variance > _ROUNDING**2)
    return np.asarray(np.clip(correlation - _SURE / np.sqrt(len(first)), 0.0, 1.0))


def sizes(points: Array, x: Array, share: Array, growth: float = _GROWTH) -> Array:
    """Return the size of noise with misfit at points x relative to that at the largest values, shape (models, points).

    `points`: those that were measured. `share`: that of the misfit in the variance, shape (models,).
    """
    with np.errstate(divide="ignore"):
        lowest = np.where(points > 0, points, np.inf).min(axis=0)
        logs = np.log(np.maximum(np.vstack([points, x]), lowest))
    known = logs[: len(points)]
    ranges = np.ptp(known, axis=0)
    distances = np.abs(known.max(axis=0) - logs[len(points) :]) / np.where(ranges > 0, ranges, 1.0)
    return np.asarray(np.sqrt(1 + share[:, None] * np.expm1(2 * growth * distances.mean(axis=1))))


def growth_shown(points: Array, share: float, residuals: Array, noise: float) -> float:
    """Return the growth of the misfit with the distance from the largest values that residuals show.

    `residuals`: relative to the size of noise, shape (n,). `noise`: standard deviation at the largest values.
    """
    shown = [
        float(((residuals / sizes(points, points, np.array([share]), growth)[0]) ** 2).mean())
        for growth in _GROWTHS.tolist()
    ]
    return float(_GROWTHS[min(int((np.array(shown) > noise**2).sum()), len(_GROWTHS) - 1)])


def larger(noise: NoiseEvidence, size: Array) -> NoiseEvidence:
    """Return noise that is larger at some points, by the factors `size`, shape (models, n)."""
    return replace(noise, weights=noise.weights / size, density=noise.density - np.log(size).sum(axis=1))
