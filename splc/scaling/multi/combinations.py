"""Combinations of the effects of several parameters: sums of products of one term per parameter.

With a, b, c the terms of three parameters, a combination is a set of their products, such as {a·b, c} for a·b + c. The
paper (Ritter et al., III.A) has pure sums and pure products, Extra-P 4.2.5 four combinations of two parameters and 23
of three, and only the pure ones of four. This module has all sets of up to three products (of two or three parameters)
that use every parameter; of four or more parameters all partitions into products, such as a·b + c + d, and the product
of all with one other product. Of three or more parameters it also has the sum of all with the product of all: effects
of each parameter that dominate at cheap points, and an effect of all together that dominates elsewhere.

A product is a bit mask of parameters: 0b101 is a·c.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from splc.scaling.single.hypotheses import CONSTANT_SHARE

# The prior that a parameter has an effect, where some have one (parameters are usually varied because they matter); and
# that of a pure product and a pure sum.
ACTIVE_SHARE = 0.67
PRODUCT_SHARE, SUM_SHARE = 0.3, 0.4
_MAX_TERMS = 3
_ALL_SETS = 3
# Each further term makes a mixed combination less plausible by this factor.
_PER_TERM = 0.6


@dataclass(frozen=True)
class ParameterCombination:
    """A set of products of parameters.

    Attributes:
        products: the products, as bit masks of parameters, ascending.
        active: the parameters that occur, as a bit mask.
        log_prior: among all combinations of any of the parameters.
    """

    products: tuple[int, ...]
    active: int
    log_prior: float


@lru_cache(maxsize=16)
def combinations(parameters: int) -> tuple[ParameterCombination, ...]:
    """Return all combinations of some of the parameters; the constant model, without products, first."""
    found = []
    some = 1 - (1 - ACTIVE_SHARE) ** parameters
    for active in range(2**parameters):
        members = [1 << at for at in range(parameters) if active >> at & 1]
        share = ACTIVE_SHARE ** len(members) * (1 - ACTIVE_SHARE) ** (parameters - len(members))
        share = CONSTANT_SHARE if not members else (1 - CONSTANT_SHARE) * share / some
        for products, weight in _weights(tuple(members)).items():
            found.append(ParameterCombination(products, active, float(np.log(share * weight))))
    return tuple(sorted(found, key=lambda each: (len(each.products), each.products)))


def _weights(members: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Return combination → probability for all combinations of exactly these parameters."""
    if len(members) < 2:
        return {members: 1.0}
    whole, single = (sum(members),), tuple(members)
    others = {each for each in _sets(members) if each not in (whole, single)}
    raw = {each: _PER_TERM ** len(each) for each in sorted(others)}
    left = (1 - PRODUCT_SHARE - SUM_SHARE) / sum(raw.values())
    return {whole: PRODUCT_SHARE, single: SUM_SHARE} | {each: left * weight for each, weight in raw.items()}


def _sets(members: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    whole = sum(members)
    subsets = [sum(some) for size in range(1, len(members) + 1) for some in itertools.combinations(members, size)]
    if len(members) <= _ALL_SETS:
        for size in range(1, _MAX_TERMS + 1):
            for some in itertools.combinations(sorted(subsets), size):
                if np.bitwise_or.reduce(some) == whole:
                    yield some
        if len(members) > 2:
            yield (*members, whole)
        return
    yield from (tuple(sorted(each)) for each in _partitions(members))
    yield from (tuple(sorted((each, whole))) for each in subsets if each != whole)
    yield (*members, whole)


def _partitions(members: tuple[int, ...]) -> Iterator[list[int]]:
    """Yield the partitions of parameters into products."""
    if not members:
        yield []
        return
    first, *rest = members
    for smaller in _partitions(tuple(rest)):
        yield [first, *smaller]
        for at, each in enumerate(smaller):
            yield [*smaller[:at], each | first, *smaller[at + 1 :]]
