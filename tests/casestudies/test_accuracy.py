"""The evaluations of learners and of tuning runs: splits, generated systems, rows, and tables."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casestudies.accuracy import real_systems, systems
from casestudies.accuracy.__main__ import main
from casestudies.accuracy.generator import NFP, NOISE, Truth, truth
from casestudies.accuracy.known_truth import calibrated, recovered
from casestudies.accuracy.page import summary
from casestudies.accuracy.real_systems import RealEvaluation, run_row
from casestudies.accuracy.real_tables import spread_of, tables_of
from casestudies.accuracy.truth_pictures import calibration
from casestudies.evaluation.evaluation import rows_of
from casestudies.evaluation.run import run_evaluation
from casestudies.tuning.choices import Choices
from casestudies.tuning.made_systems import MEDIAN, SIZES, made_system
from casestudies.tuning.models_afterwards import WAYS, ModelEvaluation
from casestudies.tuning.rank import BUDGETS, RankEvaluation
from casestudies.tuning.reported_values import BiasEvaluation
from casestudies.tuning.samplers import TPE
from casestudies.tuning.spaces import valid_near
from casestudies.tuning.tables import load
from casestudies.tuning.traps import TrapsEvaluation
from casestudies.tuning.tuners import OWN, RANDOM, TUNE
from casestudies.tuning.tuners import rows_of as tuned_rows
from sampling import Space
from splc.errors import LearningError
from splc.learning import learn
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel
from splc.models.terms import option_term

CASE = "SMG2000 1-D, solve_seconds"


@pytest.mark.real_data
@pytest.mark.parametrize("name", systems.SIZES)
def test_published_splits(name: str) -> None:
    """The learning set of run m of the i-th size is the begin of the permutation with the seed 30 i + m."""
    total = len(systems.load(name).measurements)
    assert total == {"x264": 1152, "LLVM": 1024}.get(name, 2304)
    for place, size in enumerate(systems.sizes(name)):
        for run in (1, 30):
            order = np.random.RandomState(30 * place + run).permutation(total)
            assert systems.learning_set(name, size, run).tolist() == order[: int(size)].tolist()


@pytest.mark.parametrize("index", [*range(10), 66, 131, 199])
def test_generated_system(index: int) -> None:
    """A system is valid and distinct, and its measured values are those of its model, up to the stated noise."""
    one = truth(index)
    configurations, values = one.measurements.configurations, one.true_values
    assert Space(one.measurements.system).check(configurations).all()
    assert len(configurations.unique()) == len(configurations) > one.rows >= 20
    total = np.zeros(len(values))
    for term, influence in one.model.terms:
        total += influence * term.evaluate(configurations.column)
    assert values == pytest.approx(np.exp(total) if one.kind == "multiplicative" else total)
    assert (values > 0).all()
    deviation = one.measurements[NFP] / values - 1
    assert abs(deviation).max() <= 3 * one.noise + 1e-12
    assert np.std(deviation) == pytest.approx(one.noise, rel=0.2, abs=1e-12)
    assert 2 <= len(one.keys(one.model)) == len(one.model.terms) - 1 <= min(15, one.rows // 3)


@pytest.mark.parametrize("number", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_the_generated_systems_are_varied(number: int) -> None:
    """Both kinds, all styles, noise levels, and systems with constraints and groups occur; draws are repeatable."""
    found = [truth(index) for index in range(number)]
    assert {one.kind for one in found} == {"additive", "multiplicative"}
    cells = {(one.kind, one.style, one.noise) for one in found}
    assert len(cells) == 2 * 3 * len(NOISE)
    assert sum(bool(one.measurements.system.constraints) for one in found) > number / 5
    assert sum(bool(one.groups) for one in found) > number / 5
    sizes = [len(one.measurements.system.options) for one in found]
    assert (min(sizes), max(sizes) > 35) == (3, True)
    assert str(truth(7).model) == str(found[7].model)
    assert truth(7).measurements[NFP].tolist() == found[7].measurements[NFP].tolist()


def result_of(one: Truth, model: InfluenceModel, estimates: tuple[InfluenceEstimate, ...] = ()) -> Any:
    """Return a result of learning with another model."""
    result = learn(one.measurements, NFP, "splconqueror", learner="stepwise", learning_set=np.arange(one.rows))
    return replace(result, predictor=model, estimates=estimates)


def test_the_truth_recovers_itself() -> None:
    """The true model has all true terms and no false one; one more term is false, one less is not found."""
    one = truth(0)
    number = len(one.model.terms) - 1
    assert recovered(result_of(one, one.model), one) == {
        "true terms": number,
        "true terms found": number,
        "false terms": 0,
        "true sets": len(one.sets(one.model)),
        "true sets found": len(one.sets(one.model)),
        "false sets": 0,
    }
    unused = sorted(set(one.measurements.system.names) - one.model.options)[0]
    pairs = [*one.model.terms[:-1], (option_term(unused), 1.0)]
    found = recovered(result_of(one, InfluenceModel.of_system(pairs, one.measurements.system)), one)
    assert (found["true terms found"], found["false terms"], found["false sets"]) == (number - 1, 1, 1)
    product = InfluenceModel.of_system(one.model.terms, one.measurements.system, "log")
    assert recovered(result_of(one, product), one) == {}


def test_calibration_counts_right_signs() -> None:
    """Estimates of true terms count as right with the true sign, and as covered inside of their interval."""
    one = truth(0)
    terms = [(term, influence) for term, influence in one.model.terms if term.factors]
    estimates = tuple(
        InfluenceEstimate(term, sign * influence, 1.0, influence - 1, influence + 1, 0.97)
        for (term, influence), sign in zip(terms, itertools.chain([-1], itertools.repeat(1)), strict=False)
    )
    found = calibrated(result_of(one, one.model, estimates), one)
    assert (found["P 0.95"], found["P 0.95 right"]) == (len(terms), len(terms) - 1)
    assert (found["influences"], found["influences covered"]) == (len(terms), len(terms))
    assert found["P 0.95 sum"] == pytest.approx(0.97 * len(terms))
    assert (found["settled"], found["settled and true"]) == (len(terms), len(terms))
    assert found["P 0.99"] == found["P 0.5"] == 0


def test_run_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in which nothing can be learned has a row with the reason."""

    def fail(*_: Any, **__: Any) -> None:
        raise LearningError("nothing can be learned")

    monkeypatch.setattr(real_systems, "learn", fail)
    row = run_row("stepwise", CASE, "pb:9,3", 1)
    assert row["reason"] == "nothing can be learned"
    assert "error" not in row


