"""What commands print, as golden files: `make golden` rewrites them, and the difference is reviewed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.golden import FOLDER, PROJECTS, Session, Step, performed, read_session, same_line, stable

REWRITE = "SPLC_GOLDEN"
FILES = sorted(file for file in FOLDER.rglob("*.txt") if PROJECTS not in file.parents)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER).with_suffix("")))
def test_golden(file: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command line prints the lines below it, ends with this exit code, and writes these files."""
    session = read_session(file)
    folder = tmp_path / session.project
    shutil.copytree(PROJECTS / session.project, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")

    def printed(*arguments: str) -> tuple[int, str, str]:
        result = run(*arguments)
        return result.exit_code, result.stdout, result.stderr

    found = Session(session.project, tuple(performed(session, printed)))
    if os.environ.get(REWRITE):
        file.write_text(found.text, encoding="utf-8")
        return
    for step, expected in zip(found.steps, session.steps, strict=True):
        assert step.lines == expected.lines, f"$ {step.command}\nIf this is intended: make golden"
    assert found.text == file.read_text(encoding="utf-8"), "make golden"


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


def test_sessions_read_back(tmp_path: Path) -> None:
    """A written session is read back, with empty lines."""
    session = Session("small", (Step("splc a", ("", "one", "")), Step("splc b", ())))
    (tmp_path / "a.txt").write_text(session.text, encoding="utf-8")
    assert read_session(tmp_path / "a.txt") == session
