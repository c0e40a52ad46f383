"""`splc describe`: options, constraints, the number of valid configurations, suspicious parts, measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from sampling.space.analysis import Description, constraint_kind, describe, in_tree_order, option_role
from sampling.space.space import DIAGRAMS, Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.summary import PropertySummary, property_summaries, scatter_of
from splc.errors import RequestError, SplcError
from splc.formats import column_choice
from splc.formats.benchmarks.declaration import folder_reader
from splc.formats.detect import is_xml, kind_of
from splc.formats.inference import Inference
from splc.formats.measurements.tables import read_file_columns
from splc.io.csv_rows import first_header
from splc.io.files import STANDARD, read_source
from splc.io.json import picked
from splc.io.numbers import count_text, percentage, signed_percentage
from splc.project import Project
from splc.project.files import first_and_further
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.workflows import fields, views
from splc.workflows.inputs import SystemInputs, with_blocks, without_column
from splc.workflows.note import Note, Noted, Notes, reading_notes
from splc.workflows.subspace import VALID, all_of, inference_as_json, notes_of_failures

_TOO_LONG = 10**4300
# Longer tables and lists show only their first lines, unless all are requested.
MAX_LINES, FIRST_LINES = 60, 15
MORE, ALL = "-v lists all, --tree 3 shows the hierarchy", "-v lists all"
MAX_COUNTED = 10**15  # beside more valid configurations the number of measured ones says nothing
# In a tree: more options without children than these, side by side, are one line; named options; values of an option.
SIDE_BY_SIDE, LISTED, SHOWN_VALUES = 12, 6, 6


@fields.request
class Request(SystemInputs):
    """Show a system's options and constraints, count its valid configurations, and list suspicious parts.

    If there are measurements, their properties, repetitions, contexts and drift are summarised. The measurements
    beside a description that is named are left out, unless --measurements names them.
    """

    measured: ClassVar[bool | None] = None

    argument: str | None = fields.argument(None, "SYSTEM")(
        "The system description or feature model, a folder with a description, or a table."
    )
    block: str | None = fields.option(None, "COLUMN")(
        "State the share of the variance of runs that is between the values of this column (mpirun, day, node)."
    )
    tree: int | None = fields.option(None, "N", minimum=1)(
        "Print N levels of the options as a tree, long lists as one line."
    )


@dataclass(frozen=True)
class MeasuredSummary:
    """Measurements in short."""

    source: str  # the file
    configurations: int  # the number of distinct configurations
    rows: int  # the number of rows that the reader used
    properties: tuple[PropertySummary, ...]  # the properties, in the order of the file
    contexts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # context → its values, in natural order
    # property → what is stated of its blocks, as text and as facts, or why it is unknown
    blocks: Mapping[str, tuple[str, Mapping[str, Any] | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Result(Noted):
    """A described system."""

    description: Description  # the description
    measured: MeasuredSummary | None = None  # the measurements; None without any
    inference: Inference | None = None  # the inferred description, None where the system has one
    problem: SplcError | None = None  # why measurements that were named have no summary; of a folder's a note does
    tree: int | None = None  # the number of levels of the options to show as a tree; None for tables


def run(request: Request, watch: views.Watch = views.UNWATCHED) -> Result:
    """Describe a system, and its measurements if there are any."""
    if request.argument is not None and request.system is not None:
        raise RequestError("the system description is given twice", "system")
    project = without_column(_project(request), request.block)
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        description = describe(space)
        if description.count is None:
            notes.append(Note(f"the valid configurations cannot be counted: {description.uncounted}"))
            if not any(isinstance(constraint, ArithmeticConstraint) for constraint in space.system.constraints):
                notes.append(Note("random samples (random:N) are approximately uniform"))
        measured, problem = None, None
        described = project.inference is None and "system" in project.given and "measurements" not in project.given
        listed = project.inference is not None and not project.inference.properties
        if project.has_measurements and not described and not listed:
            try:
                parts = project.every_part(space.system, space, **request.policies)
            except SplcError as error:
                if "measurements" in project.given:
                    problem = error
                else:
                    details = tuple(line for entry in error.problems for line in str(entry).splitlines())
                    notes.append(Note("the measurements do not fit and are left out", warning=True, details=details))
            else:
                notes.add(reading_notes(*(part.report for part in parts)))
                notes += notes_of_failures(parts)
                pairs = [pair for part in parts for pair in part.contexts.items()]
                values = {name: {text for key, text in pairs if key == name} for name, _ in pairs}
                contexts = {name: tuple(sorted(texts, key=column_choice.natural)) for name, texts in values.items()}
                every = Configurations.concatenate([part.configurations for part in parts]).unique()
                about = parts[0].report.source or "", len(every), sum(part.report.used for part in parts)
                blocks = {}
                if (column := request.block) is not None:
                    blocks = _blocks(with_blocks(project, space, parts[0], column, request.policies), column)
                measured = MeasuredSummary(*about, property_summaries(parts), contexts, blocks)
        if request.block is not None and measured is None and problem is None:
            raise RequestError("there are no measurements with blocks; name them with --measurements", "block")
        return Result(description, measured, project.inference, problem, request.tree, notes=tuple(notes))


def _blocks(measured: Measurements, column: str) -> dict[str, tuple[str, Mapping[str, Any] | None]]:
    """Return what is stated of the blocks of runs around their configuration, as `MeasuredSummary.blocks`."""
    from splc.learning.blocks import around_configurations
    from splc.learning.learner import one_thread

    found: dict[str, tuple[str, Mapping[str, Any] | None]] = {}
    for name in measured.properties:
        if name == column or scatter_of(measured.values[name]) == 0:
            continue
        try:
            with one_thread(with_scipy=False):
                blocks = around_configurations(measured, name, column)
            found[name] = blocks.text("configurations"), blocks.facts
        except SplcError as error:
            found[name] = error.problems[0].message, None
    return found


def _project(request: Request) -> Project:
    argument = request.argument or request.system
    if argument is None or (argument != STANDARD and Path(argument).is_dir() and not folder_reader(argument)):
        return replace(request, system=None).project(argument or "")
    if folder_reader(argument) or kind_of(read_source(argument)) == "measurements":
        if request.argument is None and argument != STANDARD:
            return request.project()
        if request.measurements is not None:
            raise RequestError("the first argument is a table of measurements, too", "measurements")
        project = replace(request, system=None, measurements=argument).project()
        if not _is_of_another_system(project):
            return project
    # The splc.toml of the folder is about its own system.
    first, further = first_and_further(request.measurements)
    files = {"system": argument, "measurements": first, "nfp": request.nfp}
    settings = {key: file for key, file in files.items() if file is not None}
    return Project(Path(), settings, chosen=request.columns, further=further, measured=request.measured)


def _is_of_another_system(project: Project) -> bool:
    """Return whether the table of a project lacks the columns of most options that its folder describes."""
    if not project.has_system:
        return False
    with suppress(SplcError):
        table = project.table
        titles = read_file_columns(table).columns if is_xml(table) else first_header(table.text())
        system = project.variability_model(observed=False)
        names = {system.spellings.get(name, name) for name in titles}
        options = [option for option in system.options if option.name not in system.mandatory]
        lacking = [option for option in options if names.isdisjoint({option.name, option.parent})]
        return 2 * len(lacking) > len(options)
    return False


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a description and of the summary of measurements."""
    system, count = result.description.system, result.description.count
    features: list[Option] = [*system.binary_options, *system.numeric_options]
    texts = [{"kind": constraint_kind(one), "text": one.text.strip(), "line": one.line} for one in system.constraints]
    rows, blocks = ((), {}) if result.measured is None else (result.measured.properties, result.measured.blocks)
    properties = [
        {
            **picked(row, "name, unit, minimum, maximum, configurations, values, repetitions"),
            "scatter": None if row.scatter is None else 100 * row.scatter,
            "drift": row.drift
            and {**picked(row.drift, "significant, rising, change, probability"), "change": 100 * row.drift.change},
            "pattern": row.pattern and row.pattern.text,
            **({"blocks": blocks.get(row.name, ("", None))[1]} if blocks else {}),
        }
        for row in rows
    ]
    counts = picked(result.measured, "configurations, rows, contexts")
    return {
        "schema": "splc.describe/1",
        **picked(system, "name, source"),
        "binary_options": [option.name for option in system.binary_options],
        "numeric_options": [option.name for option in system.numeric_options],
        "constraints": len(system.constraints),
        "valid_configurations": count if _is_writable(count) else None,
        "log10_valid_configurations": math.log10(count) if count else None,
        **picked(result.description, "engine, core, dead"),
        **picked(system, "observed, alternative_groups"),
        "options": [_option_as_json(result.description, option) for option in features],
        "constraint_texts": texts,
        "suspicious": result.description.findings,
        "measurements": result.measured and {"source": result.measured.source, **counts, "properties": properties},
        "inferred": result.inference and inference_as_json(result.inference),
    }


