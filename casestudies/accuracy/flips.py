"""Changes of values where one or two options change and all others stay, in a completely measured system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.group_titles import titled_groups
from splc.system.options import NumericOption
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Choice:
    """An option or an alternative group with its values in measured configurations.

    Attributes:
        name: the option, or the title of the group.
        labels: its values as texts.
        value: the value of each configuration, a position in `labels`.
        others: the values of all other options of each configuration, as a number.
    """

    name: str
    labels: tuple[str, ...]
    value: Array
    others: Array


def choices_of(configurations: Configurations) -> list[Choice]:
    """Return the choices that vary, in the order of the system."""
    system = configurations.system
    groups = titled_groups(system)
    grouped = {name for group in groups for name in group}
    members = [*groups, *((name,) for name in system.names if name not in grouped)]
    found = []
    for names in members:
        columns = np.column_stack([np.nan_to_num(configurations.column(name), nan=-np.inf) for name in names])
        values, value = np.unique(columns, axis=0, return_inverse=True)
        if len(values) > 1:
            labels = tuple(_label(configurations, names, row) for row in values)
            found.append(Choice(groups.get(names, names[0]), labels, value.ravel(), _others(configurations, names)))
    return found


def _label(configurations: Configurations, names: tuple[str, ...], values: Array) -> str:
    """Return the value of a choice as `splc explain` names it."""
    if len(names) > 1:
        return next((name for name, value in zip(names, values, strict=True) if value == 1), "(none)")
    if isinstance(configurations.system.option(names[0]), NumericOption):
        return f"{values[0]:g}" if np.isfinite(values[0]) else "deselected"
    return "selected" if values[0] == 1 else "-"


def _others(configurations: Configurations, names: tuple[str, ...]) -> Array:
    """Return a number for each configuration, equal where all options but these are equal."""
    system = configurations.system
    kept = [position for name, position in system.positions.items() if name not in names]
    found: Array = np.unique(configurations.indices[:, kept], axis=0, return_inverse=True)[1].ravel()
    return found


def pivot(choice: Choice, values: Array) -> Array:
    """Return the values, a row for each combination of the other options, a column for each label; NaN: invalid."""
    table = np.full((choice.others.max() + 1, len(choice.labels)), np.nan)
    table[choice.others, choice.value] = values
    return table


def mean_change(choice: Choice, values: Array, first: str, label: str) -> float | None:
    """Return the mean change of the value from one label to another; None where no configuration allows that."""
    table = pivot(choice, values)
    changes = table[:, choice.labels.index(label)] - table[:, choice.labels.index(first)]
    known = changes[np.isfinite(changes)]
    return float(known.mean()) if len(known) else None


def total_share(choice: Choice, values: Array) -> float:
    """Return the fraction of the variance that all other options together do not explain."""
    counts = np.bincount(choice.others)
    means = np.bincount(choice.others, values) / counts
    return float(np.mean((values - means[choice.others]) ** 2) / np.var(values))


def interaction(one: Choice, other: Choice, values: Array) -> float | None:
    """Return the mean change, from the first to the last label of a choice, of the change of another one."""
    table = pivot(one, values)
    changes = table[:, -1] - table[:, 0]
    # The change of `one`, at its configurations with the first label.
    at = pivot(other, np.where(one.value == 0, changes[one.others], np.nan))
    second = at[:, -1] - at[:, 0]
    known = second[np.isfinite(second)]
    return float(known.mean()) if len(known) else None
