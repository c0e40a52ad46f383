"""Predict the configurations of each value of a context (version, workload, machine)."""

from __future__ import annotations

from dataclasses import replace

from sampling import Space
from splc.errors import RequestError
from splc.formats.measurements.prediction_inputs import context_values
from splc.workflows import predict
from splc.workflows.by import file_names, is_single


def run(request: predict.Request, by: str) -> dict[str, predict.Result]:
    """Predict the configurations of each value of a context.

    Returns:
        Value → its predictions, in natural order.

    Raises:
        SplcError: as `splc.workflows.predict.run`, or if there is no such context.
    """
    if any(map(is_single, (request.model, request.configurations, request.output))):
        raise RequestError("the inputs are read for each value, and there is one file per value; name files", "by")
    if by in request.where:
        raise RequestError(f"{by!r} is used twice: either all its values or one", "by", "where")
    project = request.project_of_models([request.model])
    space = Space(project.variability_model())
    values = context_values(request.configurations, space.system, request.policy(space, project), by)
    outputs = file_names(request.output, values)
    found = {}
    for value in values:
        where = {**request.where, by: value}
        found[value] = predict.run(replace(request, where=where, output=outputs.get(value)))
    return found
