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
    """A set of products of parameters."""

    products: tuple[int, ...]  # the products, as bit masks of parameters, ascending
    active: int  # the parameters that occur, as a bit mask
    log_prior: float  # among all combinations of any of the parameters


@lru_cache(maxsize=16)
def combinations(parameters: int) -> tuple[ParameterCombination, ...]:
    """Return all combinations of some of the parameters; the constant model, without products, first."""
    all_combinations = []
    probability_of_some = 1 - (1 - ACTIVE_SHARE) ** parameters
    for active in range(2**parameters):
        members = [1 << parameter for parameter in range(parameters) if active >> parameter & 1]
        share = ACTIVE_SHARE ** len(members) * (1 - ACTIVE_SHARE) ** (parameters - len(members))
        share = CONSTANT_SHARE if not members else (1 - CONSTANT_SHARE) * share / probability_of_some
        for products, weight in _weights(tuple(members)).items():
            all_combinations.append(ParameterCombination(products, active, float(np.log(share * weight))))
    return tuple(sorted(all_combinations, key=lambda combination: (len(combination.products), combination.products)))


def _weights(members: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Return combination → probability for all combinations of exactly these parameters."""
    if len(members) < 2:
        return {members: 1.0}
    product, single = (sum(members),), tuple(members)
    mixed = {chosen for chosen in _sets(members) if chosen not in (product, single)}
    raw = {chosen: _PER_TERM ** len(chosen) for chosen in sorted(mixed)}
    remaining = (1 - PRODUCT_SHARE - SUM_SHARE) / sum(raw.values())
    return {product: PRODUCT_SHARE, single: SUM_SHARE} | {chosen: remaining * weight for chosen, weight in raw.items()}


def _sets(members: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    product = sum(members)
    subsets = [sum(chosen) for size in range(1, len(members) + 1) for chosen in itertools.combinations(members, size)]
    if len(members) <= _ALL_SETS:
        for size in range(1, _MAX_TERMS + 1):
            for chosen in itertools.combinations(sorted(subsets), size):
                if np.bitwise_or.reduce(chosen) == product:
                    yield chosen
        if len(members) > 2:
            yield (*members, product)
        return
    yield from (tuple(sorted(partition)) for partition in _partitions(members))
    yield from (tuple(sorted((subset, product))) for subset in subsets if subset != product)
    yield (*members, product)


def _partitions(members: tuple[int, ...]) -> Iterator[list[int]]:
    """Yield the partitions of parameters into products."""
    if not members:
        yield []
        return
    first, *others = members
    for smaller in _partitions(tuple(others)):
        yield [first, *smaller]
        for position, product in enumerate(smaller):
            yield [*smaller[:position], product | first, *smaller[position + 1 :]]
