"""Tables of the marginal likelihood of residuals."""

from __future__ import annotations

import numpy as np
import pytest

from splc.scaling.evidence import NoiseEvidence, noise_evidence
from splc.scaling.noise import Condensed

SQUARES = np.exp(np.linspace(-66, 47, 900))


def evidence(repetitions: int) -> NoiseEvidence:
    """Return new tables for eight points."""
    values = np.full((1, 8), 3.0)
    squares = np.full(values.shape, 0.01 * (repetitions > 1))
    counts = np.full(values.shape, repetitions)
    return noise_evidence(Condensed(values, counts, squares, np.zeros(1, dtype=int)), values)


@pytest.mark.parametrize("free", [0, 1, 5, 120])
@pytest.mark.parametrize("order", [1, -1])
def test_evidence_does_not_depend_on_earlier_calls(free: int, order: int) -> None:
    """Tables are extended as sums of squares need it, without a change of any value."""
    whole, piecewise = evidence(4), evidence(4)
    row = np.zeros(1, dtype=int)
    expected = whole.judged(SQUARES, free, np.zeros(len(SQUARES), dtype=int))
    found = [piecewise.judged(SQUARES[at : at + 1], free, row) for at in range(len(SQUARES))[::order]][::order]
    for at in range(2):
        assert np.ravel([each[at] for each in found]) == pytest.approx(expected[at], rel=1e-12)
