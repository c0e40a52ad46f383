"""Made systems: spaces that no table has, with constraints, and an optimum that is known.

The logarithm of the value is a sum of effects, none of which is negative, and all of which are 0 at one valid
configuration: it is the optimum. Interactions are arbitrary elsewhere, so that good values of an option depend on
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

# The value of the median configuration, that of the optimum is 1; the noise of a run; about this share of runs fails.
MEDIAN, NOISE, FAILING = 5.0, 0.05, 0.1
# Configurations that medians and shares are of.
_DRAWS = 2000
# Name → binary options, numeric options, constraints of two options.
SIZES: Mapping[str, tuple[int, int, int]] = {
    "24 options": (16, 8, 5),
    "40 options": (30, 10, 10),
    "60 options": (42, 18, 15),
}


@dataclass(frozen=True)
class MadeEffect:
    """An effect of some options: of the sides of their thresholds, or of the distance of one to its best value."""

    names: tuple[str, ...]  # the options
    thresholds: tuple[float, ...]  # a value of each is on one side if it is at least this
    penalties: Array  # the effect for each combination of sides; it is 0 at the optimum, shape (2, …)
    best: float | None = None  # of an effect of a distance, the best value; otherwise None

    def of(self, configurations: Configurations) -> Array:
        """Return the effect on configurations, shape (n,)."""
        columns = [configurations.column(name) for name in self.names]
        if self.best is not None:
            found: Array = float(self.penalties.max()) * np.log(columns[0] / self.best) ** 2
            return found
        sides = [(own >= least).astype(int) for own, least in zip(columns, self.thresholds, strict=True)]
        return np.asarray(self.penalties[tuple(sides)])


@dataclass(frozen=True, eq=False)
class MadeSystem:
    """A system whose values are computed."""

    space: Space  # its valid configurations
    optimum: Configurations  # the best one, one row
    effects: tuple[MadeEffect, ...]  # what the logarithm of its value is the sum of
    failing: MadeEffect  # an effect that is positive where runs fail

    def _sums(self, configurations: Configurations) -> Array:
        return np.asarray(np.sum([effect.of(configurations) for effect in self.effects], axis=0))

    @cached_property
    def draws(self) -> Configurations:
        """Valid configurations, uniformly drawn."""
        return self.space.draw(_DRAWS, np.random.default_rng(0))

    @cached_property
    def _unit(self) -> float:
        return float(np.log(MEDIAN) / np.median(self._sums(self.draws)))

    def values(self, configurations: Configurations) -> Array:
        """Return the values without noise, shape (n,)."""
        return np.exp(self._unit * self._sums(configurations))

    def fails(self, configurations: Configurations) -> Array:
        """Return which runs fail, shape (n,), bool."""
        return self.failing.of(configurations) > 0


@cache
def made_system(name: str) -> MadeSystem:
    """Return a system, the same one for the same name."""
    binary, numeric, constraints = SIZES[name]
    rng = np.random.default_rng([binary, numeric])
    values = {f"n{place}": [2**power for power in range(int(rng.integers(6, 13)))] for place in range(numeric)}
    options = {**{f"b{place}": bool for place in range(binary)}, **values}
    free = VariabilityModel.of(options)
    best = {f"b{place}": int(rng.integers(2)) for place in range(binary)}
    best |= {one: int(rng.choice(own)) for one, own in values.items()}
    texts: list[str] = []
    while len(texts) < constraints:
        first, second = (f"b{place}" for place in rng.choice(binary, 2, replace=False))
        # The optimum satisfies each.
        both = [f"{'' if best[one] else '!'}{one}" for one in (first, second)]
        other = f"{'!' if rng.integers(2) else ''}{second}"
        texts.append(f"{both[0]} | {other}")
    for first, second in zip(list(values)[::2], list(values)[1::2], strict=True):
        texts.append(f"{first} * {second} <= {best[first] * best[second] * 8}")
    system = VariabilityModel.of(options, texts, name)
    optimum = Configurations.from_columns(system, {one: np.array([value]) for one, value in best.items()})
    names = list(free.names)

    def effect(order: int, size: float) -> MadeEffect:
        """Return an effect of some drawn options."""
        chosen = [names[place] for place in rng.choice(len(names), order, replace=False)]
        least = []
        for one in chosen:
            option = free.option(one)
            own = list(option.values) if isinstance(option, NumericOption) else [0, 1]
            least.append(float(own[int(rng.integers(1, len(own)))]))
        penalties = size * rng.random((2,) * order)
        penalties[tuple(int(best[one] >= start) for one, start in zip(chosen, least, strict=True))] = 0.0
        return MadeEffect(tuple(chosen), tuple(least), penalties)

    effects = [
        effect(order, size) for order, size in ((1, 0.5), (2, 0.7), (3, 1.0)) for _ in range(len(names) // order)
    ]
    smooth = list(values)[::2]
    effects += [MadeEffect((one,), (0.0,), np.array([0.0, 0.05 * rng.random()]), best[one]) for one in smooth]
    space = Space(system)
    drawn = space.draw(_DRAWS, rng)
    while True:
        region = effect(3, 1.0)
        # One combination of sides fails, and not that of the optimum.
        failing = MadeEffect(
            region.names, region.thresholds, (region.penalties == region.penalties.max()).astype(float)
        )
        if abs((failing.of(drawn) > 0).mean() - FAILING) < FAILING / 5:
            return MadeSystem(space, optimum, tuple(effects), failing)


def noise_factor(rng: np.random.Generator, noise: float) -> float:
    """Return what noise multiplies the value of a run by: its standard deviation is a share of the value."""
    return max(1 + noise * float(rng.standard_normal()), 0.05)
