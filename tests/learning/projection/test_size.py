"""The size of the printed model: how far it may be from the full model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection.rows import Rows
from splc.learning.projection.size import KAPPA, projected
from tests.learning.projection.known_targets import BINARY, candidates_of, target_of


@pytest.mark.parametrize("share", [0.11, 0.12, 0.13, 0.2, 0.6, 1.5])
def test_distances_at_the_end_of_the_path(share: float) -> None:
    """A distance that no candidate removes is added to the tolerance if it is more than an eighth of it."""
    target = target_of(BINARY, lambda column: 10 + 6 * column("b0") + 0.2 * column("b1") * column("b2"), learned=20)

    def found(rms: float) -> tuple[float, float, float]:
        rows = Rows(replace(target, rms=rms, spread=rms))
        first = projected(rows, candidates_of(rows, 1), product=False)
        assert first.kappa == KAPPA
        return KAPPA * rows.tolerance, first.floor, first.tolerance

    # A path ends earlier where the tolerance is larger.
    end = found(1e-4)[1]
    for _ in range(5):
        allowed, end, tolerance = found(end / share / KAPPA)
    assert end == pytest.approx(share * allowed, rel=1e-6)
    assert tolerance == pytest.approx(np.hypot(allowed, end) if share > 0.125 else allowed, rel=1e-9)
