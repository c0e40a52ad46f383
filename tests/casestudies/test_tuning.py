"""The evaluation of tuning runs: tuners and rows of a cell."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import islice

import numpy as np
import pytest

from casestudies.tuning.choices import Choices
from casestudies.tuning.made_systems import MEDIAN, SIZES, made_system
from casestudies.tuning.models_afterwards import WAYS, ModelEvaluation
from casestudies.tuning.rank import BUDGETS, RankEvaluation
from casestudies.tuning.reported_values import BiasEvaluation
from casestudies.tuning.samplers import TPE
from casestudies.tuning.spaces import valid_near
from casestudies.tuning.tables import load
from casestudies.tuning.traps import TrapsEvaluation
from casestudies.tuning.tuners import OWN, RANDOM, TUNE, rows_of

CASE = "BoomerAMG"


@pytest.mark.parametrize("tuner", [RANDOM, *OWN, TPE, TUNE])
def test_tuners(tuner: str) -> None:
    """Every tuner runs as many rows as are asked for, the same ones for the same seed, and a tuning run repeats few."""
    if tuner == TPE and not find_spec("optuna"):
        pytest.skip("Optuna is not installed")
    table = load(CASE)
    one, same, other = (list(islice(rows_of(tuner, table, seed, 10), 10)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) >= (8 if tuner == TUNE else 10)
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


def test_made_systems() -> None:
    """The optimum is valid, runs there do not fail, no drawn configuration is better, and a trap is left."""
    for name in SIZES:
        system = made_system(name)
        assert system.space.check(system.optimum).all()
        assert not system.fails(system.optimum).any()
        assert system.values(system.optimum)[0] == pytest.approx(1)
        values = system.values(system.draws)
        assert values.min() > 1
        assert np.median(values) == pytest.approx(MEDIAN)
        assert 1e9 < system.space.count < 1e28
    assert TrapsEvaluation().rows({"system": "two options of 12", "tuner": TUNE, "seed": 0, "budget": 50})[0]["found"]


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


@pytest.mark.parametrize(
    "other", [(CASE, 20), pytest.param(("HSQLDB", 5), marks=(pytest.mark.slow, pytest.mark.real_data))]
)
def test_bias(other: tuple[str, int]) -> None:
    """The reported value of a replay differs from the true one by about its noise, otherwise for each table."""
    cells = [cell for _, cell in BiasEvaluation(systems=(CASE, "HSQLDB"), seeds=1).cells()]
    assert [(cell["system"], cell["noise"]) for cell in cells] == [
        (system, noise) for noise in (5, 20) for system in (CASE, "HSQLDB")
    ]
    chosen = [cell for cell in cells if (cell["system"], cell["noise"]) in ((CASE, 5), other)]
    found = [BiasEvaluation().rows({**cell, "budget": 30})[0] for cell in chosen]
    assert all(0 < abs(row["bias"]) < 10 and row["runs"] == 6 for row in found)
    assert found[0]["bias"] != found[1]["bias"]


@pytest.mark.parametrize(
    ("system", "budget"), [(CASE, 20), pytest.param("LLVM", 50, marks=(pytest.mark.slow, pytest.mark.real_data))]
)
def test_model_afterwards(system: str, budget: int) -> None:
    """Runs that explore make predictions better than those of the search alone."""
    cells = {cell["way"]: {**cell, "budget": budget} for _, cell in ModelEvaluation(systems=(system,), seeds=1).cells()}
    assert tuple(cells) == tuple(WAYS)
    rows = [row for way in ("explore 0", "explore 0.5") for row in ModelEvaluation().rows(cells[way])]
    assert rows[0]["error"] > rows[1]["error"] > 0
