"""Scaling models from measurements: `fit` for one quantity, `fit_many` for many quantities at the same points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from splc.errors import MeasurementError, SpecError, listed
from splc.io.processes import in_processes, processes_for
from splc.scaling.batch import fitted
from splc.scaling.data import Quantities, numbers, quantities
from splc.scaling.methods import settings_of
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
    local: bool | None = None,
) -> ScalingModel:
    """Find a scaling model of a quantity over one or several parameters.

    Args:
        x: values of the parameter, at least 0, in any order, shape (n,); or points of several parameters, shape
            (n, parameters), in any pattern.
        y: measured values, shape (n,) or (n, repetitions); NaN where one is missing.
        method: 'default' (see `single.default`); 'classic', the best of a fixed set of exponents; 'basic', the default
            of Extra-P 4.2.5; 'refinement', as in Following the Blind Seer; or 'extrap', refinement as in Extra-P 4.2.5.
        names: the parameters' names; by default `x`, or `x1`, `x2`, … for several.
        aggregate: the statistic of repetitions, see `splc.scaling.methods.SETTINGS`.
        strong_scaling: whether negative powers are searched ('default', 'classic').
        segmented: whether to look for a change of behaviour along a parameter: two models, if some line has 6 points
            or more.
        exponents: the search space of 'classic', see `splc.scaling.methods.settings_of`.
        terms: the largest number of terms of 'classic', 1 or 2.
        criterion: the error that 'classic' compares, 'loo' or 'rss'.
        local: whether 'default' fits several parameters to the points near the largest values where no hypothesis is
            exact; True unless given. With False all points count alike, which is better for predictions between them.

    Raises:
        MeasurementError: if no model can be fitted to the measurements.
        SpecError: if a setting is unknown or wrong.
    """
    values = numbers(y, "y")
    if values.ndim not in (1, 2):
        raise MeasurementError(
            f"y has the shape {values.shape}", hint="give shape (n,) or (n, repetitions); fit_many takes several"
        )
    return fit_many(
        x, values[None], method=method, names=names, aggregate=aggregate, strong_scaling=strong_scaling,
        segmented=segmented, exponents=exponents, terms=terms, criterion=criterion, local=local,
    )[0]  # fmt: skip


def fit_many(
    x: Any,
    Y: Any,
    *,
    method: str = "default",
    names: str | Sequence[str] | None = None,
    segmented: bool = False,
    jobs: int = 1,
    **settings: Any,
) -> tuple[ScalingModel, ...]:
    """Find scaling models of many quantities over one or several parameters; each is the one that `fit` finds.

    Args:
        x: values of the parameter, shape (n,), or points, shape (n, parameters).
        Y: measured values, shape (models, n) or (models, n, repetitions).
        method: see `fit`.
        names: the parameters' names.
        segmented: whether to look for a change of behaviour.
        jobs: number of processes; -1 is one per core. One is fastest for less than some thousand quantities.
        settings: the other settings of `fit`, such as `aggregate`.

    Raises:
        MeasurementError: if no model can be fitted to the measurements.
        SpecError: if a setting is unknown or wrong.
    """
    chosen = settings_of(method, **settings)
    values = numbers(Y, "Y", "give numbers, shape (models, n) or (models, n, repetitions)")
    if values.ndim not in (2, 3):
        raise MeasurementError(f"Y has the shape {values.shape}", hint="give (models, n) or (models, n, repetitions)")
    data = quantities(x, values, names)
    parameter_names = _names(names, data.points.shape[1])
    if len(parameter_names) > 1 and chosen.method == "classic":
        hint = "use another method, or fit one parameter at a time, the others being constant"
        raise SpecError(f"the method {chosen.method!r} is for one parameter only", hint=hint)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < -1 or jobs == 0:
        raise SpecError(f"{jobs!r} is not a number of processes", hint="give 1, 2, …, or -1 for one per core")
    if jobs == 1 or len(data) < 2:
        return tuple(fitted(data, chosen, parameter_names, segmented))
    parts = np.array_split(np.arange(len(data)), min(4 * processes_for(jobs), len(data)))
    tasks = (Quantities(data.points, data.values[part], data.notes) for part in parts)
    batches = in_processes((partial(fitted, part, chosen, parameter_names, segmented) for part in tasks), jobs)
    return tuple(model for part in batches for model in part)


def _names(names: str | Sequence[str] | None, width: int) -> tuple[str, ...]:
    """Return the checked names of the parameters: x, or x1, x2, … by default."""
    if names is None:
        return ("x",) if width == 1 else tuple(f"x{number}" for number in range(1, width + 1))
    stated = (names,) if isinstance(names, str) else tuple(names)
    if len(stated) != width or not all(isinstance(name, str) and name.strip() for name in stated):
        needed = "one parameter" if width == 1 else f"{width} parameters"
        example = ", ".join(f"'{name}'" for name in ("p", "n", "s", "g")[:width])
        raise SpecError(f"{stated!r} does not name {needed}", hint=f"give one name each, such as names=[{example}]")
    if len(set(stated)) < width:
        raise SpecError(f"duplicate parameter in {listed(stated)}", hint="names must be distinct")
    return stated
