"""Requests: their fields from texts, calls from Python, and standard input."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc.cli.app import app, verb_of
from splc.cli.signature import print_view
from splc.errors import RequestError
from splc.io.json import plain_values
from splc.workflows import fields
from splc.workflows.fields import names_in, number_or
from splc.workflows.views import Watch
from tests.budget import PRODUCT, files
from tests.cli.conftest import MEASUREMENTS, OTHER, SYSTEM
from tests.support.golden_messages import check_calls

TIMES = ("seconds", "output", "companion")
PROFILE = "p,callpath,time\n" + "".join(f"{p},{path},{k * p}\n" for path, k in (("a", 2), ("b", 3)) for p in (2, 4, 8))


@pytest.fixture
def inputs(project: Path) -> Path:
    """Return the case study with another model and a profile."""
    (project / "other.txt").write_text("1e-5 * nx * px + 2e-5 * log2(py) - 1e-3", encoding="utf-8")
    (project / "profile.csv").write_text(PROFILE, encoding="utf-8")
    return project


# Arguments of commands, each above the fields of a request that mean the same.
LINES = """
describe

sample --sampling random:5 --seed 3
    sampling="random:5", seed=3
predict analytical.txt measurements.csv --property solve_seconds
    model="analytical.txt", configurations="measurements.csv", nfp="solve_seconds"
explain analytical.txt px=4,py=4,nx=400
    model="analytical.txt", configuration="px=4,py=4,nx=400"
optimize analytical.txt --top 3
    models=("analytical.txt",), top=3
calibrate --free alpha,beta
    free=("alpha", "beta")
compare analytical.txt other.txt
    models=MODELS
compare analytical.txt other.txt --on pb:9,3 --measure smape
    models=MODELS, on="pb:9,3", measures=("smape",)
compare analytical.txt other.txt --weights measured --scale 500
    models=MODELS, weights="measured", scale=500.0
compare analytical.txt other.txt --no-constant --parameter alpha=0.001
    models=MODELS, constant=False, parameter={"alpha": 0.001}
compare analytical.txt other.txt --property messages --aggregate min
    models=MODELS, nfp="messages", aggregate="min"
learn --sampling pb:9,3 -o FILE.json
    sampling="pb:9,3", output="FILE.json"
learn --preset splconqueror --sampling random:40 --seed 3 --property messages
    preset="splconqueror", sampling="random:40", seed=3, nfp="messages"
learn --terms 4 --set form=sum --sampling random:20 --seed 3
    settings={"terms": "4", "form": "sum"}, sampling="random:20", seed=3
learn --learner pmnf --sampling pb:25,5
    learner="pmnf", sampling="pb:25,5"
learn --learner stepwise --evaluate-on measurements.csv
    learner="stepwise", evaluate_on="measurements.csv"
scale profile.csv --predict-at p=64 -o FILE.json
    profile="profile.csv", predict_at=({"p": 64.0},), output="FILE.json"
""".strip().splitlines()


def shown(text: str) -> dict[str, Any]:
    """Return a JSON object without times and names of files that differ."""
    return {key: value for key, value in json.loads(text).items() if key not in TIMES}


@pytest.mark.parametrize(("line", "fields"), [*zip(LINES[::2], LINES[1::2], strict=True)])
def test_a_script_gets_what_the_command_gets(
    inputs: Path, line: str, fields: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each field has the effect of its option; the results are those of the command, the verb prints nothing."""
    name, *arguments = line.replace("FILE", "command").split()
    verb = verb_of(name)
    made = eval(f"dict({fields})".replace("FILE", "script"), {"MODELS": ("analytical.txt", "other.txt")})  # noqa: S307
    result = verb.run(verb.request(**made), Watch())
    assert capsys.readouterr() == ("", "")
    assert verb.as_json is not None
    print_view([], plain_values(verb.as_json(result)))
    found = shown(capsys.readouterr().out)
    done = CliRunner().invoke(app, [name, *arguments, "--json"])
    assert done.exit_code == 0, done.stderr
    assert found == shown(done.stdout)
    assert all(note.text in done.stderr for note in getattr(result, "notes", ()) if note.warning)
    if "FILE" in line and name != "learn":
        assert (inputs / "script.json").read_bytes() == (inputs / "command.json").read_bytes()


def wrong(name: str, **fields: Any) -> tuple[str, ...]:
    """Return the fields that the error of a wrong request names, which the command shows as options."""
    verb = verb_of(name)
    with pytest.raises(RequestError) as caught:
        verb.run(verb.request(**fields), Watch())
    return caught.value.fields


@pytest.mark.usefixtures("inputs")
def test_texts_of_fields() -> None:
    """Values of texts, and what is refused, by the form of a text or by the fields of a request that is wrong."""
    forms = ("axes", "bounds", "names", "numbers", "percentage", "point", "points", "texts", "values")
    functions = {f"{form}_of": getattr(fields, f"{form}_of") for form in forms}
    check_calls("field-values", names_in, number_or, wrong, **functions)


@pytest.mark.parametrize(
    ("name", "content", "given"),
    [
        ("convert", SYSTEM, {"source": "-", "output": "system.xml"}),
        ("convert", MEASUREMENTS, {"source": "-", "output": "o.csv", "system": "system.xml"}),
        ("convert", OTHER, {"source": "-", "output": "o.json", "system": "system.xml"}),
        *(("describe", content, {"system": "-"}) for content in (SYSTEM, MEASUREMENTS)),
    ],
    ids=["convert a system", "convert measurements", "convert a model", "describe a system", "describe measurements"],
)
def test_the_stream_of_the_caller(
    name: str, content: str, given: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard input is read to its end, and remains the stream that it was; the next call reads it again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    for _ in range(2):
        stream = io.TextIOWrapper(io.BytesIO(content.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stream)
        verb_of(name).run(verb_of(name).request(**given), Watch())
        assert sys.stdin is stream
        assert stream.read() == ""


def test_streams_are_not_replaced() -> None:
    """Only the command line assigns standard streams."""
    for file in (file for file in files(*PRODUCT) if "cli" not in file.parts):
        assert not re.search(r"^ *sys\.std(in|out|err) *=", file.read_text(encoding="utf-8"), re.MULTILINE), file
