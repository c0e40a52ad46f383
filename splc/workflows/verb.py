"""Verbs: what a command of the command line is, declared by the module of the verb as `VERB`.

The docstring of the request is the help of the command, and its fields are the arguments and options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from splc.workflows.views import Detail, Item, View

Q = TypeVar("Q")
R = TypeVar("R")


class Watch:
    """A watch of a run of a verb. This one does nothing, and never ends it; that of a terminal shows what happens."""

    detail = Detail()

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Be told the numbers of finished and of all steps (None if unknown), and the current step."""

    def show(self, *items: Item) -> None:
        """Be shown a part of the view before the run ends."""

    def stop(self) -> bool:
        """Return whether the run should end after the current step."""
        return False

    def keep(self, kept: bool = True) -> None:
        """Be told that finished work is kept: requests to end wait for the current step; otherwise they do not."""

    @contextmanager
    def patient(self, after: str, *, kept: bool = True, lost: str = "", by_key: bool = False) -> Iterator[None]:
        """Let a request to end wait for the current step while the block runs; a second one ends it at once."""
        yield

    def progress(self, what: str, *, estimated: bool = True) -> AbstractContextManager[object]:
        """Follow something that takes long while the block runs; `estimated`: whether the time left is estimated."""
        return self.patient(what)


UNWATCHED = Watch()


@dataclass(frozen=True)
class Verb(Generic[Q, R]):
    """A verb."""

    request: type[Q]  # the class of its requests
    run: Callable[[Q, Watch], R]  # returns the result of a request; it tells its watch what happens
    view: Callable[[R, Detail], View]  # returns the items of a result
    as_json: Callable[[R], Mapping[str, Any]] | None  # returns the JSON object of a result; None without `--json`
    examples: tuple[str, ...]  # command lines
    doing: str = ""  # what the progress bar says; empty for none
    without: tuple[str, ...] = ()  # the fields of the request that no command line has
