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
    """Who follows a run of a verb: this one does nothing, and never ends it; that of a terminal shows what happens."""

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
        """Let a request to end wait for the current step while the block runs; a second one ends it at once.

        Args:
            after: what it waits for, such as `this round`.
            kept: whether there is finished work to keep from the start.
            lost: what the message adds where nothing is kept.
            by_key: whether only Ctrl-C waits.
        """
        yield

    def progress(self, what: str, *, estimated: bool = True) -> AbstractContextManager[object]:
        """Follow something that takes long while the block runs; `estimated`: whether the time left is estimated."""
        return self.patient(what)


NOBODY = Watch()


@dataclass(frozen=True)
class Verb(Generic[Q, R]):
    """A verb.

    Attributes:
        request: the class of its requests.
        run: returns the result of a request; it tells its watch what happens.
        view: returns the items of a result.
        as_json: returns the JSON object of a result; None without `--json`.
        examples: command lines.
        doing: what the progress bar says; empty for none.
        without: the fields of the request that no command line has.
    """

    request: type[Q]
    run: Callable[[Q, Watch], R]
    view: Callable[[R, Detail], View]
    as_json: Callable[[R], Mapping[str, Any]] | None
    examples: tuple[str, ...]
    doing: str = ""
    without: tuple[str, ...] = ()
