"""Predict the configurations of each value of a context (version, workload, machine)."""

from __future__ import annotations

from sampling import Space
from splc.errors import RequestError
from splc.formats.measurements.prediction_inputs import context_values
from splc.workflows import predict
from splc.workflows.by import each_context, files_of, is_pattern, is_single, require_all_values


def run(request: predict.Request, by: str) -> dict[str, predict.Result]:
    """Predict the configurations of each value of a context.

    Returns:
        Value → its predictions, in natural order.

    Raises:
        SplcError: as `splc.workflows.predict.run`, or if there is no such context.
    """
    if any(map(is_single, (request.model, request.configurations, request.output))):
        raise RequestError("the inputs are read for each value, and there is one file per value; name files", "by")
    require_all_values(by, request.where)
    project = request.project_of_models(files_of(request.model))
    space = Space(project.variability_model())
    values = context_values(request.configurations, space.system, request.policy(space, project), by)
    # Models that were learned for each value: `learned-{}.json`.
    models = {"model": request.model} if is_pattern(request.model) else {}
    requests = each_context(request, by, values, output=request.output, **models)
    return {value: predict.run(requested) for value, requested in requests}
