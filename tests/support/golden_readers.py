"""The readers of files, as the golden files of `tests/golden/readers` name them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from casestudies.published_logs.log_learnings import learnings_of
from sampling import Space
from splc import parse_model, read_measurements_by
from splc.arithmetic.tree import tree_text
from splc.data.configurations import describe_configuration
from splc.data.measurements import Experiment, Measurements
from splc.errors import InputError, SplcError
from splc.formats import detect
from splc.formats.benchmarks.tools import benchmark_of, read_benchmark
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import read_variability_model
from splc.formats.experiments.read import named_points, read_experiments
from splc.formats.inference import inference_of
from splc.formats.measurements.configurations import read_configurations, read_observed
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.selections import parse_assignments, parse_configuration
from splc.formats.measurements.tables import read_file_columns
from splc.formats.models.log_reader import parse_stored_log
from splc.formats.models.read import parse_parameters, parse_term_list, read_stored_model
from splc.formats.models.stored_model import ReadOptions
from splc.formats.models.text import latex_text, log2_text, parse_stored_text, python_text, with_link
from splc.formats.scripts import parse_lines, settings_of
from splc.formats.system.configspace import parse_configspace
from splc.formats.table import TableSource
from splc.io.files import read_source
from splc.io.json import parse_json
from splc.io.numbers import number_text
from splc.io.toml import parse_toml
from splc.io.xml import read_xml, read_xml_children
from splc.learning.registry import learner_of
from splc.models.parameters import Parameters, Quantity
from splc.models.terms import quoted
from splc.project.files import read_project_file
from splc.study import read_study
from splc.system.constraints import BooleanConstraint
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from splc.workflows.fields import texts_of
from tests.support.golden_messages import shown
from tests.support.reader_golden import READER_FILES, Content, Reader

Options = Mapping[str, str]
SYSTEMS = READER_FILES / "systems"
ALPHA = Parameters({"alpha": Quantity.exactly(2.0)}, {}, "p.toml", {"alpha": 3})


@lru_cache
def system_named(name: str) -> VariabilityModel:
    """Return a system of the golden files; `a,n:1|2` is one of these options."""
    if (file := SYSTEMS / f"{name}.xml").exists():
        return read_variability_model(file)
    parts = (part.partition(":") for part in name.split(","))
    options = [
        NumericOption(option, tuple(map(float, values.split("|")))) if values else BinaryOption(option)
        for option, _, values in parts
    ]
    return VariabilityModel("m", tuple(options))


def _system(options: Options) -> VariabilityModel | None:
    return system_named(options["system"]) if "system" in options else None


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _choice(options: Options) -> ColumnChoice:
    where = dict(each.split(":", 1) for each in _names(options.get("where")))
    by, named = _names(options.get("by")), _names(options.get("options"))
    return ColumnChoice(_names(options.get("contexts")), _names(options.get("ignore")), where, by, named)


def _measurements(file: str, options: Options) -> Iterable[str]:
    given: dict[str, Any] = {key: value for key, value in options.items() if key not in ("system", "shows")}
    for key in ("contexts", "ignore"):
        given[key] = _names(given.get(key))
    given["where"] = dict(_choice(options).where)
    system = system_named(options["system"])
    parts = read_measurements_by(file, system, **given).values() if "by" in given else None
    for measured in parts or [read_measurements(file, system, **given)]:
        yield from _everything(measured)


def _everything(measured: Measurements) -> Iterable[str]:
    """Yield all that was read: a line for each configuration with its values, repetitions one after the other."""
    report = measured.report
    for name, context in measured.contexts.items():
        yield Content(f"{name} = {context}")
    for row in range(len(measured)):
        values = {name: values[row].tolist() for name, values in measured.values.items()}
        while all(len(each) > 1 and math.isnan(each[-1]) for each in values.values()):
            values = {name: each[:-1] for name, each in values.items()}
        texts = {
            name: ["-" if math.isnan(value) else f"{value:.12g}" for value in each] for name, each in values.items()
        }
        shown = (
            f"{name} {texts[name][0]}"
            if len(each) == 1
            else f"{name} {measured[name][row]:g} ({' '.join(texts[name])})"
            for name, each in values.items()
        )
        yield Content(f"{describe_configuration(measured.configurations, row)}: {'; '.join(shown)}")
    yield from (Content(f"{count} of {name} missing") for name, count in report.missing.items())
    yield from (Content(f"line {line} left out: {reason}") for line, reason in report.invalid)
    if report.deviation is not None:
        yield Content(f"deviation {report.deviation:g} %")
    if report.mixed:
        yield Content(f"perhaps options or contexts: {', '.join(report.mixed)}")
    if report.duplicates:
        yield Content(f"lines {', '.join(map(str, report.duplicates))} are repeated")
    yield from (*report.unsuccessful, *report.notes)


def _project(file: str, options: Options) -> Iterable[str]:
    """Yield what a project file states."""
    found = read_project_file(Path(file))
    for each in fields(found):
        value = getattr(found, each.name)
        if value and each.name != "path" and value != ColumnChoice():
            yield Content(f"{each.name}: {shown(value)}")


def _experiments(file: str, options: Options) -> Iterable[str]:
    kind: Any = options.get("kind")
    parameters = _names(options["parameters"]) if "parameters" in options else None
    scaling: Any = options.get("scaling")
    metrics = _names(options.get("metrics"))
    found = read_experiments(file, parameters, kind, _choice(options), metrics=metrics, scaling=scaling)
    return [line for each in found for line in experiment_lines(each)]


def experiment_lines(experiment: Experiment) -> Iterable[str]:
    """Show an experiment: a line per series, with the values at each point."""
    yield from experiment.report.notes
    contexts = f", contexts: {dict(experiment.contexts)}" if experiment.contexts else ""
    missing = f", missing: {dict(experiment.report.missing)}" if experiment.report.missing else ""
    yield Content(f"parameters: {', '.join(experiment.parameters)}{contexts}{missing}, rows: {experiment.report.rows}")
    for key, table in experiment.series.items():
        values = [" ".join(map(number_text, row[~np.isnan(row)].tolist())) or "-" for row in table]
        points = [",".join(map(number_text, point)) for point in experiment.points.tolist()]
        yield Content(f"{key}: {'; '.join(map(' = '.join, zip(points, values, strict=True)))}")


def _experiment(form: str, file: str, options: Options) -> Iterable[str]:
    del options
    return experiment_lines(detect.format_named("experiment", form).read(read_source(file)))


def _inference(file: str, options: Options) -> Iterable[str]:
    found = inference_of(read_source(file), nfp=options.get("nfp"), choice=_choice(options))
    return [*found.warnings, *found.notes, *map(Content, found.assumptions)]


def _columns(file: str, options: Options) -> Iterable[str]:
    """Show the columns of a table."""
    found = read_file_columns(read_source(file), _names(options.get("exempt")))
    yield from found.remarks
    yield from (Content(f"{name}: {[*cells]}") for name, cells in found.columns.items())
    if found.stated is not None:
        yield Content(shown(found.stated))


def _log(file: str, options: Options) -> Iterable[str]:
    """Show the models of a log, and what it states about each learning."""
    number = int(options["learning"]) if "learning" in options else None
    which: Any = options.get("round", "last")
    source, chosen = read_source(file), ReadOptions(round=int(which) if which.isdecimal() else which, learning=number)
    found = parse_stored_log(source, _system(options), chosen)
    yield from found[0].notes
    for each in found:
        facts = (each.nfp, None if each.model.link == "identity" else each.model.link, dict(each.contexts))
        yield Content(f"model: {each.model.text}{''.join(f'; {fact}' for fact in facts if fact)}")
    for at, learning in enumerate(learnings_of(source), 1):
        scores = {line.number: (line.score, line.test_error) for line in learning.rounds.values()}
        about = learning.stated
        stated = (about.sampling, about.configurations, dict(about.settings), about.seed)
        if any((*stated, about.evaluation)):
            yield Content(f"learning {at}: {(*stated, about.evaluation)}, rounds {scores}")


def _shown_system(system: VariabilityModel) -> Iterable[str]:
    """Show a system: a line per option and constraint, and the number of its valid configurations."""
    yield from system.notes
    yield Content(f"{system.name}: {Space(system).count:,} valid")
    for option in system.options:
        facts = [f"below {option.parent}"] if option.parent else []
        if isinstance(option, BinaryOption):
            facts += ["optional"] if option.optional else []
            facts += [f"implies {' | '.join(group)}" for group in option.implied]
            facts += [f"excludes {' | '.join(group)}" for group in option.excluded]
        else:
            facts.append(" ".join(map(number_text, option.values)))
            facts += [f"step {option.step}"] if option.step else []
            facts += [] if option.maximum is None else [f"at most {option.maximum:g}"]
            facts += [] if option.deselected_flag is None else [f"or {option.deselected_flag:g}: deselected"]
        facts += [repr(option.presentation)] if option.presentation != Presentation() else []
        place = f" (line {option.line})" if option.line else ""
        yield Content(f"  {option.name}{place}: {', '.join(facts)}")
    for constraint in system.constraints:
        place = f"line {constraint.line}: " if constraint.line else ""
        if isinstance(constraint, BooleanConstraint):
            literals = (("" if each.positive else "!") + each.name for each in constraint.literals)
            yield Content(f"  {place}{(' & ' if constraint.conjunction else ' | ').join(literals)}")
        else:
            sides = (tree_text(node, quoted, number_text) for node in (constraint.left, constraint.right))
            facts = [constraint.kind, constraint.requires, *(["negated"] if constraint.negated else [])]
            yield Content(f"  {place}{f' {constraint.comparison} '.join(sides)} ({', '.join(facts)})")


def _parameters(file: str, options: Options) -> Iterable[str]:
    """Show machine parameters, and the lines of their keys."""
    found = parse_parameters(read_source(file))
    yield from (Content(f"{name} = {value}") for name, value in {**found.quantities, **found.expressions}.items())
    yield Content(f"lines: {dict(found.lines)}")


def _script(file: str, options: Options) -> Iterable[str]:
    """Show the commands of a script: their arguments, and the files that they read and write."""
    script, problems = parse_lines(read_source(file))
    if problems:
        raise InputError(problems)
    for each in script.commands:
        facts = {
            "lists": dict(each.lists),
            "values": dict(each.values),
            "reads": each.inputs,
            "writes": each.outputs,
            "sampling": each.sampling and replace(each.sampling, line=""),
        }
        shown = "".join(f"; {name}: {fact}" for name, fact in facts.items() if fact)
        yield Content(f"line {each.line}: {each.name} {each.words}{shown}")


def _silent(read: Callable[[str, Options], object], file: str, options: Options) -> Iterable[str]:
    read(file, options)
    return ()


def _xml(file: str, options: Options) -> Iterable[str]:
    del options
    source = read_source(file)
    messages = []
    for read in (read_xml, lambda *given: list(read_xml_children(*given)[1])):
        try:
            read(source, "vm", "a model")
        except SplcError as error:
            messages.append(str(error))
    whole, children = messages
    assert whole == children
    raise InputError(whole)


def _point_names(file: str, options: Options) -> Iterable[str]:
    """Show the points in names, one per line."""
    parameters, points = named_points(_texts(file), "f", by_folder="folders" in options)
    return [Content(f"{', '.join(parameters)}: {'; '.join(', '.join(map(number_text, p)) for p in points)}")]


def _model(file: str, options: Options) -> Iterable[str]:
    """Show the model of a file."""
    stored = read_stored_model(file, _system(options))
    facts = (stored.nfp, stored.unit, dict(stored.contexts))
    yield from stored.notes
    yield Content(
        f"{stored.kind}, {stored.model.link}: {stored.model.text}{''.join(f'; {fact}' for fact in facts if fact)}"
    )


def _text(file: str, options: Options) -> Iterable[str]:
    """Show the model of a model text, and the parameters that it uses."""
    model, used = parse_stored_text(read_source(file), system_named(options["system"]), ALPHA)
    return [Content(f"{model.text}; parameters: {', '.join(sorted(used)) or 'none'}")]


def _notations(file: str, options: Options) -> Iterable[str]:
    """Show models, one per line, in each notation."""
    digits = int(options["digits"]) if "digits" in options else None
    for line in _texts(file):
        model = with_link(parse_model(line))
        yield Content(f"log2:   {log2_text(model, digits)}")
        yield Content(f"math:   {python_text(model, digits=digits)}")
        yield Content(f"LaTeX:  {latex_text(model, digits or 4)}")


def _term_list(file: str, options: Options) -> Iterable[str]:
    """Show a list of terms."""
    learner = parse_term_list(read_source(file), system_named(options["system"]))
    return [Content("; ".join(term.text() for term in learner.terms))]


def _tool(file: str, options: Options) -> Iterable[str]:
    """Show the table in the output of a benchmark tool, with the roles of its columns."""
    del options
    source = read_source(file)
    assert benchmark_of(source) is None or detect.kind_of(source) == "measurements"
    found = read_benchmark(source)
    if not isinstance(found, TableSource):
        return [Content("not the output of a tool")]
    stated = found.stated
    roles = [] if stated is None else [stated.options, stated.contexts, stated.properties]
    names = [
        ", ".join(f"{name} ({found.units[name]})" if name in found.units else name for name in each) for each in roles
    ]
    titles = ("options", "contexts", "properties")
    shown = [f"{title}: {text}" for title, text in zip(titles, names, strict=False) if text]
    main = [] if found.main is None else [f"main: {found.main}"]
    return [*found.notes, *map(Content, (*shown, *main, *(f"  {row}" for row in found.text().splitlines())))]


def _texts(file: str) -> list[str]:
    return read_source(file).text().splitlines()


def _learner(file: str, options: Options) -> Iterable[str]:
    """Read the settings of a learner, NAME=VALUE per line."""
    learner_of(options["learner"], options.get("preset"), texts_of(_texts(file)))
    return ()


READERS: dict[str, Reader] = {
    "assignments": partial(
        _silent, lambda file, options: parse_assignments(_texts(file), system_named(options["system"]))
    ),
    "configuration": partial(
        _silent, lambda file, options: parse_configuration(_texts(file)[0], system_named(options["system"]))
    ),
    "point-names": _point_names,
    "configurations": partial(
        _silent, lambda file, options: read_configurations(file, system_named(options["system"]))
    ),
    "configspace": lambda file, _: _shown_system(parse_configspace(read_source(file))),
    "columns": _columns,
    "experiments": _experiments,
    "feature-model": lambda file, _: _shown_system(read_variability_model(file)),
    "inference": _inference,
    "json": partial(_silent, lambda file, _: parse_json(read_source(file).text())),
    "learner": _learner,
    "log": _log,
    "measurements": _measurements,
    "model": _model,
    "notations": _notations,
    "observations": partial(_silent, lambda file, options: read_observed([file], system_named(options["system"]))),
    "parameters": _parameters,
    "project": _project,
    "script": _script,
    "settings": lambda file, _: [Content(settings_of(read_source(file)))],
    "source": partial(_silent, lambda file, _: read_source(file).text()),
    "study": partial(_silent, lambda file, _: read_study(file)),
    "system": lambda file, _: _shown_system(read_variability_model(file)),
    "term-list": _term_list,
    "text": _text,
    "tools": _tool,
    "toml": partial(_silent, lambda file, _: parse_toml(read_source(file))),
    "xml": _xml,
    **{
        f"experiments-{form.name}": partial(_experiment, form.name)
        for form in detect.formats_of("experiment")
        if form.name in ("json", "jsonl", "text")
    },
}
