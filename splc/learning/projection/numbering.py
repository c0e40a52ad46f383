"""The choice between numbered and unnumbered members of alternative groups, by evidence.

The numbers in names such as `ref_1 ref_5 ref_9` are a hypothesis. Three models of a group are compared: members with a
relevance each, as under other names; members that share one relevance; and these together with the number and its
logarithm. The second one separates what the numbers explain from what the shared relevance does.

All groups are compared together first: where the numbers of all have a meaning, few rows show it for all groups
together, but not for each one. Then single groups may lose their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.basis import OptionBasis
from splc.learning.projection.fit import Data, first_fit
from splc.learning.projection.scales import Scale
from splc.learning.projection.variables import MIN_GROUP, Variable
from splc.types import Array


def without_numbers(variables: Iterable[Variable], kept: Iterable[str] = ()) -> tuple[Variable, ...]:
    """Return variables without the numbers of members, except for the groups with the names `kept`."""
    known = set(kept)
    return tuple(each for one in variables for each in ((one,) if one.name in known else one.unnumbered()))


def with_supported_numbers(
    variables: tuple[Variable, ...], configurations: Configurations, y: Array, repetitions: Array, scale: Scale
) -> tuple[Variable, ...]:
    """Return variables without the numbers of groups that the evidence is not for.

    Args:
        variables: the variables; groups have the numbers in the names of their members.
        configurations: n configurations, in hash order.
        y: their values, shape (n,).
        repetitions: the number of measurements of each, shape (n,).
        scale: the scale.
    """
    groups = {variable.name: variable for variable in variables if variable.kind == "group" and variable.values}
    if not groups:
        return variables
    some = slice(constants.ROWS_OF_NUMBERING)
    rows, values, counts = configurations[some], y[some], repetitions[some]
    margins = {name: constants.EVIDENCE_PER_MEMBER * (len(group.members) - MIN_GROUP) for name, group in groups.items()}

    @cache
    def evidence(kept: frozenset[str], shared: frozenset[str] = frozenset()) -> float:
        """Return the evidence with the numbers of some groups, and others whose members share one relevance."""
        others = (replace(one, values=()) if one.name in shared else one for one in variables)
        chosen = without_numbers(others, kept)
        data = Data(OptionBasis(chosen, len(rows)).designs(rows)[:1], values, counts)
        return first_fit(data, len(variables), scale).evidence

    def supported(new: frozenset[str], kept: frozenset[str], least: float) -> bool:
        """Return whether the evidence is for the numbers of new groups besides those that are kept."""
        found = evidence(kept | new)
        margin = sum(margins[name] for name in new)
        return found > evidence(kept, new) + least and found > evidence(kept) - margin

    every = frozenset(groups)
    if supported(every, frozenset(), constants.NUMBER_EVIDENCE):
        kept = [name for name in groups if supported(frozenset((name,)), every - {name}, 0.0)]
        return without_numbers(variables, kept)
    found: frozenset[str] = frozenset()
    # Where the numbers of one group have a meaning, those of the others are likely to have one.
    for least in (constants.NUMBER_EVIDENCE, constants.FURTHER_NUMBER_EVIDENCE):
        found |= {name for name in every - found if supported(frozenset((name,)), found, least)}
        if not found or found == every:
            break
    return without_numbers(variables, found)
