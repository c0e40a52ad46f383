"""`splc suggest`: which point of a scaling model's parameters to measure next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from splc.cli.options import Json, MeasurementsFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from splc.data.experiment import Experiment
    from splc.scaling.suggest import Cost, Suggestions

# What parameters that count processes are called.
PROCESSES = ("p", "np", "nprocs", "procs", "processes", "process", "ranks", "mpi_ranks", "num_procs", "tasks", "ntasks")
VALUE = "value"
SUGGESTING = "What to suggest"
SERIES = "Which measurements"

EXAMPLES = (
    "splc suggest --coordinates px,py,nx --metric solve_seconds",
    "splc suggest --coordinates px,py,nx --metric solve_seconds --cost 'value * px * py' --count 3",
)


def suggest(
    measurements: MeasurementsFile = None,
    coordinates: Annotated[
        str | None,
        typer.Option(
            "--coordinates",
            metavar="NAME,…",
            help="The columns of a CSV that are parameters: 'p,n'.",
            rich_help_panel=SERIES,
        ),
    ] = None,
    callpath: Annotated[
        list[str] | None,
        typer.Option(
            "--callpath",
            metavar="PATTERN",
            help="These call paths only; the values of several are added up. Can be repeated.",
            rich_help_panel=SERIES,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="NAME", help="The metric, where there are several.", rich_help_panel=SERIES),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            "--cost",
            metavar="EXPRESSION",
            help="What a measurement costs, of parameters and 'value': 'value * p * 24'. "
            "[the value times the number of processes, where a parameter is named p, np, processes, ranks, …]",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(
            "--until",
            min=0,
            metavar="ERROR",
            help="Good enough: points off the cheapest lines are predicted within so many percent on average.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            min=0,
            metavar="COST",
            help="What all measurements may cost, those already taken among them.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            min=1,
            metavar="N",
            help="How many points. [what is missing of a line, or one]",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            metavar="NAME=VALUE,…",
            help="The values that a parameter can have. [those measured, carried on to five] Can be repeated.",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    extend: Annotated[
        int,
        typer.Option(
            "--extend", min=0, metavar="N", help="N more values of every other parameter.", rich_help_panel=SUGGESTING
        ),
    ] = 0,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            min=1,
            metavar="N",
            help="Measurements per point. [as measured]",
            rich_help_panel=SUGGESTING,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Suggest which point to measure next for a model of how a program scales.

    The cheapest line of five points along each parameter comes first, then the cheapest other points, until the model
    is good enough or the budget is spent (Ritter et al., Learning Cost-Effective Sampling Strategies).
    """
    from splc.cli.arguments import names_of
    from splc.cli.terminal import report
    from splc.formats.experiments.read import read_experiment
    from splc.project import Project
    from splc.scaling.suggest import suggest as suggested

    project = Project.load(measurements=measurements)
    experiment = read_experiment(project.measurements_file, names_of(coordinates, "--coordinates"))
    report(experiment.report)
    points, values, what = _measured(experiment, callpath, metric)
    names = experiment.parameters
    price, text = _cost(cost, names)
    found = suggested(
        points,
        values,
        names=names,
        cost=price,
        axes=_axes(axis, names),
        extend=extend,
        until=until,
        budget=budget,
        count=count,
        repetitions=repetitions,
    )
    if json:
        _print_json(found, text, until, budget, what)
    else:
        _print(found, text, budget)


def _measured(experiment: Experiment, callpath: Sequence[str] | None, metric: str | None) -> tuple[Any, Any, list[str]]:
    """Return points, values added up over call paths, and the call paths.

    Raises:
        MeasurementError: if there are several metrics, or no point has values of all call paths.
    """
    import numpy as np

    from splc.errors import MeasurementError, listed
    from splc.workflows.series import chosen_series

    series = chosen_series(experiment, callpath, None if metric is None else [metric])
    metrics = list(dict.fromkeys(key[1] for key in series))
    if len(metrics) > 1:
        hint = "choose one with --metric"
        raise MeasurementError(f"there are several metrics: {listed(metrics)}", hint=hint).at(experiment.report.source)
    width = min(experiment[key].shape[1] for key in series)
    if len(series) == 1:
        total = experiment[series[0]]
    else:
        total = np.sum([experiment[key][:, :width] for key in series], axis=0)
    there = ~np.isnan(total).all(axis=1)
    if not there.any():
        hint = "choose fewer with --callpath"
        raise MeasurementError("no point has values of all call paths", hint=hint).at(experiment.report.source)
    return experiment.points[there], total[there], [key[0] for key in series]


