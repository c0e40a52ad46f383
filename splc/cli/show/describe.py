"""The output of `splc describe`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

from sampling.space.analysis import Description, Finding, constraint_kind, in_tree_order, option_role
from splc.cli.show.init import InferenceObject
from splc.cli.show.measurements import MeasurementsObject, show_measurements
from splc.cli.show.tree import shown_values, tree_lines
from splc.cli.terminal import say, table
from splc.errors import plural
from splc.io.json_object import JsonObject, at, json_object
from splc.io.numbers import count_text
from splc.workflows.describe import Result

_TOO_LONG = 10**4300


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
    """A system, and a summary of its measurements."""

    name: str = at("description.system.name")
    source: str | None = at("description.system.source")
    binary_options: list[str] = at(lambda result: [each.name for each in result.description.system.binary_options])
    numeric_options: list[str] = at(lambda result: [each.name for each in result.description.system.numeric_options])
    constraints: int = at(lambda result: len(result.description.system.constraints))
    valid_configurations: int | None = at(lambda result: _writable(result.description))
    log10_valid_configurations: float | None = at(
        lambda result: math.log10(result.description.count) if result.description.count else None
    )
    observed: list[str] = at("description.system.observed")
    alternative_groups: list[list[str]] = at("description.system.alternative_groups")
    options: list[BinaryOptionObject | NumericOptionObject] = at(lambda result: list(_options(result.description)))
    constraint_texts: list[ConstraintObject] = at("description.system.constraints")
    suspicious: list[Finding] = at("description.findings")
    measurements: MeasurementsObject | None = at("measured")
    inferred: InferenceObject | None = at("inference")


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object."""
    return json_object(DescriptionObject, result)


def _writable(description: Description) -> int | None:
    """Return the number of valid configurations, None for one that Python's reader of JSON refuses."""
    return None if (description.count or 0) >= _TOO_LONG else description.count


def _options(description: Description) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of the options."""
    system = description.system
    # Long numbers for each option would be gigabytes.
    known = _writable(description) is not None
    for each in system.binary_options:
        found = {"option": each, "role": option_role(system, each), "excluded": system.exclusions[each.name]}
        selected = description.occurrences[each.name][1] if known else None
        yield json_object(BinaryOptionObject, {**found, "selected_in": selected})
    for option in system.numeric_options:
        yield json_object(NumericOptionObject, option)


def show(result: Result, depth: int | None = None) -> None:
    """Print the description and the summary of the measurements.

    `depth`: print the options as a tree of this depth, not as tables.
    """
    _show_counts(result.description)
    if depth is None:
        _show_options(result.description)
    else:
        say()
        for line in tree_lines(result.description.system, depth):
            say(line)
    _show_remarks(result.description, groups=depth is None)
    if result.measured is not None:
        show_measurements(result.measured, result.description.count)


def _show_counts(description: Description) -> None:
    system = description.system
    binary = plural(len(system.binary_options), "binary option", "binary options")
    numeric = plural(len(system.numeric_options), "numeric option", "numeric options")
    say(f"{system.name}: {binary}, {numeric}, {plural(len(system.constraints), 'constraint', 'constraints')}")
    if description.count is None:
        say("valid configurations: not counted")
    else:
        say(f"valid configurations: {count_text(description.count)}")


def _show_options(description: Description) -> None:
    """Print the tables of options."""
    system = description.system
    if system.binary_options:
        say("\nBinary options")
        table(
            ("option", "kind", "selected in", "excludes", "implies"),
            (
                (
                    "  " * depth + option.name,
                    option_role(system, option),
                    share(description, option.name),
                    ", ".join(set_apart(system.exclusions[option.name], system.alternatives(option))),
                    ", ".join(" | ".join(group) for group in option.implied),
                )
                for option, depth in in_tree_order(system)
            ),
            right=("selected in",),
        )
    if system.numeric_options:
        say("\nNumeric options")
        table(
            ("option", "values", "number", "next value", "deselected"),
            (
                (
                    option.name,
                    shown_values(option),
                    f"{len(option.values):,}",
                    option.step or "",
                    "" if option.deselected_flag is None else f"{option.deselected_flag:g}",
                )
                for option in system.numeric_options
            ),
            right=("number",),
        )


def _show_remarks(description: Description, *, groups: bool) -> None:
    """Print observed variables, alternative groups if wanted, constraints and suspicious parts."""
    system = description.system
    if system.observed:
        say("\nObserved variables (not options; known only for measured configurations)")
        say(f"  {', '.join(level_ranges(system.observed))}")
    if system.alternative_groups and groups:
        say("\nAlternative groups (exactly one is selected if the parent is)")
        for group in system.alternative_groups:
            say(f"  {', '.join(group)}")
    if system.constraints:
        say("\nConstraints")
        table(
            ("line", "kind", "constraint"),
            (
                (str(constraint.line or ""), constraint_kind(constraint), " ".join(constraint.text.split()))
                for constraint in system.constraints
            ),
            right=("line",),
        )
    if description.findings:
        say("\nSuspicious")
        for finding in description.findings:
            say(f"  {finding}")


def set_apart(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the names without the alternatives, which are shown as groups."""
    return [name for name in names if name not in others]


def share(description: Description, name: str) -> str:
    """Return the percentage of the valid configurations in which a binary option is selected."""
    if not description.count:
        return ""
    return _percentage(description.occurrences[name][1], description.count)


@lru_cache(maxsize=256)
def _percentage(part: int, whole: int) -> str:
    # Integer arithmetic: floats are not exact for 10^27 configurations and more.
    tenths = (1000 * part + whole // 2) // whole
    return f"{tenths // 10}.{tenths % 10} %"


def level_ranges(names: Sequence[str]) -> list[str]:
    """Return names; those that differ only in the last number are a range: `C_0 … C_6`."""
    from itertools import groupby

    found = []
    for _, group in groupby(names, key=lambda name: name.rstrip("0123456789")):
        of_group = list(group)
        found += [f"{of_group[0]} … {of_group[-1]}"] if len(of_group) > 2 else of_group
    return found
