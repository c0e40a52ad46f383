"""`splc predict`: predict configurations with a model, and judge it where they were measured."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from sampling import Space
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations, Observed, value_indices, value_table
from splc.data.property_unit import unit_in_name, unit_remark
from splc.errors import ConfigurationError, InputError, Problem, RequestError, listed, plural
from splc.formats.measurements.configurations import PredictionInputs, context_values, read_inputs, unlisted_values
from splc.formats.measurements.csv import write_configurations
from splc.formats.measurements.tables import read_table
from splc.formats.models.stored_model import StoredModel, choice_of
from splc.io.files import STANDARD, Source, is_file, require_writable
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.learning.result import FullPredictor
from splc.models.influence import EvaluationError
from splc.project import Project
from splc.system.variability import VariabilityModel, extended, open_options
from splc.types import Array
from splc.workflows import fields, inputs, prediction_notes
from splc.workflows.fields import By, Printed
from splc.workflows.note import Note, Noted, Notes, reading_notes
from splc.workflows.prediction_notes import REPEATED, SCATTERED, ExpectedError
from splc.workflows.subspace import failing_notes, known_failures
from splc.workflows.views import UNWATCHED, Column, Detail, Message, Output, Rows, Verb, View, Watch, columns, counted

ROWS = "Configurations (CSV) or measurements (CSV or XML). '-' is standard input."
LEVELS = 5  # so many values of an option say what is between them
BLOCK = 8192  # configurations that are predicted between two reports of progress


@fields.request
class Request(inputs.ModelInputs):
    """Predict configurations: a CSV table of them with the column 'predicted'.

    The full model predicts where the file of the model has it, or the JSON file that a log was written with.
    If the model's property was measured, the table contains its values, too, and the mean relative error is printed
    to standard error.
    """

    model: Annotated[str, fields.as_argument("MODEL", "The model: a log, JSON or model text. '-' is standard input.")]
    configurations: Annotated[str, fields.as_argument("CONFIGURATIONS", ROWS)]
    output: fields.OutputFile = None
    interval: bool = fields.flag("--interval")("Add the columns low and high, the 90 % prediction intervals of a run.")
    printed: Printed = False
    extrapolate: bool = fields.flag("--extrapolate")(
        "Predict also values of numeric options that the description does not list, with intervals; without a "
        "description they are always predicted."
    )
    by: By = None


@dataclass(frozen=True, eq=False)
class PredictionIntervals:
    """The intervals of predictions."""

    level: float  # the probability that a measured value lies inside
    low: Array  # the lower ends, shape (n,)
    high: Array  # the upper ends, shape (n,)
    covered: float | None  # the fraction of the measured runs that lie inside, None where nothing was measured


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """Predictions."""

    rows: PredictionInputs  # the configurations, with the measured values of the property where there are some
    predicted: Array  # the predictions, shape (n,)
    model_nfp: str | None  # the property that the model's file names
    error: float | None  # the mean relative error in percent; None where nothing was measured or it is undefined
    judged: int  # the number of configurations with a measured value
    left_out: int  # the number of measured values that are 0 and have no relative error
    full: bool = False  # whether a full model predicted
    intervals: PredictionIntervals | None = None  # the intervals of the predictions, None if they were not asked for
    extrapolated: Array | None = None  # which have values that the description does not list, shape (n,)
    output: str | None = None  # the file for the predictions
    unit: str | None = None
    run_error: float | None = None  # that of single runs in percent; None where most configurations have one run


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Predict configurations."""
    if request.model == request.configurations == STANDARD:
        raise RequestError("only one of the two can be standard input", "model", "configurations")
    project = request.project_of_models([request.model])
    require_writable(request.output, (request.model, request.configurations, *project.files))
    notes = Notes()
    space = Space(request.read_system(project, notes))
    parts = {part.strip() for part in request.configurations.split(",")}
    is_text = "=" in request.configurations or not parts.isdisjoint(space.system.spellings)
    if is_text and not is_file(request.configurations):
        command = shlex.join(("splc", "explain", request.model, request.configurations))
        hint = f"write a table with this configuration, or use {command}"
        raise InputError(Problem("there is no such file", request.configurations, hint=hint))
    source = read_table(request.configurations)
    with notes:
        read = request.read_model(request.model, project, space.system, notes)
        stored = inputs.predicting(read, notes, printed=request.printed)
        if request.interval and stored.intervals is None:
            hint = "the default learner writes them to JSON: splc learn -o model.json"
            raise RequestError(f"{request.model} has no prediction intervals; {hint}", "interval")
        expected, full = stored.nfp or project.nfp, stored.full is not None
        rows = _read(request, source, project, space, stored, expected)
        notes += reading_notes(rows.report, about=[rows.nfp])
        open_ended = request.extrapolate or space.system.inferred
        extrapolated = _extrapolated(rows, space.system, notes) if open_ended else None
        if request.extrapolate and stored.intervals is None:
            notes.append(Note(f"{request.model} has no prediction intervals; splc learn -o model.json writes them"))
        configurations = _with_observed(stored, project, rows, space.system)
        # Full models use logarithms of options whose listed values are positive.
        defined = np.ones(len(configurations), dtype=bool)
        for option in space.system.numeric_options:
            if option.values[0] > 0:
                defined &= ~(configurations.value(option.name) <= 0)
        try:
            predicted = _predictions(stored, configurations, defined, notes, watch)
        except EvaluationError as failure:
            hint = "; ".join(filter(None, (failure.advice, f"the model is {request.model}")))
            line = int(rows.lines[failure.row])
            raise ConfigurationError(Problem(failure.what, rows.report.source, line, hint=hint)) from None
        about = (rows.nfp or expected, project, space, stored.full, rows.measured)
        notes += prediction_notes.negative_notes(predicted, *about)
        notes += _notes_about_property(rows, space.system, stored.nfp, project.nfp, request.nfp)
        if full and rows.configurations.system.names == space.system.names:
            names = frozenset(space.system.names)
            notes += prediction_notes.unmeasured_notes(rows.configurations, None, stored.full, names, "configuration")
        notes += failing_notes(rows.configurations, known_failures(None, [stored.provenance], space.system))
        intervals = None
        if stored.intervals is not None and (request.interval or request.extrapolate):
            low, high = np.full((2, len(predicted)), np.nan)
            if defined.any():
                low[defined], high[defined] = stored.intervals.interval(configurations[defined])
            covered = None
            if rows.runs is not None:
                known = ~np.isnan(rows.runs) & ~np.isnan(low)[:, None]
                inside = (low[:, None] <= rows.runs) & (rows.runs <= high[:, None])
                covered = float(inside[known].mean()) if known.any() else None
            intervals = PredictionIntervals(stored.intervals.level, low, high, covered)
            notes += prediction_notes.outside_notes((predicted < low) | (predicted > high))
        measured = np.full(len(predicted), np.nan) if rows.measured is None else rows.measured
        learned = prediction_notes.learned_configurations(read, rows.configurations.system)
        if rows.nfp is not None and rows.nfp == read.nfp:
            notes += prediction_notes.learned_from_notes(rows.configurations, measured, {request.model: learned})
        if full:
            stated = ExpectedError.of_values(stored.expected_error)
            notes += prediction_notes.known_settings_notes(rows.configurations, learned, stated, extrapolated)
        zeros, judged = int((measured == 0).sum()), int((~np.isnan(measured)).sum())
        if zeros:
            count = plural(zeros, f"value of {rows.nfp} is", f"values of {rows.nfp} are")
            notes.append(Note(f"{count} 0 and left out of the relative error"))
        run_error = None
        if rows.runs is not None and (known := ~np.isnan(rows.runs)).sum() >= REPEATED * judged:
            run_error = mean_relative_error(np.broadcast_to(predicted[:, None], known.shape)[known], rows.runs[known])
        return Result(
            *(rows, predicted, stored.nfp, mean_relative_error(predicted, measured), judged, zeros),
            *(full, intervals, extrapolated, request.output),
            unit=stored.unit or (None if expected is None else unit_in_name(expected)),
            run_error=run_error,
            notes=tuple(notes),
        )


