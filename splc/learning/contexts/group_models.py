"""The models of groups of rows that are learned together, and what predicts further groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from splc.data.measurements import Measurements
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.source_mixture import SourceMixture
from splc.learning.contexts.unmeasured_context import UnmeasuredContext
from splc.learning.contexts.unmeasured_model import UnmeasuredContextFit
from splc.learning.learn import learn
from splc.learning.projection import Ensemble, ProjectionLearner
from splc.learning.result import LearningResult


@dataclass(frozen=True, eq=False)
class GroupModels:
    """The models of groups."""

    results: Mapping[str, LearningResult]  # group → its model
    sharing: Sharing  # the rows of all groups
    # group without rows → what predicts it, as far as it was asked for
    further: dict[str, UnmeasuredContext | Ensemble] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Mapping[str, Measurements], nfp: str, learner: ProjectionLearner) -> Self:
        """Learn all groups together."""
        sharing = Sharing.of(parts, nfp, learner.chosen.scale)
        fits = {name: sharing.fit_of(name) if len(parts) > 1 else None for name in parts}
        results = {name: learn(part, nfp, learner=replace(learner, fit=fits[name])) for name, part in parts.items()}
        return cls(results, sharing)

    def predictor(self, name: str) -> Ensemble | SourceMixture | UnmeasuredContext:
        """Return what predicts a group: its model, or of a further group what all have in common."""
        if name in self.results:
            predictor = self.results[name].predictor
            assert isinstance(predictor, Ensemble | SourceMixture)
            return predictor
        if name not in self.further:
            self.further[name] = UnmeasuredContextFit(self.sharing, name).predictor
        return self.further[name]
