"""What a learning run gives: its rounds, its model, its errors, and what produced them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from splc.learning.stepwise.candidates import Candidate
from splc.models.influence import InfluenceModel


@dataclass(frozen=True)
class Round:
    """One round of feature forward selection.

    Attributes:
        number: 1, 2, ….
        candidate: the candidate that won, in this round.
        influence: its influence.
        score: its score (the drop of the error, divided by its number of options if that is penalised).
        error: the selection error after the round (percent for the relative loss).
        learning_error: mean relative error in percent on the learning set after the round.
        terms: the model's candidates and influences after the round; the first is the constant.
        removed: candidates that the backward step removed in this round.
        seconds: time since learning began.
    """

    number: int
    candidate: Candidate
    influence: float
    score: float
    error: float
    learning_error: float
    terms: tuple[tuple[Candidate, float], ...]
    seconds: float
    removed: tuple[Candidate, ...] = ()

    @property
    def complexity(self) -> int:
        """The number of option occurrences in all terms, the constant counting 1."""
        return sum(max(candidate.occurrences, 1) for candidate, _ in self.terms)


@dataclass(frozen=True)
class LearningResult:
    """A learned model with its history and errors (mean relative errors in percent; None where undefined).

    Attributes:
        model: the performance-influence model.
        rounds: the history; empty where no candidate brought anything, or for an averaged (bagged) model.
        terms: the model's candidates and influences, in the order in which they were selected.
        termination: why learning ended: numberOfRounds, learnTimeLimit, stopOnLongRound, abortError,
            minImprovementPerRound, noCandidate, interrupted, bagging, or parts (see `splc.learning.sums`).
        nfp: the property that was learned.
        learning_configurations: size of the learning set.
        learning_error: on the learning set.
        error: on the measured configurations outside of the learning set.
        error_all: on all measured configurations.
        left_out: number of measured configurations whose value is 0; they are left out of relative errors.
        base: the option that stands for the constant in logs.
        seconds: wall time of learning.
        preset: name of the preset.
        settings: all settings by name.
        seed: the seed.
        provenance: sampling, files with hashes, version.
        notes: what the user should know.
    """

    model: InfluenceModel
    rounds: tuple[Round, ...]
    terms: tuple[tuple[Candidate, float], ...]
    termination: str
    nfp: str
    learning_configurations: int
    learning_error: float | None
    error: float | None
    error_all: float | None
    left_out: int
    base: str
    seconds: float
    preset: str
    settings: Mapping[str, Any]
    seed: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
