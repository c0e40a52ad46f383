"""Standard streams that are closed or full, in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
import typer

from splc.cli import terminal
from splc.cli.command import Commands
from tests.support.objects import of


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


def ended(monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any], **streams: Any) -> tuple[object, Any]:
    """Return the exit code of a command with these streams, and its standard error."""
    app = typer.Typer(cls=Commands, rich_markup_mode=None, add_completion=False)
    app.command("work")(work)
    app.command("other")(lambda: None)
    for name, stream in ({"stdout": Stream(), "stderr": Stream()} | streams).items():
        monkeypatch.setattr(sys, name, stream)
    with pytest.raises(SystemExit) as end:
        app(["work"])
    return end.value.code, sys.stderr


def fail(error: BaseException) -> Callable[[], None]:
    """Return a function that raises an error."""

    def work() -> None:
        raise error

    return work


def test_other_closed_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed standard input is empty, and what is written to a closed standard error is lost."""
    found: list[Any] = []
    out = Stream()
    code, err = ended(monkeypatch, lambda: found.append(sys.stdin.read()), stdout=out, stdin=None, stderr=None)
    assert (code, found, err.name) == (0, [""], os.devnull)
    assert out.settings == {"errors": "splc.escape"}
    for stream in (sys.stdin, err):
        stream.close()


def test_a_reader_that_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed pipe ends the command without a message, whenever it is noticed."""
    code, err = ended(monkeypatch, fail(BrokenPipeError()))
    assert (code, err.getvalue()) == (0, "")
    for at in (1, 2):
        code, err = ended(monkeypatch, lambda: None, stdout=Stream(BrokenPipeError(), at))
        assert (code, err.getvalue()) == (0, "")

    def from_help() -> None:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            sys.exit(1)

    assert ended(monkeypatch, from_help)[0] == 0


@pytest.mark.parametrize("at", [1, 2])
def test_a_full_disk(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk behind standard output is one message, and what is left is discarded."""
    code, err = ended(monkeypatch, lambda: None, stdout=Stream(OSError(28, "No space left on device"), at))
    assert (code, err.getvalue()) == (2, "error: standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("work", "code", "message"),
    [
        (lambda: None, 0, ""),
        (fail(typer.Exit(3)), 3, ""),
        (fail(typer.Abort()), 130, ""),
        (fail(SystemExit(5)), 5, ""),
        (fail(KeyboardInterrupt("by hand")), 130, "interrupted by hand\n"),
    ],
)
def test_exit_codes(work: Callable[[], None], code: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is that of the command."""
    found, err = ended(monkeypatch, work)
    assert (found, err.getvalue()) == (code, message)


def test_abandoned_streams(tmp_path: Any) -> None:
    """Text written to an abandoned stream is lost."""
    file = tmp_path / "out"
    with file.open("w") as stream:
        stream.write("a")
        stream.flush()
        terminal.abandon(stream)
        stream.write("b")
    assert file.read_text() == "a"
    terminal.abandon(StringIO())
    terminal.abandon(of(fileno=lambda: -1))
