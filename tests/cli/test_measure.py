"""`splc measure`: what it writes, what fails, what it refuses."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from splc.cli.interruption import Interruption
from splc.measuring.journal import Journal, read_journal
from tests.cli.conftest import SYSTEM, Run
from tests.support.programs import ALL, AWK, TIME, VALUES, script, table

Refused = Callable[..., str]


class TestResults:
    def test_measurements(self, run: Run, empty: Path) -> None:
        """Every configuration is measured as often as asked for, and the file has a row for each repetition."""
        result = run("measure", "--command", AWK, *ALL, *TIME, "--repeat", "2", "--warmup", "1")
        assert result.exit_code == 0
        assert result.stdout == "9 configurations, 18 runs: measurements.csv\n"
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(2)
        assert not (empty / "measurements.failures.csv").exists()
        assert json.loads(run("describe", "--json").stdout)["valid_configurations"] == 9

    def test_interruption(self, run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A measurement that is stopped before its first run ends with 130, and --resume finishes it."""
        with monkeypatch.context() as patched:
            patched.setattr(Interruption, "__call__", lambda self: True)
            assert run("measure", "--command", AWK, *ALL, *TIME).exit_code == 130
        assert run("measure", "--command", AWK, *ALL, *TIME, "--resume").exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(1)

    def test_journal(self, run: Run, empty: Path) -> None:
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

    def test_scatter_and_reasons_of_failures(self, run: Run, empty: Path) -> None:
        """At the end the scatter of repetitions is printed, and how often which reason made runs fail."""
        command = ["measure", "--command", "awk 'BEGIN {{ if ({x} == 4) exit 3; print {x} + {repetition} }}'", *ALL]
        result = run(*command, "--property", "t=regex:(.+)", "--repeat", "2")
        assert result.exit_code == 1
        # x = 1: 2 and 3; x = 2: 3 and 4.
        assert "note: repetitions of t deviate by 24.2 % in the median of 6 configurations, at most by 28.3 % (" in (
            result.stderr
        )
        assert "6 runs of 3 configurations failed" in result.stderr
        assert "6 runs in all: exit code 3" in result.stderr
        found = json.loads(run(*command, "--property", "t=regex:(.+)", "--repeat", "2", "--resume", "--json").stdout)
        (scatter,) = found["scatter"]
        assert scatter["property"] == "t"
        assert scatter["configurations"] == 6
        assert scatter["median_percent"] == pytest.approx(24.2437, rel=1e-4)
        assert scatter["largest_percent"] == pytest.approx(28.2843, rel=1e-4)
        assert scatter["largest_at"]["x"] == 1
        assert found["failure_reasons"] == [{"reason": "exit code 3", "runs": 6}]

    def test_versions_in_turn(self, run: Run, empty: Path) -> None:
        """Each configuration is measured with each value of a context, which is a column, and no option, afterwards."""
        text = "awk 'BEGIN {{ print \"time: {= 2 * x + cache}{version}\" }}' {options}"
        command = (
            "measure",
            "--command",
            text,
            "--sampling",
            "random:6,seed=1",
            "--property",
            r"time=regex:time: (\d+)",
        )
        versions = ("--context", "version=.25 a", "--context", "version=.25 b", "--context", "machine=m")
        done = run(*command, *versions)
        assert done.exit_code == 0, done.stderr
        header, *rows = (empty / "measurements.csv").read_text(encoding="utf-8").splitlines()
        assert sorted(header.split(",")) == ["cache", "left", "machine", "right", "time", "version", "x"]
        place = header.split(",").index("version")
        assert [row.split(",")[place] for row in rows] == [".25 a", ".25 b"] * 6
        runs = [each for each in read_journal("measurements.journal") if each["kind"] == "run"]
        assert [each["row"] for each in runs] == [*range(12)]
        assert "splc changed --measurements measurements.csv --by version" in done.stderr
        for file in ("measurements.csv", "measurements.journal"):
            tested = json.loads(run("changed", "--measurements", file, "--by", "version", "--json").stdout)
            assert (tested["pairs"], tested["old"], tested["new"], tested["factor"]) == (6, ".25 a", ".25 b", 1)
        assert run("measure", "--resume", "--repeat", "2").exit_code == 0
        assert len((empty / "measurements.csv").read_text(encoding="utf-8").splitlines()) == 25

    def test_more_configurations_in_turn(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Configurations that are added to a journal are measured with each value, too, also without a description."""
        monkeypatch.chdir(tmp_path)
        Path("first.csv").write_text("mode,level\nfast,1\nsafe,2\n", encoding="utf-8")
        Path("second.csv").write_text("mode,level\nfast,2\n", encoding="utf-8")
        versions = ("--context", "version=a", "--context", "version=b")
        command = ("--command", "echo {version} {level}", "--property", r"time=regex:(\d+)")
        for file, more in (("first.csv", (*command, *versions)), ("second.csv", ("--append",))):
            found = run("measure", file, *more, "-o", "out.csv")
            assert found.exit_code == 0, found.stderr
        header, *rows = Path("out.csv").read_text(encoding="utf-8").splitlines()
        assert header == "mode,version,level,time"
        assert rows == [
            f"{mode},{version},{at},{at}" for mode, at in (("fast", 1), ("safe", 2), ("fast", 2)) for version in "ab"
        ]

    def test_contexts(self, run: Run, refused: Refused, empty: Path) -> None:
        """Contexts are columns with the same value in all rows, and a journal is continued with its own only."""
        command = ("measure", "--command", AWK, *ALL, *TIME)
        machine = ("--context", "machine=node 1", "--context", "year=2026")
        done = run(*command, *machine)
        assert done.exit_code == 0, done.stderr
        header, *rows = (empty / "measurements.csv").read_text(encoding="utf-8").splitlines()
        assert header == "cache,left,right,x,machine,year,time"
        assert {tuple(row.split(",")[4:6]) for row in rows} == {("node 1", "2026")}
        assert "note: the values of 'year' are numbers: other commands need --context year" in done.stderr
        assert "'machine' is 'node 1'" in run("learn", "--context", "year").stderr
        assert run(*command, *machine, "--resume").exit_code == 0
        for other in ((), ("--context", "machine=node 2", "--context", "year=2026")):
            assert "the contexts differ" in refused(*command, *other, "--resume")
        assert run(*command, "-o", "plain.csv").exit_code == 0
        assert "the contexts differ" in refused(*command, *machine, "-o", "plain.csv", "--resume")
        assert run(*command, "-o", "plain.csv", "--resume").exit_code == 0

    @pytest.mark.parametrize("order", ["repetition", "random"])
    def test_order_does_not_show(self, run: Run, empty: Path, order: str) -> None:
        """The file is the same in whichever order was measured."""
        assert run("measure", "--command", AWK, *ALL, *TIME, "--repeat", "3", "--order", order).exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(3)

    def test_wall_time(self, run: Run, empty: Path) -> None:
        """Without a property it is wall seconds; CPU seconds can be had, too."""
        run("measure", "--command", "true", *ALL)
        assert (empty / "measurements.csv").read_text(encoding="utf-8").startswith("cache,left,right,x,seconds\n")
        run("measure", "--command", "true", *ALL, "--property", "c=cpu", "--property", "w=time", "-o", "two.csv")
        assert (empty / "two.csv").read_text(encoding="utf-8").startswith("cache,left,right,x,c,w\n")

    def test_options(self, run: Run, empty: Path) -> None:
        """`{options}` is what the options' output strings say, and --cwd and --env are the command's."""
        described = SYSTEM.replace("<name>x</name>", "<name>x</name><prefix>n=</prefix>")
        (empty / "system.xml").write_text(described, encoding="utf-8")
        (empty / "below").mkdir()
        command = 'awk \'BEGIN {{ print n, ENVIRON["A"] > "seen"; print "time:", n }}\' {options}'
        # awk takes n=1 as an assignment only with -v.
        command = command.replace("awk", "awk -v {options}").removesuffix(" {options}")
        arguments = ("--cwd", "below", "--env", "A=b c", "--binary", "optionwise", "--numeric", "ff")
        result = run("measure", "--command", command, *TIME, *arguments)
        assert result.exit_code == 0, result.stderr
        assert (empty / "below" / "seen").read_text(encoding="utf-8") == "4 b c\n"

    @pytest.mark.parametrize("text", ["A", " =b", "A=\0"])
    def test_wrong_environment_variables(self, refused: Refused, empty: Path, text: str) -> None:
        """A variable without a name or a value, or with a null character, is refused."""
        assert "NAME=VALUE" in refused("measure", "--command", "true", *ALL, "--env", text)
        assert not (empty / "measurements.csv").exists()

    def test_configurations_of_a_file(self, run: Run, refused: Refused, empty: Path) -> None:
        """Configurations come from a file, too, each once; invalid ones are refused with the constraint."""
        run("sample", *ALL, "-o", "some.csv")
        text = (empty / "some.csv").read_text(encoding="utf-8")
        (empty / "some.csv").write_text(text + "1,1,0,4\n", encoding="utf-8")
        result = run("measure", "--command", AWK, "--configurations", "some.csv", *TIME)
        assert "1 row repeats a configuration" in result.stderr
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()
        (empty / "some.csv").write_text(text + "1,0,1,4\n", encoding="utf-8")
        message = refused("measure", "--command", AWK, "--configurations", "some.csv", *TIME, "-o", "m.csv")
        assert "configuration 10 is not valid: it violates" in message
        assert not (empty / "m.journal").exists()

    def test_on_a_terminal(self, empty: Path) -> None:
        """On a terminal a bar shows how many runs are done, and the time that is left."""
        controller, terminal = pty.openpty()
        arguments = ["measure", "--command", "sleep 0.05", *ALL]
        process = subprocess.Popen(
            [sys.executable, "-m", "splc", *arguments], stderr=terminal, stdout=subprocess.DEVNULL
        )
        os.close(terminal)
        shown = b""
        # A terminal whose last user has gone is an error to read from, on Linux.
        with suppress(OSError):
            while chunk := os.read(controller, 4096):
                shown += chunk
        os.close(controller)
        assert process.wait() == 0
        assert re.search(rb"\d of 9 runs, about [\d.]+ s left", shown), shown

    def test_to_standard_output(self, run: Run, empty: Path) -> None:
        """The measurements can go to standard output, with a journal that has a name."""
        result = run("measure", "--command", AWK, *ALL, *TIME, "-o", "-", "--journal", "j")
        assert result.stdout == table()
        assert "--journal" in run("measure", "--command", AWK, *ALL, *TIME, "-o", "-").stderr

    def test_dry_run(self, run: Run, empty: Path) -> None:
        """A dry run says what would be run, how often and, after some runs, how long; it leaves nothing."""
        arguments = ("measure", "--command", "true -n {x}", *ALL, "--repeat", "3", "--dry-run")
        before = sorted(empty.iterdir())
        lines = run(*arguments).stdout.splitlines()
        assert lines[:3] == [
            "9 configurations, 3 repetitions",
            "27 runs, 0 of them recorded, 27 to do",
            "the duration is not known before the first runs",
        ]
        assert lines[3:5] == ["    true -n 1", "    true -n 2"]
        assert lines[-1] == "    … and 4 more commands"
        assert sorted(empty.iterdir()) == before
        run("measure", "--command", "true -n {x}", *ALL)
        found = json.loads(run(*arguments, "--json").stdout)
        assert (found["runs"], found["recorded"], found["left"]) == (27, 9, 18)
        assert found["seconds_left"] > 0
        assert len(found["commands"]) == 9

    def test_deviation(self, run: Run, empty: Path) -> None:
        """Runs that deviate are repeated until they do not, or until the limit is reached, with a note."""
        # Settles after some repetitions where x is 1 or 2, never where it is 4.
        value = "{x} < 4 ? 100 + {repetition} % 2 : {repetition}"
        command = f"awk 'BEGIN {{{{ print \"time:\", {value} }}}}'"
        arguments = ("--max-deviation", "0.1", "--max-repeat", "5")
        result = run("measure", "--command", command, *ALL, *TIME, *arguments)
        assert result.exit_code == 0
        assert "3 configurations: time still deviates by more than 10 %" in result.stderr
        rows = (empty / "measurements.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert {x: sum(row.split(",")[3] == x for row in rows) // 3 for x in "124"} == {"1": 2, "2": 2, "4": 5}


class TestFailures:
    def test_one_in_ten(self, run: Run, empty: Path) -> None:
        """A configuration that fails is recorded with its reason; the others are measured, and the exit code is 1."""
        code = "import sys\nx, cache = sys.argv[1:]\nif (x, cache) == ('2', '1'): sys.exit('out of memory')\n"
        code += "print('time:', int(x) * 2 + int(cache))"
        arguments = ("measure", "--command", script(empty, code) + " {x} {cache}", *ALL, *TIME, "--repeat", "2")
        result = run(*arguments)
        assert result.exit_code == 1
        assert "2 runs of 1 configuration failed" in result.stderr
        assert "cache, left, x=2, repetition 1: exit code 1: out of memory" in result.stderr
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(2, lambda key: key == (1, 1, 0, 2))
        failures = (empty / "measurements.failures.csv").read_text(encoding="utf-8")
        assert failures.splitlines()[1] == "1,1,0,2,1,exit code 1: out of memory,1,out of memory"
        again = run(*arguments, "--resume")
        assert again.exit_code == 1
        assert json.loads(run(*arguments, "--resume", "--json").stdout)["measured"] == 0
        # The same command line starts another program now.
        script(empty, code.replace("'2', '1'", "'7', '7'"))
        assert run(*arguments, "--resume", "--retry-failed").exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(2)
        assert not (empty / "measurements.failures.csv").exists()

    @pytest.mark.parametrize(
        ("command", "reason"),
        [
            ("true", "matches nothing on stdout"),
            ("echo time: nan", "time is 'nan', not a finite number"),
            ("echo time: inf", "time is 'inf', not a finite number"),
            ("false", "exit code 1"),
            ("sleep 1000", "stopped after the time limit of 0.05 s"),
        ],
    )
    def test_every_run(self, run: Run, empty: Path, command: str, reason: str) -> None:
        """If every run fails, all are recorded with the reason, there are no measurements, and the code is 1."""
        run("sample", "--sampling", "random:2", "-o", "two.csv")
        arguments = ("--configurations", "two.csv", "--timeout", "0.05" if "sleep" in command else "100")
        result = run("measure", "--command", command, *TIME, *arguments)
        assert result.exit_code == 1
        assert "2 runs of 2 configurations failed" in result.stderr
        assert "no run succeeded" in result.stderr
        assert reason in result.stderr
        assert not (empty / "measurements.csv").exists()
        assert reason in (empty / "measurements.failures.csv").read_text(encoding="utf-8")


class TestErrors:
    def test_a_journal_of_another_system(self, run: Run, refused: Refused, empty: Path) -> None:
        """A journal of a system with other values is refused."""
        run("measure", "--command", "true", *ALL)
        (empty / "system.xml").write_text(SYSTEM.replace("1;2;4", "1;2;5"), encoding="utf-8")
        message = refused("measure", "--command", "true", *ALL, "--resume")
        assert "the journal is of another measurement: the system's options and values differ" in message

    def test_not_a_journal(self, refused: Refused, empty: Path) -> None:
        """A file of something else is no journal, and one that is being written by another process is not touched."""
        (empty / "measurements.journal").write_text("x\n1\n", encoding="utf-8")
        assert "not a journal" in refused("measure", "--command", "true", *ALL, "--resume")
        with Journal.create("other.journal"):
            arguments = ("measure", "--command", "true", *ALL, "--resume", "-o", "other.csv")
            assert "another 'splc measure' is writing" in refused(*arguments)
