"""The detail of output of the running command: `-q` and `-v` mean the same in every command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splc.workflows.views import Detail

_CURRENT: ContextVar[Detail | None] = ContextVar("detail", default=None)


def detail() -> Detail:
    """Return how much the running command prints."""
    from splc.workflows.views import Detail

    return _CURRENT.get() or Detail()


@contextmanager
def printing(detail: Detail) -> Iterator[None]:
    """Print as much as `detail` says while the block runs."""
    token = _CURRENT.set(detail)
    try:
        yield
    finally:
        _CURRENT.reset(token)