def test_tables(tmp_path: Path) -> None:
    """Two learners on a case study: tables with their means, a row per cell, and the same rows from the CSV."""
    learners = ("stepwise", "tree")
    evaluation = RealEvaluation(learners=learners, systems=(CASE,), most=2)
    result = run_evaluation(evaluation, tmp_path, pictures=False)
    assert len(result.rows) == 2 * (1 + 1 + 1 + 2)
    (table,) = result.tables
    assert table.columns == ("system", "design", "runs", *learners)
    errors = [row["error"] for row in result.rows if (row["learner"], row["size"]) == ("tree", "random:50")]
    assert table.rows[-1][2:] == ("2", table.rows[-1][3], spread_of(errors))
    rows = rows_of(tmp_path / "table.csv")
    assert tables_of(rows) == (table,)
    shown = summary(rows)
    assert [line[1] for line in shown.rows] == list(systems.DESIGNS)
    assert shown.rows[-1][shown.columns.index("best baseline")] == f"{np.mean(errors):.3g} (tree)"
    worse = [{**row, "learner": "knn", "error": row["error"] + 1} for row in rows if row["learner"] == "tree"]
    assert summary([*rows, *worse]) == shown
    again = run_evaluation(evaluation, tmp_path, pictures=False)
    assert (again.found, again.files) == (len(evaluation.tasks()), result.files)


