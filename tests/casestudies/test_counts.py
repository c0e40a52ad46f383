"""Counts of hypre's solvers: exact formulas, sums of counts as times, and their committed rows."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.counts.costs import COUNTED, cost_row
from casestudies.counts.counting import INNER
from casestudies.counts.counts import AMG, LINE, columns_of, counted
from casestudies.counts.models import OPTIONS, model_row
from casestudies.evaluation.evaluation import rows_of
from tests.support.paths import CASES


def test_formulas_of_counts() -> None:
    """The formulas on the page are exact: messages in 1-D on powers of two, non-zeros and neighbours of level 0."""
    line = counted(LINE)
    line = line[np.log2(line.configurations.value("nx")) % 1 == 0]
    p, levels = line.configurations.value("px"), np.log2(line.configurations.value("nx"))
    sums = 6 * p * levels - 6 * levels - 6 * np.log2(p) + 16 * p - 16
    assert line["messages"] == pytest.approx(sums, abs=1e-9)
    assert line["rank_messages"][p >= INNER] == pytest.approx((6 * np.log2(p) + 6 * levels + 1)[p >= INNER], abs=1e-9)
    finest = counted(AMG)
    p, n = (columns_of(finest.configurations, kind) for kind in "pn")
    cells = (p * n).prod(axis=1)
    assert (finest["nnz_0"] == 7 * cells - 2 * (cells[:, np.newaxis] / (p * n)).sum(axis=1)).all()
    assert (finest["p_0"] == np.minimum(p, 3).sum(axis=1) - 3).all()


def test_committed_rows() -> None:
    """The committed rows are those that are computed now: a sum of counts within its goal, and exact models."""
    row = cost_row(system="SMG 3-D", counts=COUNTED)
    committed = rows_of(CASES / "counts" / "costs" / "table.csv")
    [known] = [each for each in committed if (each["system"], each["counts"]) == (row["system"], COUNTED)]
    assert row["held-out error"] == pytest.approx(known["held-out error"], rel=1e-4)
    assert row["held-out error"] < 12
    for learner in ("projection", "stepwise"):
        exact = model_row(system=LINE, count="rank_messages", variables=OPTIONS, learner=learner)
        assert (exact["terms"], exact["common"], exact["formula"], exact["error"] < 1e-3) == (3, 2, 2, True)
