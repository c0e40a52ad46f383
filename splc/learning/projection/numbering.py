"""The choice between numbered and unnumbered members of alternative groups, by evidence.

The numbers in names such as `ref_1 ref_5 ref_9` are a hypothesis. Three models of a group are compared: members with a
relevance each, as under other names; members that share one relevance; and these together with the number and its
logarithm. The second model separates the effect of the numbers from that of the shared relevance.

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
    numbered_names = set(kept)
    return tuple(
        variable
        for original in variables
        for variable in ((original,) if original.name in numbered_names else original.unnumbered())
    )


def with_supported_numbers(
    variables: tuple[Variable, ...], configurations: Configurations, y: Array, repetitions: Array, scale: Scale
) -> tuple[Variable, ...]:
    """Return variables without the numbers of groups that the evidence is not for.

    `variables`: the variables; groups have the numbers in the names of their members. `y`: their values, shape (n,).
    `repetitions`: the number of measurements of each, shape (n,).
    """
    groups = {variable.name: variable for variable in variables if variable.kind == "group" and variable.values}
    if not groups:
        return variables
    search_rows = slice(constants.ROWS_OF_NUMBERING)
    rows, values, counts = configurations[search_rows], y[search_rows], repetitions[search_rows]
    margins = {name: constants.EVIDENCE_PER_MEMBER * (len(group.members) - MIN_GROUP) for name, group in groups.items()}

    @cache
    def evidence(numbered: frozenset[str], shared: frozenset[str] = frozenset()) -> float:
        """Return the evidence with the numbers of some groups, and others whose members share one relevance."""
        group_variables = (
            replace(variable, values=()) if variable.name in shared else variable for variable in variables
        )
        selected_variables = without_numbers(group_variables, numbered)
        data = Data(OptionBasis(selected_variables, len(rows)).designs(rows)[:1], values, counts)
        return first_fit(data, len(variables), scale).evidence

    def supported(added_groups: frozenset[str], numbered: frozenset[str], min_gain: float) -> bool:
        """Return whether the evidence is for the numbers of new groups besides those that are kept."""
        group_evidence = evidence(numbered | added_groups)
        margin = sum(margins[name] for name in added_groups)
        return (
            group_evidence > evidence(numbered, added_groups) + min_gain
            and group_evidence > evidence(numbered) - margin
        )

    all_groups = frozenset(groups)
    single = len(groups) * len(variables) <= constants.SINGLE_GROUPS
    if supported(all_groups, frozenset(), constants.NUMBER_EVIDENCE):
        if not single:
            return variables
        supported_names = [name for name in groups if supported(frozenset((name,)), all_groups - {name}, 0.0)]
        return without_numbers(variables, supported_names)
    if not single:
        return without_numbers(variables)
    numbered: frozenset[str] = frozenset()
    # If the numbers of one group are supported, those of the other groups need less evidence.
    for min_gain in (constants.NUMBER_EVIDENCE, constants.FURTHER_NUMBER_EVIDENCE):
        numbered |= {name for name in all_groups - numbered if supported(frozenset((name,)), numbered, min_gain)}
        if not numbered or numbered == all_groups:
            break
    return without_numbers(variables, numbered)
