"""`splc measure`: killed at random moments, with a full disk, twice at once, with a clock that is set back."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from splc.errors import OutputError
from splc.measuring.journal import read_journal
from splc.workflows.measure import Request
from splc.workflows.measure import run as run_measurement
from tests.support.paths import SUPPORT
from tests.support.programs import ALL, AWK, TIME, script, table


def killed(kills: int, repeat: int) -> dict[str, Any]:
    """Kill and resume a measurement several times; return the findings."""
    command = [sys.executable, str(SUPPORT / "measure_killer.py"), str(kills), str(repeat)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(("kills", "repeat"), [(2, 3), pytest.param(50, 60, marks=pytest.mark.slow)])
def test_killed_at_any_moment(empty: Path, kills: int, repeat: int) -> None:
    """After kills, each with new runs recorded, no run is lost or repeated, and the file is as without kills."""
    found = killed(kills, repeat)
    assert found["killed"] == kills
    assert found["lost"] == found["done_again"] == found["unrecorded_beyond_one"] == []
    assert found["recorded"] == 9 * (repeat + 1)
    assert found["same"]
    assert (empty / "killed.csv").read_bytes() == (empty / "undisturbed.csv").read_bytes()


REQUEST = Request(command=AWK, sampling="all+ff", properties=(TIME[1],), repeat=2, resume=True)


@pytest.mark.slow
def test_a_full_disk_at_every_write(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any record of the journal that does not fit is an error, and a resumed measurement has the same table."""
    pwrite, left = os.pwrite, [10**9]

    def limited(descriptor: int, data: bytes, at: int) -> int:
        left[0] -= 1
        if left[0] < 0:
            # Half of it fits.
            if left[0] == -1 and len(data) > 1:
                return pwrite(descriptor, data[: len(data) // 2], at)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(descriptor, data, at)

    monkeypatch.setattr(os, "pwrite", limited)
    run_measurement(REQUEST)
    steps = 10**9 - left[0]
    assert steps > 18
    for step in range(steps):
        Path("measurements.csv").unlink(missing_ok=True)
        Path("measurements.journal").unlink(missing_ok=True)
        left[0] = step
        with pytest.raises(OutputError, match="No space left on device"):
            run_measurement(REQUEST)
        left[0] = 10**9
        run_measurement(REQUEST)
        assert Path("measurements.csv").read_text(encoding="utf-8") == table(2), step
        runs = [(record["row"], record["repetition"]) for record in journal() if record["kind"] == "run"]
        assert len(runs) == len(set(runs)) == 18, step


def journal() -> list[Any]:
    """Return the records of the measurement."""
    return list(read_journal("measurements.journal"))


@pytest.mark.slow
def test_two_at_once(empty: Path) -> None:
    """If two measurements start at once in one folder, one measures, and the other changes nothing."""
    code = "import sys, time\ntime.sleep(0.2)\nx, cache = map(int, sys.argv[1:])\nprint('time:', x * 2 + cache)"
    command = ["measure", "--command", script(empty, code) + " {x} {cache}", *ALL, *TIME]
    started = [
        subprocess.Popen([sys.executable, "-m", "splc", *command], stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    ended = sorted((process.communicate()[1], process.returncode) for process in started)
    assert sorted(code for _, code in ended) == [0, 2], ended
    message = next(text for text, code in ended if code)
    assert "another 'splc measure' is writing this journal" in message or "exists already" in message
    assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()


def test_a_clock_that_is_set_back(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is set back between runs and sessions changes the times of day, and nothing else."""
    run_measurement(Request(command=AWK, sampling="all+ff", properties=(TIME[1],)))
    clock, real = [0.0], time.time

    def back() -> float:
        clock[0] += 3600
        return real() - clock[0]

    monkeypatch.setattr("splc.measuring.execution.time.time", back)
    run_measurement(REQUEST)
    assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(2)
    runs = [record for record in journal() if record["kind"] == "run"]
    assert [record["started"] for record in runs[9:]] == sorted(
        (record["started"] for record in runs[9:]), reverse=True
    )
    assert all(0 < record["seconds"] < 60 for record in runs)
