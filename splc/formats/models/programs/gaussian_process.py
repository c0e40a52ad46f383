"""The full model as plain data: Gaussian processes whose kernels are products over variables.

The keys are those of `docs/schemas/splc.program-1.json`; docs/reference/programs.md has the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from splc.learning.projection import (
    CONSTANT_NOISE,
    EXTRAPOLATION,
    JITTER,
    SQUARE_SHIFT,
    ContextBlock,
    Ensemble,
    EnsembleSum,
    KernelPosterior,
    LevelShape,
    PresenceShape,
    Scale,
    ScaledShape,
    Shape,
    ThresholdShape,
    Variable,
    column_of,
    shapes_of,
    threshold_shapes,
)
from splc.types import Array

# The character of state 0 in texts of states.
FIRST_STATE = 48


def scale_object(scale: Scale) -> dict[str, Any]:
    """Return a scale; JSON has no infinite numbers."""
    return asdict(replace(scale, lowest=max(scale.lowest, -1e300))) | {"constant_noise": CONSTANT_NOISE}


def processes_of(full: Ensemble | EnsembleSum) -> list[dict[str, Any]]:
    """Return the Gaussian processes whose sum a full model is."""
    if isinstance(full, EnsembleSum):
        return [_process(summand.full, summand.where) for summand in full.summands]
    return [_process(full, None)]


def _process(ensemble: Ensemble, condition: str | None) -> dict[str, Any]:
    """Return the average of Gaussian processes with the same rows; `condition`: the option that is 1 where it adds."""
    variables = [_variable(variable, ensemble) for variable in ensemble.basis.variables] if ensemble.parts else []
    if ensemble.parts and ensemble.basis.context is not None and ensemble.places is not None:
        variables.append(_context(ensemble.basis.context, ensemble.places))
    level, spread = ensemble.constant
    return {
        "where": condition,
        "scale": scale_object(ensemble.scale),
        "variables": variables,
        "kernels": [_kernel(posterior, variables) for posterior in ensemble.parts],
        # Without kernels: the mean on the scale, and the standard deviation of predictions, None if it is unknown.
        "constant": level,
        "spread": spread if math.isfinite(spread) else None,
        # The variance of the noise of row r is a kernel's `noise` times `noises[r]`, plus `jitter`.
        "noises": ensemble.parts[0].noise.tolist() if ensemble.parts else [],
        "jitter": JITTER,
        # That of a measurement, whose multiples are divided by `noise_unit`.
        "noise": ensemble.noise,
        "noise_unit": ensemble.noise_unit,
        # The multiple of the standard deviation on each side of intervals.
        "quantile": ensemble.quantile,
        # The weight of the printed model in the mean on the scale, where it has a value.
        "printed": 0.0 if ensemble.stacked is None else ensemble.stacked.weight,
        # What the scatter of runs adds to the half width of intervals, in quadrature.
        "runs": ensemble.runs,
        # The standard deviation at a further value of an option, as a multiple of its distance from the prediction at
        # the nearest known one; of fewer than 2 / `extrapolation` values it is 2 / their number.
        "extrapolation": EXTRAPOLATION,
    }


def _kernel(posterior: KernelPosterior, variables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the hyperparameters of a kernel (the relevances of the columns of each variable), and its weights."""
    theta, design = posterior.theta, posterior.design
    relevances = theta.relevances[design.relevances].tolist()
    spans = zip(design.starts, design.starts[1:], variables, strict=False)
    by_variable = [relevances[start:end] for start, end, _ in spans]
    # Thresholds are columns of some kernels only.
    widths = [len(variable["columns"][0]) for variable in variables]
    return {
        "relevances": [
            entries + [0.0] * (width - len(entries)) for entries, width in zip(by_variable, widths, strict=True)
        ],
        "interaction": theta.interaction,
        "stationary": theta.stationary,
        "width": theta.width,
        "noise": theta.noise,
        "weights": posterior.weights.tolist(),
        "mean": posterior.mean,
        "deviation": posterior.deviation,
    }


def _variable(variable: Variable, ensemble: Ensemble) -> dict[str, Any]:
    """Return a variable with its states in the rows."""
    configurations = ensemble.configurations
    if variable.kind == "numeric":
        shapes = [*shapes_of(variable, ensemble.basis.rows), *threshold_shapes(variable)]
        # numpy's set of values is sorted, NaN last.
        values, rows = np.unique(variable.column(configurations), return_inverse=True)
        columns = np.column_stack([column_of(shape, values) for shape in shapes])
        return _variable_object(variable.members, columns, [_shape(shape) for shape in shapes], rows)
    members = variable.members if variable.kind == "group" else variable.members[:1]
    selected = np.column_stack([configurations.column(name) == 1 for name in members])
    rows = np.where(selected.any(axis=1), selected.argmax(axis=1), len(members))
    return _variable_object(members, _states(variable, len(members), ensemble.basis.rows), [], rows)


def _context(block: ContextBlock, context_positions: Array) -> dict[str, Any]:
    """Return the context as a variable without options, whose last state is the one that predictions are about."""
    count = len(block.names)
    order = np.array([*(position for position in range(count) if position != block.place), block.place])
    columns = np.hstack(block.columns(order))
    return _variable_object((), columns, [], np.argsort(order)[context_positions])


def _states(variable: Variable, members: int, rows: int) -> Array:
    """Return the columns of a variable of binary options for each selected one and none, shape (members + 1, k)."""
    selected = np.vstack([np.eye(members), np.zeros(members)])
    if variable.kind == "binary":
        return 2 * selected - 1
    parts = [] if variable.shared else [2 * selected - 1]
    numbers = np.array([*variable.values, math.nan])
    parts += [column_of(shape, numbers)[:, None] for shape in shapes_of(variable, rows)]
    if variable.shared:
        share = 1 / members
        centred = (selected - share) / np.sqrt(1 - share)
        centred[-1] = 0.0
        parts.append(centred)
    return np.hstack(parts)


def _variable_object(
    options: Sequence[str], columns: Array, shapes: list[dict[str, Any]], rows: Array
) -> dict[str, Any]:
    """Return a variable: the values of each of its states, one for each column, and the state of each row.

    The state of a binary variable or of an alternative group is the position of the selected option, the last one if
    none is selected. That of a numeric variable is a value, and `shapes` are its columns as functions of the value.
    """
    states = "".join(chr(FIRST_STATE + state) for state in rows.tolist())
    return {"options": options, "columns": columns.tolist(), "shapes": shapes, "rows": states}


def _shape(shape: Shape) -> dict[str, Any]:
    """Return a column of a numeric variable as a function of its value x, 0 where it is deselected.

    'identity', 'ln', 'ln1p': (f(x) - a) / b; 'identity^2', …: the square of that minus c; 'level': 1 if x is a, else
    -1; 'threshold': ((1 if x >= a, else 0) - b) / c; 'presence': 1 if there is a value, else -1.
    """
    name, numbers = "presence", (0.0, 0.0, 0.0)
    match shape:
        case ScaledShape(transform, middle, half, squared):
            name, numbers = f"{transform}^2" if squared else transform, (middle, half, SQUARE_SHIFT)
        case LevelShape(value):
            name, numbers = "level", (value, 0.0, 0.0)
        case ThresholdShape(value, share, size):
            name, numbers = "threshold", (value, share, size)
        case PresenceShape():
            pass
    return {"shape": name, **dict(zip("abc", numbers, strict=True))}
