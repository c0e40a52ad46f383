"""Rows to learn from, a random forest, and errors, for all evaluations of contexts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import splc.learning.contexts
import splc.learning.projection
from casestudies.accuracy.real_systems import rounded
from casestudies.contexts.systems import ContextTable
from casestudies.evaluation.evaluation import hash_of
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.projection import FullModel, fit_full_model, variables_of, varying
from splc.types import Array

PROPERTY = "measured"


def measurements_of(table: ContextTable, rows: Array) -> Measurements:
    """Return some of the measurements of a context."""
    return Measurements(table.configurations[rows], {PROPERTY: table.values[rows]})


def full_model_of(measured: Measurements, nfp: str = PROPERTY) -> FullModel:
    """Return the full model of the default learner, without the printed one, which takes most of the time."""
    variables = varying(variables_of(measured.system), measured.configurations)
    return fit_full_model(measured.configurations, measured.column(nfp), variables)


def inside(model: Any, configurations: Configurations, true: Array) -> float | None:
    """Return the share of values in the 90 % intervals; None of a model without intervals."""
    if not hasattr(model, "interval"):
        return None
    low, high = model.interval(configurations)
    found: float | None = rounded(float(np.mean((low <= true) & (true <= high))))
    return found


def errors_of(predicted: Array, true: Array) -> dict[str, Any]:
    """Return the mean and median relative error in percent."""
    errors = 100 * np.abs(predicted / true - 1)
    return {"mean": rounded(float(errors.mean())), "median": rounded(float(np.median(errors)))}


def features(table: ContextTable, rows: Array, place: int, contexts: int) -> Array:
    """Return the options and one column per context."""
    configurations = table.configurations[rows]
    columns = [np.nan_to_num(configurations.column(each.name), nan=-1.0) for each in configurations.system.options]
    marks = np.zeros((len(rows), contexts))
    marks[:, place] = 1.0
    return np.column_stack([*columns, marks])


def forest_of(contexts: Mapping[str, ContextTable], learned: Mapping[str, Array], seed: int) -> Any:
    """Return a random forest of all rows, with the context as a feature."""
    from sklearn.ensemble import RandomForestRegressor

    columns = [
        features(contexts[value], rows, place, len(contexts)) for place, (value, rows) in enumerate(learned.items())
    ]
    target = [contexts[value].values[rows] for value, rows in learned.items()]
    return RandomForestRegressor(random_state=seed).fit(np.vstack(columns), np.concatenate(target))


@cache
def code() -> str:
    """Return the hash of the code that decides the models: after a change of it all cells are run again."""
    packages = (splc.learning.projection, splc.learning.contexts)
    return hash_of(*(file for each in packages for file in sorted(Path(str(each.__file__)).parent.glob("*.py"))))
