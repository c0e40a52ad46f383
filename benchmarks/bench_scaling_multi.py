"""Scaling models of several parameters against the same search by one `lstsq` per hypothesis, side by side in one run.

Run by `make bench`. The ratio is at least 50.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest

from casestudies.scaling_evaluation.sparse_functions import cheapest_first, functions
from splc.scaling import fit_many
from splc.scaling.data import condensed
from splc.scaling.evidence import NoiseEvidence, noise_evidence
from splc.scaling.multi.default import LIKELY
from splc.scaling.multi.terms import ParameterTerms, combinations, falls, most_terms, parameter_terms
from splc.types import Array
from tests.support.scaling_oracle import hypothesis_weights

MODELS, NAIVE = 200, 6
# As in `splc.scaling.multi`.
BEHIND, CHOICES_BEHIND, CHOICES, CHOICES_OF_MORE = 7.0, 9.0, 256, 96


def search_naively(points: Array, values: Array) -> tuple[tuple[ParameterTerms, ...], list[tuple[float, Any]]]:
    """Return the terms, and all hypotheses with their log weights: (term of each parameter, products).

    `points`: distinct ones, shape (n, parameters), each parameter with lines of three points; `values`: positive.
    """
    mean = values.mean(axis=1)
    noise = noise_evidence(condensed(values[None], "mean"), mean[None])
    among, weigh = parameter_terms(points), hypothesis_weights(points, values)
    short = [_shortlist(points, at, each, mean, noise) for at, each in enumerate(among)]
    choices = sorted(
        ((sum(each[1] for each in some), at, some) for at, some in enumerate(itertools.product(*short))),
        key=lambda each: (-each[0], each[1]),
    )
    found = []
    for score, _, some in choices[: CHOICES if points.shape[1] <= 2 else CHOICES_OF_MORE]:
        if score <= -CHOICES_BEHIND:
            continue
        terms = tuple(one[0] for one in some)
        for each in combinations(points.shape[1]):
            # Parameters that are not active keep their first term: others would be the same hypothesis.
            if any(not each.active >> at & 1 and one[2] > 0 for at, one in enumerate(some)):
                continue
            both = ((0, *each.products), each.products)
            found += [(weigh(terms, masks)[0], (terms, masks)) for masks in both if 0 < len(masks) < len(points)]
    return among, sorted(found, key=lambda each: -each[0])


def _shortlist(
    points: Array, at: int, among: ParameterTerms, mean: Array, noise: NoiseEvidence
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
                design = np.array([np.ones(len(rows)), term[rows]] if constant else [term[rows]]) / mean[rows]
                left = 1 - design.T @ np.linalg.lstsq(design.T, np.ones(len(rows)), rcond=None)[0]
                residual += max(float((left**2).sum()), 1e-15 * len(rows))
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


@pytest.mark.parametrize(("parameters", "size"), [(2, 11), (2, 25), (3, 13), (3, 125)])
def test_models_against_a_plain_loop(benchmark: Any, parameters: int, size: int) -> None:
    """The learner finds the plain loop's model, at least 50 times as fast."""
    rng = np.random.default_rng([1, parameters])
    drawn = functions(parameters, MODELS, rng)
    measured = drawn.values[:, :, None] * (1 + rng.uniform(-0.05, 0.05, (*drawn.values.shape, 4)))
    rows = np.sort(cheapest_first(drawn.points, drawn.points.prod(axis=1))[:size])
    points, values = drawn.points[rows], measured[:, rows]

    times = []
    for _ in range(4):
        started = time.process_time()
        models = fit_many(points, values, aggregate="mean")
        times.append((time.process_time() - started) / MODELS)
    fast = min(times)
    benchmark.pedantic(lambda: fit_many(points, values, aggregate="mean"), rounds=3)
    started = time.process_time()
    plain = [search_naively(points, each) for each in values[:NAIVE]]
    slow = (time.process_time() - started) / NAIVE
    ratio = slow / fast
    benchmark.extra_info["times the plain loop"] = round(ratio, 1)
    print(f"\n{parameters} parameters, {size} points: {1e3 * fast:.2f} ms per model, {ratio:.0f} times the plain loop")
    for (among, found), model in zip(plain, models, strict=False):
        # The model may be another hypothesis that is about as plausible as the best.
        likely = [each for weight, each in found if weight >= found[0][0] + np.log(LIKELY) - 1e-6]
        expected = [
            [[among[at].terms[one] for at, one in enumerate(terms) if mask >> at & 1] for mask in masks]
            for terms, masks in likely
        ]
        assert [[each for each in term if not each.is_constant] for term in model.terms] in expected
    assert ratio >= 50
