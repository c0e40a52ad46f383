"""The full model as plain data: Gaussian processes whose kernels are products over variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

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


@dataclass(frozen=True)
class ShapeProgram:
    """A column of a numeric variable."""

    # 'identity', 'ln', 'ln1p': (f(x) - a) / b; 'identity^2', …: the square of that minus 0.6; 'level': 1 if x is a,
    # else -1; 'threshold': ((1 if x >= a, else 0) - b) / c; 'presence': 1 if there is a value, else -1
    shape: str
    a: float = 0.0  # see `shape`
    b: float = 0.0  # see `shape`
    c: float = 0.0  # see `shape`


@dataclass(frozen=True)
class VariableProgram:
    """A variable of a Gaussian process, and its states in the rows.

    A state has a value in each column. That of binary variables and alternative groups is the position of the selected
    option, the last one if none is selected. That of numeric variables is a value, None where it is deselected.
    """

    options: tuple[str, ...]  # the options
    columns: tuple[tuple[float, ...], ...]  # the values of each state, one for each column
    shapes: tuple[ShapeProgram, ...]  # the columns of a numeric variable as functions of its value; empty for others
    rows: str  # the state of each row: a character whose code minus 48 is the position of the state


@dataclass(frozen=True)
class KernelProgram:
    """The hyperparameters of a kernel, and the weights of the rows."""

    relevances: tuple[tuple[float, ...], ...]  # those of the columns of each variable
    interaction: float  # rho
    stationary: float  # a
    width: float  # w
    noise: float  # the variance of the noise
    weights: tuple[float, ...]  # the weight of each row in the mean
    mean: float  # the mean is this plus `deviation` times the weighted sum of the kernels
    deviation: float  # see `mean`


@dataclass(frozen=True)
class ScaleProgram:
    """A scale (`splc.learning.projection.scales.Scale`)."""

    name: str
    unit: float
    positive: bool
    lowest: float
    shift: float
    constant_noise: float = CONSTANT_NOISE

    @classmethod
    def of(cls, scale: Scale) -> ScaleProgram:
        """Return a scale as plain data; JSON has no infinite numbers."""
        return cls(**asdict(replace(scale, lowest=max(scale.lowest, -1e300))))


@dataclass(frozen=True)
class GaussianProcess:
    """The average of Gaussian processes with the same rows."""

    where: str | None  # the option that is 1 in configurations that it adds to; None: it adds to all
    scale: ScaleProgram  # the scale of its values
    variables: tuple[VariableProgram, ...]  # its variables
    kernels: tuple[KernelProgram, ...]  # the kernels; none for a constant
    constant: float  # the mean of a constant, on the scale
    spread: float | None  # the standard deviation of predictions of a constant, None if it is unknown
    noises: tuple[float, ...]  # multiples of the noise of each row
    jitter: float  # what is added to the noise
    noise: float  # the variance of the noise of a measurement
    noise_unit: float  # what multiples of the noise are divided by
    quantile: float  # the multiple of the standard deviation on each side of intervals
    printed: float  # the weight of the printed model in the mean on the scale, where it has a value
    runs: float  # what the scatter of runs adds to their half width, in quadrature
    # the standard deviation at a further value of an option, as a multiple of its distance from the prediction at the
    # nearest known one; of fewer than 2 / `extrapolation` values it is 2 / their number
    extrapolation: float = EXTRAPOLATION


def processes_of(full: Ensemble | EnsembleSum) -> tuple[GaussianProcess, ...]:
    """Return the Gaussian processes whose sum a full model is."""
    if isinstance(full, EnsembleSum):
        return tuple(_process(summand.full, summand.where) for summand in full.summands)
    return (_process(full, None),)


def _process(ensemble: Ensemble, condition: str | None) -> GaussianProcess:
    variables = tuple(_variable(variable, ensemble) for variable in ensemble.basis.variables) if ensemble.parts else ()
    if ensemble.parts and ensemble.basis.context is not None and ensemble.places is not None:
        variables = (*variables, _context(ensemble.basis.context, ensemble.places))
    level, spread = ensemble.constant
    return GaussianProcess(
        where=condition,
        scale=ScaleProgram.of(ensemble.scale),
        variables=variables,
        kernels=tuple(_kernel(posterior, variables) for posterior in ensemble.parts),
        constant=level,
        spread=spread if math.isfinite(spread) else None,
        noises=tuple(ensemble.parts[0].noise.tolist()) if ensemble.parts else (),
        jitter=JITTER,
        noise=ensemble.noise,
        noise_unit=ensemble.noise_unit,
        quantile=ensemble.quantile,
        printed=0.0 if ensemble.stacked is None else ensemble.stacked.weight,
        runs=ensemble.runs,
    )


def _kernel(posterior: KernelPosterior, variables: Sequence[VariableProgram]) -> KernelProgram:
    theta, design = posterior.theta, posterior.design
    relevances = theta.relevances[design.relevances].tolist()
    spans = zip(design.starts, design.starts[1:], variables, strict=False)
    by_variable = [relevances[start:end] for start, end, _ in spans]
    # Thresholds are columns of some kernels only.
    widths = [len(variable.columns[0]) for variable in variables]
    return KernelProgram(
        relevances=tuple(
            tuple(entries + [0.0] * (width - len(entries))) for entries, width in zip(by_variable, widths, strict=True)
        ),
        interaction=theta.interaction,
        stationary=theta.stationary,
        width=theta.width,
        noise=theta.noise,
        weights=tuple(posterior.weights.tolist()),
        mean=posterior.mean,
        deviation=posterior.deviation,
    )


def _variable(variable: Variable, ensemble: Ensemble) -> VariableProgram:
    """Return a variable with its states in the rows."""
    configurations = ensemble.configurations
    if variable.kind == "numeric":
        shapes = [*shapes_of(variable, ensemble.basis.rows), *threshold_shapes(variable)]
        # numpy's set of values is sorted, NaN last.
        values, rows = np.unique(variable.column(configurations), return_inverse=True)
        columns = np.column_stack([column_of(shape, values) for shape in shapes])
        return _variable_program(variable.members, columns, tuple(map(_shape, shapes)), rows)
    members = variable.members if variable.kind == "group" else variable.members[:1]
    selected = np.column_stack([configurations.column(name) == 1 for name in members])
    rows = np.where(selected.any(axis=1), selected.argmax(axis=1), len(members))
    return _variable_program(members, _states(variable, len(members), ensemble.basis.rows), (), rows)


def _context(block: ContextBlock, context_positions: Array) -> VariableProgram:
    """Return the context as a variable without options, whose last state is the one that predictions are about."""
    count = len(block.names)
    order = np.array([*(position for position in range(count) if position != block.place), block.place])
    columns = np.hstack(block.columns(order))
    return _variable_program((), columns, (), np.argsort(order)[context_positions])


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


def _variable_program(
    options: tuple[str, ...], columns: Array, shapes: tuple[ShapeProgram, ...], rows: Array
) -> VariableProgram:
    states = "".join(chr(FIRST_STATE + state) for state in rows.tolist())
    return VariableProgram(options, tuple(map(tuple, columns.tolist())), shapes, states)


def _shape(shape: Shape) -> ShapeProgram:
    match shape:
        case ScaledShape(transform, middle, half, squared):
            return ShapeProgram(f"{transform}^2" if squared else transform, middle, half, SQUARE_SHIFT)
        case LevelShape(value):
            return ShapeProgram("level", value)
        case ThresholdShape(value, share, size):
            return ShapeProgram("threshold", value, share, size)
        case PresenceShape():
            return ShapeProgram("presence")
