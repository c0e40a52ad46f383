"""Workflows as functions, and the best configurations with their intervals."""

from __future__ import annotations

import hashlib
import math
import runpy
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from typer.testing import CliRunner

from sampling import Space
from splc import read_model, read_variability_model
from splc.cli.app import app
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MachineError, OutputError
from splc.formats.models.stored_model import StoredModel
from splc.measuring.session import Session
from splc.measuring.setup import Setup
from splc.models.influence import InfluenceModel
from splc.models.terms import Factor, Term
from splc.project import Project
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows import calibrate, explain, learn, measure, optimize
from splc.workflows.compare import Request, run
from splc.workflows.explain.explain import Explained
from tests.support.objects import Told, present


@pytest.mark.usefixtures("project")
def test_contributions_without_files() -> None:
    """Contributions of a model in memory are those of its file; configurations may be tables of one row."""
    system = read_variability_model("system.xml")
    model = read_model("analytical.txt", system, parameters=Project.load(Path()).parameters())
    asked: dict[str, list[float]] = {"px": [4], "py": [4], "nx": [400]}
    found = explain.contributions(model, Space(system), asked)
    shown = explain.run(explain.Request(model="analytical.txt", configuration="px=4,py=4,nx=400")).found
    assert isinstance(shown, Explained)
    assert (found.predicted, found.reference) == (shown.predicted, shown.reference)
    assert found.to_columns()["contribution"] == [each.value for each in shown.contributions]
    other = explain.contributions(model, Space(system), asked, {"px": [1], "py": [4], "nx": [400]})
    assert sum(other.to_columns()["difference"]) == pytest.approx(other.predicted - other.reference)
    with pytest.raises(ConfigurationError, match="one configuration is explained, not 2"):
        explain.contributions(model, Space(system), {name: values * 2 for name, values in asked.items()})


def test_writing_is_chosen(project: Path) -> None:
    """With `write=False` nothing is written; a calibration is written by `write`."""
    before = {path.name for path in project.iterdir()}
    request = learn.Request(learner="stepwise", sampling="pb:9,3", plot="p.svg", output="m.log")
    for write, more in ((False, set()), (True, {"p.svg", "m.log"})):
        found = learn.run(replace(request, write=write))
        assert {path.name for path in project.iterdir()} - before == more
        assert (found.plot, found.output) == (("p.svg", "m.log") if write else (None, None))
    result = calibrate.run(calibrate.Request(free=("alpha", "beta"), output="fitted.toml"))
    assert isinstance(result, calibrate.Result)
    calibrate.write(result, "fitted.toml")
    assert "alpha" in (project / "fitted.toml").read_text(encoding="utf-8")


def test_the_python_module_predicts_what_the_model_predicts(project: Path) -> None:
    """The function of the module takes the options of the model, and gives its predictions."""
    found = learn.run(learn.Request(sampling="pb:25,5", nfp="messages", output="model.py"))
    predict = runpy.run_path(str(project / "model.py"))["predict"]
    some = found.measured.configurations[found.rows[:3]]
    rows = [some.assignment(row) for row in range(3)]
    assert [predict(row) for row in rows] == pytest.approx(found.result.predict(some).tolist())
    assert [predict(row, printed=True) for row in rows] == pytest.approx(found.result.model.predict(some).tolist())


@pytest.mark.usefixtures("project")
def test_rounds_are_reported_and_can_be_stopped() -> None:
    """The watch gets every round as a line; stopping keeps what was learned."""
    watch = Told(lambda: len(watch.lines) == 2)
    found = learn.run(learn.Request(preset="splconqueror", sampling="ff", write=False), watch)
    assert found.interrupted
    assert [line.split(" + ")[0] for line in watch.lines] == ["round 1:", "round 2:"]


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.usefixtures("project")
def test_the_first_error_of_a_measurement_is_told(monkeypatch: pytest.MonkeyPatch, stopped: bool) -> None:
    """If the table cannot be written, the error is that; but the one that ended the runs, if there is one."""
    wrong = Mock(side_effect=OutputError("the table cannot be written"))
    monkeypatch.setattr(Setup, "measurements", wrong)
    if stopped:
        monkeypatch.setattr(Session, "measure", Mock(side_effect=MachineError("the disk is full")))
    with pytest.raises(MachineError if stopped else OutputError) as caught:
        measure.run(measure.Request(command="echo {px}", sampling="pb:9,3", output="new.csv"))
    assert caught.value.problems[0].message == ("the disk is full" if stopped else "the table cannot be written")


MODELS = ("analytical.txt", "other.txt")


@pytest.fixture(autouse=True)
def other(project: Path) -> None:
    """Write another model beside that of the case study."""
    (project / "other.txt").write_text("1e-5 * nx * px + 2e-5 * log2(py) - 1e-3", encoding="utf-8")


def test_a_model_is_one_record_from_its_file_to_the_result() -> None:
    """The models of the result have file, hash, predictions and numbers for their parameters."""
    result = run(Request(models=MODELS))
    for model, file in zip(result.comparisons.models, MODELS, strict=True):
        assert (model.file, model.sha256) == (file, hashlib.sha256(Path(file).read_bytes()).hexdigest())
        assert present(model.predicted).shape == (len(present(result.basis.configurations)),)
        assert not model.bound.parameters


