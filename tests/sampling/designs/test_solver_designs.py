"""Samples in the order of a solver."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from sampling import Space, sample
from splc.system.variability import VariabilityModel


@pytest.mark.real_data
def test_solver_order_is_lexicographic(real_model: Callable[[str], VariabilityModel]) -> None:
    """Without a seed the first selections are the first that are listed; a seed draws another order."""
    model = real_model("Dune")
    listed = Space(model).enumerate().indices[:25].tolist()
    assert sample(model, "solver:25").indices.tolist() == listed
    shuffled = sample(model, "solver:25,seed=1").indices
    assert shuffled.tolist() != listed
    # Neighbours in a solver's order share most decisions, those of a randomised one do not.
    changes = [
        np.mean([(one != other).sum() for one, other in pairwise(rows)])
        for rows in (shuffled, sample(model, "henard:25,seed=1").indices)
    ]
    assert changes[0] < changes[1]


@pytest.mark.real_data
def test_henard_finds_every_selection(real_model: Callable[[str], VariabilityModel]) -> None:
    """A sample may be as large as the space."""
    model = real_model("LLVM")
    assert len(sample(model, "henard:1024").unique()) == 1024
