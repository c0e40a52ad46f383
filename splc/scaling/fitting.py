"""One call from measurements to scaling models: `fit` for one quantity, `fit_many` for a whole profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from splc.errors import MeasurementError, SpecError
from splc.scaling.batches import fitted
from splc.scaling.methods import settings_of
from splc.scaling.observed import Observed, observed
from splc.scaling.result import ScalingModel


def fit(
    x: Any,
    y: Any,
    *,
    method: str = "default",
    names: str | Sequence[str] | None = None,
    aggregate: str | None = None,
    strong_scaling: bool | None = None,
    segmented: bool = False,
    exponents: Any = None,
    terms: int | None = None,
    criterion: str | None = None,
) -> ScalingModel:
    """Find how a quantity scales with a parameter.

    Args:
        x: values of the parameter, at least 0, in any order; shape (n,).
        y: measured values, shape (n,) or (n, repetitions); NaN where one is missing.
        method: 'default' (see `splc.scaling.default`); 'classic', the best out of a fixed set of exponents; 'basic',
            Extra-P's default learner; 'refinement', as Following the Blind Seer has it; or 'extrap', refinement as
            Extra-P 4.2.5 has it.
        names: the parameter's name, `x` unless given.
        aggregate: how repetitions become one value, see `splc.scaling.methods.Settings`.
        strong_scaling: whether negative powers are searched ('default', 'classic').
        segmented: whether a change of behaviour is looked for: two models, of 9 points or more.
        exponents: the search space of 'classic', see `splc.scaling.methods.settings_of`.
        terms: how many terms 'classic' may choose, 1 or 2.
        criterion: what 'classic' compares, 'loo' or 'rss'.

    Raises:
        MeasurementError: if no model can be fitted to what was given.
        SpecError: if a setting is unknown or wrong.
    """
    values = np.asarray(y, dtype=object) if isinstance(y, str) else y
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        hint = "give numbers, as many repetitions at every point (NaN where one is missing)"
        raise MeasurementError("y is no array of numbers", hint=hint) from None
    if values.ndim not in (1, 2):
        raise MeasurementError(
            f"y has the shape {values.shape}", hint="give shape (n,) or (n, repetitions); fit_many takes several"
        )
    return fit_many(
        x,
        values[None],
        method=method,
        names=names,
        aggregate=aggregate,
        strong_scaling=strong_scaling,
        segmented=segmented,
        exponents=exponents,
        terms=terms,
        criterion=criterion,
    )[0]


def fit_many(
    x: Any,
    Y: Any,
    *,
    method: str = "default",
    names: str | Sequence[str] | None = None,
    aggregate: str | None = None,
    strong_scaling: bool | None = None,
    segmented: bool = False,
    exponents: Any = None,
    terms: int | None = None,
    criterion: str | None = None,
    jobs: int = 1,
) -> tuple[ScalingModel, ...]:
    """Find how many quantities scale with a parameter; each model is the one that `fit` finds.

    Args:
        x: values of the parameter, shape (n,).
        Y: measured values, shape (models, n) or (models, n, repetitions).
        method: see `fit`, as for all that follows.
        names: the parameter's name.
        aggregate: how repetitions become one value.
        strong_scaling: whether negative powers are searched.
        segmented: whether a change of behaviour is looked for.
        exponents: the search space of 'classic'.
        terms: how many terms 'classic' may choose.
        criterion: what 'classic' compares.
        jobs: number of processes; -1 is one per core. Below some thousand quantities one is fastest.

    Raises:
        MeasurementError: if no model can be fitted to what was given.
        SpecError: if a setting is unknown or wrong.
    """
    settings = settings_of(
        method,
        aggregate=aggregate,
        strong_scaling=strong_scaling,
        exponents=exponents,
        terms=terms,
        criterion=criterion,
    )
    name = _name(names)
    try:
        values = np.asarray(Y, dtype=float)
    except (TypeError, ValueError):
        hint = "give numbers, shape (models, n) or (models, n, repetitions)"
        raise MeasurementError("Y is no array of numbers", hint=hint) from None
    if values.ndim not in (2, 3):
        raise MeasurementError(f"Y has the shape {values.shape}", hint="give (models, n) or (models, n, repetitions)")
    data = observed(x, values)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0:
        raise SpecError(f"{jobs!r} is no number of processes", hint="give 1, 2, …, or -1 for one per core")
    if jobs == 1 or data.models < 2:
        return tuple(fitted(data, settings, name, segmented))
    from joblib import Parallel, delayed, effective_n_jobs

    parts = np.array_split(np.arange(data.models), min(4 * effective_n_jobs(jobs), data.models))
    done = Parallel(n_jobs=jobs)(
        delayed(fitted)(Observed(data.x, data.values[part], data.notes), settings, name, segmented) for part in parts
    )
    return tuple(each for part in done for each in part)


def _name(names: str | Sequence[str] | None) -> str:
    given = ("x",) if names is None else (names,) if isinstance(names, str) else tuple(names)
    if len(given) != 1 or not isinstance(given[0], str) or not given[0].strip():
        raise SpecError(f"{given!r} does not name one parameter", hint="give one name, such as names=['p']")
    return given[0]
