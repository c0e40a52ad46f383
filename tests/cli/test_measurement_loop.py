"""Measure, learn, suggest and measure again, by commands alone: without a description, and with tables of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, description
from tests.cli.test_next_steps import steps_of

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

    def test_one_table(self, run: Run, alone: Path) -> None:
        """Suggestions are measured as they are, and are added to the journal and the table that are learned from."""
        assert run("measure", "configurations.csv", *command()).exit_code == 0
        assert (alone / "measurements.csv").read_text(encoding="utf-8").startswith("mode,n,time\nfast,1,2.1\n")
        chosen = ("--options", "mode")
        suggested = run("suggest", *chosen, "--budget", "1", "-o", "next.csv")
        assert suggested.exit_code == 0, suggested.stderr
        assert rows_of(alone / "next.csv")[0].startswith("best,12,")
        (step,) = steps_of(suggested.stderr)
        assert step == ["measure", "next.csv", "--append"]
        added = run(*step)
        assert added.exit_code == 0, added.stderr
        assert "1 configuration is added" in added.stderr
        assert rows_of(alone / "measurements.csv")[-1] == "best,12,20"
        (learning,) = steps_of(added.stderr)
        learned = run(*learning, "--json")
        assert json.loads(learned.stdout)["learning_configurations"] == 12

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

    def test_described(self, run: Run, alone: Path) -> None:
        """With a description, a sampling is added, too; what is measured already is not measured again."""
        (alone / "system.xml").write_text(
            description(numeric="<configurationOption><name>n</name><values>1;2;3</values></configurationOption>"),
            encoding="utf-8",
        )
        echo = ("--command", "echo {n}{cache}", "--property", r"t=regex:(\d+)")
        assert run("measure", *echo, "--sampling", "random:2").exit_code == 0
        before = rows_of(alone / "measurements.csv")
        assert run("measure", "--append", "--sampling", "all+ff").exit_code == 0
        after = rows_of(alone / "measurements.csv")
        assert after[:2] == before
        assert len(set(after)) == len(after) == 6
        assert run("measure", "--resume").exit_code == 0
        assert rows_of(alone / "measurements.csv") == after

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

    def test_refused(self, run: Run, refused: Refused, alone: Path) -> None:
        """A table of other options, another command, and measurements without a journal are refused."""
        run("measure", "configurations.csv", *command())
        (alone / "other.csv").write_text("n,mod\n1,fast\n", encoding="utf-8")
        message = refused("measure", "other.csv", "--append")
        assert "other.csv:1: the table lacks the column 'mode'" in message
        assert "the command differs" in refused("measure", "configurations.csv", *command("--big"), "--append")
        (alone / "measurements.journal").unlink()
        assert "splc learn reads several tables" in refused("measure", "configurations.csv", *command(), "--append")
        assert "the command to run is missing" in refused("measure", "configurations.csv")
        (alone / "measurements.csv").unlink()
        assert "splc measure TABLE.csv" in refused("measure", *command())


def test_corrected_command(run: Run, refused: Refused, alone: Path) -> None:
    """Failed runs are repeated with a corrected command; finished runs are kept, and nothing else changes."""
    (alone / "some.csv").write_text(table([(1, "fast"), (40, "safe"), (2, "best")]), encoding="utf-8")
    assert run("measure", "some.csv", *command()).exit_code == 1
    first = [line for line in rows_of(alone / "measurements.journal") if '"status":"ok"' in line]
    assert "--retry-failed" in refused("measure", "some.csv", *command("--big"), "--resume")
    corrected = ("measure", "some.csv", *command("--big"), "--resume", "--retry-failed")
    planned = run(*corrected, "--dry-run")
    assert "3 runs, 2 of them recorded, 1 to do" in planned.stdout
    assert "40 safe --big" in planned.stdout
    done = run(*corrected)
    assert done.exit_code == 0
    assert "finished runs are kept" in done.stderr
    assert rows_of(alone / "measurements.csv") == ["fast,1,2.1", "safe,40,22", "best,2,5"]
    assert [line for line in rows_of(alone / "measurements.journal") if '"status":"ok"' in line][:2] == first
    assert run("measure", "--resume").exit_code == 0
    # Without failed runs, there is nothing to correct.
    assert "the command differs" in refused("measure", "some.csv", *command("--other"), "--resume", "--retry-failed")


def test_table_with_suggestions_or_results(run: Run, refused: Refused, alone: Path) -> None:
    """The gains of suggestions, and columns of the properties to measure, are no options."""
    text = "n,mode,time,variance_reduction_percent,predicted\n1,fast,3,50,2\n2,safe,3,40,2\n"
    (alone / "next.csv").write_text(text, encoding="utf-8")
    assert run("measure", "next.csv", *command()).exit_code == 0
    assert (alone / "measurements.csv").read_text(encoding="utf-8") == "mode,n,time\nfast,1,2.1\nsafe,2,3\n"
    (alone / "wrong.csv").write_text("n,mode\n1,fast\n2\n", encoding="utf-8")
    assert "wrong.csv:3: 1 fields, but the header has 2" in refused("measure", "wrong.csv", *command(), "-o", "w.csv")


def test_fixed_values(run: Run, refused: Refused, alone: Path) -> None:
    """Suggestions have the fixed values; the best measured value is that of configurations with them."""
    run("measure", "configurations.csv", *command())
    chosen = ("suggest", "--options", "mode", "--property", "time")
    found = run(*chosen, "--fix", "mode_best", "--budget", "1", "--goal", "optimum", "-o", "next.csv")
    assert found.exit_code == 0, found.stderr
    assert rows_of(alone / "next.csv")[0].startswith("best,12,")
    assert "best of 11 measured values: 3.5" in found.stderr
    assert "all valid configurations were measured" in refused(*chosen, "--fix", "mode_fast", "--budget", "1")
    assert "n cannot be 5" in refused(*chosen, "--fix", "n=5", "--budget", "1")


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
