"""Learning: feature forward selection with stepwise regression, after SPL Conqueror."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.learning.estimator import PerformanceInfluenceRegressor
    from splc.learning.history import LearningResult, Round
    from splc.learning.learner import learn
    from splc.learning.parts import Part, SumResult, learn_sum
    from splc.learning.settings import PRESETS, Settings

__all__ = [
    "PRESETS",
    "LearningResult",
    "Part",
    "PerformanceInfluenceRegressor",
    "Round",
    "Settings",
    "SumResult",
    "learn",
    "learn_sum",
]

_HOMES = {
    "PRESETS": "settings",
    "LearningResult": "history",
    "Part": "parts",
    "PerformanceInfluenceRegressor": "estimator",
    "Round": "history",
    "Settings": "settings",
    "SumResult": "parts",
    "learn": "learner",
    "learn_sum": "parts",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
