"""`splc tune` in a context: its value in the command, and earlier runs of other contexts."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_tune import CODE, COMMAND, SHELL, TIME, Refused, solver, value
from tests.support.programs import script

__all__ = ["solver"]
TUNE = ("tune", *TIME, "--budget", "10", "--command", f"{COMMAND} {{version}}", "--context", "version=2")
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


def test_the_value_is_in_the_command_and_in_the_table(run: Run, refused: Refused, versions: Path) -> None:
    """The program gets the value, the table has it as a column, and another value is another tuning run."""
    assert run(*TUNE).exit_code == 0
    header, *rows = (versions / "measurements.csv").read_text(encoding="utf-8").splitlines()
    assert {row.split(",")[header.split(",").index("version")] for row in rows} == {"2"}
    first = dict(zip(header.split(","), map(float, rows[0].split(",")), strict=True))
    expected = 2 * value(int(first["cache"]), int(first["threads"]), int(first["level"]))
    assert first["time"] == pytest.approx(expected)
    assert "the contexts differ" in refused(*TUNE[:-1], "version=3", "--resume")
    assert run(*TUNE, "--resume").exit_code == 0
    assert run("predict", "learned.json", "best.csv").exit_code == 0


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


def test_a_stated_value(run: Run, refused: Refused, versions: Path) -> None:
    """A file without a column of the context has a value that is stated, and may be that of this run."""
    assert "state the value of its rows: --from plain.csv:version=VALUE" in refused(*TUNE, "--from", "plain.csv")
    result = run(*TUNE, "--from", "plain.csv:version=1.9")
    assert result.exit_code == 0, result.stderr
    assert "20 earlier runs of 20 configurations with version=1.9" in result.stderr
    same = json.loads(run(*TUNE, "--from", "plain.csv:version=2", "-o", "same.csv", "--json").stdout)
    assert same["earlier_runs"] == 20


def test_wrong_contexts(refused: Refused, versions: Path) -> None:
    """Several values, names of options, and files whose rows are of several unstated contexts are refused."""
    assert "one value of 'version'" in refused(*TUNE, "--context", "version=3")
    assert "name of an option" in refused(*TUNE, "--context", "level=3")
    replay = ("tune", "--replay", "plain.csv", "--property", "time", "--budget", "5", "--context", "version=2")
    assert "--where COLUMN=VALUE" in refused(*replay)
    (versions / "machines.csv").write_text(
        (versions / "old.csv").read_text(encoding="utf-8").replace(",1.5,", ",a 1,").replace(",1.9,", ",b 2,"), "utf-8"
    )
    plain = ("tune", *TIME, "--budget", "10", "--command", COMMAND, "--from", "machines.csv")
    assert "--context version=VALUE" in refused(*plain)
