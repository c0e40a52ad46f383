"""The sum of the full models of the parts of a property."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.posterior import KernelPosterior
from splc.system.variability import VariabilityModel
from splc.types import Array

KIND = "sum"


@dataclass(frozen=True, eq=False)
class Summand:
    """The full model of a part.

    Attributes:
        full: the full model.
        where: the option or observed variable that is 1 in the configurations that have the part; None: all have it.
    """

    full: Ensemble
    where: str | None = None

    def counted(self, configurations: Configurations) -> Array:
        """Return which configurations have the part, shape (n,), bool."""
        if self.where is None:
            return np.ones(len(configurations), dtype=bool)
        return np.asarray(configurations.column(self.where) == 1)


@dataclass(frozen=True, eq=False)
class EnsembleSum:
    """The sum of the full models of parts.

    Attributes:
        summands: the full models of the parts, at least one.
    """

    level: ClassVar[float] = constants.LEVEL

    summands: tuple[Summand, ...]

    @property
    def options(self) -> frozenset[str]:
        """The options and observed variables that predictions depend on."""
        wheres = frozenset(each.where for each in self.summands if each.where is not None)
        return wheres.union(*(each.full.options for each in self.summands))

    @property
    def parts(self) -> tuple[KernelPosterior, ...]:
        """The posteriors of all full models."""
        return tuple(part for each in self.summands for part in each.full.parts)

    @property
    def configurations(self) -> Configurations:
        """The configurations that the part with the most of them was learned from."""
        return max((each.full.configurations for each in self.summands), key=len)

    @property
    def quantile(self) -> float:
        """The largest multiple of a standard deviation on each side of intervals."""
        return max(each.full.quantile for each in self.summands)

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        configurations = self._configurations(configurations)
        found = np.zeros(len(configurations))
        for full, counted in self._counted(configurations):
            found[counted] += full.predict(configurations[counted])
        return found

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals, shapes (m,), in the unit of the property.

        They are sums of the ends of the parts' intervals: what disturbs one part of a run may disturb all of them.
        """
        configurations = self._configurations(configurations)
        low, high = np.zeros(len(configurations)), np.zeros(len(configurations))
        for full, counted in self._counted(configurations):
            own_low, own_high = full.interval(configurations[counted])
            low[counted] += own_low
            high[counted] += own_high
        return low, high

    def _counted(self, configurations: Configurations) -> Iterator[tuple[Ensemble, Array]]:
        """Yield each full model with the positions of the configurations that have its part."""
        for each in self.summands:
            yield each.full, np.flatnonzero(each.counted(configurations))

    def _configurations(self, configurations: Configurations | Any) -> Configurations:
        return Configurations.of(self.configurations.system, configurations)

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to predict again, in JSON's types."""
        summands = [{"where": each.where, "full": each.full.as_json()} for each in self.summands]
        return {"kind": KIND, "level": self.level, "summands": summands}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Self:
        """Return the sum of `as_json`.

        Raises:
            KeyError, TypeError, ValueError: if the object is damaged, or is about another system.
        """
        found = []
        for each in content["summands"]:
            where = each["where"]
            if where is not None and where not in system.term_names:
                raise ValueError("the variable of a part does not fit the system")
            found.append(Summand(Ensemble.from_json(each["full"], system), where))
        if not found:
            raise ValueError("there are no parts")
        return cls(tuple(found))


# What predicts where there is a printed model.
Full = Ensemble | EnsembleSum
