"""The settings of learning as scripts state them, and the measurements that models are judged by."""

from __future__ import annotations

from collections.abc import Mapping

from splc.data.measurements import Measurements
from splc.errors import RequestError, unknown_name_hint
from splc.io.settings import setting_name
from splc.learning.learner import Learner
from splc.learning.registry import learner_of
from splc.learning.stepwise.settings import SPLCONQUEROR, SPLCONQUEROR_2019, WITHOUT_EFFECT, Settings
from splc.splconqueror.scripts.state import Shared

ABORT_ERROR = "abortError"
_IDLE = {setting_name(name) for name in WITHOUT_EFFECT}


def require_preset(name: str) -> None:
    """Refuse settings that are not those of a version of SPL Conqueror.

    Raises:
        RequestError: for another preset.
    """
    presets = (SPLCONQUEROR, SPLCONQUEROR_2019)
    if name not in presets:
        raise RequestError(f"scripts have no preset {name!r}", "preset", hint=unknown_name_hint(name, presets))


def stepwise(preset: str, settings: Mapping[str, str]) -> Learner:
    """Return SPL Conqueror's algorithm; settings without an effect are left out.

    Raises:
        SpecError: for an unknown preset or setting.
    """
    return learner_of(None, preset, effective(settings))


def effective(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that have an effect here."""
    return {name: value for name, value in settings.items() if setting_name(name) not in _IDLE}


def judges(shared: Shared) -> Measurements:
    """Return the measurements that errors are computed on: the evaluation set, or else all."""
    return shared.evaluation or shared.known_measured


def stated_deviation(measured: Measurements, settings: Mapping[str, str]) -> float | None:
    """Return the deviation that a measurement file states, if it becomes abortError; it does not where that is set."""
    values = [float(value) for name, value in settings.items() if setting_name(name) == setting_name(ABORT_ERROR)]
    return measured.report.deviation if not values or values[-1] == Settings().abortError else None
