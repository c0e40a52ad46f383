"""Configurations as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.io.numbers import power_of_two
from splc.learning.features import Feature
from splc.models.influence import TableRows
from splc.types import Array

_LARGE = 1e15


@dataclass(frozen=True)
class Encoding:
    """The columns of configurations: binary options as 0 and 1, numeric options as their values.

    Values whose squares single precision cannot hold are divided by a power of 2. A numeric option or an observed
    variable that configurations may lack is 0 where it is absent, and has one more column that is 1 where it is
    present.
    """

    features: tuple[Feature, ...]  # the options and observed variables, sorted by name
    logs: bool = False  # whether those that are always positive have ln x as a further column

    @classmethod
    def of(cls, features: Sequence[Feature], logs: bool) -> Encoding:
        """Return the encoding of features; their order does not matter."""
        return cls(tuple(sorted(features, key=lambda feature: feature.name)), logs)

    def columns(self, configurations: Configurations | TableRows) -> Array:
        """Return the columns, shape (n, columns)."""
        columns = []
        for feature in self.features:
            values = configurations.column(feature.name)
            present = ~np.isnan(values)
            columns.append(np.where(present, values, 0.0) / _divisor(feature))
            if feature.partial:
                columns.append(present.astype(float))
            if self.logs and feature.numeric and feature.minimum > 0:
                columns.append(np.log(np.where(present, values, 1.0)))
        return np.column_stack(columns) if columns else np.zeros((len(configurations), 1))


def _divisor(feature: Feature) -> float:
    """Return 1, or for huge values the power of 2 that makes the largest one about 1."""
    largest = max(abs(feature.minimum), abs(feature.maximum))
    return power_of_two(np.array(largest)) if largest > _LARGE else 1.0
