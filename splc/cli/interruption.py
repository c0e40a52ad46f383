"""Handling of Ctrl-C and SIGTERM: the first ends the program after the current round, the second at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from splc.cli.terminal import complain


class Interruption:
    """A flag that is set by Ctrl-C and other requests to end.

    Attributes:
        requested: whether to stop after this round.
        kept: whether finished work would be lost otherwise; if not, a request raises KeyboardInterrupt at once.
        lost: what the message about such a request adds.
    """

    def __init__(self, kept: bool, lost: str = "") -> None:
        self.requested = False
        self.kept = kept
        self.lost = lost

    def end_at_once(self) -> None:
        """Let the first request from now on raise KeyboardInterrupt, where finished work is kept nevertheless."""
        self.kept, self.lost = False, ""

    def __call__(self) -> bool:
        """Return whether to stop after this round."""
        return self.requested


@contextmanager
def interruption(
    after: str,
    signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM),
    *,
    kept: bool = True,
    lost: str = "",
) -> Iterator[Interruption]:
    """Set a flag at the first request to end while the block runs; the next one raises KeyboardInterrupt.

    `kept`: whether there is finished work to keep from the start. `lost`: what the message adds where nothing is kept.

    Signals that the process was started to ignore stay ignored: shells start background jobs so for Ctrl-C.
    """
    state = Interruption(kept, lost)
    handlers: dict[signal.Signals, Any] = {}

    def first(signum: int, frame: Any) -> None:
        state.requested = True
        for handled in handlers:
            signal.signal(handled, signal.default_int_handler)
        if not state.kept:
            raise KeyboardInterrupt(state.lost)
        repeat_hint = "press Ctrl-C again" if signum == signal.SIGINT else "send the signal again"
        complain(f"\nstopping after {after}; {repeat_hint} to end at once")

    if threading.current_thread() is not threading.main_thread():
        yield state
        return
    handlers |= {
        signum: signal.getsignal(signum) for signum in signals if signal.getsignal(signum) is not signal.SIG_IGN
    }
    for signum in handlers:
        signal.signal(signum, first)
    try:
        yield state
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let a request to end (SIGTERM, SIGHUP) do what Ctrl-C does while the block runs."""
    names = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

    def interrupt(signum: int, frame: Any) -> None:
        # A second signal must not interrupt the handling of the first one.
        signal.signal(signum, signal.SIG_IGN)
        raise KeyboardInterrupt

    handlers = {}
    try:
        for number in names:
            # `nohup` ignores the hang-up on purpose.
            if signal.getsignal(number) is not signal.SIG_IGN:
                handlers[number] = signal.signal(number, interrupt)
    except ValueError:
        # Only the main thread receives signals.
        handlers = {}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
