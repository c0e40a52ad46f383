"""Measure, learn, suggest and measure again, by commands alone: without a description, and with tables of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, description

Refused = Callable[..., str]
PROGRAM = """
import sys
n, mode = int(sys.argv[1]), sys.argv[2]
if n > 30 and "--big" not in sys.argv:
    sys.exit("needs --big")
print("seconds", 2 + n * {"fast": 0.1, "safe": 0.5, "best": 1.5}[mode])
"""
SEVERAL = [(n, mode) for n in (1, 4, 7, 12) for mode in ("fast", "safe", "best")]


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a program and a table of configurations, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "configurations.csv").write_text(table(SEVERAL[:11]), encoding="utf-8")
    return tmp_path


def table(rows: list[tuple[int, str]]) -> str:
    """Return a table of configurations."""
    return "n,mode\n" + "".join(f"{n},{mode}\n" for n, mode in rows)


def command(more: str = "") -> tuple[str, ...]:
    """Return the options that measure the program."""
    text = f"{sys.executable} -IS program.py {{n}} {{mode}} {more}".strip()
    return ("--command", text, "--property", "time=regex:seconds (.*)")


def rows_of(file: Path) -> list[str]:
    """Return the lines below the header."""
    return file.read_text(encoding="utf-8").splitlines()[1:]


class TestLoop:
    """Four commands from configurations to a better model."""

    def test_two_journals(self, run: Run, alone: Path) -> None:
        """Two journals, or a table and another one, are learned from together."""
        (alone / "more.csv").write_text(
            table([(20, "fast"), (20, "safe"), (20, "best"), (7, "fast")]), encoding="utf-8"
        )
        run("measure", "configurations.csv", *command(), "-o", "a.csv")
        run("measure", "more.csv", *command(), "-o", "b.csv")
        stepwise = ("--learner", "stepwise")
        both = json.loads(run("learn", "a.csv", "b.csv", "--options", "mode", *stepwise, "--json").stdout)
        assert both["learning_configurations"] == 14
        journals = ("--measurements", "a.journal", "--measurements", "b.journal")
        other = json.loads(run("learn", *journals, *stepwise, "--json").stdout)
        assert other["learning_configurations"] == 14
        assert other["learning_error"] == pytest.approx(both["learning_error"], abs=0.5)
        for words in (("suggest", "--budget", "1"), ("explain", "learned.json"), ("optimize", "learned.json")):
            assert run(*words, *journals).exit_code == 0

    def test_an_interrupted_addition(self, run: Run, alone: Path) -> None:
        """The same command adds what is left; the rows of earlier configurations stay the same."""
        run("measure", "configurations.csv", *command())
        (alone / "more.csv").write_text(table([(20, "fast"), (40, "best"), (30, "best")]), encoding="utf-8")
        assert run("measure", "more.csv", "--append").exit_code == 1
        journal = alone / "measurements.journal"
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-4]))
        done = run("measure", "more.csv", "--append")
        assert "12 runs are recorded already" in done.stderr
        assert rows_of(alone / "measurements.csv")[-2:] == ["fast,20,4", "best,30,47"]


def test_repetitions(run: Run, alone: Path) -> None:
    """A configuration of both tables has two repetitions; values that the system does not have are reported there."""
    text = "cache,n,time\n" + "".join(f"{c},{n},{n * (2 - c) + 0.5}\n" for n in (1, 2, 3, 4, 5, 6) for c in (0, 1))
    (alone / "first.csv").write_text(text, encoding="utf-8")
    (alone / "second.csv").write_text("n;time;cache\n6;14,5;0\n6;7,5;1\n1;2,5;0\n", encoding="utf-8")
    both = ("--measurements", "first.csv", "--measurements", "second.csv")
    measured = json.loads(run("describe", *both, "--json").stdout)["measurements"]
    assert (measured["rows"], measured["configurations"]) == (15, 12)
    values = "".join(f"{n};" for n in range(1, 7)).rstrip(";")
    numeric = f"<configurationOption><name>n</name><values>{values}</values></configurationOption>"
    (alone / "system.xml").write_text(description(numeric=numeric), encoding="utf-8")
    assert run("learn", "first.csv", "second.csv").exit_code == 0
    (alone / "second.csv").write_text("n;time;cache\n6;14,5;0\n8;7,5;1\n", encoding="utf-8")
    done = run("learn", "first.csv", "second.csv")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "second.csv:3: n cannot be 8" in done.stderr
