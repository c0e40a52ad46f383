"""Learning performance-influence models from measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from splc.learning.estimator import PerformanceInfluenceRegressor
    from splc.learning.learn import learn
    from splc.learning.pmnf import ScalingResult, learn_scaling
    from splc.learning.result import LearningResult, Round
    from splc.learning.stepwise.settings import PRESETS, Settings
    from splc.learning.sums import Part, SumResult, learn_sum

__all__ = [
    "PRESETS",
    "LearningResult",
    "Part",
    "PerformanceInfluenceRegressor",
    "Round",
    "ScalingResult",
    "Settings",
    "SumResult",
    "learn",
    "learn_scaling",
    "learn_sum",
]

attach(
    __name__,
    {
        "PRESETS": "splc.learning.stepwise.settings",
        "LearningResult": "splc.learning.result",
        "Part": "splc.learning.sums",
        "PerformanceInfluenceRegressor": "splc.learning.estimator",
        "Round": "splc.learning.result",
        "ScalingResult": "splc.learning.pmnf",
        "Settings": "splc.learning.stepwise.settings",
        "SumResult": "splc.learning.sums",
        "learn": "splc.learning.learn",
        "learn_scaling": "splc.learning.pmnf",
        "learn_sum": "splc.learning.sums",
    },
)
