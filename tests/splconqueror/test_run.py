"""Scripts of SPL Conqueror: interruptions, estimators, and conversions; `tests/golden/run` has what they print."""

from __future__ import annotations

import csv
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from sampling import Space
from splc.arithmetic.tokens import NameTable
from splc.data.measurements import Measurements
from splc.errors import RequestError, SpaceError, SplcError
from splc.formats.scripts.commands import COMMANDS
from splc.splconqueror.conversions import binary_measurements, binary_system, disjunctions
from splc.splconqueror.run import METHODS, Request, Result, run
from splc.system.constraints import parse_arithmetic
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.views import Watch
from tests.cli.conftest import MEASUREMENTS, SYSTEM
from tests.support.examples import examples
from tests.support.strategies import models
from tests.support.watches import Told

INPUTS = "vm system.xml\nall measurements.csv\nnfp time\nselect-all-measurements true\n"
SEARCH = "learn-splconqueror-opt numberOfRounds=[1,3]"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a system and measurements, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "measurements.csv").write_text(MEASUREMENTS, encoding="utf-8")
    return tmp_path


def runs(text: str, watch: Watch | None = None) -> Result:
    """Run a script with the log a.log."""
    Path("main.a").write_text(f"log a.log\n{INPUTS}{text}", encoding="utf-8")
    result = run(Request(scripts=("main.a",)), watch or Watch())
    assert isinstance(result, Result)
    return result


def test_every_command_has_a_method() -> None:
    """Each command of the table can be run, and a request needs a script."""
    assert set(METHODS) == {each.name for each in COMMANDS}
    with pytest.raises(RequestError, match="no script is named"):
        run(Request(scripts=()))


@pytest.mark.parametrize(
    ("asked", "last"),
    [(2, "all measurements.csv"), (3, "nfp time"), (5, SEARCH)],
)
def test_interruption(asked: int, last: str) -> None:
    """A run that is stopped, also before the first trial of a search, keeps what it wrote and begins no command."""
    left = iter([False] * (asked + 1))
    result = runs(f"{SEARCH}\nprintsettings", Told(lambda: next(left, True)))
    assert (result.stopped, result.models) == (True, ())
    lines = Path("a.log").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("command: ")][-1] == f"command: {last}"


@pytest.mark.parametrize(
    "learner",
    [
        "SVR C:1000",
        "DecisionTreeRegression",
        "RandomForestRegressor n_estimators:5",
        "KNeighborsRegressor n_neighbors:2",
        "kernelridge alpha:1e-9",
        "BaggingSVR C:10 n_estimators:3",
    ],
)
def test_estimators(learner: str) -> None:
    """Every estimator is fitted by its name; error and predictions are written, its linear model if asked for."""
    analysis = learner.startswith("kernelridge")
    result = runs(f"{'mlsettings pythonInfluenceAnalysis:true' if analysis else ''}\nlearn-python {learner}")
    (model,) = result.models
    log = Path("a.log").read_text(encoding="utf-8").splitlines()
    (stated,) = (line for line in log if line.startswith("Prediction Error: "))
    table = list(csv.DictReader(Path(result.files[0]).read_text(encoding="utf-8").splitlines()))
    predicted, values = (np.array([float(row[name]) for row in table]) for name in ("predicted", "time"))
    error = 100 * np.mean(np.abs(predicted / values - 1))
    assert float(stated.split()[2]) == pytest.approx(error) == pytest.approx(model.error)
    assert model.result.learner.casefold() == learner.split(maxsplit=1)[0].casefold()
    influences = [line.partition(": ")[2].split(" + ") for line in log if line.startswith("Influence analysis: ")]
    assert len(influences) == analysis
    assert all({term.split(" * ", 1)[1] for term in terms} >= {"root", "x", "cache"} for terms in influences)
    assert runs(f"learn-python {learner} writeFinalPredictionResults:false").files == ()


def test_search_without_results() -> None:
    """A search is refused if few rows suffice for none of its values."""
    with pytest.raises(SplcError, match="n_neighbors"):
        runs("learn-python-opt KNeighborsRegressor n_neighbors:[9]")


@given(models(binary=3, numeric=3, most_constraints=3))
@examples(30)
def test_valid_configurations_stay_the_same(model: VariabilityModel) -> None:
    """The binary form of a system has the same valid configurations."""
    converted = binary_system(model)
    space, other = Space(model), Space(converted)
    assert converted.numeric_options == ()
    assert other.count == space.count
    configurations = space.enumerate()
    if len(configurations):
        measured = binary_measurements(Measurements(configurations, {"time": np.ones(space.count)}), converted)
        assert other.check(measured.configurations).all()
        assert len(measured.configurations.unique()) == space.count


@pytest.mark.parametrize(("rows", "columns"), [(250, 400), (11, 9091)])
def test_most_combinations(rows: int, columns: int) -> None:
    """A constraint about 100,000 combinations of values is converted, one about more is refused by its text."""
    options = [NumericOption(name, tuple(map(float, range(size)))) for name, size in (("x", rows), ("y", columns))]
    constraint = parse_arithmetic("x + y >= 0", NameTable({"x": "x", "y": "y"}))
    found = disjunctions(constraint, VariabilityModel("s", tuple(options), (constraint,)))
    refusal = pytest.raises(SpaceError, match=r"'x \+ y >= 0' is about more than 100,000 combinations of values")
    with refusal if rows * columns > 100_000 else nullcontext():
        assert list(found) == []
