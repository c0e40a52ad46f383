"""The evaluations of ablations, changes, contexts, constraints, sampling and suggestion, and tables of rows by hand."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casestudies.ablation.ablation import NOTHING, AblationEvaluation, changes_table, worth_of
from casestudies.ablation.cells import CELLS
from casestudies.ablation.switches import SWITCHES, switched_off
from casestudies.accuracy.printed_models import jaccard
from casestudies.accuracy.printed_tables import cells_table, figures_of, goals_table, printed_tables
from casestudies.accuracy.real_tables import prototype_table, spread_of, verdict
from casestudies.changes.simulated_changes import SimulatedChanges
from casestudies.changes.tables import detection_table, false_alarm_table, names_table
from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.published_rows import PublishedEvaluation, published, split
from casestudies.contexts.systems import contexts_of
from casestudies.contexts.tables import METHODS, PUBLISHED_METHODS, few_table, published_table
from casestudies.grey_box.grey_box import INVERSE, RIGHT, WRONG_FACTORS, grey_row
from casestudies.grey_box.grey_box import case as grey_case
from casestudies.grey_box.tables import parents
from casestudies.hypre_options import data as solver
from casestudies.hypre_options.tables import moves_table
from casestudies.inferred_constraints import inference, learning
from casestudies.inferred_constraints.systems import violated
from casestudies.inferred_constraints.tables import inference_table, learning_table
from casestudies.published_logs.logs import mean_or_none
from casestudies.published_logs.strategies import strategies_of
from casestudies.recovery.recovery import CLUSTER, UNIFORM, formula, recovery_row, shares
from casestudies.sampling_strategies.error import StrategyEvaluation
from casestudies.sampling_strategies.strategies import MOST, learning_set, load
from casestudies.sampling_strategies.strategies import RANDOM as RANDOM_STRATEGY
from casestudies.sampling_strategies.tables import groups_of, own_table, ratio_table
from casestudies.scaling_evaluation.target import cost_of
from casestudies.suggestion.error import ErrorEvaluation
from casestudies.suggestion.optimum import OptimumEvaluation
from casestudies.suggestion.strategies import RANDOM, STRATEGIES, SUGGEST, distance_rows, measured
from casestudies.suggestion.strategies import rows_of as chosen_rows
from casestudies.suggestion.tables import error_tables, optimum_table, ratios
from casestudies.tuning.models_afterwards import WAYS, models_table
from casestudies.tuning.rank import BUDGETS
from casestudies.tuning.reported_values import bias_table
from casestudies.tuning.summaries import summary_tables
from casestudies.two_cores.blocks import BLOCK, FOLDS, day, held_out
from sampling import Space
from splc.data.measurements import Measurements
from splc.io.tables import Spread, Table, markdown_text
from splc.learning import learn
from splc.learning.projection import constants
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, shown
from tests.support.paths import CASES

FIRST = {package: next(iter(switches)) for package, switches in SWITCHES.items()}


@pytest.mark.parametrize("package", SWITCHES)
def test_switches_of_the_ablation(package: str) -> None:
    """All names that a switch replaces exist, and have their own values afterwards."""
    before = vars(constants).copy()
    for changes in SWITCHES[package].values():
        with switched_off(changes):
            assert changes
        assert vars(constants) == before


@pytest.mark.parametrize("package", SWITCHES)
def test_row_of_a_cell(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row has the means of the figures of a cell, without those that it lacks."""
    runs = [{"error": 1.0, "terms": None}, {"error": 3.0, "terms": None}]
    monkeypatch.setitem(CELLS, package, lambda: [("a", lambda: runs)])
    [row] = AblationEvaluation(package=package).rows({"switch": FIRST[package]})
    assert {**row, "cpu": 0} == {"switch": FIRST[package], "cell": "a", "error": 2.0, "cpu": 0}


CELL = {"options": 8, "pairs": 40, "noise": 0.02, "draws": 8, "size": 0.2}


