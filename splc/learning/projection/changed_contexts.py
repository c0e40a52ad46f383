"""Predictions and weighted sums of configurations that differ from known ones in a few options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.averages import WeightedSums, predictions, sum_of, sums_of_kernels, weighted_sums
from splc.learning.projection.context_kernels import ContextKernels
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.ensemble_sum import EnsembleSum, Full, Summand
from splc.models.influence import Link
from splc.types import Array

# Elements of the kernels that are kept; for more, nothing is.
MAX_ELEMENTS = 2**23


class KnownContexts:
    """Contexts with the kernels of a full model.

    Args:
        full: the full model.
        configurations: the contexts.
    """

    def __init__(self, full: Full, configurations: Configurations) -> None:
        self.full = full
        self.summands = full.summands if isinstance(full, EnsembleSum) else (Summand(full),)
        size = sum(len(each.full.configurations) * len(each.full.parts) for each in self.summands)
        few = size * len(configurations) <= MAX_ELEMENTS
        self.kernels = [
            ContextKernels(each.full, configurations) if few and each.full.parts else None for each in self.summands
        ]


@dataclass(frozen=True, eq=False)
class ChangedContexts:
    """Configurations that differ from known contexts in some options.

    Attributes:
        known: the contexts.
        configurations: the configurations.
        places: the context of each, shape (q,).
        names: the options in which they may differ.
    """

    known: KnownContexts
    configurations: Configurations
    places: Array
    names: frozenset[str]

    def __getitem__(self, rows: Any) -> ChangedContexts:
        """Return some of the configurations."""
        return ChangedContexts(self.known, self.configurations[rows], self.places[rows], self.names)

    def predictions(self, link: Link) -> Array:
        """Return the predictions, shape (q,); with the link 'log' their natural logarithms."""
        total = np.zeros(len(self.configurations))
        for each, kernels in zip(self.known.summands, self.known.kernels, strict=True):
            crosses = None
            if kernels is not None:
                crosses = kernels.crosses(self.configurations, self.places, self.names)
            counted = each.counted(self.configurations)
            total += np.where(counted, _predicted(each.full, crosses, self.configurations), 0.0)
        return np.log(total) if link == "log" else total

    def weighted_sums(self, weights: Array, link: Link) -> WeightedSums:
        """Return W f as `averages.weighted_sums` does."""
        found = []
        for each, kernels in zip(self.known.summands, self.known.kernels, strict=True):
            own = weights * each.counted(self.configurations)
            changes = (self.configurations, self.places, self.names)
            crosses = None if kernels is None else kernels.crosses(*changes)
            priors = None if kernels is None or crosses is None else kernels.priors(*changes)
            if crosses is None or priors is None:
                found.append(weighted_sums(each.full, self.configurations, own, link))
            else:
                found.append(sums_of_kernels(each.full, list(zip(crosses, priors, strict=True)), own, link))
        return sum_of(found)


def _predicted(full: Ensemble, crosses: list[Array] | None, configurations: Configurations) -> Array:
    if crosses is None:
        return predictions(full, configurations, "identity")
    means = [part.mean_of(cross) for part, cross in zip(full.parts, crosses, strict=True)]
    return np.asarray(full.scale.backward(np.mean(means, axis=0)) * full.scale.unit)
