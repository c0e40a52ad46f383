"""The evaluation of inferred constraints: rows."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.inferred_constraints import inference, learning
from casestudies.inferred_constraints.systems import inferred, measured_system

CASE = "SMG2000 1-D"


def test_rows_of_a_case_study() -> None:
    """All valid configurations of a system without constraints are those with the values of the rows."""
    evaluation = inference.InferenceEvaluation(systems=(CASE,), seeds=1)
    assert [cell["share"] for _, cell in evaluation.cells()] == list(inference.SHARES)
    [row] = evaluation.rows({"system": CASE, "share": 0.25, "seed": 0})
    assert row["wrongly_excluded"] == 0
    assert row["valid"] == row["inferred"] == row["without"]


@pytest.mark.real_data
def test_rows_of_a_described_system() -> None:
    """All rows of Dune give the constraint that its description has beside groups."""
    [row] = inference.InferenceEvaluation().rows({"system": "Dune", "share": 1.0, "seed": 0})
    assert (row["valid"], row["inferred"], row["without"]) == (2304, 2304, 2352)
    assert row["stated"] == row["implied"] == row["implied_without"] + 1


def test_inferred() -> None:
    """The system has the options of the description, and the values of the rows."""
    system = measured_system(CASE)
    found = inferred(system, np.arange(10))
    assert found.names == system.configurations.system.names


@pytest.mark.real_data
def test_learning() -> None:
    """With constraints, the best configuration is a possible one."""
    cell = {"system": "HSQLDB", "size": 50, "seed": 0, "constraints": True}
    [row] = learning.LearningEvaluation().rows(cell)
    assert row["possible"] == 1
    assert row["printed"] < 5
