"""The start and the end of `splc`, and the handling of signals, in this process."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from splc import cli
from splc.cli.command import interruption, terminated_as_interrupted
from tests.support.objects import of

BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Restore the handlers of signals."""
    all_of = (*BOTH, signal.SIGHUP)
    before = [signal.getsignal(each) for each in all_of]
    for each in all_of:
        signal.signal(each, signal.SIG_DFL)
    yield
    for each, handler in zip(all_of, before, strict=True):
        signal.signal(each, handler)


def handlers() -> list[Any]:
    """Return the handlers of Ctrl-C and SIGTERM."""
    return [signal.getsignal(each) for each in BOTH]


def started(monkeypatch: pytest.MonkeyPatch, app: Any) -> None:
    """Run `main` with this app, or without one that can be imported."""
    monkeypatch.setitem(sys.modules, "splc.cli.app", of(app=app) if app is not None else None)
    cli.main()


def test_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C raises KeyboardInterrupt in a command only; before and after it a signal ends the process at once."""
    within: list[Any] = []
    started(monkeypatch, lambda: within.extend(handlers()))
    assert within == [signal.default_int_handler, cli.end_process]
    assert handlers() == [cli.end_process, cli.end_process]
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    signal.raise_signal(signal.SIGTERM)
    assert ended == [130]


@pytest.mark.parametrize("ignored", BOTH)
def test_ignored_signals(ignored: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals that the process was started to ignore stay ignored."""
    signal.signal(ignored, signal.SIG_IGN)
    within: list[Any] = []
    started(monkeypatch, lambda: within.extend(handlers()))
    place = BOTH.index(ignored)
    assert (within[place], handlers()[place]) == (signal.SIG_IGN, signal.SIG_IGN)
    assert handlers()[1 - place] is cli.end_process


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption outside of a command has exit code 130; the handlers are those of the end."""

    def app() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        started(monkeypatch, app)
    assert ended.value.code == 130
    assert handlers() == [cli.end_process, cli.end_process]


def test_no_app(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A module that cannot be imported is a bug, with one message."""
    with pytest.raises(SystemExit) as ended:
        started(monkeypatch, None)
    assert ended.value.code == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: splc cannot start: ModuleNotFoundError: import of splc.cli.app halted")


class TestInterruption:
    @pytest.mark.parametrize(
        ("sent", "again"), [(signal.SIGINT, "press Ctrl-C again"), (signal.SIGTERM, "send the signal again")]
    )
    def test_first(self, sent: signal.Signals, again: str, capsys: pytest.CaptureFixture[str]) -> None:
        """The first signal sets the flag and is answered; the second one, of either kind, ends the block."""
        for second in BOTH:
            with interruption("this step") as stop:
                assert not stop()
                signal.raise_signal(sent)
                assert stop()
                assert capsys.readouterr().err == f"\nstopping after this step; {again} to end at once\n"
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(second)
            assert handlers() == [signal.SIG_DFL, signal.SIG_DFL]

    def test_nothing_to_keep(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without finished work to keep the first signal ends the block."""
        with interruption("a", kept=False) as stop:
            assert (stop.requested, stop.kept) == (False, False)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert stop.requested
        with interruption("a") as stop:
            assert stop.kept
            stop.end_at_once()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
        assert capsys.readouterr().err == ""

    def test_chosen_signals(self) -> None:
        """Signals that are not chosen, or ignored, keep their handlers."""
        with interruption("a", (signal.SIGINT,)):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interruption("a"):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
            signal.raise_signal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert handlers() == [signal.SIG_IGN, signal.SIG_DFL]

    def test_other_threads(self) -> None:
        """In another thread, which receives no signals, the handlers stay, and the flag is unset."""
        found: list[Any] = []

        def work() -> None:
            with interruption("a", kept=False) as stop, terminated_as_interrupted():
                found.extend((stop(), stop.kept, *handlers()))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert found == [False, False, signal.SIG_DFL, signal.SIG_DFL]

    @pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
    def test_termination(self, sent: signal.Signals) -> None:
        """A request to end is a KeyboardInterrupt, during whose handling a second one is ignored."""
        with terminated_as_interrupted():
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(sent)
            assert signal.getsignal(sent) is signal.SIG_IGN
        assert signal.getsignal(sent) is signal.SIG_DFL

    def test_hang_up(self) -> None:
        """A hang-up that is ignored (`nohup`) stays so."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with terminated_as_interrupted():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
