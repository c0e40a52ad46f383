"""`splc predict`: predict configurations with a model."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import (
    Aggregate,
    By,
    Context,
    Duplicates,
    Ignore,
    Invalid,
    Json,
    MeasurementsFile,
    Nfp,
    Options,
    Parameter,
    ParametersFile,
    System,
    Where,
    flag,
    option,
)

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
        str | None, option("FILE", "The file to write. Default: standard output.", names="--output -o")
    ] = None,
    interval: Annotated[
        bool, flag("--interval", "Add the columns low and high, the 90 % prediction intervals.")
    ] = False,
    printed: Annotated[
        bool, flag("--printed", "Predict with the printed model although the file has the full one.")
    ] = False,
    extrapolate: Annotated[
        bool,
        flag(
            "--extrapolate",
            "Predict also values of numeric options that the description does not list, with intervals.",
        ),
    ] = False,
    by: By = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    measurements: MeasurementsFile = None,
    options: Options = None,
    nfp: Nfp = None,
    parameters: ParametersFile = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Predict configurations: a CSV table of them with the column 'predicted'.

    The full model predicts where the file of the model has it, or the JSON file that a log was written with.
    If the model's property was measured, the table contains its values, too, and the mean relative error is printed
    to standard error.
    """
    given = dict(locals())
    from splc.cli.arguments import request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.predict import as_json, by_as_json, show_by, show_error, write
    from splc.cli.terminal import show_notes
    from splc.io.files import STANDARD
    from splc.workflows import predict_by
    from splc.workflows.predict import Request, run

    request = request_of(Request, given, ("by", "json"))
    if by is not None:
        results = predict_by.run(request, by)
        # Many notes are the same for all values.
        show_notes(dict.fromkeys(note for each, _ in results.values() for note in each.notes))
        for each, file in results.values():
            if file is not None:
                write(each, file)
        if json:
            print_json("predict", by_as_json(results, by))
        else:
            show_by(results, by)
        return
    result = run(request)
    show_notes(result.notes)
    if not json:
        show_error(result)
    if output is not None or not json:
        write(result, STANDARD if output is None else output)
    if json:
        print_json("predict", as_json(result, output))
