"""Handling of Ctrl-C and SIGTERM: the first ends the program after the current round, the second at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from splc.cli.terminal import complain


@dataclass
class Interruption:
    """A flag that is set by Ctrl-C and other requests to end."""

    kept: bool  # whether finished work would be lost otherwise; if not, a request raises KeyboardInterrupt at once
    lost: str = ""  # what the message about such a request adds
    requested: bool = False  # whether to stop after this round

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

    def first(signum: int, frame: Any) -> None:
        state.requested = True
        for handled in handlers:
            signal.signal(handled, signal.default_int_handler)
        if not state.kept:
            raise KeyboardInterrupt(state.lost)
        repeat_hint = "press Ctrl-C again" if signum == signal.SIGINT else "send the signal again"
        complain(f"\nstopping after {after}; {repeat_hint} to end at once")

    with _handling(signals, first) as handlers:
        yield state


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let a request to end (SIGTERM, SIGHUP) do what Ctrl-C does while the block runs."""

    def interrupt(signum: int, frame: Any) -> None:
        # A second signal must not interrupt the handling of the first one.
        signal.signal(signum, signal.SIG_IGN)
        raise KeyboardInterrupt

    # Not every system has a hang-up.
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    with _handling(signals, interrupt):
        yield


@contextmanager
def _handling(signals: Sequence[signal.Signals], handler: Any) -> Iterator[Mapping[signal.Signals, Any]]:
    """Handle signals while the block runs, but those that are ignored, as by `nohup`; yield the former handlers."""
    # Only the main thread receives signals.
    in_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in signals if in_main}
    before = {number: former for number, former in before.items() if former is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield before
    finally:
        for number, former in before.items():
            signal.signal(number, former)
