"""One call from measurements to scaling models: `fit` for one quantity, `fit_many` for a whole profile."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from splc.errors import MeasurementError, SpecError, listed
from splc.scaling.batch import fitted
from splc.scaling.data import Observed, observed
from splc.scaling.methods import Settings, settings_of
from splc.scaling.multi.fit import fitted_many_parameters
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
    """Find how a quantity scales with a parameter, or with several.

    Args:
        x: values of the parameter, at least 0, in any order, shape (n,); or points of several parameters, shape
            (n, parameters), in any pattern (see `splc.scaling.multi.fit`).
        y: measured values, shape (n,) or (n, repetitions); NaN where one is missing.
        method: 'default' (see `single.default`); 'classic', the best out of a fixed set of exponents; 'basic',
            Extra-P's default learner; 'refinement', as Following the Blind Seer has it; or 'extrap', refinement as
            Extra-P 4.2.5 has it.
        names: the parameters' names; unless given `x`, or of several `x1`, `x2`, …
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
    """Find how many quantities scale with a parameter, or with several; each model is the one that `fit` finds.

    Args:
        x: values of the parameter, shape (n,), or points, shape (n, parameters).
        Y: measured values, shape (models, n) or (models, n, repetitions).
        method: see `fit`, as for all that follows.
        names: the parameters' names.
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
    try:
        values = np.asarray(Y, dtype=float)
    except (TypeError, ValueError):
        hint = "give numbers, shape (models, n) or (models, n, repetitions)"
        raise MeasurementError("Y is no array of numbers", hint=hint) from None
    if values.ndim not in (2, 3):
        raise MeasurementError(f"Y has the shape {values.shape}", hint="give (models, n) or (models, n, repetitions)")
    data = observed(x, values)
    called = _names(names, 1 if data.x.ndim == 1 else data.x.shape[1])
    learn = partial(_learned, settings=settings, names=called, segmented=segmented)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0:
        raise SpecError(f"{jobs!r} is no number of processes", hint="give 1, 2, …, or -1 for one per core")
    if jobs == 1 or data.models < 2:
        return tuple(learn(data))
    from joblib import Parallel, delayed, effective_n_jobs

    parts = np.array_split(np.arange(data.models), min(4 * effective_n_jobs(jobs), data.models))
    done = Parallel(n_jobs=jobs)(delayed(learn)(Observed(data.x, data.values[part], data.notes)) for part in parts)
    return tuple(each for part in done for each in part)


def _learned(data: Observed, settings: Settings, names: tuple[str, ...], segmented: bool) -> list[ScalingModel]:
    if len(names) == 1:
        return fitted(data, settings, names[0], segmented)
    if segmented:
        hint = "fit one parameter at a time, the others being constant"
        raise SpecError("changes of behaviour are looked for along one parameter only", hint=hint)
    return fitted_many_parameters(data, settings, names)


def _names(names: str | Sequence[str] | None, width: int) -> tuple[str, ...]:
    """Return the parameters' names, checked: x, or x1, x2, … unless they are given."""
    if names is None:
        return ("x",) if width == 1 else tuple(f"x{at}" for at in range(1, width + 1))
    given = (names,) if isinstance(names, str) else tuple(names)
    if len(given) != width or not all(isinstance(each, str) and each.strip() for each in given):
        what = "one parameter" if width == 1 else f"{width} parameters"
        example = ", ".join(f"'{each}'" for each in ("p", "n", "s", "g")[:width])
        raise SpecError(f"{given!r} does not name {what}", hint=f"give one name each, such as names=[{example}]")
    if len(set(given)) < width:
        raise SpecError(f"a parameter is named twice: {listed(given)}", hint="names must be distinct")
    return given
