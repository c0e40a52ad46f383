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

from splc.cli import terminal
from splc.cli.command import Commands, escaped, with_examples
from splc.errors import InputError, Problem, RequestError, SpecError
from tests.support.objects import of
from tests.support.paths import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
FULL = "error: standard output: No space left on device\n"


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


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[object, Any]]:
    """Return a function: the exit code and the standard error of a command that does or raises this, by streams."""

    def ends(what: BaseException | Callable[[], object], **streams: Any) -> tuple[object, Any]:
        def work() -> None:
            if isinstance(what, BaseException):
                raise what
            what()

        app = typer.Typer(cls=Commands, rich_markup_mode=None, add_completion=False)
        app.command("work")(work)
        app.command("other")(lambda: None)
        for name, stream in ({"stdout": Stream(), "stderr": Stream()} | streams).items():
            monkeypatch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as end:
            app(["work"])
        return end.value.code, sys.stderr

    return ends


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


def test_help() -> None:
    """A command has its usage, optional arguments in brackets, and its examples at the end."""
    lines = CliRunner().invoke(app_of(), ["work", "--help"]).stdout.splitlines()
    assert lines[0] == "Usage: root work [OPTIONS] model [REST]"
    assert lines[-3:] == ["Examples:", "  work one", "  work two"]
    text = CliRunner().invoke(app_of(), ["--help"]).stdout
    assert text.endswith("Commands:\n  work  Do the work.\n")
    assert "--help" in text


USAGE = "\n    Usage: root work [OPTIONS] model [REST]\n    try 'root work --help'\n"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RequestError("it is wrong", "number"), f"error: Invalid value for --number: it is wrong{USAGE}"),
        (RequestError("no", "model", "rest", "other"), f"error: Invalid value for model, REST, other: no{USAGE}"),
        (RequestError("it is wrong"), f"error: Invalid value: it is wrong{USAGE}"),
        (RequestError("no", "number", hint="do that"), f"error: Invalid value for --number: no; do that{USAGE}"),
        (InputError([Problem("bad", "f.csv", 3)]), "f.csv:3: bad\n"),
    ],
)
def test_notes_of_errors(error: Exception, message: str) -> None:
    """A wrong request names its options as they are written; notes of the workflow come before every error."""
    error.add_note("note: one")
    result = CliRunner().invoke(app_of(error), ["work", "m"])
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"note: one\n{message}")


@pytest.mark.parametrize(
    ("what", "code", "message"),
    [
        (lambda: None, 0, ""),
        (typer.Exit(3), 3, ""),
        (typer.Abort(), 130, ""),
        (SystemExit(5), 5, ""),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (KeyboardInterrupt("by hand"), 130, "interrupted by hand\n"),
        (
            InputError([Problem("wrong", "a.xml", 3, text="<x>", hint="write y"), Problem("also")]),
            *(2, "a.xml:3: wrong\n    <x>\n    write y\nerror: also\n"),
        ),
        (SpecError("unknown"), 2, "error: unknown\n"),
        (MemoryError(), 2, "error: there is not enough memory for this\n"),
        (RecursionError("maximum"), 2, "error: the input is nested too deeply\n"),
        (OSError(28, "No space left on device"), 2, FULL),
        (OSError(24, "Too many open files"), 2, "error: this machine: Too many open files\n"),
        (OSError(28, "No space left", "f.csv"), 2, "error: f.csv: No space left\n"),
        (OSError("strange"), 2, "error: standard output: strange\n"),
    ],
)
def test_ends(ended: Callable[..., Any], what: Any, code: int, message: str) -> None:
    """Whatever goes wrong is one message and an exit code: 2 for bad input, 130 for an interruption."""
    found, err = ended(what)
    assert (found, err.getvalue()) == (code, message)


@pytest.mark.parametrize("debugging", [False, True])
def test_bugs(ended: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, debugging: bool) -> None:
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
def test_terminated(ended: Callable[..., Any], number: signal.Signals) -> None:
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


def test_other_closed_streams(ended: Callable[..., Any]) -> None:
    """A closed standard input is empty, and what is written to a closed standard error is lost."""
    found: list[Any] = []
    out = Stream()
    code, err = ended(lambda: found.append(sys.stdin.read()), stdout=out, stdin=None, stderr=None)
    assert (code, found, err.name) == (0, [""], os.devnull)
    assert out.settings == {"errors": "splc.escape"}
    for stream in (sys.stdin, err):
        stream.close()


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize(
    ("error", "code", "message"), [(BrokenPipeError(), 0, ""), (OSError(28, "No space left on device"), 2, FULL)]
)
def test_streams_that_end(ended: Callable[..., Any], at: int, error: Exception, code: int, message: str) -> None:
    """A closed pipe ends the command without a message, a full disk with one, whenever it is noticed."""
    found, err = ended(lambda: None, stdout=Stream(error, at))
    assert (found, err.getvalue()) == (code, message)


def test_a_reader_that_stops(ended: Callable[..., Any]) -> None:
    """A pipe that is closed while the command works, or prints its help, is no failure."""

    def from_help() -> None:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            sys.exit(1)

    for work in (BrokenPipeError(), from_help):
        code, err = ended(work)
        assert (code, err.getvalue()) == (0, "")


def test_abandoned_streams(tmp_path: Path) -> None:
    """Text written to an abandoned stream is lost."""
    file = tmp_path / "out"
    with file.open("w", encoding="utf-8") as stream:
        stream.write("a")
        stream.flush()
        terminal.abandon(stream)
        stream.write("b")
    assert file.read_text(encoding="utf-8") == "a"
    terminal.abandon(StringIO())
    terminal.abandon(of(fileno=lambda: -1))


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [("a\u0107b", "ascii", b"a\\u0107b"), ("a\udcffb", "ascii", b"a\xffb"), ("\U0001f600", "latin-1", b"\\U0001f600")],
)
def test_escapes(text: str, encoding: str, expected: bytes) -> None:
    """Characters that an encoding lacks are escapes, and bytes of file names stay what they are."""
    codecs.register_error("tests.escape", escaped)
    assert text.encode(encoding, "tests.escape") == expected


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        # Nor if a help text is not read to its end.
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
        # This opens only when the command has opened the other end.
        with (folder / "pipe").open("w", encoding="utf-8"):
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "interrupted\n"
    assert not (folder / "x.csv").exists()
