"""`splc study`."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from splc.study import study
from splc.study.tasks import perform
from tests.cli.conftest import Run

STUDY = """nfp = "time"
samplings = ["pb:9,3", "optionwise+ff", "random:4", "random:50"]
seeds = [0, 1]
"""


@pytest.fixture
def project(folder: Path) -> Path:
    """Return a project folder with an analytical model and a study."""
    (folder / "analytical.txt").write_text("0.5 + 1.2 * x + 10 * cache\n", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return folder


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals) -> None:
    """Ctrl-C or SIGTERM ends the study with 130 after the run in progress; the same command resumes it."""
    begun: list[str] = []

    def interrupted(task: Any, **inputs: Any) -> Mapping[str, Any]:
        begun.append(task.label)
        if len(begun) == 3:
            os.kill(os.getpid(), sent)
        return perform(task, **inputs)

    monkeypatch.setattr(study, "perform", interrupted)
    result = run("study", "--no-pictures", "--jobs", "1")
    assert result.exit_code == 130
    assert "3 of 6 runs are done and kept" in result.stderr
    assert not (project / "results" / "table.md").exists()
    assert run("study", "--no-pictures", "--jobs", "1").exit_code == 0
    assert len(begun) == len(set(begun)) == 6
