"""The hypothesis nearest to the median, and the plausible ones that models keep, by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.scaling import single
from splc.scaling.selection import MIN_SHARE, ROW, nearest_to_median
from splc.scaling.single import Posterior, plausible
from tests.support.examples import examples

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


@examples(15)
@given(seed=st.integers(0, 2**32), models=st.integers(1, 3), most=st.sampled_from([4, 200]))
def test_the_fewest_hypotheses_with_nearly_all_of_the_probability(seed: int, models: int, most: int) -> None:
    """Kept are the most plausible hypotheses, in this order, until 0.01 % of the probability is left."""
    rng = np.random.default_rng(seed)
    parts, known = [], []
    for kind in range(2):
        number = int(rng.integers(1, 12))
        first, second = rng.integers(-1, 5, number), rng.integers(-1, 5, number)
        constants = rng.integers(0, 2, number)
        sizes = (first >= 0).astype(int) + (second >= 0) + constants
        rows = np.zeros(number, ROW)
        rows["first"], rows["second"], rows["constant"] = first, second, constants
        logs = rng.exponential(6, (number, models)) * -1
        coefficients = rng.normal(size=(3, number, models))
        posterior = Posterior(rows, sizes, logs, coefficients, np.ones((number, models)))
        quantities = rng.permutation(models)
        parts.append((posterior, kind, quantities, np.zeros(models)))
        for column, model in enumerate(quantities.tolist()):
            for at in range(number):
                own = (first[at], second[at], constants[at] > 0, kind)
                known.append((model, logs[at, column], own, coefficients[:, at, column].tolist()))
    expected = []
    counts = []
    for model in range(models):
        ordered = sorted((each for each in known if each[0] == model), key=lambda each: -each[1])
        shares = [(each, np.exp(each[1] - ordered[0][1])) for each in ordered]
        shares = [(each, share) for each, share in shares if np.log(share) > MIN_SHARE]
        whole, before, kept = sum(share for _, share in shares), 0.0, 0
        for each, share in shares[:most]:
            if before < (1 - 1e-4) * whole:
                expected.append((model, *each[2], each[3]))
                kept += 1
            before += share
        counts.append(kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single, "MOST", most)
        found = plausible(parts, models)
    fields = [found.rows[name].tolist() for name in ("first", "second", "constant", "noise")]
    assert list(zip(found.model.tolist(), *fields, found.coefficients.T.tolist(), strict=True)) == expected
    assert found.counts.tolist() == counts
