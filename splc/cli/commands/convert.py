"""`splc convert`: measurements, models and system descriptions from one file format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from splc.cli.options import Aggregate, Duplicates, Invalid, Nfp, Parameter, ParametersFile, System

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from splc.data.measurements import Measurements
    from splc.formats.detect import Kind
    from splc.models.influence import InfluenceModel
    from splc.project import Project

# What each kind of file can be written as; the names are suffixes where a suffix says enough.
TARGETS: dict[Kind, tuple[str, ...]] = {
    "measurements": ("csv", "xml", "splconqueror-csv"),
    "model": ("json", "txt", "log"),
    "system": ("xml",),
}
CALLED = {"measurements": "measurements", "model": "a model", "system": "a system description"}

EXAMPLES = (
    "splc convert learned.log -o model.json",
    "splc convert measurements.csv --to splconqueror-csv -o -",
)


def convert(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="The file; what it is, its content says.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="csv, xml or splconqueror-csv (measurements); json, txt or log (models); xml (systems). "
            "Without it the suffix of the output says it.",
        ),
    ] = None,
    parameter: Parameter = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="The row of tabled parameters that is put in: 'nodes=4'. Default: their middle row.",
        ),
    ] = None,
    system: System = None,
    nfp: Nfp = None,
    parameters: ParametersFile = None,
    invalid: Invalid = "error",
    duplicates: Duplicates = "error",
    aggregate: Aggregate = "mean",
) -> None:
    """Turn measurements, learned models and system descriptions into other formats."""
    from splc.cli.terminal import note, report
    from splc.errors import InputError, Problem, listed, plural
    from splc.io.outputs import require_writable
    from splc.project import Project

    kind = recognised(source)
    if kind is None:
        raise InputError(
            Problem(
                "neither a system description (<vm>), nor measurements, nor a model",
                source,
                hint="see 'splc convert --help' for what can be converted",
            )
        )
    form = target(kind, output, to)
    require_writable(output, (source,))
    if kind == "system":
        from splc.formats.system.splconqueror_xml import read_variability_model, write_variability_model

        model = read_variability_model(source)
        for text in model.notes:
            note(f"{source}: {text}")
        write_variability_model(model, output)
        said(f"{model.name}: {plural(len(model.options), 'option', 'options')}", output, form)
        return
    project = Project.load(
        system=system, measurements=source if kind == "measurements" else None, nfp=nfp, parameters=parameters
    )
    require_writable(output, (source, *project.files))
    if kind == "model":
        convert_model(project, source, output, form, parameter, at)
        return
    measurements = project.measurements(
        project.variability_model(), invalid=invalid, duplicates=duplicates, aggregate=aggregate
    )
    report(measurements.report)
    if form == "xml":
        from splc.formats.measurements.splconqueror_xml import write_measurements_xml as write
    elif form == "csv":
        from splc.formats.measurements.csv import write_measurements_csv as write
    else:
        from splc.formats.measurements.csv import write_measurements_splconqueror_csv as write
    write(measurements, output)
    if form == "splconqueror-csv":
        for text in losses(measurements):
            note(f"{output}: {text}")
    count = plural(len(measurements), "configuration", "configurations")
    said(f"{count} with {listed(measurements.properties)}", output, form)


def said(what: str, output: str, form: str) -> None:
    """Say on stderr what was written, unless it is there to be seen on standard output."""
    from splc.cli.terminal import note

    if output != "-":
        note(f"{what} written to {output} ({form})")


def losses(measurements: Measurements) -> Iterator[str]:
    """Yield what SPL Conqueror's table does not keep."""
    from splc.errors import listed
    from splc.system.variability import plain_name

    if any(values.shape[1] > 1 for values in measurements.values.values()):
        yield f"repetitions became one value, the {measurements.aggregate} of them (--aggregate)"
    spellings = measurements.model.spellings
    stripped = [
        f"{name} → {plain_name(name)}"
        for name in measurements.model.names
        if plain_name(name) != name and spellings.get(plain_name(name)) == name
    ]
    if stripped:
        yield f"names are written as SPL Conqueror keeps them: {listed(stripped)}"


def recognised(path: str) -> Kind | None:
    """Return what kind of file this is; standard input can be read again afterwards."""
    import io
    import sys

    from splc.formats.detect import kind_of
    from splc.io.files import STANDARD, read_source

    source = read_source(path)
    if path == STANDARD:
        sys.stdin = io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8")
    return kind_of(source)


def target(kind: Kind, output: str, to: str | None) -> str:
    """Return the format to write, which `--to` or the output's suffix says.

    Raises:
        SpecError: if neither says it, or this kind of file cannot be written in it.
    """
    from splc.errors import SpecError, nearest

    known = TARGETS[kind]
    everything = {form for forms in TARGETS.values() for form in forms}
    wanted = to
    if wanted is None:
        wanted = output.removesuffix(".gz").rpartition(".")[2].casefold() if "." in output.removesuffix(".gz") else ""
        if wanted not in everything:
            raise SpecError(
                f"the name of the output, {output!r}, does not say in which format to write",
                hint=f"choose one with --to: {', '.join(known)}",
            )
    if wanted not in known:
        what = f"{CALLED[kind]} cannot be written as {wanted!r}"
        hint = (None if wanted in everything else nearest(wanted, known)) or f"possible are: {', '.join(known)}"
        raise SpecError(what, hint=hint)
    return wanted


def convert_model(
    project: Project,
    source: str,
    output: str,
    form: str,
    parameter: Sequence[str] | None = None,
    at: Sequence[str] | None = None,
) -> None:
    """Write a model in another format; what a log tells beyond its last model is not carried over.

    Parameters become numbers: an analytical model is written as the sum of terms that it is.
    """
    from splc.cli.arguments import numbers_of
    from splc.cli.terminal import note
    from splc.errors import plural
    from splc.formats.models.json import model_json_text
    from splc.formats.models.log_writer import model_log_text
    from splc.formats.models.read import read_stored_model, require_plain
    from splc.formats.models.text import model_text_file
    from splc.io.files import write_whole
    from splc.models.binding import bound
    from splc.system.variability import ROOT
    from splc.workflows.parameters import require_used, stated_parameters

    system = project.variability_model() if project.has_system else None
    if system is None:
        note("there is no system description here: the model's names are taken as they are")
    stated = numbers_of(parameter, "--parameter")
    stored = read_stored_model(source, system, parameters=stated_parameters(project, stated))
    require_used(stated, stored.used)
    rows = numbers_of(at, "--at")
    model = bound(stored.model, rows)
    for text in frozen(stored.model, rows):
        note(text)
    if form != "txt":
        require_plain(model, output)
    if form == "json":
        text = model_json_text(model, stored.nfp)
    elif form == "log":
        text = model_log_text(model, ROOT if system is None else system.base_option, stored.nfp)
    else:
        text = model_text_file(model)
    write_whole(output, text)
    said(f"a model of {plural(len(model.terms), 'term', 'terms')}", output, form)


def frozen(model: InfluenceModel, at: Mapping[str, float]) -> Iterator[str]:
    """Yield which parameters became numbers though they depend on the configuration."""
    from splc.models.parameters import chosen_rows

    rows = chosen_rows(model.parameters, at)
    for parameter in model.parameters:
        if len(parameter.keys) > 1:
            value = parameter.keys[rows[parameter.name]]
            yield (
                f"{parameter.name} is a table over {parameter.by}: its row for {value:g} was put in, so that "
                "predictions differ wherever another row holds"
            )
