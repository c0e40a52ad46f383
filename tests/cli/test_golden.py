"""Golden files of the output of commands; `make golden` rewrites them, and the difference is reviewed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.golden import (
    FOLDER,
    PROJECTS,
    Session,
    Step,
    check_sessions,
    outcome,
    read_sessions,
    same_line,
    stable,
)
from tests.support.reader_golden import READER_FILES

PAGES = ".pages"
FILES = sorted(
    file
    for suffix in (".txt", PAGES)
    for file in FOLDER.rglob(f"*{suffix}")
    if not {PROJECTS, READER_FILES} & {*file.parents}
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER).with_suffix("")))
def test_golden(file: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command line prints the lines below it, ends with this exit code, and writes these files.

    Pages as Markdown have the answers, tables and captions; their pictures have their own tests.
    """
    if file.suffix == PAGES:
        monkeypatch.setattr("splc.report.page.chart_file", lambda *_: b"")
    check_sessions(file, run, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a 1.23457 b", "a 1.23456 b", True),
        ("a 1.23457 b", "a 1.23467 b", False),
        ("a 1.23457 b", "a 1.23457 c", False),
        ("1.234", "1.235", False),
        ("123456", "123457", False),
        ("2", "2.0", False),
        ("1.11022e-16", "0.0", True),
        ("1.11022e-08", "0.0", False),
    ],
)
def test_same_line(one: str, other: str, same: bool) -> None:
    """Numbers of six digits or more agree to five, others and texts exactly; rounding is 0."""
    assert same_line(one, other) is same


def test_stable_lines() -> None:
    """Times and hashes are replaced, and numbers have at most six digits; the file reads back as it was written."""
    assert stable('"seconds": 0.0123, time 1.5 s, 0.30000000000000004, 8.1234567e-05, 1234567') == (
        '"seconds": TIME, time TIME, 0.3, 8.12346e-05, 1234567'
    )
    assert stable(f"sha256 {'0f' * 32}") == "sha256 SHA256"


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("", ['{"a": [{"b": 1, "c": null}, {"b": 2, "c": "x"}], "d": {"e": 0.5}}']),
        ("| jq .d.e", ["0.5"]),
        ("| jq '.a[] | {b}'", ['{"b": 1}', '{"b": 2}']),
        ("| jq '{d}'", ['{"d": {"e": 0.5}}']),
        ("| head -n 2", ["{", '  "a": [']),
        ("| tail -n 1", ["}"]),
    ],
)
def test_part_of_an_output(part: str, shown: list[str]) -> None:
    """A part of a JSON object is selected as `jq` does, lines are as printed, and what fits is on one line."""
    text = json.dumps({"a": [{"b": 1, "c": None}, {"b": 2, "c": "x"}], "d": {"e": 0.5}}, indent=2)
    assert outcome(Step(f"splc a --json {part}", ()), lambda *_: (0, text, "")) == shown


def test_sessions_read_back(tmp_path: Path) -> None:
    """Written sessions are read back, with empty lines."""
    steps = (Step("splc a", ("", "one", "")), Step("splc b", ()))
    sessions = [Session("small", steps), Session("small system.xml", steps[:1], ("A title.", "Another one."))]
    (tmp_path / "a.txt").write_text("\n".join(each.text for each in sessions), encoding="utf-8")
    assert read_sessions(tmp_path / "a.txt") == sessions
