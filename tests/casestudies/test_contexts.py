"""The evaluation of contexts that are learned together: rows, table, and the committed results."""

from __future__ import annotations

import json
from pathlib import Path

from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.page import HERE, blocks_of_page
from casestudies.contexts.systems import SYSTEMS, contexts_of
from casestudies.contexts.tables import METHODS, few_table
from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import blocks_of
from tests.support.real_data import needs_data


@needs_data
def test_contexts_of_a_group() -> None:
    """The members of a group are contexts; their configurations do not have the options of the group."""
    found = contexts_of("x264 by ref")
    assert {value: len(table.values) for value, table in found.items()} == {"ref_1": 384, "ref_5": 384, "ref_9": 384}
    names = found["ref_1"].configurations.system.names
    assert "no_cabac" in names
    assert not any(name.startswith("ref") for name in names)


@needs_data
def test_rows() -> None:
    """Every context has a row per method; with the rows of the others the error is smaller."""
    rows = FewRowsEvaluation().rows({"system": "imagemagick", "size": 10, "seed": 0})
    assert [row["method"] for row in rows] == 4 * list(METHODS)
    mean = {method: sum(row["mean"] for row in rows if row["method"] == method) for method in METHODS}
    assert mean["together"] < mean["alone"]


def test_table() -> None:
    """Errors are averages over contexts and seeds."""
    rows = [
        {"system": "s", "size": 5, "seed": seed, "method": method, "mean": mean, "median": 1.0, "inside": 0.9}
        for method, mean in zip(METHODS, (2.0, 3.0, 4.0, 5.0), strict=True)
        for seed in (0, 1)
    ]
    [line] = few_table(rows).rows
    assert line == ("s", 5, "2 / 1", "3 / 1", "4 / 1", "5 / 1", 0.5, 1.0, 90.0, 90.0)


def test_committed_results() -> None:
    """The committed results are finished, have all systems, and are on the page."""
    assert json.loads((HERE / "few" / "manifest.json").read_text(encoding="utf-8"))["state"] == "finished"
    assert {row["system"] for row in rows_of(HERE / "few" / "table.csv")} == set(SYSTEMS)
    found = blocks_of(Path(HERE / "README.md").read_text(encoding="utf-8"))
    assert found["few"] == blocks_of_page()["few"].rstrip() + "\n"
