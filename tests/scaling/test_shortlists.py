"""The plausible hypotheses that models keep, by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.scaling.mixture import MIN_SHARE
from splc.scaling.selection import ROW
from splc.scaling.single import default as module
from splc.scaling.single.default import plausible
from splc.scaling.single.posterior import Posterior
from tests.support.examples import examples


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
        parts.append((posterior, kind, quantities, logs))
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
        patch.setattr(module, "MOST", most)
        found = plausible(parts, models)
    fields = [found.rows[name].tolist() for name in ("first", "second", "constant", "noise")]
    assert list(zip(found.model.tolist(), *fields, found.coefficients.T.tolist(), strict=True)) == expected
    assert found.counts.tolist() == counts
    assert [len(each.rows) for each in found.shortlists(falling=False)] == counts
