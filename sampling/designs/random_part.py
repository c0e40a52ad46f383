"""Random designs of one part: binary selections, or combinations of numeric values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.draws import RandomDesign
from sampling.designs.population import read_population
from sampling.designs.scope import contained
from sampling.space.parts import Parts
from sampling.space.space import LIMIT
from splc.types import Array


@dataclass(frozen=True)
class RandomPart(RandomDesign):
    """`random:N[,compat[=2018]][,seed=S][,from=FILE]`: N distinct parts of one kind, uniformly drawn, in this order.

    With `compat`, the population is listed in lexicographic order; SPL Conqueror lists it in the order of its solver.
    With `from`, it consists of the rows of a file, in their order.
    """

    kind: Literal["binary", "numeric"] = "binary"

    @classmethod
    def of_kind(cls, kind: Literal["binary", "numeric"], arguments: Arguments) -> RandomPart:
        """Read the arguments of a part."""
        return replace(cls.parse(arguments), kind=kind)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`."""
        space = parts.binary if self.kind == "binary" else parts.numeric
        if self.source is not None:
            population = self._rows(parts, self.source)
            positions, notes = self.positions(parts, len(population), seed, self.kind, "configurations")
            return distinct_design(population[positions], notes)
        if self.kind == "binary" and len(parts.known) and not self.compat:
            return Design(self._new(parts, seed))
        positions, notes = self.positions(parts, space.count, seed, self.kind, f"valid {self.kind} parts")
        rows = space.enumerate(LIMIT)[positions] if self.compat else space.unrank(positions)
        return Design(rows, notes)

    def _new(self, parts: Parts, seed: int) -> Array:
        """Return N selections that are not in the sample to be extended."""
        count, population = parts.binary.count, "valid binary parts"
        positions, n = self.new_positions(parts, count, len(parts.known), seed, "binary", population)
        rows = parts.binary.unrank(positions)
        new = rows[~contained(rows, parts.known)]
        if len(new) < n:
            raise self.too_few(len(new), n, f"{population} that the existing sample does not have")
        return new[:n]

    def _rows(self, parts: Parts, source: str) -> Array:
        """Return the parts of the configurations in a file."""
        indices = read_population(source, parts.system, self.kind).indices.astype(np.int64)
        options = parts.system.options
        if self.kind == "numeric":
            first = len(parts.binary_names)
            # The value of a deselected option does not matter.
            last = [len(option.values) - 1 for option in parts.system.numeric_options]
            rows: Array = np.minimum(indices[:, first:], np.array(last))
            return rows
        positions = [parts.system.positions[name] for name in parts.optional_names]
        enabled = [indices[:, position] < options[position].size - 1 for position in positions]
        return np.stack([*indices[:, : len(parts.binary_names)].T, *enabled], axis=1).astype(np.int64)
