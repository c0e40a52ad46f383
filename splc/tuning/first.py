"""The first valid configuration with given values."""

from __future__ import annotations

from collections.abc import Mapping

from sampling.space.ranking import best
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.models.influence import InfluenceModel
from splc.system.extension import restricted


def first_valid(space: Space, indices: Mapping[str, int]) -> Configurations:
    """Return the first valid configuration with some values: options in the system's order, lower values first.

    `indices`: option → value index.
    """
    fixed = Space(restricted(space.system, indices))
    if fixed.solutions.empty:
        raise ConfigurationError("no valid configuration has the values of the default")
    solution = best(InfluenceModel(()), fixed, 1).configurations
    return Configurations(space.system, solution.indices)
