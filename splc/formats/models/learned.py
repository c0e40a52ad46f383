"""What the writers of learned models need to know of a learning result.

Formats lie below learning and cannot name its classes; `splc.learning.LearningResult` and its rounds fit these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from splc.models.influence import InfluenceModel


class LearnedTerm(Protocol):
    """A term as the learner selects it: `splc.learning.stepwise.candidates.Candidate`."""

    @property
    def mirrors(self) -> tuple[tuple[str, float, str | None], ...]:
        """(option, maximum, switch) of each factor `maximum - option`."""

    @property
    def occurrences(self) -> int:
        """Its number of option occurrences."""

    def text(self, order: Sequence[str] = (), base: str = "1") -> str:
        """Return it in the log grammar."""


class LearnedRound(Protocol):
    """One round of learning: `splc.learning.result.Round`."""

    @property
    def number(self) -> int:
        """1, 2, …."""

    @property
    def candidate(self) -> LearnedTerm:
        """What the round added."""

    @property
    def influence(self) -> float:
        """Its influence."""

    @property
    def score(self) -> float:
        """Its score."""

    @property
    def error(self) -> float:
        """The selection error."""

    @property
    def learning_error(self) -> float:
        """The mean relative error on the learning set, in percent."""

    @property
    def terms(self) -> Sequence[tuple[LearnedTerm, float]]:
        """The model after the round."""

    @property
    def seconds(self) -> float:
        """Time since learning began."""

    @property
    def complexity(self) -> int:
        """The number of option occurrences."""


class Learned(Protocol):
    """What learning gives: `splc.learning.LearningResult`, whose documentation says what each attribute is."""

    @property
    def model(self) -> InfluenceModel:
        """The model."""

    @property
    def rounds(self) -> Sequence[LearnedRound]:
        """The history."""

    @property
    def terms(self) -> Sequence[tuple[LearnedTerm, float]]:
        """The model's terms as they were selected."""

    @property
    def termination(self) -> str:
        """Why learning ended."""

    @property
    def nfp(self) -> str:
        """The property."""

    @property
    def learning_configurations(self) -> int:
        """Size of the learning set."""

    @property
    def learning_error(self) -> float | None:
        """In percent."""

    @property
    def error(self) -> float | None:
        """In percent."""

    @property
    def error_all(self) -> float | None:
        """In percent."""

    @property
    def left_out(self) -> int:
        """Number of configurations left out of relative errors."""

    @property
    def base(self) -> str:
        """What stands for the constant in logs."""

    @property
    def seconds(self) -> float:
        """Time of learning."""

    @property
    def preset(self) -> str:
        """The preset."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings."""

    @property
    def seed(self) -> int:
        """The seed."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Sampling, files with hashes, version."""

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know."""
