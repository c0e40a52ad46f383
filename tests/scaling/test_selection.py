"""The choice among hypotheses that are about as plausible."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.scaling.selection import nearest_to_median

_VALUE = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([math.nan, math.inf, 1e308]))
_HYPOTHESIS = st.tuples(_VALUE, st.integers(0, 4), st.booleans())


@given(st.lists(st.lists(_HYPOTHESIS, min_size=1, max_size=6), min_size=1, max_size=4))
def test_the_nearest_to_the_median_is_that_of_a_plain_loop(quantities: list[list[tuple[float, int, bool]]]) -> None:
    """Quantities do not change each other's choice; without a defined likely value the first likely one is chosen."""
    expected, starts, model = list[int](), list[int](), list[int]()
    values, weights, likely = list[float](), list[float](), list[bool]()
    for number, hypotheses in enumerate(quantities):
        own = [(value, weight if math.isfinite(value) else 0, flag) for value, weight, flag in hypotheses]
        if not any(weight for _, weight, _ in own):
            own.append((0.0, 1, True))
        flags = [flag for _, _, flag in own]
        if not any(flags):
            flags[-1] = True
        repeated = sorted(value for value, weight, _ in own for _ in range(weight))
        middle = repeated[(len(repeated) - 1) // 2]
        distances = [min(abs(value - middle), 1.7e308) if math.isfinite(value) else 1.7e308 for value, _, _ in own]
        start = len(values)
        expected.append(start + min((at for at in range(len(own)) if flags[at]), key=lambda at: distances[at]))
        starts.append(start)
        values += [value for value, _, _ in own]
        weights += [float(weight) for _, weight, _ in own]
        likely += flags
        model += [number] * len(own)
    arrays = (np.array(values), np.array(weights), np.array(likely), np.array(model), np.array(starts))
    assert nearest_to_median(*arrays).tolist() == expected
