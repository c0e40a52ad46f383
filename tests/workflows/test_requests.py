"""Requests: their fields from texts, calls from Python, and standard input."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from splc.cli.app import app, verb_of
from splc.cli.printer import print_view
from splc.errors import RequestError, SpecError
from splc.io.json import plain_values
from splc.workflows import convert, describe, fields
from splc.workflows.fields import (
    axes_of,
    bounds_of,
    names_in,
    names_of,
    number_or,
    numbers_of,
    percentage_of,
    point_of,
    points_of,
    texts_of,
    values_of,
)
from splc.workflows.views import Watch
from tests.cli.conftest import MEASUREMENTS, OTHER, SYSTEM
from tests.support.golden_messages import check_messages

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


NAMES = st.text("abcx_.()/= -", min_size=1, max_size=6).map(str.strip).filter(bool)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(NAMES, NUMBERS))
def test_numbers(values: dict[str, float]) -> None:
    """`NAME=NUMBER` gives the number, also where the name contains an equals sign or is set apart by spaces."""
    assert numbers_of([f" {name} ={value!r} " for name, value in values.items()]) == values


@given(st.dictionaries(NAMES.filter(lambda name: "=" not in name), st.lists(NUMBERS, min_size=1)))
def test_axes(values: dict[str, list[float]]) -> None:
    """`NAME=NUMBER,NUMBER` gives all numbers in their order."""
    texts = [f" {name} = {' , '.join(map(repr, numbers))}" for name, numbers in values.items()]
    assert axes_of(texts) == values


@given(st.dictionaries(NAMES, st.tuples(st.none() | NUMBERS, st.none() | NUMBERS)))
def test_bounds(values: dict[str, tuple[float | None, float | None]]) -> None:
    """`NAME=LOW..HIGH` gives both ends; an end that is left out is open."""
    shown: dict[float | None, str] = {None: " "}
    texts = [
        f"{name} ={shown.get(low, repr(low))}..{shown.get(high, repr(high))}" for name, (low, high) in values.items()
    ]
    assert bounds_of(texts) == values


@given(st.lists(st.text("ab c", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True))
def test_names(names: list[str]) -> None:
    """`NAME,NAME` gives the names, also over several texts; spaces around them do not count."""
    assert names_of(" , ".join(names)) == tuple(names)
    assert names_in([f" {names[0]} ", *([", ".join(names[1:])] if names[1:] else [])]) == tuple(names)


def test_texts_and_words() -> None:
    """Spaces around columns, names and values do not count; only the first equals sign separates them."""
    assert values_of([" a b = 1=2 ", "a b=1=2", "c="]) == {"a b": "1=2", "c": ""}
    assert texts_of([" a =1", "a= 2=3 "]) == {"a": "2=3"}
    assert point_of("p=64, n=8") == {"p": 64, "n": 8}
    assert points_of(["p=64,n=8", "p=128"]) == ({"p": 64, "n": 8}, {"p": 128})
    # A word has its value; other texts are whole numbers that are large enough.
    assert [number_or({"all": -1}, 1)(text) for text in ("all", "1", "12")] == [-1, 1, 12]
    assert [percentage_of(text) for text in ("5%", "5", " 0 ", "2.5%")] == [5, 5, 0, 2.5]


def test_wrong_texts() -> None:
    """Wrong texts are refused with the form that is expected."""

    def reject(text: str) -> None:
        function, _, given = text.partition(" ")
        getattr(fields, function)(json.loads(given))

    check_messages("field-values", reject)


@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        ({"all": 0}, "0", "'0' is neither 'all' nor a positive number"),
        ({"last": 0, "best": 1}, "-1", "'-1' is neither 'last' nor 'best' nor a number"),
    ],
)
def test_wrong_words(words: dict[str, int], text: str, message: str) -> None:
    """A text that is neither a known word nor a number is refused; the message names both."""
    with pytest.raises(SpecError, match=message):
        number_or(words, *([1] if "all" in words else []))(text)


PACKAGES = [Path(__file__).parents[2] / name for name in ("splc", "sampling", "comparison")]


@pytest.mark.parametrize(
    ("content", "work"),
    [
        (SYSTEM, lambda: convert.run(convert.Request(source="-", output="system.xml"))),
        (MEASUREMENTS, lambda: convert.run(convert.Request(source="-", output="o.csv", system="system.xml"))),
        (OTHER, lambda: convert.run(convert.Request(source="-", output="o.json", system="system.xml"))),
        (SYSTEM, lambda: describe.run(describe.Request(system="-"))),
        (MEASUREMENTS, lambda: describe.run(describe.Request(system="-"))),
    ],
    ids=["convert a system", "convert measurements", "convert a model", "describe a system", "describe measurements"],
)
def test_the_stream_of_the_caller(content: str, work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is read to its end, and remains the stream that it was; the next call reads it again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    for _ in range(2):
        stream = io.TextIOWrapper(io.BytesIO(content.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stream)
        work()
        assert sys.stdin is stream
        assert stream.read() == ""


def test_streams_are_not_replaced() -> None:
    """Only the command line assigns standard streams."""
    for file in (file for package in PACKAGES for file in package.rglob("*.py") if "cli" not in file.parts):
        assert not re.search(r"^ *sys\.std(in|out|err) *=", file.read_text(encoding="utf-8"), re.MULTILINE), file
