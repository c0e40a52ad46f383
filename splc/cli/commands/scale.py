"""`splc scale`: scaling models of profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from splc.cli.options import By, Context, Ignore, Json, Where, flag, option

if TYPE_CHECKING:
    from splc.workflows.scale import Request

EXAMPLES = (
    "splc scale profile.txt --predict-at p=1024",
    "splc scale runs.csv --coordinates p,n --metric time -o models.py",
    "splc scale profile.txt --predict-at p=16384 --tree",
)
SELECTION = "Selection of models"


def scale(
    profile: Annotated[
        str,
        typer.Argument(
            metavar="PROFILE",
            help="Extra-P's text, JSON, JSON lines or .extra-p, Talpas, CSV, or a folder of CUBE profiles or CSV. "
            "'-' is standard input.",
        ),
    ],
    method: Annotated[str | None, option("NAME", "'default', 'classic', 'basic', 'refinement' or 'extrap'.")] = None,
    settings: Annotated[
        list[str] | None,
        option("NAME=VALUE", "A setting: aggregate, segmented, strong_scaling, … Can be repeated.", names="--set"),
    ] = None,
    predict_at: Annotated[
        list[str] | None,
        option("NAME=VALUE,…", "Predict this point, with a 90 % interval: 'p=1024,n=64'. Can be repeated."),
    ] = None,
    coordinates: Annotated[
        str | None, option("NAME,…", "The columns of a CSV file that are parameters: 'p,n'.")
    ] = None,
    context: Context = None,
    ignore: Ignore = None,
    where: Where = None,
    by: By = None,
    scaling: Annotated[
        str | None,
        option(
            "weak|weak_threaded|strong",
            "CUBE profiles: model means over processes and threads (weak, the default), means over those with a value "
            "other than 0 (weak_threaded), or sums (strong).",
        ),
    ] = None,
    inclusive: Annotated[
        bool, flag("--inclusive", "The value of a call path includes those of calls inside; CUBE profiles are read so.")
    ] = False,
    callpaths: Annotated[
        list[str] | None,
        option("PATTERN", "Model these call paths only. Can be repeated.", SELECTION, names="--callpath"),
    ] = None,
    metrics: Annotated[
        list[str] | None, option("PATTERN", "Model these metrics only. Can be repeated.", SELECTION, names="--metric")
    ] = None,
    tree: Annotated[
        bool, flag("--tree", "Show the call tree, and rank call paths by their share at the last --predict-at.")
    ] = False,
    top: Annotated[int, option("N", "The number of call paths in the ranking.", min=1)] = 20,
    jobs: Annotated[int, option("N", "Processes; -1 is one per core. Useful for thousands of models.")] = 1,
    output: Annotated[
        str, option("FILE", "The models: .json, .txt, .log, .py or .tex.", names="--output -o")
    ] = "learned.json",
    plot: Annotated[
        str | None,
        option(
            "FILE",
            "A plot (.svg, .png, .pdf) of measured values, models and 90 % intervals; with --tree, of the ranking.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Fit scaling models to a profile, one per call path and metric, and write them to learned.json.

    A profile has measurements at points of one or more parameters. The exit code is 1 if a call path has no model.
    """
    given = dict(locals())
    from splc.cli.arguments import names_of, numbers_of, request_of, texts_of
    from splc.workflows.scale import Request

    chosen = texts_of(settings, "--set")
    if method is not None:
        chosen["method"] = method
    names = names_of(coordinates, "--coordinates")
    request = request_of(
        Request,
        given,
        ("method", "by", "json"),
        coordinates=None if names is None else tuple(names),
        settings=chosen,
        predict_at=tuple(numbers_of(text.split(","), "--predict-at") for text in predict_at or ()),
    )
    if by is not None:
        fit_by(request, by, json=json)
        return
    fit_profile(request, json, "scale")


def fit_by(request: Request, by: str, *, json: bool) -> None:
    """Fit the models of each value of a context."""
    from splc.cli.json_output import print_json
    from splc.cli.show.scale import by_as_json, show_by
    from splc.cli.terminal import progress, show_notes
    from splc.workflows.scale import run_by

    with progress("modelling") as on_progress:
        results = run_by(request, by, on_progress)
    show_notes(dict.fromkeys(note for result in results.values() for note in result.notes))
    if json:
        print_json("scale", by_as_json(results, by))
    else:
        show_by(results, by)
    if any(result.profile.failed for result in results.values()):
        raise typer.Exit(1)


def fit_profile(request: Request, json: bool, command: str) -> None:
    """Do what `splc scale` does; `command` is the one that the JSON object names."""
    from splc.cli.json_output import print_json
    from splc.cli.show.scale import as_json, show
    from splc.cli.terminal import progress, show_notes
    from splc.workflows.scale import run

    with progress("modelling") as on_progress:
        result = run(request, on_progress)
    show_notes(result.notes)
    if json:
        print_json(command, as_json(result))
    elif request.output != "-":
        show(result)
    if result.profile.failed:
        raise typer.Exit(1)