def _cost(text: str | None, names: Sequence[str]) -> tuple[Cost, str]:
    """Return what a measurement costs, as a function and as text.

    Raises:
        ExpressionError: if the text is no expression of parameters and the value.
    """
    from splc.arithmetic.evaluation import evaluate
    from splc.arithmetic.parser import parse
    from splc.arithmetic.tokens import MODEL_FUNCTIONS, NameTable

    if text is None:
        processes = next((name for name in names if name.casefold() in PROCESSES), None)
        text = VALUE if processes is None else f"{VALUE} * `{processes}`"
    node = parse(text, NameTable({each: each for each in (*names, VALUE)}), functions=MODEL_FUNCTIONS)

    def price(points: Any, values: Any) -> Any:
        columns = {name: points[:, at] for at, name in enumerate(names)} | {VALUE: values}
        return evaluate(node, columns.__getitem__)

    return price, text.replace("`", "")


def _axes(texts: Sequence[str] | None, names: Sequence[str]) -> list[list[float] | None]:
    """Return the values of every parameter that `--axis NAME=VALUE,…` states.

    Raises:
        SpecError: for anything else, an unknown parameter, or one that is there twice.
    """
    from splc.errors import SpecError, unknown_name_hint

    found: dict[str, list[float]] = {}
    for text in texts or ():
        name, sign, values = (part.strip() for part in text.partition("="))
        if not sign or not name:
            raise SpecError(f"{text!r} is no axis", hint="give a parameter's values: --axis p=4,8,16")
        if name not in names:
            raise SpecError(f"--axis: unknown parameter {name!r}", hint=unknown_name_hint(name, names))
        if name in found:
            raise SpecError(f"--axis: {name} is there twice", hint="give all of its values at once")
        try:
            found[name] = [float(value) for value in values.split(",")]
        except ValueError:
            raise SpecError(
                f"--axis: {values!r} are no values of {name}", hint="numbers, separated by commas"
            ) from None
    return [found.get(name) for name in names]


def _print(found: Suggestions, cost: str, budget: float | None) -> None:
    """Print suggestions for people."""
    from splc.cli.terminal import note, say, table
    from splc.errors import plural

    say(f"model: {found.model.text} ({plural(found.model.points, 'point', 'points')})")
    if found.error is not None:
        say(f"error: {found.error:.3g} % at {plural(found.checked, 'point', 'points')} off the lines")
    limit = "" if budget is None else f" of {budget:.6g}"
    say(f"spent: {found.spent:.6g}{limit} (cost: {cost})")
    rows = []
    for each in found.points:
        place = [f"{value:.10g}" for value in each.point]
        rows.append((*place, f"{each.expected:.6g}", f"{each.lower:.6g}", f"{each.upper:.6g}", f"{each.cost:.6g}"))
    columns = (*found.names, "expected", "from", "to", "cost")
    if rows:
        what = plural(found.repetitions, "measurement", "measurements")
        say(f"next, {what} each:")
        table(columns, rows, right=columns)
    say(found.why)
    for text in found.model.notes:
        note(text)


def _print_json(found: Suggestions, cost: str, until: float | None, budget: float | None, callpaths: list[str]) -> None:
    """Print suggestions as one JSON object."""
    from splc.cli.json_output import print_json

    content = {
        "parameters": found.names,
        "callpaths": callpaths,
        "next": [
            {
                "point": dict(zip(found.names, each.point, strict=True)),
                "expected": each.expected,
                "interval": [each.lower, each.upper],
                "cost": each.cost,
                "reason": each.reason,
            }
            for each in found.points
        ],
        "done": found.done,
        "why": found.why,
        "model": found.model.text,
        "measured_points": found.model.points,
        "error": found.error,
        "error_points": found.checked,
        "until": until,
        "spent": found.spent,
        "budget": budget,
        "cost": cost,
        "repetitions": found.repetitions,
        "candidates": found.candidates,
        "notes": found.model.notes,
    }
    print_json("suggest", content)
