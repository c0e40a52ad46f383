"""The output of `splc describe`."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from splc.cli.show.tree import shown_values, tree_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sampling.space.analysis import Description
    from splc.workflows.describe import Result


_TOO_LONG = 10**4300


def as_json(result: Result) -> dict[str, Any]:
    """Return the content of the JSON object."""
    from sampling.space.analysis import constraint_kind, option_role
    from splc.cli.show.init import inference_json
    from splc.cli.show.measurements import measurements_json

    description = result.description
    system = description.system
    # Python's reader of JSON refuses longer numbers, and one for each option would be gigabytes.
    writable = None if (description.count or 0) >= _TOO_LONG else description.count
    return {
        "name": system.name,
        "source": system.source,
        "binary_options": [option.name for option in system.binary_options],
        "numeric_options": [option.name for option in system.numeric_options],
        "constraints": len(system.constraints),
        "valid_configurations": writable,
        "log10_valid_configurations": math.log10(description.count) if description.count else None,
        "observed": list(system.observed),
        "alternative_groups": system.alternative_groups,
        "options": [
            {
                "name": option.name,
                "kind": "binary",
                "parent": option.parent,
                "role": option_role(system, option),
                "implied": option.implied,
                "excluded": system.exclusions[option.name],
                "selected_in": None if writable is None else description.occurrences[option.name][1],
                "line": option.line,
            }
            for option in system.binary_options
        ]
        + [
            {
                "name": option.name,
                "kind": "numeric",
                "values": option.values,
                "step": option.step,
                "deselected_flag": option.deselected_flag,
                "line": option.line,
            }
            for option in system.numeric_options
        ],
        "constraint_texts": [
            {"kind": constraint_kind(constraint), "text": constraint.text.strip(), "line": constraint.line}
            for constraint in system.constraints
        ],
        "suspicious": [vars(finding) for finding in description.findings],
        "measurements": None if result.measured is None else measurements_json(result.measured),
        "inferred": None if result.inference is None else inference_json(result.inference),
    }


def show(result: Result, depth: int | None = None) -> None:
    """Print the description and the summary of the measurements.

    `depth`: print the options as a tree of this depth, not as tables.
    """
    from splc.cli.show.measurements import show_measurements
    from splc.cli.terminal import say

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
    from splc.cli.terminal import say
    from splc.errors import plural
    from splc.io.numbers import count_text

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
    from sampling.space.analysis import in_tree_order, option_role
    from splc.cli.terminal import say, table

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
    from sampling.space.analysis import constraint_kind
    from splc.cli.terminal import say, table

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
