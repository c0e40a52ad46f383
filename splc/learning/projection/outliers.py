"""Outliers: a measured value that all other rows contradict, such as the 99,999 of a failed run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.full_model import fit_full_model
from splc.learning.projection.variables import Variable
from splc.learning.threads import one_thread
from splc.types import Array

# Smaller learning sets are not checked for outliers.
MIN_ROWS = 12
# Of more rows, an even part judges the row, which bounds the time.
MAX_ROWS = 300
# Rows with the value of the candidate do not judge it if this share of the rows remains.
MOSTLY = 0.9
# A value differs from its prediction by the other rows at least by this factor. The difference of logarithms is outside
# of the 90 % interval, at least this multiple of the largest one of another row that its fold was not learned with, and
# of the standard deviation of the others. Rare effects of options are as large as that of their values. From the last
# factor on the difference is only larger than that of another row.
FACTOR, MULTIPLE, SPREADS, CERTAIN = 5.0, 2.0, 4.0, 20.0


@dataclass(frozen=True)
class Outlier:
    """A row whose value the other rows contradict."""

    row: int  # its position
    value: float  # its value
    expected: float  # the prediction of the full model that is learned from the other rows
    # the cross-validated error of this model in percent; None for a constant, and if it is of some rows only
    error: float | None = None


def outlier_of(model: Ensemble, y: Array, repetitions: Array) -> Outlier | None:
    """Return the row that the others contradict, None if there is none. Only positive values are judged.

    The row that the model predicts worst without it is a candidate. The model does not judge it: the value has changed
    the noise that the model assumes. A model that is learned from the other rows does.

    `y`: the values of its configurations, shape (n,). `repetitions`: the number of measurements of each, shape (n,).
    """
    if len(y) < MIN_ROWS or y.min() <= 0:
        return None
    logarithms = np.log(y)
    expected = np.median(logarithms)
    if model.parts:
        with one_thread():
            left_out = np.mean([part.left_out for part in model.parts], axis=0)
        expected = np.log(model.scale.backward(left_out) * model.scale.unit)
    differences = np.abs(logarithms - expected)
    row = int(differences.argmax())
    if differences[row] < np.log(FACTOR):
        return None
    # Several failed runs often have the same value.
    other_rows = np.flatnonzero(y != y[row])
    if len(other_rows) < MOSTLY * len(y):
        other_rows = np.delete(np.arange(len(y)), row)
    if len(_varying(model, model.configurations[other_rows])) < len(model.basis.variables):
        # No other row shows the effect of an option of this row.
        return None
    step = -(-len(other_rows) // MAX_ROWS)
    other_rows = other_rows[::step]
    configurations = model.configurations[other_rows]
    variables = _varying(model, configurations)
    with one_thread():
        judge = fit_full_model(configurations, y[other_rows], variables, repetitions[other_rows])
        predicted = float(judge.predict(model.configurations[[row]])[0])
        interval = np.array(judge.interval(model.configurations[[row]])).ravel()
        largest = float(np.abs(judge.residuals).max())
    difference = abs(float(logarithms[row]) - float(np.log(predicted)))
    spread = float(logarithms[other_rows].std())
    limit = min(max(np.log(FACTOR), MULTIPLE * largest, SPREADS * spread), max(np.log(CERTAIN), largest))
    if difference <= limit or interval[0] <= y[row] <= interval[1]:
        return None
    error = None if step > 1 or judge.constant else judge.cross_validated.mean
    return Outlier(row, float(y[row]), predicted, error)


def _varying(model: Ensemble, configurations: Configurations) -> tuple[Variable, ...]:
    """Return the variables that differ between configurations."""

    def varies(name: str) -> bool:
        column = np.nan_to_num(configurations.column(name), nan=-np.inf)
        return bool((column != column[0]).any())

    return tuple(variable for variable in model.basis.variables if any(map(varies, variable.members)))
