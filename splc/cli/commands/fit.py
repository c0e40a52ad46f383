"""`splc fit`: parameters of an analytical model, estimated from measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from splc.cli.options import (
    Aggregate,
    Duplicates,
    Invalid,
    Json,
    MeasurementsFile,
    Nfp,
    Parameter,
    ParametersFile,
    Seed,
    System,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

FITTING = "How to estimate"
RESULTS = "What comes out"

EXAMPLES = (
    "splc fit --free alpha,beta",
    "splc fit --free scale analytical.txt -o fitted.toml",
)


def fit(
    analytical: Annotated[
        str | None,
        typer.Argument(
            metavar="ANALYTICAL",
            help="The analytical model (model text). Default: the one of the folder. '-' is standard input.",
            show_default=False,
        ),
    ] = None,
    free: Annotated[
        list[str],
        typer.Option(
            "--free",
            metavar="NAME[,NAME...]",
            help="The parameters to estimate; 'scale' is a factor on the whole model. Can be repeated.",
            rich_help_panel=FITTING,
            show_default=False,
        ),
    ] = ...,  # type: ignore[assignment]
    bound: Annotated[
        list[str] | None,
        typer.Option(
            "--bound",
            metavar="NAME=LOW..HIGH",
            help="Bounds of a free parameter: 'alpha=1e-8..1e-5', 'beta=..1e-8', 'c=-inf..'. Can be repeated. An end "
            "that is left out is as by default: at least 0, unless the benchmarked value is negative. Of a table they "
            "are about its middle row.",
            rich_help_panel=FITTING,
        ),
    ] = None,
    weights: Annotated[
        Literal["relative", "absolute", "log"],
        typer.Option(
            "--weights",
            metavar="relative|absolute|log",
            help="Which squared residuals are made least: relative ones, absolute ones, or logarithms of predicted / "
            "measured, for measurements that scatter by factors.",
            rich_help_panel=FITTING,
        ),
    ] = "relative",
    level: Annotated[
        float, typer.Option("--level", metavar="LEVEL", help="The level of the intervals.", rich_help_panel=FITTING)
    ] = 0.95,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="K",
            help="Folds of the cross-validation: each is predicted with estimates from the others. 0: none.",
            rich_help_panel=FITTING,
        ),
    ] = 10,
    seed: Seed = 0,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write all parameters there, the estimated ones with their intervals (TOML, for --parameters).",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    json: Json = False,
    parameter: Parameter = None,
    system: System = None,
    measurements: MeasurementsFile = None,
    nfp: Nfp = None,
    parameters: ParametersFile = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Estimate free parameters of an analytical model from measurements, in the place of a guessed factor.

    By bounded least squares, with intervals. Parameters that the measurements cannot tell apart are named.
    """
    from sampling import Space
    from splc.calibration import SCALE, calibrate
    from splc.cli.arguments import numbers_of
    from splc.cli.json_output import print_json
    from splc.cli.show.fit import Fitted, as_json, bounds_of, names_of, say_what_to_know, show, write
    from splc.cli.terminal import report
    from splc.errors import OutputError, Problem
    from splc.io.files import STANDARD
    from splc.io.outputs import require_writable
    from splc.models.influence import EvaluationError
    from splc.project import Project
    from splc.workflows.parameters import require_used, stated_parameters

    # Whatever can be refused is refused before the measurements are read.
    if output == STANDARD and json:
        raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
    if output not in (None, STANDARD) and not str(output).removesuffix(".gz").lower().endswith(".toml"):
        raise OutputError(Problem("parameters are written as TOML", output, hint="name a file that ends in .toml"))
    names = names_of(free)
    bounds = bounds_of(bound or [])
    if not 0 < level < 1:
        raise typer.BadParameter(f"{level:g} is no level of intervals, such as 0.95", param_hint="--level")
    if folds < 0 or folds == 1:
        raise typer.BadParameter("2 folds at least; 0 for no cross-validation", param_hint="--folds")
    project = Project.load(
        system=system, measurements=measurements, nfp=nfp, analytical=analytical, parameters=parameters
    )
    file = project.analytical_file
    if file is None:
        raise typer.BadParameter(
            "there is no analytical.txt here; name the model, or name it as 'analytical' in splc.toml",
            param_hint="ANALYTICAL",
        )
    require_writable(output, (file, *project.files))
    space = Space(project.variability_model())
    stated = numbers_of(parameter, "--parameter")
    known = stated_parameters(project, stated)
    model, guessed, used = read_free(file, space.model, known, names)
    require_used(stated, used)
    policies: Any = {"invalid": invalid, "duplicates": duplicates, "aggregate": aggregate}
    measured = project.measurements(space.model, space, **policies)
    report(measured.report)
    name = project.the_nfp(measured)
    try:
        found = calibrate(
            model,
            measured.configurations,
            measured.column(name),
            names,
            guessed=guessed,
            bounds=bounds,
            weights=weights,
            level=level,
            folds=folds,
            seed=seed,
        )
    except EvaluationError as error:
        raise error.at(file) from None
    scaled = SCALE in names and all(each.name != SCALE for each in model.parameters)
    result = Fitted(found, known, file, name, measured.report.source or "", scaled, seed)
    say_what_to_know(result)
    if output is not None:
        write(result, output)
    if json:
        print_json("fit", as_json(result, output))
    elif output != STANDARD:
        show(result, output)


