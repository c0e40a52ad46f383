"""Unmeasured valid configurations, at which the printed model follows the full model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sampling.space.ranks import generator
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.learning.problem import LearningProblem
from splc.learning.projection.constants import UNMEASURED
from splc.learning.projection.order import Constants, hash_order
from splc.system.options import Option
from splc.system.variability import VariabilityModel

# Spaces of at most this size are enumerated: then the selection does not depend on the order of options at all.
ENUMERATED = 20_000
# Configurations that are drawn from larger spaces.
DRAWN = 2000


def space_of(problem: LearningProblem, own: Constants) -> Configurations:
    """Return all valid configurations, or a draw of some if there are many.

    Models of observed variables can be evaluated at measured configurations only; these are taken then, and also where
    the constraints are too complex for uniform draws.
    """
    pool = problem.everything if problem.observed else _valid(problem.configurations.system, DRAWN, own)
    if pool is None:
        return problem.everything
    return pool[pool.observed.known] if problem.observed and pool.observed is not None else pool


def count_of(problem: LearningProblem, space: Configurations) -> int | None:
    """Return the number of valid configurations; None if there are many, or if they were not counted."""
    counted = space is not problem.everything and not problem.observed
    return len(space) if counted and len(space) < DRAWN else None


def unmeasured(problem: LearningProblem, space: Configurations, own: Constants) -> Configurations:
    """Return up to 500 configurations outside of the learning set, uniformly selected, in hash order."""
    pool = space[problem.configurations.find(space) < 0]
    return pool[hash_order(pool, own)[:UNMEASURED]]


def _valid(system: VariabilityModel, max_count: int, constants: Constants) -> Configurations | None:
    """Return all valid configurations, or a draw of some if there are many; None if they cannot be counted."""
    try:
        return valid_configurations(system, max_count, own=constants)
    except SpaceError:
        return None


def valid_configurations(
    system: VariabilityModel, most: int, seed: int = 0, own: Constants | None = None
) -> Configurations:
    """Return all valid configurations if there are at most 20,000, otherwise so many distinct ones, uniformly drawn.

    They do not depend on the order of options, nor on the names of options that have constants.
    """
    constants = {name: int(value) for name, value in (own or {}).items()}
    groups = {name: group for group in system.alternative_groups for name in group}

    def canonical_key(option: Option) -> tuple[bool, list[int], int, str]:
        group = sorted(constants.get(name, 0) for name in groups.get(option.name, ()))
        return option in system.numeric_options, group, constants.get(option.name, 0), option.name

    options = tuple(sorted(system.options, key=canonical_key))
    space = Space(replace(system, options=options))
    configurations = space.enumerate() if space.count <= ENUMERATED else space.draw(most, generator(seed, "whole"))
    positions = [space.system.positions[option.name] for option in system.options]
    return Configurations(system, np.ascontiguousarray(configurations.indices[:, positions]))
