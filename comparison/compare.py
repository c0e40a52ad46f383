"""Compare models by terms and by predictions: the first with each other one, and all with measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from comparison.intervals import compare_intervals, coverage
from comparison.measures import DEFAULT_KEYS, Reference
from comparison.option_sets import hybrid, variance_sets
from comparison.places import discrepancy
from comparison.result import ComparedModel, Comparison, Comparisons, Judged, OptionSets, SetShare
from comparison.semantic import compare_values
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, Problem, SplcError, listed, require_kind
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.text.reader import bound
from splc.types import Array


def compare(
    first: InfluenceModel,
    second: InfluenceModel,
    configurations: Configurations | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    at: Mapping[str, float] | None = None,
    **settings: Any,
) -> Comparison:
    """Compare two models.

    Args:
        first: the reference of influences: the analytical model, if there is one.
        second: the other model.
        configurations: the configurations to compare predictions on; None compares terms only.
        names: the names of the two models.
        at: expression of a tabled parameter → the value whose row is its number in terms (by default the middle row).
        settings: `constant`, `measures`, `powers`, `weights` and `reference`, as for `compare_all`.

    Raises:
        ConfigurationError: if a model uses unknown options, or has no finite value at some configuration.
        InputError: if a table has no row for a value in `at`.
        SpecError: for an unknown measure.

    Examples:
        >>> found = splc.compare(formula, result.model, measured.configurations)
        >>> found.semantic.values["error_rate"] < 10
        True
    """
    both = [compared_model(name, model, at) for name, model in zip(names, (first, second), strict=True)]
    return compare_all(both, configurations, **settings).comparisons[0]


def compare_all(
    models: Sequence[ComparedModel],
    configurations: Configurations | None = None,
    *,
    measured: Array | None = None,
    runs: Array | None = None,
    nfp: str | None = None,
    constant: bool = True,
    measures: Sequence[str] = DEFAULT_KEYS,
    powers: Sequence[float] = (1.0, 2.0, 3.0),
    weights: Array | None = None,
    weighted_by: str = "given",
    reference: Reference = "first",
    level: float | None = None,
    on_pair: Callable[[int, str], None] = lambda number, name: None,
) -> Comparisons:
    """Compare the first of several models with each other one, and each with measurements.

    Args:
        models: the models (see `compared_model`), at least two, or one that is compared with measurements only.
        configurations: n configurations to compare predictions on; None compares terms only.
        measured: the measured values of these configurations, shape (n,), NaN where one is missing; None for none.
        runs: the values of their runs, shape (n, repetitions), NaN where one is missing; None: one run each.
        nfp: the measured property.
        constant: whether the constant takes part in the syntactic comparison.
        measures: keys of the semantic measures.
        powers: orders p of the mean powers.
        weights: weights of the configurations, shape (n,); None weighs all the same.
        weighted_by: a description of the weights, for tables.
        reference: the model that directed measures of predictions are relative to, see `compare_values`; measured
            values are always the reference of models.
        level: the level of the models' intervals; None compares no intervals.
        on_pair: called after each pair of models with the number of compared pairs and the name of the other model.

    Raises:
        ConfigurationError: if there are too few models; otherwise as `compare`.
        MeasurementError: if there is not one measured value per configuration.

    Examples:
        >>> models = [comparison.compared_model("formula", formula), comparison.compared_model("learned", result.model)]
        >>> len(comparison.compare_all(models, measured.configurations).comparisons)
        1
    """
    if len(models) < (2 if measured is None else 1):
        raise ConfigurationError("a comparison needs at least two models")
    if measured is not None and (configurations is None or measured.shape != (len(configurations),)):
        raise MeasurementError("there must be one measured value (or NaN) per configuration")
    predicting = tuple(models if configurations is None else (_predicting(m, configurations) for m in models))
    weighing = None if weights is None else weighted_by
    compared = partial(compare_values, keys=measures, powers=powers, weighted_by=weighing)
    comparisons: list[Comparison] = []
    for other in predicting[1:]:
        first, same_link = predicting[0], predicting[0].model.link == other.model.link
        terms = compare_terms(first.bound, other.bound, constant=constant)
        found: dict[str, Any] = {}
        if configurations is not None and first.predicted is not None and other.predicted is not None:
            found["semantic"] = compared(first.predicted, other.predicted, weights=weights, reference=reference)
            found["discrepancy"] = discrepancy(first.predicted, other.predicted, configurations, weights)
            if len(configurations):
                if same_link:
                    found["hybrid"] = hybrid(first.model, other.model, terms, configurations, weights=weights)
                if same_link and first.model.link == "identity":
                    shares = (SetShare(each.options, each.first, each.second) for each in found["hybrid"].classes)
                    found["option_sets"] = OptionSets("mean", tuple(shares))
                else:
                    found["option_sets"] = variance_sets(first.model, other.model, configurations, weights)
            both = (first, other)
            known = all(model.exact or model.intervals is not None for model in both)
            if level is not None and known and any(model.intervals is not None for model in both):
                # Those of exact predictions have the length 0.
                own, others = (np.array([m.predicted] * 2) if m.intervals is None else m.intervals for m in both)
                found["intervals"] = compare_intervals(own, others, level)
        comparisons.append(Comparison(first.name, other.name, terms, same_link=same_link, **found))
        on_pair(len(comparisons), other.name)
    judged: list[Judged] = []
    if measured is not None and configurations is not None:
        present = ~np.isnan(measured)
        present_weights = None if weights is None else weights[present]
        for model in predicting:
            assert model.predicted is not None
            semantic = compared(measured[present], model.predicted[present], weights=present_weights)
            inside = None
            if model.single is not None and present.any():
                inside = coverage((measured if runs is None else runs)[present], model.single[:, present])
            missed = discrepancy(measured[present], model.predicted[present], configurations[present], present_weights)
            judged.append(Judged(model.name, semantic, inside, missed))
    return Comparisons(predicting, tuple(comparisons), tuple(judged), nfp, constant, weighing, level)


def compared_model(name: str, model: InfluenceModel, at: Mapping[str, float] | None = None) -> ComparedModel:
    """Return a model for `compare_all`.

    Args:
        name: its name in tables and messages.
        model: the model.
        at: as in `compare`; expressions that are of other models' tables are ignored.

    Raises:
        SplcError: if a parameter has no number, with the name of the model.

    Examples:
        >>> comparison.compared_model("formula", formula).name
        'formula'
    """
    require_kind(model, InfluenceModel, "splc.learn(…).model, splc.read_model(path), splc.parse_model(text, system)")
    tables = {"".join(parameter.by.split()) for parameter in model.parameters if parameter.keys}
    values = {key: value for key, value in (at or {}).items() if "".join(key.split()) in tables}
    try:
        return ComparedModel(name, model, bound(model, values))
    except SplcError as error:
        raise error.at(name) from None


def _predicting(model: ComparedModel, configurations: Configurations) -> ComparedModel:
    """Return a model with its predictions; errors name the model and the configuration."""
    try:
        predicted = model.model.predict(configurations)
    except EvaluationError as error:
        values = configurations.assignment(error.row)
        shown = listed([f"{option} = {value:g}" for option, value in values.items()])
        hint = error.advice or "compare on configurations where every model has a value (--on), or correct the model"
        raise ConfigurationError(Problem(error.what, model.name, text=f"configuration {shown}", hint=hint)) from None
    except SplcError as error:
        raise error.at(model.name) from None
    for array in (predicted, model.intervals, model.single):
        if array is not None:
            array.setflags(write=False)
    return replace(model, predicted=predicted)
