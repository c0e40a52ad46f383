"""Diversified distance-based sampling against enumeration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sampling import Space, draw_sample, parse_spec, sample
from splc.system.variability import VariabilityModel
from splc.types import Array


def spread(rows: Array, distance_of: Array) -> float:
    """Return the mean over distances of the sum of squared counts of options."""
    return float(np.mean([(rows[distance_of == d].sum(axis=0).astype(float) ** 2).sum() for d in set(distance_of)]))


@pytest.mark.real_data
@pytest.mark.parametrize("weights", ["1", "2", "1-2"])
@pytest.mark.parametrize("name", ["LLVM", "x264"])
def test_diversified_samples_use_options_more_evenly(
    name: str, weights: str, real_model: Callable[[str], VariabilityModel]
) -> None:
    """With the same distances, options are selected more equally often than without the optimisation."""
    model = real_model(name)
    for seed in range(3):
        plain = sample(model, f"distaware:60,seed={seed}").indices
        diverse = sample(model, f"distaware:60,seed={seed},optimization=local,weights={weights}").indices
        sizes = plain.sum(axis=1)
        assert sorted(sizes) == sorted(diverse.sum(axis=1))
        assert spread(diverse, diverse.sum(axis=1)) < 0.99 * spread(plain, sizes)


@pytest.mark.real_data
@pytest.mark.parametrize("optimization", ["local", "global"])
@pytest.mark.parametrize("weights", [(1, 1), (2, 2), (1, 2)])
def test_diversified_configurations_have_the_least_used_options(
    optimization: str, weights: tuple[int, int], real_model: Callable[[str], VariabilityModel]
) -> None:
    """Each configuration has the least number of earlier uses of its options among those with its distance."""
    model = real_model("x264")
    everything = Space(model).enumerate().indices.astype(int)
    spec = f"distaware:40,optimization={optimization},weights={weights[0]}-{weights[1]}"
    found = sample(model, spec, seed=1).indices.astype(int)

    def uses(rows: Array, earlier: Array) -> Array:
        common = rows @ earlier.T
        single, pairs = common.sum(axis=1), (common * (common - 1) // 2).sum(axis=1)
        return np.asarray({(1, 1): single, (2, 2): pairs, (1, 2): single + pairs}[weights])

    for number, row in enumerate(found):
        earlier = found[:number]
        counted = earlier if optimization == "global" else earlier[earlier.sum(axis=1) == row.sum()]
        candidates = everything[everything.sum(axis=1) == row.sum()]
        unused = np.array([row.tolist() not in earlier.tolist() for row in candidates])
        assert uses(row[None], counted)[0] == uses(candidates[unused], counted).min()


@pytest.mark.real_data
def test_divdistance_is_distaware_with_local_optimisation(real_model: Callable[[str], VariabilityModel]) -> None:
    """The name of the published strategy, and its options."""
    model = real_model("x264")
    one = sample(model, "divdistance:30", seed=4)
    two = draw_sample(model, parse_spec("distaware:30,optimization=local+ff"), 4).configurations
    assert one.indices.tolist() == two.indices.tolist()
