"""One process: its output, its end, and that nothing of it is left."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from splc.errors import MachineError
from splc.measuring import runner
from splc.measuring.execution import execute
from splc.measuring.properties import parse_properties
from splc.measuring.runner import birth, end_session, run
from tests.measuring.conftest import Program, gone, wait_until_gone
from tests.support.golden_messages import Lines, check_calls


@pytest.fixture(params=["waitid", "wait4"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, program: Program) -> Program:
    """Run every test of a program without `os.waitid`, too: macOS has it only from Python 3.13 on."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)
    if request.param == "wait4":
        monkeypatch.delattr(os, "waitid")
    return program


def test_output(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output, exit code, folder and environment of a process are right; it may leave its input unread."""
    code = (
        "import os, sys\nprint(os.getcwd(), os.environ['A'], sys.argv[1:])\nprint('bad', file=sys.stderr)\nsys.exit(3)"
    )
    monkeypatch.setenv("A", "replaced by the environment of the run")
    more: dict[str, Any] = {"folder": str(tmp_path), "environment": {"A": "1"}, "stdin": b"x" * 1_000_000}
    ended = run([program(code), "a b", "$A"], **more)
    assert (ended.exit_code, ended.stderr, ended.timed_out) == (3, "bad\n", False)
    assert ended.stdout == f"{tmp_path} 1 ['a b', '$A']\n"
    assert ended.seconds > 0


def test_much_output_and_input(program: Program) -> None:
    """More than a pipe holds goes in and out without a deadlock, and arrives line by line."""
    code = (
        "import sys\nfor line in sys.stdin: print(line.strip() * 10)\nsys.stderr.write('e' * 300000); print(end='end')"
    )
    lines: list[str] = []
    ended = run([program(code)], stdin=b"0123456789\n" * 30000, on_line=lines.append)
    assert (lines, len(ended.stderr)) == (["0123456789" * 10] * 30000 + ["end"], 300000)


def test_output_of_a_process_that_has_ended(program: Program) -> None:
    """All that a process printed before its end is read, also if that is more than is read at once."""
    code = (
        "import fcntl, os\nfor stream in (1, 2):\n"
        "    fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, 1 << 20)\n    os.write(stream, b'x' * 300_000)"
    )

    def wait(process: int) -> None:
        assert wait_until_gone([process])
        # The thread that notices the end, too, needs a moment.
        time.sleep(0.05)

    ended = run([program(code)], on_start=wait)
    assert (len(ended.stdout), len(ended.stderr), ended.exit_code) == (300_000, 300_000, 0)


def test_too_much_output(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that prints without end is ended, and the run has failed."""
    monkeypatch.setattr(runner, "MAX_PRINTED", 100_000)
    message = "printed more than 100,000 bytes"
    for code, error in (("while True: print('y' * 1000)", message), ("print('y' * 99_999)", None)):
        assert run([program(code)]).error == error
    assert run([program("print('y' * 100_000)")]).error == message


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


# A child that ignores SIGTERM, in a process group of its own or not, prints its id and that it sleeps.
FORK = (
    "import os, signal, time\nread, write = os.pipe()\nif os.fork() == 0:\n"
    "    if {}: os.setpgid(0, 0)\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "    print(os.getpid(), flush=True)\n    os.write(write, b'x')\n    time.sleep(1000)\nos.read(read, 1)\n"
)


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("way", ["it ends", "it hangs", "an error"])
def test_descendants(program: Program, way: str, group: bool) -> None:
    """Processes that a run leaves are ended with it, whether or not they have their own process group.

    So they are if it takes too long, and if there is an error when a line of it is read.
    """
    seen: list[int] = []

    def read(line: str) -> None:
        seen.append(int(line))
        if way == "an error":
            raise KeyboardInterrupt

    code = FORK.replace("{}", str(group)) + ("" if way == "it ends" else "time.sleep(1000)")
    try:
        ended = run([program(code)], timeout=0.5 if way == "it hangs" else None, on_line=read)
    except KeyboardInterrupt:
        assert way == "an error"
    else:
        assert ended.timed_out == (way == "it hangs")
    assert wait_until_gone(seen)


# Starts a process in a session of its own, without any pipe of the run.
DETACH = """
import subprocess, sys, time
def detached(*command):
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return subprocess.Popen(command, start_new_session=True, **quiet)
"""
SLEEP = "print(detached('sleep', '60').pid, flush=True)\n"
# The same from a process that is gone when the run ends.
NESTED = f"""
inner = [sys.executable, "-c", {DETACH + SLEEP + SLEEP!r}]
print(subprocess.run(["setsid", "-w", *inner], capture_output=True, text=True).stdout)
"""
CHAIN = """
inner = "import subprocess, time; subprocess.Popen(['sleep', '60'], start_new_session=True); time.sleep(60)"
print(detached(sys.executable, "-c", inner).pid, flush=True)
time.sleep(0.5)
"""
# A process that has neither the session nor the environment of the run, with one below it.
WITHOUT_ENVIRONMENT = """
sleep = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
inner = [sys.executable, "-c", f"import subprocess, time; print({sleep}.pid, flush=True); time.sleep(60)"]
outer = subprocess.Popen(inner, start_new_session=True, env={}, stdout=subprocess.PIPE, text=True)
print(outer.pid, outer.stdout.readline(), sep="\\n", flush=True)
time.sleep(60)
"""


def below(process: int) -> list[int]:
    """Return the processes below one, itself included."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    except OSError:
        children = []
    return [process, *(each for child in children for each in below(int(child)))]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they are not found")
@pytest.mark.parametrize(
    ("code", "limit", "count"),
    [
        (SLEEP, None, 1),
        (NESTED, None, 2),
        (CHAIN, None, 1),
        (SLEEP + "time.sleep(60)", 1.0, 1),
        (WITHOUT_ENVIRONMENT, 1.5, 2),
    ],
    ids=["daemon", "nested", "chain", "daemon that hangs", "without environment"],
)
def test_daemons(program: Program, code: str, limit: float | None, count: int) -> None:
    """A process in a session of its own is ended with the run, also if it was started by another such process."""
    seen: list[int] = []
    ended = run(
        [program(DETACH + code)], timeout=limit, on_line=lambda line: seen.extend(below(int(line)) if line else ())
    )
    assert (ended.timed_out, ended.error) == (limit is not None, None)
    assert len(set(seen)) >= count
    assert wait_until_gone(seen)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they are not found")
def test_nothing_is_left(program: Program) -> None:
    """Detached processes that have ended are reaped; after a run, orphans are children of the system again."""
    ended = run([program(DETACH + "child = detached('true'); print(child.pid); time.sleep(0.2)")])
    assert not Path(f"/proc/{int(ended.stdout)}").exists()
    child = "subprocess.Popen(['sleep', '60'], start_new_session=True, stdout=-3, stderr=-3)"
    script = f"import subprocess; print({child}.pid)"
    orphan = int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout)
    try:
        time.sleep(0.1)
        assert orphan not in below(os.getpid())
    finally:
        os.kill(orphan, signal.SIGKILL)


def test_processes_of_others(program: Program) -> None:
    """Other children of this process stay, whatever their session is and whenever they were started."""
    others: list[subprocess.Popen[bytes]] = []

    def start(_: int = 0) -> None:
        others.extend(subprocess.Popen(["sleep", "60"], start_new_session=apart) for apart in (False, True))

    start()
    try:
        run([program("import time; time.sleep(0.2)")], on_start=start)
        assert [gone(each.pid) for each in others] == [False] * 4
    finally:
        for each in others:
            each.kill()
            each.wait()


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
    """A process is told from an earlier one of the same id, whatever its name; one that never was has no birth."""
    name, own = Path("/proc/self/comm"), birth(os.getpid())
    before = name.read_text("utf-8")
    name.write_text("a) b (c) d", "utf-8")
    try:
        assert birth(os.getpid()) == own
    finally:
        name.write_text(before, "utf-8")
    with subprocess.Popen(["sleep", "1000"]) as later:
        found = birth(later.pid)
        later.kill()
    assert found not in {None, own}
    assert str(own).startswith(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip())
    assert birth(2**22 + 1) is None
    end_session(2**22 + 1)


@pytest.mark.parametrize("name", ["ends-of-runs", "time-limits-of-runs"])
def test_results(name: str, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends well has values; one that fails is a result with its reason and what it printed."""

    def ended(command: str, grace: float = 0.05, timeout: float | None = None) -> Lines:
        monkeypatch.setattr(runner, "GRACE_SECONDS", grace)
        process = partial(run, (command,), timeout=timeout)
        result = execute(process, parse_properties(["t=regex:t=(.*)", "s=time"], ()))
        assert result.exit_code is None or result.values["s"] == result.seconds
        assert result.started.endswith("+00:00")
        assert result.load is not None
        text = f"{result.reason or result.values['t']}\n[{result.exit_code}] {result.stdout!r} {result.stderr!r}"
        return Lines(re.sub(r"(.)\1{79,}", lambda found: f"{len(found[0])}*{found[1]}", text))

    def python(code: str, **more: Any) -> Lines:
        return ended(program(f"import os, signal, sys, time\n{code}"), **more)

    (tmp_path / "nonsense").write_bytes(b"\x7fELF nonsense")
    (tmp_path / "nonsense").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    check_calls(name, ended, python)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.EAGAIN])
def test_a_machine_that_can_start_nothing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A process that the machine has no resources for is an error of the machine, not the end of a process."""

    def refuse(*_: Any, **more: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(MachineError, match=f"cannot do any run: {os.strerror(number)}"):
        run(["true"])
