"""`splc measure` and `splc scale`: runs, journals, profiles, and models as programs."""

from __future__ import annotations

import json
import os
import pty
import re
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from splc import read_model
from splc.measuring.journal import Journal, read_journal
from splc.workflows.measure import Request
from splc.workflows.measure import run as run_measurement
from tests.cli.conftest import Run
from tests.support.cube_files import write_cube
from tests.support.paths import ROOT
from tests.support.programs import ALL, AWK, TIME, file_size_limit, script, table
from tests.support.real_data import DATA

Refused = Callable[..., str]


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


class TestResuming:
    def test_left_running(self, run: Run, empty: Path) -> None:
        """A run that a killed session left behind is ended before others are measured, and done again."""
        code = (
            "import os, signal, sys, time\nx, cache = map(int, sys.argv[1:])\n"
            "if os.environ.get('SENT') and (x, cache) == (4, 0):\n"
            "    open('left', 'w').write(str(os.getpid()))\n"
            # Time for the session to record the run: a busy machine may start the run first.
            "    time.sleep(1)\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(1000)\n"
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
        assert "a run of an earlier session was still running; it was ended" in result.stderr
        status = Path(f"/proc/{left}/stat")
        assert not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] in "ZX"
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

    @pytest.mark.parametrize("ignored", [True, False])
    def test_hang_up(self, run: Run, empty: Path, ignored: bool) -> None:
        """A closed terminal ends a measurement as SIGTERM does, unless `nohup` says otherwise."""
        command = script(empty, "kill -HUP $PPID; sleep 0.2; echo time: 1", "/bin/sh")
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
        try:
            done = run("measure", "--command", command, "--sampling", "random:1", *TIME)
        finally:
            signal.signal(signal.SIGHUP, before)
        assert done.exit_code == (0 if ignored else 130), done.stderr

    @pytest.mark.parametrize(("sent", "times"), [("INT", 1), ("INT", 2), ("TERM", 1)])
    def test_interrupted(self, run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch, sent: str, times: int) -> None:
        """Ctrl-C ends it after the run in flight, again (or SIGTERM) at once: code 130, and what is done is kept."""
        # The third run interrupts who measures, and would go on for ever where that is to end it.
        kill = f"kill -{sent} $PPID; sleep 0.2; "
        wait = "" if (sent, times) == ("INT", 1) else "sleep 1000"
        code = f'if [ "$SENT$1$2" = 140 ]; then {kill * times}{wait}:; fi\necho "time: $(( $1 * 2 + $2 ))"'
        arguments = ["measure", "--command", script(empty, code, "/bin/sh") + " {x} {cache}", *ALL, *TIME]
        with monkeypatch.context() as patch:
            patch.setenv("SENT", "1")
            done = run(*arguments)
        assert done.exit_code == 130, done.stderr
        kept = 3 if (sent, times) == ("INT", 1) else 2
        assert f"interrupted with {9 - kept} runs left" in done.stderr
        assert len((empty / "measurements.csv").read_text(encoding="utf-8").splitlines()) == 1 + kept
        assert run(*arguments, "--resume").exit_code == 0
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

    @pytest.mark.parametrize("size", [10, 4000])
    def test_a_full_disk(self, run: Run, empty: Path, size: int) -> None:
        """A full disk ends with code 2 and a message; measured values are kept, and the measurement can be resumed."""
        arguments = ["measure", "--command", AWK, *ALL, *TIME, "--repeat", "3"]
        with file_size_limit(size):
            done = run(*arguments)
        assert done.exit_code == 2, done.stderr
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