@pytest.mark.parametrize(
    ("preset", "picture"), [("noise", "noise"), pytest.param("truth", "recovery", marks=pytest.mark.slow)]
)
def test_command(preset: str, picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command limits learners and systems, and prints one JSON object."""
    arguments = [preset, "--learners", "stepwise,tree", "--most", "3", "-j", "1", "-o", str(tmp_path), "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["learner"], row["system"]) for row in found["rows"]] == [
        (learner, number) for learner in ("stepwise", "tree") for number in range(3)
    ]
    assert found["files"][:1] == [f"pictures/{picture}.png"]


@pytest.mark.parametrize("number", [5, 13])
def test_calibration_of_signs_that_are_all_right(number: int) -> None:
    """The bars of a share are not negative where rounding puts a bound of 100 % below it."""
    row = {"influences": number, "P 0.99": number, "P 0.99 sum": 0.995 * number, "P 0.99 right": number}
    assert calibration([row]).startswith(b"\x89PNG")


BOOMERAMG = "BoomerAMG"


@pytest.mark.parametrize("tuner", [RANDOM, *OWN, TPE, TUNE])
def test_tuners(tuner: str) -> None:
    """Every tuner runs as many rows as are asked for, the same ones for the same seed, and a tuning run repeats few."""
    if tuner == TPE and not find_spec("optuna"):
        pytest.skip("Optuna is not installed")
    table = load(BOOMERAMG)
    one, same, other = (list(islice(tuned_rows(tuner, table, seed, 10), 10)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) >= (8 if tuner == TUNE else 10)
    assert max(one) < len(table.y)


def test_rows_of_a_cell() -> None:
    """A cell has a row whose ranks fall with the number of runs."""
    cell = {"system": BOOMERAMG, "tuner": RANDOM, "seed": 3, "budgets": list(BUDGETS)}
    (found,) = RankEvaluation(systems=(BOOMERAMG,)).rows(cell)
    ranks = [found[f"rank {budget}"] for budget in BUDGETS]
    assert ranks == sorted(ranks, reverse=True)
    table = load(BOOMERAMG)
    assert (table.rank(table.y.min()), table.regret(table.y.min())) == (0, 0)
    assert table.regret(float(np.median(table.y))) == pytest.approx(100)


def test_made_systems() -> None:
    """The optimum is valid, runs there do not fail, and no drawn configuration is better, and a trap is left."""
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
    "other", [(BOOMERAMG, 20), pytest.param(("HSQLDB", 5), marks=(pytest.mark.slow, pytest.mark.real_data))]
)
def test_bias(other: tuple[str, int]) -> None:
    """The reported value of a replay differs from the true one by about its noise, otherwise for each table."""
    cells = [cell for _, cell in BiasEvaluation(systems=(BOOMERAMG, "HSQLDB"), seeds=1).cells()]
    assert [(cell["system"], cell["noise"]) for cell in cells] == [
        (system, noise) for noise in (5, 20) for system in (BOOMERAMG, "HSQLDB")
    ]
    chosen = [cell for cell in cells if (cell["system"], cell["noise"]) in ((BOOMERAMG, 5), other)]
    found = [BiasEvaluation().rows({**cell, "budget": 30})[0] for cell in chosen]
    assert all(0 < abs(row["bias"]) < 10 and row["runs"] == 6 for row in found)
    assert found[0]["bias"] != found[1]["bias"]


@pytest.mark.parametrize(
    ("system", "budget"), [(BOOMERAMG, 20), pytest.param("LLVM", 50, marks=(pytest.mark.slow, pytest.mark.real_data))]
)
def test_model_afterwards(system: str, budget: int) -> None:
    """Runs that explore make predictions better than those of the search alone."""
    cells = {cell["way"]: {**cell, "budget": budget} for _, cell in ModelEvaluation(systems=(system,), seeds=1).cells()}
    assert tuple(cells) == tuple(WAYS)
    rows = [row for way in ("explore 0", "explore 0.5") for row in ModelEvaluation().rows(cells[way])]
    assert rows[0]["error"] > rows[1]["error"] > 0
