"""The table of learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from splc.errors import Problem, SpecError, unknown_name_hint
from splc.io.settings import Setting, settings_in
from splc.learning.baselines import SETTINGS as BASELINE_SETTINGS
from splc.learning.baselines import BaselineLearner
from splc.learning.learner import Learner
from splc.learning.stepwise.algorithm import StepwiseLearner
from splc.learning.stepwise.settings import PRESETS, SPLCONQUEROR, SPLCONQUEROR_2019, Settings, is_setting

PROJECTION = "projection"
STEPWISE = "stepwise"
PMNF = "pmnf"
DEFAULT = PROJECTION


@dataclass(frozen=True)
class LearnerKind:
    """A kind of learner."""

    settings: Mapping[str, Setting]  # its settings by name
    # returns a learner for the name of a preset and the settings that differ from it, as values or texts
    make: Callable[[str, Mapping[str, Any]], Learner]
    presets: tuple[str, ...] = ("default",)  # the names of its presets


def _projection() -> LearnerKind:
    from splc.learning.projection import ProjectionLearner, ProjectionSettings

    settings = settings_in(ProjectionSettings)
    return LearnerKind(settings, lambda _, changes: ProjectionLearner(ProjectionSettings.of(changes)))


def _pmnf() -> LearnerKind:
    from splc.learning.pmnf import PmnfLearner
    from splc.scaling.methods import SETTINGS

    return LearnerKind(SETTINGS, lambda _, settings: PmnfLearner.of(settings), ("default", PMNF))


def _baseline(name: str) -> LearnerKind:
    return LearnerKind(BASELINE_SETTINGS[name], lambda _, settings: BaselineLearner(name, settings))


# Predictors of scikit-learn, which have no terms.
BASELINES = tuple(BASELINE_SETTINGS)
# The kinds projection and pmnf are imported on first use.
LEARNERS: Mapping[str, Callable[[], LearnerKind]] = MappingProxyType(
    {
        PROJECTION: _projection,
        STEPWISE: lambda: LearnerKind(settings_in(Settings), StepwiseLearner, tuple(PRESETS)),
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

    has = {PROJECTION: setting in ProjectionSettings.__dataclass_fields__, STEPWISE: is_setting(setting)}
    return [name for name, owned in has.items() if owned]


# How the learner that has a setting is chosen.
_CHOSEN_BY = {PROJECTION: f"--learner {PROJECTION}", STEPWISE: f"--preset {SPLCONQUEROR}"}


def learner_of(
    name: str | Learner | None, preset: str | None = None, settings: Mapping[str, Any] | None = None
) -> Learner:
    """Return a learner with its settings.

    Args:
        name: its name in the table; None is the default, see `learner_name`. A learner is returned as it is.
        preset: name of the settings to start from; None is 'default', which every learner has.
        settings: settings that differ, as values or texts.

    Raises:
        SpecError: for an unknown learner, preset or setting.
    """
    if not isinstance(name, str | None):
        return name
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
    kind, preset = LEARNERS[name](), preset or "default"
    if preset not in kind.presets:
        hint = f"--preset {SPLCONQUEROR} without --learner is SPL Conqueror's algorithm"
        if preset not in PRESETS:
            hint = unknown_name_hint(preset, [*dict.fromkeys((*kind.presets, *PRESETS))])
        raise SpecError(f"the learner {name} has no preset {preset!r}", hint=hint)
    return kind.make(preset, settings or {})