def _option_as_json(description: Description, option: Option) -> dict[str, Any]:
    if isinstance(option, NumericOption):
        return picked(option, "name") | {"kind": "numeric"} | picked(option, "values, step, deselected_flag, line")
    # Long numbers for each option would be gigabytes.
    selected = description.occurrences[option.name][1] if _is_writable(description.count) else None
    return {
        **{"name": option.name, "kind": "binary", "parent": option.parent},
        **{"role": option_role(description.system, option), "implied": option.implied},
        **{"excluded": description.system.exclusions[option.name], "selected_in": selected, "line": option.line},
    }


def _is_writable(count: int | None) -> bool:
    """Return whether a number is known, and Python's reader of JSON reads it."""
    return count is not None and count < _TOO_LONG


def view(result: Result, detail: views.Detail) -> views.View:
    """Yield the description and the summary of the measurements."""
    depth, description, inference = result.tree, result.description, result.inference
    system = description.system
    parts = {"binary option": system.binary_options, "numeric option": system.numeric_options}
    # Some inferred constraints are parents and groups.
    mined = () if inference is None else inference.mined.constraints
    parts |= {"inferred constraint": mined} if mined else {"constraint": system.constraints}
    yield f"{system.name}: {', '.join(views.counted(len(items), noun) for noun, items in parts.items())}"
    yield f"{all_of(system)}: {'not counted' if description.count is None else count_text(description.count)}"
    if description.engine not in {None, DIAGRAMS}:
        core, dead = len(description.core or ()), len(description.dead or ())
        yield f"always selected: {core:,}; never selected: {dead:,} (exact, by {description.engine})"

    def most(entries: Sequence[object]) -> int | None:
        return None if detail.verbose or len(entries) <= MAX_LINES else FIRST_LINES

    yield from _options_view(description, most) if depth is None else ("", *tree_lines(system, depth))
    if system.observed:
        title = "Observed variables (not options; known only for measured configurations)"
        yield views.Entries(title, [", ".join(level_ranges(system.observed))])
    if depth is None:
        title = "Alternative groups (exactly one is selected if the parent is)"
        groups = system.alternative_groups
        yield views.Entries(title, map(", ".join, groups), most(groups), ALL)
    if system.constraints:
        yield "\nConstraints"
        yield views.Rows(system.constraints, CONSTRAINTS, most(system.constraints), ALL)
    if inference is not None:
        if inference.mined:
            yield f"\nConstraints inferred from {inference.mined.rows:,} rows (--no-constraints ignores them)"
            yield views.Rows(mined, MINED, most(mined), ALL)
        unseen = [f"{pair} ({text} would exclude it)" for pair, text in inference.unseen]
        yield views.Entries("In no row, too little evidence to infer constraints", unseen, most(unseen), ALL)
    yield views.Entries("Suspicious", map(str, description.findings), most(description.findings), ALL)
    if result.measured is not None:
        yield from view_of_measurements(result.measured, description.count if all_of(system) == VALID else None)
    yield result.notes
    if result.problem is not None:
        yield views.Failed(result.problem)


