"""`splc tune` in a context: its value in the command, and earlier runs of other contexts."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_tune import CODE, COMMAND, SHELL, TIME, solver, value
from tests.support.programs import script

__all__ = ["solver"]
TUNE = ("tune", *TIME, "--budget", "10", "--command", f"{COMMAND} {{version}}", "--column", "version=2")
ROWS = [*product((0, 1), (0, 1), (1, 2, 4, 8), (1, 3, 5, 7, 9))]


@pytest.fixture
def versions(solver: Path) -> Path:
    """Return a folder with a program that depends on its version, and measurements of another version."""
    script(solver, CODE.replace('echo "time', 'time=$(( time * $5 ))\necho "time'), SHELL)
    lines = [
        f"{cache},{log},{threads},{level},{version},{value(cache, threads, level) * float(version)}"
        for version in ("1.5", "1.9")
        for cache, log, threads, level in ROWS[:: 4 if version == "1.9" else 5]
    ]
    (solver / "old.csv").write_text(
        "\n".join(["cache,log,threads,level,version,time", *lines]) + "\n", encoding="utf-8"
    )
    plain = [line.replace(",1.9,", ",") for line in lines if ",1.9," in line]
    (solver / "plain.csv").write_text("\n".join(["cache,log,threads,level,time", *plain]) + "\n", encoding="utf-8")
    return solver


def test_rows_of_other_versions(run: Run, versions: Path) -> None:
    """Rows of other versions are learned from: the best configuration is found with few runs, and is of this one."""
    result = run(*TUNE, "--from", "old.csv", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    best = found["best"]["configuration"]
    assert (best["cache"], best["threads"], best["level"]) == (1, 8, 3)
    assert found["best"]["value"] == pytest.approx(2 * value(1, 8, 3), rel=0.02)
    # They are no runs of this tuning run, and not in its table.
    assert len(found["trajectory"]) == found["runs"] == 10
    assert any("version=1.9" in note for note in found["notes"])
    assert any("version=1.5" in note for note in found["notes"])
    again = run(*TUNE, "--from", "old.csv", "--resume", "--json")
    assert json.loads(again.stdout)["trajectory"] == found["trajectory"]
