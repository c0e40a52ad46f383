"""`splc predict`: what a model predicts for configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from splc.cli.options import Aggregate, Duplicates, Invalid, Json, Nfp, Parameter, ParametersFile, System

if TYPE_CHECKING:
    from splc.formats.measurements.prediction_inputs import ToPredict

PREDICTED = "predicted"

EXAMPLES = (
    "splc predict learned.log measurements.csv --json",
    "splc predict analytical.txt measurements.csv -o predictions.csv",
)


def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model: a log, JSON or model text. '-' is standard input.")
    ],
    configurations: Annotated[
        str,
        typer.Argument(
            metavar="CONFIGURATIONS",
            help="Configurations (CSV) or measurements (CSV or XML). '-' is standard input.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the table there, not to standard output."),
    ] = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    nfp: Nfp = None,
    parameters: ParametersFile = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Predict configurations: a CSV table of them with the column 'predicted'.

    Where the model's property was measured, the table has its values too, and the mean relative error goes to
    standard error.
    """
    import numpy as np

    from sampling import Space
    from splc.cli.arguments import numbers_of
    from splc.cli.json_output import print_json
    from splc.cli.terminal import note, report
    from splc.errors import ConfigurationError, Problem, plural
    from splc.formats.measurements.configurations_csv import write_configurations
    from splc.formats.measurements.prediction_inputs import read_to_predict
    from splc.formats.measurements.rows import Policy
    from splc.formats.models.read import read_stored_model
    from splc.io.files import STANDARD
    from splc.io.outputs import require_writable
    from splc.learning.scoring import mean_relative_error
    from splc.models.influence import EvaluationError
    from splc.project import Project
    from splc.workflows.parameters import require_used, stated_parameters

    if model == configurations == STANDARD:
        raise typer.BadParameter("only one of the two can be standard input", param_hint="MODEL, CONFIGURATIONS")
    if json and output == STANDARD:
        raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
    project = Project.load(system=system, nfp=nfp, parameters=parameters)
    require_writable(output, (model, configurations, *project.files))
    space = Space(project.variability_model())
    policy = Policy(invalid, duplicates, aggregate, space.check, space.violations)
    stated = numbers_of(parameter, "--parameter")
    stored = read_stored_model(model, space.model, parameters=stated_parameters(project, stated))
    found = read_to_predict(configurations, space.model, policy, nfp, stored.nfp or project.nfp)
    report(found.report)
    require_used(stated, stored.used)
    say_what_is_judged(found, stored.nfp, project.nfp)
    try:
        predicted = stored.model.predict(project.with_observed(found.configurations))
    except EvaluationError as failure:
        problem = Problem(
            failure.what,
            found.report.source,
            int(found.lines[failure.row]),
            hint="; ".join(filter(None, (failure.advice, f"the model is {model}"))),
        )
        raise ConfigurationError(problem) from None
    error, left_out = None, 0
    if found.measured is not None:
        there = ~np.isnan(found.measured)
        error = mean_relative_error(predicted[there], found.measured[there])
        left_out = int((found.measured == 0).sum())
        if left_out:
            note(f"{plural(left_out, 'value', 'values')} of {found.nfp} are 0 and left out of the relative error")
        said = "undefined" if error is None else f"{error:.6g} %"
        if not json:
            count = plural(int(there.sum()), "configuration", "configurations")
            note(f"mean relative error {said} on {count} with {found.nfp}")
    if output is not None or not json:
        extra = {} if found.nfp is None or found.measured is None else {found.nfp: found.measured}
        column = (
            PREDICTED if PREDICTED not in {*space.model.spellings, *extra} else f"{PREDICTED}_{found.nfp or 'value'}"
        )
        path = STANDARD if output is None else output
        write_configurations(found.configurations, path, {**extra, column: predicted})
        if path != STANDARD:
            note(f"{plural(len(predicted), 'prediction', 'predictions')} written to {path}")
    if json:
        print_json("predict", {**as_json(found, predicted, error, left_out, output), "model_nfp": stored.nfp})


def say_what_is_judged(found: ToPredict, own: str | None, expected: str | None) -> None:
    """Say on stderr where the model is judged by another property than its own, or by none though some were measured.

    Args:
        found: what is to be predicted.
        own: the property that the model is about, if its file says it.
        expected: the property that the project names.
    """
    from splc.cli.terminal import note, warn
    from splc.errors import listed

    if found.nfp is not None:
        if own is not None and own.split() != found.nfp.split():
            warn(f"the model is about {own!r}, but is judged by {found.nfp!r}, as --nfp says")
    elif found.properties:
        wanted, properties = own or expected, listed(found.properties)
        if wanted is not None:
            who = "the model" if own is not None else "splc.toml"
            reason = f"{who} is about {wanted!r}, of which there are no values here, only of: {properties}"
        else:
            reason = f"there are several properties ({properties}), and the model does not say which one it is about"
        note(f"no error is given: {reason}; choose one with --nfp")


def as_json(found: ToPredict, predicted: Any, error: float | None, left_out: int, output: str | None) -> dict[str, Any]:
    """Return the content of the JSON object."""
    return {
        "configurations": len(found.configurations),
        "nfp": found.nfp,
        "error": error,
        "left_out": left_out,
        "invalid": len(found.report.invalid),
        "predicted": None if output is not None else predicted,
        "output": output,
    }
