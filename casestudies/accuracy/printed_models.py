"""Figures of the printed model of a result, beside those of the full model and of their blend, which predicts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.learning import LearningResult
from splc.learning.effects import group_titles
from splc.learning.projection.predictor import Ensemble
from splc.learning.result import Predictor
from splc.models.influence import InfluenceModel
from splc.types import Array

# A set of options is large if the standard deviation of its terms is more than this part of that of the model.
LARGE = 0.05


def number_of_terms(result: LearningResult) -> int | None:
    """Return the number of terms without the constant, None for a model without terms."""
    return sum(bool(term.options) for term, _ in result.model.terms) if result.readable else None


def printed_figures(
    result: LearningResult, configurations: Configurations, values: Array, runs: Array | None = None
) -> dict[str, Any]:
    """Return errors of both models at other configurations, the stated error of the printed one, and coverage.

    All are in percent. `predicted`: the error of what predicts, which is one of both models or their blend. `covered`,
    `printed covered`: how many runs (else values) are in the intervals of what predicts and of the printed model;
    `inside`: how many predictions of the printed model are in the former; `width`: the median of their upper ends over
    the lower ones, a factor. `large`: `large_sets` as a JSON text.
    """
    model, errors = result.printed, result.printed_errors
    if model is None or errors is None or result.intervals is None:
        return {}
    predicted = model.predict(configurations)
    low, high = result.intervals.interval(configurations)
    own = None if result.printed_intervals is None else result.printed_intervals.interval(configurations)
    return {
        "printed": mean_relative_error(predicted, values),
        "full": mean_relative_error(full_model(result).predict(configurations), values),
        "predicted": mean_relative_error(result.predict(configurations), values),
        "stated": None if errors.cross_validated is None else errors.cross_validated.mean,
        "covered": _covered(low, high, values if runs is None else runs),
        "printed covered": None if own is None else _covered(*own, values if runs is None else runs),
        "inside": _percent((low <= predicted) & (predicted <= high)),
        "width": float(np.median(high / low)) if (low > 0).all() else None,
        "not positive": int((predicted <= 0).sum()),
        "large": json.dumps(large_sets(model, configurations)),
    }


def full_model(result: LearningResult) -> Predictor:
    """Return what predicts, without its share of the printed model."""
    predictor = result.predictor
    return replace(predictor, stacked=None) if isinstance(predictor, Ensemble) else predictor


def large_sets(model: InfluenceModel, configurations: Configurations) -> list[list[str]]:
    """Return the sets of options whose terms vary much, an alternative group counting as one option.

    The deviations are those of the sum of terms, of a product of its logarithm, over the configurations.
    """
    titles = group_titles(configurations.system)
    contributions = model.contributions(configurations)
    sums: dict[frozenset[str], Array] = {}
    for place, (term, _) in enumerate(model.terms):
        options = frozenset(titles.get(name, name) for name in model.options_of(term))
        sums[options] = sums.get(options, 0.0) + contributions[:, place]
    total = float(np.std(sum(sums.values())))
    return sorted(sorted(options) for options, each in sums.items() if options and np.std(each) > LARGE * total)


def jaccard(first: str, second: str) -> float:
    """Return the share of common sets among all sets of two JSON texts; 1 if there are none."""
    one, other = ({tuple(each) for each in json.loads(text)} for text in (first, second))
    return len(one & other) / len(one | other) if one | other else 1.0


def _covered(low: Array, high: Array, values: Array) -> float:
    """Return how many values, one or several for each interval, are inside in percent."""
    table = values.reshape(len(low), -1)
    return _percent(((low[:, None] <= table) & (table <= high[:, None]))[~np.isnan(table)])


def _percent(found: Array) -> float:
    return 100 * float(np.mean(found))
