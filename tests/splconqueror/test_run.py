"""Scripts of SPL Conqueror: what they learn from, what they write, and interruptions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling import sample
from splc import read_model, read_variability_model
from splc.errors import RequestError
from splc.formats.measurements.read import read_measurements
from splc.formats.models.read import read_stored_models
from splc.formats.scripts.commands import COMMANDS
from splc.splconqueror.interpreter import METHODS
from splc.splconqueror.run import Request, Result, run
from splc.splconqueror.study import WrittenStudy
from tests.cli.conftest import MEASUREMENTS, SYSTEM
from tests.support.scripts import INPUTS, Runs, rows
from tests.support.watches import Told

ALL = "select-all-measurements true\n"


def test_every_command_has_a_method() -> None:
    """Each command of the table can be run."""
    assert set(METHODS) == {each.name for each in COMMANDS}


def test_a_request_needs_a_script() -> None:
    """A request without a script is refused."""
    with pytest.raises(RequestError, match="no script is named"):
        run(Request(scripts=()))


def test_a_log_is_a_model(runs: Runs, folder: Path) -> None:
    """The models of a log are those that the script learned, and its predictions are theirs."""
    learned = "binary optionwise\nlearn-splconqueror\nclean-sampling\n"
    predicted = "predict-all-configs-splconqueror p.csv\npredict-configs-splconqueror"
    text = f"log a.log\n{INPUTS}mlsettings abortError:0\n{learned}{ALL}start\n{predicted}"
    result, _ = runs(text)
    system = read_variability_model(folder / "system.xml")
    stored = read_stored_models([str(folder / "a.log")], system, learning=0)
    everything = sample(system, "all+ff")
    for each, found in zip(result.models, stored, strict=True):
        assert np.allclose(found.model.predict(everything), each.result.model.predict(everything), rtol=1e-12)
    assert [Path(file).name for file in result.files] == ["p.csv", "a_predictions_select-all-measurements-true.csv"]
    table = rows(folder / "p.csv")
    assert rows(Path(result.files[1])) == table
    measured = read_measurements(folder / "measurements.csv", system)
    expected = read_model(folder / "a.log", system).predict(measured.configurations)
    assert np.allclose([float(row["predicted"]) for row in table], expected, rtol=1e-12)


def test_union_and_product(runs: Runs, folder: Path) -> None:
    """Binary samplings are joined, so are numeric ones; the sample is their product."""
    numeric = "numeric fullfactorial\nnumeric centralcomposite\n"
    runs(f"{INPUTS}binary featurewise\nbinary pairwise\n{numeric}printconfigs a.csv")
    system = read_variability_model(folder / "system.xml")
    specs = (f"{one}+{other}" for one in ("optionwise", "pairwise") for other in ("ff", "cci:compat"))
    wanted = {tuple(row) for spec in specs for row in sample(system, spec).indices.tolist()}
    found = [[int(row[name]) for name in ("cache", "left", "right", "x")] for row in rows(folder / "a.csv", ";")]
    assert len(found) == len(wanted)
    assert {(*row[:3], (1, 2, 4).index(row[3])) for row in found} == wanted


@pytest.mark.parametrize(
    ("samplings", "learned", "judged"),
    [
        ("binary featurewise\nbinary allbinary validation\n", 9, 9),
        ("numeric random numConfigs:2 seed:1\nbinary allbinary validation:true\n", 6, 9),
        # Without a learning set the validation set is learned from.
        ("binary allbinary validation\n", 9, 9),
    ],
)
def test_validation(runs: Runs, samplings: str, learned: int, judged: int) -> None:
    """Candidates are judged by the validation set, whose error the log states."""
    result, lines = runs(f"{INPUTS}{samplings}start")
    (model,) = result.models
    assert (model.result.learning_configurations, model.validation) == (learned, judged)
    last = [line for line in lines if line[:1].isdigit() and ";" in line][-1].split(";")
    assert (float(last[2]), float(last[4])) == pytest.approx((model.result.learning_error, model.error))
    assert (model.error == pytest.approx(model.result.learning_error)) == (learned == judged)


def test_an_evaluation_set(runs: Runs, folder: Path) -> None:
    """Errors are those on the evaluation set."""
    (folder / "other.csv").write_text(MEASUREMENTS.replace("14,40", "28,40"), encoding="utf-8")
    result, lines = runs(f"{INPUTS}evaluationset other.csv\n{ALL}learn-splconqueror\nanalyze-learning")
    (model,) = result.models
    assert model.error == pytest.approx(model.result.error)
    assert model.error != pytest.approx(model.result.error_all)
    assert float(lines[-2].rpartition(";")[2]) == pytest.approx(model.error)


def test_configurations_of_a_file(runs: Runs, folder: Path) -> None:
    """`random … fromFile` draws from the configurations of a file that `printconfigs` wrote."""
    text = f"{INPUTS}binary featurewise\nprintconfigs drawn.csv\nclean-sampling\n"
    runs(text + "binary random numConfigs:2 seed:2 fromFile:drawn.csv\nprintconfigs some.csv")
    known, found = ({tuple(row.values()) for row in rows(folder / f"{name}.csv", ";")} for name in ("drawn", "some"))
    assert len({row[:4] for row in found}) == 2
    assert found < known


def test_draws_of_the_program_of_2018(folder: Path) -> None:
    """With the preset splconqueror-2019 a script draws as the program before June 2023, in runs and in studies."""
    text = f"{INPUTS}binary random numConfigs:3 seed:10\nprintconfigs some.csv\nlearn-splconqueror\n"
    (folder / "main.a").write_text(text, encoding="utf-8")
    scripts, output = (str(folder / "main.a"),), str(folder / "s.toml")
    found = {}
    for preset, rule in (("splconqueror", "compat"), ("splconqueror-2019", "compat=2018")):
        run(Request(scripts=scripts, preset=preset))
        found[preset] = list(dict.fromkeys(tuple(row.values())[:4] for row in rows(folder / "some.csv", ";")))
        study = run(Request(scripts=scripts, preset=preset, output=output, to_study=True))
        assert isinstance(study, WrittenStudy)
        assert study.samplings == (f"random:3,{rule},seed=10+ff",)
    old, new = found.values()
    assert (set(old), old != new) == (set(new), True)


@pytest.mark.parametrize("order", ["root x", "x root", "Enabledx x", "root"])
def test_order_with_the_root(runs: Runs, folder: Path, order: str) -> None:
    """The root, which is first in every line, and switches of numeric options may be in `optionorder`."""
    optional = "<values>1;2;4</values><optional>True</optional><deselectedFlag>-1</deselectedFlag>"
    (folder / "system.xml").write_text(SYSTEM.replace("<values>1;2;4</values>", optional), encoding="utf-8")
    plain = f"{INPUTS}binary featurewise\nnumeric fullfactorial\n"
    runs(f"{plain}optionorder {order}\nprintconfigs a.txt\noptionorder x\nprintconfigs b.txt")
    lines = [(folder / name).read_text(encoding="utf-8").splitlines() for name in ("a.txt", "b.txt")]
    assert [line.startswith('prefix "root%;%') for line in lines[0]] == [True] * len(lines[1])
    assert (lines[0] == lines[1]) == ("x" in order.split())


@pytest.mark.parametrize(("asked", "last"), [(2, "command: all measurements.csv"), (3, "command: nfp time")])
def test_interruption(folder: Path, asked: int, last: str) -> None:
    """A run that is stopped keeps what it wrote, and begins no further command."""
    (folder / "a.a").write_text(f"log a.log\n{INPUTS}{ALL}start\nanalyze-learning")
    left = iter([False] * (asked + 1))
    result = run(Request(scripts=(str(folder / "a.a"),)), Told(lambda: next(left, True)))
    assert isinstance(result, Result)
    assert result.stopped
    lines = (folder / "a.log").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("command: ")][-1] == last


def test_a_search_is_interrupted(runs: Runs) -> None:
    """A search that is stopped before its first trial ends the run, which keeps what it wrote."""
    left = iter([False] * 5)
    text = f"{INPUTS}{ALL}learn-splconqueror-opt numberOfRounds=[1,3]\nprintsettings"
    result, lines = runs(text, watch=Told(lambda: next(left, True)))
    assert (result.stopped, result.models, "command: printsettings" in lines) == (True, (), False)
