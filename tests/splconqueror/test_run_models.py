"""Models in scripts: scikit-learn's estimators, given terms and models, and the search of settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc import read_variability_model
from splc.data.measurements import Measurements
from splc.errors import SplcError
from splc.formats.measurements.read import read_measurements
from tests.support.scripts import INPUTS, Runs, rows

ALL = f"{INPUTS}select-all-measurements true\n"


@pytest.fixture
def measured(folder: Path) -> Measurements:
    """Return the measurements of the scripts."""
    return read_measurements(folder / "measurements.csv", read_variability_model(folder / "system.xml"))


def predicted(path: Path) -> list[float]:
    """Return the predictions of a table."""
    return [float(row["predicted"]) for row in rows(path)]


@pytest.mark.parametrize(
    "learner",
    [
        "SVR C:1000",
        "DecisionTreeRegression",
        "RandomForestRegressor n_estimators:5",
        "KNeighborsRegressor n_neighbors:2",
        "kernelridge alpha:0.1",
        "BaggingSVR C:10 n_estimators:3",
    ],
)
def test_estimators(learner: str, runs: Runs, folder: Path, measured: Measurements) -> None:
    """Every estimator is fitted by its name; its error is printed and its predictions are written, if asked for."""
    result, lines = runs(f"log a.log\n{ALL}learn-python {learner}")
    (model,) = result.models
    log = (folder / "a.log").read_text(encoding="utf-8")
    (stated,) = (line for line in log.splitlines() if line.startswith("Prediction Error: "))
    error = 100 * np.mean(np.abs(predicted(Path(result.files[0])) / measured["time"] - 1))
    assert float(stated.split()[2]) == pytest.approx(error) == pytest.approx(model.error)
    assert model.result.learner.casefold() == learner.split(maxsplit=1)[0].casefold()
    assert lines == ["command: log a.log"]
    assert runs(f"{ALL}learn-python {learner} writeFinalPredictionResults:false")[0].files == ()


@pytest.mark.parametrize("analysis", ["true", "false", ""])
def test_influence_analysis(runs: Runs, analysis: str) -> None:
    """With `pythonInfluenceAnalysis` the log has the linear model of the predictions."""
    settings = f"mlsettings pythonInfluenceAnalysis:{analysis}\n" if analysis else ""
    _, lines = runs(f"{ALL}{settings}learn-python KERNELRIDGE alpha:1e-9")
    found = [line.partition(": ")[2].split(" + ") for line in lines if line.startswith("Influence analysis: ")]
    assert len(found) == (analysis == "true")
    assert all({term.split(" * ", 1)[1] for term in terms} >= {"root", "x", "cache"} for terms in found)


@pytest.mark.parametrize(
    ("search", "settings", "kept"),
    [
        ("learn-python-opt DecisionTreeRegression max_depth:[1,6]", {"max_depth"}, None),
        ("learn-splconqueror-opt numberOfRounds=[1, 3]", {"numberOfRounds"}, " numberOfRounds:70 "),
        (
            "learn-splconqueror-opt numberOfRounds=[1,2,3,4] abortError=[0,1] randomized samples:3 seed:1 "
            "performWithOptimal:false",
            {"numberOfRounds", "abortError"},
            " abortError:0 ",
        ),
    ],
)
def test_searches(search: str, settings: set[str], kept: str | None, runs: Runs, folder: Path) -> None:
    """The values with the least error on held-out folds are learned with; the script keeps its own settings.

    `randomized` tries some of the combinations only; `performWithOptimal:false` learns nothing.
    """
    result, lines = runs(f"mlsettings abortError:0\n{ALL}{search} file:o.csv\nprintsettings")
    found = rows(folder / "o.csv", ";")
    assert len(found) == (3 if "randomized" in search else 2)
    best = min(found, key=lambda row: float(row["error"]))
    (chosen,) = (line.partition(": ")[2] for line in lines if line.startswith("Optimal parameters: "))
    assert dict(word.split(":") for word in chosen.split()).items() >= {(name, best[name]) for name in settings}
    assert [str(model.result.settings[name]) for model in result.models for name in settings] == [
        best[name] for name in settings if "performWithOptimal" not in search
    ]
    assert kept is None or kept in lines[-1]


def test_search_of_few_rows(runs: Runs, folder: Path) -> None:
    """Values that few rows do not suffice for are not chosen; without others, or with one row, it is an error."""
    text = f"{ALL}learn-python-opt KNeighborsRegressor "
    result, _ = runs(text + "n_neighbors:[9,2] file:o.csv")
    assert [row["error"] == "" for row in rows(folder / "o.csv", ";")] == [False, True]
    assert result.models[0].result.settings == {"n_neighbors": "2"}
    with pytest.raises(SplcError, match="n_neighbors"):
        runs(text + "n_neighbors:[9]")
    one = "binary random numConfigs:1 seed:1\nnumeric random numConfigs:1 seed:1\n"
    with pytest.raises(SplcError, match="one configuration cannot be divided"):
        runs(f"{INPUTS}{one}learn-python-opt DecisionTreeRegression")


def test_search_leaves_out_values_of_zero(runs: Runs, folder: Path) -> None:
    """Configurations whose value is 0 have no relative error and do not count; the unit does not matter."""
    table = folder / "measurements.csv"
    header, *lines = table.read_text(encoding="utf-8").splitlines()
    cells, column = [line.split(",") for line in lines], header.split(",").index("time")
    cells[0][column] = "0"
    errors = []
    for unit in (1, 1024):
        changed = [[*row[:column], repr(unit * float(row[column])), *row[column + 1 :]] for row in cells]
        table.write_text("\n".join((header, *map(",".join, changed))) + "\n", encoding="utf-8")
        runs(f"{ALL}learn-python-opt KNeighborsRegressor n_neighbors:[2] file:o.csv")
        (found,) = rows(folder / "o.csv", ";")
        errors.append(float(found["error"]))
    assert 0 < errors[0] < 1000
    assert errors[1] == pytest.approx(errors[0])


def test_given_terms(runs: Runs, folder: Path, measured: Measurements) -> None:
    """`truemodel` fits one term per line by least squares, and writes its predictions."""
    (folder / "terms.txt").write_text("root\nx # size\ncache\n\ncache * x\n", encoding="utf-8")
    result, lines = runs(INPUTS + "truemodel ./terms.txt p.csv\nanalyze-learning\ntruemodel terms.txt")
    x, cache = (measured.configurations.value(name) for name in ("x", "cache"))
    columns = np.column_stack([np.ones(9), x, cache, cache * x])
    wanted = columns @ np.linalg.lstsq(columns, measured["time"], rcond=None)[0]
    assert np.allclose(predicted(folder / "p.csv"), wanted)
    fitted = [line for line in lines if line.startswith("0;")]
    assert [line.split(";")[8] for line in fitted] == [""] * 3
    assert fitted[0] == fitted[1]
    assert len(result.files) == 1
    assert result.models[0].error == pytest.approx(100 * np.mean(np.abs(wanted / measured["time"] - 1)))


def test_given_models(runs: Runs, folder: Path, measured: Measurements) -> None:
    """`evaluate-model` states the error of every model, and writes the predictions of each."""
    (folder / "models.txt").write_text("1 * root + 2 * x\n\n0 * root + 1 * log10( x ) * x # b\n", encoding="utf-8")
    _, lines = runs(INPUTS + "evaluate-model models.txt p.csv")
    x = measured.configurations.value("x")
    for number, wanted in enumerate((1 + 2 * x, np.log10(x) * x), 1):
        assert np.allclose(predicted(folder / f"p_{number}.csv"), wanted)
        error = float(lines[2 * number + 5].removeprefix("Prediction Error: ").removesuffix(" %"))
        assert error == pytest.approx(100 * np.mean(np.abs(wanted / measured["time"] - 1)))
