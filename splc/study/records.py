"""The record of a task: the learned model with its log and errors, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from splc.formats.models.json import parse_model_json
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel


@dataclass(frozen=True)
class Record:
    """The result of a task, without times, so that the same inputs give the same record.

    Attributes:
        reason: why nothing was learned, None if a model was learned.
        learned_from: number of configurations that were learned from.
        rounds: number of rounds.
        termination: why learning ended.
        learning_error: mean relative error on the learning set, in percent.
        error: on the measured configurations outside of it.
        error_all: on all measured configurations.
        model: the model as JSON.
        log: the log.
        notes: what the user should know.
    """

    reason: str | None = None
    learned_from: int | None = None
    rounds: int | None = None
    termination: str | None = None
    learning_error: float | None = None
    error: float | None = None
    error_all: float | None = None
    model: str | None = None
    log: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Record:
        """Return a record from JSON's types."""
        return cls(**{**content, "notes": tuple(content["notes"])})

    def learned(self, system: VariabilityModel) -> InfluenceModel | None:
        """Return the model, None where nothing was learned."""
        if self.model is None:
            return None
        return parse_model_json(Source("record", self.model.encode("utf-8")), system)
