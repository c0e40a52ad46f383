"""The choice between numbered and unnumbered members of alternative groups, by evidence.

The numbers in names such as `ref_1 ref_5 ref_9` are a hypothesis. Three models are compared for each group, while all
other groups are unnumbered: members with a relevance each, as under other names; members that share one relevance; and
these together with the number and its logarithm. The second one separates what the numbers explain from what the
shared relevance does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

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
    numbered = [variable for variable in variables if variable.kind == "group" and variable.values]
    if not numbered:
        return variables
    some = slice(constants.ROWS_OF_NUMBERING)
    rows, values, counts = configurations[some], y[some], repetitions[some]

    def evidence(kept: Iterable[str], hypothesis: Variable | None = None) -> float:
        others = (hypothesis if hypothesis and hypothesis.name == one.name else one for one in variables)
        chosen = without_numbers(others, [*kept, hypothesis.name] if hypothesis else kept)
        data = Data(OptionBasis(chosen, len(rows)).designs(rows)[:1], values, counts)
        return first_fit(data, len(variables), scale).evidence

    kept: list[str] = []
    # Where the numbers of one group have a meaning, those of the others are likely to have one.
    for least in (constants.NUMBER_EVIDENCE, constants.FURTHER_NUMBER_EVIDENCE):
        plain = evidence(kept)
        found = []
        for group in numbered:
            if group.name in kept:
                continue
            margin = constants.EVIDENCE_PER_MEMBER * (len(group.members) - MIN_GROUP)
            with_number = evidence(kept, group)
            if with_number > plain - margin and with_number > evidence(kept, replace(group, values=())) + least:
                found.append(group.name)
        kept += found
        if not kept or len(kept) == len(numbered):
            break
    return without_numbers(variables, kept)
