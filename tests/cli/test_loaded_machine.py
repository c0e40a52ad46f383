"""Measurements on a machine that is busy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

COMMAND = ("--command", "echo time {n}.5", "--property", "time=regex:time (.*)")


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize(
    "command", [("measure", "t.csv"), ("tune", "--system", "t.csv", "--budget", "4", "--verify", "0")]
)
def test_commands_warn_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], busy: bool
) -> None:
    """`splc measure` and `splc tune` warn once, also in their JSON, and not on an idle machine."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("n,fast\n" + "".join(f"{n},{n % 2}\n" for n in range(1, 7)))
    load = 3.0 * (os.cpu_count() or 1) if busy else 0.1
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    result = run(*command, *COMMAND, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("other programs were running") == busy
    notes = json.loads(result.stdout)["notes"]
    assert sum("other programs were running" in note for note in notes) == busy
