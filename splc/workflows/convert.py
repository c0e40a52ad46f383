"""`splc convert`: convert measurements, models, system descriptions and profiles into other file formats."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from sampling import Space
from splc.errors import InputError, OutputError, Problem, SpecError, listed, nearest, plural
from splc.formats import detect
from splc.formats.experiments.read import is_profile, read_experiment
from splc.formats.measurements.csv import is_number
from splc.formats.models.read import write_stored_model
from splc.io.files import STANDARD, read_source, require_writable, write_whole
from splc.models.parameters import chosen_rows
from splc.models.text.reader import bound
from splc.project import Project
from splc.project.files import MEASUREMENT_FILES
from splc.system.variability import ROOT
from splc.workflows.fields import as_argument, as_option, numbers, option, request
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Noted, Notes, Rank, notes_of
from splc.workflows.views import UNWATCHED, Detail, Message, Verb, View, Watch

NAMES: Mapping[detect.Kind, str] = {
    "measurements": "measurements",
    "model": "a model",
    "system": "a system description",
    "experiment": "a profile",
}


@request
class Request(ModelInputs):
    """Convert measurements, learned models, system descriptions and profiles into other formats."""

    source: Annotated[str, as_argument("INPUT", "The file to convert; its content tells what it is.")]
    output: Annotated[str, as_option("FILE", "The file to write.", names="--output -o")]
    to: str | None = option(None, "FORMAT", default="by the suffix of the output")(
        "csv, xml or splconqueror-csv (measurements); json, txt, log, python or program (models); xml, uvl, "
        "featureide, dimacs or configspace (systems); text or jsonl (profiles, for Extra-P)."
    )
    at: Mapping[str, float] = numbers(default="their middle row")(
        "The row of tabled parameters that is inserted: 'nodes=4'."
    )


@dataclass(frozen=True)
class Result(Noted):
    """A written file."""

    content: str  # what was written, in words
    output: str  # the file
    form: str  # the name of its format


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Convert a file."""
    if Path(request.source).is_dir():
        return _convert_profile(request)
    source = read_source(request.source)
    kind = detect.kind_of(source)
    if kind in ("model", None) and is_profile(source):
        return _convert_profile(request)
    if kind is None:
        message = "neither a system description (<vm>), nor measurements, a model or a profile"
        raise InputError(Problem(message, request.source, hint="see 'splc convert --help' for what can be converted"))
    if kind == "script":
        hint = "splc run runs it, splc run --to-study writes it as a study"
        raise InputError(Problem("this is a script, which is not converted", request.source, hint=hint))
    form = target_format(kind, request.output, request.to)
    require_writable(request.output, (request.source,))
    # Commands do not take FeatureIDE's XML for a second description of a folder.
    if form != "featureide":
        require_unambiguous(kind, request.output)
    if kind == "system":
        model = detect.read_variability_model(request.source)
        texts = detect.format_named("system", form).write(model, request.output)
        notes = notes_of(f"{request.source}: {text}" for text in model.notes)
        notes += notes_of((f"{request.output}: {text}" for text in texts), Rank.LIMIT)
        content = f"{model.name}: {plural(len(model.options), 'option', 'options')}"
        return Result(content, request.output, form, notes=notes)
    requested = replace(request, measurements=request.source if kind == "measurements" else None)
    project = requested.project_of_models([request.source]) if kind == "model" else requested.project()
    require_writable(request.output, (request.source, *project.files))
    return (_convert_model if kind == "model" else _convert_measurements)(request, form, project)


def target_format(kind: detect.Kind, output: str, to: str | None) -> str:
    """Return the name of the format to write, by `to` or the suffix of the output."""
    formats = detect.written_formats(kind)
    everything = {name for key in NAMES for name in detect.written_formats(key)}
    form = to
    if kind == "model":
        detect.model_suffix(output if to is None else f".{to}")
    if form is None:
        suffix = detect.suffix_of(output)
        written = [entry for entry in detect.formats_of(kind) if entry.writer is not None and suffix]
        names = [entry.name for entry in written if suffix in {entry.suffix, *entry.other_suffixes}]
        form = names[0] if names else suffix.removeprefix(".")
        if form not in everything:
            message = f"the name of the output, {output!r}, does not tell the format to write"
            raise SpecError(message, hint=f"choose one with --to: {', '.join(formats)}")
    if form not in formats:
        hint = (None if form in everything else nearest(form, formats)) or f"possible are: {', '.join(formats)}"
        raise SpecError(f"{NAMES[kind]} cannot be written as {form!r}", hint=hint)
    return form


