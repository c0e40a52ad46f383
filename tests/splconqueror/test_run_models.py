"""Models in scripts: scikit-learn's estimators, given terms and models, and the search of settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc import read_variability_model
from splc.errors import SplcError
from splc.formats.measurements.read import read_measurements
from tests.support.scripts import INPUTS, Runs, rows
from tests.support.watches import Told


class TestPython:
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
    def test_estimators(self, learner: str, runs: Runs, folder: Path) -> None:
        """Every estimator is fitted by its name; its error is printed and its predictions are written."""
        result, lines = runs(f"log a.log\n{INPUTS}select-all-measurements true\nlearn-python {learner}")
        (model,) = result.models
        log = (folder / "a.log").read_text(encoding="utf-8")
        (stated,) = (line for line in log.splitlines() if line.startswith("Prediction Error: "))
        assert float(stated.split()[2]) == pytest.approx(model.error)
        predicted = rows(Path(result.files[0]))
        errors = [abs(float(row["predicted"]) - float(row["time"])) / float(row["time"]) for row in predicted]
        assert 100 * np.mean(errors) == pytest.approx(model.error)
        assert model.result.learner.casefold() == learner.split(maxsplit=1)[0].casefold()
        assert lines == ["command: log a.log"]

    def test_influence_analysis(self, runs: Runs) -> None:
        """With `pythonInfluenceAnalysis` the log has the linear model of the predictions."""
        text = (
            "select-all-measurements true\nmlsettings pythonInfluenceAnalysis:true\nlearn-python KERNELRIDGE alpha:1e-9"
        )
        _, lines = runs(INPUTS + text)
        (line,) = (line for line in lines if line.startswith("Influence analysis: "))
        assert {term.split(" * ", 1)[1] for term in line.partition(": ")[2].split(" + ")} >= {"root", "x", "cache"}

    def test_no_predictions(self, runs: Runs) -> None:
        """`writeFinalPredictionResults:false` writes no file."""
        text = "select-all-measurements true\nlearn-python SVR writeFinalPredictionResults:false"
        assert runs(INPUTS + text)[0].files == ()

    def test_search(self, runs: Runs, folder: Path) -> None:
        """The parameters with the smallest error on held-out folds are chosen, and learned with."""
        text = "select-all-measurements true\nlearn-python-opt DecisionTreeRegression max_depth:[1,6] file:o.csv"
        result, lines = runs(INPUTS + text)
        found = rows(folder / "o.csv", ";")
        best = min(found, key=lambda row: float(row["error"]))
        assert f"Optimal parameters: max_depth:{best['max_depth']}" in lines
        assert len(found) == 2
        assert result.models[0].result.settings == {"max_depth": best["max_depth"]}

    def test_search_of_few_rows(self, runs: Runs, folder: Path) -> None:
        """Values that few rows do not suffice for are not chosen; without others, or with one row, it is an error."""
        text = f"{INPUTS}select-all-measurements true\nlearn-python-opt KNeighborsRegressor "
        result, _ = runs(text + "n_neighbors:[9,2] file:o.csv")
        assert [row["error"] == "" for row in rows(folder / "o.csv", ";")] == [False, True]
        assert result.models[0].result.settings == {"n_neighbors": "2"}
        with pytest.raises(SplcError, match="n_neighbors"):
            runs(text + "n_neighbors:[9]")
        one = "binary random numConfigs:1 seed:1\nnumeric random numConfigs:1 seed:1\n"
        with pytest.raises(SplcError, match="one configuration cannot be divided"):
            runs(f"{INPUTS}{one}learn-python-opt DecisionTreeRegression")

    def test_search_leaves_out_values_of_zero(self, runs: Runs, folder: Path) -> None:
        """Configurations whose value is 0 have no relative error and do not count; the unit does not matter."""
        table = folder / "measurements.csv"
        header, *lines = table.read_text(encoding="utf-8").splitlines()
        column = header.split(",").index("time")
        cells = [line.split(",") for line in lines]
        cells[0][column] = "0"
        errors = []
        for unit in (1, 1024):
            changed = [[*row[:column], repr(unit * float(row[column])), *row[column + 1 :]] for row in cells]
            table.write_text("\n".join((header, *map(",".join, changed))) + "\n", encoding="utf-8")
            runs(
                f"{INPUTS}select-all-measurements true\nlearn-python-opt KNeighborsRegressor n_neighbors:[2] file:o.csv"
            )
            (found,) = rows(folder / "o.csv", ";")
            errors.append(float(found["error"]))
        assert 0 < errors[0] < 1000
        assert errors[1] == pytest.approx(errors[0])

    def test_interrupted_search(self, runs: Runs, folder: Path) -> None:
        """A search that is stopped before its first trial ends the run, which keeps what it wrote."""
        before = iter(range(5))
        text = f"{INPUTS}select-all-measurements true\nlearn-splconqueror-opt numberOfRounds=[1,3]\nprintsettings"
        result, lines = runs(text, watch=Told(lambda: next(before, None) is None))
        assert result.stopped
        assert result.models == ()
        assert "command: printsettings" not in lines


class TestGivenModels:
    def test_terms(self, runs: Runs, folder: Path) -> None:
        """`truemodel` fits one term per line by least squares, and writes its predictions."""
        (folder / "terms.txt").write_text("root\nx # size\ncache\n\ncache * x\n", encoding="utf-8")
        result, lines = runs(INPUTS + "truemodel ./terms.txt p.csv\nanalyze-learning")
        system = read_variability_model(folder / "system.xml")
        measured = read_measurements(folder / "measurements.csv", system)
        x, cache = measured.configurations.value("x"), measured.configurations.value("cache")
        columns = np.column_stack([np.ones(9), x, cache, cache * x])
        wanted = columns @ np.linalg.lstsq(columns, measured["time"], rcond=None)[0]
        assert np.allclose([float(row["predicted"]) for row in rows(folder / "p.csv")], wanted)
        (line, again) = (line for line in lines if line.startswith("0;"))
        assert line.split(";")[8] == ""
        assert line == again
        assert result.models[0].error == pytest.approx(100 * np.mean(np.abs(wanted / measured["time"] - 1)))

    def test_models(self, runs: Runs, folder: Path) -> None:
        """`evaluate-model` states the error of every model, and writes the predictions of each."""
        (folder / "models.txt").write_text("1 * root + 2 * x\n0 * root + 1 * log10( x ) * x\n", encoding="utf-8")
        _, lines = runs(INPUTS + "evaluate-model models.txt p.csv")
        system = read_variability_model(folder / "system.xml")
        measured = read_measurements(folder / "measurements.csv", system)
        x, time = measured.configurations.value("x"), measured["time"]
        for number, wanted in enumerate((1 + 2 * x, np.log10(x) * x), 1):
            assert np.allclose([float(row["predicted"]) for row in rows(folder / f"p_{number}.csv")], wanted)
            error = float(lines[2 * number + 5].removeprefix("Prediction Error: ").removesuffix(" %"))
            assert error == pytest.approx(100 * np.mean(np.abs(wanted / time - 1)))

    @pytest.mark.parametrize(
        ("command", "content", "message"),
        [
            ("truemodel", "root\nxx", "t.txt:2:1: unknown name 'xx'"),
            ("truemodel", "x\nx", "t.txt:2: duplicate term 'x'"),
            ("truemodel", "# nothing", "no terms"),
            ("evaluate-model", "1 * root\nx", "t.txt:2: a term must begin with its influence"),
            ("evaluate-model", "", "there is no model"),
        ],
    )
    def test_wrong_files(self, command: str, content: str, message: str, runs: Runs, folder: Path) -> None:
        """A wrong term or model is reported with its file and line."""
        (folder / "t.txt").write_text(content, encoding="utf-8")
        with pytest.raises(SplcError) as caught:
            runs(f"{INPUTS}{command} t.txt")
        assert message in str(caught.value)


class TestSearch:
    def test_grid(self, runs: Runs, folder: Path) -> None:
        """The settings with the least error on held-out folds are learned with; the script keeps its own."""
        text = "select-all-measurements true\nlearn-splconqueror-opt numberOfRounds=[1, 3] file:o.csv\nprintsettings"
        result, lines = runs(INPUTS + "mlsettings abortError:0\n" + text)
        found = rows(folder / "o.csv", ";")
        best = min(found, key=lambda row: float(row["error"]))
        assert [row["numberOfRounds"] for row in found] == ["1", "3"]
        assert result.models[0].result.settings["numberOfRounds"] == int(best["numberOfRounds"])
        assert f"Optimal parameters: numberOfRounds:{best['numberOfRounds']}" in lines
        assert " numberOfRounds:70 " in lines[-1]

    def test_random(self, runs: Runs, folder: Path) -> None:
        """`randomized` tries some of the combinations only; `performWithOptimal:false` learns nothing."""
        lists = "numberOfRounds=[1,2,3,4] abortError=[0,1] randomized samples:3 seed:1 file:o.csv"
        text = f"select-all-measurements true\nlearn-splconqueror-opt {lists} performWithOptimal:false"
        result, _ = runs(INPUTS + text)
        assert len(rows(folder / "o.csv", ";")) == 3
        assert result.models == ()
