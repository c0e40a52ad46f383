"""`splc calibrate`: estimate parameters of an analytical model from measurements."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from splc.cli import options
from splc.cli.options import option

# The deprecated name of the command. Its JSON has its old schema, `splc.fit/1`.
OLD_NAME = "fit"

FITTING = "Estimation"
RESULTS = "Output"

EXAMPLES = (
    "splc calibrate --free alpha,beta",
    "splc calibrate --free scale analytical.txt -o fitted.toml",
)


def calibrate(
    invoked: typer.Context,
    analytical: Annotated[
        str | None,
        typer.Argument(
            metavar="ANALYTICAL",
            help="The analytical model (model text). Default: the one of the current folder. '-' is standard input.",
            show_default=False,
        ),
    ] = None,
    free: Annotated[
        list[str],
        option(
            "NAME[,NAME...]",
            "The parameters to estimate; 'scale' is a factor on the whole model. Can be repeated.",
            FITTING,
            show_default=False,
        ),
    ] = ...,  # type: ignore[assignment]
    bound: Annotated[
        list[str] | None,
        option(
            "NAME=LOW..HIGH",
            "Bounds of a free parameter: 'alpha=1e-8..1e-5', 'beta=..1e-8', 'c=-inf..'. Can be repeated. The "
            "default lower bound is 0, unless the benchmarked value is negative. Bounds of a table are those of its "
            "middle row.",
            FITTING,
        ),
    ] = None,
    weights: Annotated[
        Literal["relative", "absolute", "log"],
        option(
            "relative|absolute|log",
            "Which squared residuals are minimized: relative ones, absolute ones, or logarithms of predicted / "
            "measured, for measurements that vary by factors.",
            FITTING,
        ),
    ] = "relative",
    level: Annotated[float, option("LEVEL", "The level of the intervals.", FITTING)] = 0.95,
    folds: Annotated[
        int,
        option(
            "K", "Folds of the cross-validation: each is predicted with estimates from the others. 0: none.", FITTING
        ),
    ] = 10,
    seed: options.Seed = 0,
    output: Annotated[
        str | None,
        option(
            "FILE",
            "The file of all parameters to write, with intervals of the estimated ones (TOML, for --parameters).",
            RESULTS,
            names="--output -o",
        ),
    ] = None,
    by: options.By = None,
    json: options.Json = False,
    parameter: options.Parameter = None,
    system: options.System = None,
    measurements: options.MeasurementsFile = None,
    options: options.Options = None,
    nfp: options.Nfp = None,
    parameters: options.ParametersFile = None,
    context: options.Context = None,
    ignore: options.Ignore = None,
    where: options.Where = None,
    invalid: options.Invalid = "error",
    duplicates: options.Duplicates = "error",
    aggregate: options.Aggregate = "mean",
) -> None:
    """Estimate free parameters of an analytical model from measurements.

    Bounded least squares, with intervals. Parameters that the measurements cannot tell apart are named.
    """
    given = dict(locals())
    from splc.calibration import SCALE
    from splc.cli.arguments import bounds_of, names_in, request_of
    from splc.cli.json_output import print_json
    from splc.cli.show.calibrate import as_json, by_as_json, show, show_by
    from splc.cli.terminal import end_if_negative, note, show_notes
    from splc.io.files import STANDARD
    from splc.workflows.calibrate import Request, run, run_by, write

    command = invoked.info_name or "calibrate"
    if command == OLD_NAME:
        note(f"splc {OLD_NAME} is deprecated; use splc calibrate")
    request = request_of(
        Request, given, ("invoked", "by", "json"), free=names_in(free, "--free"), bound=bounds_of(bound or [])
    )
    if by is not None:
        results = run_by(request, by)
        for each in results.values():
            show_notes(each.notes)
            if each.output is not None:
                write(each, each.output)
        if json:
            print_json(command, by_as_json(results, by))
        else:
            show_by(results, by)
        end_if_negative([each for found in results.values() for each in found.notes])
        return
    result = run(request)
    show_notes(result.notes)
    if output is not None:
        write(result, output)
        if result.scaled:
            factor = result.calibration[SCALE].value
            note(f"the factor on the whole model is not one of its parameters: use --scale {factor:.6g}")
    if json:
        print_json(command, as_json(result, output))
    elif output != STANDARD:
        show(result, output)
    end_if_negative(result.notes)
