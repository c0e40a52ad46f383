"""The models of the values of a context in memory, such as those of all versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from splc.data.measurements import Measurements
from splc.errors import SpecError, plural
from splc.formats.column_choice import shown_value
from splc.io.numbers import percentage
from splc.io.presentation import Presented
from splc.learning.contexts.contrasts import ContextContrast, ContextInfluences
from splc.learning.contexts.sharing import Sharing
from splc.learning.learn import learn
from splc.learning.projection import ProjectionLearner
from splc.learning.registry import learner_of
from splc.learning.result import LearningResult
from splc.types import Array
from splc.workflows.by import each_learned


@dataclass(frozen=True, eq=False, repr=False)
class LearnedContexts(Presented, Mapping[str, LearningResult]):
    """A mapping from the values of a context, such as versions, to the model of each."""

    by: str  # the context
    results: Mapping[str, LearningResult]  # value → its result, in natural order
    # value → the weight of learning it alone, if all are learned together; else empty
    weights: Mapping[str, float] = field(default_factory=dict)
    # the influences with each value by the joint model; None without one, or of one without factors
    influences: ContextInfluences | None = None
    failed: Mapping[str, str] = field(default_factory=dict)  # value → why nothing was learned
    notes: tuple[str, ...] = ()  # what was assumed to read the measurements

    def __getitem__(self, value: str) -> LearningResult:
        return self.results[value]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def changes(self) -> tuple[ContextContrast, ...]:
        """The contrasts of consecutive values by the joint model; empty without one."""
        influences = self.influences
        return () if influences is None else tuple(influences.contrast(*pair) for pair in pairwise(influences.names))

    def summary(self) -> str:
        """Return the number of models, and the expected error of each with the weight of learning it alone."""
        together = ", learned together" if self.weights else ""
        lines = [f"{plural(len(self), 'model', 'models')} by {self.by}{together}"]
        for value, result in self.items():
            error = "unknown" if result.cross_validated is None else percentage(result.cross_validated.mean, 2)
            alone = f"; weight of learning alone {self.weights[value]:.2f}" if value in self.weights else ""
            lines.append(f"{shown_value(value)}: error {error}, {result.learning_configurations} configurations{alone}")
        lines += [f"{shown_value(value)}: no model: {reason}" for value, reason in self.failed.items()]
        return "\n".join(lines)

    def to_columns(self) -> Mapping[str, Sequence[Any] | Array]:
        """Return the values with their configurations, errors in percent, and weights of learning alone."""
        results = self.results.values()
        crossed = (result.cross_validated for result in results)
        return {
            self.by: [*self.results],
            "configurations": [result.learning_configurations for result in results],
            "error": [None if error is None else error.mean for error in crossed],
            "weight_alone": [*map(self.weights.get, self.results)],
        }


def learn_contexts(
    parts: Mapping[str, Measurements],
    by: str,
    nfp: str | None = None,
    preset: str | None = None,
    *,
    share: bool = False,
    learner: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **further: Any,
) -> LearnedContexts:
    """Learn a model of each value of a context."""
    chosen = learner_of(learner, preset, settings)
    sharing = None
    if share:
        if not isinstance(chosen, ProjectionLearner):
            raise SpecError(f"the learner {chosen.name} learns each value alone", hint="leave share out")
        if further.get("learning_set") is not None:
            raise SpecError("values that are learned together have no common learning set", hint="select their rows")
        name = next(iter(parts.values())).resolve_property(nfp)
        sharing = Sharing.of({value: part for value, part in parts.items() if len(part)}, name, chosen.chosen.scale)

    def learned(value: str) -> LearningResult:
        fit = None if sharing is None else sharing.fit_of(value)
        estimator = replace(chosen, fit=fit) if isinstance(chosen, ProjectionLearner) else chosen
        return learn(parts[value], nfp, learner=estimator, **further)

    failed: dict[str, str] = {}
    results = dict(each_learned(parts, learned, failed))
    weights = {} if sharing is None else sharing.weights_of(results)
    joint = None if sharing is None else sharing.given
    return LearnedContexts(by, results, weights, None if joint is None else ContextInfluences.of_joint(joint), failed)