@pytest.mark.parametrize(
    ("kind", "options", "found"),
    [("none", 8, (0, 1)), ("influence", 8, (8, 8)), ("several", 20, (6, 8)), ("joint", 8, (1, 1))],
)
def test_rows_of_changes(kind: str, options: int, found: tuple[int, int]) -> None:
    """Nothing is found where nothing changed, and most names are right; the same cell gives the same row."""
    cell = {**CELL, "kind": kind, "options": options, "draws": 1 if kind == "joint" else 8}
    [row] = SimulatedChanges().rows(cell)
    assert found[0] <= row["found"] <= found[1]
    assert row["right"] <= row["stated"]
    if kind != "none":
        assert row["right"] >= 0.7 * row["stated"] > 0
    assert SimulatedChanges().rows(cell) == [row]


def test_measured_releases() -> None:
    """Both tables of two releases have as many runs of each, and the second one has other configurations."""
    folder = CASES / "duckdb"
    tables = [
        Path(folder / name).read_text(encoding="utf-8").splitlines()[1:]
        for name in ("versions.csv", "confirmation.csv")
    ]
    configurations = [{line.rsplit(",", 2)[0] for line in lines} for lines in tables]
    assert [(len(lines), len(own)) for lines, own in zip(tables, configurations, strict=True)] == [(40, 20), (200, 100)]
    assert len(configurations[0] & configurations[1]) < 10


@pytest.mark.real_data
def test_contexts_of_a_group() -> None:
    """The members of a group are contexts; their configurations do not have the options of the group."""
    found = contexts_of("x264 by ref")
    assert {value: len(table.values) for value, table in found.items()} == {"ref_1": 384, "ref_5": 384, "ref_9": 384}
    names = found["ref_1"].configurations.system.names
    assert "no_cabac" in names
    assert not any(name.startswith("ref") for name in names)


