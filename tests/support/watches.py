"""Watches of tests: they keep what they are told, and may end a run."""

from __future__ import annotations

from collections.abc import Callable

from splc.workflows.views import Item, Watch


class Told(Watch):
    """A watch that keeps what it is told."""

    def __init__(self, ends: Callable[[], bool] = lambda: False) -> None:
        # The numbers of finished and of all steps, and the current step, of each call; what was shown.
        self.told: list[tuple[float, float | None, str]] = []
        self.shown: list[Item] = []
        self.ends = ends

    @property
    def lines(self) -> list[str]:
        """The texts of the steps that have one."""
        return [text for _, _, text in self.told if text]

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Keep the call."""
        self.told.append((done, total, text))

    def show(self, *items: Item) -> None:
        """Keep the items."""
        self.shown += items

    def stop(self) -> bool:
        """Return what `ends` returns."""
        return self.ends()


class Ending(Told):
    """A watch that ends a run after this number of steps."""

    def __init__(self, after: int) -> None:
        super().__init__(lambda: bool(self.told) and self.told[-1][0] >= after)
