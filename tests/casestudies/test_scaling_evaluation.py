"""Evaluations of scaling models, of one and of several parameters: rows, results, files that change them, targets."""

from __future__ import annotations

import itertools
import json
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from casestudies.evaluation.evaluation import Evaluation, Row, perform_cell, rows_of
from casestudies.evaluation.run import run_evaluation
from casestudies.scaling_evaluation import application_functions as applied
from casestudies.scaling_evaluation.__main__ import main
from casestudies.scaling_evaluation.application_functions import APPLICATIONS, points_of
from casestudies.scaling_evaluation.application_functions import METHODS as APPLIED
from casestudies.scaling_evaluation.applications import HOLDS, ApplicationEvaluation
from casestudies.scaling_evaluation.families import DEFAULT, FamilyEvaluation
from casestudies.scaling_evaluation.family_functions import draw, scores
from casestudies.scaling_evaluation.profile_lines import lines
from casestudies.scaling_evaluation.quoted import COSTS, LIKE, WITHOUT
from casestudies.scaling_evaluation.settings import PRESETS, evaluation_preset, read_evaluation
from casestudies.scaling_evaluation.several import SeveralEvaluation
from casestudies.scaling_evaluation.several_functions import (
    EXTRA,
    LAYOUTS,
    METHODS,
    NOISES,
    PARAMETERS,
    STRUCTURES,
    TARGETS,
    evaluate_several,
    layout,
)
from casestudies.scaling_evaluation.several_profiles import series, split
from casestudies.scaling_evaluation.single import SHARES, SingleEvaluation
from casestudies.scaling_evaluation.single_functions import KINDS, LEARNERS, evaluate
from casestudies.scaling_evaluation.sparse import WITHIN, SparseEvaluation
from casestudies.scaling_evaluation.sparse_functions import evaluate_sparse
from casestudies.scaling_evaluation.target import NEVER, TargetEvaluation
from casestudies.scaling_evaluation.target_functions import LEAST, TARGET, target_functions
from casestudies.scaling_evaluation.target_runs import STRATEGIES
from splc.errors import InputError, OutputError
from tests.support.golden_messages import check_messages
from tests.support.objects import Told, contents
from tests.support.paths import CASES, ROOT

SINGLE = SingleEvaluation(functions=3, learners=("default", "Extra-P 4.2.5, basic"))
ONE = SingleEvaluation(functions=1, learners=SINGLE.learners[1:])
FEW = SparseEvaluation(functions=1, noise=(0.02,), repetitions=(1, 2, 3), parameters=(1,))
SMALL = 'preset = "synthetic-sparse"\nfunctions = 2\nnoise = 0.05\nrepetitions = [1, 2]\nparameters = 1\n'
SPARSE = SparseEvaluation(functions=2, noise=(0.02, 0.05), repetitions=(2,), parameters=(1, 2))


def test_rows_of_single(tmp_path: Path) -> None:
    """Each row has what `evaluate` finds for its class and learner, and the tables show these shares."""
    result = run_evaluation(SINGLE, tmp_path / "there", pictures=False)
    expected = evaluate({name: LEARNERS[name] for name in SINGLE.learners}, number=3, seed=SINGLE.seed, intervals=True)
    by_cell = {(row["learner"], row["kind"]): row for row in result.rows}
    assert len(by_cell) == len(expected) == len(result.rows)
    for score in expected:
        row = by_cell[score.learner, score.kind]
        assert [row[share] for share in SHARES] == [score.exact, score.within, score.covered]
    exact = result.tables[0]
    assert exact.columns == ("learner", *KINDS)
    assert exact.rows[0] == ("default", *(by_cell["default", kind]["exact"] for kind in KINDS))


def test_rows_of_families() -> None:
    """A family's rows have what `scores` finds, and the tables count in how many families the default is behind."""
    evaluation = FamilyEvaluation(functions=4)
    cells = [task.cell for task in evaluation.tasks() if task.cell["truth"] == "constant"][:2]
    rows = [row for cell in cells for row in evaluation.rows(cell)]
    drawn = draw("constant", "independent", "5 geometric", 4, evaluation.seed)
    assert rows[0] == {**cells[0], "learner": DEFAULT, **scores(drawn, {}, intervals=True)}
    worse = [{**row, "exact": 0.0} if row["learner"] == DEFAULT else row for row in rows]
    summary, families = evaluation.tables(worse)
    assert summary.rows[0][1] == 2
    assert [row[-1] for row in families.rows] == ["exact", "exact"]


