"""`splc measure`: resumed after interruptions and kills; batch commands."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc.measuring.journal import read_journal
from tests.cli.conftest import Run
from tests.support.file_size import file_size_limit
from tests.support.programs import ALL, AWK, TIME, script, table

Refused = Callable[..., str]


class TestResuming:
    def test_a_torn_record(self, run: Run, empty: Path) -> None:
        """A record that was cut off is dropped, and its run is done again."""
        run("measure", "--command", AWK, *ALL, *TIME)
        journal = empty / "measurements.journal"
        journal.write_bytes(journal.read_bytes()[:-7])
        result = run("measure", "--command", AWK, *ALL, *TIME, "--resume")
        assert "an incomplete record is dropped" in result.stderr
        assert "8 runs are recorded already" in result.stderr
        assert (empty / "measurements.csv").read_text(encoding="utf-8") == table()

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


def test_a_machine_without_resources(run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a run cannot be started, what was measured is kept, the run has not failed, and it is done when resumed."""
    begun: list[Any] = []
    start = subprocess.Popen

    def limited(*arguments: Any, **more: Any) -> Any:
        begun.append(arguments)
        if len(begun) == 4:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        return start(*arguments, **more)

    arguments = ["measure", "--command", "echo {x}", "--sampling", "all+ff", "--property", "t=regex:(.+)"]
    monkeypatch.setattr(subprocess, "Popen", limited)
    done = run(*arguments)
    assert done.exit_code == 2
    assert "cannot do any run: Cannot allocate memory" in done.stderr
    assert "3 runs are recorded" in done.stderr
    assert len(Path("measurements.csv").read_text(encoding="utf-8").splitlines()) == 1 + 3
    assert run(*arguments, "--resume").exit_code == 0
    assert run(*arguments, "-o", "whole.csv").exit_code == 0
    assert Path("measurements.csv").read_bytes() == Path("whole.csv").read_bytes()


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
