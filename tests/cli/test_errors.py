"""Exit codes and messages of commands that fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from splc.cli.command import Commands
from splc.errors import InputError, Problem, SpecError
from tests.support.paths import ROOT


def ended(what: BaseException | Callable[[], None]) -> tuple[int, str]:
    """Return the exit code and the message of a command that raises or does this."""
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False)

    @app.command()
    def work() -> None:
        if isinstance(what, BaseException):
            raise what
        what()

    @app.command()
    def other() -> None:
        pass

    result = CliRunner().invoke(app, ["work"])
    assert result.stdout == ""
    return result.exit_code, result.stderr


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def splc(*arguments: str, **settings: Any) -> subprocess.Popen[str]:
    """Start `splc` in a process of its own."""
    command = [sys.executable, "-m", "splc", *arguments]
    return subprocess.Popen(command, text=True, env=ENVIRONMENT, stderr=subprocess.PIPE, **settings)


def test_bad_input_keeps_its_place_in_front() -> None:
    """A problem in a file begins with `file:line:`, one without a place with `error:`; text and hint follow."""
    code, message = ended(InputError([Problem("wrong", "a.xml", 3, text="<x>", hint="write y"), Problem("also")]))
    assert code == 2
    assert message == "a.xml:3: wrong\n    <x>\n    write y\nerror: also\n"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SpecError("unknown"), "error: unknown\n"),
        (MemoryError(), "error: there is not enough memory for this\n"),
        (RecursionError("maximum"), "error: the input is nested too deeply\n"),
        (OSError(28, "No space left on device"), "error: standard output: No space left on device\n"),
        (OSError(24, "Too many open files"), "error: this machine: Too many open files\n"),
        (OSError(28, "No space left", "f.csv"), "error: f.csv: No space left\n"),
        (OSError("strange"), "error: standard output: strange\n"),
    ],
)
def test_messages(error: Exception, message: str) -> None:
    """Whatever goes wrong is one message, and exit code 2."""
    assert ended(error) == (2, message)


def test_a_bug_of_ours() -> None:
    """An unexpected exception is called what it is, without a traceback; the exit code is its own."""
    code, message = ended(KeyError("x"))
    assert code == 70
    assert message.startswith("error: internal error: KeyError: 'x'\n")
    assert "report it" in message
    assert "SPLC_DEBUG=1" in message
    assert "Traceback" not in message


def test_debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    """With SPLC_DEBUG=1 the traceback is printed before the message, and the exit codes are the same."""
    monkeypatch.setenv("SPLC_DEBUG", "1")
    code, message = ended(KeyError("x"))
    assert code == 70
    assert message.startswith("Traceback")
    assert "error: internal error: KeyError: 'x'\n" in message
    assert ended(SpecError("unknown"))[0] == 2


def test_interrupted() -> None:
    """Ctrl-C ends with 130 and no traceback."""
    assert ended(KeyboardInterrupt()) == (130, "interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_terminated(number: signal.Signals) -> None:
    """SIGTERM and SIGHUP end a command as Ctrl-C does; their handlers are restored."""

    def work() -> None:
        signal.raise_signal(number)
        signal.pause()

    # A job in the background ignores some of them from the start, and so do commands that it runs.
    original = signal.signal(number, signal.default_int_handler)
    try:
        assert ended(work) == (130, "interrupted\n")
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, original)


MAIN = "from splc.cli import main\nsys.argv = ['splc', '--version']\nmain()"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "moment",
    [
        # While modules are imported, and after the command.
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        name != 'typer' or end()\n"
        "sys.meta_path.insert(0, Finder())",
        "import atexit\natexit.register(end)",
    ],
)
def test_interrupted_outside_of_a_command(moment: str, number: int) -> None:
    """A request to end while splc starts, or ends, is followed at once, without a traceback."""
    code = f"import os, signal, sys\nend = lambda: signal.raise_signal({int(number)})\n{moment}\n{MAIN}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["descrbe"], "No such command 'descrbe'. Did you mean 'describe'?"),
        (["describe", "--jsn"], "--json"),
        (["sample", "--seed", "1e9"], "Invalid value for '--seed': '1e9' is not a valid integer."),
        (["calibrate", "--free", "a", "--level", "x"], "Invalid value for '--level': 'x' is not a valid number."),
        (["sample", "--seed", "-1"], "Invalid value for '--seed'"),
        (["convert"], "Missing argument 'INPUT'"),
        (["convert", "x", "-o", "y", "--invalid", "ignore"], "'ignore' is not one of 'error', 'drop'"),
        (["describe", "a", "b"], "unexpected extra argument"),
    ],
)
def test_usage_errors(refused: Callable[..., str], arguments: list[str], message: str) -> None:
    """A wrong command line is exit code 2, with what is wrong, the nearest name, and where help is."""
    said = refused(*arguments)
    assert said.startswith("error: ")
    assert message in said.partition("\n")[0]
    assert "--help'" in said


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("example | true", 0, ""),
        ("describe - <&-", 2, "<stdin>"),
        ("example >&-", 2, "standard output is closed"),
        ("example 2>&-", 0, ""),
        ("example --json >/dev/full", 2, ": No space left on device"),
        ("sample --sampling all+ff >/dev/full", 2, ": No space left on device"),
        ("nonsense 2>/dev/full", 2, ""),
        ("--version >/dev/full 2>/dev/full", 2, ""),
    ],
)
def test_streams_of_the_shell(folder: Path, command: str, code: int, message: str) -> None:
    """A reader that has gone, a closed stream and a full disk are no bug; there is at most one message."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m splc {command}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stderr.count("\n")) == (code, bool(message))
    assert message in done.stderr


def test_an_interrupted_process(folder: Path) -> None:
    """A command that is interrupted while it waits for its input ends with 130 and without a traceback."""
    os.mkfifo(folder / "pipe")
    with splc("convert", "pipe", "-o", "x.csv", cwd=folder) as process:
        # This opens only when the command has opened the other end.
        with (folder / "pipe").open("w", encoding="utf-8"):
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "interrupted\n"
    assert not (folder / "x.csv").exists()


def test_a_terminal_that_knows_few_characters() -> None:
    """A character that stdout cannot encode is escaped, not an error."""
    command = [sys.executable, "-m", "splc", "sample", "--help"]
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert b"'pairwise', \\u2026" in done.stdout
