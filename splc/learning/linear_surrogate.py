"""A linear model of the predictions of another model (`pythonInfluenceAnalysis` in SPL Conqueror)."""

from __future__ import annotations

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.features import features_of
from splc.learning.given_terms import GivenTerms
from splc.learning.problem import LearningProblem
from splc.learning.result import LearnedTerm, LearningResult, Predictor
from splc.models.basis.regression import RANK, independent
from splc.models.terms import CONSTANT, option_term


def linear_surrogate(predictor: Predictor, configurations: Configurations, nfp: str) -> LearningResult:
    """Return the linear model of the predictions of another model: a constant and the options.

    It shows which options a predictor without readable terms reacts to. Its errors are relative to the predictions, not
    to measured values. Options whose columns depend linearly on those of earlier options are left out, such as the last
    member of an alternative group.

    Args:
        predictor: the other model.
        configurations: the configurations that it predicts.
        nfp: the property.
    """
    features = features_of(configurations.system, numeric_disabled=False)
    terms = [CONSTANT, *(option_term(feature.name) for feature in features)]
    columns = np.column_stack(
        [np.ones(len(configurations)), *(term.evaluate(configurations.column) for term in terms[1:])]
    )
    selected_terms = [terms[at] for at in independent(columns, RANK)]
    predicted = Measurements(configurations, {nfp: predictor.predict(configurations)})
    problem = LearningProblem(predicted, nfp, np.arange(len(predicted)), configurations)
    return GivenTerms(tuple(LearnedTerm(term, 1.0) for term in selected_terms)).learn(problem)
