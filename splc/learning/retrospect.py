"""A look back at a learning run: the error after each round, and what each term contributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.learn import influence_model
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel


def round_errors(result: LearningResult, measurements: Measurements) -> list[float | None]:
    """Return the mean relative error after each round on measured configurations, in percent.

    Without rounds it is that of the model alone. None where no measured value is usable.

    Args:
        result: the learning result.
        measurements: what the models are judged by.
    """
    judged = measurements.measured(result.nfp)
    measured = judged.column(result.nfp)
    models = [influence_model(this.terms, judged.model) for this in result.rounds[:-1]]
    return [mean_relative_error(m.predict(judged.configurations), measured) for m in (*models, result.model)]


def term_shares(model: InfluenceModel, configurations: Configurations) -> Sequence[float | None]:
    """Return the share of each term in the mean prediction, in percent.

    Args:
        model: the model.
        configurations: the configurations that are averaged over.

    Returns:
        Mean contribution / mean prediction per term (negative for a term that lowers it); None where the mean
        prediction is 0, and for a model whose terms do not add up to the prediction (a log link).
    """
    means = model.contributions(configurations).mean(axis=0) if len(configurations) else np.zeros(len(model.terms))
    total = float(means.sum())
    if model.link != "identity" or total == 0:
        return [None] * len(model.terms)
    return [float(mean) / total * 100 for mean in means]
