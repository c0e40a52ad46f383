"""Runs of other contexts, such as an older version, which a search learns from beside its own runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from splc.data.configurations import Configurations, index_type
from splc.learning.active.search_model import Runs
from splc.system.variability import VariabilityModel
from splc.types import Array

# So many configurations of other contexts are learned from: the best and the worst ones of each, and others evenly
# between them.
MOST = 200


@dataclass
class ForeignRuns:
    """The values of other contexts."""

    system: VariabilityModel  # the system
    names: list[str] = field(default_factory=list)  # the contexts, in the order in which they were told
    _values: dict[tuple[str, bytes], list[Mapping[str, float]]] = field(default_factory=dict)
    _indices: dict[bytes, Array] = field(default_factory=dict)

    def add(self, context: str, configuration: Configurations, values: Mapping[str, float]) -> None:
        """Add the values of a run of a context."""
        if context not in self.names:
            self.names.append(context)
        key = bytes(configuration.keys[0])
        self._indices[key] = configuration.indices[0]
        self._values.setdefault((context, key), []).append(values)

    def __len__(self) -> int:
        return sum(map(len, self._values.values()))

    def before(self, own: Runs, nfp: str) -> Runs:
        """Return the runs of all contexts, the own ones last."""
        chosen: list[tuple[bytes, float, int, int]] = []
        for place, name in enumerate(self.names, 1):
            # The same rows for all properties, chosen by the first one.
            keys = [key for context, key in self._values if context == name]
            keys.sort(key=lambda key: next(iter(self._values[name, key][0].values())))
            for index in _some(len(keys), MOST // len(self.names)):
                values = [run[nfp] for run in self._values[name, keys[index]]]
                chosen.append((keys[index], math.fsum(values) / len(values), len(values), place))
        if not chosen:
            return own
        rows, means, counts, places = zip(*chosen, strict=True)
        # Every second row has its own hyperparameters, so that the order must not be that of the values.
        order = np.argsort(np.array(rows), kind="stable")
        indices = np.array([self._indices[key] for key in rows], dtype=index_type(self.system))[order]
        n = len(own)
        return Runs(
            Configurations.concatenate([Configurations(self.system, indices), own.configurations]),
            np.append(np.array(means)[order], own.y),
            np.append(np.array(counts, dtype=float)[order], own.counts),
            np.append(np.zeros(len(order), dtype=bool), own.known),
            np.append(np.array(places)[order], np.zeros(n, dtype=int)),
            ("", *self.names),
        )


def _some(count: int, most: int) -> list[int]:
    """Return at most so many of some places: the first and the last ones, and others evenly spread."""
    if count <= most:
        return list(range(count))
    ends = most // 8
    spread = np.linspace(ends, count - 1 - ends, most - 2 * ends).round().astype(int).tolist()
    return [*range(ends), *spread, *range(count - ends, count)]
