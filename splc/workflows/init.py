"""`splc init`: write the description of a system that is inferred from a table of its measurements."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from sampling import Space
from splc.data.property_unit import unit_remark
from splc.errors import InputError, OutputError, Problem, RequestError, listed, plural
from splc.formats.detect import read_variability_model
from splc.formats.inference import Inference
from splc.formats.measurements.constraints import failures_file
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.io.files import STANDARD, read_source, require_writable, write_whole
from splc.io.toml import parse_toml, toml_value
from splc.project import Project
from splc.project.files import FILE_NAME
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.convert import require_unambiguous
from splc.workflows.fields import argument, flag, option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Noted
from splc.workflows.subspace import inference_as_json
from splc.workflows.views import UNWATCHED, Detail, Message, Output, Verb, View, Watch

SHOWN_VALUES = 4
FURTHER_CONSTRAINTS = "Other constraints are not inferred; booleanConstraints is for them."


@request
class Request(SystemInputs):
    """Write a system description that is inferred from a table of measurements, for editing.

    It has binary options, numeric options with the values that occur, alternative groups, and the constraints that all
    rows satisfy by more than chance. The assumptions are comments in the description, and notes on standard error. With
    --keep they are written to splc.toml, so that commands in this folder use the same columns without options.
    """

    measured: ClassVar[bool | None] = None

    measurements: str | None = argument(None, "TABLE", default="those of the folder")("The measurements (CSV or XML).")
    output: str = option(STANDARD, "FILE", names="--output -o", default="standard output; system.xml with --keep")(
        "The description (XML)."
    )
    keep: bool = flag("--keep")("Write the roles of the columns to splc.toml, too, and use the description.")
    system: str | None = option(None, "FILE")("An existing description: state how the table differs from it.")
    from_failures: bool = flag("--from-failures")(
        "Write the description of the folder, or of --system, if there is one, with constraints that exclude the "
        "combinations of values of which every run failed."
    )


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """An inferred description."""

    inference: Inference  # the description, and the assumptions
    comments: tuple[str, ...]  # the comments in the XML
    output: str  # the file to write
    differences: tuple[str, ...] = ()  # differences from an existing description
    kept: tuple[Path, str] | None = None  # the file with the roles of columns, and its content; None if not kept


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Infer a description, and compare it with an existing one if the request names one; `view` writes it."""
    project = request.project()
    if not project.has_measurements:
        raise InputError("no table of measurements in this folder", hint="name its file: splc init TABLE")
    if project.measurements_file == STANDARD and request.system == STANDARD:
        raise RequestError("only one of two files can be standard input", "system", "measurements")
    if project.measurements_file == STANDARD and request.keep:
        raise RequestError("only the roles of a file can be kept, not those of standard input", "keep")
    if request.keep and request.output == STANDARD:
        request = replace(request, output=str(project.folder / "system.xml"))
    require_writable(request.output, (request.system, project.measurements_file))
    if request.output != STANDARD and Path(request.output).is_file():
        hint = "name another file, or remove it first: it may have been edited"
        raise OutputError(Problem("the file exists already", request.output, hint=hint))
    require_unambiguous("system", request.output)
    result = project.infer()
    result, rules = _with_failures(result, request, project) if request.from_failures else (result, ())
    if names := [name for name in result.system.names if not name.isprintable()]:
        message = f"the name {names[0]!r} has a control character, which XML cannot have"
        raise InputError(Problem(message, result.source.name, hint="rename it in the table"))
    content = project_text(result, project.folder, request.output, project.measurements_file) if request.keep else ""
    file = (project.folder / FILE_NAME, content) if request.keep else None
    compared = None if rules else request.system
    described = None if compared is None else read_variability_model(compared)
    differences = () if described is None else tuple(differences_from(described, result.system))
    mined: tuple[str, ...] = ()
    if result.mined:
        count = plural(len(result.mined.constraints), "constraint", "constraints")
        text = "rows could contradict it, {:.3g} would by chance"
        lines = (f"{one}: {one.rows:,} {text.format(one.expected)}" for one in result.mined.constraints)
        mined = (f"{count} inferred from {result.mined.rows:,} rows:", *lines)
    source = result.system.source
    unseen = tuple(f"no row has {pair}: the constraint {text} would exclude it" for pair, text in result.unseen)
    found = (*mined, *rules, *unseen)
    comments = (f"Inferred from {source}:", *result.assumptions, *result.warnings, *found, FURTHER_CONSTRAINTS)
    ignored = "; --no-constraints leaves the constraints out" if mined else ""
    notes = [Note(f"inferred from {source}{ignored}", details=(*result.assumptions, *found))]
    notes += [Note(text, warning=True) for text in result.warnings]
    notes += [Note(f"{source}: {text}") for text in result.notes]
    if compared is not None:
        same = Note(f"{compared} has the same options, values and groups")
        notes.append(Note(f"differences from {compared}", details=differences) if differences else same)
    return Result(result, comments, request.output, differences, file, notes=tuple(notes))


