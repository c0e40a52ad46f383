"""Valid configurations in the tests of the formats of systems."""

from __future__ import annotations

from sampling import Space
from splc.system.variability import VariabilityModel
from tests.support.strategies import all_assignments


def valid_rows(system: VariabilityModel) -> set[tuple[int, ...]]:
    """Return the value indices of the valid configurations, by brute force."""
    every = all_assignments(system)
    return set(map(tuple, every.indices[Space(system).check(every)].tolist()))
