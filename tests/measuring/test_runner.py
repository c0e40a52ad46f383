"""One process: its output, its end, and that nothing of it is left."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from splc.errors import MachineError
from splc.measuring import runner
from splc.measuring.execution import execute
from splc.measuring.properties import WALL, parse_properties
from splc.measuring.runner import birth, end_session, run
from tests.measuring.conftest import Program


@pytest.fixture(params=["waitid", "wait4"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, program: Program) -> Program:
    """Run every test of a program without `os.waitid`, too: macOS has it only from Python 3.13 on."""
    if request.param == "wait4":
        monkeypatch.delattr(os, "waitid")
    return program


def gone(process: int) -> bool:
    """Return whether a process has ended (an orphan may be a zombie until it is reaped)."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(process: int) -> bool:
    """Wait for the end of a process that was killed."""
    for _ in range(1000):
        if gone(process):
            return True
        threading.Event().wait(0.01)
    return False


def test_output(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output, exit code, folder and environment of a process are right."""
    code = (
        "import os, sys\nprint(os.getcwd(), os.environ['A'], sys.argv[1:])\nprint('bad', file=sys.stderr)\nsys.exit(3)"
    )
    monkeypatch.setenv("A", "replaced by the environment of the run")
    ended = run([program(code), "a b", "$A"], folder=str(tmp_path), environment={"A": "1"})
    assert ended.exit_code == 3
    assert ended.stdout == f"{tmp_path} 1 ['a b', '$A']\n"
    assert ended.stderr == "bad\n"
    assert not ended.timed_out
    assert ended.seconds > 0


def test_much_output_and_input(program: Program) -> None:
    """More than a pipe holds goes in and out without a deadlock, and arrives line by line."""
    code = (
        "import sys\nfor line in sys.stdin: print(line.strip() * 10)\nsys.stderr.write('e' * 300000); print(end='end')"
    )
    lines: list[str] = []
    ended = run([program(code)], stdin=b"0123456789\n" * 30000, on_line=lines.append)
    assert len(lines) == 30001
    assert set(lines[:-1]) == {"0123456789" * 10}
    assert lines[-1] == "end"
    assert len(ended.stderr) == 300000


def test_output_of_a_process_that_has_ended(program: Program) -> None:
    """All that a process printed before its end is read, also if that is more than is read at once."""
    code = (
        "import fcntl, os\nfor stream in (1, 2):\n"
        "    fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, 1 << 20)\n    os.write(stream, b'x' * 300_000)"
    )

    def wait(process: int) -> None:
        assert wait_until_gone(process)
        # The thread that notices the end, too, needs a moment.
        time.sleep(0.05)

    ended = run([program(code)], on_start=wait)
    assert (len(ended.stdout), len(ended.stderr), ended.exit_code) == (300_000, 300_000, 0)


def test_too_much_output(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that prints without end is ended, and the run has failed."""
    monkeypatch.setattr(runner, "MAX_PRINTED", 100_000)
    ended = run([program("while True: print('y' * 1000)")])
    assert ended.error == "printed more than 100,000 bytes"
    assert run([program("print('y' * 99_999)")]).error is None
    assert run([program("print('y' * 100_000)")]).error is not None


def test_input_that_is_not_read(program: Program) -> None:
    """A process that does not read what it is given just ends."""
    assert run([program("")], stdin=b"x" * 1_000_000).exit_code == 0


@pytest.mark.parametrize(
    "code",
    [
        "import time; print('on', flush=True); time.sleep(1000)",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(1000)",
    ],
    ids=["plain", "ignores SIGTERM"],
)
def test_time_limit(code: str, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run beyond its time limit is ended, also if it ignores the request; what it printed is kept."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)
    ended = run([program(code)], timeout=0.4)
    assert ended.timed_out
    assert ended.exit_code in {-signal.SIGTERM, -signal.SIGKILL}
    assert ended.stdout == "on\n"


def test_a_stopped_run_may_clean_up(program: Program) -> None:
    """A run beyond its time limit first gets SIGTERM, and time to react to it."""
    code = (
        "import signal, sys, time\n"
        "def stop(*_):\n    time.sleep(0.1); print('removed files'); sys.exit(7)\n"
        "signal.signal(signal.SIGTERM, stop)\ntime.sleep(1000)"
    )
    ended = run([program(code)], timeout=1)
    assert (ended.timed_out, ended.exit_code, ended.stdout) == (True, 7, "removed files\n")


def test_cpu_is_that_of_user_and_system_with_children(program: Program) -> None:
    """The CPU time is what the process itself sees: user and system time, with that of the children it waited for."""
    code = (
        "import os\nfrom resource import *\n"
        "if os.fork() == 0: os._exit(len(os.urandom(30_000_000)) % 2)\n"
        "os.wait()\nsum(range(2_000_000))\n"
        "for who in (RUSAGE_SELF, RUSAGE_CHILDREN):\n"
        "    print(getrusage(who).ru_utime, getrusage(who).ru_stime)"
    )
    ended = run([program(code)])
    user, _, _, child = times = [float(each) for each in ended.stdout.split()]
    assert min(user, child) > 0.01
    assert sum(times) <= ended.cpu < sum(times) + 0.1


def test_wall_time_is_without_the_end_of_what_is_left(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seconds of a run end with its process, not when its descendants have been ended."""

    def slowly(leader: int, *, thorough: bool = True) -> None:
        time.sleep(0.2)
        end_session(leader, thorough=thorough)

    monkeypatch.setattr(runner, "end_session", slowly)
    before = time.perf_counter()
    seconds = run([program("import time; time.sleep(0.1)")]).seconds
    assert 0.1 < seconds < time.perf_counter() - before - 0.35


@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.parametrize("group", [False, True])
def test_descendants(program: Program, monkeypatch: pytest.MonkeyPatch, hangs: bool, group: bool) -> None:
    """Processes that a run leaves are ended with it, whether or not they have their own process group."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)
    code = (
        "import os, signal, time\nread, write = os.pipe()\nif os.fork() == 0:\n"
        f"    if {group}: os.setpgid(0, 0)\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    print(os.getpid(), flush=True)\n    os.write(write, b'x')\n    time.sleep(1000)\n"
        f"os.read(read, 1)\nif {hangs}: time.sleep(1000)"
    )
    ended = run([program(code)], timeout=0.5 if hangs else None)
    assert ended.timed_out == hangs
    assert wait_until_gone(int(ended.stdout))


def test_an_error_on_the_way(program: Program) -> None:
    """If reading a line fails, the process is ended, too."""
    seen: list[str] = []

    def fails(line: str) -> None:
        seen.append(line)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run([program("import os, time; print(os.getpid(), flush=True); time.sleep(1000)")], on_line=fails)
    assert wait_until_gone(int(seen[0]))


def test_an_error_ends_descendants(program: Program) -> None:
    """If reading a line fails, processes of the run in other process groups are ended, too."""
    code = (
        "import os, time\nread, write = os.pipe()\nif os.fork() == 0:\n"
        "    os.setpgid(0, 0)\n    os.write(write, str(os.getpid()).encode())\n    time.sleep(1000)\n"
        "print(os.read(read, 9).decode(), flush=True)\ntime.sleep(1000)"
    )
    seen: list[int] = []

    def fails(line: str) -> None:
        seen.append(int(line))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run([program(code)], on_line=fails)
    assert wait_until_gone(seen[0])


def test_that_cannot_be_started(tmp_path: Path) -> None:
    """A program that cannot be started is a failed run."""
    script = tmp_path / "script"
    script.write_bytes(b"\x7fELF nonsense")
    script.chmod(0o755)
    assert "cannot be started" in str(run([str(script)]).error)
    assert "cannot be started" in str(run(["/nowhere/at/all"]).error)
    assert "cannot be started" in str(run(["a\0b"]).error)


def test_ignored_children(program: Program) -> None:
    """If SIGCHLD is ignored, the run fails instead of waiting forever."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        ended = run([program("print(1)")])
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert "SIGCHLD" in str(ended.error)


def test_an_id_that_is_given_to_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the process is reaped, nothing is done to a process that has its id, nor to the group that it leads."""
    monkeypatch.delattr(os, "waitid")
    started: list[subprocess.Popen[bytes]] = []

    class Started(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            started.append(self)

    def replace(process: int) -> None:
        while Path(f"/proc/{process}").exists() or started[0].returncode is None:
            time.sleep(0.001)
        started[0].pid = stranger.pid

    with subprocess.Popen(["sleep", "60"], start_new_session=True) as stranger:
        monkeypatch.setattr(subprocess, "Popen", Started)
        ended = run(["echo", "done"], on_start=replace, timeout=0.001)
        assert (ended.exit_code, ended.stdout, ended.timed_out) == (0, "done\n", True)
        # The signal that ends a process is the first one.
        stranger.send_signal(signal.SIGUSR1)
    assert stranger.returncode == -signal.SIGUSR1


def test_birth() -> None:
    """A process is told from an earlier one of the same id; one that never was has no birth."""
    assert birth(os.getpid()) == birth(os.getpid())
    assert birth(os.getpid()) is not None
    with subprocess.Popen(["sleep", "1000"]) as later:
        found = birth(later.pid)
        later.kill()
    assert found not in {None, birth(os.getpid())}
    assert str(birth(os.getpid())).startswith(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip())
    assert birth(2**22 + 1) is None
    end_session(2**22 + 1)


def test_birth_of_any_name() -> None:
    """The name of a process, which can contain parentheses and spaces, does not change its birth."""
    name = Path("/proc/self/comm")
    before, found = name.read_text("utf-8"), birth(os.getpid())
    name.write_text("a) b (c) d", "utf-8")
    try:
        assert birth(os.getpid()) == found
    finally:
        name.write_text(before, "utf-8")


class TestResults:
    def test_values(self, program: Program) -> None:
        """A run that ends well has values, a time of day and a load average."""
        result = execute(partial(run, (program("print('t=2')"),)), parse_properties(["t=regex:t=(.*)", "s=time"], ()))
        assert result.reason is None
        assert result.values["t"] == 2.0
        assert result.values["s"] == result.seconds
        assert result.started.endswith("+00:00")
        assert result.load is not None

    @pytest.mark.parametrize(
        ("code", "reason"),
        [
            ("import sys; print('t=1'); sys.exit('no memory')", "exit code 1: no memory"),
            (
                "import sys; sys.exit('x: bad value\\nvalues are:\\n  - a\\nTry x --help for more.')",
                "exit code 1: x: bad value",
            ),
            ("import os; os.kill(os.getpid(), 11)", "ended by SIGSEGV"),
            ("print('nothing')", "t: 't=(.*)' matches nothing on stdout"),
            ("print('t=nan')", "t is 'nan', not a finite number"),
        ],
    )
    def test_failures(self, program: Program, code: str, reason: str) -> None:
        """A run that fails is a result with its reason and what it printed."""
        result = execute(partial(run, (program(code),)), parse_properties(["t=regex:t=(.*)"], ()))
        assert result.reason == reason
        assert ("no memory" in result.stderr) == ("memory" in code)
        assert ("nothing" in result.stdout) == ("nothing" in code)

    def test_long_output_of_a_failure(self, program: Program) -> None:
        """A failed run keeps the end of what it printed; its reason has the last line of standard error."""
        code = "import sys; print('a' * 3000 + 'b' * 3000); sys.exit('c' * 3000 + 'd' * 3000 + '\\nlast line\\n')"
        result = execute(partial(run, (program(code),)), ())
        assert result.stdout == "a" * 999 + "b" * 3000 + "\n"
        assert result.stderr == "c" * 988 + "d" * 3000 + "\nlast line\n\n"
        assert result.reason == "exit code 1: last line"

    def test_time_limit(self, program: Program) -> None:
        """A run that takes too long says so."""
        result = execute(partial(run, (program("import time; time.sleep(1000)"),), timeout=0.2), (WALL,))
        assert result.reason == "stopped after the time limit of 0.2 s"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.EAGAIN])
def test_a_machine_that_can_start_nothing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A process that the machine has no resources for is an error of the machine, not the end of a process."""

    def refuse(*_: Any, **more: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(MachineError, match=f"cannot do any run: {os.strerror(number)}"):
        run(["true"])
