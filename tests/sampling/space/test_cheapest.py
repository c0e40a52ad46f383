"""Costs of solutions of many binary variables."""

from __future__ import annotations

import numpy as np
import pytest

from sampling.space.cheapest import Costs


@pytest.mark.parametrize("size", [1, 8, 20, 40, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 90])
def test_costs_of_many_variables_are_exact(size: int) -> None:
    """Costs, and twice the cost that no solution has, fit into their type; selections are read from costs."""
    costs = Costs.ordered(dict.fromkeys(range(size), (0, 3)))
    limit = np.iinfo(np.int64).max
    assert costs.dtype == object or 2 * costs.never <= limit
    # Few variables need no Python integers.
    assert costs.dtype == object or size < 60
    assert costs.dtype == np.int64 or size > 40
    selected = np.random.default_rng(size).random((5, size)) < 0.5
    selected[0] = True
    sums = [sum(costs.of[variable][int(value)] for variable, value in enumerate(row)) for row in selected]
    assert all(total < costs.never for total in sums)
    found = np.unpackbits(costs.selections(np.array(sums, dtype=costs.dtype)), axis=1)[:, :size]
    assert found.tolist() == selected.astype(int).tolist()
