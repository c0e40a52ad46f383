"""Scripts of SPL Conqueror: interruptions, estimators, conversions, and published numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from sampling import Space
from splc import read_variability_model
from splc.arithmetic.tokens import NameTable
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import RequestError, SpaceError, SplcError
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.models.read import read_stored_models
from splc.formats.scripts import COMMANDS
from splc.splconqueror.conversions import binary_measurements, binary_system, disjunctions
from splc.splconqueror.run import METHODS, Request, Result, run
from splc.system.constraints import parse_arithmetic
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.views import Watch
from tests.cli.conftest import folder as folder  # noqa: PLC0414
from tests.learning.conftest import measured
from tests.learning.stepwise.test_selection import t_wise
from tests.support.examples import examples
from tests.support.objects import Told
from tests.support.real_data import real
from tests.support.strategies import models

pytestmark = pytest.mark.usefixtures("folder")
INPUTS = "vm system.xml\nall measurements.csv\nnfp time\nselect-all-measurements true\n"
SEARCH = "learn-splconqueror-opt numberOfRounds=[1,3]"


def scripted(text: str, preset: str = "splconqueror", watch: Watch | None = None) -> Result:
    """Run a script."""
    Path("main.a").write_text(text, encoding="utf-8")
    result = run(Request(scripts=("main.a",), preset=preset), watch or Watch())
    assert isinstance(result, Result)
    return result


def runs(text: str, watch: Watch | None = None) -> Result:
    """Run a script about the measurements of the folder with the log a.log."""
    return scripted(f"log a.log\n{INPUTS}{text}", watch=watch)


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


README = "lossFunction:RELATIVE abortError:10 minImprovementPerRound:0.25 learn_logFunction:True"
DEFAULTS = "abortError:1 minImprovementPerRound:0.1 learn_logFunction:True"


def inputs_of(system: str) -> str:
    """Return the commands that read a system."""
    return f"vm {real(system, 'FeatureModel.xml')}\nall {real(system, 'measurements.xml')}\nnfp Performance\n"


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "settings", "error", "termination", "terms"),
    [
        ("LLVM", README, 5.194, "abortError", "time_passes + gvn"),
        (
            *("LLVM", DEFAULTS, 2.234, "minImprovementPerRound"),
            "time_passes + gvn + licm + instcombine + inline + licm * gvn",
        ),
        ("x264", README, 9.193, "abortError", "no_asm + ref_1 + ref_9"),
        ("x264", DEFAULTS, 3.599, "minImprovementPerRound", None),
        ("Dune", README, 11.595, "minImprovementPerRound", None),
    ],
)
def test_published_numbers(system: str, settings: str, error: float, termination: str, terms: str | None) -> None:
    """With the settings of SPL Conqueror's README a script learns the models that its program learns."""
    learning = "select-all-measurements true\nlearn-splconqueror\nanalyze-learning"
    (learned,) = scripted(f"log a.log\n{inputs_of(system)}mlsettings {settings}\n{learning}").models
    assert learned.error == pytest.approx(error, abs=5e-4)
    assert learned.result.termination == termination
    last = Path("a.log").read_text(encoding="utf-8").splitlines()[-2].split(";")
    found = {frozenset(term.split(" * ")[1:]) for term in last[1].split(" + ")}
    assert terms is None or found == {frozenset(term.split(" * ")) for term in terms.split(" + ")}


def echoed(*names: str) -> Iterator[str]:
    """Yield the commands of published logs."""
    for name in names:
        for line in real("splc_logs", name).read_text(encoding="utf-8").splitlines():
            if line.startswith("command: "):
                yield line.removeprefix("command: ")


def write_configurations(configurations: Configurations, path: Path) -> None:
    """Write configurations as a script reads them."""
    write_measurements_splconqueror_csv(Measurements(configurations, {}), path)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "names", "sampled"),
    [
        pytest.param("Dune", ["Dune_divDistBased_t2.log"], [265], marks=pytest.mark.slow),
        ("Dune", ["Dune_solvBased_t1.log"], [25]),
        ("LLVM", ["LLVM_distBased_t3.log"], [165]),
        ("x264", ["x264_henard_t1.log"], [12]),
        ("x264", ["x264_rand_t2.log"], [65]),
        ("x264", ["x264_twise.log", "x264_twise_t1.log", "x264_twise_t2.log"], [12, 65]),
    ],
)
def test_scripts_of_published_logs(system: str, names: list[str], sampled: list[int]) -> None:
    """The commands that a published log echoes run; each learns from as many configurations as the program did.

    The logs that they write echo the same commands, and hold the models.
    """
    # The files of this machine, and nothing of the scripts that are called.
    commands = []
    for command in echoed(*names):
        place = next((file for file in ("FeatureModel.xml", "measurements.xml") if command.endswith(file)), None)
        here = command.replace("DIR/", "./").replace("../allConfigurations.csv", "all.csv")
        if command.split()[0] not in ("clean-global", "script"):
            commands.append(f"{command.split()[0]} {real(system, place)}" if place else here)
    if any("fromFile:all.csv" in command for command in commands):
        everything = Space(read_variability_model(real(system, "FeatureModel.xml"))).enumerate(10_000)
        write_configurations(everything, Path("all.csv"))
    result = scripted("\n".join(["log first.log", *commands]))
    assert [each.result.learning_configurations for each in result.models] == sampled
    assert all(each.error is not None and each.error < 60 for each in result.models)
    logs = [Path(file) for file in result.logs if not file.endswith("_error")]
    lines = [line for file in logs for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line.removeprefix("command: ") for line in lines if line.startswith("command: ")] == commands
    stored = read_stored_models([each.log for each in result.models if each.log is not None], learning=0)
    assert [len(each.model.terms) for each in stored] == [len(each.result.model.terms) for each in result.models]


@pytest.mark.real_data
@pytest.mark.parametrize(("strength", "terms"), [(1, 3), (2, 4)])
def test_published_models(strength: int, terms: int) -> None:
    """With its first term and its configurations, a script learns the model of a published log."""
    x264 = measured("x264")
    rows = t_wise(x264, strength)
    write_configurations(x264.configurations[rows], Path("sampled.csv"))
    settings = next(each for each in echoed("x264_twise.log") if each.startswith("mlsettings"))
    text = f"{settings} first:no_mixed_refs\n{inputs_of('x264')}"
    text += f"binary random numConfigs:{len(rows)} fromFile:sampled.csv\nstart"
    (found,) = scripted(text, "splconqueror-2019").models
    published = real("splc_logs", f"x264_twise_t{strength}.log").read_text(encoding="utf-8").splitlines()
    last = [line for line in published if line[:1].isdigit()][-1].split(";")
    assert len(found.result.model.terms) == terms
    assert found.result.learning_error == pytest.approx(float(last[3]), rel=1e-11)
    assert found.error == pytest.approx(float(last[11]), rel=1e-11)