def shown_values(option: NumericOption) -> str:
    """Return an option's values, without those in the middle if there are many."""
    texts = [f"{value:.12g}" for value in option.values]
    if len(texts) > SHOWN_VALUES + 1:
        texts = [*texts[: SHOWN_VALUES - 1], "…", texts[-1]]
    return ", ".join(texts)


NUMERIC = (
    views.Column("option", "name"),
    views.Column("values", shown_values),
    views.Column("number", lambda option: len(option.values), optional=3),
    views.Column("next value", "step", optional=1),
    views.Column("deselected", "deselected_flag", lambda flag: f"{flag:g}", optional=2),
)
CONSTRAINTS = (
    views.Column("line"),
    views.Column("kind", constraint_kind),
    views.Column("constraint", lambda constraint: " ".join(constraint.text.split())),
)
MINED = (
    views.Column("constraint", str),
    views.Column("rows that could contradict", lambda row: f"{row.rows:,}", right=True, optional=2),
    views.Column("by chance", lambda row: f"{row.expected:.3g}", right=True, optional=1),
)


def _options_view(description: Description, most: Callable[[Sequence[object]], int | None]) -> views.View:
    system = description.system

    def excluded(option: BinaryOption) -> list[str]:
        # Alternatives are shown as groups.
        return [name for name in system.exclusions[option.name] if name not in system.alternatives(option)]

    if system.binary_options:
        yield "\nBinary options"
        binary = (
            views.Column("option", lambda row: "  " * row[1] + row[0].name),
            views.Column("kind", lambda row: option_role(system, row[0])),
            views.Column("selected in", lambda row: share(description, row[0].name), right=True, optional=3),
            views.Column("excludes", lambda row: ", ".join(excluded(row[0])), optional=1),
            views.Column("implies", lambda row: ", ".join(" | ".join(group) for group in row[0].implied), optional=2),
        )
        yield views.Rows(in_tree_order(system), binary, most(system.binary_options), MORE)
    if system.numeric_options:
        yield "\nNumeric options"
        yield views.Rows(system.numeric_options, NUMERIC, most(system.numeric_options), MORE)