def _read(
    request: Request, source: Source, project: Project, space: Space, stored: StoredModel, expected: str | None
) -> PredictionInputs:
    """Read the configurations, for extrapolation, of a system with all of their values."""
    unlisted = unlisted_values(source, space.system, project.columns.unread)
    if request.extrapolate and unlisted is None:
        raise RequestError(f"{source.name} is not a CSV table with a header", "extrapolate")
    open_ended = request.extrapolate or space.system.inferred
    used = Space(extended(space.system, unlisted)) if open_ended and unlisted else space
    try:
        policy = request.policy(used, project, choice_of([stored.columns]))
        return read_inputs(source, used.system, policy, request.nfp, expected)
    except InputError as error:
        if not unlisted or open_ended:
            raise
        last = error.problems[-1]
        hint = f"--extrapolate predicts values of {listed(list(unlisted))} that the description does not list"
        hint = "; ".join(filter(None, (last.hint, hint)))
        raise type(error)([*error.problems[:-1], replace(last, hint=hint)]) from None


def _extrapolated(rows: PredictionInputs, system: VariabilityModel, notes: Notes) -> Array:
    """Return which configurations have unlisted values, and note how far these are from the listed ones."""
    mask, outside, noted = np.zeros((3, len(rows.configurations)), dtype=bool)
    texts = []
    word = "known" if system.inferred else "listed"
    for option in open_options(system):
        values = rows.configurations.value(option.name)
        unlisted = ~np.isnan(values) & (value_indices(option, values) < 0)
        mask |= unlisted
        known = value_table(option)
        low, high = np.nanmin(known), np.nanmax(known)
        is_beyond = unlisted & ((values < low) | (values > high))
        # Errors of the model are about values between several of an inferred option, too.
        shown = is_beyond if system.inferred and option.size >= LEVELS else unlisted
        if shown.any():
            outside |= is_beyond
            noted |= shown
            numbers = np.unique(values[shown]).tolist()
            text = f"{option.name} = {listed([f'{value:g}' for value in numbers], 6)}"
            unit = unit_remark(known[~np.isnan(known)].tolist(), numbers) if shown.all() else None
            position = f"{is_beyond.sum():,} beyond" if is_beyond.any() else "all between"
            texts.append(f"{text} ({word} are {low:g} to {high:g}; {position}{f'; {unit}' if unit else ''})")
    if texts:
        count = plural(int(noted.sum()), "configuration has", "configurations have")
        if not noted.all():
            count = f"{noted.sum():,} of {len(noted):,} configurations {'has' if noted.sum() == 1 else 'have'}"
        beyond = f"extrapolations for {int(outside.sum()):,} and interpolations for the others"
        kind = "extrapolations" if outside[noted].all() else beyond
        kind = kind if outside.any() else f"interpolations between {word} values"
        source = "that were not learned from" if system.inferred else "that the description does not list"
        text = f"{count} values {source}: their predictions are {kind}, for which neither "
        text += "the error of the model nor the level of its intervals is known"
        notes.append(Note(text, warning=bool(outside.any()) or not system.inferred, details=tuple(texts)))
    return mask


