"""Printed lines and JSON of studies and scripts, from results with given numbers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import typer

from splc.cli.show import run, study
from splc.io.json import plain_values
from splc.io.tables import Table
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of


def one_run(error: float | None, reason: str | None = None, *, seeded: bool = True, log: str | None = "log") -> Any:
    """Return a run of a study."""
    task = of(label="pb:9,3", learner=of(name="stepwise"), sampling="pb:9,3", seed=3, seeded=seeded, log="a.log")
    record = of(
        log=log,
        learned_from=9,
        rounds=4,
        learning_error=1.5,
        error=2.5,
        error_all=3.5,
        printed_error=None,
        printed_error_all=None,
    )
    values = {"measured_learned": {"jaccard": 0.5}}
    return of(task=task, record=record, reason=reason, terms=5, error=error, values=values)


def result(*runs: Any, best: Any = None, **values: Any) -> Any:
    """Return the result of a study."""
    known = {
        "tables": (Table(("a",), (("b",),)), Table(("c",), (("d",),))),
        "results": of(runs=runs, best=best, analytical={"e": 1.0}, unscaled={"e": 2.0}),
        "tasks": 3,
        "done": 2,
        "found": 1,
        "files": ("x.csv",),
        "folder": Path("out"),
        "study": of(path=Path("study.toml")),
        "interrupted": False,
        "notes": ("a note",),
    }
    return of(**{**known, **values})


PLACE = "3 runs, 1 of them done before; 2 files in out"
TABLES = ["a", "b", "", "c", "d", ""]
BEST = "best model: pb:9,3 (learner stepwise), error rate 1.235 %"


def test_study(printed: Printed) -> None:
    """The tables, the best model and the place of the files are printed."""
    study.show(result(best=one_run(1.23456)))
    assert printed() == [*TABLES, BEST, PLACE]
    for best in (None, one_run(None)):
        study.show(result(best=best))
        assert printed() == [*TABLES, PLACE]


def test_studies_of_a_context(printed: Printed) -> None:
    """Each value has its study; the table of all follows unless the study was interrupted."""
    studies = {"1": result(best=one_run(1.23456)), "2": result(results=None), "3": result()}
    for interrupted in (False, True):
        found = of(studies=studies, by="version", interrupted=interrupted, folder=Path("all"))
        study.show_by(found)
        last = [] if interrupted else ["all values in one table: all/contexts.csv"]
        first = ["version '1'", "", *TABLES, BEST, PLACE, ""]
        assert printed() == [*first, "version '3'", "", *TABLES, PLACE, "", *last]
    content = content_of(study.by_as_json(found), "splc.study.by/1")
    assert (content["by"], content["folder"]) == ("version", "all")
    assert content["values"] == [
        {"value": value, **content_of(study.as_json(each), "splc.study/1")} for value, each in studies.items()
    ]


def test_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    """An interrupted study ends with exit code 130 and says how to continue."""
    study.end_if_interrupted(result())
    assert capsys.readouterr() == ("", "")
    with pytest.raises(typer.Exit) as ended:
        study.end_if_interrupted(result(interrupted=True))
    assert ended.value.exit_code == 130
    text = "note: interrupted: 2 of 3 runs are done and kept; the same command continues\n"
    assert capsys.readouterr() == ("", text)


def test_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remaining time is that of the remaining tasks by the mean of those since the first call."""
    seconds: Iterable[float] = iter((10.0, 14.0, 20.0, 30.0))
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))  # type: ignore[call-overload]
    shown: list[tuple[int, int | None, str]] = []
    after = study.advance_by(lambda *each: shown.append(each))
    after(3, 9, "one")
    after(5, 9, "two")
    after(8, 9, "")
    after(9, 9, "last")
    # 2 tasks took 4 s, so that 4 take 8 s; 5 tasks took 10 s, so that one takes 2 s.
    assert shown == [
        (3, 9, "3 of 9: one"),
        (5, 9, "5 of 9, about 8 s left: two"),
        (8, 9, "8 of 9, about 2 s left"),
        (9, 9, "9 of 9: last"),
    ]


RUN = {
    "learner": "stepwise",
    "sampling": "pb:9,3",
    "learned_from": 9,
    "rounds": 4,
    "terms": 5,
    "learning_error": 1.5,
    "error": 2.5,
    "error_all": 3.5,
    "printed_error": None,
    "printed_error_all": None,
    "analytical_learned": None,
    "measured_learned": {"jaccard": 0.5},
}


