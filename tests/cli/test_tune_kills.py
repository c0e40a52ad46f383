"""Tuning runs that are killed at any moment: nothing is lost, and nothing is repeated."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_tune import CODE, DESCRIPTION, SHELL, TUNE, runs_of
from tests.support.programs import script
from tests.support.tracing import untraced

KILLS = 20


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_twenty_kills(tmp_path: Path, workers: int) -> None:
    """After 20 kills at random moments every run is recorded once, as of a tuning run that was not disturbed."""
    (tmp_path / "system.xml").write_text(DESCRIPTION, encoding="utf-8")
    script(tmp_path, CODE + "sleep 0.05\nprintf . >> done\n", SHELL)
    budget = ("--budget", "60", "--explore", "0.5", "--workers", f"{workers}", "--resume", "-q")
    command = [sys.executable, "-m", "splc", *TUNE[:5], "--default", "threads=1,level=9", *budget]
    journal, rng = tmp_path / "measurements.journal", random.Random(workers)

    def started() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, cwd=tmp_path, env=untraced(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    before: list[tuple[object, ...]] = []
    killed = 0
    while killed < KILLS:
        process = started()
        known = journal.stat().st_size if journal.exists() else 0
        # At least the records of the beginning are written.
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > known):
            time.sleep(0.002)
        time.sleep(rng.random() * 0.3)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
        after = runs_of(journal)
        assert after[: len(before)] == before
        before = after
    assert killed > KILLS // 2
    assert started().wait() == 0
    runs = runs_of(journal)
    assert runs[: len(before)] == before
    assert sorted(number for number, *_ in runs) == [*range(1, 61)]
    # Only what was running at a kill is done again.
    failed = sum(values == "{}" for *_, values in runs)
    assert 60 - failed <= len((tmp_path / "done").read_text()) <= 60 + killed * workers
    if workers == 1:
        whole = [*runs]
        for file in tmp_path.glob("measurements.*"):
            file.unlink()
        assert started().wait() == 0
        assert runs_of(journal) == whole