def _with_observed(
    stored: StoredModel, project: Project, rows: PredictionInputs, system: VariabilityModel
) -> Configurations:
    """Return configurations with observed variables: of the project, the table, or what the model was learned from."""
    configurations, full = rows.configurations, stored.full
    if configurations.system.options != system.options:
        return configurations
    if project.observations is not None or not system.observed:
        return project.with_observed(configurations)
    used = (*stored.model.options, *(full.options if isinstance(full, FullPredictor) else ()))
    names = [name for name in system.observed if name in used]
    if names and all(name in rows.columns for name in names):
        observed = Observed({name: rows.columns[name] for name in names}, np.ones(len(configurations), dtype=bool))
        return Configurations(replace(system, observed=tuple(names)), configurations.indices, observed)
    return configurations.with_observed(full.configurations) if isinstance(full, FullPredictor) else configurations


def _predictions(stored: StoredModel, rows: Configurations, defined: Array, notes: Notes, watch: Watch) -> Array:
    """Return the predictions: of the printed model where the full one has none."""
    if stored.full is None:
        return stored.model.predict(rows)
    predicted = np.full(len(rows), np.nan)
    if without := int((~defined).sum()):
        predicted[~defined] = stored.model.predict(rows)[~defined]
        text = "the full model has logarithms of options that are not positive in "
        text += f"{plural(without, 'configuration', 'configurations')}: the printed one predicts"
        notes.append(Note(f"{text} there, without an interval"))
    indices = np.flatnonzero(defined)
    for start in range(0, len(indices), BLOCK):
        watch.advance(start, len(indices), f"predicting {len(indices):,} configurations")
        block = indices[start : start + BLOCK]
        predicted[block] = stored.full.predict(rows[block])
    return predicted


def _notes_about_property(
    rows: PredictionInputs, system: VariabilityModel, model_nfp: str | None, expected: str | None, choice: str | None
) -> list[Note]:
    """Return a note where the model is judged by another property than its own, or by none of several."""
    if rows.nfp is not None:
        if model_nfp is None or model_nfp.split() == rows.nfp.split():
            return []
        text = f"the model predicts {model_nfp!r}, but its error is that of {rows.nfp!r}, which --property names"
        return [Note(text, warning=True)]
    properties = [name for name in rows.properties if name not in system.observed]
    if not properties:
        return [] if choice is None else [Note(f"{rows.report.source} has no values of {choice}: no error is given")]
    reason = f"there are several properties ({listed(properties)}), and the model does not name its own"
    if (name := model_nfp or expected) is not None:
        who = "which the model predicts" if model_nfp is not None else "which splc.toml names"
        reason = f"the measurements have no property {name!r}, {who}; they have: {listed(properties)}"
    return [Note(f"no error is given: {reason}; choose one with --property")]