def test_an_interrupted_addition(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --append, the same command adds what is left; the rows of earlier configurations stay the same."""
    monkeypatch.chdir(tmp_path)
    command = script(tmp_path, '[ $1 -lt 40 ] && echo "time: $1"', "/bin/sh")
    Path("few.csv").write_text("n,mode\n1,fast\n4,safe\n7,best\n", encoding="utf-8")
    Path("more.csv").write_text("n,mode\n20,fast\n40,best\n30,best\n", encoding="utf-8")
    assert run("measure", "few.csv", "--command", f"{command} {{n}} {{mode}}", *TIME).exit_code == 0
    assert run("measure", "more.csv", "--append").exit_code == 1
    journal = Path("measurements.journal")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-4]))
    assert "4 runs are recorded already" in run("measure", "more.csv", "--append").stderr
    rows = Path("measurements.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert rows == ["fast,1,1", "safe,4,4", "best,7,7", "fast,20,20", "best,30,30"]


def killed(kills: int, repeat: int) -> dict[str, Any]:
    """Kill and resume a measurement several times; return the findings."""
    command = [sys.executable, "-m", "tests.support.killers", "measure", str(kills), str(repeat)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
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
    runs = [record for record in read_journal("measurements.journal") if record["kind"] == "run"]
    assert [record["started"] for record in runs[9:]] == sorted(
        (record["started"] for record in runs[9:]), reverse=True
    )
    assert all(0 < record["seconds"] < 60 for record in runs)


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


# A third of them is in the usual run.
FILES = [
    pytest.param(file, id=file.name, marks=pytest.mark.slow if at % 3 else ())
    for at, file in enumerate(sorted((DATA / "extrap_formats").glob("*/*")))
]

# 3 + 2 p^2 and 5 p, each with a repetition that lies a little off.
PROFILE = (Path(__file__).parent / "profile.txt").read_text(encoding="utf-8")


@pytest.fixture
def profiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one, with a profile in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile.txt").write_text(PROFILE, encoding="utf-8")
    return tmp_path


def fitted(run: Run, *arguments: str, stdin: str | None = None, code: int = 0) -> Any:
    """Return the JSON object of a run with this exit code."""
    result = run("scale", "--json", *arguments, stdin=stdin)
    assert result.exit_code == code, result.stderr
    return json.loads(result.stdout)


class TestProfiles:
    def test_one_model_is_read_like_every_other(self, run: Run, profiled: Path) -> None:
        """The JSON and the text of one model are models, which predict what the function gives."""
        for name in ("one.json", "one.txt", "one.log"):
            chosen = ("--callpath", "main->sort", "--metric", "time")
            assert run("scale", "profile.txt", *chosen, "-o", name).exit_code == 0
            influences = {term.text(): influence for term, influence in read_model(profiled / name).terms}
            assert influences == pytest.approx({"1": 3.005, "p^2": 2}, rel=1e-2)

    def test_python(self, run: Run, profiled: Path) -> None:
        """The Python module has a function per model, also where names are no identifiers or the same as one."""
        rows = [
            f"{p},{path},{value}"
            for path, scale in (("a-b", 1), ("a b", 2), ("class", 3), ('say "x"\\', 4))
            for p in (2, 4, 8, 16, 32)
            for value in (scale * p**2,)
        ]
        (profiled / "names.csv").write_text(
            "lambda;callpath;value\n" + "\n".join(rows).replace(",", ";"), encoding="utf-8"
        )
        assert run("scale", "names.csv", "-o", "all.py").exit_code == 0
        found = runpy.run_path(str(profiled / "all.py"))
        values = {path: function(10) for (path, _), function in found["MODELS"].items()}
        assert values == pytest.approx({"a-b": 100, "a b": 200, "class": 300, 'say "x"\\': 400})
        assert {"a_b", "a_b_2", "model_class", "say_x"} <= set(found)

    def test_two_segments(self, run: Run, profiled: Path) -> None:
        """The Python function of a change of behaviour follows both models, also of two parameters."""
        rows = [f"{n},{p},{n * (p * p if p <= 6 else 30 + p)}\n" for n in (1, 2, 4, 8, 16) for p in range(1, 13)]
        for header, chosen in (("n,p", rows), ("p", [row.removeprefix("1,") for row in rows[:12]])):
            (profiled / "turn.csv").write_text(f"{header},time\n" + "".join(chosen), encoding="utf-8")
            asked = ("turn.csv", "--coordinates", header, "--set", "segmented=true", "-o", "turn.py")
            assert run("scale", *asked).exit_code == 0
            (function,) = runpy.run_path(str(profiled / "turn.py"))["MODELS"].values()
            points = [(2, 3), (2, 10)] if header == "n,p" else [(3,), (10,)]
            factor = 2 if header == "n,p" else 1
            assert [function(*point) for point in points] == pytest.approx([9 * factor, 40 * factor])

    @pytest.mark.real_data
    @pytest.mark.parametrize("file", FILES)
    def test_published_files(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
        """Every file of Extra-P's tests gives a finite model for each of its series."""
        monkeypatch.chdir(tmp_path)
        found = fitted(run, str(file))
        entries = found.get("models", [found])
        assert not found["failed"]
        assert all(each["model"]["terms"] and each["scaling"]["smape"] is not None for each in entries)


@pytest.mark.real_data
def test_hypotheses_without_variance(run: Run) -> None:
    """Points at which a hypothesis has no variance are candidates without warnings."""
    file = str(DATA / "extrap_formats" / "jsonlines" / "incomplete_matrix_2p.jsonl")
    assert fitted(run, file, "--suggest", "--target", "x=100,y=10")["next"][0]["gain"] > 0


def test_a_line_per_model(run: Run, profiled: Path) -> None:
    """Files of several models have a line per model."""
    assert run("scale", "profile.txt", "-o", "lines.json").exit_code == 0
    text = (profiled / "lines.json").read_text(encoding="utf-8")
    assert len(json.loads(text)["models"]) == sum('"callpath"' in line for line in text.splitlines()) == 2


def test_cube_profiles(run: Run, refused: Refused, profiled: Path) -> None:
    """A folder of CUBE profiles gives models of exclusive means, or of inclusive sums."""
    pytest.importorskip("pycubexr", reason="the extra cube is not installed")
    nodes = ("main", "main->sweep")
    for p in (1, 2, 4, 8, 16):
        values = {"main": (3.0 + p, 3.0 + 3 * p), "main->sweep": (1.0 * p, 3.0 * p)}
        metrics = {"time": ("INCLUSIVE", "DOUBLE", values)}
        write_cube(profiled / "runs" / f"app.p{p}.r1" / "profile.cubex", metrics, nodes=nodes)
    found = {each["callpath"]: each for each in fitted(run, "runs", "--metric", "time")["models"]}
    assert found["main"]["model"]["text"] == "3"
    assert found["main->sweep"]["predictions"] == []
    assert found["main->sweep"]["model"]["terms"][-1]["influence"] == pytest.approx(2)
    sums = fitted(run, "runs", "--scaling", "strong", "--inclusive", "--callpath", "main", "--predict-at", "p=32")
    assert sums["predictions"][0]["predicted"] == pytest.approx(6 + 4 * 32)
    assert "folders of CUBE profiles only" in refused("scale", "profile.txt", "--scaling", "weak")
    assert "'week' is not one of 'weak', 'weak_threaded', 'strong'" in refused("scale", "runs", "--scaling", "week")
    (profiled / "runs" / "app.p2.r1" / "profile.cubex").write_bytes(b"no archive")
    assert "app.p2.r1/profile.cubex: the CUBE profile is damaged" in refused("scale", "runs")
