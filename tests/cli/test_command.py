"""Commands: help texts, usage errors, exit codes, and standard streams that are closed or full."""

from __future__ import annotations

import codecs
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from splc.cli.command import Commands, escaped, with_examples
from splc.errors import InputError, Problem, RequestError, SpecError
from tests.support.golden import ERROR
from tests.support.golden_messages import Lines, check_calls
from tests.support.paths import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}


class Stream(StringIO):
    """A stream whose flush raises an error from a call on."""

    def __init__(self, error: Exception | None = None, at: int = 1) -> None:
        super().__init__()
        self.error, self.at, self.calls = error, at, 0
        self.settings: dict[str, Any] = {}

    def flush(self) -> None:
        """Raise the error."""
        self.calls += 1
        if self.error is not None and self.calls >= self.at:
            raise self.error

    def reconfigure(self, **settings: Any) -> None:
        """Note the settings."""
        self.settings |= settings


def ended(what: BaseException | Callable[[], object], **streams: Any) -> tuple[object, Any]:
    """Return the exit code and the standard error of a command that does or raises this, by streams."""

    def work() -> None:
        if isinstance(what, BaseException):
            raise what
        what()

    app = typer.Typer(cls=Commands, rich_markup_mode=None, add_completion=False)
    app.command("work")(work)
    app.command("other")(lambda: None)
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in ({"stdout": Stream(), "stderr": Stream()} | streams).items():
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as end:
            app(["work"])
        return end.value.code, sys.stderr


def end(what: BaseException | Callable[[], object], **streams: Any) -> tuple[object, str]:
    """Return the exit code and the message of a command that does or raises this."""
    code, stream = ended(what, **streams)
    return code, stream.getvalue()


class Group(Commands):
    """A group of one command."""

    def summaries(self) -> Mapping[str, str]:
        """Return what the command does."""
        return {"work": "Do the work."}


def app_of(error: Exception | None = None) -> typer.Typer:
    """Return a program with a command that raises an error."""
    app = typer.Typer(cls=Group, rich_markup_mode=None, add_completion=False)

    @app.command("work", cls=with_examples(("work one", "work two")))
    def work(
        model: str, rest: str = typer.Argument("x", metavar="[REST]"), number: int = typer.Option(1, "--number", "-n")
    ) -> None:
        """Do the work.

        In many ways.
        """
        if error is not None:
            raise error

    @app.command(hidden=True)
    def secret() -> None:
        """Do something else."""

    return app


def output(*line: str, error: Exception | None = None) -> Lines:
    """Return what a command line prints, and its exit code if it is not 0; the error has a note of the workflow."""
    if error is not None:
        error.add_note("note: one")
    result = CliRunner().invoke(app_of(error), line)
    lines = [*result.stdout.splitlines(), *(ERROR + line for line in result.stderr.splitlines())]
    return Lines("\n".join([*lines, *([f"[{result.exit_code}]"] if result.exit_code else [])]))


def escapes(text: str, encoding: str) -> bytes:
    """Return a text in an encoding, with escapes instead of characters that it lacks."""
    codecs.register_error("tests.escape", escaped)
    return text.encode(encoding, "tests.escape")


def broken_help() -> None:
    """End as typer does if nobody reads a help text to its end."""
    try:
        raise BrokenPipeError
    except BrokenPipeError:
        sys.exit(1)


def test_outputs() -> None:
    """Help texts, errors, exit codes and escapes are those of the golden file."""
    errors = (RequestError, InputError, Problem, SpecError, Stream)
    names: dict[str, Any] = {each.__name__: each for each in errors}
    check_calls("command-ends", end, output, escapes, broken_help, typer=typer, **names)


@pytest.mark.parametrize("debugging", [False, True])
def test_bugs(monkeypatch: pytest.MonkeyPatch, debugging: bool) -> None:
    """An unexpected exception is called a bug, with its traceback only if that is asked for; the exit code is 70."""
    if debugging:
        monkeypatch.setenv("SPLC_DEBUG", "1")
    code, err = ended(KeyError("x"))
    assert code == 70
    traceback, _, message = err.getvalue().partition("error: internal error: KeyError: 'x'\n")
    assert traceback.startswith("Traceback") is debugging
    assert "report it" in message
    assert "SPLC_DEBUG=1" in message
    assert ended(SpecError("unknown"))[0] == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_terminated(number: signal.Signals) -> None:
    """SIGTERM and SIGHUP end a command as Ctrl-C does; their handlers are restored."""

    def work() -> None:
        signal.raise_signal(number)
        signal.pause()

    # A job in the background ignores some of them from the start, and so do commands that it runs.
    original = signal.signal(number, signal.default_int_handler)
    try:
        code, err = ended(work)
        assert (code, err.getvalue()) == (130, "interrupted\n")
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, original)


def test_other_closed_streams() -> None:
    """A closed standard input is empty, and what is written to a closed standard error is lost."""
    found: list[Any] = []
    out = Stream()
    code, err = ended(lambda: found.extend((sys.stdin, sys.stdin.read())), stdout=out, stdin=None, stderr=None)
    assert (code, found[1], err.name) == (0, "", os.devnull)
    assert out.settings == {"errors": "splc.escape"}
    for stream in (found[0], err):
        stream.close()


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        # Also if a help text is not read to its end.
        *((f"{each} | true", 0, "") for each in ("example", "--help", "sample --help")),
        ("describe - <&-", 2, "<stdin>"),
        ("example >&-", 2, "standard output is closed"),
        ("example 2>&-", 0, ""),
        ("example --json >/dev/full", 2, ": No space left on device"),
        ("sample --sampling all+ff >/dev/full", 2, ": No space left on device"),
        ("nonsense 2>/dev/full", 2, ""),
        ("--version >/dev/full 2>/dev/full", 2, ""),
        # A file name is shown with its own bytes, whatever the locale.
        ("describe nöthing.xml", 2, "nöthing.xml: there is no such file"),
    ],
)
def test_streams_of_the_shell(folder: Path, command: str, code: int, message: str) -> None:
    """A reader that has gone, a closed stream and a full disk are no bug; there is at most one message."""
    line = f"{sys.executable} -m splc {command}"
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"} if "ö" in command else {}
    done = subprocess.run(
        ["/bin/sh", "-c", line.encode()], capture_output=True, check=False, cwd=folder, env=ENVIRONMENT | locale
    )
    assert (done.returncode, done.stderr.count(b"\n")) == (code, bool(message))
    assert message.encode() in done.stderr


def test_an_interrupted_process(folder: Path) -> None:
    """A command that is interrupted while it waits for its input ends with 130 and without a traceback."""
    os.mkfifo(folder / "pipe")
    command = [sys.executable, "-m", "splc", "convert", "pipe", "-o", "x.csv"]
    with subprocess.Popen(command, text=True, env=ENVIRONMENT, stderr=subprocess.PIPE, cwd=folder) as process:
        # This opens only when the command has opened the other end. A signal between two system calls is seen
        # when the next one returns: here at the latest when the pipe is closed.
        with (folder / "pipe").open("w", encoding="utf-8"):
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "interrupted\n"
    assert not (folder / "x.csv").exists()
