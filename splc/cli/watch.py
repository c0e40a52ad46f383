"""The watch of a terminal: it shows the progress of a verb, parts of its view, and passes on requests to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from splc.cli.detail import detail
from splc.cli.interruption import Interruption, interruption
from splc.cli.printer import print_item
from splc.cli.progress import Advance, progress
from splc.workflows.verb import Watch
from splc.workflows.views import Item


class TerminalWatch(Watch):
    """A watch that prints to stderr, and what it is shown as a view is printed."""

    def __init__(self) -> None:
        self.detail = detail()
        self._advance: Advance = super().advance
        self._interruption: Interruption | None = None

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Move the progress bar."""
        self._advance(done, total, text)

    def show(self, *items: Item) -> None:
        """Print items."""
        for item in items:
            print_item(item)

    def stop(self) -> bool:
        """Return whether an end was requested."""
        return self._interruption is not None and self._interruption()

    def keep(self, kept: bool = True) -> None:
        """Let requests to end wait for the current step from now on, or not."""
        if self._interruption is not None and kept:
            self._interruption.kept = True
        elif self._interruption is not None:
            self._interruption.end_at_once()

    @contextmanager
    def patient(self, after: str, *, kept: bool = True, lost: str = "", by_key: bool = False) -> Iterator[None]:
        """Let a request to end wait for the current step while the block runs."""
        signals = (signal.SIGINT,) if by_key else (signal.SIGINT, signal.SIGTERM)
        with interruption(after, signals, kept=kept, lost=lost) as self._interruption:
            yield

    @contextmanager
    def progress(self, what: str, *, estimated: bool = True) -> Iterator[None]:
        """Show a progress bar while the block runs."""
        with progress(what, estimated=estimated) as self._advance:
            yield
        self._advance = super().advance
