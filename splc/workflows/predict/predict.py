"""Predict configurations with a model, and judge it where they were measured."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from sampling import Space
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations, value_indices, value_table
from splc.data.observations import Observed
from splc.data.property_unit import unit_in_name
from splc.errors import ConfigurationError, InputError, Problem, RequestError, listed, plural
from splc.formats.measurements.prediction_inputs import PredictionInputs, read_prediction_inputs
from splc.formats.measurements.shapes import read_table
from splc.formats.measurements.unlisted import unlisted_values
from splc.formats.models.columns import choice_of
from splc.formats.models.read import StoredModel
from splc.io.files import STANDARD, Source, is_file, standard_input_kept
from splc.io.outputs import require_writable
from splc.learning.full_predictor import FullPredictor
from splc.models.influence import EvaluationError
from splc.project import Project
from splc.system.extension import extended, open_options
from splc.system.units import unit_remark
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.common_fields import Printed
from splc.workflows.fields import as_argument, as_flag, as_option, request
from splc.workflows.fixed_space import failing_notes, known_failures
from splc.workflows.inputs import ModelInputs, predicting
from splc.workflows.learn.expected_error import REPEATED, ExpectedError
from splc.workflows.learned_rows import known_settings_notes, learned_configurations, learned_from_notes
from splc.workflows.negative_predictions import negative_notes
from splc.workflows.note import Note, Notes, OnProgress, reading_notes
from splc.workflows.prediction_intervals import outside_notes
from splc.workflows.unmeasured_pairs import unmeasured_notes

# Configurations that are predicted between two reports of progress.
BLOCK = 8192


@request
class Request(ModelInputs):
    """A request to predict configurations."""

    model: Annotated[str, as_argument("MODEL", "The model: a log, JSON or model text. '-' is standard input.")]
    configurations: Annotated[
        str,
        as_argument("CONFIGURATIONS", "Configurations (CSV) or measurements (CSV or XML). '-' is standard input."),
    ]
    output: Annotated[
        str | None, as_option("FILE", "The file to write.", names="--output -o", default="standard output")
    ] = None
    interval: Annotated[
        bool, as_flag("--interval", "Add the columns low and high, the 90 % prediction intervals of a run.")
    ] = False
    printed: Printed = False
    extrapolate: Annotated[
        bool,
        as_flag(
            "--extrapolate",
            "Predict also values of numeric options that the description does not list, with intervals; without a "
            "description they are always predicted.",
        ),
    ] = False


@dataclass(frozen=True, eq=False)
class PredictionIntervals:
    """The intervals of predictions.

    Attributes:
        level: the probability that a measured value lies inside.
        low: the lower ends, shape (n,).
        high: the upper ends, shape (n,).
        covered: the fraction of the measured runs that lie inside, None where nothing was measured.
    """

    level: float
    low: Array
    high: Array
    covered: float | None


@dataclass(frozen=True, eq=False)
class Result:
    """Predictions.

    Attributes:
        rows: the configurations, with the measured values of the property where there are some.
        predicted: the predictions, shape (n,).
        model_nfp: the property that the model's file names.
        error: the mean relative error in percent; None where nothing was measured or it is undefined.
        judged: the number of configurations with a measured value.
        left_out: the number of measured values that are 0 and have no relative error.
        full: whether a full model predicted.
        run_error: the mean relative error of single runs in percent; None where most configurations have one run each.
        intervals: the intervals of the predictions, None if they were not asked for.
        extrapolated: which configurations have values that the description does not list, shape (n,); None without
            extrapolation.
        notes: what the user should know.
        output: the file for the predictions.
    """

    rows: PredictionInputs
    predicted: Array
    model_nfp: str | None
    error: float | None
    judged: int
    left_out: int
    full: bool = False
    intervals: PredictionIntervals | None = None
    extrapolated: Array | None = None
    notes: tuple[Note, ...] = ()
    output: str | None = None
    unit: str | None = None
    run_error: float | None = None


@standard_input_kept()
def run(request: Request, on_progress: OnProgress | None = None) -> Result:
    """Predict configurations.

    Args:
        request: the model and the configurations.
        on_progress: called before every few thousand predictions of a full model.

    Raises:
        InputError: if a file cannot be read, or a configuration cannot be predicted.
        RequestError: if both inputs are standard input, a stated parameter is not used, or the file of the model has
            no intervals and they are wanted.
        OutputError: if the output is an input or cannot be written.
    """
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
        stored = predicting(read, notes, printed=request.printed)
        if request.interval and stored.intervals is None:
            hint = "the default learner writes them to JSON: splc learn -o model.json"
            raise RequestError(f"{request.model} has no prediction intervals; {hint}", "interval")
        expected = stored.nfp or project.nfp
        rows = _read(request, source, project, space, stored, expected)
        notes += reading_notes(rows.report)
        extrapolates = request.extrapolate or space.system.inferred
        extrapolated = _extrapolated(rows, space.system, notes) if extrapolates else None
        if request.extrapolate and stored.intervals is None:
            notes.append(Note(f"{request.model} has no prediction intervals; splc learn -o model.json writes them"))
        predicted = _predictions(request.model, stored, project, rows, space.system, notes, on_progress)
        notes += negative_notes(predicted, rows.nfp or expected, project, space, stored.full, rows.measured)
        properties = tuple(name for name in rows.properties if name not in space.system.observed)
        judged = replace(rows, properties=properties)
        notes += _notes_about_property(judged, stored.nfp, project.nfp, request.nfp)
        if stored.full is not None and rows.configurations.system.names == space.system.names:
            names = frozenset(space.system.names)
            notes += unmeasured_notes(rows.configurations, None, stored.full, names, "configuration")
        notes += failing_notes(rows.configurations, known_failures(None, [stored.provenance], space.system))
        wants_intervals = request.interval or request.extrapolate
        intervals = _intervals(stored, project, rows, space.system) if wants_intervals else None
        if intervals is not None:
            notes += outside_notes((predicted < intervals.low) | (predicted > intervals.high))
        full = stored.full is not None
        measured = np.full(len(predicted), np.nan) if rows.measured is None else rows.measured
        learned = learned_configurations(read, rows.configurations.system)
        if rows.nfp is not None and rows.nfp == read.nfp:
            notes += learned_from_notes(rows.configurations, measured, {request.model: learned})
        if stored.full is not None:
            stated = ExpectedError.of_values(stored.expected_error)
            notes += known_settings_notes(rows.configurations, learned, stated, extrapolated)
        zeros = int((measured == 0).sum())
        if zeros:
            text = f"{plural(zeros, 'value', 'values')} of {rows.nfp} are 0 and left out of the relative error"
            notes.append(Note(text))
        error, count = mean_relative_error(predicted, measured), int((~np.isnan(measured)).sum())
        facts = (error, count, zeros, full, intervals, extrapolated)
        run_error = None
        if rows.runs is not None and (known := ~np.isnan(rows.runs)).sum() >= REPEATED * count:
            run_error = mean_relative_error(np.broadcast_to(predicted[:, None], known.shape)[known], rows.runs[known])
        unit = stored.unit or (None if expected is None else unit_in_name(expected))
        return Result(rows, predicted, stored.nfp, *facts, tuple(notes), request.output, unit, run_error)


def _read(
    request: Request, source: Source, project: Project, space: Space, stored: StoredModel, expected: str | None
) -> PredictionInputs:
    """Read the configurations, for extrapolation, of a system with all of their values."""
    unlisted = unlisted_values(source, space.system, project.columns.unread)
    if request.extrapolate and unlisted is None:
        raise RequestError(f"{source.name} is not a CSV table with a header", "extrapolate")
    extrapolates = request.extrapolate or space.system.inferred
    used = Space(extended(space.system, unlisted)) if extrapolates and unlisted else space
    try:
        policy = request.policy(used, project, choice_of([stored.columns]))
        return read_prediction_inputs(source, used.system, policy, request.nfp, expected)
    except InputError as error:
        if not unlisted or extrapolates:
            raise
        last = error.problems[-1]
        hint = f"--extrapolate predicts values of {listed(list(unlisted))} that the description does not list"
        hint = "; ".join(filter(None, (last.hint, hint)))
        raise type(error)([*error.problems[:-1], replace(last, hint=hint)]) from None


def _extrapolated(rows: PredictionInputs, system: VariabilityModel, notes: Notes) -> Array:
    """Return which configurations have unlisted values, and note how far these are from the listed ones."""
    mask = np.zeros(len(rows.configurations), dtype=bool)
    texts = []
    outside = False
    word = "known" if system.inferred else "listed"
    for option in open_options(system):
        values = rows.configurations.value(option.name)
        unlisted = ~np.isnan(values) & (value_indices(option, values) < 0)
        mask |= unlisted
        if unlisted.any():
            known = value_table(option)
            low, high = np.nanmin(known), np.nanmax(known)
            beyond = unlisted & ((values < low) | (values > high))
            numbers = np.unique(values[unlisted]).tolist()
            outside |= bool(beyond.any())
            position = f"{beyond.sum():,} beyond" if beyond.any() else "all between"
            text = f"{option.name} = {listed([f'{value:g}' for value in numbers], 6)}"
            unit = unit_remark(known[~np.isnan(known)].tolist(), numbers) if unlisted.all() else None
            texts.append(f"{text} ({word} are {low:g} to {high:g}; {position}{f'; {unit}' if unit else ''})")
    if texts:
        count = plural(int(mask.sum()), "configuration has", "configurations have")
        kind = "extrapolations" if outside else f"interpolations between {word} values"
        source = "that were not learned from" if system.inferred else "that the description does not list"
        text = (
            f"{count} values {source}: their predictions are {kind}, for which neither "
            "the error of the model nor the level of its intervals is known"
        )
        notes.append(Note(text, warning=outside or not system.inferred, details=tuple(texts)))
    return mask


def _with_observed(
    stored: StoredModel, project: Project, rows: PredictionInputs, system: VariabilityModel
) -> Configurations:
    """Return configurations with their observed variables, unless some have unlisted values.

    They are those of the project; without one, the table's own columns, or those of what the model was learned from.
    """
    configurations = rows.configurations
    if configurations.system.options != system.options:
        return configurations
    if project.observations is not None or not system.observed:
        return project.with_observed(configurations)
    used = (*stored.model.options, *(stored.full.options if isinstance(stored.full, FullPredictor) else ()))
    names = [name for name in system.observed if name in used]
    if names and all(name in rows.columns for name in names):
        observed = Observed({name: rows.columns[name] for name in names}, np.ones(len(configurations), dtype=bool))
        return Configurations(replace(system, observed=tuple(names)), configurations.indices, observed)
    if not isinstance(stored.full, FullPredictor):
        return configurations
    return configurations.with_observed(stored.full.configurations)


def _predictions(
    file: str,
    stored: StoredModel,
    project: Project,
    rows: PredictionInputs,
    system: VariabilityModel,
    notes: Notes,
    on_progress: OnProgress | None,
) -> Array:
    """Return the predictions: of the printed model where the full one has none."""
    configurations = _with_observed(stored, project, rows, system)
    without = ~_defined(configurations, system)
    try:
        if stored.full is None:
            return stored.model.predict(configurations)
        predicted = np.full(len(configurations), np.nan)
        if without.any():
            predicted[without] = stored.model.predict(configurations)[without]
            count = plural(int(without.sum()), "configuration", "configurations")
            text = (
                f"the full model has logarithms of options that are not positive in {count}: the printed one predicts"
            )
            notes.append(Note(f"{text} there, without an interval"))
        defined = np.flatnonzero(~without)
        for start in range(0, len(defined), BLOCK):
            if on_progress is not None:
                on_progress(start, len(defined), f"predicting {len(defined):,} configurations")
            block = defined[start : start + BLOCK]
            predicted[block] = stored.full.predict(configurations[block])
        return predicted
    except EvaluationError as failure:
        hint = "; ".join(filter(None, (failure.advice, f"the model is {file}")))
        line = int(rows.lines[failure.row])
        raise ConfigurationError(Problem(failure.what, rows.report.source, line, hint=hint)) from None


def _intervals(
    stored: StoredModel, project: Project, rows: PredictionInputs, system: VariabilityModel
) -> PredictionIntervals | None:
    """Return the intervals of the predictions, and how many measured values lie inside."""
    if stored.intervals is None:
        return None
    configurations = _with_observed(stored, project, rows, system)
    low, high = np.full(len(configurations), np.nan), np.full(len(configurations), np.nan)
    defined = _defined(configurations, system)
    if defined.any():
        low[defined], high[defined] = stored.intervals.interval(configurations[defined])
    covered = None
    if rows.runs is not None:
        mask = ~np.isnan(rows.runs) & ~np.isnan(low)[:, None]
        inside = (low[:, None] <= rows.runs) & (rows.runs <= high[:, None])
        covered = float(inside[mask].mean()) if mask.any() else None
    return PredictionIntervals(stored.intervals.level, low, high, covered)


def _defined(configurations: Configurations, system: VariabilityModel) -> Array:
    """Return where full models have values: they use logarithms of options whose listed values are positive."""
    defined = np.ones(len(configurations), dtype=bool)
    for option in system.numeric_options:
        if option.values[0] > 0:
            defined &= ~(configurations.value(option.name) <= 0)
    return defined


def _notes_about_property(
    rows: PredictionInputs, model_nfp: str | None, expected: str | None, choice: str | None
) -> list[Note]:
    """Return a note where the model is judged by another property than its own, or by none of several."""
    if rows.nfp is not None:
        if model_nfp is None or model_nfp.split() == rows.nfp.split():
            return []
        return [
            Note(
                f"the model predicts {model_nfp!r}, but its error is that of {rows.nfp!r}, which --property names",
                warning=True,
            )
        ]
    if not rows.properties:
        return [] if choice is None else [Note(f"{rows.report.source} has no values of {choice}: no error is given")]
    name, properties = model_nfp or expected, listed(rows.properties)
    if name is not None:
        who = "which the model predicts" if model_nfp is not None else "which splc.toml names"
        reason = f"the measurements have no property {name!r}, {who}; they have: {properties}"
    else:
        reason = f"there are several properties ({properties}), and the model does not name its own"
    return [Note(f"no error is given: {reason}; choose one with --property")]
