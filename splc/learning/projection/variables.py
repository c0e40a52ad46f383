"""The variables of a full model: binary options, numeric options and alternative groups, one each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations, value_indices
from splc.learning.projection.constants import EXTRAPOLATION
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

# A group of two members is one binary variable; numbers are read from the names of larger groups.
MIN_GROUP = 3
# A stem, a number, and a unit: `ref_9`, `PS16K`.
_NUMBERED = re.compile(r"(.*?[^\d.]|)(\d+(?:\.\d+)?)(\D*)")


@dataclass(frozen=True)
class Variable:
    """An option, or an alternative group, which counts as one option."""

    name: str  # the option, or the first member of the group
    kind: Literal["binary", "numeric", "group"]
    # the names of its columns in configurations: the option, or all members of the group. A group of two members is one
    # binary variable, that of the first one.
    members: tuple[str, ...]
    # of a numeric option, the described values, ascending; of a group whose names are a stem and a number, the numbers
    # of its members, if these are used; otherwise empty
    values: tuple[float, ...] = ()
    # whether a configuration may lack it: a deselected numeric option (its column is NaN), or a group none of whose
    # members is selected
    optional: bool = False
    observed: bool = False  # whether it is an observed variable
    shared: bool = False  # of a group, whether its members share one relevance; those of a numbered group do

    def unnumbered(self) -> tuple[Variable, ...]:
        """Return the variables that it would be if its members had other names."""
        if self.kind != "group" or not self.values:
            return (self,)
        if self.optional:
            return tuple(Variable(name, "binary", (name,)) for name in self.members)
        return (replace(self, values=(), shared=False),)

    def with_members(self, members: Sequence[str]) -> Variable:
        """Return it with its members in another order."""
        numbers = dict(zip(self.members, self.values, strict=True)) if self.kind == "group" and self.values else {}
        values = tuple(numbers[name] for name in members) if numbers else self.values
        name = members[0] if self.kind == "binary" else self.name
        return replace(self, name=name, members=tuple(members), values=values)

    def column(self, configurations: Configurations) -> Array:
        """Return its values, shape (n,): of a group, the number of the selected member; NaN where it is absent."""
        if self.kind != "group":
            return configurations.column(self.members[0])
        columns = np.column_stack([configurations.column(name) for name in self.members])
        return np.where(columns.any(axis=1), columns @ np.array(self.values), np.nan)


def variables_of(
    system: VariabilityModel, observed: Sequence[str] = (), everything: Configurations | None = None
) -> tuple[Variable, ...]:
    """Return the variables of a system, sorted by name, without options that every configuration has.

    Groups have the numbers in their members' names, whether or not these mean anything (see `fit.py`).

    `everything`: all measured configurations; they give the values of observed variables.
    """
    variables: list[Variable] = []
    grouped: set[str] = set()
    for unsorted in system.alternative_groups:
        # The result must not depend on the order in the description.
        group = tuple(sorted(unsorted, key=lambda name: (numbers_of((name,)), name)))
        parents = {system.option(name).parent for name in group}
        always = parents <= {None, *system.mandatory}
        numbers = numbers_of(group)
        if len(group) < MIN_GROUP:
            if always:
                # Exactly one of two members is selected, so that the first one determines the second.
                variables.append(Variable(group[0], "binary", group))
                grouped.update(group)
        elif always or numbers:
            variables.append(Variable(group[0], "group", group, numbers, optional=not always, shared=bool(numbers)))
            grouped.update(group)
    for option in system.options:
        if isinstance(option, NumericOption):
            if option.size > 1:
                variables.append(Variable(option.name, "numeric", (option.name,), option.values, option.optional))
        elif option.name not in grouped and option.name not in system.mandatory:
            variables.append(Variable(option.name, "binary", (option.name,)))
    for name in observed:
        column = everything.column(name) if everything is not None else np.zeros(0)
        distinct = np.unique(column[~np.isnan(column)])
        if len(distinct) > 1 or (len(distinct) and np.isnan(column).any()):
            variables.append(
                Variable(name, "numeric", (name,), tuple(map(float, distinct)), bool(np.isnan(column).any()), True)
            )
    return tuple(sorted(variables, key=lambda variable: variable.name))


def varies(variable: Variable, configurations: Configurations) -> bool:
    """Return whether a variable has several values in configurations."""
    columns = [np.nan_to_num(configurations.column(name), nan=-np.inf) for name in variable.members]
    return any(bool((column != column[0]).any()) for column in columns)


def without_numbers(variables: Iterable[Variable], kept: Iterable[str] = ()) -> tuple[Variable, ...]:
    """Return variables without the numbers of members, except for the groups with the names `kept`."""
    numbered_names = set(kept)
    return tuple(
        variable
        for original in variables
        for variable in ((original,) if original.name in numbered_names else original.unnumbered())
    )


def nearest_known(
    configurations: Configurations, variables: Sequence[Variable]
) -> tuple[Configurations, list[tuple[Configurations, Array]]]:
    """Return configurations that a model can predict, and what is near to them where options have further values.

    A model of positive values has logarithms: others are predicted as its smallest value is. To these, its greatest
    value is the nearest one here, since their distance is unknown.

    `variables`: those of the model, with the values that it knows.
    """
    system, usable = configurations.system, configurations.indices.copy()
    moved: list[tuple[int, Array, Array]] = []
    for variable in variables:
        option = None if variable.kind == "group" or variable.observed else system.option(variable.name)
        if not isinstance(option, NumericOption):
            continue
        values, known = np.array(option.values), np.array(variable.values or (0.0, 1.0))
        closest = known[np.abs(values[:, None] - known).argmin(axis=1)]
        if np.array_equal(closest, values):
            continue
        undefined = values <= (0.0 if known[0] > 0 else -1.0 if known[0] == 0 else -np.inf)
        position = system.positions[option.name]
        column = usable[:, position]
        first, second = (
            # A deselected option stays so.
            np.append(value_indices(option, np.where(np.isin(target, values), target, values)), len(values))[column]
            for target in (np.where(undefined, known[0], values), np.where(undefined, known[-1], closest))
        )
        if (second != column).any():
            between = np.append((values > known[0]) & (values < known[-1]), True)[column]
            moved.append((position, second, max(EXTRAPOLATION, 2 / len(known)) * np.where(between, 0.5, 1.0)))
        usable[:, position] = first
    near = [usable.copy() for _ in moved]
    for indices, (position, column, _) in zip(near, moved, strict=True):
        indices[:, position] = column
    return replace(configurations, indices=usable), [
        (replace(configurations, indices=indices), weight) for indices, (_, _, weight) in zip(near, moved, strict=True)
    ]


def with_known_members(configurations: Configurations, variables: Sequence[Variable]) -> list[Configurations]:
    """Return configurations of which each has a member of every group.

    Where none is selected, since a text is unknown, the first ones have the first members, the second ones the second
    ones, and so on. Other configurations are returned as they are, once.
    """
    system = configurations.system
    unknown = []
    for variable in variables:
        if len(variable.members) > 1 and not variable.optional:
            places = [system.positions[system.option(name).name] for name in variable.members]
            rows = np.flatnonzero(~configurations.indices[:, places].any(axis=1))
            unknown += [(rows, places)] if len(rows) else []
    variants = []
    for number in range(max((len(places) for _, places in unknown), default=0)):
        indices = configurations.indices.copy()
        for rows, places in unknown:
            indices[rows, places[number % len(places)]] = 1
        variants.append(replace(configurations, indices=indices))
    return variants or [configurations]


def numbers_of(group: Sequence[str]) -> tuple[float, ...]:
    """Return the numbers in the names of a group; empty unless all are one stem, a distinct number and one unit."""
    matches = [_NUMBERED.fullmatch(name) for name in group]
    shapes = {(match[1], match[3]) if match else None for match in matches}
    numbers = tuple(float(match[2]) for match in matches if match)
    if len(shapes) > 1 or None in shapes or len(set(numbers)) < len(group):
        return ()
    return numbers


def stem_of(group: Sequence[str]) -> str:
    """Return the stem and the unit in the names of a numbered group: `ref` of `ref_1` and `ref_9`."""
    match = _NUMBERED.fullmatch(group[0])
    return group[0] if match is None else (match[1] + match[3]).strip("_- ") or group[0]
