"""The evaluation of tuning runs: tuners, rows of a cell, tables, and the committed results."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import islice

import numpy as np
import pytest

from casestudies.evaluation.evaluation import rows_of as read_rows
from casestudies.report.page import blocks_of
from casestudies.tuning.page import HERE, blocks_of_page
from casestudies.tuning.rank import BUDGETS, RankEvaluation
from casestudies.tuning.samplers import TPE
from casestudies.tuning.summaries import summary_tables
from casestudies.tuning.tables import load
from casestudies.tuning.tuners import RANDOM, TREE, TUNE, rows_of

CASE = "BoomerAMG"


@pytest.mark.parametrize("tuner", [RANDOM, TREE, TPE, TUNE])
def test_tuners(tuner: str) -> None:
    """Every tuner runs as many rows as are asked for, the same ones for the same seed, and a tuning run repeats few."""
    if tuner == TPE and not find_spec("optuna"):
        pytest.skip("Optuna is not installed")
    table = load(CASE)
    one, same, other = (list(islice(rows_of(tuner, table, seed, 15), 15)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) >= (13 if tuner == TUNE else 15)
    assert max(one) < len(table.y)


def test_rows_of_a_cell() -> None:
    """A cell has a row whose ranks fall with the number of runs."""
    cell = {"system": CASE, "tuner": RANDOM, "seed": 3, "budgets": list(BUDGETS)}
    (found,) = RankEvaluation(systems=(CASE,)).rows(cell)
    ranks = [found[f"rank {budget}"] for budget in BUDGETS]
    assert ranks == sorted(ranks, reverse=True)
    table = load(CASE)
    assert (table.rank(table.y.min()), table.regret(table.y.min())) == (0, 0)
    assert table.regret(float(np.median(table.y))) == pytest.approx(100)


def test_tables() -> None:
    """The tables have means over the seeds, over all tables and for each."""
    rows = [
        {"system": "s", "tuner": tuner, "seed": seed, "area": 1.0, "near": 1, "ms": 2.0}
        | {f"{what} {budget}": (seed + 1) * factor for what in ("rank", "regret") for budget in BUDGETS}
        for tuner, factor in (("a", 1.0), ("b", 2.0))
        for seed in range(3)
    ]
    overall, each, *_ = summary_tables(rows, BUDGETS)
    assert [line[:2] for line in overall.rows] == [("a", 2.0), ("b", 4.0)]
    assert [line[:3] for line in each.rows] == [("s", "a", 2.0), ("", "b", 4.0)]
    # Two standard errors of 1, 2, 3.
    assert each.rows[0][5] == pytest.approx(2 / np.sqrt(3))


def test_committed_results() -> None:
    """The page shows what the committed table has."""
    page = (HERE / "README.md").read_text(encoding="utf-8")
    manifest = json.loads((HERE / "rank" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["state"] == "finished"
    rows = read_rows(HERE / "rank" / "table.csv")
    assert {row["tuner"] for row in rows} == {RANDOM, TREE, TPE, TUNE}
    published = any("(published)" in text for text in blocks_of_page().values())
    if published:
        assert blocks_of(page) == {name: text.rstrip() + "\n" for name, text in blocks_of_page().items()}
