"""Estimate parameters of an analytical model from measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

import numpy as np

from sampling import Space
from splc import __version__
from splc.calibration import SCALE, Bound, Calibration, Weights, calibrate
from splc.data.accuracy import signed_errors
from splc.data.discrepancy import worst_place
from splc.data.measurements import Measurements
from splc.data.summary import summary_of
from splc.errors import OutputError, Problem, RequestError, SplcError, listed, plural
from splc.formats.measurements.columns import shown_value
from splc.formats.models.parameters import write_parameters
from splc.io.files import STANDARD
from splc.io.numbers import percentage, signed_percentage
from splc.io.outputs import require_writable
from splc.models.influence import EvaluationError
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.subexpressions import Parameter
from splc.workflows.by import each_context, require_files, with_context
from splc.workflows.common_fields import Seed
from splc.workflows.field_values import bounds_of, names_in
from splc.workflows.fields import as_argument, as_option, request
from splc.workflows.free_parameters import read_free_model
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Notes, Rank

ESTIMATION = "Estimation"
RESULTS = "Output"
# A formula with a smaller error is right.
NEGLIGIBLE_PERCENT = 1.0


@request
class Request(ModelInputs):
    """A request to estimate parameters."""

    analytical: Annotated[
        str | None,
        as_argument(
            "ANALYTICAL",
            "The analytical model (model text). '-' is standard input.",
            default="the one of the current folder",
        ),
    ] = None
    free: Annotated[
        tuple[str, ...],
        as_option(
            "NAME[,NAME...]",
            "The parameters to estimate; 'scale' is a factor on the whole model. Can be repeated.",
            ESTIMATION,
            parse=names_in,
            repeated=True,
        ),
    ]
    bound: Annotated[
        Mapping[str, Bound],
        as_option(
            "NAME=LOW..HIGH",
            "Bounds of a free parameter: 'alpha=1e-8..1e-5', 'beta=..1e-8', 'c=-inf..'. Can be repeated. The "
            "default lower bound is 0, unless the benchmarked value is negative. Bounds of a table are those of its "
            "middle row.",
            ESTIMATION,
            parse=bounds_of,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    weights: Annotated[
        Weights,
        as_option(
            "relative|absolute|log",
            "Which squared residuals are minimized: relative ones, absolute ones, or logarithms of predicted / "
            "measured, for measurements that vary by factors.",
            ESTIMATION,
        ),
    ] = "relative"
    level: Annotated[float, as_option("LEVEL", "The level of the intervals.", ESTIMATION)] = 0.95
    folds: Annotated[
        int,
        as_option(
            "K", "Folds of the cross-validation: each is predicted with estimates from the others. 0: none.", ESTIMATION
        ),
    ] = 10
    seed: Seed = 0
    output: Annotated[
        str | None,
        as_option(
            "FILE",
            "The file of all parameters to write, with intervals of the estimated ones (TOML, for --parameters).",
            RESULTS,
            names="--output -o",
        ),
    ] = None


@dataclass(frozen=True)
class Result:
    """Estimated parameters.

    Attributes:
        calibration: the estimates with their intervals and errors.
        known: the parameters before the estimation.
        model: the file of the model.
        nfp: the property.
        measurements: the file of the measurements.
        scaled: whether `scale` is a factor on the whole model, not one of its parameters.
        seed: the seed of the folds.
        notes: what the user should know.
        output: the file for the parameters.
    """

    calibration: Calibration
    known: Parameters
    model: str
    nfp: str
    measurements: str
    scaled: bool
    seed: int = 0
    notes: tuple[Note, ...] = ()
    output: str | None = None


def run(request: Request, given: Measurements | None = None) -> Result:
    """Estimate parameters by bounded least squares.

    Args:
        request: what to estimate.
        given: the measurements, if they were read already.

    Raises:
        RequestError: if the level or the number of folds is out of range, or a stated parameter is not used.
        SpecError: if a free name is not one of a parameter of the model.
        InputError: if a file cannot be found or read.
        OutputError: if the output is an input or cannot be written.
    """
    _require_sense(request)
    project = request.project(analytical=request.analytical)
    file = project.analytical_file
    if file is None:
        message = "there is no analytical.txt here; name the model, or name it as 'analytical' in splc.toml"
        raise RequestError(message, "analytical")
    require_writable(request.output, (file, *project.files))
    notes = Notes()
    space = Space(request.read_system(project, notes if given is None else Notes()))
    parameters = request.known_parameters(project)
    free = read_free_model(file, space.system, parameters, request.free)
    request.require_used(free.used)
    with notes:
        measured = request.read_measurements(project, space, notes) if given is None else given
        nfp = project.resolve_property(measured)
        fitted = partial(
            calibrate,
            configurations=measured.configurations,
            measured=measured.column(nfp),
            bounds=request.bound,
            weights=request.weights,
        )
        try:
            calibration = fitted(
                free.model,
                free=request.free,
                guessed=free.guessed,
                level=request.level,
                folds=request.folds,
                seed=request.seed,
            )
        except EvaluationError as error:
            raise error.at(file) from None
        notes += (*_left_out(calibration, nfp), *_uncertain(calibration))
        with suppress(SplcError):
            fit, every = calibration, tuple(sorted({*request.free, *free.used}))
            if {*every} != {*request.free}:
                # Another parameter than the requested ones may be at fault.
                other = read_free_model(file, space.system, parameters, every)
                fit = fitted(other.model, free=every, guessed=other.guessed)
            notes += _fault(fit, measured, nfp)
        scaled = SCALE in request.free and all(parameter.name != SCALE for parameter in free.model.parameters)
        source = measured.report.source or ""
        return Result(calibration, parameters, file, nfp, source, scaled, request.seed, tuple(notes), request.output)


def run_by(request: Request, by: str) -> dict[str, Result]:
    """Estimate parameters of each value of a context (version, workload, machine).

    Returns:
        Value → its estimates, in natural order; the request of a result names its own output.

    Raises:
        SplcError: as `run`, or if there is no such context.
    """
    require_files(request.output, analytical=request.analytical, parameters=request.parameters)
    request = with_context(request, by)
    project = request.project(analytical=request.analytical)
    with Notes() as notes:
        parts = request.read_by(project, Space(request.read_system(project, notes)), notes, by)
        results: dict[str, Result] = {}
        for value, requested in each_context(request, by, list(parts), output=request.output):
            result = run(requested, parts[value])
            shared = () if results else tuple(notes)
            titled = (replace(note, text=f"{by} {shown_value(value)}: {note.text}") for note in result.notes)
            results[value] = replace(result, notes=(*shared, *titled))
        return results


def write(result: Result, output: str) -> None:
    """Write all parameters as TOML, the free ones with their estimates and intervals.

    Raises:
        OutputError: if the file cannot be written.
    """
    fit = result.calibration
    new = {parameter.name: parameter for parameter in fit.model.parameters}
    changed = {estimate.name: _quantity(new[estimate.name]) for estimate in fit.estimates}
    count = plural(fit.configurations, "configuration", "configurations")
    names = listed([estimate.name for estimate in fit.estimates], limit=len(changed))
    error, validated = (percentage(value, 6, "undefined") for value in (fit.error_after, fit.error_cross_validated))
    heading = [
        f"Estimated by splc {__version__}: {names}",
        f"model: {_line(result.model)}; measurements: {_line(result.measurements)}, {_line(result.nfp)}, {count}",
        f"weights: {fit.weights}; mean relative error {error}" + f", cross-validated {validated}" * bool(fit.folds),
    ]
    if fit.undetermined:
        heading.append(f"not determined by these measurements: {', '.join(fit.undetermined)}")
    write_parameters(result.known.changed(changed), output, "\n".join(heading))


def _require_sense(request: Request) -> None:
    output = request.output
    if output not in (None, STANDARD) and not str(output).removesuffix(".gz").lower().endswith(".toml"):
        raise OutputError(Problem("parameters are written as TOML", output, hint="name a file that ends in .toml"))
    if not 0 < request.level < 1:
        raise RequestError(f"{request.level:g} is not a level of intervals, such as 0.95", "level")
    if request.folds < 0 or request.folds == 1:
        raise RequestError("at least 2 folds; 0 for no cross-validation", "folds")


def _left_out(fit: Calibration, nfp: str) -> Iterator[Note]:
    """Yield notes about configurations without a usable value."""
    if fit.missing:
        yield Note(f"{plural(fit.missing, 'configuration has', 'configurations have')} no value of {nfp}")
    if fit.zeros:
        zeros = plural(fit.zeros, f"value of {nfp} is", f"values of {nfp} are")
        logarithm = "not positive and left out: only positive values have logarithms"
        yield Note(f"{zeros} {logarithm if fit.weights == 'log' else '0 and left out of the relative error'}")


def _uncertain(fit: Calibration) -> Iterator[Note]:
    """Yield warnings about estimates that the measurements do not determine."""
    for name in fit.without_effect:
        origin = "the benchmarked one" if fit[name].benchmarked is not None else "only a start"
        yield Note(f"{name} is not determined: it changes none of the predictions; its value is {origin}", warning=True)
    for group in fit.confounded:
        names = listed(group.names)
        yield Note(
            f"interchangeable in your measurements: {names}; their values are some of many that fit as well",
            warning=True,
        )
        for combination in group.combinations:
            value = f"{combination.value:.6g} ({combination.low:.6g} to {combination.high:.6g})"
            yield Note(f"known is {combination.text} = {value}", about=Rank.LIMIT)
    for estimate in fit.estimates:
        if estimate.at_bound is not None:
            which = "lower" if estimate.at_bound == "low" else "upper"
            yield Note(
                f"{estimate.name} is at its {which} bound, {estimate.value:g}: its interval ends there, and holds "
                "only if the true value is within the bounds",
                warning=True,
            )
    if not fit.converged:
        yield Note("the search did not converge; state bounds with --bound", warning=True)


def _fault(fit: Calibration, measured: Measurements, nfp: str) -> Iterator[Note]:
    """Yield that the formula is at fault if its error, with every parameter free, is not noise."""
    values = measured.column(nfp)
    rows = measured.configurations[used := np.isfinite(values) & (values != 0)]
    place = worst_place(signed_errors(fit.model.predict(rows), values[used]), rows)
    scatter = next(each.scatter for each in summary_of([measured]).properties if each.name == nfp)
    least = NEGLIGIBLE_PERCENT if scatter is None else max(NEGLIGIBLE_PERCENT, 100 * scatter)
    if fit.error_after is None or fit.error_after < least or (scatter is None and place is None):
        return
    text = "the formula is at fault, not a parameter: "
    text += (
        f"with {listed([one.name for one in fit.estimates])} free its error is still {percentage(fit.error_after, 2)}"
    )
    text += "" if scatter is None else f" (runs of one configuration differ by {percentage(100 * scatter, 2)})"
    text += "" if place is None else f", mainly where {place.text} ({signed_percentage(place.error, 2)})"
    yield Note(text, about=Rank.LIMIT)


def _line(text: str) -> str:
    return " ".join(text.split())


def _quantity(parameter: Parameter) -> Quantity | ParameterTable:
    """Return an estimate as a parameters file has it: with its interval and level, or as not determined."""
    [level] = parameter.levels or (None,)
    rows = []
    for value, low, high in zip(parameter.values_of, parameter.low, parameter.high, strict=True):
        # A row of 0 stays 0 whatever the factor of its table is.
        if parameter.keys and value == low == high == 0:
            rows.append(Quantity.exactly(value))
        elif parameter.determined:
            rows.append(Quantity(value, low, high, level))
        else:
            rows.append(Quantity.undetermined(value))
    return ParameterTable(parameter.by, tuple(zip(parameter.keys, rows, strict=True))) if parameter.keys else rows[0]
