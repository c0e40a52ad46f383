"""The evaluation of inferred constraints: rows and tables."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.inferred_constraints import inference, learning
from casestudies.inferred_constraints.systems import inferred, measured_system, violated
from casestudies.inferred_constraints.tables import inference_table, learning_table
from sampling import Space
from splc.system.variability import VariabilityModel

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


def test_violated() -> None:
    """A clause or comparison of the description is violated if one configuration violates it."""
    free = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2]})
    stated = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2]}, ["!a | b", "a * x <= 2", "b * x <= 1"])
    assert list(violated(stated, Space(free).enumerate())) == [True, False, True]


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


def test_tables() -> None:
    """Shares are of all runs, errors medians."""
    row = {"system": "s", "share": 0.25, "rows": 9, "valid": 8, "inferred": 8, "without": 16}
    rows = [{**row, "stated": 4, "implied": 4 - at, "implied_without": 1, "wrongly_excluded": at} for at in range(3)]
    [line] = inference_table(rows).rows
    assert line == ("s", "25%", 3, 9, 2, 0.75, 0.25, "8", "8", "16")
    cells = [
        {"system": "s", "size": 50, "constraints": side, "printed": at, "full": at, "possible": at % 2, "better": 1.0}
        for side in (True, False)
        for at in range(3 + side)
    ]
    [line] = learning_table(cells).rows
    assert line == ("s", 50, 1.5, 1.0, 1.5, 1.0, "2 of 4", "1 of 3", 1.0, 1.0)
