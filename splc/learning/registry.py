"""The table of learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from splc.errors import SpecError, unknown_name_hint

if TYPE_CHECKING:
    from splc.learning.learner import Learner

DEFAULT = "stepwise"

# Returns a learner for the name of a preset and the settings that differ from it.
Factory = Callable[[str, Mapping[str, Any]], "Learner"]


def _stepwise(preset: str, settings: Mapping[str, Any]) -> Learner:
    from splc.learning.stepwise.stepwise import StepwiseLearner

    return StepwiseLearner(preset, settings)


def _pmnf(preset: str, settings: Mapping[str, Any]) -> Learner:
    from splc.learning.pmnf import PmnfLearner

    if preset not in ("default", "pmnf"):
        raise SpecError(f"the learner pmnf has no preset {preset!r}", hint="presets are for the learner stepwise")
    return PmnfLearner.of(settings)


def _baseline(name: str, preset: str, settings: Mapping[str, Any]) -> Learner:
    from splc.learning.baselines.baseline import BaselineLearner

    if preset != "default":
        raise SpecError(f"the learner {name} has no preset {preset!r}", hint="presets are for the learner stepwise")
    return BaselineLearner(name, settings)


# Predictors of scikit-learn, which have no terms (`splc.learning.baselines.methods`).
BASELINES = ("forest", "tree", "lasso", "ridge", "svr", "knn", "boosting")
LEARNERS: Mapping[str, Factory] = MappingProxyType(
    {"stepwise": _stepwise, "pmnf": _pmnf, **{name: partial(_baseline, name) for name in BASELINES}}
)


def learner_of(name: str, preset: str = "default", settings: Mapping[str, Any] | None = None) -> Learner:
    """Return a learner with its settings.

    Args:
        name: its name in the table.
        preset: name of the settings to start from; every learner has 'default'.
        settings: settings that differ, as values or texts.

    Raises:
        SpecError: for an unknown learner, preset or setting.
    """
    if name not in LEARNERS:
        raise SpecError(f"unknown learner {name!r}", hint=unknown_name_hint(name, list(LEARNERS)))
    return LEARNERS[name](preset, settings or {})