def run_by(request: Request, watch: Watch = UNWATCHED) -> Result | inputs.ByValue[Result]:
    """Predict configurations, or those of each value of a context."""
    if (by := request.by) is None:
        return run(request, watch)
    if any(map(inputs.is_single, (request.model, request.configurations, request.output))):
        raise RequestError("the inputs are read for each value, and there is one file per value; name files", "by")
    inputs.require_all_values(by, request.where)
    project = request.project_of_models(inputs.files_of(request.model))
    space = Space(project.variability_model())
    values = context_values(request.configurations, space.system, request.policy(space, project), by)
    # Models that were learned for each value: `learned-{}.json`.
    models = {"model": request.model} if inputs.PLACE in request.model else {}
    requests = inputs.each_context(request, by, values, output=request.output, **models)
    return inputs.ByValue(by, {value: run(replace(own, by=None), watch) for value, own in requests})


def as_json(result: Result | inputs.ByValue[Result]) -> dict[str, Any]:
    """Return the JSON object of predictions, unless a file has them, with their errors, or of each value's."""
    if isinstance(result, inputs.ByValue):
        return result.as_json("splc.predict.by/1", as_json)
    rows = result.rows
    return {
        "schema": "splc.predict/1",
        "configurations": len(rows.configurations),
        "nfp": rows.nfp,
        **picked(result, "unit, full_model = full, error, run_error, left_out"),
        "invalid": len(rows.report.invalid),
        **picked(result, "intervals, extrapolated"),
        "predicted": result.predicted if result.output is None else None,
        **picked(result, "output, model_nfp"),
    }


def view(result: Result | inputs.ByValue[Result], detail: Detail) -> View:
    """Yield the table of predictions, and their error where the property was measured."""
    if isinstance(result, inputs.ByValue):
        yield from (_file(own) for own in result.results.values() if own.output is not None)
        shown = (
            result.column,
            Column("configurations", lambda entry: len(entry[1].predicted)),
            *columns("error = 1.error", partial(percentage, digits=6)),
            *columns("in intervals = 1.intervals.covered", _inside),
            *columns("predictions = 1.output"),
        )
        yield Rows(result.results.items(), shown)
    else:
        yield _file(result)
        yield from _errors(result)
    yield result.notes


def _errors(result: Result) -> View:
    """Yield the mean relative error and the coverage of intervals, where the property was measured."""
    if result.rows.measured is not None:
        error = percentage(result.error, 6, "undefined")
        scattered = result.run_error is not None and result.run_error >= SCATTERED * (result.error or 0.0)
        single = f"; {percentage(result.run_error, 6)} for single runs" if scattered else ""
        where = f"{counted(result.judged, 'configuration')} with {result.rows.nfp}"
        yield Message(f"mean relative error {error} on {where}{single}", json=False)
    if (intervals := result.intervals) is not None and intervals.covered is not None:
        level = f"{intervals.level * 100:g} %"
        values = "measured values" if result.run_error is None else "measured runs"
        share = _inside(intervals.covered)
        yield Message(f"{share} of the {values} lie in the {level} prediction intervals", json=False)


def _file(result: Result) -> Output:
    """Return the table of configurations, measured values and predictions."""
    rows = result.rows
    measured = {} if rows.nfp is None or rows.measured is None else {rows.nfp: rows.measured}
    names = {*rows.configurations.system.spellings, *measured}
    values = {"predicted": result.predicted}
    if result.intervals is not None:
        values |= {"low": result.intervals.low, "high": result.intervals.high}
    extra = {name if name not in names else f"{name}_{rows.nfp or 'value'}": value for name, value in values.items()}
    write = partial(write_configurations, rows.configurations, extra={**measured, **extra})
    return Output(result.output, write, counted(len(result.predicted), "prediction"))


def _inside(fraction: float) -> str:
    return percentage(fraction * 100, 3)


EXAMPLES = (
    "splc predict learned.log measurements.csv --json",
    "splc predict analytical.txt measurements.csv -o predictions.csv",
)
VERB = Verb(Request, run_by, view, as_json, EXAMPLES, doing="predicting")
