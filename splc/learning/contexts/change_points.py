"""The places where influences change along the values of an ordered context, such as versions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from splc.learning.contexts.contrasts import ContextInfluences
from splc.models.basis.regression import NORMAL_QUANTILE

_NUMBERED = re.compile(r"(\D*)\d+(?:[._-]\d+)*(\D*)")


@dataclass(frozen=True)
class ChangePoint:
    """A change of an influence, or of the common factor, between two values of an ordered context."""

    option: str | None  # the option; None is the common factor
    first: str  # the last value before the change
    second: str  # the first value after it: the change happened between both
    factor: float  # the factor after relative to before
    low: float  # the lower end of its 90 % interval
    high: float  # the upper end


def is_ordered(values: Sequence[str]) -> bool:
    """Return whether the values of a context differ in numbers only, as versions do."""
    matches = [_NUMBERED.fullmatch(value) for value in values]
    return len(values) > 1 and all(matches) and len({match.groups() for match in matches if match}) == 1


def change_points(influences: ContextInfluences) -> tuple[ChangePoint, ...]:
    """Return the changes along the values of a context in their order.

    A change is placed in the smallest range of values whose ends differ by more than the uncertainty.
    """
    pairs = list(combinations(range(len(influences.names)), 2))
    threshold = influences.threshold(influences.pairs)
    settled: list[set[tuple[int, int]]] = [set() for _ in range(1 + len(influences.options))]
    for pair in pairs:
        mean, deviation = influences.difference(*pair)
        for at in np.flatnonzero(np.abs(mean) > threshold * deviation).tolist():
            settled[at].add(pair)
    points = []
    for index, option in enumerate((None, *influences.options)):
        for first, second in sorted(settled[index]):
            inner = (pair for pair in settled[index] if first <= pair[0] and pair[1] <= second)
            if any(pair != (first, second) for pair in inner):
                continue
            middle, spread = (float(values[index]) for values in influences.difference(first, second))
            reach = NORMAL_QUANTILE * spread
            ends = (float(np.exp(np.clip(end, -600, 600))) for end in (middle, middle - reach, middle + reach))
            points.append(ChangePoint(option, influences.names[first], influences.names[second], *ends))
    return tuple(points)
