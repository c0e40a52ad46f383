"""The output of `splc describe`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from sampling.space.analysis import Description, Finding, constraint_kind, in_tree_order, option_role
from sampling.space.space import DIAGRAMS
from splc.cli.detail import detail
from splc.cli.show.blocks import Column, counted, narrowed, show_list, show_rows
from splc.cli.show.measurements import MeasurementsObject, show_measurements
from splc.cli.show.tree import shown_values, tree_lines
from splc.cli.terminal import say
from splc.io.json_object import JsonObject, at, count, each, json_object
from splc.io.numbers import count_text
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows.describe import Result
from splc.workflows.objects import InferenceObject

_TOO_LONG = 10**4300
# Longer tables and lists show only their first lines, unless all are requested.
MAX_LINES, FIRST_LINES = 60, 15
MORE = "-v lists all, --tree shows the hierarchy"


class BinaryOptionObject(JsonObject):
    """A binary option; `selected_in` is the number of valid configurations, null if it is not known."""

    name: str = at("option.name")
    kind: Literal["binary"] = at(lambda _: "binary")
    parent: str | None = at("option.parent")
    role: str
    implied: list[list[str]] = at("option.implied")
    excluded: list[str]
    selected_in: int | None
    line: int | None = at("option.line")


class NumericOptionObject(JsonObject):
    """A numeric option."""

    name: str
    kind: Literal["numeric"] = at(lambda _: "numeric")
    values: list[float]
    step: str | None
    deselected_flag: float | None
    line: int | None


class ConstraintObject(JsonObject):
    """A constraint."""

    kind: str = at(constraint_kind)
    text: str = at(lambda constraint: constraint.text.strip())
    line: int | None


class DescriptionObject(JsonObject, schema="splc.describe/1"):
    """A system, and a summary of its measurements.

    `engine` is what counted, or found the options that are always (`core`) or never (`dead`) selected, both exactly:
    decision diagrams, `d-DNNF (D4)` or `SAT (Glucose)`.
    """

    name: str = at("description.system.name")
    source: str | None = at("description.system.source")
    binary_options: list[str] = each("description.system.binary_options", "name")
    numeric_options: list[str] = each("description.system.numeric_options", "name")
    constraints: int = count("description.system.constraints")
    valid_configurations: int | None = at(lambda result: _writable(result.description))
    log10_valid_configurations: float | None = at(
        lambda result: math.log10(result.description.count) if result.description.count else None
    )
    engine: str | None = at("description.engine")
    core: list[str] | None = at("description.core")
    dead: list[str] | None = at("description.dead")
    observed: list[str] = at("description.system.observed")
    alternative_groups: list[list[str]] = at("description.system.alternative_groups")
    options: list[BinaryOptionObject | NumericOptionObject] = at(lambda result: list(_options(result.description)))
    constraint_texts: list[ConstraintObject] = at("description.system.constraints")
    suspicious: list[Finding] = at("description.findings")
    measurements: MeasurementsObject | None = at("measured")
    inferred: InferenceObject | None = at("inference")


def _writable(description: Description) -> int | None:
    """Return the number of valid configurations, None for one that Python's reader of JSON refuses."""
    return None if (description.count or 0) >= _TOO_LONG else description.count


