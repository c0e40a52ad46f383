"""Quantiles of Student's t distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit

from splc.learning.projection.student import MAX_FREEDOM, t_quantile


@pytest.mark.parametrize("probability", [0.55, 0.75, 0.95, 0.999])
def test_quantiles_are_those_of_scipy(probability: float) -> None:
    """Quantiles agree with scipy's for odd and even degrees of freedom, and beyond the largest sum."""
    freedom = np.array([*range(1, 12), 29, MAX_FREEDOM, MAX_FREEDOM + 1])
    found = [t_quantile(each, probability) for each in freedom.tolist()]
    assert found == pytest.approx(stdtrit(freedom, probability), rel=1e-10)
