"""Changes of values where one or two options change and all others stay, in a completely measured system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.effects import titled_groups
from splc.system.options import NumericOption
from splc.types import Array

# Values per choice of an interaction, as in `splc explain`.
MAX_VALUES = 6


@dataclass(frozen=True, eq=False)
class Choice:
    """An option or an alternative group with its values in measured configurations."""

    name: str  # the option, or the title of the group
    options: tuple[str, ...]  # the option, or the members of the group
    labels: tuple[str, ...]  # its values as texts
    value: Array  # the value of each configuration, a position in `labels`
    others: Array  # the values of all other options of each configuration, as a number


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
            others = _others(configurations, names)
            found.append(Choice(groups.get(names, names[0]), names, labels, value.ravel(), others))
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


def total_share(choice: Choice, values: Array) -> float | None:
    """Return the fraction of the variance that all other options do not explain; None if they determine the choice."""
    counts = np.bincount(choice.others)
    if counts.max() == 1:
        return None
    means = np.bincount(choice.others, values) / counts
    return float(np.mean((values - means[choice.others]) ** 2) / np.var(values))


def interaction_share(configurations: Configurations, one: Choice, other: Choice, values: Array) -> float | None:
    """Return the fraction of the variance that the interaction of two choices causes.

    The mean values of all combinations of the two, over the values of the other options that allow all of them, minus
    what each choice adds alone, have this mean square; None where no values of the other options allow all.
    """
    chosen = [_some(len(each.labels)) for each in (one, other)]
    rest = _others(configurations, (*one.options, *other.options))
    table = np.full((rest.max() + 1, len(one.labels), len(other.labels)), np.nan)
    table[rest, one.value, other.value] = values
    table = table[:, chosen[0]][:, :, chosen[1]]
    cells = table[np.isfinite(table).all(axis=(1, 2))]
    if not len(cells):
        return None
    means = cells.mean(axis=0)
    left = means - means.mean(axis=0) - means.mean(axis=1, keepdims=True) + means.mean()
    return float(np.mean(left**2) / np.var(values))


def _some(size: int) -> Array:
    """Return the positions of some of the values of a choice, from the first to the last."""
    return np.unique(np.linspace(0, size - 1, min(size, MAX_VALUES)).round().astype(int))
