"""The contract of a learner, and the loop of its steps: init, step, terminate."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult, Round, Stage, Step

INTERRUPTED = "interrupted"
NO_CANDIDATE = "noCandidate"
OnStep = Callable[[Step], None]
S = TypeVar("S", Round, Stage)
T = TypeVar("T")


class Learner(Protocol):
    """A learner with its settings.

    To add one, write a class with these members in a module of this package, whose `learn` runs its steps by
    `run_loop` and ends with `splc.learning.judging.judged`, and add it to the table in
    `splc.learning.registry`.
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


class Search(Protocol[S]):
    """The search of a learner: its constructor is `init`, and it keeps its state and what it has learned so far."""

    def step(self) -> S | None:
        """Do the next step and return it; None if there is none."""

    def terminate(self, last: S | None) -> str | None:
        """Return the rule that ends learning after a step (None: before the first one), or None."""


def run_loop(
    search: Search[S], on_step: OnStep | None = None, should_stop: Callable[[], bool] | None = None
) -> tuple[tuple[S, ...], str]:
    """Run a search until a rule ends it, and return its steps and the rule.

    `should_stop`: asked after every step but the last one; true ends the loop.
    """
    steps: list[S] = []
    reason = search.terminate(None)
    while reason is None:
        step = search.step()
        if step is None:
            reason = NO_CANDIDATE
            break
        steps.append(step)
        if on_step is not None:
            on_step(step)
        reason = search.terminate(step)
        if reason is None and should_stop is not None and should_stop():
            reason = INTERRUPTED
    return tuple(steps), reason


def only_step(text: str, fit: Callable[[], T], on_step: OnStep | None) -> tuple[T, float]:
    """Return what the only step of a learner fits, and the seconds that it took."""
    started = time.monotonic()
    result = fit()
    seconds = time.monotonic() - started
    if on_step is not None:
        on_step(Stage(1, text, seconds))
    return result, seconds