@pytest.mark.real_data
def test_lines_of_profiles() -> None:
    """Lines have five points or more, ascending."""
    found = lines("smg3d")
    assert len(found) > 100
    assert all(len(x) >= 5 and (np.diff(x) > 0).all() and len(x) == len(values) for x, values in found)
    assert lines("smg4d") == []


def test_rows_of_sparse(tmp_path: Path) -> None:
    """Each row has what `evaluate_sparse` finds for its number of points, and what was left out stands in a table."""
    result = run_evaluation(SPARSE, tmp_path / "there", pictures=False)
    for noise in SPARSE.noise:
        for parameters in SPARSE.parameters:
            scores, drawn = evaluate_sparse(parameters, number=2, seed=1, noise=noise, repetitions=2)
            rows = [row for row in result.rows if (row["noise"], row["parameters"]) == (noise, parameters)]
            assert [tuple(row[band] for band in WITHIN) for row in rows] == [score.within for score in scores]
            assert [(row["points"], row["cost %"]) for row in rows] == [(each.points, each.cost) for each in scores]
            left_out = next(row for row in result.tables[-1].rows if row[0] == parameters)
            assert left_out[3:] == tuple(drawn.left_out.values())
    assert [len(table.rows) for table in result.tables] == [6, 6, 2]


@pytest.mark.parametrize("evaluation", [FEW, pytest.param(SINGLE, marks=pytest.mark.slow)])
def test_same_bytes(evaluation: Evaluation, tmp_path: Path) -> None:
    """An evaluation that was interrupted and continued, in one process or two, writes the same bytes as another."""
    calls = count()
    stopped = run_evaluation(evaluation, tmp_path / "one", watch=Told(lambda: next(calls) >= 2))
    assert stopped.interrupted
    assert stopped.done == 2
    assert not (tmp_path / "one" / "table.md").exists()
    result = run_evaluation(evaluation, tmp_path / "one", jobs=2)
    assert (result.found, result.done) == (2, len(evaluation.tasks()))
    run_evaluation(evaluation, tmp_path / "other")
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    assert set(evaluation.picture_names()) < set(contents(tmp_path / "one"))


def test_folder_of_another(tmp_path: Path) -> None:
    """The results of one preset are not replaced by those of another unless that is asked for."""
    run_evaluation(FEW, tmp_path, pictures=False)
    with pytest.raises(OutputError, match="the results of another study: the preset synthetic-sparse"):
        run_evaluation(ONE, tmp_path, pictures=False)
    assert run_evaluation(ONE, tmp_path, pictures=False, force=True).tables


def test_file(tmp_path: Path) -> None:
    """A study file names a preset and what differs from it; its results stand beside it."""
    path = tmp_path / "study.toml"
    path.write_text(SMALL, encoding="utf-8")
    found = read_evaluation(path)
    assert found == SparseEvaluation(path, functions=2, noise=(0.05,), repetitions=(1, 2), parameters=(1,))
    assert isinstance(found, SparseEvaluation)
    assert run_evaluation(found, pictures=False).folder == tmp_path / "results"
    path.write_text('samplings = ["ff"]\n', encoding="utf-8")
    with pytest.raises(InputError, match="a preset is missing\n    there are synthetic-single"):
        read_evaluation(path)


