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
from splc.types import Array, Link

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
        size = sum(len(summand.full.configurations) * len(summand.full.parts) for summand in self.summands)
        is_small = size * len(configurations) <= MAX_ELEMENTS
        self.kernels = [
            ContextKernels(summand.full, configurations) if is_small and summand.full.parts else None
            for summand in self.summands
        ]


@dataclass(frozen=True, eq=False)
class ChangedContexts:
    """Configurations that differ from known contexts in some options."""

    known: KnownContexts  # the contexts
    configurations: Configurations  # the configurations
    places: Array  # the context of each, shape (q,)
    names: frozenset[str]  # the options in which they may differ

    def __getitem__(self, rows: Any) -> ChangedContexts:
        """Return some of the configurations."""
        return ChangedContexts(self.known, self.configurations[rows], self.places[rows], self.names)

    def predictions(self, link: Link) -> Array:
        """Return the predictions, shape (q,); with the link 'log' their natural logarithms."""
        total = np.zeros(len(self.configurations))
        for summand, kernels in zip(self.known.summands, self.known.kernels, strict=True):
            crosses = None
            if kernels is not None:
                crosses = kernels.crosses(self.configurations, self.places, self.names)
            is_counted = summand.counted(self.configurations)
            total += np.where(is_counted, _predicted(summand.full, crosses, self.configurations), 0.0)
        return np.log(total) if link == "log" else total

    def weighted_sums(self, weights: Array, link: Link) -> WeightedSums:
        """Return W f as `averages.weighted_sums` does."""
        sums = []
        for summand, kernels in zip(self.known.summands, self.known.kernels, strict=True):
            summand_weights = weights * summand.counted(self.configurations)
            changes = (self.configurations, self.places, self.names)
            crosses = None if kernels is None else kernels.crosses(*changes)
            priors = None if kernels is None or crosses is None else kernels.priors(*changes)
            if crosses is None or priors is None:
                sums.append(weighted_sums(summand.full, self.configurations, summand_weights, link))
            else:
                sums.append(
                    sums_of_kernels(
                        summand.full,
                        self.configurations,
                        list(zip(crosses, priors, strict=True)),
                        summand_weights,
                        link,
                    )
                )
        return sum_of(sums)


def _predicted(ensemble: Ensemble, crosses: list[Array] | None, configurations: Configurations) -> Array:
    if crosses is None:
        return predictions(ensemble, configurations, "identity")
    means = [part.mean_of(cross) for part, cross in zip(ensemble.parts, crosses, strict=True)]
    t = ensemble.blended(np.mean(means, axis=0), configurations)
    return np.asarray(ensemble.scale.backward(t) * ensemble.scale.unit)
