"""`splc suggest`: suggest what to measure next, for a model of a described system or a scaling model."""

from __future__ import annotations

from typing import Annotated

from splc import types
from splc.cli.options import (
    Aggregate,
    Context,
    Duplicates,
    Ignore,
    Invalid,
    Json,
    MeasurementsFile,
    Nfp,
    Options,
    Seed,
    System,
    Where,
    flag,
    option,
)

SUGGESTING = "Suggestions"
SYSTEMS = "Described systems"
SCALING = "Scaling models"
# The options that are about profiles only.
OF_PROFILE = (
    "coordinates", "callpath", "metric", "target", "strategy", "until", "count", "axis", "extend", "repetitions",
)  # fmt: skip
# Those of a described system.
OF_SYSTEM = (
    "goal", "maximize", "seed", "output", "system", "nfp", "invalid", "duplicates", "aggregate", "options",
)  # fmt: skip

EXAMPLES = (
    "splc suggest --measurements few.csv --property solve_seconds --budget 10 -o next.csv",
    "splc suggest --measurements few.csv --property solve_seconds --goal optimum --budget 5 --cost model",
    "splc suggest --measurements runs.csv --coordinates p,n --target p=64,n=8 --until 5% --cost 'value * p'",
)


def suggest(
    measurements: MeasurementsFile = None,
    budget: Annotated[
        float | None,
        option(
            "N",
            "The number of configurations. Of a scaling model: what all measurements may cost, including those already "
            "taken.",
            SUGGESTING,
            min=0,
        ),
    ] = None,
    cost: Annotated[
        str | None,
        option(
            "COST",
            "What a measurement costs: a measured property, or 'model' for the predicted value; the gain per cost "
            "counts. Of a scaling model: an expression of parameters and 'value', such as 'value * p * 24'. "
            "Default: 1; of a scaling model the value, times the number of processes if a parameter is named p, np, "
            "processes, ranks, …",
            SUGGESTING,
        ),
    ] = None,
    goal: Annotated[
        types.Goal,
        option(
            "variance|optimum",
            "Good predictions of all valid configurations, or the configuration with the best value.",
            SYSTEMS,
        ),
    ] = "variance",
    maximize: Annotated[
        bool, flag("--maximize", "With --goal optimum: the greatest value is the best.", SYSTEMS)
    ] = False,
    seed: Seed = 0,
    output: Annotated[
        str | None,
        option("FILE", "The file to write. Default: standard output.", SYSTEMS, names="--output -o"),
    ] = None,
    coordinates: Annotated[
        str | None, option("NAME,…", "The columns of a CSV that are parameters: 'p,n'.", SCALING)
    ] = None,
    callpath: Annotated[
        list[str] | None,
        option("PATTERN", "Only these call paths; values of several are added up. Can be repeated.", SCALING),
    ] = None,
    metric: Annotated[str | None, option("NAME", "The metric, where there are several.", SCALING)] = None,
    target: Annotated[
        str | None,
        option("NAME=VALUE,…", "The point whose value is to be predicted: 'p=1024,n=64'.", SCALING),
    ] = None,
    strategy: Annotated[
        types.PointStrategy | None,
        option(
            "target|cheapest",
            "The largest expected gain at the target per cost, or the cheapest lines and points, as Extra-P does. "
            "Default: target, if there is one.",
            SCALING,
        ),
    ] = None,
    until: Annotated[
        str | None,
        option(
            "ERROR",
            "Stop when both bounds of the 90 % interval of the value at the target are within this percentage of the "
            "prediction. Without a target: when points off the cheapest lines are predicted with this mean error.",
            SCALING,
        ),
    ] = None,
    count: Annotated[
        int | None, option("N", "The number of points. Default: what a line lacks, or one.", SCALING, min=1)
    ] = None,
    axis: Annotated[
        list[str] | None,
        option(
            "NAME=VALUE,…",
            "The possible values of a parameter. Default: the measured ones, continued to five. Can be repeated.",
            SCALING,
        ),
    ] = None,
    extend: Annotated[int, option("N", "N more values of every other parameter.", SCALING, min=0)] = 0,
    repetitions: Annotated[
        int | None, option("N", "Measurements per point. Default: as measured.", SCALING, min=1)
    ] = None,
    json: Json = False,
    system: System = None,
    nfp: Nfp = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
    options: Options = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
) -> None:
    """Suggest what to measure next.

    Of a described system: the configurations whose measurement reduces the variance of predictions most, or with
    --goal optimum those that may be better than the best measured one, as a CSV table for splc measure.

    Of a scaling model with a --target: the point, or the repetition of a measured point, that is expected to make the
    prediction there better at the least cost, until its interval is narrow enough or the budget is spent.

    Of a scaling model without one: the cheapest line of five points along each parameter comes first, then the cheapest
    other points (Ritter et al., Learning Cost-Effective Sampling Strategies).
    """
    given = dict(locals())
    from splc.cli.arguments import axes_of, names_of, numbers_of, percentage_of, request_of
    from splc.cli.json_output import print_json
    from splc.cli.show import suggest as shown
    from splc.cli.show import suggest_configurations as shown_configurations
    from splc.cli.terminal import end_if_negative, show_notes
    from splc.io.files import STANDARD
    from splc.workflows import suggest as of_profile
    from splc.workflows import suggest_configurations as of_system
    from splc.workflows.note import Notes
    from splc.workflows.suggest_mode import mode_of

    request = request_of(of_system.Request, given, (*OF_PROFILE, "json"))
    mode = mode_of(request, [name for name in OF_PROFILE if given[name]])
    if mode.system:
        found = of_system.run(request)
        show_notes(found.notes)
        if output is not None or not json:
            shown_configurations.write(found, STANDARD if output is None else output)
        if json:
            print_json("suggest", shown_configurations.as_json(found, output))
        end_if_negative(found.notes)
        return
    axes = axes_of(axis, "--axis")
    limit = percentage_of(until, "--until")
    profile = request_of(
        of_profile.Request,
        given,
        (*OF_SYSTEM, "json"),
        coordinates=names_of(coordinates, "--coordinates"),
        axis=axes,
        target={} if target is None else numbers_of(target.split(","), "--target"),
        until=limit,
    )
    with Notes(mode.notes) as notes:
        result = of_profile.run(profile)
    if json:
        print_json("suggest", shown.as_json(result, limit, budget))
    else:
        shown.show(result, budget)
    show_notes((*notes, *result.notes))