def test_json() -> None:
    """Runs have their seeds where these matter, and the logs that were written."""
    best = one_run(1.0)
    shared = {
        "study": "study.toml",
        "folder": "out",
        "tasks": 3,
        "done": 2,
        "done_before": 1,
        "interrupted": False,
        "statistics": None,
        "notes": ["a note"],
    }
    assert content_of(
        study.as_json(result(best, one_run(None, "why", seeded=False, log=None), best=best)), "splc.study/1"
    ) == {
        **shared,
        "refused": 1,
        "best": {**RUN, "seed": 3, "reason": None, "log": "a.log"},
        "runs": [
            {**RUN, "seed": 3, "reason": None, "log": "a.log"},
            {**RUN, "seed": None, "reason": "why", "log": None},
        ],
        "analytical": {"e": 1.0},
        "analytical_unscaled": {"e": 2.0},
        "files": ["x.csv", "manifest.json"],
    }
    none = {"refused": 0, "best": None, "runs": [], "analytical": None, "analytical_unscaled": None, "files": ["x.csv"]}
    assert content_of(study.as_json(result(results=None)), "splc.study/1") == {**shared, **none}


def script_model(*, readable: bool, log: str | None = "a.log") -> Any:
    """Return a model that a script learned."""
    learned = of(
        model=of(terms=(1, 2), text="1 + x"),
        readable=readable,
        learner="forest",
        learning_configurations=9,
        learning_error=1.23456,
        settings={"a": 1},
        rounds=(1, 2, 3),
        termination="noCandidate",
    )
    about = {"script": "s.a", "line": 7, "command": "start", "log": log, "nfp": "time", "sampling": ("pw", "pb 9 3")}
    return of(**about, result=learned, error=2.5 if log else None, validation=4)


SCRIPTS: dict[str, Any] = {
    "commands": {"s.a": 1, "t.a": 2},
    "models": (script_model(readable=True), script_model(readable=False, log=None)),
    "logs": ("a.log",),
    "files": ("b.csv",),
    "notes": ("a note",),
    "stopped": False,
}


def test_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    """Models have a line each, unless the log was printed; files that were written are notes."""
    notes = "note: written: a.log\nnote: written: b.csv\n"
    run.show(of(**SCRIPTS, printed=False))
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "script  line  log    sampling    configurations   terms  learning error  error",
        "s.a     7     a.log  pw; pb 9 3               9       2         1.235 %  2.5 %",
        "s.a     7            pw; pb 9 3               9  forest         1.235 %",
    ]
    assert err == notes
    run.show(of(**SCRIPTS, printed=True))
    assert capsys.readouterr() == ("", notes)
    run.checked(of(**SCRIPTS))
    assert capsys.readouterr() == ("s.a: 1 command, no errors\nt.a: 2 commands, no errors\n", "")


def test_lines_of_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside JSON no log is printed; the progress bar has the command with its place."""
    run.log_line(True)("line")
    assert capsys.readouterr().out == ""
    run.log_line(False)("line")
    assert capsys.readouterr().out == "line\n"
    shown: list[Any] = []
    run.command_of(lambda *each: shown.append(each))("s.a", 7, "start")
    assert shown == [(0, None, "s.a:7: start")]


def test_json_of_scripts() -> None:
    """The object has every script, model and file."""
    model = {
        "script": "s.a",
        "line": 7,
        "command": "start",
        "nfp": "time",
        "sampling": ["pw", "pb 9 3"],
        "learner": "forest",
        "settings": {"a": 1},
        "learning_configurations": 9,
        "validation_configurations": 4,
        "learning_error": 1.23456,
        "rounds": 3,
        "termination": "noCandidate",
    }
    assert content_of(run.as_json(of(**SCRIPTS)), "splc.run/1") == {
        "scripts": [{"script": "s.a", "commands": 1}, {"script": "t.a", "commands": 2}],
        "learnings": [
            {**model, "log": "a.log", "error": 2.5, "model": {"text": "1 + x", "terms": 2}},
            {**model, "log": None, "error": None, "model": None},
        ],
        "logs": ["a.log"],
        "files": ["b.csv"],
        "notes": ["a note"],
        "stopped": False,
    }


def test_scripts_as_a_study(printed: Printed) -> None:
    """A study that scripts were written as has its samplings, learners and runs."""
    content = {"output": "study.toml", "samplings": ("a", "b"), "learners": {"l": {}}, "runs": 2, "learnings": 3}
    found = of(**content, not_expressed=("x",), notes=("a note",))
    run.written(found)
    assert printed() == ["study.toml: 2 samplings, 1 learner, 2 runs"]
    expected = plain_values({**content, "not_expressed": ("x",), "notes": ["a note"]})
    assert content_of(run.study_as_json(found), "splc.run.study/1") == expected
    found = of(**content | {"samplings": ("a",), "learners": {"l": {}, "m": {}}, "runs": 1})
    run.written(found)
    assert printed() == ["study.toml: 1 sampling, 2 learners, 1 run"]
