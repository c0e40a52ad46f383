"""Comparing models by terms and by predictions: the first with each other one, and all with measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from comparison.hybrid import hybrid
from comparison.intervals import compare_intervals, coverage
from comparison.result import Compared, Comparison, Comparisons, Judged
from comparison.semantic import DEFAULT_KEYS, compare_values
from comparison.syntactic import compare_terms, links_differ
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, MeasurementError, Problem, SplcError, listed
from splc.models.binding import bound
from splc.models.influence import EvaluationError, InfluenceModel
from splc.types import Array

POWERS = (1.0, 2.0, 3.0)


def compare(
    first: InfluenceModel,
    second: InfluenceModel,
    configurations: Configurations | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    at: Mapping[str, float] | None = None,
    constant: bool = True,
    measures: Sequence[str] = DEFAULT_KEYS,
    powers: Sequence[float] = POWERS,
    weights: Array | None = None,
) -> Comparison:
    """Compare two models.

    Args:
        first: the model that the second is measured by: its influences and predictions are the reference.
        second: the other one.
        configurations: where predictions are compared; None: only terms are.
        names: what the two are called.
        at: what a tabled parameter is over → the value whose row stands for it in terms (by default its middle row).
        constant: whether the constant takes part in the syntactic comparison.
        measures: keys of the semantic measures.
        powers: orders p of the mean powers.
        weights: weights of the configurations, shape (n,); None: all the same.

    Raises:
        ConfigurationError: if a model uses unknown options, or has no finite value at some configuration.
        InputError: if `at` names what no parameter is over.
        SpecError: for an unknown measure.
    """
    found = compare_all(
        list(zip(names, (first, second), strict=True)),
        configurations,
        at=at,
        constant=constant,
        measures=measures,
        powers=powers,
        weights=weights,
    )
    return found.comparisons[0]


def compare_all(
    models: Sequence[tuple[str, InfluenceModel]],
    configurations: Configurations | None = None,
    *,
    measured: Array | None = None,
    nfp: str | None = None,
    at: Mapping[str, float] | None = None,
    constant: bool = True,
    measures: Sequence[str] = DEFAULT_KEYS,
    powers: Sequence[float] = POWERS,
    weights: Array | None = None,
    weighted_by: str | None = None,
    intervals: Mapping[int, Array | None] | None = None,
    measured_intervals: Mapping[int, Array] | None = None,
    level: float = 0.95,
    on_pair: Callable[[int, str], None] | None = None,
) -> Comparisons:
    """Compare the first of several models with each other one, and each with measurements.

    Args:
        models: (name, model), at least two.
        configurations: n configurations where predictions are compared; None: only terms are.
        measured: the measured values there, shape (n,), NaN where there is none; None: none.
        nfp: the property that was measured.
        at: as in `compare`; so `constant`, `measures`, `powers`, `weights`.
        constant: see `compare`.
        measures: see `compare`.
        powers: see `compare`.
        weights: see `compare`.
        weighted_by: what the weights are, for tables.
        intervals: position of a model → lower and upper bounds of its predictions, shape (2, n); None where these are
            not known, so that it is not compared by them. A model that is not there has exact predictions.
        measured_intervals: the same of single measured values, which scatter around the predictions: measured values
            are looked for within these only.
        level: the level of these intervals.
        on_pair: told after each pair of models how many are compared, and the name of the other model.

    Raises:
        ConfigurationError: if there are fewer than two models; otherwise as `compare`.
        MeasurementError: if the measured values are not as many as the configurations.
    """
    if len(models) < 2:
        raise ConfigurationError("a comparison needs two models at least")
    if measured is not None and (configurations is None or measured.shape != (len(configurations),)):
        raise MeasurementError("there must be one measured value (or NaN) per configuration")
    bands = intervals or {}
    subjects = tuple(
        _subject(name, model, configurations, at, bands.get(position)) for position, (name, model) in enumerate(models)
    )
    comparisons: list[Comparison] = []
    for other in subjects[1:]:
        first = subjects[0]
        syntactic = compare_terms(first.bound, other.bound, constant=constant)
        result = Comparison(first.name, other.name, syntactic)
        if configurations is not None and first.predicted is not None and other.predicted is not None:
            semantic = compare_values(
                first.predicted,
                other.predicted,
                keys=measures,
                powers=powers,
                weights=weights,
                weighted_by=weighted_by,
            )
            result = replace(result, semantic=semantic)
            if not links_differ(first.model, other.model) and len(configurations):
                shares = hybrid(first.model, other.model, syntactic, configurations, weights=weights)
                result = replace(result, hybrid=shares)
            unknown = any(place in bands and bands[place] is None for place in (0, 1 + len(comparisons)))
            if not unknown and (first.intervals is not None or other.intervals is not None):
                result = replace(result, intervals=compare_intervals(_interval(first), _interval(other), level))
        comparisons.append(result)
        if on_pair is not None:
            on_pair(len(comparisons), other.name)
    judged: list[Judged] = []
    if measured is not None:
        there = ~np.isnan(measured)
        some = None if weights is None else weights[there]
        wider = measured_intervals or {}
        for position, subject in enumerate(subjects):
            assert subject.predicted is not None
            semantic = compare_values(
                measured[there],
                subject.predicted[there],
                keys=measures,
                powers=powers,
                weights=some,
                weighted_by=weighted_by,
            )
            covered = (
                coverage(measured[there], wider[position][:, there]) if position in wider and there.any() else None
            )
            judged.append(Judged(subject.name, semantic, covered))
    settings = {
        "at": dict(at or {}),
        "constant": constant,
        "weights": None if weights is None else weighted_by or "given",
        "level": None if intervals is None else level,
    }
    return Comparisons(subjects, tuple(comparisons), tuple(judged), nfp, settings)


def _subject(
    name: str,
    model: InfluenceModel,
    configurations: Configurations | None,
    at: Mapping[str, float] | None,
    intervals: Array | None,
) -> Compared:
    """Return a model with its predictions; errors say which model it is."""
    tables = {parameter.by for parameter in model.parameters if parameter.keys}
    # Another model's tables may be over something that this one's are not.
    wanted = {key: value for key, value in (at or {}).items() if "".join(key.split()) in _squeezed(tables)}
    try:
        numbers = bound(model, wanted)
        predicted = None if configurations is None else model.predict(configurations)
    except EvaluationError as error:
        raise _placed(error, name, configurations) from None
    except SplcError as error:
        raise error.at(name) from None
    for values in (predicted, intervals):
        if values is not None:
            values.setflags(write=False)
    return Compared(name, model, numbers, predicted, intervals)


def _interval(subject: Compared) -> Array:
    """Return the intervals of a model's predictions; those of a model without intervals have no length."""
    if subject.intervals is not None:
        return subject.intervals
    assert subject.predicted is not None
    return np.stack([subject.predicted, subject.predicted])


def _placed(error: EvaluationError, name: str, configurations: Configurations | None) -> ConfigurationError:
    """Return an error of a model's evaluation that says which model and which configuration it is."""
    assert configurations is not None
    values = configurations.assignment(error.row)
    shown = listed([f"{option} = {value:g}" for option, value in values.items()])
    hint = error.advice or "compare on configurations where every model has a value (--on), or correct the model"
    return ConfigurationError(Problem(error.what, name, text=f"configuration {shown}", hint=hint))


def _squeezed(names: set[str]) -> set[str]:
    return {"".join(name.split()) for name in names}
