"""The detail of output: `-q` and `-v` mean the same in every command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

# Without -v.
MAX_NOTES = 5


@dataclass(frozen=True)
class Detail:
    """The detail of the output of a command besides its result.

    Attributes:
        quiet: the answer only: no terms, no notes, no next steps, no progress.
        verbose: all notes, and every step.
        json: whether the result is a JSON object, so that a program reads it: no next steps, no progress bar.
    """

    quiet: bool = False
    verbose: bool = False
    json: bool = False

    @property
    def most_notes(self) -> int | None:
        """The largest number of notes; None is all."""
        return None if self.verbose else MAX_NOTES

    @property
    def interactive(self) -> bool:
        """True if next steps are shown."""
        return not (self.quiet or self.json)


_USUAL = Detail()
_CURRENT: ContextVar[Detail] = ContextVar("detail", default=_USUAL)


def detail() -> Detail:
    """Return how much the running command prints."""
    return _CURRENT.get()


@contextmanager
def printing(detail: Detail) -> Iterator[None]:
    """Print as much as `detail` says while the block runs."""
    token = _CURRENT.set(detail)
    try:
        yield
    finally:
        _CURRENT.reset(token)