def test_wrong_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All errors are reported together, each with its line and what to do."""
    monkeypatch.chdir(tmp_path)

    def reject(line: str) -> None:
        Path("study.toml").write_text(f'preset = "synthetic-single"\n{line}\nseeds = 1\n', encoding="utf-8")
        read_evaluation(Path("study.toml"))

    check_messages("evaluation", reject)


RESULTS = CASES / "scaling_evaluation"


def committed(name: str) -> list[Row]:
    """Return the committed rows of an evaluation."""
    return rows_of(RESULTS / name / "table.csv")


@pytest.mark.parametrize("name", PRESETS)
def test_committed_settings(name: str) -> None:
    """The committed results were made by the current preset."""
    manifest = json.loads((RESULTS / name / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["study"] == evaluation_preset(name).settings()


def test_committed_sparse() -> None:
    """A part of what is committed comes out again, but for models that another library decides otherwise."""
    sparse = SparseEvaluation()
    task = sparse.tasks()[0]
    (row,) = perform_cell(task, sparse)["rows"]
    names = list(task.cell)
    (found,) = (each for each in committed(sparse.preset) if all(each[name] == row[name] for name in names))
    shares = (*WITHIN, "cost %")
    assert [found[name] for name in shares] == pytest.approx([row[name] for name in shares], abs=0.5)


def test_docs_show_the_committed_results() -> None:
    """The tables of the page of the evaluation have the numbers of the committed results."""
    page = (ROOT / "casestudies" / "scaling_evaluation" / "README.md").read_text(encoding="utf-8")
    columns = ("parameters", "points", "within %", "published %", LIKE, WITHOUT, *COSTS[:3])
    rows = committed("synthetic-quoted")
    wanted = {"repetitions": 4, "noise %": 5, "within %": 5}
    quoted = [row for row in rows if row["parameters"] in (2, 3) and wanted.items() <= row.items()]
    assert len(quoted) == 5
    for quotation in quoted:
        values = ["–" if quotation[name] is None else f"{quotation[name]:.4g}" for name in columns]
        values[2] += " %"
        assert f"| {' | '.join(values)} |" in page
    for folder in ("synthetic-single", "noise-10"):
        rows = committed(folder)
        for learner in dict.fromkeys(row["learner"] for row in rows):
            own = [row for row in rows if row["learner"] == learner]
            cells = " | ".join(f"{row['exact']:.1f} / {row['within']:.1f}" for row in own)
            assert f"| {learner} | {cells} |" in page
    shown = {(2, 9), (2, 11), (2, 25), (3, 13), (3, 25), (3, 125)}
    for row in committed("synthetic-sparse"):
        parameters, points = row["parameters"], row["points"]
        if (row["noise"], row["repetitions"]) == (0.05, 4) and (parameters, points) in shown:
            assert f"| {parameters} | {points} | {row['within 5 %']:.1f} |" in page


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints tables, or one JSON object; a second run takes what the first one found."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    arguments = [str(path), "-o", str(tmp_path / "there"), "--jobs", "1"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "2 functions of 1 parameter" in " ".join(printed.split())
    assert "2 runs; 5 files in" in printed
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "casestudies.evaluation/1"
    assert (found["preset"], found["tasks"], found["done_before"]) == ("synthetic-sparse", 2, 2)
    assert found["files"] == ["pictures/noise-5.png", "table.csv", "table.md", "table.tex", "manifest.json"]


def test_tasks_of_changed_code_are_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of a task changes with the code of scaling models, and with nothing else."""
    code = tmp_path / "single" / "hypotheses.py"
    code.parent.mkdir()
    code.write_text("SHARE = 0.1\n", encoding="utf-8")
    assert any(each.name == "scaling" and each.parent.name == "splc" for each in SINGLE.folders)
    monkeypatch.setattr(SingleEvaluation, "folders", (tmp_path,))
    before = [task.key for task in SINGLE.tasks()]
    assert [task.key for task in SINGLE.tasks()] == before
    code.write_text("SHARE = 0.2\n", encoding="utf-8")
    assert not set(before) & {task.key for task in SINGLE.tasks()}


def test_functions_have_an_effect_of_every_parameter() -> None:
    """The values are positive, and no parameter can be left out at the target."""
    drawn = target_functions(2, 30, np.random.default_rng(0))
    assert drawn.points.shape == (25, 2)
    assert (drawn.values > 0).all()
    assert set(drawn.kinds) == {"sum", "product", "both"}
    # Every parameter adds a tenth at least from its smallest value to the target.
    assert (drawn.at_target >= drawn.values.min(axis=1) / (1 - LEAST)).all()
    assert TARGET[:2] == (256, 100)


def test_tables_of_suggestions(tmp_path: Path) -> None:
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


ONE_FUNCTION = SeveralEvaluation(functions=1)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_layouts(parameters: int) -> None:
    """A star has a line of five points per parameter, with the cheapest other points; a grid has all combinations."""
    star, few = layout(parameters, "star"), layout(parameters, "star + few")
    assert len(star) == 4 * parameters + 1
    assert len(few) == len(star) + EXTRA[parameters]
    assert {tuple(row) for row in star.tolist()} < {tuple(row) for row in few.tolist()}
    assert len(layout(parameters, "grid")) == (5**parameters if parameters < 4 else 3**parameters)


