"""The values of configurations as texts, spelled as in tables and commands: `cache`, `x=4`, `codec=zlib`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from splc.system.groups import text_groups
from splc.system.options import BinaryOption, Option
from splc.system.variability import VariabilityModel

# Text → value of a binary option.
TRUTH = {"true": 1, "false": 0, "yes": 1, "no": 0, "on": 1, "off": 0, "1": 1, "0": 0}
SELECTED, NOT_SELECTED, DESELECTED = "selected", "-", "deselected"


def text_values(system: VariabilityModel) -> dict[str, tuple[str, str]]:
    """Return child → its parent and text, for options that have texts as values."""
    return {
        child.name: (parent, child.presentation.output_string or child.name)
        for parent, children in text_groups(system).items()
        for child in children
    }


def value_texts(system: VariabilityModel, values: Mapping[str, float]) -> dict[str, str]:
    """Return option → text of its value in one configuration: `selected`, `-`, `yes`, `4`, `deselected`, `zlib`.

    An option that has texts as values stands for its children. `values`: option → number, NaN where deselected.
    """
    children = text_values(system)
    chosen = {parent: text for child, (parent, text) in children.items() if values[child]}
    parents = {parent for parent, _ in children.values()}
    return {
        option.name: chosen.get(option.name, NOT_SELECTED) if option.name in parents else value_text(option, value)
        for option, value in zip(system.options, values.values(), strict=True)
        if option.name not in children
    }


def value_text(option: Option, value: float) -> str:
    """Return the text of a value; NaN is deselected."""
    if isinstance(option, BinaryOption):
        return (option.presentation.words or (NOT_SELECTED, SELECTED))[value > 0]
    return DESELECTED if np.isnan(value) else f"{value:g}"


def assignment_texts(system: VariabilityModel, values: Mapping[str, float]) -> dict[str, str]:
    """Return option → text such as `cache`, `x=4` or `codec=zlib` of what a configuration selects, in their order.

    The option of `codec=zlib` is the child of `codec`.
    """
    children, found = text_values(system), {}
    parents = {parent for parent, _ in children.values()}
    for option, value in zip(system.options, values.values(), strict=True):
        if not isinstance(option, BinaryOption):
            found[option.name] = f"{option.name}={value_text(option, value)}"
        elif value and option.name not in parents:
            words = option.presentation.words
            plain = option.name if words is None else f"{option.name}={words[1]}"
            found[option.name] = "=".join(children[option.name]) if option.name in children else plain
    return found