def read_free(file: str, system: Any, known: Any, names: Sequence[str]) -> tuple[Any, tuple[str, ...], Any]:
    """Read a model in which some parameters stay names.

    Args:
        file: the model.
        system: the variability model.
        known: the machine parameters.
        names: the free ones; those that are not known are guessed to be 1.

    Returns:
        The model, the names of those that are guessed, and the parameters that the model uses.

    Raises:
        SplcError: if it cannot be read, or a name is none of a parameter that it uses.
    """
    from splc.calibration import SCALE
    from splc.errors import Problem, SpecError, listed, nearest
    from splc.formats.models.read import parse_stored_models
    from splc.io.files import read_source

    problems = [
        Problem(f"{name!r} is an option or observed, not a parameter", hint="free are the parameters of the model")
        for name in names
        if name in system.term_names
    ]
    problems += [
        Problem(
            f"{name!r} is an expression of the options, not a number",
            known.source or None,
            known.lines.get(name),
            hint="free are numbers and tables",
        )
        for name in names
        if name in known.expressions
    ]
    if problems:
        raise SpecError(problems)
    hint = "free are names that the model uses without defining them: delete its line to estimate it"
    guessed = tuple(name for name in names if name not in known.quantities)
    source = read_source(file)
    problems = [
        Problem(f"{name!r} is a definition of the model; it cannot be free", file, line, hint=hint)
        for name, line in definitions_of(source).items()
        if name in guessed
    ]
    if problems:
        raise SpecError(problems)
    given = known.changed(dict.fromkeys(guessed, 1.0))
    # Once with all of them as names, to know which ones it uses.
    [stored] = parse_stored_models(source, system, parameters=given, symbols=given.quantities)
    used = [each.name for each in stored.model.parameters]
    for name in names:
        if name in used or name == SCALE:
            continue
        if stored.kind != "text":
            hint = f"only model text has parameters; of this model only '{SCALE}' can be estimated"
        else:
            others = sorted(set(used) - {*names})
            hint = nearest(name, others) or (
                f"others that it uses: {listed(others)}"
                if others
                else f"free can be: {listed([*sorted(used), SCALE])} ('{SCALE}' is a factor on the whole model)"
            )
        problems.append(Problem(f"the model does not use the parameter {name!r}", file, hint=hint))
    if problems:
        raise SpecError(problems)
    [stored] = parse_stored_models(source, system, parameters=given, symbols=names)
    # As a factor on the whole model, 'scale' is benchmarked to be 1.
    return stored.model, tuple(name for name in guessed if name in used), stored.used


def definitions_of(source: Any) -> dict[str, int]:
    """Return the names that a model text defines, with their lines; nothing for what is no model text."""
    from splc.errors import SplcError
    from splc.formats.detect import kind_of
    from splc.models.text.reader import split_text

    if kind_of(source) != "model":
        return {}
    try:
        return {each.name: each.line for each in split_text(source.text()).definitions}
    except SplcError:
        # Reading the model says what is wrong with it.
        return {}