def test_rows() -> None:
    """A cell has a row per method and target with the means over all structures."""
    cell = {"parameters": 2, "points": LAYOUTS[1], "kind of noise": "floor"}
    rows = ONE_FUNCTION.rows(cell)
    assert [(row["method"], row["target"]) for row in rows] == [(m, t) for m in METHODS for t in TARGETS]
    scores = [evaluate_several(2, LAYOUTS[1], each, "floor", number=1, seed=2)[0] for each in STRUCTURES]
    assert rows[0]["90 % intervals hold"] == np.mean([score.covered for score in scores])
    assert rows[0]["within 5 %"] == np.mean([score.within[0] for score in scores])
    assert rows[-1]["90 % intervals hold"] is None
    assert len(ONE_FUNCTION.tasks()) == len(PARAMETERS) * len(LAYOUTS) * len(NOISES)


GRID = np.array(list(itertools.product([1.0, 2, 4], [10.0, 20, 30])))


@pytest.mark.parametrize("held_out", ["corner", "last values"])
def test_the_largest_point_is_held_out(held_out: str) -> None:
    """The largest point is never modelled; with `last values` neither is another point with a largest value."""
    values = np.arange(9.0)[:, None]
    values[0] = np.nan
    wanted = GRID[1:8] if held_out == "corner" else GRID[[1, 3, 4]]
    found = split((np.vstack([GRID, GRID + 0.5]), np.vstack([values, np.full((9, 1), np.nan)])), held_out)
    if held_out == "last values":
        # Three points are too few.
        assert found is None
        wide = np.array(list(itertools.product([1.0, 2, 4, 8], [10.0, 20, 30])))
        found = split((wide, np.ones((12, 1))), held_out)
        wanted = wide[(wide < [8, 30]).all(axis=1)]
    assert found is not None
    points, modelled, corner, last = found
    assert points.tolist() == wanted.tolist()
    assert len(modelled) == len(points)
    assert corner.tolist() == [([4.0, 30.0] if held_out == "corner" else [8.0, 30.0])]
    assert last.tolist() == [8.0 if held_out == "corner" else 1.0]


@pytest.mark.real_data
def test_series_of_hypre() -> None:
    """Runs in three dimensions have four parameters, and one series per metric with positive values."""
    found = series("smg3d")
    assert {points.shape for points, _ in found} == {(320, 4)}
    assert len(found) == 7


# The numbers of points in the papers, without the target, and those of lines with one more point.
NUMBERS = {
    "Kripke": (125, 14),
    "Relearn": (24, 10),
    "Relearn-3": (125, 14),
    "FASTEST": (24, 9),
    "Sweep3D": (6,),
    "HOMME": (8,),
    "MILC": (8,),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_points(name: str) -> None:
    """The points are as many as in the papers; the few ones are some of them; the target is none of them."""
    application = APPLICATIONS[name]
    sets = [points_of(application, layout) for layout in application.layouts]
    assert tuple(map(len, sets)) == NUMBERS[name]
    assert {tuple(row) for row in sets[-1].tolist()} <= {tuple(row) for row in sets[0].tolist()}
    assert application.target not in {tuple(row) for row in sets[0].tolist()}


def test_published_models() -> None:
    """Values are within the factor 2 of the published model: LTimes at p = 32768, d = 12, g = 160 is 143.8."""
    kripke = APPLICATIONS["Kripke"]
    for name in ("LTimes", "LTimes, sparse"):
        values = applied.draw(kripke, kripke.kernels[name], np.array([kripke.target]), 500, np.random.default_rng(0))
        assert values.min() > 143.8 / 2.1
        assert values.max() < 143.8 * 2.1
        assert np.median(values) == pytest.approx(143.8, rel=0.1)


def test_rows_of_applications() -> None:
    """A cell has a row per method; only those of the default have intervals."""
    evaluation = ApplicationEvaluation(functions=2)
    cell = {"application": "MILC", "points": "all", "noise": "independent"}
    rows = evaluation.rows(cell)
    assert [row["method"] for row in rows] == list(APPLIED)
    assert [row["models"] for row in rows] == [4] * len(APPLIED)
    assert [row[HOLDS] is None for row in rows] == [method != "default" for method in APPLIED]
    score = applied.evaluate("MILC", "all", "independent", "extrap", number=2, seed=evaluation.seed)
    assert rows[-1]["within 5 %"] == score.within[0]
    assert len(evaluation.tasks()) == 2 * sum(map(len, NUMBERS.values()))
