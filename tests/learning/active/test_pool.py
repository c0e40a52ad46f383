"""The pool of configurations that suggestions are taken from and judged at."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.learning.active.pool import Pool
from splc.learning.projection.order import hash_order
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel

SPACE = Space(VariabilityModel("twelve", tuple(BinaryOption(f"b{at}") for at in range(12)))).enumerate()


@pytest.mark.parametrize(("number", "most"), [(300, 50), (500, 100), (501, 501), (4096, 700), (4096, 2000)])
@pytest.mark.parametrize("share", [None, 0.3])
def test_pool(number: int, most: int, share: float | None) -> None:
    """500 configurations are the reference, and the first of those that may be suggested are candidates."""
    space = SPACE[np.random.default_rng(0).permutation(4096)[:number]]
    allowed = None if share is None else np.random.default_rng(1).random(number) < share
    pool = Pool.of(space, allowed, most)
    order = hash_order(space)
    first = [space.indices[at].tobytes() for at in order[:500]]
    assert [pool.configurations.indices[at].tobytes() for at in pool.reference] == first
    usable = [at for at in order if allowed is None or allowed[at]]
    wanted = {space.indices[at].tobytes() for at in usable[:most]}
    wanted |= {space.indices[at].tobytes() for at in set(order[:500].tolist()) & set(map(int, usable))}
    assert {row.tobytes() for row in pool.configurations.indices[pool.candidates]} == wanted
    assert len(pool) == len(wanted | set(first))