def test_ranges_and_correlations_are_computed_on_request() -> None:
    """Ranges and correlations take time: they are in the result only if requested."""
    plain = run(Request(models=MODELS))
    assert (plain.ranges, plain.correlations) == ((), ())
    watch = Told()
    result = run(Request(models=(*MODELS, "other.txt"), tables=("ranges", "correlations")), watch)
    assert [len(ranges) for ranges in result.ranges] == [len(model.model.terms) for model in result.comparisons.models]
    assert {found.pairs for found in result.correlations} <= {0, 1, 2, 3}
    assert watch.lines == ["other.txt", "other.txt [2]", *["correlating"] * 3]


def test_models_without_a_common_class_can_be_learned_by_part(project: Path) -> None:
    """The command that is advised has a part for each number, and the variable that says where it counts."""
    columns = "px,py,nx"
    rows = (project / "measurements.csv").read_text(encoding="utf-8").splitlines()[1:]
    measured, levels = [f"{columns},seconds,part_0_s,part_1_s"], [f"{columns},level,C,n"]
    for row, key in enumerate(dict.fromkeys(",".join(row.split(",")[:3]) for row in rows)):
        unknowns, messages = 1 + row % 5, 1 + row % 7
        measured.append(f"{key},{unknowns * (1 + messages)},{unknowns},{unknowns * messages}")
        levels += [f"{key},0,{unknowns},1", f"{key},1,{unknowns},{messages}"]
    (project / "measurements.csv").write_text("\n".join(measured), encoding="utf-8")
    (project / "levels.csv").write_text("\n".join(levels), encoding="utf-8")
    (project / "splc.toml").write_text('nfp = "seconds"\nobserved = "levels.csv"\n', encoding="utf-8")
    (project / "analytical.txt").write_text("C_0 + C_1 * n_1", encoding="utf-8")
    texts = [note.text for note in run(Request(models=MODELS)).notes]
    command = next(text for text in texts if "no class of terms" in text).partition("learn from them: splc ")[2]
    assert "'part_{}_s:level_{}'" in command
    learned = CliRunner().invoke(app, [*shlex.split(command), "--preset", "splconqueror"], catch_exceptions=False)
    assert learned.exit_code == 0, learned.stderr
    texts = [note.text for note in run(Request(models=("analytical.txt", "learned.log"))).notes]
    assert not any("no class of terms" in text for text in texts)


@pytest.mark.parametrize("on", ["measured", "ff"])
def test_coverage_is_counted_on_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: str) -> None:
    """Prediction intervals have the scatter of runs, and the runs inside are counted, not the means."""
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(2).normal(size=(10, 30))
    rows = [(x, 100 * x * math.exp(0.3 * each)) for x in range(1, 11) for each in noise[x - 1].tolist()]
    Path("t.csv").write_text("x,time\n" + "".join(f"{x},{time:.6g}\n" for x, time in rows))
    Path("analytical.txt").write_text("100 * x")
    learn.run(learn.Request(measurements="t.csv", output="learned.log"))
    result = run(Request(models=("analytical.txt", "learned.log"), measurements="t.csv", on=on, intervals=0.9))
    covered = present(result.comparisons.judged[1].covered)
    assert 0.85 < covered < 0.97
    # Of the ten means, tenths would be inside.
    assert round(300 * covered) % 30 != 0


MANY_OPTIONS = VariabilityModel("made", tuple(BinaryOption(f"o{place:02d}") for place in range(24)))


@dataclass(frozen=True)
class Near:
    """Intervals at a distance from the predictions of a model."""

    model: InfluenceModel
    half: float
    level: float = 0.9

    def interval(self, configurations: Configurations) -> tuple[Array, Array]:
        """Return the ends of the intervals."""
        predicted = self.model.predict(configurations)
        return predicted - self.half, predicted + self.half


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize(("count", "constant"), [(0, 9.0), (2, 9.0), (20, -30.0), (20, 9.0)])
def test_the_worse_end(count: int, constant: float, *, maximize: bool) -> None:
    """The worse end is the farther away the more options are chosen; of positive values it is a factor."""
    terms = [(Term(), constant), *((Term((Factor(f"o{place:02d}"),)), 0.1 + place) for place in range(count))]
    model = InfluenceModel.of_system(terms, MANY_OPTIONS)
    near = Near(model, 2.0)
    goal = optimize.Objective("t", MANY_OPTIONS, StoredModel(model, intervals=near), maximize)
    best = optimize.best_configurations([goal], Space(MANY_OPTIONS)).candidates[0]
    found = present(best.values[0].interval)
    low, high = (float(ends[0]) for ends in near.interval(best.configuration))
    times = max(1.0, math.sqrt(2 * math.log(count + 1)) / 1.645)
    assert (times > 1) == (count == 20)
    middle, half = (math.log(low * high) / 2, math.log(high / low) / 2) if low > 0 else ((low + high) / 2, 2.0)
    worse = middle + (-1 if maximize else 1) * times * half
    worse = math.exp(worse) if low > 0 else worse
    expected = (worse, high) if maximize else (low, worse)
    np.testing.assert_allclose((found.low, found.high), expected, rtol=1e-6)
