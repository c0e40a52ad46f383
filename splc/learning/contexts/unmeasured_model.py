"""Learn a context of which nothing was measured, from the rows of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.learning.contexts.contrasts import averaged_configurations
from splc.learning.contexts.joint_model import ContextRows, JointModel, numbers_of_contexts
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.sources import Sources
from splc.learning.contexts.unmeasured_context import UnmeasuredContext
from splc.learning.problem import LearningProblem
from splc.learning.projection import Ensemble, FullModel, KernelDesign, MomentsPredictor, SingleFit, positive_scale
from splc.types import Array

# Fewer contexts than these do not show how much contexts differ by a factor.
ENOUGH = 3


@dataclass(frozen=True, eq=False)
class UnmeasuredModel(FullModel):
    """A full model of ln y of the levelled rows of all contexts, which gives the errors; others predict."""

    levelled: FullModel | None = None  # the model
    common: UnmeasuredContext | Ensemble | None = None  # what predicts the context

    @classmethod
    def of(cls, levelled: FullModel, common: UnmeasuredContext | Ensemble) -> UnmeasuredModel:
        """Return the full model in units of what predicts."""
        refits, apart = levelled.refits, np.log(levelled.scale.unit / common.scale.unit)
        if refits is not None:
            refits = replace(refits, means=refits.means + apart)
        return cls(
            levelled.basis,
            common.scale,
            levelled.rows,
            levelled.configurations,
            levelled.data,
            refits,
            levelled.constant,
            levelled=levelled,
            common=common,
        )

    @property
    def predictor(self) -> MomentsPredictor:
        """The predictor of the context."""
        assert self.common is not None
        return self.common

    def fold_predictions(self, configurations: Configurations, designs: Sequence[KernelDesign]) -> Array:
        """Return the predictions of the fold models in units of the scale, shape (folds, m)."""
        assert self.levelled is not None
        found = self.levelled.fold_predictions(configurations, designs)
        return found * (self.levelled.scale.unit / self.scale.unit)


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
        return UnmeasuredModel.of(alone(), self.predictor)

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
