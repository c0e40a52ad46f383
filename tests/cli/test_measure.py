"""`splc measure`."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from splc.measuring.journal import Journal, read_journal
from tests.cli.conftest import SYSTEM, Run

Refused = Callable[..., str]
ALL = ("--sampling", "all+ff")
# Prints what a solver might: the time of a configuration, from its values.
AWK = 'awk \'BEGIN {{ print "time:", {x} * 2 + {cache}; print {x} > "/dev/stderr" }}\''
TIME = ("--property", r"time=regex:time: (\S+)")
VALUES = {
    (0, 0, 1, 1): 2,
    (0, 0, 1, 2): 4,
    (0, 0, 1, 4): 8,
    (0, 1, 0, 1): 2,
    (0, 1, 0, 2): 4,
    (0, 1, 0, 4): 8,
    (1, 1, 0, 1): 3,
    (1, 1, 0, 2): 5,
    (1, 1, 0, 4): 9,
}


@pytest.fixture
def empty(folder: Path) -> Path:
    """Return the project folder without its measurements, which is the current folder."""
    (folder / "measurements.csv").unlink()
    return folder


def table(repeat: int = 1, leave_out: Callable[[tuple[int, ...]], bool] = lambda _: False) -> str:
    """Return the measurements file of AWK."""
    rows = [
        ",".join(map(str, (*key, value))) for key, value in VALUES.items() if not leave_out(key) for _ in range(repeat)
    ]
    return "\n".join(["cache,left,right,x,time", *rows, ""])


def script(folder: Path, code: str) -> str:
    """Write an executable Python script that starts fast, and return its name."""
    path = folder / "program"
    path.write_text(f"#!{sys.executable} -IS\n{code}\n", encoding="utf-8")
    path.chmod(0o755)
    return "./program"


class TestResults:
    def test_measurements(self, run: Run, empty: Path) -> None:
        """Every configuration is measured as often as asked for, and the file has a row for each repetition."""
        result = run("measure", "--command", AWK, *ALL, *TIME, "--repeat", "2", "--warmup", "1")
        assert result.exit_code == 0
        assert result.stdout == "9 configurations, 18 runs: measurements.csv\n"
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(2)
        assert not (empty / "measurements.failures.csv").exists()
        assert json.loads(run("describe", "--json").stdout)["valid_configurations"] == 9

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

    def test_json(self, run: Run, empty: Path) -> None:
        """The object says how many runs there are, how many failed, and where everything is."""
        result = run("measure", "--command", AWK, *ALL, *TIME, "--repeat", "2", "--json")
        found = json.loads(result.stdout)
        wanted = {
            "schema": "splc.measure/1",
            "configurations": 9,
            "properties": ["time"],
            "runs": 18,
            "recorded": 18,
            "resumed": 0,
            "measured": 18,
            "failed": 0,
            "interrupted": False,
            "output": "measurements.csv",
            "journal": "measurements.journal",
            "failures": None,
            "sessions": 1,
        }
        assert {key: found[key] for key in wanted} == wanted
        assert found["machine"]["cores"] >= 1

    def test_dry_run(self, run: Run, empty: Path) -> None:
        """A dry run says what would be run, how often and, after some runs, how long; it leaves nothing."""
        arguments = ("measure", "--command", "true -n {x}", *ALL, "--repeat", "3", "--dry-run")
        before = sorted(empty.iterdir())
        lines = run(*arguments).stdout.splitlines()
        assert lines[:3] == [
            "9 configurations, 3 repetitions",
            "27 runs, 0 of them recorded, 27 to do",
            "how long that takes, the first runs will tell",
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
        """What deviates is repeated until it does not, or the limit is reached, which is said."""
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
        assert "cache=1, left=1, right=0, x=2, repetition 1: exit code 1: out of memory" in result.stderr
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
        """Where every run fails, all are recorded with the reason, there are no measurements, and the code is 1."""
        run("sample", "--sampling", "random:2", "-o", "two.csv")
        arguments = ("--configurations", "two.csv", "--timeout", "0.05" if "sleep" in command else "100")
        result = run("measure", "--command", command, *TIME, *arguments)
        assert result.exit_code == 1
        assert "2 runs of 2 configurations failed" in result.stderr
        assert "no run succeeded" in result.stderr
        assert reason in result.stderr
        assert not (empty / "measurements.csv").exists()
        assert reason in (empty / "measurements.failures.csv").read_text(encoding="utf-8")


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--command", "true"], "which configurations are to be measured?\n    --sampling SPEC"),
            (["--command", "true", *ALL, "--configurations", "a.csv"], "given twice"),
            (["--command", "true", "--sampling", "measured"], "need not be sampled"),
            (["--command", "true", "--sampling", "al"], "unknown sampling 'al'"),
            (["--command", "./slover {x}", *ALL], "the command './slover' does not exist\n    did you mean 'solver'?"),
            (["--command", "solver", *ALL], "'solver' is not found in PATH\n    write ./solver"),
            (["--command", "./solver", *ALL], "'./solver' cannot be executed\n    chmod +x"),
            (["--command", "./below", *ALL], "'./below' is a folder"),
            (["--command", "below/a/b", *ALL], "there is no folder"),
            (["--command", "true {y} {cach}", *ALL], "{cach} is no option of small\n    did you mean 'cache'?"),
            (["--command", "true", *ALL, "--property", "x=time"], "which is an option"),
            (["--command", "true", *ALL, "--property", "t=tim"], "unknown source 'tim'"),
            (["--command", "true", *ALL, "--cwd", "nowhere"], "nowhere: there is no such folder"),
            (["--command", "true", *ALL, "--env", "A"], "NAME=VALUE"),
            (["--command", "true", *ALL, "--timeout", "0"], "the time limit must be positive"),
            (["--command", "true", *ALL, "--timeout", "nan"], "the time limit must be positive"),
            (["--command", "true", *ALL, "--max-deviation", "-1"], "must be positive"),
            (["--command", "true", *ALL, "--max-repeat", "3"], "--max-deviation"),
            (["--command", "true", *ALL, "--retry-failed"], "--resume"),
            (["--command", "true", *ALL, "--backend", "dask"], "need each other"),
            (["--command", "true", *ALL, "--scheduler", "tcp://localhost:1"], "need each other"),
            (["--command", "true", *ALL, "--batch", "--property", "t=time"], "batch command prints"),
            (["--command", "true {x}", *ALL, "--batch", "--property", "t"], "--batch-by x"),
            (["--command", "true {options}", *ALL, "--batch", "--property", "t"], "cannot have {options}"),
            (["--command", "true {configurations}", *ALL], "{configurations} is no option"),
            (["--command", "true", *ALL, "-o", "nowhere/m.csv"], "nowhere/m.csv: cannot be written"),
            (["--command", "true", *ALL, "-o", "system.xml"], "this is an input"),
            (["--command", "true", *ALL, "-o", "m.csv", "--journal", "m.csv"], "another output"),
        ],
    )
    def test_before_anything_is_run(self, refused: Refused, empty: Path, arguments: list[str], message: str) -> None:
        """What cannot be measured is refused at once, and nothing is written."""
        (empty / "solver").write_text("", encoding="utf-8")
        (empty / "below").mkdir()
        before = sorted(empty.iterdir())
        assert message in refused("measure", *arguments)
        assert sorted(empty.iterdir()) == before

    def test_what_is_there_is_kept(self, run: Run, refused: Refused, folder: Path) -> None:
        """Measurements of another origin are never written over, and a journal only gone on with when asked to."""
        before = (folder / "measurements.csv").read_bytes()
        assert "there are measurements already" in refused("measure", "--command", "true", *ALL)
        assert (folder / "measurements.csv").read_bytes() == before
        assert run("measure", "--command", "true", *ALL, "-o", "m.csv").exit_code == 0
        assert "exists already\n    go on with it by --resume" in refused(
            "measure", "--command", "true", *ALL, "-o", "m.csv"
        )

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"--command": "echo {x}"}, "the command differs: 'true {x}' there, 'echo {x}' now"),
            ({"--sampling": "all+random:2"}, "the configurations differ: count 9 there, 6 now"),
            ({"--property": "t=cpu"}, "the properties differ: t=time there, t=cpu now"),
            ({"--repeat": "1"}, "the number of repetitions differs: 2 there, 1 now"),
            ({"--timeout": "5"}, "the time limit differs: none there, 5.0 now"),
            ({"--order": "random"}, "the order differs: 'repetition' there, 'random' now"),
            ({"--seed": "2"}, "the seed differs: 0 there, 2 now"),
        ],
    )
    def test_a_journal_of_another_measurement(
        self, run: Run, refused: Refused, empty: Path, changed: dict[str, str], message: str
    ) -> None:
        """A journal of something else is not gone on with, and is left as it is; what differs is said."""
        options = {"--command": "true {x}", "--sampling": "all+ff", "--property": "t=time", "--repeat": "2"}
        run("measure", *(part for option in options.items() for part in option))
        before = (empty / "measurements.journal").read_bytes()
        arguments = [part for option in {**options, **changed}.items() for part in option]
        assert message in refused("measure", *arguments, "--resume")
        assert (empty / "measurements.journal").read_bytes() == before

    def test_a_journal_of_another_system(self, run: Run, refused: Refused, empty: Path) -> None:
        """A journal of a system with other values is refused."""
        run("measure", "--command", "true", *ALL)
        (empty / "system.xml").write_text(SYSTEM.replace("1;2;4", "1;2;5"), encoding="utf-8")
        message = refused("measure", "--command", "true", *ALL, "--resume")
        assert "the journal is of another measurement: the system's options and values differ" in message

    def test_not_a_journal(self, refused: Refused, empty: Path) -> None:
        """A file of something else is no journal, and one that is being written by another process is not touched."""
        (empty / "measurements.journal").write_text("x\n1\n", encoding="utf-8")
        assert "no journal" in refused("measure", "--command", "true", *ALL, "--resume")
        with Journal.create("other.journal"):
            arguments = ("measure", "--command", "true", *ALL, "--resume", "-o", "other.csv")
            assert "another 'splc measure' is writing" in refused(*arguments)


class TestResuming:
    def test_more_repetitions(self, run: Run, empty: Path) -> None:
        """More repetitions than before are added to those that are there."""
        run("measure", "--command", AWK, *ALL, *TIME)
        result = run("measure", "--command", AWK, *ALL, *TIME, "--repeat", "3", "--resume", "--json")
        found = json.loads(result.stdout)
        assert (found["resumed"], found["measured"], found["sessions"]) == (9, 18, 2)
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(3)

    def test_nothing_to_resume(self, run: Run, empty: Path) -> None:
        """Asked to resume what was never begun, it begins, so that one command line does for both."""
        result = run("measure", "--command", AWK, *ALL, *TIME, "--resume")
        assert result.exit_code == 0
        assert "this measurement begins" in result.stderr
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

    def test_a_torn_record(self, run: Run, empty: Path) -> None:
        """A record that was cut off is dropped, and its run is done again."""
        run("measure", "--command", AWK, *ALL, *TIME)
        journal = empty / "measurements.journal"
        journal.write_bytes(journal.read_bytes()[:-7])
        result = run("measure", "--command", AWK, *ALL, *TIME, "--resume")
        assert "a record that was not finished is dropped" in result.stderr
        assert "8 runs are recorded already" in result.stderr
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

    def test_left_running(self, run: Run, empty: Path) -> None:
        """A run that a killed session left behind is ended before others are measured, and done again."""
        code = (
            "import os, signal, sys, time\nx, cache = map(int, sys.argv[1:])\n"
            "if os.environ.get('SENT') and (x, cache) == (4, 0):\n"
            "    open('left', 'w').write(str(os.getpid()))\n"
            "    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(1000)\n"
            "print('time:', x * 2 + cache)"
        )
        arguments = ["measure", "--command", script(empty, code) + " {x} {cache}", *ALL, *TIME]
        environment = {**os.environ, "SENT": "1"}
        command = [sys.executable, "-m", "splc", *arguments]
        done = subprocess.run(command, env=environment, stderr=subprocess.DEVNULL, check=False)
        assert done.returncode == -signal.SIGKILL
        left = int((empty / "left").read_text(encoding="ascii"))
        assert Path(f"/proc/{left}").exists()
        result = run(*arguments, "--resume")
        assert "a run that an earlier session had left behind was still running; it was ended" in result.stderr
        status = Path(f"/proc/{left}/stat")
        assert not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] in "ZX"
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

    @pytest.mark.parametrize("ignored", [True, False])
    def test_hang_up(self, empty: Path, ignored: bool) -> None:
        """A closed terminal ends a measurement as SIGTERM does, unless `nohup` says otherwise."""
        code = "import os, signal, time\nos.kill(os.getppid(), signal.SIGHUP)\ntime.sleep(0.2)\nprint('time:', 1)"
        arguments = ["measure", "--command", script(empty, code), "--sampling", "random:1", *TIME]
        handler = signal.SIG_IGN if ignored else signal.SIG_DFL
        start = f"import signal, sys\nsignal.signal(1, signal.Handlers({int(handler)}))\n"
        start += "from splc.cli import main\nsys.argv[0] = 'splc'\nmain()"
        done = subprocess.run([sys.executable, "-c", start, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == (0 if ignored else 130), done.stderr

    @pytest.mark.parametrize(("sent", "times"), [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 1)])
    def test_interrupted(self, run: Run, empty: Path, sent: signal.Signals, times: int) -> None:
        """Ctrl-C ends it after the run in flight, again (or SIGTERM) at once: code 130, and what is done is kept."""
        # The third run interrupts who measures, and would go on for ever where that is to end it.
        code = (
            "import os, sys, time\nx, cache = map(int, sys.argv[1:])\n"
            "if os.environ.get('SENT') and (x, cache) == (4, 0):\n"
            f"    for _ in range({times}): os.kill(os.getppid(), {int(sent)}); time.sleep(0.3)\n"
            f"    if ({int(sent)}, {times}) != ({int(signal.SIGINT)}, 1): time.sleep(1000)\n"
            "print('time:', x * 2 + cache)"
        )
        arguments = ["measure", "--command", script(empty, code) + " {x} {cache}", *ALL, *TIME]
        done = subprocess.run(
            [sys.executable, "-m", "splc", *arguments],
            env={**os.environ, "SENT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 130, done.stderr
        kept = 3 if (sent, times) == (signal.SIGINT, 1) else 2
        assert f"interrupted with {9 - kept} runs left" in done.stderr
        assert len((empty / "measurements.csv").read_text(encoding="utf-8").splitlines()) == 1 + kept
        assert run(*arguments, "--resume").exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

    @pytest.mark.parametrize("size", [10, 4000])
    def test_a_full_disk(self, run: Run, empty: Path, size: int) -> None:
        """Where the disk is full, a message says so with code 2, what was measured is there, and it can be resumed."""
        code = (
            "import resource, sys\nfrom splc.cli import main\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\nsys.argv[0] = 'splc'\nmain()"
        )
        arguments = ["measure", "--command", AWK, *ALL, *TIME, "--repeat", "3"]
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
        assert "measurements.journal: cannot be written: File too large" in done.stderr
        assert "--resume" in done.stderr
        if size == 10:
            # Nothing could be written at all, so that nothing is in the way later.
            assert sorted(entry.name for entry in empty.iterdir()) == ["system.xml"]
            assert run(*arguments).exit_code == 0
            return
        recorded = [record for record in read_journal("measurements.journal") if record["kind"] == "run"]
        rows = (empty / "measurements.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert 0 < len(recorded) < 27
        assert len(rows) == len(recorded)
        assert run(*arguments, "--resume").exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(3)


class TestBatches:
    CODE = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[2])))
print("cache,left,x,time", flush=True)
for row in rows:
    print(row["cache"], row["left"], row["x"], int(row["x"]) * 2 + int(sys.argv[1]), sep=",", flush=True)
"""

    def test_batches(self, run: Run, empty: Path) -> None:
        """One process per value of an option measures all its configurations, in each repetition."""
        command = script(empty, self.CODE) + " {cache} {configurations}"
        arguments = ("measure", "--command", command, *ALL, "--property", "time", "--batch-by", "cache")
        lines = run(*arguments, "--repeat", "2", "--dry-run").stdout.splitlines()
        assert lines[-4:] == [f"    ./program {cache} FILE" for cache in (0, 1, 0, 1)]
        result = run(*arguments, "--repeat", "2")
        assert result.exit_code == 0, result.stderr
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table(2)
        assert sum(record["kind"] == "batch" for record in read_journal("measurements.journal")) == 4

    def test_interrupted(self, run: Run, empty: Path) -> None:
        """A batch is interrupted after a row, and the rest of it is measured later."""
        interrupting = self.CODE + '    if row["x"] == "2" and not sys.argv[3:]: raise SystemExit(1)\n'
        command = script(empty, interrupting) + " {cache} {configurations}"
        arguments = ("measure", "--command", command, *ALL, "--property", "time", "--batch-by", "cache")
        # Ends after a row each time; another process goes on behind it.
        assert run(*arguments).exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()


def test_killed_at_any_moment(empty: Path) -> None:
    """Killed 50 times and resumed: no recorded run is lost or done again, and the file is as without any kill."""
    driver = Path(__file__).parent / "killing.py"
    done = subprocess.run([sys.executable, str(driver), "50"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["kills"] == 50
    assert found["lost"] == found["done_again"] == found["unrecorded_beyond_one"] == []
    assert found["hit"] > 25
    assert found["recorded_by_killed"] > 0
    assert found["recorded"] == 9 * 61
    assert (empty / "killed.csv").read_bytes() == (empty / "undisturbed.csv").read_bytes()
