"""Contexts of several values, such as two versions, which are measured in turn for each configuration.

In the runs such a context is one more alternative group, so that a command has the value as `{version}`; in tables it
is the column that a context has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.system.definition import with_alternatives
from splc.system.variability import VariabilityModel

# Context → its value, or its values in turn.
Contexts = Mapping[str, str | tuple[str, ...]]


def contexts_of(texts: Sequence[str]) -> dict[str, str | tuple[str, ...]]:
    """Return contexts of texts `COLUMN=VALUE`; several values of one column are measured in turn."""
    contexts: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise SpecError(f"{text!r} is not COLUMN=VALUE")
        contexts[name] = tuple(dict.fromkeys((*contexts.get(name, ()), value)))
    return {name: values[0] if len(values) == 1 else values for name, values in contexts.items()}


def constant_contexts(contexts: Contexts) -> dict[str, str]:
    """Return the contexts of one value."""
    return {name: value for name, value in contexts.items() if isinstance(value, str)}


def turns_of(contexts: Contexts) -> dict[str, tuple[str, ...]]:
    """Return the contexts of several values."""
    return {name: value for name, value in contexts.items() if not isinstance(value, str)}


def with_turns(system: VariabilityModel, turns: Mapping[str, Sequence[str]]) -> VariabilityModel:
    """Return a system with each context of several values as an alternative group."""
    for name, values in turns.items():
        system = replace(system, options=with_alternatives(system.options, name, values))
    return system


def context_children(system: VariabilityModel, name: str) -> dict[str, str]:
    """Return the options of the values of a context → these values."""
    children = (option for option in system.binary_options if option.parent == name)
    return {option.name: option.presentation.output_string or option.name for option in children}


def in_turn(
    configurations: Configurations, system: VariabilityModel, turns: Mapping[str, Sequence[str]]
) -> Configurations:
    """Return each configuration with each value, one after the other.

    Args:
        configurations: n configurations.
        system: their system with the contexts, see `with_turns`.
        turns: context → its values.
    """
    values = list(product(*turns.values()))
    rows = np.repeat(np.arange(len(configurations)), len(values))
    table = configurations.to_columns()
    columns = {name: column[rows] for name, column in table.items()}
    for name, texts in zip(turns, zip(*values, strict=True), strict=True):
        columns[name] = np.array(list(texts) * len(configurations), dtype=object)
    return Configurations.from_columns(system, columns)
