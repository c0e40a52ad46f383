"""The columns that aliases are found with, in any unit."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.projection.aliases import _standardised, _variation


@pytest.mark.parametrize("unit", [1e-20, 1e-3, 1.0, 1e5, 1e20])
def test_columns_in_any_unit(unit: float) -> None:
    """Standardised rows have mean 0 and norm 1 in any unit; those that are constant up to roundoff are 0."""
    rng = np.random.default_rng(0)
    columns = rng.normal(3, 1, (4, 30))
    columns[2:] = 7 + np.array([[0.0], [1e-13]]) * rng.normal(size=(2, 30))
    found = _standardised(unit * columns)
    np.testing.assert_allclose(found, _standardised(columns), atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose((found**2).sum(axis=1), [1, 1, 0, 0])
    weights = rng.uniform(1, 2, 30)
    variation = _variation(unit * columns * weights, weights)
    assert np.isinf(variation).tolist() == [False, False, True, True]
    np.testing.assert_allclose(variation[:2], unit**2 * 30 * columns[:2].var(axis=1), rtol=1e-9)
