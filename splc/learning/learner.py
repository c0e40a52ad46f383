"""The contract of a learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult


class Learner(Protocol):
    """A learner with its settings.

    To add one, write a class with these members in a module of this package, whose `learn` runs its steps by
    `splc.learning.loop` and ends with `splc.learning.judging.judged`, and add it to the table in
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
        """Learn from the learning set of a problem.

        Raises:
            SplcError: if nothing can be learned.
        """
