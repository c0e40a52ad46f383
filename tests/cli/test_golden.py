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
from tests.support.golden_messages import Lines, check_calls
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


def part(shown: str) -> Lines:
    """Return the part of a JSON object that is shown after a command."""
    text = json.dumps({"a": [{"b": 1, "c": None}, {"b": 2, "c": "x"}], "d": {"e": 0.5}}, indent=2)
    return Lines("\n".join(outcome(Step(f"splc a --json {shown}", ()), lambda *_: (0, text, ""))))


def test_texts_of_golden_files() -> None:
    """Lines that agree, numbers without what differs from run to run, and parts of outputs, as the file itself says."""
    check_calls("golden-files", same_line, stable, part)


def test_sessions_read_back(tmp_path: Path) -> None:
    """Written sessions are read back, with empty lines."""
    steps = (Step("splc a", ("", "one", "")), Step("splc b", ()))
    sessions = [Session("small", steps), Session("small system.xml", steps[:1], ("A title.", "Another one."))]
    (tmp_path / "a.txt").write_text("\n".join(each.text for each in sessions), encoding="utf-8")
    assert read_sessions(tmp_path / "a.txt") == sessions
