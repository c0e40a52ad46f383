"""A watch that records what it is told, and ends the run when asked to."""

from __future__ import annotations

from collections.abc import Callable

from splc.workflows.verb import Watch


class Recorder(Watch):
    """A watch with the lines of the steps; `ends`: whether the run should end, given these lines."""

    def __init__(self, ends: Callable[[list[str]], bool] = lambda lines: False) -> None:
        self.lines: list[str] = []
        self._ends = ends

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Keep the line of a step."""
        if text:
            self.lines.append(text)

    def stop(self) -> bool:
        """Return whether to end."""
        return self._ends(self.lines)
