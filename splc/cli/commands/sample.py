"""`splc sample`: the configurations that a sampling picks, as a table or as command lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from splc.cli.options import Binary, Duplicates, Invalid, Json, MeasurementsFile, Numeric, Sampling, Seed, System

if TYPE_CHECKING:
    from sampling import Sample

AS_COMMANDS = "As command lines"


def sample(
    sampling: Sampling = None,
    binary: Binary = None,
    numeric: Numeric = None,
    seed: Seed = 0,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write there, not to standard output.")
    ] = None,
    json: Json = False,
    command: Annotated[
        bool,
        typer.Option(
            "--command",
            help="Write command lines as SPL Conqueror's printconfigs does, not a CSV table.",
            rich_help_panel=AS_COMMANDS,
        ),
    ] = False,
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="TEXT", help="What every line begins with.", rich_help_panel=AS_COMMANDS)
    ] = "",
    postfix: Annotated[
        str, typer.Option("--postfix", metavar="TEXT", help="What every line ends with.", rich_help_panel=AS_COMMANDS)
    ] = "",
    system: System = None,
    measurements: MeasurementsFile = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
) -> None:
    """Pick configurations to measure, and write them as CSV."""
    from sampling import Space, draw_sample, parse_spec
    from sampling.designs.whole.measured import Measured
    from splc.cli.json_output import print_json
    from splc.cli.outputs import require_writable
    from splc.cli.terminal import note, report
    from splc.errors import plural
    from splc.formats.measurements.configurations_csv import write_configurations
    from splc.io.files import STANDARD, write_whole
    from splc.project import Project

    if (prefix or postfix) and not command:
        raise typer.BadParameter("only command lines have one, add --command", param_hint="--prefix, --postfix")
    spec = parse_spec(sampling, binary=binary, numeric=numeric)
    project = Project.load(system=system, measurements=measurements)
    require_writable(output, project.files)
    model = project.variability_model(observed=False)
    space = Space(model)
    measured = None
    if isinstance(spec.whole, Measured):
        read = project.measurements(model, space, invalid=invalid, duplicates=duplicates)
        report(read.report)
        measured = read.configurations
    found = draw_sample(model, spec, seed, measured, space)
    for text in found.notes:
        note(text)
    lines = command_lines(found, prefix, postfix) if command else None
    if output is not None or not json:
        path = STANDARD if output is None else output
        if lines is None:
            write_configurations(found.configurations, path)
        else:
            write_whole(path, "".join(f"{line}\n" for line in lines))
        if path != STANDARD:
            note(f"{plural(len(found.configurations), 'configuration', 'configurations')} written to {path}")
    if json:
        print_json("sample", as_json(found, output, lines))


def command_lines(found: Sample, prefix: str, postfix: str) -> list[str]:
    """Return one command line per configuration."""
    from sampling import command_strings

    return command_strings(found.configurations, prefix, postfix)


def as_json(found: Sample, output: str | None, lines: list[str] | None) -> dict[str, Any]:
    """Return the content of the JSON object: a summary, with the configurations unless they are in a file."""
    configurations = found.configurations
    content: dict[str, Any] = {
        "sampling": found.spec,
        "seed": found.seed,
        "configurations": len(configurations),
        "removed": found.removed,
        "notes": found.notes,
        "output": output,
    }
    if output is None and lines is not None:
        content["commands"] = lines
    elif output is None:
        columns = [configurations.value(name).tolist() for name in configurations.model.names]
        names = configurations.model.names
        content["rows"] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return content
