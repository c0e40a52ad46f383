"""Learning performance-influence models from measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from splc.learning.active.suggestion import ConfigurationSuggestions, suggest
    from splc.learning.estimator import PerformanceInfluenceRegressor
    from splc.learning.given_terms import GivenTerms
    from splc.learning.learn import learn
    from splc.learning.learner import Learner
    from splc.learning.problem import LearningProblem
    from splc.learning.registry import LEARNERS, learner_of
    from splc.learning.result import LearnedTerm, LearningResult, Round
    from splc.learning.scaling_estimator import ScalingModelRegressor
    from splc.learning.settings_search import SettingsSearch, search_settings
    from splc.learning.stepwise.settings import PRESETS, Settings
    from splc.learning.sums import Part, SumResult, learn_sum
    from splc.learning.surrogate import linear_surrogate

__all__ = [
    "LEARNERS",
    "PRESETS",
    "ConfigurationSuggestions",
    "GivenTerms",
    "LearnedTerm",
    "Learner",
    "LearningProblem",
    "LearningResult",
    "Part",
    "PerformanceInfluenceRegressor",
    "Round",
    "ScalingModelRegressor",
    "Settings",
    "SettingsSearch",
    "SumResult",
    "learn",
    "learn_sum",
    "learner_of",
    "linear_surrogate",
    "search_settings",
    "suggest",
]

attach(
    __name__,
    {
        "PRESETS": "splc.learning.stepwise.settings",
        "LEARNERS": "splc.learning.registry",
        "GivenTerms": "splc.learning.given_terms",
        "LearnedTerm": "splc.learning.result",
        "Learner": "splc.learning.learner",
        "LearningProblem": "splc.learning.problem",
        "LearningResult": "splc.learning.result",
        "Part": "splc.learning.sums",
        "PerformanceInfluenceRegressor": "splc.learning.estimator",
        "Round": "splc.learning.result",
        "ScalingModelRegressor": "splc.learning.scaling_estimator",
        "Settings": "splc.learning.stepwise.settings",
        "SumResult": "splc.learning.sums",
        "SettingsSearch": "splc.learning.settings_search",
        "learn": "splc.learning.learn",
        "learner_of": "splc.learning.registry",
        "learn_sum": "splc.learning.sums",
        "ConfigurationSuggestions": "splc.learning.active.suggestion",
        "suggest": "splc.learning.active.suggestion",
        "linear_surrogate": "splc.learning.surrogate",
        "search_settings": "splc.learning.settings_search",
    },
)