def _with_failures(result: Inference, request: Request, project: Project) -> tuple[Inference, tuple[str, ...]]:
    """Return a description with constraints that exclude what always failed, and a line about each of them."""
    described = request.system or (project.system_file if project.has_system else None)
    if described is not None:
        system = replace(read_variability_model(described), source=described)
        result = Inference(source=result.source, system=system, properties=result.properties)
        project = replace(project, given={**project.given, "system": described})
    failures = project.measurements(result.system, Space(result.system), invalid="drop", duplicates="mean").failures
    if failures is None or not failures.rules:
        known = "no failed runs are known" if failures is None else "; ".join(failures.texts)
        hint = f"{failures_file(project.measurements_file)} or rows without a value list them"
        raise RequestError(f"no combination of values fails in enough configurations: {known}; {hint}", "from_failures")
    system = replace(result.system, constraints=(*result.system.constraints, *failures.constraints))
    lines = tuple(f"{rule.constraint}: {rule}" if rule.constraint else str(rule) for rule in failures.rules)
    return replace(result, system=system), lines


def differences_from(described: VariabilityModel, inferred: VariabilityModel) -> list[str]:
    """Return the differences of the options, values and groups of a description from those of an inferred one."""
    differences = []
    names = {name: described.spellings.get(name, name) for name in inferred.names}
    for name, spelling in names.items():
        if spelling not in described.positions:
            differences.append(f"{name} is not an option of the description")
            continue
        # A binary option has the values 0 and 1.
        values, occurring = (
            option.values if isinstance(option, NumericOption) else (0.0, 1.0)
            for option in (described.option(spelling), inferred.option(name))
        )
        unlisted = [value for value in occurring if value not in values]
        if unlisted and not isinstance(described.option(spelling), NumericOption):
            differences.append(f"{name} is a binary option of the description")
        elif unlisted:
            texts = listed([f"{value:g}" for value in unlisted], SHOWN_VALUES)
            remark = unit_remark(values, unlisted)
            differences.append(f"{name}: the description does not list {texts}" + (f"; {remark}" if remark else ""))
    differences += [f"{name} is not in the table" for name in described.names if name not in names.values()]
    groups = {frozenset(group) for group in described.alternative_groups}
    for group in inferred.alternative_groups:
        if frozenset(names[name] for name in group) not in groups:
            differences.append(f"the description has no alternative group {', '.join(group)}")
    return differences


def project_text(inference: Inference, folder: Path, system: str, measurements: str) -> str:
    """Return the content of `splc.toml` with the inputs and the roles of all columns; its present content is kept."""
    only = inference.properties[0] if len(inference.properties) == 1 else None
    roles = {
        "system": os.path.relpath(system, folder),
        "measurements": os.path.relpath(measurements, folder),
        "property": inference.main or only,
        "options": list(inference.columns),
        "contexts": list(inference.contexts),
        "ignore": list(inference.ignored),
    }
    lines = [f"{key} = {toml_value(value)}" for key, value in roles.items() if value]
    file, existing = folder / FILE_NAME, ""
    if file.exists():
        source = read_source(file)
        existing = "\n" + source.text()
        if keys := [key for key in parse_toml(source)[0] if key in roles]:
            hint = "remove them from it, or edit them by hand"
            raise OutputError(Problem(f"the file states {listed(keys)} already", str(file), hint=hint))
    return "\n".join(lines) + "\n" + existing


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a description that was written."""
    return {
        "schema": "splc.init/1",
        **inference_as_json(result.inference),
        "name": result.inference.system.name,
        "differences": result.differences,
        "output": None if result.output == STANDARD else result.output,
        "notes": [note.text for note in result.notes],
    }


def view(result: Result, detail: Detail) -> View:
    """Yield the description, the roles of the columns if they are kept, and the assumptions."""
    yield Output(result.output, partial(write_variability_model, result.inference.system, comments=result.comments))
    if result.kept is not None:
        yield Output(str(result.kept[0]), partial(write_whole, content=result.kept[1]))
    yield result.notes
    if result.output != STANDARD:
        yield Message(f"description written to {result.output}")
    if result.kept is not None:
        yield Message(f"roles of columns written to {result.kept[0]}")


EXAMPLES = ("splc init measurements.csv --property solve_seconds", "splc init measurements.csv --system system.xml")
WITHOUT = ("where", "invalid", "duplicates", "aggregate")
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="reading", without=WITHOUT)
