"""The contract of a learner."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult, Stage, Step

INTERRUPTED = "interrupted"
OnStep = Callable[[Step], None]
T = TypeVar("T")


class Learner(Protocol):
    """A learner with its settings.

    To add one, write a class with these members in a module of this package, whose `learn` reports its steps to
    `problem.on_step`, asks `problem.should_stop` between them, and ends with `splc.learning.judging.judged`, and add it
    to the table in `splc.learning.registry`.
    """

    @property
    def name(self) -> str:
        """Its name in the registry."""

    @property
    def preset(self) -> str:
        """The name of the settings that it started from."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All its settings by name, in JSON's types."""

    @property
    def draws(self) -> bool:
        """True if the result depends on the seed."""

    @property
    def suffix(self) -> str:
        """The suffix of the file that its models are written to by default: `.log` or `.json`."""

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn from the learning set of a problem; an `SplcError` if nothing can be learned."""


def only_step(text: str, fit: Callable[[], T], on_step: OnStep | None) -> tuple[T, float]:
    """Return what the only step of a learner fits, and the seconds that it took."""
    started = time.monotonic()
    result = fit()
    seconds = time.monotonic() - started
    if on_step is not None:
        on_step(Stage(1, text, seconds))
    return result, seconds
