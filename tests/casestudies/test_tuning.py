"""The evaluation of tuning runs: tuners, rows of a cell, tables, and the committed results."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import islice

import numpy as np
import pytest

from casestudies.evaluation.evaluation import rows_of as read_rows
from casestudies.report.page import blocks_of
from casestudies.tuning.choices import Choices
from casestudies.tuning.made_systems import MEDIAN, SIZES, made_system
from casestudies.tuning.page import HERE, blocks_of_page
from casestudies.tuning.rank import BUDGETS, RankEvaluation
from casestudies.tuning.samplers import TPE
from casestudies.tuning.spaces import MadeRuns, found_by, valid_near
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


def test_made_systems() -> None:
    """The optimum is valid, runs there do not fail, and no valid configuration that is drawn is better."""
    for name in SIZES:
        system = made_system(name)
        assert system.space.check(system.optimum).all()
        assert not system.fails(system.optimum).any()
        assert system.values(system.optimum)[0] == pytest.approx(1)
        values = system.values(system.draws)
        assert values.min() > 1
        assert np.median(values) == pytest.approx(MEDIAN)
        assert 1e9 < system.space.count < 1e28


def test_valid_near() -> None:
    """A configuration that is not valid becomes one that is valid, and equals it in most options."""
    system = made_system("40 options")
    choices = Choices(system.space.system)
    rng = np.random.default_rng(0)
    for seed in range(3):
        wanted = choices.configuration(rng.integers(0, np.array(choices.sizes)))
        found = valid_near(system.space, wanted, seed)
        assert system.space.check(found).all()
        assert (found.indices == wanted.indices).mean() > 0.7
    codes = choices.codes(system.draws)
    assert (choices.configuration(codes[3]).indices == system.draws.indices[3]).all()


def test_runs_of_spaces() -> None:
    """Every tuner finds a valid configuration; a tuning run finds a better one than random runs."""
    system = made_system("24 options")
    values = {}
    for tuner in (RANDOM, TUNE):
        runs = MadeRuns(system, 0)
        found = found_by(tuner, runs, 0, 40)
        assert len(runs.values) == 40
        assert system.space.check(found).all()
        values[tuner] = float(system.values(found)[0])
    assert 1 <= values[TUNE] < values[RANDOM]
