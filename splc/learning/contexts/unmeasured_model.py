"""Learn a context of which nothing was measured, from the rows of others.

In: the rows of all contexts (`Sharing`). Out: what predicts a further one, and its full model (`UnmeasuredContextFit`);
the models of groups of rows that are learned together, and what predicts further groups (`GroupModels`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Self

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.learning.contexts.contrasts import averaged_configurations
from splc.learning.contexts.joint_model import ContextRows, JointModel, numbers_of_contexts
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.sources import SourceMixture, Sources, UnmeasuredContext
from splc.learning.learn import learn
from splc.learning.problem import LearningProblem
from splc.learning.projection import (
    Ensemble,
    FullModel,
    MomentsPredictor,
    ProjectionLearner,
    SingleFit,
    SpacePredictions,
    positive_scale,
)
from splc.learning.result import LearningResult

# Fewer contexts than these do not show how much contexts differ by a factor.
ENOUGH = 3


@dataclass(frozen=True, eq=False)
class UnmeasuredTransfer:
    """The transfer to a context of which nothing was measured: the levelled rows of all contexts give the errors."""

    levelled: FullModel  # the full model of ln y of the levelled rows
    common: UnmeasuredContext | Ensemble  # what predicts the context

    @property
    def model(self) -> FullModel:
        """The full model in units of what predicts."""
        levelled, scale, refits = self.levelled, self.common.scale, self.levelled.refits
        if refits is not None:
            refits = replace(refits, means=refits.means + np.log(levelled.scale.unit / scale.unit))
        return replace(levelled, scale=scale, refits=refits, transfer=self)

    def predictor(self, model: FullModel) -> MomentsPredictor:
        """Return the predictor of the context."""
        return self.common

    def at(self, model: FullModel, configurations: Configurations, unmeasured: Configurations) -> SpacePredictions:
        """Return what is predicted of configurations."""
        found = self.levelled.at(configurations, unmeasured)
        means = self.common.moments(configurations, variances=False)[0]
        deviations = self.common.moments(unmeasured if len(unmeasured) else configurations)[1]
        folds = found.folds * (self.levelled.scale.unit / model.scale.unit) if model.refits else means[None]
        return SpacePredictions(means, deviations, folds, found.covariance)


@dataclass(frozen=True, eq=False)
class UnmeasuredContextFit:
    """The rows of all contexts, from which a further one is learned.

    Args:
        sharing: the rows.
        name: the further context.

    Raises:
        LearningError: if it has rows, or values are not positive.
    """

    sharing: Sharing
    name: str

    def __post_init__(self) -> None:
        if self.name in self.sharing.parts:
            raise LearningError(f"{self.name} has measurements", hint="name a value without any, or leave it out")
        if not self.sharing.parts:
            raise LearningError("there are no measurements of other values to learn from")
        if not all((part.y > 0).all() for part in self.parts.values()):
            raise LearningError("a value without measurements can be predicted only where all values are positive")

    @property
    def parts(self) -> Mapping[str, ContextRows]:
        """Context → its rows."""
        return self.sharing.parts

    def __call__(self, problem: LearningProblem, alone: SingleFit, on_fit: Callable[[int], None]) -> FullModel:
        """Return the full model of the context."""
        return UnmeasuredTransfer(alone(), self.predictor).model

    @cached_property
    def joint(self) -> JointModel:
        """The joint model of the other contexts; of numbers one of ln y, as levels are."""
        first = next(iter(self.parts))
        joint = self.sharing.joint(first, self.parts[first])
        if joint.whole.scale.name != "log" and joint.whole.basis.context and joint.whole.basis.context.numbers:
            joint = Sharing(self.parts, "log").joint(first, self.parts[first])
        return joint

    @property
    def contexts(self) -> int:
        """The number of contexts that were measured."""
        return len(self.parts)

    @cached_property
    def number(self) -> float | None:
        """The context as a number, if those that were measured count as numbers."""
        block = self.joint.whole.basis.context
        if block is None or not block.numbers:
            return None
        numbers = numbers_of_contexts((*self.joint.names, self.name))
        return numbers[-1] if numbers else None

    @cached_property
    def predictor(self) -> UnmeasuredContext | Ensemble:
        """The predictor of the context: the joint model at its number, or the mean of the other contexts."""
        runs = median(part.runs for part in self.parts.values())
        if self.number is not None:
            return replace(self.joint.of_number(self.number), runs=runs)
        whole = self.joint.whole
        first = self.joint.of(self.joint.names[0]).ensemble
        measured = {self.joint.names.index(name): (part.configurations, part.y) for name, part in self.parts.items()}
        facts = (positive_scale("log", whole.data.y), whole.quantile, Sources.of(first, measured))
        return UnmeasuredContext(*facts, runs=runs)

    def levelled(self, nfp: str) -> Measurements:
        """Return the rows of all contexts, each brought to the level of the further one; several are repetitions."""
        every = Configurations.concatenate([part.configurations for part in self.parts.values()]).unique()
        joint = [self.joint.of(name).ensemble for name in self.parts]
        averaged = averaged_configurations(joint[0], len(joint))
        target = np.log(self.predictor.predict(averaged))
        values = np.full((len(every), len(joint)), np.nan)
        for column, (model, part) in enumerate(zip(joint, self.parts.values(), strict=True)):
            factor = np.exp(np.mean(target - np.log(model.predict(averaged))))
            values[every.find(part.configurations), column] = part.y * factor
        return Measurements(every, {nfp: values})

    def notes(self, by: str) -> list[str]:
        """Return what predictions of the context can tell; `by`: what its values are."""
        if self.number is not None:
            return [f"no row of {by} {self.name} was measured: it is predicted as a number"]
        notes = [
            f"no row of {by} {self.name} was measured: the order of configurations is predicted, the level is not; "
            "errors are those after division by the common factor"
        ]
        if self.contexts < ENOUGH:
            few = "one" if self.contexts == 1 else "two"
            consequence = "intervals leave it out" if self.contexts == 1 else "intervals are very wide"
            notes.append(f"a factor between values of {by} cannot be estimated from {few}: {consequence}")
        return notes


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
