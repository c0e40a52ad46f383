"""Predict configurations with a model, and judge it where they were measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling import Space
from splc.data.accuracy import mean_relative_error
from splc.errors import ConfigurationError, Problem, RequestError, listed, plural
from splc.formats.measurements.prediction_inputs import PredictionInputs, read_prediction_inputs
from splc.formats.models.read import StoredModel
from splc.io.files import STANDARD
from splc.io.outputs import require_writable
from splc.models.influence import EvaluationError
from splc.project import Project
from splc.types import Array
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Notes, reading_notes


@dataclass(frozen=True, kw_only=True)
class Request(ModelInputs):
    """A request to predict configurations.

    Attributes:
        model: the file of the model: a log, JSON or model text; `-` is standard input.
        configurations: a file of configurations or measurements; `-` is standard input.
        output: the file that the caller writes; it is checked not to be one of the inputs.
    """

    model: str
    configurations: str
    output: str | None = None


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
        notes: what the user should know.
    """

    rows: PredictionInputs
    predicted: Array
    model_nfp: str | None
    error: float | None
    judged: int
    left_out: int
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Predict configurations.

    Raises:
        InputError: if a file cannot be read, or a configuration cannot be predicted.
        RequestError: if both inputs are standard input, or a stated parameter is not used.
        OutputError: if the output is an input or cannot be written.
    """
    if request.model == request.configurations == STANDARD:
        raise RequestError("only one of the two can be standard input", "model", "configurations")
    project = request.project()
    require_writable(request.output, (request.model, request.configurations, *project.files))
    space = Space(project.variability_model())
    with Notes() as notes:
        stored = request.read_model(request.model, project, space.model)
        wanted = stored.nfp or project.nfp
        rows = read_prediction_inputs(request.configurations, space.model, request.policy(space), request.nfp, wanted)
        notes += reading_notes(rows.report)
        predicted = _predictions(request.model, stored, project, rows)
        notes += _notes_about_property(rows, stored.nfp, project.nfp)
        if rows.measured is None:
            return Result(rows, predicted, stored.nfp, None, 0, 0, tuple(notes))
        measured = ~np.isnan(rows.measured)
        zeros = int((rows.measured == 0).sum())
        if zeros:
            notes.append(
                Note(f"{plural(zeros, 'value', 'values')} of {rows.nfp} are 0 and left out of the relative error")
            )
        error = mean_relative_error(predicted[measured], rows.measured[measured])
        return Result(rows, predicted, stored.nfp, error, int(measured.sum()), zeros, tuple(notes))


def _predictions(file: str, stored: StoredModel, project: Project, rows: PredictionInputs) -> Array:
    """Return the predictions."""
    try:
        return stored.model.predict(project.with_observed(rows.configurations))
    except EvaluationError as failure:
        hint = "; ".join(filter(None, (failure.advice, f"the model is {file}")))
        line = int(rows.lines[failure.row])
        raise ConfigurationError(Problem(failure.what, rows.report.source, line, hint=hint)) from None


def _notes_about_property(rows: PredictionInputs, own: str | None, expected: str | None) -> list[Note]:
    """Return a note where the model is judged by another property than its own, or by none of several."""
    if rows.nfp is not None:
        if own is None or own.split() == rows.nfp.split():
            return []
        return [Note(f"the model is about {own!r}, but is judged by {rows.nfp!r}, as --property says", warning=True)]
    if not rows.properties:
        return []
    wanted, properties = own or expected, listed(rows.properties)
    if wanted is not None:
        who = "the model" if own is not None else "splc.toml"
        reason = f"{who} is about {wanted!r}, of which there are no values here, only of: {properties}"
    else:
        reason = f"there are several properties ({properties}), and the model does not say which one it is about"
    return [Note(f"no error is given: {reason}; choose one with --property")]