def _options(description: Description) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of the options."""
    system = description.system
    # Long numbers for each option would be gigabytes.
    writable = _writable(description) is not None
    for feature in system.binary_options:
        row = {"option": feature, "role": option_role(system, feature), "excluded": system.exclusions[feature.name]}
        selected = description.occurrences[feature.name][1] if writable else None
        yield json_object(BinaryOptionObject, {**row, "selected_in": selected})
    for option in system.numeric_options:
        yield json_object(NumericOptionObject, option)


def show(result: Result, depth: int | None = None) -> None:
    """Print the description and the summary of the measurements.

    `depth`: print the options as a tree of this depth, not as tables.
    """
    description = result.description
    system = description.system
    parts = {"binary option": system.binary_options, "numeric option": system.numeric_options}
    # Some inferred constraints are parents and groups.
    mined = () if result.inference is None else result.inference.mined.constraints
    parts |= {"inferred constraint": mined} if mined else {"constraint": system.constraints}
    say(f"{system.name}: {', '.join(counted(len(items), noun) for noun, items in parts.items())}")
    say(f"valid configurations: {'not counted' if description.count is None else count_text(description.count)}")
    if description.engine not in {None, DIAGRAMS}:
        core, dead = len(description.core or ()), len(description.dead or ())
        say(f"always selected: {core:,}; never selected: {dead:,} (exact, by {description.engine})")
    if depth is None:
        _show_options(description)
    else:
        say()
        for line in tree_lines(system, depth):
            say(line)
    if system.observed:
        title = "Observed variables (not options; known only for measured configurations)"
        show_list(title, [", ".join(level_ranges(system.observed))])
    if depth is None:
        title = "Alternative groups (exactly one is selected if the parent is)"
        show_list(title, map(", ".join, system.alternative_groups), _most(system.alternative_groups), "-v lists all")
    if system.constraints:
        say("\nConstraints")
        show_rows(system.constraints, CONSTRAINTS, _most(system.constraints), "-v lists all")
    if result.inference is not None and result.inference.mined:
        say(f"\nConstraints inferred from {result.inference.mined.rows:,} rows (--no-constraints ignores them)")
        show_rows(mined, narrowed(MINED, "by chance", "rows that could contradict"), _most(mined), "-v lists all")
    if result.inference is not None:
        unseen = [f"{pair} ({text} would exclude it)" for pair, text in result.inference.unseen]
        show_list("In no row, which are too few to infer constraints", unseen, _most(unseen), "-v lists all")
    show_list("Suspicious", map(str, description.findings), _most(description.findings), "-v lists all")
    if result.measured is not None:
        show_measurements(result.measured, description.count)


NUMERIC = (
    Column("option", "name"),
    Column("values", shown_values),
    Column("number", lambda option: len(option.values)),
    Column("next value", "step"),
    Column("deselected", "deselected_flag", lambda flag: f"{flag:g}"),
)
CONSTRAINTS = (
    Column("line"),
    Column("kind", constraint_kind),
    Column("constraint", lambda constraint: " ".join(constraint.text.split())),
)


MINED = (
    Column("constraint", str),
    Column("rows that could contradict", lambda row: f"{row.rows:,}", right=True),
    Column("by chance", lambda row: f"{row.expected:.3g}", right=True),
)


def _show_options(description: Description) -> None:
    """Print the tables of options."""
    system = description.system
    if system.binary_options:
        say("\nBinary options")
        binary = (
            Column("option", lambda row: "  " * row[1] + row[0].name),
            Column("kind", lambda row: option_role(system, row[0])),
            Column("selected in", lambda row: share(description, row[0].name), right=True),
            Column("excludes", lambda row: ", ".join(_excluded(system, row[0]))),
            Column("implies", lambda row: ", ".join(" | ".join(group) for group in row[0].implied)),
        )
        show_rows(
            in_tree_order(system),
            narrowed(binary, "excludes", "implies", "selected in"),
            _most(system.binary_options),
            MORE,
        )
    if system.numeric_options:
        say("\nNumeric options")
        show_rows(
            system.numeric_options,
            narrowed(NUMERIC, "next value", "deselected", "number"),
            _most(system.numeric_options),
            MORE,
        )


def _most(entries: Sequence[object]) -> int | None:
    """Return the number of lines to print of a table or list, None for all."""
    return None if detail().verbose or len(entries) <= MAX_LINES else FIRST_LINES


def _excluded(system: VariabilityModel, option: BinaryOption) -> list[str]:
    """Return the excluded options without the alternatives, which are shown as groups."""
    return [name for name in system.exclusions[option.name] if name not in system.alternatives(option)]


def share(description: Description, name: str) -> str:
    """Return the percentage of the valid configurations in which a binary option is selected."""
    if not description.count:
        return ""
    return _percentage(description.occurrences[name][1], description.count)


@lru_cache(maxsize=256)
def _percentage(part: int, total: int) -> str:
    # Integer arithmetic: floats are not exact for 10^27 configurations and more.
    tenths = (1000 * part + total // 2) // total
    return f"{tenths // 10}.{tenths % 10} %"


def level_ranges(names: Sequence[str]) -> list[str]:
    """Return names; those that differ only in the last number are a range: `C_0 … C_6`."""
    ranges = []
    for _, group in groupby(names, key=lambda name: name.rstrip("0123456789")):
        of_group = list(group)
        ranges += [f"{of_group[0]} … {of_group[-1]}"] if len(of_group) > 2 else of_group
    return ranges
