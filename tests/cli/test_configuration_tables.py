"""Tables of configurations without measured values, in all commands that take one, and their words and alternatives."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from splc.formats.system.read import read_variability_model
from tests.cli.conftest import Run
from tests.cli.test_next_steps import steps_of

PROGRAM = """
case $1 in fast) mode=1;; safe) mode=3;; best) mode=6;; esac
case $2 in no) index=2;; yes) index=1;; esac
case $4 in -O1) flag=2;; -O3) flag=0;; esac
echo seconds $((mode * index + flag)).$3
"""
COMMAND = "sh program.sh {mode} {index} {level} {flag}"
MEASURED = ("--command", COMMAND, "--property", "time=regex:seconds (.*)")
ROWS = [*product(("fast", "safe", "best"), (1, 4), ("no", "yes"), ("-O1", "-O3"))]


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a program and a table of most of its configurations, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.sh").write_text(PROGRAM, encoding="utf-8")
    lines = [",".join(map(str, row)) for at, row in enumerate(ROWS) if at % 5]
    (tmp_path / "mine.csv").write_text("\n".join(["mode,level,index,flag", *lines, ""]), encoding="utf-8")
    return tmp_path


class TestCommands:
    """All columns are options, those of text with alternatives, in every command."""

    def test_describe(self, run: Run, listed: Path) -> None:
        """No column is a property, a context or left out."""
        found = json.loads(run("describe", "mine.csv", "--json").stdout)
        assert found["valid_configurations"] == len(ROWS)
        assert found["numeric_options"] == ["level"]
        assert {"mode", "mode_fast", "index", "flag"} <= {*found["binary_options"]}
        assert found["measurements"] is None
        assert "no column seems to be measured" in run("describe", "mine.csv").stderr

    def test_sample_and_init(self, run: Run, listed: Path) -> None:
        """Samples have the columns and the words of the table, also from the description that init writes."""
        assert run("init", "mine.csv", "-o", "system.xml").exit_code == 0
        for system in ("mine.csv", "system.xml"):
            header, *lines = run("sample", "--system", system, "--sampling", "all+ff").stdout.splitlines()
            assert header.split(",") == ["mode", "index", "flag", "level"]
            cells = {tuple(line.split(",")) for line in lines}
            assert cells == {(mode, index, flag, str(level)) for mode, level, index, flag in ROWS}

    def test_measured_sample(self, run: Run, listed: Path) -> None:
        """A table without measured values has no measured configurations, and the message says so."""
        done = run("sample", "--system", "mine.csv", "--sampling", "measured:3")
        assert done.exit_code == 2
        assert "no configuration of mine.csv was measured" in done.stderr

    def test_tune(self, run: Run, listed: Path) -> None:
        """The command gets the words of the table, and so do the best configuration and the summary."""
        where = ("-o", "tuned.csv", "--default", "mode=best,index=no,flag=-O1,level=4")
        done = run("tune", "--system", "mine.csv", *MEASURED, "--budget", "14", *where)
        assert done.exit_code == 0, done.stderr
        assert "mode best -> fast" in done.stdout
        assert "index no -> yes" in done.stdout
        header, best = (listed / "best.csv").read_text(encoding="utf-8").splitlines()
        assert dict(zip(header.split(","), best.split(","), strict=True)) == {
            **{"mode": "fast", "index": "yes", "flag": "-O3", "level": "1", "time": "1.1"}
        }
        learned = json.loads((listed / "learned.json").read_text(encoding="utf-8"))
        assert learned["expected_error"]["source"] == "cross-validated"
        assert learned["expected_error"]["percent"] > 0

    def test_roles_can_be_changed(self, run: Run, listed: Path) -> None:
        """A column that is no option is left out with --ignore, and a property can be named."""
        header = run("sample", "--system", "mine.csv", "--ignore", "flag", "--sampling", "random:1").stdout
        assert header.startswith("mode,index,level\n")
        found = run("describe", "mine.csv", "--property", "level", "--options", "mode,flag", "--json")
        assert [each["name"] for each in json.loads(found.stdout)["measurements"]["properties"]] == ["level"]


class TestLearning:
    """The table that splc measure wrote is learned from without further words."""

    def test_roles_of_the_journal(self, run: Run, listed: Path) -> None:
        """Its journal states the roles of columns."""
        measured = run("measure", "mine.csv", *MEASURED)
        assert measured.exit_code == 0, measured.stderr
        assert "mode,index,flag,level,time\n" in (listed / "measurements.csv").read_text(encoding="utf-8")
        (step,) = steps_of(measured.stderr)
        assert step == ["learn", "--measurements", "measurements.csv"]
        learned = run(*step)
        assert learned.exit_code == 0, learned.stderr
        assert "the roles of its columns are those of measurements.journal" in learned.stderr
        for words in (("suggest", "--budget", "2"), ("optimize", "learned.log"), ("learn", "measurements.journal")):
            assert run(*words).exit_code == 0

    def test_suggestions_of_all_configurations(self, run: Run, listed: Path) -> None:
        """The listed configurations are the system, and the measurements are those of the folder, if there are any."""
        suggest = ("suggest", "--system", "mine.csv", "--budget", "3")
        first = run(*suggest)
        assert first.exit_code == 0, first.stderr
        lines = (listed / "mine.csv").read_text(encoding="utf-8").splitlines()[:13]
        (listed / "some.csv").write_text("\n".join(lines), encoding="utf-8")
        assert run("measure", "some.csv", *MEASURED).exit_code == 0
        for more in ((), ("--property", "time"), ("--measurements", "measurements.csv")):
            done = run(*suggest, *more)
            assert done.exit_code == 0, done.stderr
            assert "based on a model of 12 measured configurations" in done.stderr
            assert "best" in done.stdout
        assert run("learn", "--system", "mine.csv", "-o", "all.json").exit_code == 0
        assert run("optimize", "all.json", "--fix", "mode=best").exit_code == 0

    def test_another_journal(self, run: Run, listed: Path) -> None:
        """A journal of other columns, or one that cannot be read, has no effect."""
        (listed / "t.csv").write_text("a,time\n" + "".join(f"{a},{a + 0.5}\n" for a in range(9)), encoding="utf-8")
        for content in ('{"kind":"plan","properties":["b=time"],"table":"a,b\\n1,2\\n"}\n', "\0", "{"):
            (listed / "t.journal").write_text(content, encoding="utf-8")
            done = run("learn", "t.csv")
            assert done.exit_code == 0, done.stderr
            assert "t.journal" not in done.stderr


class TestSpelling:
    """Alternatives are spelled in outputs as in tables and in --fix."""

    def test_in_answers(self, run: Run, listed: Path) -> None:
        """There is one row for an option with texts; -q prints a configuration in one line; explanations have them."""
        assert run("measure", "mine.csv", *MEASURED).exit_code == 0
        assert run("learn").exit_code == 0
        lines = run("optimize", "learned.log").stdout.splitlines()
        assert [" ".join(line.split()[:2]) for line in lines[2:6]] == ["mode fast", "index yes", "flag -O3", "level 1"]
        quiet = run("optimize", "learned.log", "-q").stdout.splitlines()
        assert quiet[1:] == ["mode=fast, index=yes, flag=-O3, level=1"]
        fixed = run("optimize", "learned.log", "-q", "--fix", "mode=safe", "--fix", "index=no")
        assert "with mode=safe, index=no" in fixed.stdout
        # The value that changes are relative to is the first one.
        explained = json.loads(run("explain", "learned.log", "--json").stdout)["options"]
        (option,) = [each for each in explained if each["name"] == "mode"]
        assert [each["value"] for each in option["values"]] == ["best", "fast", "safe"]
        assert option["values"][1]["change"] < option["values"][2]["change"] < 0
        printed = json.loads(run("explain", "learned.log", "--printed", "--json").stdout)["options"]
        (own,) = [each for each in printed if each["name"] == "mode"]
        assert [each["value"] for each in own["values"]] == ["best", "fast", "safe"]
        both = ("mode=fast,index=yes,flag=-O3,level=1", "--against", "mode=best,flag=-O3,level=1")
        assert "mode     fast   best" in run("explain", "learned.log", *both).stdout


def test_words_in_descriptions(run: Run, listed: Path) -> None:
    """The words of a binary option are in the description, which SPL Conqueror reads as before."""
    assert run("init", "mine.csv", "-o", "system.xml").exit_code == 0
    system = read_variability_model("system.xml")
    assert system.option("index").presentation.words == ("no", "yes")
    assert not system.notes
    assert run("convert", "system.xml", "-o", "system.uvl").exit_code == 0
