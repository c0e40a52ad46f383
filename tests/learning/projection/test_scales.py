"""Residuals without extremes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection.constants import CLIP
from splc.learning.projection.scales import without_extremes


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=120))
def test_extremes_are_clipped_at_quantiles(values: list[float]) -> None:
    """The limits are numpy's quantiles."""
    residuals = np.array(values)
    expected = np.clip(residuals, *np.quantile(residuals, [CLIP, 1 - CLIP]))
    np.testing.assert_allclose(without_extremes(residuals), expected, rtol=1e-12, atol=1e-12)
