"""The minimum and the maximum of each term over the configuration space (thesis, section 7.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from comparison.bounds import Extreme
from comparison.extremes import Extremes
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, Problem
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.terms import Term

# Combinations of values of options that constraints tie together.
LIMIT = 1 << 18


@dataclass(frozen=True)
class TermRange:
    """The range of a term's contribution over the valid configurations.

    Attributes:
        term: the term.
        influence: its influence.
        low: the least contribution (influence times term), or a lower bound of it; -inf where none is known.
        high: the greatest contribution, or an upper bound of it; inf where none is known.
        low_at: option of the term → its value (NaN: deselected) in valid configurations that contribute `low`; empty
            where all do, None where it is not known that any does.
        high_at: the same for `high`.
    """

    term: Term
    influence: float
    low: float
    high: float
    low_at: Mapping[str, float] | None
    high_at: Mapping[str, float] | None

    @property
    def exact(self) -> bool:
        """Whether both ends are contributions of valid configurations."""
        return self.low_at is not None and self.high_at is not None


def term_ranges(model: InfluenceModel, space: Space, *, limit: int = LIMIT) -> tuple[TermRange, ...]:
    """Return the range of each term's contribution over the valid configurations, in the order of the terms.

    Ranges are exact as long as no more than `limit` valid combinations of options have to be looked at together;
    beyond that they are bounds per factor, which are exact again where a valid configuration is found to have them.
    A term with a numeric option that is deselected contributes 0. With the link 'log' the range is that of the
    contribution to the sum.

    Args:
        model: the model; its parameters may be kept as names.
        space: the valid configurations.
        limit: the greatest number of combinations to look at together.

    Raises:
        ConfigurationError: if the model uses unknown options, an influence is not finite, or a term has no finite
            value at some valid configuration.
        VariabilityError: if there is no valid configuration.
    """
    extremes = Extremes(model, space, limit)
    return tuple(_range(extremes, term, influence) for term, influence in model.terms)


def _range(extremes: Extremes, term: Term, influence: float) -> TermRange:
    """Return the range of a term's contribution."""
    if not math.isfinite(influence):
        raise ConfigurationError(
            f"the influence of {term.text(extremes.model.order)} is {influence}, which is no finite number"
        )
    extremes.positions(term)
    if influence == 0:
        return TermRange(term, influence, 0.0, 0.0, {}, {})
    try:
        found = extremes.bounds(term)
        ends = (found.low, found.high) if influence > 0 else (found.high, found.low)
        (low, low_at), (high, high_at) = (_contribution(extremes, term, influence, end) for end in ends)
    except EvaluationError as error:
        raise ConfigurationError(
            Problem(
                error.what, hint=error.advice or "leave the term out, or state a constraint that rules such values out"
            )
        ) from None
    return TermRange(term, influence, low, high, low_at, high_at)


def _contribution(
    extremes: Extremes, term: Term, influence: float, end: Extreme
) -> tuple[float, Mapping[str, float] | None]:
    """Return what a term contributes at an extreme, and the values of its options there."""
    if end.at is None:
        return influence * end.value, None
    indices = np.zeros((1, len(extremes.space.model.options)), dtype=np.int64)
    indices[0, list(end.at)] = list(end.at.values())
    one = Configurations(extremes.space.model, indices)
    # The term as a whole rounds otherwise than the product of its parts.
    [value] = extremes.values(term, one, influence)
    return float(value), {name: float(one.column(name)[0]) for name in extremes.names(term)}
