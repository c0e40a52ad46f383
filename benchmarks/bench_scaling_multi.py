"""Scaling models of several parameters against the same search by one `lstsq` per hypothesis, side by side in one run.

Run by `make bench`. The ratio is at least 50.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from casestudies.scaling_evaluation.sparse_functions import cheapest_first, functions
from splc.scaling import fit_many
from splc.scaling.multi.default import LIKELY
from tests.support.scaling_oracle import search_naively

MODELS, NAIVE = 200, 6


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
            for terms, masks, _ in likely
        ]
        assert [[each for each in term if not each.is_constant] for term in model.terms] in expected
    assert ratio >= 50
