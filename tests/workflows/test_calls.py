"""Verbs called from Python: the same results and files as commands, nothing printed, and wrong fields by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc.cli.app import app, verb_of
from splc.cli.printer import print_view
from splc.errors import RequestError
from splc.io.json import plain_values
from splc.workflows.verb import Watch

TIMES = ("seconds", "output", "companion")
ANALYTICAL = ("analytical.txt", "other.txt")
PROFILE = "p,callpath,time\n" + "".join(f"{p},{path},{k * p}\n" for path, k in (("a", 2), ("b", 3)) for p in (2, 4, 8))


@pytest.fixture
def inputs(project: Path) -> Path:
    """Return the case study with another model and a profile."""
    (project / "other.txt").write_text("1e-5 * nx * px + 2e-5 * log2(py) - 1e-3", encoding="utf-8")
    (project / "profile.csv").write_text(PROFILE, encoding="utf-8")
    return project


# Fields of a request, and the arguments of the command that mean the same.
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("describe", {}, ""),
    ("sample", {"sampling": "random:5", "seed": 3}, "--sampling random:5 --seed 3"),
    (
        "predict",
        {"model": "analytical.txt", "configurations": "measurements.csv", "nfp": "solve_seconds"},
        "analytical.txt measurements.csv --property solve_seconds",
    ),
    (
        "explain",
        {"model": "analytical.txt", "configuration": "px=4,py=4,nx=400"},
        "analytical.txt px=4,py=4,nx=400",
    ),
    ("optimize", {"models": ("analytical.txt",), "top": 3}, "analytical.txt --top 3"),
    ("calibrate", {"free": ("alpha", "beta")}, "--free alpha,beta"),
    ("compare", {"models": ANALYTICAL}, "analytical.txt other.txt"),
    (
        "compare",
        {"models": ANALYTICAL, "on": "pb:9,3", "measures": ("smape",)},
        "analytical.txt other.txt --on pb:9,3 --measure smape",
    ),
    (
        "compare",
        {"models": ANALYTICAL, "weights": "measured", "scale": 500.0},
        "analytical.txt other.txt --weights measured --scale 500",
    ),
    (
        "compare",
        {"models": ANALYTICAL, "constant": False, "parameter": {"alpha": 0.001}},
        "analytical.txt other.txt --no-constant --parameter alpha=0.001",
    ),
    (
        "compare",
        {"models": ANALYTICAL, "nfp": "messages", "aggregate": "min"},
        "analytical.txt other.txt --property messages --aggregate min",
    ),
    ("learn", {"sampling": "pb:9,3", "output": "FILE.json"}, "--sampling pb:9,3 -o FILE.json"),
    (
        "learn",
        {"preset": "splconqueror", "sampling": "random:40", "seed": 3, "nfp": "messages"},
        "--preset splconqueror --sampling random:40 --seed 3 --property messages",
    ),
    (
        "learn",
        {"settings": {"terms": "4", "form": "sum"}, "sampling": "random:20", "seed": 3},
        "--terms 4 --set form=sum --sampling random:20 --seed 3",
    ),
    ("learn", {"learner": "pmnf", "sampling": "pb:25,5"}, "--learner pmnf --sampling pb:25,5"),
    (
        "learn",
        {"learner": "stepwise", "evaluate_on": "measurements.csv"},
        "--learner stepwise --evaluate-on measurements.csv",
    ),
    (
        "scale",
        {"profile": "profile.csv", "predict_at": ({"p": 64.0},), "output": "FILE.json"},
        "profile.csv --predict-at p=64 -o FILE.json",
    ),
]


def shown(text: str) -> dict[str, Any]:
    """Return a JSON object without times and names of files that differ."""
    return {key: value for key, value in json.loads(text).items() if key not in TIMES}


@pytest.mark.parametrize(("name", "fields", "arguments"), CALLS, ids=[" ".join(call[::2]).rstrip() for call in CALLS])
def test_a_script_gets_what_the_command_gets(
    inputs: Path, name: str, fields: dict[str, Any], arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each field has the effect of its option; the results are those of the command, the verb prints nothing."""
    verb = verb_of(name)
    own = {key: value.replace("FILE", "script") if key == "output" else value for key, value in fields.items()}
    result = verb.run(verb.request(**own), Watch())
    assert capsys.readouterr() == ("", "")
    assert verb.as_json is not None
    print_view([], plain_values(verb.as_json(result)))
    found = shown(capsys.readouterr().out)
    done = CliRunner().invoke(app, [name, *arguments.replace("FILE", "command").split(), "--json"])
    assert done.exit_code == 0, done.stderr
    assert found == shown(done.stdout)
    assert all(note.text in done.stderr for note in getattr(result, "notes", ()) if note.warning)
    if "FILE" in arguments and name != "learn":
        assert (inputs / "script.json").read_bytes() == (inputs / "command.json").read_bytes()


@pytest.mark.parametrize(
    ("name", "fields", "wrong"),
    [
        ("learn", {"parts": ("messages",), "evaluate_on": "measurements.csv"}, ("evaluate_on",)),
        ("learn", {"folds": 1}, ("folds",)),
        ("calibrate", {"free": ("alpha",), "level": 95}, ("level",)),
        ("optimize", {"models": ("analytical.txt",), "parameter": {"gamma": 1.0}}, ("parameter",)),
        ("compare", {"models": ()}, ("models",)),
        ("compare", {"models": ("-", "-")}, ("models", "on")),
        ("compare", {"models": ANALYTICAL, "scale": -1.0}, ("scale",)),
        ("compare", {"models": ANALYTICAL, "intervals": 95.0}, ("intervals",)),
        ("compare", {"models": ANALYTICAL, "round": 3}, ("round",)),
        ("compare", {"models": ANALYTICAL, "learning": 0}, ("learning",)),
        ("compare", {"models": ANALYTICAL, "weights": "nx^9"}, ("weights",)),
        ("compare", {"models": ANALYTICAL, "fail_below": {"jacard": 1}}, ("fail_below",)),
        ("measure", {"command": "true", "output": "-"}, ("journal",)),
    ],
)
def test_wrong_requests_name_their_fields(
    inputs: Path, name: str, fields: dict[str, Any], wrong: tuple[str, ...]
) -> None:
    """A wrong request is an error with the names of the fields, which the command shows as options."""
    verb = verb_of(name)
    with pytest.raises(RequestError) as caught:
        verb.run(verb.request(**fields), Watch())
    assert caught.value.fields == wrong


@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", "--property", "nothing"),
        ("learn", "--sampling", "random:999999"),
        ("calibrate", "--free", "alpha", "--property", "nothing"),
        ("compare", "analytical.txt", "analytical.txt", "--property", "nothing"),
        ("compare", "analytical.txt", "analytical.txt", "--weights", "px^7"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_was_left_out_is_reported_before_an_error(project: Path, arguments: tuple[str, ...]) -> None:
    """A workflow that fails after reading reports what the reader dropped, then the error."""
    table = project / "measurements.csv"
    header, first, *lines = table.read_text(encoding="utf-8").splitlines()
    values = dict(zip(header.split(","), first.split(","), strict=True)) | {"solve_seconds": "NA"}
    table.write_text("\n".join((header, ",".join(values.values()), *lines)) + "\n", encoding="utf-8")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    warning, error = result.stderr.split("\n", 1)
    assert warning.startswith("warning: measurements.csv: 1 value of solve_seconds is missing")
    assert not any(line.startswith(("warning", "note")) for line in error.splitlines()[1:])
