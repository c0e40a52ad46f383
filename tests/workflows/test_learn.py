"""Learning and scaling called from Python: what the commands give and write, and every option as a field."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc import read_model
from splc.cli.app import app
from splc.errors import LearningError, RequestError
from splc.workflows import learn, scale
from tests.support.watches import Told

TIMES = ("seconds", "output")
PROFILE = "p,callpath,time\n" + "".join(f"{p},{path},{k * p}\n" for path, k in (("a", 2), ("b", 3)) for p in (2, 4, 8))


def printed(*arguments: str) -> dict[str, Any]:
    """Return the JSON object that a command prints, without times."""
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    found: dict[str, Any] = json.loads(result.stdout)
    return {key: value for key, value in found.items() if key not in TIMES}


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"sampling": "pb:9,3"}, ["--sampling", "pb:9,3"]),
        (
            {"preset": "splconqueror", "sampling": "random:40", "seed": 3, "nfp": "messages"},
            ["--preset", "splconqueror", "--sampling", "random:40", "--seed", "3", "--property", "messages"],
        ),
        (
            {"settings": {"terms": "4", "form": "sum"}, "sampling": "random:20", "seed": 3},
            ["--terms", "4", "--set", "form=sum", "--sampling", "random:20", "--seed", "3"],
        ),
        ({"learner": "pmnf", "sampling": "pb:25,5"}, ["--learner", "pmnf", "--sampling", "pb:25,5"]),
        (
            {"learner": "stepwise", "evaluate_on": "measurements.csv"},
            ["--learner", "stepwise", "--evaluate-on", "measurements.csv"],
        ),
    ],
)
def test_a_script_gets_what_the_command_gets(project: Path, fields: dict[str, Any], options: list[str]) -> None:
    """Model, errors, rounds and notes are those of the command; the file holds the same model."""
    found = learn.run(learn.Request(**fields, output="script.json"))
    wanted = printed("learn", *options, "-o", "command.json")
    result = found.result
    assert result.model.text == wanted["model"]["text"]
    for name in ("learning_error", "error", "error_all", "termination", "learning_configurations", "seed", "learner"):
        assert getattr(result, name) == wanted[name], name
    assert [this.error for this in result.rounds] == [each["selection_error"] for each in wanted["rounds"]]
    assert list(found.round_errors)[: len(result.rounds)] == [each["test_error"] for each in wanted["rounds"]]
    assert list(result.notes) == wanted["notes"]
    stored, model = read_model("script.json"), result.model
    assert stored == read_model("command.json")
    assert (stored.terms, stored.link, set(stored.derived)) == (model.terms, model.link, set(model.derived))


def test_nothing_is_written_without_being_asked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `write=False` no file is written; nothing is printed in any case."""
    before = {path.name for path in project.iterdir()}
    learn.run(learn.Request(learner="stepwise", sampling="pb:9,3", write=False))
    assert {path.name for path in project.iterdir()} == before
    found = learn.run(learn.Request(learner="stepwise", sampling="pb:9,3"))
    assert {path.name for path in project.iterdir()} - before == {"learned.json", "learned.log"}
    assert (found.output, found.plot) == ("learned.log", None)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["model.py", "model.program.json", "model.tex", "model.json", "model.log", "model"])
def test_every_format(project: Path, name: str) -> None:
    """Stepwise models are written as programs, LaTeX, JSON and logs; other names are logs."""
    learn.run(learn.Request(preset="splconqueror", sampling="pb:9,3", nfp="messages", output=name))
    text = (project / name).read_text(encoding="utf-8")
    begins = {
        "model.py": '"""Program of the model of messages',
        "model.json": "{",
    }
    begins |= {"model.tex": "% model of messages", "model.program.json": '{\n  "schema": "splc.program/1"'}
    assert text.startswith(begins.get(name, "command: splc link"))


def test_the_python_module_predicts_what_the_model_predicts(project: Path) -> None:
    """The function of the module takes the options of the model, and gives its predictions."""
    found = learn.run(learn.Request(sampling="pb:25,5", nfp="messages", output="model.py"))
    module = runpy.run_path(str(project / "model.py"))
    configurations = found.measured.configurations[found.rows[:3]]
    rows = [configurations.assignment(row) for row in range(3)]
    assert [module["predict"](row) for row in rows] == pytest.approx(found.result.predict(configurations).tolist())
    printed = [module["predict"](row, printed=True) for row in rows]
    assert printed == pytest.approx(found.result.model.predict(configurations).tolist())


def test_rounds_are_reported_and_can_be_stopped(project: Path) -> None:
    """The watch gets every round as a line; stopping keeps what was learned."""
    watch = Told(lambda: len(watch.lines) == 2)
    found = learn.run(learn.Request(preset="splconqueror", sampling="ff", write=False), watch)
    assert found.interrupted
    assert [line.split(" + ")[0] for line in watch.lines] == ["round 1:", "round 2:"]


def test_requests_that_contradict_themselves(project: Path) -> None:
    """A request names the fields that are wrong."""
    with pytest.raises(RequestError) as caught:
        learn.run(learn.Request(parts=("messages",), evaluate_on="measurements.csv"))
    assert caught.value.fields == ("evaluate_on",)
    (project / "measurements.csv").write_text("px,py,nx,solve_compute_seconds\n1,1,100,2\n", encoding="utf-8")
    with pytest.raises(LearningError, match="were not measured"):
        learn.run(learn.Request(sampling="pb:9,3"))


def test_warnings_are_shown_and_recorded(project: Path) -> None:
    """Negative predictions are a warning of the workflow, and a note in the file of the model."""
    request = learn.Request(preset="splconqueror", sampling="pb:9,3", nfp="solve_seconds", output="model.json")
    found = learn.run(request)
    (warning,) = [note.text for note in found.notes if note.warning and "negative" in note.text]
    assert warning in json.loads((project / "model.json").read_text(encoding="utf-8"))["notes"]
    predicted = found.result.model.predict(found.measured.configurations)
    assert (found.measured.column("solve_seconds") > 0).all()
    assert predicted.min() < 0


def test_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scaling models, predictions and notes are those of the command."""
    monkeypatch.chdir(tmp_path)
    Path("profile.csv").write_text(PROFILE, encoding="utf-8")
    found = scale.run(scale.Request(profile="profile.csv", predict_at=({"p": 64.0},), output="script.json"))
    wanted = printed("scale", "profile.csv", "--predict-at", "p=64", "-o", "command.json")
    models = {(each["callpath"], each["metric"]): each for each in wanted["models"]}
    assert set(models) == set(found.profile.models)
    for key, model in found.profile.models.items():
        assert model.text == models[key]["model"]["text"]
        assert [vars(each) for each in found.predictions[key]] == models[key]["predictions"]
    assert Path("script.json").read_bytes() == Path("command.json").read_bytes()
    assert any("measured" in note.text for note in found.notes)
