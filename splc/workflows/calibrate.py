"""`splc calibrate`: estimate free parameters of an analytical model from measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from comparison.places import Place, discrepancy
from sampling import Space
from splc import __version__
from splc.calibration import SCALE, Bound, Calibration, Estimate, Weights, calibrate
from splc.data.measurements import Measurements
from splc.data.summary import scatter_of
from splc.errors import Problem, RequestError, SpecError, SplcError, listed, nearest, plural
from splc.formats.column_choice import shown_value
from splc.formats.detect import model_format
from splc.formats.models.read import parse_stored_models, write_parameters
from splc.formats.models.stored_model import ReadOptions, StoredModel
from splc.io.files import STANDARD, read_source, require_writable
from splc.io.json import picked
from splc.io.numbers import percentage, short_number
from splc.models.influence import EvaluationError
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.subexpressions import Parameter
from splc.models.text.reader import split_text
from splc.system.variability import VariabilityModel
from splc.workflows import views
from splc.workflows.fields import By, Seed, argument, as_option, bounds_of, names_in, option, refuse, request
from splc.workflows.inputs import ByValue, ModelInputs, each_context, require_files, require_suffix, with_context
from splc.workflows.note import Note, Noted, Notes, Rank

ESTIMATION = "Estimation"
FREE = "The parameters to estimate; 'scale' is a factor on the whole model. Can be repeated."
NOT_DETERMINED = "not determined"
SIDES = {"low": "lower", "high": "upper"}  # the bounds that an estimate may be at
NEGLIGIBLE_PERCENT = 1.0  # formulas with a smaller error are right


@request
class Request(ModelInputs):
    """Estimate free parameters of an analytical model from measurements.

    Bounded least squares, with intervals. Parameters that the measurements cannot tell apart are named.
    """

    analytical: str | None = argument(None, "ANALYTICAL", default="the one of the current folder")(
        "The analytical model (model text). '-' is standard input."
    )
    free: Annotated[tuple[str, ...], as_option("NAME[,NAME...]", FREE, ESTIMATION, parse=names_in, repeated=True)]
    bound: Mapping[str, Bound] = option({}, "NAME=LOW..HIGH", ESTIMATION, parse=bounds_of, repeated=True)(
        "Bounds of a free parameter: 'alpha=1e-8..1e-5', 'beta=..1e-8', 'c=-inf..'. Can be repeated. The default "
        "lower bound is 0, unless the benchmarked value is negative. Bounds of a table are those of its middle row."
    )
    weights: Weights = option("relative", "relative|absolute|log", ESTIMATION)(
        "Which squared residuals are minimized: relative ones, absolute ones, or logarithms of predicted / measured, "
        "for measurements that vary by factors."
    )
    level: float = option(0.95, "LEVEL", ESTIMATION)("The level of the intervals.")
    folds: int = option(10, "K", ESTIMATION)(
        "Folds of the cross-validation: each is predicted with estimates from the others. 0: none."
    )
    seed: Seed = 0
    output: str | None = option(None, "FILE", "Output", names="--output -o")(
        "The file of all parameters to write, with intervals of the estimated ones (TOML, for --parameters)."
    )
    by: By = None


@dataclass(frozen=True)
class Result(Noted):
    """Estimated parameters."""

    request: Request  # the request; that of a value of a context names the file of this value
    calibration: Calibration
    known: Parameters  # the parameters before the estimation
    model: str  # the file of the model
    nfp: str  # the property
    measurements: str  # the file of the measurements
    scaled: bool  # whether `scale` is a factor on the whole model, not one of its parameters
    places: tuple[Place, ...] = ()  # where the formula is wrong with every parameter free, if it is at fault


def run(request: Request, watch: views.Watch = views.UNWATCHED) -> Result | ByValue[Result]:
    """Estimate parameters by bounded least squares; with `by` those of each value of a context."""
    if request.by is not None:
        require_files(request.output, analytical=request.analytical, parameters=request.parameters)
        request = with_context(request, request.by)
    require_suffix(request.output, ".toml", "parameters are written as TOML")
    refuse(
        (not 0 < request.level < 1, f"{request.level:g} is not a level of intervals, such as 0.95", "level"),
        (request.folds < 0 or request.folds == 1, "at least 2 folds; 0 for no cross-validation", "folds"),
    )
    project = request.project(analytical=request.analytical)
    file = project.analytical_file
    if file is None:
        message = "there is no analytical.txt here; name the model, or name it as 'analytical' in splc.toml"
        raise RequestError(message, "analytical")
    notes = Notes()
    space = Space(request.read_system(project, notes))
    parameters = request.known_parameters(project)
    stored = free_model(file, space.system, parameters, request.free)
    request.require_used(stored.used)

    def fitted(free: StoredModel, names: tuple[str, ...], measured: Measurements, **choices: Any) -> Calibration:
        # That of the factor on the whole model is 1.
        unknown = tuple(one.name for one in free.model.parameters if one.name not in parameters.quantities)
        values = measured.column(project.resolve_property(measured))
        choices |= {"bounds": request.bound, "weights": request.weights, "guessed": unknown}
        return calibrate(free.model, measured.configurations, values, free=names, **choices)

    def estimate(requested: Request, measured: Measurements) -> Result:
        nfp = project.resolve_property(measured)
        try:
            fit = fitted(stored, request.free, measured, level=request.level, folds=request.folds, seed=request.seed)
        except EvaluationError as error:
            raise error.at(file) from None
        found, places = [*limits_of(fit, nfp)], tuple[Place, ...]()
        with suppress(SplcError):
            every, complete = tuple(sorted({*request.free, *stored.used})), fit
            if {*every} != {*request.free}:
                # Another parameter than the requested ones may be at fault.
                complete = fitted(free_model(file, space.system, parameters, every), every, measured)
            at_fault, places = fault(complete, measured, nfp)
            found += at_fault
        scaled = SCALE in request.free and all(parameter.name != SCALE for parameter in stored.model.parameters)
        source = measured.report.source or ""
        return Result(requested, fit, parameters, file, nfp, source, scaled, places, notes=tuple(found))

    with notes:
        if (by := request.by) is None:
            require_writable(request.output, (file, *project.files))
            parts, requests = {"": request.read_measurements(project, space, notes)}, [("", request)]
        else:
            parts = request.read_by(project, space, notes, by)
            requests = [*each_context(request, by, [*parts], output=request.output)]
        results: dict[str, Result] = {}
        for value, requested in requests:
            require_writable(requested.output, (file, *project.files))
            result, title = estimate(requested, parts[value]), f"{by} {shown_value(value)}: " if by else ""
            own = (replace(note, text=f"{title}{note.text}") for note in result.notes)
            results[value] = replace(result, notes=(*notes, *own))
        return results[""] if by is None else ByValue(by, results)


def free_model(file: str, system: VariabilityModel, known: Parameters, names: Sequence[str]) -> StoredModel:
    """Read a model whose parameters are those of these names; those without a benchmarked value start at 1."""
    hint = "free are the parameters of the model"
    options = [name for name in names if name in system.term_names]
    wrong = [Problem(f"{name!r} is an option or observed, not a parameter", hint=hint) for name in options]
    for name in names:
        if name in known.expressions:
            message, line = f"{name!r} is an expression of the options, not a number", known.lines.get(name)
            wrong.append(Problem(message, known.source or None, line, hint="free are numbers and tables"))
    if wrong:
        raise SpecError(wrong)
    source = read_source(file)
    # Reading the model reports its problems.
    with suppress(SplcError):
        if model_format(source) == "txt":
            hint = "free are names that the model uses without defining them: delete its line to estimate it"
            texts = {one.name: one.line for one in split_text(source.text())[:-1] if one.name not in known.quantities}
            why = "is a definition of the model; it cannot be free"
            wrong = [Problem(f"{name!r} {why}", file, texts[name], hint=hint) for name in texts if name in names]
    if wrong:
        raise SpecError(wrong)
    parameters = known.changed({name: 1.0 for name in names if name not in known.quantities})
    # With all parameters as names first, which shows the ones that the model uses.
    [stored] = parse_stored_models(source, system, ReadOptions(parameters, symbols=parameters.quantities))
    used = {parameter.name for parameter in stored.model.parameters}
    unused = []
    for name in (name for name in names if name not in used and name != SCALE):
        candidates = sorted(used - {*names})
        hint = f"free can be: {listed([*sorted(used), SCALE])} ('{SCALE}' is a factor on the whole model)"
        if stored.kind != "text":
            hint = f"only model text has parameters; of this model only '{SCALE}' can be estimated"
        elif candidates:
            hint = nearest(name, candidates) or f"others that it uses: {listed(candidates)}"
        unused.append(Problem(f"the model does not use the parameter {name!r}", file, hint=hint))
    if unused:
        raise SpecError(unused)
    [stored] = parse_stored_models(source, system, ReadOptions(parameters, symbols=names))
    return stored


def limits_of(fit: Calibration, nfp: str) -> Iterator[Note]:
    """Yield configurations without a usable value, and estimates that the measurements do not determine."""
    if fit.missing:
        yield Note(f"{plural(fit.missing, 'configuration has', 'configurations have')} no value of {nfp}")
    if fit.zeros:
        zeros = plural(fit.zeros, f"value of {nfp} is", f"values of {nfp} are")
        logarithm = "not positive and left out: only positive values have logarithms"
        yield Note(f"{zeros} {logarithm if fit.weights == 'log' else '0 and left out of the relative error'}")
    for name in fit.without_effect:
        origin = "the benchmarked one" if fit[name].benchmarked is not None else "only a start"
        text = f"{name} is not determined: it changes none of the predictions; its value is {origin}"
        yield Note(text, warning=True)
    for group in fit.confounded:
        text = f"interchangeable in your measurements: {listed(group.names)}"
        yield Note(f"{text}; their values are some of many that fit as well", warning=True)
        for combination in group.combinations:
            value = f"{combination.value:.6g} ({combination.low:.6g} to {combination.high:.6g})"
            yield Note(f"known is {combination.text} = {value}", about=Rank.LIMIT)
    for estimate in fit.estimates:
        if estimate.at_bound is not None:
            text = f"{estimate.name} is at its {SIDES[estimate.at_bound]} bound, {estimate.value:g}: its interval ends "
            yield Note(f"{text}there, and holds only if the true value is within the bounds", warning=True)
    if not fit.converged:
        yield Note("the search did not converge; state bounds with --bound", warning=True)


def fault(fit: Calibration, measured: Measurements, nfp: str) -> tuple[list[Note], tuple[Place, ...]]:
    """Return that the formula is at fault, and where, if its error, with every parameter free, is not noise."""
    values = measured.column(nfp)
    rows = measured.configurations[used := np.isfinite(values) & (values != 0)]
    missed = discrepancy(values[used], fit.model.predict(rows), rows)
    places, place = (missed.places, missed.worst) if missed else ((), None)
    scatter = scatter_of(measured.values[nfp])
    least = NEGLIGIBLE_PERCENT if scatter is None else max(NEGLIGIBLE_PERCENT, 100 * scatter)
    if fit.error_after is None or fit.error_after < least or (scatter is None and place is None):
        return [], ()
    names = listed([one.name for one in fit.estimates])
    text = f"the formula is at fault, not a parameter: with {names} free its error is still "
    text += percentage(fit.error_after, 2)
    text += "" if scatter is None else f" (runs of one configuration differ by {percentage(100 * scatter, 2)})"
    text += "" if place is None else f", mainly where {place.text} ({percentage(place.error, 2)})"
    return [Note(text, about=Rank.LIMIT)], places


def write(result: Result, output: str) -> None:
    """Write all parameters as TOML, the free ones with their estimates and intervals."""
    fit = result.calibration
    new = {parameter.name: parameter for parameter in fit.model.parameters}
    changed = {estimate.name: _quantity(new[estimate.name]) for estimate in fit.estimates}
    count = plural(fit.configurations, "configuration", "configurations")
    names = listed([estimate.name for estimate in fit.estimates], limit=len(changed))
    error, validated = (percentage(value, 6, "undefined") for value in (fit.error_after, fit.error_cross_validated))
    model, measurements, nfp = (" ".join(text.split()) for text in (result.model, result.measurements, result.nfp))
    heading = [
        f"Estimated by splc {__version__}: {names}",
        f"model: {model}; measurements: {measurements}, {nfp}, {count}",
        f"weights: {fit.weights}; mean relative error {error}" + f", cross-validated {validated}" * bool(fit.folds),
    ]
    if fit.undetermined:
        heading.append(f"not determined by these measurements: {', '.join(fit.undetermined)}")
    write_parameters(result.known.changed(changed), output, "\n".join(heading))


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


def as_json(result: Result | ByValue[Result]) -> dict[str, Any]:
    """Return the JSON object of a result; errors are in percent."""
    if isinstance(result, ByValue):
        return result.as_json("splc.calibrate.by/1", as_json)
    fit = result.calibration
    return {
        "schema": "splc.calibrate/1",
        **picked(result, "model, measurements, nfp"),
        "parameters": [
            {
                **picked(one, "name, benchmarked, estimate = value, low, high, ratio"),
                **dict(zip(("ratio_low", "ratio_high"), one.ratio_interval or (None, None), strict=True)),
                **picked(one, "determined, at_bound"),
                "table": None if one.key is None else picked(one, "by, row = key, factor"),
            }
            for one in fit.estimates
        ],
        "confounded": [
            {
                "parameters": group.names,
                "determined": [
                    {**picked(one, "text, kind"), "parts": dict(one.parts), **picked(one, "value, low, high")}
                    for one in group.combinations
                ],
            }
            for group in fit.confounded
        ],
        **picked(fit, "without_effect, error_before, error_after, error_cross_validated, folds"),
        "seed": result.request.seed,
        "worst": [picked(row, "configuration, measured, predicted, error") for row in fit.worst],
        "places": result.places,
        **picked(fit, "configurations, left_out = zeros, missing, weights, level, linear, converged"),
        **picked(fit, "degrees_of_freedom = degrees, deviation"),
        "output": result.request.output,
    }


def view(result: Result | ByValue[Result], detail: views.Detail) -> views.View:
    """Yield the errors and the estimates; by value one table of them."""
    for one in result.results.values() if isinstance(result, ByValue) else (result,):
        if one.request.output is not None:
            yield views.Output(one.request.output, partial(write, one))
    if isinstance(result, ByValue):
        fits = {value: one.calibration for value, one in result.results.items()}
        first = next(iter(fits.values()))
        names = [views.Column(_name(one), f"1.estimates.{at}", _estimated) for at, one in enumerate(first.estimates)]
        yield views.Rows(fits.items(), (result.column, *names, *ERRORS))
        yield f"estimates with their {first.level * 100:g} % intervals"
        for value, one in result.results.items():
            if one.request.output is not None:
                text = f"parameters of {result.by} {shown_value(value)} written to {one.request.output}"
                yield views.Message(text, json=False)
        yield result.notes
        return
    output = result.request.output
    if output != STANDARD:
        yield from _view(result, detail)
    yield result.notes
    if output is not None and result.scaled:
        factor = result.calibration[SCALE].value
        yield views.Message(f"the factor on the whole model is not one of its parameters: use --scale {factor:.6g}")


def _view(result: Result, detail: views.Detail) -> views.View:
    fit = result.calibration
    before = percentage(fit.error_before, 6)
    text = f"mean relative error: {percentage(fit.error_after, 6)}"
    text += f" (with the benchmarked values {before})" if before else ""
    yield views.Answer(f"{text} on {views.counted(fit.configurations, 'configuration')} with {result.nfp}")
    if detail.quiet:
        return
    if fit.folds and fit.error_after is not None:
        error = percentage(fit.error_cross_validated, 6) or "undefined, there is not always a prediction"
        folds = views.counted(fit.folds, "fold")
        yield f"cross-validated: {error} ({folds}, each predicted with estimates from the others)"
    yield from ("", views.Rows(fit.estimates, ESTIMATES), "", views.Rows(fit.worst, RESIDUALS))
    if result.places:
        yield from ("", "measured / predicted with every parameter free:", views.Rows(result.places, views.PLACES))
    if result.request.output is not None:
        yield views.Message(f"parameters written to {result.request.output}", json=False)


def _name(estimate: Estimate) -> str:
    return estimate.name + ("" if estimate.key is None else f" ({estimate.by} = {estimate.key:g})")


def _estimated(estimate: Estimate) -> str:
    interval = views.interval_text((estimate.low, estimate.high))
    return f"{short_number(estimate.value)} ({interval})" if estimate.determined else NOT_DETERMINED


def _remark(estimate: Estimate) -> str:
    if not estimate.determined:
        return NOT_DETERMINED
    return "" if estimate.at_bound is None else f"at its {SIDES[estimate.at_bound]} bound"


ESTIMATES = (
    views.Column("parameter", _name),
    *views.columns("benchmarked, estimate = value, low, high, ratio"),
    *views.columns("ratio low = ratio_interval.0, ratio high = ratio_interval.1"),
    views.Column("remark", _remark),
)
RESIDUALS = (*views.columns("greatest residuals = text, measured, predicted"), views.Column("error, %", "error"))
_ERRORS = "error before = 1.error_before, error = 1.error_after, cross-validated = 1.error_cross_validated"
ERRORS = (*views.columns(_ERRORS, partial(percentage, digits=6)), *views.columns("configurations = 1.configurations"))

EXAMPLES = ("splc calibrate --free alpha,beta", "splc calibrate --free scale analytical.txt -o fitted.toml")
VERB = views.Verb(Request, run, view, as_json, EXAMPLES, doing="calibrating")
