"""Unmeasured valid configurations, which the printed model follows the full model at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sampling.space.ranks import generator
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.learning.problem import LearningProblem
from splc.learning.projection.constants import UNMEASURED
from splc.learning.projection.order import hash_order
from splc.system.variability import VariabilityModel

# Spaces of at most this size are enumerated: then the selection does not depend on the order of options at all.
_ENUMERATED = 20_000


def unmeasured(problem: LearningProblem) -> Configurations:
    """Return up to 500 valid configurations outside of the learning set, uniformly selected, in hash order.

    Models of observed variables can be evaluated at measured configurations only; these are taken then, and also where
    the constraints are too complex for uniform draws.
    """
    known = problem.configurations
    pool = problem.everything if problem.observed else _valid(known.system, len(known))
    if pool is None:
        pool = problem.everything
    elif problem.observed and pool.observed is not None:
        pool = pool[pool.observed.known]
    pool = pool[known.find(pool) < 0]
    return pool[hash_order(pool)[:UNMEASURED]]


def _valid(system: VariabilityModel, more: int) -> Configurations | None:
    """Return all valid configurations, or a draw if there are many; None if they cannot be counted."""
    options = tuple(sorted(system.options, key=lambda option: (option in system.numeric_options, option.name)))
    space = Space(replace(system, options=options))
    try:
        if space.count <= _ENUMERATED:
            found = space.enumerate()
        else:
            found = space.draw(UNMEASURED + min(more, UNMEASURED), generator(0, "whole"))
    except SpaceError:
        return None
    positions = [space.system.positions[option.name] for option in system.options]
    return Configurations(system, np.ascontiguousarray(found.indices[:, positions]))
