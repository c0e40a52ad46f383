"""Intervals of the best of many predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.formats.models.stored_model import StoredModel
from splc.models.influence import InfluenceModel
from splc.models.terms import Factor, Term
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows import optimize

SYSTEM = VariabilityModel("made", tuple(BinaryOption(f"o{place:02d}") for place in range(24)))


@dataclass(frozen=True)
class Near:
    """Intervals at a distance from the predictions of a model."""

    model: InfluenceModel
    half: float
    level: float = 0.9

    def interval(self, configurations: Configurations) -> tuple[Array, Array]:
        """Return the ends of the intervals."""
        predicted = self.model.predict(configurations)
        return predicted - self.half, predicted + self.half


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize(("count", "constant"), [(0, 9.0), (2, 9.0), (20, -30.0), (20, 9.0)])
def test_the_worse_end(count: int, constant: float, *, maximize: bool) -> None:
    """The worse end is the farther away the more options are chosen; of positive values it is a factor."""
    terms = [(Term(), constant), *((Term((Factor(f"o{place:02d}"),)), 0.1 + place) for place in range(count))]
    model = InfluenceModel.of_system(terms, SYSTEM)
    near = Near(model, 2.0)
    result = optimize.best_configurations(
        [optimize.Objective("t", SYSTEM, StoredModel(model, intervals=near), maximize)], Space(SYSTEM)
    )
    best = result.candidates[0]
    [value] = best.values
    assert value.interval is not None
    low, high = (float(ends[0]) for ends in near.interval(best.configuration))
    times = max(1.0, math.sqrt(2 * math.log(count + 1)) / 1.645)
    assert (times > 1) == (count == 20)
    middle, half = (math.log(low * high) / 2, math.log(high / low) / 2) if low > 0 else ((low + high) / 2, 2.0)
    worse = middle + (-1 if maximize else 1) * times * half
    worse = math.exp(worse) if low > 0 else worse
    expected = (worse, high) if maximize else (low, worse)
    np.testing.assert_allclose((value.interval.low, value.interval.high), expected, rtol=1e-6)