def require_unambiguous(kind: detect.Kind, output: str) -> None:
    """Refuse a second system description, or a second file of measurements, in a folder that has one.

    Commands would not know which of the two to read, unless the folder's `splc.toml` names one.
    """
    if output == STANDARD or kind not in ("system", "measurements"):
        return
    path = Path(output)
    project = Project.load(path.parent)
    if kind in project.file.values:
        return
    if kind == "system":
        competes, files = path.name.removesuffix(".gz").endswith(".xml"), project.descriptions()
    else:
        competes = path.name in MEASUREMENT_FILES
        files = tuple(str(path.parent / file) for file in MEASUREMENT_FILES if (path.parent / file).exists())
    files = tuple(file for file in files if Path(file).name != path.name)
    if competes and files:
        noun = "a system description" if kind == "system" else "measurements"
        message = f"the folder already has {noun}: {listed(files)}; with two, every command there would fail"
        hint = f"write into another folder, or name the file to use in splc.toml: {kind} = {Path(files[0]).name!r}"
        raise OutputError(Problem(message, output, hint=hint))


def _convert_profile(request: Request) -> Result:
    form = target_format("experiment", request.output, request.to)
    require_writable(request.output, (request.source,))
    experiment = read_experiment(request.source)
    write_whole(request.output, detect.format_named("experiment", form).write(experiment))
    notes = notes_of(f"{request.source}: {text}" for text in experiment.report.notes)
    # What Extra-P does not read.
    lost = [f"contexts are left out: {listed(list(experiment.contexts))}"] if experiment.contexts else []
    if any(np.isnan(values).all(axis=1).any() for values in experiment.series.values()):
        lost.append("some call paths have no value at some points: Extra-P refuses the file")
    notes += notes_of((f"{request.output}: {text}" for text in lost), Rank.LIMIT)
    paths = plural(len({path for path, _ in experiment.series}), "call path", "call paths")
    points = plural(len(experiment.points), "point", "points")
    return Result(f"{paths} at {points} of {listed(experiment.parameters)}", request.output, form, notes=notes)


def _convert_measurements(request: Request, form: str, project: Project) -> Result:
    with Notes() as notes:
        measurements = request.read_measurements(project, Space(request.read_system(project, notes)), notes)
        losses = detect.format_named("measurements", form).write(measurements, request.output)
    notes += notes_of((f"{request.output}: {text}" for text in losses), Rank.LIMIT)
    for name, value in measurements.contexts.items() if form != "splconqueror-csv" else ():
        quoted = shlex.quote(name)
        if is_number(value, "."):
            text = f"the values of {name!r} are numbers: it is read as a context with --context {quoted} only"
        elif form == "xml":
            text = f"SPL Conqueror reads numbers only: for it, leave {name!r} out with --ignore {quoted}"
        else:
            continue
        notes += notes_of([f"{request.output}: {text}"])
    count = plural(len(measurements), "configuration", "configurations")
    return Result(f"{count} with {listed(measurements.properties)}", request.output, form, notes=tuple(notes))


def _convert_model(request: Request, form: str, project: Project) -> Result:
    """Write a model as the sum of its terms, with numbers for parameters; the rounds of a log are not kept."""
    system = project.variability_model() if project.has_system or project.learned_system is not None else None
    notes = Notes()
    if system is None:
        notes.append(Note("there is no system description here: the model's names are not checked"))
    stored = request.read_model(request.source, project, system, notes)
    model = bound(stored.model, request.at)
    rows = chosen_rows(stored.model.parameters, request.at)
    notes += notes_of(
        f"{parameter.name} is a table over {parameter.by}: its row for {parameter.keys[rows[parameter.name]]:g} was "
        "inserted, so that predictions differ wherever another row applies"
        for parameter in stored.model.parameters
        if len(parameter.keys) > 1
    )
    base = ROOT if system is None else system.base_option
    write_stored_model(replace(stored, model=model, system=system or stored.system), request.output, form, base)
    return Result(f"a model of {plural(len(model.terms), 'term', 'terms')}", request.output, form, notes=tuple(notes))


def view(result: Result, detail: Detail) -> View:
    """Yield the notes and what was written."""
    yield result.notes
    if result.output != STANDARD:
        yield Message(f"{result.content} written to {result.output} ({result.form})")


EXAMPLES = ("splc convert learned.log -o model.json", "splc convert measurements.csv --to splconqueror-csv -o -")
VERB = Verb(Request, run, view, None, EXAMPLES, doing="converting", without=("measurements", "options"))
