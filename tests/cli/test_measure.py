"""`splc measure`: its journal, interruptions and terminals; what it prints is in `tests/golden/measure`."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from splc.cli.command import Interruption
from splc.measuring.journal import Journal, read_journal
from tests.cli.conftest import Run
from tests.support.programs import ALL, AWK, TIME, VALUES, table

Refused = Callable[..., str]


def test_interruption(run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement that is stopped before its first run ends with 130, and --resume finishes it."""
    with monkeypatch.context() as patched:
        patched.setattr(Interruption, "__call__", lambda self: True)
        assert run("measure", "--command", AWK, *ALL, *TIME).exit_code == 130
    assert run("measure", "--command", AWK, *ALL, *TIME, "--resume").exit_code == 0
    assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(1)


def test_journal(run: Run, empty: Path) -> None:
    """The journal says what was run, on which machine, when and under which load."""
    assert run("measure", "--command", AWK, *ALL, *TIME).exit_code == 0
    records = read_journal("measurements.journal")
    assert [record["kind"] for record in records[:2]] == ["plan", "session"]
    assert {"cpu", "cores", "kernel", "python", "splc"} <= set(records[1]["machine"])
    runs = [record for record in records if record["kind"] == "run"]
    assert len(runs) == 9
    for record in runs:
        cache, left, right, x = map(int, record["configuration"].values())
        assert VALUES[cache, left, right, x] == record["values"]["time"]
        assert record["status"] == "ok"
        assert record["started"].endswith("+00:00")
        assert record["load"] is not None


def test_on_a_terminal(empty: Path) -> None:
    """On a terminal a bar shows how many runs are done, and the time that is left."""
    controller, terminal = pty.openpty()
    arguments = ["measure", "--command", "sleep 0.05", *ALL]
    process = subprocess.Popen([sys.executable, "-m", "splc", *arguments], stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    # A terminal whose last user has gone is an error to read from, on Linux.
    with suppress(OSError):
        while chunk := os.read(controller, 4096):
            shown += chunk
    os.close(controller)
    assert process.wait() == 0
    assert re.search(rb"\d of 9 runs, about [\d.]+ s left", shown), shown


def test_refused(refused: Refused, empty: Path) -> None:
    """A variable with a null character, and a journal that another process is writing, are refused."""
    assert "NAME=VALUE" in refused("measure", "--command", "true", *ALL, "--env", "A=\0")
    with Journal.create("other.journal"):
        message = refused("measure", "--command", "true", *ALL, "--resume", "-o", "other.csv")
    assert "another 'splc measure' is writing" in message
    assert not (empty / "other.csv").exists()