def share(description: Description, name: str) -> str:
    """Return the percentage of the valid configurations in which a binary option is selected."""
    if not (total := description.count):
        return ""
    # Integer arithmetic: floats are not exact for 10^27 configurations and more.
    tenths = (1000 * description.occurrences[name][1] + total // 2) // total
    return f"{tenths // 10}.{tenths % 10} %"


def level_ranges(names: Sequence[str]) -> list[str]:
    """Return names; those that differ only in the last number are a range: `C_0 … C_6`."""
    ranges = []
    for _, group in groupby(names, key=lambda name: name.rstrip("0123456789")):
        of_group = list(group)
        ranges += [f"{of_group[0]} … {of_group[-1]}"] if len(of_group) > 2 else of_group
    return ranges


def _repetitions(row: PropertySummary) -> str | int:
    return views.interval_text(row.repetitions) if len({*row.repetitions}) > 1 else row.repetitions[0]


PROPERTIES = (
    *views.columns("property = name"),
    views.Column("unit", optional=3),
    *views.columns("from = minimum, to = maximum"),
    views.Column("configurations", optional=2),
    views.Column("repetitions", _repetitions, optional=1),
    views.Column("scatter", form=lambda fraction: percentage(100 * fraction, 3)),
)


def view_of_measurements(measured: MeasuredSummary, valid: int | None) -> views.View:
    """Yield the summary of measurements; `valid` is the number of valid configurations, None if it is unknown."""
    of_valid = "" if valid is None or valid > MAX_COUNTED else f" of {valid:,}"
    rows = views.counted(measured.rows, "row")
    yield f"\nMeasurements: {measured.source}, {measured.configurations:,}{of_valid} valid configurations, {rows}"
    for name, values in measured.contexts.items():
        yield f"  context {name}: {views.counted(len(values), 'value')} ({column_choice.shown_values(values)})"
    yield views.Rows(measured.properties, PROPERTIES)
    if any(row.scatter is not None for row in measured.properties):
        yield "scatter: median of the relative standard deviations of the repetitions of a configuration"
    for name, (text, _) in measured.blocks.items():
        yield f"blocks of {name}: {text}"
    for row in measured.properties:
        if row.pattern is not None:
            yield f"runs of {row.name} move together: {row.pattern.text}"
        if (drift := row.drift) is not None and drift.significant:
            direction, of_pairs = ("greater", drift.rising) if drift.rising > 0.5 else ("smaller", 1 - drift.rising)
            last = f", the last one by {signed_percentage(100 * drift.change, 3)} in the median"
            change = "" if math.isnan(drift.change) else last
            pairs = percentage(100 * of_pairs, 3)
            yield f"drift of {row.name}: later repetitions are {direction} in {pairs} of pairs{change}"


Children = dict[str | None, list[BinaryOption]]


def tree_lines(system: VariabilityModel, depth: int) -> Iterator[str]:
    """Yield the lines of the tree of a system's options."""
    children: Children = {}
    for option in system.binary_options:
        children.setdefault(option.parent, []).append(option)
    yield system.name
    yield from _below(system, children, None, depth, "  ")
    numeric = system.numeric_options
    for feature in numeric[:SIDE_BY_SIDE]:
        yield f"  {feature.name}: {shown_values(feature)}" + (" or deselected" if feature.optional else "")
    if len(numeric) > SIDE_BY_SIDE:
        hidden = views.counted(len(numeric) - SIDE_BY_SIDE, "option")
        yield f"  … {hidden} with numbers: {_names(numeric[SIDE_BY_SIDE:])}"


def _below(system: VariabilityModel, children: Children, parent: str | None, depth: int, indent: str) -> Iterator[str]:
    options = children.get(parent, [])
    if options and depth == 0:
        pending = [*options]
        for option in pending:
            pending += children.get(option.name, [])
        yield f"{indent}… {views.counted(len(pending), 'option')} below"
        return
    grouped = [option for option in options if system.alternatives(option)]
    singles = [option for option in options if not system.alternatives(option)]
    while grouped:
        names = {grouped[0].name, *system.alternatives(grouped[0])}
        members = [member for member in grouped if member.name in names]
        grouped = [option for option in grouped if option.name not in names]
        yield f"{indent}one of {len(members):,}: {_names(members)}"
        for member in members:
            if member.name in children:
                yield f"{indent}  {member.name}"
                yield from _below(system, children, member.name, depth - 1, f"{indent}    ")
    leaves = [option for option in singles if option.name not in children]
    for kind in ("mandatory", "optional"):
        of_kind = [option for option in leaves if option.optional is (kind == "optional")]
        if len(of_kind) > SIDE_BY_SIDE:
            yield f"{indent}{views.counted(len(of_kind), f'{kind} option')}: {_names(of_kind)}"
            singles = [option for option in singles if option not in of_kind]
    for option in singles:
        yield f"{indent}{option.name}" + (" (optional)" if option.optional else "")
        yield from _below(system, children, option.name, depth - 1, f"{indent}  ")


def _names(options: Sequence[object]) -> str:
    names = [getattr(option, "name", "") for option in options]
    return ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")


EXAMPLES = ("splc describe", "splc describe system.xml --json", "splc describe measurements.csv --tree 3")
VERB = views.Verb(Request, run, view, as_json, EXAMPLES, doing="counting", without=("aggregate",))
