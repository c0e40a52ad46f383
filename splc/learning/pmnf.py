"""Scaling models of configurable systems: the numeric options are the parameters (performance model normal form)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import LearningError, SpecError, listed, plural
from splc.learning.learner import LearningProblem, judged, only_step
from splc.learning.result import LearnedTerm, LearningResult
from splc.models.influence import InfluenceModel
from splc.scaling.fit import MAX_PARAMETERS, fit
from splc.scaling.methods import parsed_settings, resolved_settings
from splc.system.options import NumericOption, Option


@dataclass(frozen=True)
class PmnfLearner:
    """Functions of the performance model normal form, fitted with `splc.scaling.fit`."""

    # `method` and the other settings of `splc.scaling.fit`
    chosen: Mapping[str, Any] = field(default_factory=dict, hash=False)
    name = preset = "pmnf"
    draws = False
    # A log can only define names for fractional exponents, which most scaling models have.
    suffix = ".json"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Return the learner with settings, as values or texts."""
        return cls(parsed_settings(settings))

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the method by name."""
        return resolved_settings(self.stated)

    @property
    def stated(self) -> Mapping[str, Any]:
        """The stated settings; models of systems, which predict between measured values, have `local=False`."""
        return {"local": False, **self.chosen} if self.chosen.get("method", "default") == "default" else self.chosen

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn how the property scales with the numeric options that vary in the learning set."""
        if problem.observed:
            raise SpecError("pmnf does not learn from observed variables", hint="choose the learner stepwise")
        if len(problem.rows) == 0:
            raise LearningError(f"no configuration to learn from has a value of {problem.nfp}")
        learned = problem.configurations
        parameters, notes = _parameters(learned)
        x = np.column_stack([learned.column(parameter) for parameter in parameters])
        fitting = partial(fit, x, problem.repetitions, names=parameters, **self.stated)
        scaling, seconds = only_step("scaling model", fitting, problem.on_step)
        model = InfluenceModel.from_terms(scaling.model.terms, problem.measurements.system.term_order)
        if scaling.below is not None:
            notes.append("files hold the model of the upper segment only, and errors are those of that model")
        return judged(
            problem,
            self,
            model,
            termination="noCandidate",
            seconds=seconds,
            terms=tuple(LearnedTerm(term, influence) for term, influence in model.terms),
            notes=(*scaling.notes, *notes, *_differing(problem)),
            scaling=scaling,
        )


def is_scalable(configurations: Configurations) -> bool:
    """Return whether configurations differ in numeric options only: always selected, and not too many for pmnf."""
    varying = np.flatnonzero((configurations.indices != configurations.indices[:1]).any(axis=0)).tolist()
    options = [configurations.system.options[at] for at in varying]
    return 0 < len(options) <= MAX_PARAMETERS and all(_is_parameter(option, configurations) for option in options)


def _is_parameter(option: Option, configurations: Configurations) -> bool:
    """Return whether an option is a numeric one that all configurations have."""
    return isinstance(option, NumericOption) and not np.isnan(configurations.value(option.name)).any()


def _parameters(learned: Configurations) -> tuple[list[str], list[str]]:
    """Return the numeric options that vary, and notes about those that do not."""
    varying: list[str] = []
    unusable: list[str] = []
    notes = []
    for option, indices in zip(learned.system.options, learned.indices.T, strict=True):
        if (indices != indices[0]).any():
            (varying if _is_parameter(option, learned) else unusable).append(option.name)
        elif _is_parameter(option, learned):
            value = learned.column(option.name)[0]
            notes.append(f"{option.name} is {value:g} in all configurations learned from: the model is about these")
    if unusable:
        hint = "learn from configurations that differ in numeric options only, or choose stepwise (--learner stepwise)"
        message = f"pmnf models numeric options that are always selected, but these differ too: {listed(unusable)}"
        raise LearningError(message, hint=hint)
    if not varying:
        hint = "give a sampling that varies them, such as all+ff"
        raise LearningError("no numeric option varies between the configurations learned from", hint=hint)
    return varying, notes


def _differing(problem: LearningProblem) -> list[str]:
    """Return a note about measured configurations whose binary options differ from the learning set."""
    measured, learned = problem.measurements.configurations, problem.configurations
    binary = [at for at, option in enumerate(measured.system.options) if not isinstance(option, NumericOption)]
    others = np.delete(measured.indices, problem.rows, axis=0)[:, binary]
    differing = int((others != learned.indices[0, binary]).any(axis=1).sum())
    if not differing:
        return []
    count = plural(len(others), "configuration", "configurations")
    return [f"{differing:,} of {count} not learned from have other binary options, which the model does not contain"]
