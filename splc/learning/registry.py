"""The table of learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from splc.errors import Problem, SpecError, unknown_name_hint
from splc.learning.stepwise.settings import SPLCONQUEROR, SPLCONQUEROR_2019

if TYPE_CHECKING:
    from splc.learning.learner import Learner

PROJECTION = "projection"
STEPWISE = "stepwise"
PMNF = "pmnf"
DEFAULT = PROJECTION

# Returns a learner for the name of a preset and the settings that differ from it.
Factory = Callable[[str, Mapping[str, Any]], "Learner"]


def _projection(preset: str, settings: Mapping[str, Any]) -> Learner:
    from splc.learning.projection import ProjectionLearner, ProjectionSettings

    if preset != "default":
        hint = f"--preset {SPLCONQUEROR} without --learner is SPL Conqueror's algorithm"
        if preset not in (SPLCONQUEROR, SPLCONQUEROR_2019):
            hint = unknown_name_hint(preset, ["default", SPLCONQUEROR, SPLCONQUEROR_2019])
        raise SpecError(f"the learner {PROJECTION} has no preset {preset!r}", hint=hint)
    return ProjectionLearner(ProjectionSettings.of(settings))


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
    {
        PROJECTION: _projection,
        STEPWISE: _stepwise,
        PMNF: _pmnf,
        **{name: partial(_baseline, name) for name in BASELINES},
    }
)


def learner_name(name: str | None, preset: str | None = None) -> str:
    """Return the name of a learner; None is the default, or SPL Conqueror's algorithm if the preset is its own."""
    return name or (STEPWISE if preset in (SPLCONQUEROR, SPLCONQUEROR_2019) else DEFAULT)


def own_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of several learners' settings that a learner has; a project file may state all of them."""
    return {key: value for key, value in settings.items() if name in owners(key)}


def owners(setting: str) -> list[str]:
    """Return those of the learners projection and stepwise that have a setting."""
    from splc.learning.projection import ProjectionSettings
    from splc.learning.stepwise.settings import is_setting

    has = {PROJECTION: setting in ProjectionSettings.__dataclass_fields__, STEPWISE: is_setting(setting)}
    return [name for name, owned in has.items() if owned]


# How the learner that has a setting is chosen.
_CHOSEN_BY = {PROJECTION: f"--learner {PROJECTION}", STEPWISE: f"--preset {SPLCONQUEROR}"}


def learner_of(name: str | None, preset: str | None = None, settings: Mapping[str, Any] | None = None) -> Learner:
    """Return a learner with its settings.

    Args:
        name: its name in the table; None is the default, see `learner_name`.
        preset: name of the settings to start from; None is 'default', which every learner has.
        settings: settings that differ, as values or texts.

    Raises:
        SpecError: for an unknown learner, preset or setting.
    """
    name = learner_name(name, preset)
    if name not in LEARNERS:
        raise SpecError(f"unknown learner {name!r}", hint=unknown_name_hint(name, list(LEARNERS)))
    if name in _CHOSEN_BY:
        foreign_settings = [(key, owner) for key in settings or {} for owner in owners(key) if name not in owners(key)]
        if foreign_settings:
            raise SpecError(
                Problem(f"the learner {name} has no setting {key!r}", hint=f"{_CHOSEN_BY[owner]} has it")
                for key, owner in foreign_settings
            )
    return LEARNERS[name](preset or "default", settings or {})
