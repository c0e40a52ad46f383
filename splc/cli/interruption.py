"""Ctrl-C while something runs in rounds: the first ends it after the round, the second at once."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interruption:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self) -> bool:
        """Whether to stop after this round."""
        return self.requested


@contextmanager
def interruption(after: str) -> Iterator[Interruption]:
    """Let the block see Ctrl-C; once seen, the next one raises KeyboardInterrupt.

    Args:
        after: what is finished first, for the message on stderr.
    """
    state = Interruption()

    def first(signum: int, frame: Any) -> None:
        state.requested = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print(f"\nstopping after {after}; press Ctrl-C again to end at once", file=sys.stderr)

    if threading.current_thread() is not threading.main_thread():
        yield state
        return
    before = signal.signal(signal.SIGINT, first)
    try:
        yield state
    finally:
        signal.signal(signal.SIGINT, before)
