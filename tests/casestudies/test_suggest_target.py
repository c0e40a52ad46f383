"""The evaluation of suggestions for a target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from casestudies.evaluation.run import run_evaluation
from casestudies.scaling_evaluation.target import NEVER, TargetEvaluation
from casestudies.scaling_evaluation.target_functions import LEAST, TARGET, target_functions
from casestudies.scaling_evaluation.target_runs import STRATEGIES


def test_functions_have_an_effect_of_every_parameter() -> None:
    """The values are positive, and no parameter can be left out at the target."""
    drawn = target_functions(2, 30, np.random.default_rng(0))
    assert drawn.points.shape == (25, 2)
    assert (drawn.values > 0).all()
    assert set(drawn.kinds) == {"sum", "product", "both"}
    # Every parameter adds a tenth at least from its smallest value to the target.
    assert (drawn.at_target >= drawn.values.min(axis=1) / (1 - LEAST)).all()
    assert TARGET[:2] == (256, 100)


def test_tables(tmp_path: Path) -> None:
    """Every strategy has a row of costs; stops are compared with the true value."""
    evaluation = TargetEvaluation(functions=2, parameters=(1,))
    result = run_evaluation(evaluation, tmp_path / "there", pictures=False)
    costs, stops = result.tables
    assert [row[3] for row in costs.rows] == list(STRATEGIES)
    assert all(row[4] == 2 for row in costs.rows)
    assert all(isinstance(row[6], float) and 0 < row[6] <= NEVER for row in costs.rows)
    ends = [row for row in result.rows if row["done"]]
    assert stops.rows[0][3:6] == (2, len(ends), sum(abs(row["predicted"] - 1) <= 0.05 for row in ends))
    whole = [row for row in result.rows if row["strategy"] == "random" and row["points"] == 5]
    assert [row["cost %"] for row in whole] == pytest.approx([100, 100])