def first_contexts(count: int, evaluation: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a system for an evaluation: the first contexts of imagemagick."""
    name = f"{count} contexts of imagemagick"
    contexts = dict(list(contexts_of("imagemagick").items())[:count])
    monkeypatch.setattr(f"casestudies.contexts.{evaluation}.contexts_of", {name: contexts}.__getitem__)
    return name


@pytest.mark.real_data
@pytest.mark.parametrize(("count", "size"), [(2, 5), pytest.param(4, 10, marks=pytest.mark.slow)])
def test_rows_of_contexts(count: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every context has a row per method; with the rows of the others the error is smaller."""
    name = first_contexts(count, "few_rows", monkeypatch)
    rows = FewRowsEvaluation().rows({"system": name, "size": size, "seed": 0})
    assert [row["method"] for row in rows] == count * list(METHODS)
    mean = {method: sum(row["mean"] for row in rows if row["method"] == method) for method in METHODS}
    assert mean["together"] < mean["alone"]


def test_splits() -> None:
    """A run has the rows that the published run of its number had."""
    random.seed(2 * 3)
    others = random.sample(list(range(20)), 16)
    learned = random.sample([row for row in range(20) if row not in others], 4)
    found = split(20, 4, 3)
    assert (found[0].tolist(), found[1].tolist()) == (learned, others)


@pytest.mark.real_data
@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_published_rows(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few rows, and all rows of the other environments, the error is below that of all published methods."""
    name = first_contexts(count, "published_rows", monkeypatch)
    [together, alone] = PublishedEvaluation().rows({"system": name, "size": 11, "context": "e0", "seed": 0})
    assert (together["method"], alone["method"]) == PUBLISHED_METHODS
    assert together["mean"] < min(published()["imagemagick", 11, "e0"].values()) < alone["mean"]


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


@pytest.mark.real_data
def test_learning_with_inferred_constraints() -> None:
    """With constraints, the best configuration is a possible one."""
    cell = {"system": "HSQLDB", "size": 50, "seed": 0, "constraints": True}
    [row] = learning.LearningEvaluation().rows(cell)
    assert row["possible"] == 1
    assert row["printed"] < 5


SMG2000_2D = "SMG2000 2-D"


def test_cells_of_strategies() -> None:
    """Strategies that draw have a cell per seed, others one; those of one size have about the same number of rows."""
    cells = [cell for _, cell in StrategyEvaluation(systems=(SMG2000_2D,), seeds=2).cells()]
    counts = Counter((cell["size"], cell["strategy"]) for cell in cells)
    assert {counts["25", strategy] for strategy in (RANDOM_STRATEGY, "lhs", "sobol")} == {2}
    assert (counts["25", "pb"], counts["cci", "cci"], counts["cci", RANDOM_STRATEGY]) == (1, 1, 2)
    numbers = {cell["size"]: set[int]() for cell in cells}
    for cell in cells:
        numbers[cell["size"]].add(len(learning_set(SMG2000_2D, cell["spec"], cell["seed"])))
    assert numbers["9"] == {9}
    assert numbers["25"] == {24, 25}
    assert all(len(found) == 1 and max(found) <= MOST for size, found in numbers.items() if not size.isdecimal())


def test_rows_of_strategies() -> None:
    """The error of a cell is that of the default learner on all configurations outside of the sample."""
    evaluation = StrategyEvaluation(systems=(SMG2000_2D,), seeds=2)
    cell = next(cell for _, cell in evaluation.cells() if (cell["spec"], cell["seed"]) == ("random:25", 1))
    [row] = evaluation.rows(cell)
    system = load(SMG2000_2D)
    chosen = np.array(learning_set(SMG2000_2D, "random:25", 1))
    rest = np.setdiff1d(np.arange(len(system.measurements)), chosen)
    model = learn(system.measurements, system.nfp, learning_set=chosen, seed=1)
    measured = system.measurements.column(system.nfp)[rest]
    predicted = model.predict(system.measurements.configurations[rest])
    assert row["error"] == pytest.approx(100 * np.mean(np.abs(predicted - measured) / measured), rel=1e-3)
    assert (row["system"], row["size"], row["rows"]) == (SMG2000_2D, "25", 25)


BOOMERAMG = "BoomerAMG"


def test_distance_based_rows() -> None:
    """Rows are distinct and allowed ones; rare distances are as frequent as others."""
    configurations, y, _ = measured(BOOMERAMG)
    allowed = np.arange(len(y)) % 3 > 0
    rows = list(distance_rows(configurations, allowed, np.random.default_rng(0)))
    assert sorted(rows) == np.flatnonzero(allowed).tolist()
    places = configurations.indices / (np.array([option.size for option in configurations.system.options]) - 1)
    distances = places.sum(axis=1).round(9)
    random = np.random.default_rng(0).permutation(np.flatnonzero(allowed))[:60]
    assert distances[rows[:60]].std() > 1.3 * distances[random].std()


def test_all_strategies_choose_among_the_same_rows() -> None:
    """No strategy takes a row that judges models; the rows of a smaller number are the first of a larger one."""
    _, y, _ = measured(BOOMERAMG)
    allowed = np.arange(len(y)) % 4 > 0
    for strategy in STRATEGIES:
        rows = list(islice(chosen_rows(strategy, BOOMERAMG, 1, allowed), 14))
        assert len(set(rows)) == 14
        assert allowed[rows].all()
        assert list(islice(chosen_rows(strategy, BOOMERAMG, 1, allowed), 10)) == rows[:10]
    assert len(list(islice(chosen_rows(SUGGEST, BOOMERAMG, 1, allowed, "optimum"), 11))) == 11


def test_rows_of_suggestions() -> None:
    """A cell has an error for each number of rows; a search ends with the first good configuration."""
    found = ErrorEvaluation(systems=(BOOMERAMG,)).rows(
        {"system": BOOMERAMG, "strategy": RANDOM, "seed": 3, "sizes": [8, 12]}
    )
    assert [row["rows"] for row in found] == [8, 12]
    assert all(1 < row["error"] < 1000 for row in found)
    _, y, _ = measured(BOOMERAMG)
    cell = {"system": BOOMERAMG, "strategy": RANDOM, "seed": 3, "near": 1.01, "most": 50}
    (one,) = OptimumEvaluation(systems=(BOOMERAMG,)).rows(cell)
    order = list(chosen_rows(RANDOM, BOOMERAMG, 3, np.ones(len(y), dtype=bool), "optimum"))
    good = y[order] <= 1.01 * y.min()
    assert one["rows"] == int(np.argmax(good)) + 1
    assert one["good"] == good.sum()


def text(found: Table | Iterable[Table]) -> Lines:
    """Return tables as Markdown."""
    tables = [found] if isinstance(found, Table) else found
    return Lines("\n".join(markdown_text(table, 4) for table in tables))


def violations(*constraints: str) -> list[bool]:
    """Return which constraints of a description all configurations without any violate."""
    columns = {"a": bool, "b": bool, "x": [1, 2]}
    return list(violated(VariabilityModel.of(columns, constraints), Space(VariabilityModel.of(columns)).enumerate()))


def names(*commands: str) -> list[str]:
    """Return the names of the strategies of single commands."""
    return [strategies_of([(each,) for each in commands])[each,] for each in commands]


def row(run: int, **changed: Any) -> dict[str, Any]:
    """Return a row of the default learner."""
    same = {"system": "s", "size": 10, "learner": "projection", "run": run, "printed": 4.0, "full": 2.0, "stated": 4.0}
    same |= {"predicted": 2.02, "terms": 5, "covered": 90.0, "inside": 100.0, "not positive": 0, "large": '[["a"]]'}
    return same | changed


def changed(package: str) -> list[str]:
    """Return the line of a switch without which the errors of two cells, 10 and 20, are 20 in half of the time."""
    rows = [{"switch": NOTHING, "cell": cell, "error": error, "cpu": 2.0} for cell, error in enumerate((10.0, 20.0))]
    switch = next(iter(SWITCHES[package]))
    rows += [{**each, "switch": switch, "error": 20.0, "cpu": 1.0} for each in rows]
    return [shown(line[1:-1]) for line in changes_table(rows, package).rows]


def test_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of rows by hand are those of the golden file, with means, medians, ratios and shares as they say."""
    # Published runs are no part of the project.
    monkeypatch.setattr("casestudies.tuning.summaries.PUBLISHED", tmp_path / "published.csv")
    check_calls(
        "evaluation-tables",
        *(text, violations, names, row, shown, changed, worth_of, jaccard, prototype_table, spread_of, verdict),
        *(figures_of, goals_table, cells_table, printed_tables),
        *(detection_table, false_alarm_table, names_table, few_table, published_table, inference_table, learning_table),
        *(mean_or_none, strategies_of, groups_of, own_table, ratio_table, cost_of, error_tables, optimum_table, ratios),
        *(models_table, bias_table, summary_tables, Spread),
        **{"METHODS": METHODS, "PUBLISHED": PUBLISHED_METHODS, "WAYS": WAYS, "BUDGETS": BUDGETS},
    )


@pytest.mark.parametrize(("nodes", "machine"), [(1, CLUSTER), (7, UNIFORM)])
def test_times_of_a_formula(nodes: int, machine: str) -> None:
    """The time of four processes has the parameters of one node of four cores, or those of seven nodes for all."""
    known = formula("2-D", machine)
    alpha, beta = {1: (290e-9, 9.15e-9), 7: (13754e-9, 70.79e-9)}[nodes]
    values = {name: known.configurations.column(name) for name in ("px", "py", "nx")}
    [row] = np.flatnonzero((values["px"] == 2) & (values["py"] == 2) & (values["nx"] == 200))
    size = np.log2(2 * 200)
    expected = 4 * size * (size + 1) * alpha + 4 * 200 * (size + size) * beta + 20 * 200**2 * 0.039e-9
    assert known.seconds[row] == pytest.approx(expected, rel=1e-12)


def blocks_of(table: Measurements) -> set[float]:
    """Return the blocks of the runs of a table."""
    labels = table.repetitions(BLOCK)
    return {*labels[~np.isnan(labels)].tolist()}


@pytest.mark.parametrize("fold", range(FOLDS))
def test_held_out_blocks(fold: int) -> None:
    """No configuration and no block of the runs that judge was learned from; the folds hold every block out once."""
    table = day("2d", "measurements.csv")
    learned, tested = held_out(table, fold)
    assert blocks_of(learned).isdisjoint(blocks_of(tested))
    assert (learned.configurations.find(tested.configurations) < 0).all()
    assert set().union(*(blocks_of(held_out(table, other)[1]) for other in range(FOLDS))) == blocks_of(table)


def test_solves_that_do_not_converge() -> None:
    """Those that reduce the residual too slowly are those whose runs failed when work was measured."""
    slow, work = solver.converging(), solver.measured(16, 30)
    assert work.failures is not None
    np.testing.assert_array_equal(
        work.failures.among(slow.configurations), slow.column(solver.REDUCTION) > solver.LIMIT
    )


def test_optima_that_move() -> None:
    """The table of losses, computed again from the texts of the tables of measurements."""
    work: dict[tuple[str, ...], dict[tuple[int, int], float]] = {}
    for cells in solver.GRIDS:
        text = gzip.decompress((CASES / "hypre_options" / f"measurements-{cells}.csv.gz").read_bytes()).decode()
        for row in csv.DictReader(io.StringIO(text)):
            options = tuple(row[name] for name in solver.described().names)
            work.setdefault(options, {})[cells, int(row["anisotropy"])] = float(row["work_units"])
    common = [each for each in work.values() if len(each) == len(solver.GRIDS) * len(solver.ANISOTROPIES)]
    problems = [(cells, anisotropy) for cells in solver.GRIDS for anisotropy in solver.ANISOTROPIES]
    least = {problem: min(each[problem] for each in common) for problem in problems}
    for problem, line in zip(problems, moves_table().rows, strict=True):
        best = min(common, key=itemgetter(problem))
        assert line[1:] == pytest.approx([100 * (best[other] / least[other] - 1) for other in problems])


@pytest.mark.parametrize("kind", [INVERSE, WRONG_FACTORS])
def test_wrong_formulas(kind: str) -> None:
    """The inverse of a formula falls where that rises; random factors depend on the seed, and on every option."""
    known, configurations = grey_case("SMG2000 2D"), grey_case("SMG2000 2D").measured.configurations
    right, wrong, other = (known.formula(*each).predict(configurations) for each in ((RIGHT, 0), (kind, 0), (kind, 1)))
    assert np.corrcoef(np.log(right), np.log(wrong))[0, 1] < 0.9
    assert (kind == WRONG_FACTORS) is not np.allclose(wrong, other)
    assert known.formula(kind, 0).options == {"px", "py", "nx"}
    if kind == INVERSE:
        np.testing.assert_allclose(right * wrong, 1, rtol=1e-9)


def test_errors_with_a_formula() -> None:
    """A row has the errors of all ways on the other configurations; wrong formulas are not used in 1-D."""
    row = grey_row("SMG2000 1D", 9, 0)
    assert row["used"] == 1
    assert row["inverse used"] == 0 == row["random factors used"]
    assert row["inverse"] == row["full model alone"] == row["random factors"]
    assert 0 < row["with formula"] < row["alone"]
    assert 50 < row["inside"] <= 100
    assert row["stated"] is None
    assert parents([row]) == (min(row["factor, relative"], row["factor, log"]), row["alone"])


def test_recovered_terms() -> None:
    """Without noise the default learner finds exactly the terms of the formula in 1-D; shares sum to 1."""
    row = recovery_row(system="1-D", machine=UNIFORM, learner="projection", design="ff", noise=0.0, seed=0)
    assert (row["terms"], row["found"], row["other"], row["score"]) == (3, 3, 0, 1.0)
    assert sum(shares("1-D").values()) == pytest.approx(1)
