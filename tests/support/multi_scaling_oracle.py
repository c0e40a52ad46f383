"""The learner for several parameters once more, by one `lstsq` after the other: what the fast one must agree with."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from splc.scaling.data import condensed
from splc.scaling.evidence import (
    LOG_DENSITY,
    NoiseEvidence,
    coefficient_density,
    noise_evidence,
)
from splc.scaling.multi.terms import ParameterTerms, combinations, falls, most_terms, parameter_terms
from splc.scaling.single import NO_CONSTANT_SHARE

# As in `splc.scaling.multi`.
BEHIND, CHOICES_BEHIND, CHOICES, CHOICES_OF_MORE = 7.0, 9.0, 256, 96


def search_naively(points: Any, values: Any) -> tuple[tuple[ParameterTerms, ...], list[tuple[float, Any]]]:
    """Return the terms, and all hypotheses with their log weights: (term of each parameter, products, coefficients).

    Args:
        points: distinct points, shape (n, parameters), every parameter with lines of three points.
        values: positive measurements, shape (n, repetitions).
    """
    mean = values.mean(axis=1)
    noise = noise_evidence(condensed(values[None], "mean"), mean[None])
    weights = 1 / mean
    z = mean * weights
    among = parameter_terms(points)
    short = [_shortlist(points, at, each, mean, z, weights, noise) for at, each in enumerate(among)]
    choices = sorted(
        ((sum(each[1] for each in some), at, some) for at, some in enumerate(itertools.product(*short))),
        key=lambda each: (-each[0], each[1]),
    )
    found = []
    for score, _, some in choices[: CHOICES if points.shape[1] <= 2 else CHOICES_OF_MORE]:
        if score <= -CHOICES_BEHIND:
            continue
        for each in combinations(points.shape[1]):
            # Parameters that are not active keep their first term: others would be the same hypothesis.
            if any(not each.active >> at & 1 and one[2] > 0 for at, one in enumerate(some)):
                continue
            for constant in (True, False):
                size = len(each.products) + constant
                if not 0 < size < len(points):
                    continue
                masks = ((0,) if constant else ()) + each.products
                columns = np.array([_product(mask, some, among) for mask in masks]).T
                prior = each.log_prior
                if each.products:
                    prior += np.log(1 - NO_CONSTANT_SHARE if constant else NO_CONSTANT_SHARE)
                active = [at for at in range(len(among)) if each.active >> at & 1]
                prior += sum(float(among[at].log_prior[some[at][0]]) for at in active)
                weight = _weight(columns, weights, z, noise)
                if weight is not None:
                    terms = tuple(one[0] for one in some)
                    found.append((weight[0] + prior, (terms, masks, weight[1])))
    return among, sorted(found, key=lambda each: -each[0])


def _product(mask: int, some: Any, among: Any) -> Any:
    values = np.ones(among[0].columns.shape[1])
    for at, one in enumerate(some):
        if mask >> at & 1:
            values = values * among[at].columns[one[0]]
    return values


def _weight(columns: Any, weights: Any, z: Any, noise: NoiseEvidence) -> Any:
    design = columns * weights[:, None]
    norms = np.linalg.norm(design, axis=0)
    design = design / norms
    coefficients, _, rank, _ = np.linalg.lstsq(design, z, rcond=1e-9)
    size = design.shape[1]
    if rank < size:
        return None
    (evidence,), (spread,) = noise.judged(np.array([((z - design @ coefficients) ** 2).sum()]), len(z) - size)
    covariance = np.linalg.inv(design.T @ design)
    units = np.sqrt(np.diag(covariance))
    found = float(evidence) + 0.5 * np.linalg.slogdet(covariance)[1]
    for at in range(size):
        found += LOG_DENSITY + float(np.log(coefficient_density(coefficients[at], units[at] * spread)))
    return found, coefficients / norms


def _shortlist(
    points: Any, at: int, among: ParameterTerms, mean: Any, z: Any, weights: Any, noise: NoiseEvidence
) -> list[tuple[int, float, int]]:
    """Return (term, score, place) of the terms that are considered."""
    others = np.delete(points, at, axis=1)
    groups = [np.flatnonzero((others == one).all(axis=1)) for one in np.unique(others, axis=0)]
    groups = [rows for rows in groups if len(rows) >= 3]
    covered = sum(map(len, groups))
    scores = np.full(len(among.terms), -np.inf)
    for constant in (True, False):
        own = []
        for term in among.columns:
            residual = 0.0
            for rows in groups:
                design = np.array([np.ones(len(rows)), term[rows]] if constant else [term[rows]]) * weights[rows]
                left = z[rows] - design.T @ np.linalg.lstsq(design.T, z[rows], rcond=None)[0]
                residual += max(float((left**2).sum()), 1e-15 * float((z[rows] ** 2).sum()))
            free = covered - (1 + constant) * len(groups)
            own.append(float(noise.judged(np.array([residual]), max(free, 0))[0][0]))
        each = np.array(own) + among.log_prior
        scores = np.maximum(scores, each - each.max())
    if not falls(points, mean[None], at)[0]:
        scores = np.where(among.falling, -np.inf, scores)
    order = np.argsort(-scores, kind="stable")[: most_terms(points.shape[1])]
    best = scores[order[0]]
    return [
        (int(term), float(scores[term] - best), place)
        for place, term in enumerate(order)
        if scores[term] - best > -BEHIND
    ]
