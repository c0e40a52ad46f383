"""Fixtures: a copy of a case study; a folder with a system and measurements, and a function that runs scripts in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from splc.cli.printer import print_view
from splc.splconqueror.run import Request, Result, run
from splc.workflows.views import View
from tests.cli.conftest import MEASUREMENTS, SYSTEM
from tests.support.paths import SMG2000
from tests.support.scripts import Runs
from tests.support.tracked import copy_tracked
from tests.support.watches import Told

Printed = Callable[[View], list[str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of a case study, which is the current folder."""
    folder = tmp_path / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a system and measurements."""
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "measurements.csv").write_text(MEASUREMENTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def runs(folder: Path) -> Runs:
    """Return a function that runs scripts, given as name → text; the lines are those of a log without a file."""

    def running(
        text: str = "", check: bool = False, watch: Told | None = None, **scripts: str
    ) -> tuple[Result, list[str]]:
        named = {"main": text} if text else {}
        for name, content in (named | scripts).items():
            (folder / f"{name}.a").write_text(content, encoding="utf-8")
        first, follower = "main" if text else next(iter(scripts)), watch or Told()
        result = run(Request(scripts=(str(folder / f"{first}.a"),), check=check), follower)
        assert isinstance(result, Result)
        return result, [item for item in follower.shown if isinstance(item, str)]

    return running


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return a function that prints a view, and returns the lines that were printed to stdout."""

    def lines(view: View) -> list[str]:
        print_view(view)
        return capsys.readouterr().out.splitlines()

    return lines
