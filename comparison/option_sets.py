"""Agreement by sets of options: which sets the predictions of two models depend on, and how much.

Few noisy measurements do not identify the exponents of a term, but they identify its set of options. The shares of the
sets can also be compared between a sum of terms and a product, whose terms have different meanings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import options_of
from splc.models.terms import Term
from splc.types import Array

# What a share is a part of.
Whole = Literal["mean", "variance"]


@dataclass(frozen=True)
class SetShare:
    """The shares of a set of options in the predictions of two models.

    Attributes:
        options: the options, in the system's order; empty for the constant.
        first: the share in the first model, in [0, 1].
        second: the share in the second model.
    """

    options: tuple[str, ...]
    first: float
    second: float

    @property
    def shared(self) -> float:
        """The share that both models have."""
        return min(self.first, self.second)


@dataclass(frozen=True)
class OptionSets:
    """Two models compared by the shares of their sets of options.

    Attributes:
        of: what a share is a part of: 'mean', the sum of mean absolute contributions, or 'variance', the variance of
            the predictions (for a product: of their logarithms).
        sets: the sets of both models with their shares.
    """

    of: Whole
    sets: tuple[SetShare, ...]

    @property
    def overlap(self) -> float | None:
        """The sum over the sets of the smaller share, in [0, 1]; None if a model has no shares."""
        if not all(any(shares) for shares in ([each.first for each in self.sets], [each.second for each in self.sets])):
            return None
        return min(1.0, math.fsum(each.shared for each in self.sets))


def class_of(model: InfluenceModel, term: Term) -> frozenset[str]:
    """Return the set of options that a term has with numbers instead of parameters: its equivalence class."""
    subexpressions = {each.name: each for each in model.subexpressions}
    return options_of(term.options, subexpressions) - {parameter.name for parameter in model.parameters}


def variance_sets(
    first: InfluenceModel, second: InfluenceModel, configurations: Configurations, weights: Array | None = None
) -> OptionSets:
    """Return the shares of sets of options in the variance of the predictions, of a product in that of their logarithm.

    The share of a set is the covariance of its contributions with the sum of all, divided by the variance of the sum.
    Sets whose contributions lower the variance have the share 0, and the others are scaled to the sum 1. The constant
    has no variance.

    Args:
        first: the first model.
        second: the second model.
        configurations: n configurations, at least one.
        weights: weights of the configurations, shape (n,); None weighs all the same.

    Raises:
        ConfigurationError: as `InfluenceModel.contributions`.
    """
    shares = [_variances(model, configurations, weights) for model in (first, second)]
    order = {name: place for place, name in enumerate(dict.fromkeys((*first.order, *second.order)))}
    named = {tuple(_ordered(options, order)): options for own in shares for options in own}
    keys = sorted(named, key=lambda names: (len(names), [(order.get(name, len(order)), name) for name in names]))
    found = (SetShare(key, *(own.get(named[key], 0.0) for own in shares)) for key in keys)
    return OptionSets("variance", tuple(found))


def _ordered(options: frozenset[str], order: dict[str, int]) -> Sequence[str]:
    return sorted(options, key=lambda name: (order.get(name, len(order)), name))


def _variances(
    model: InfluenceModel, configurations: Configurations, weights: Array | None
) -> dict[frozenset[str], float]:
    """Return set of options → its share in the variance of the model's sum."""
    classes: dict[frozenset[str], int] = {}
    numbers = [classes.setdefault(class_of(model, term), len(classes)) for term, _ in model.terms]
    counted = np.ones(len(configurations)) if weights is None else weights / weights.max()
    # Two passes: the means first, so that large contributions do not cancel.
    means, sizes = np.zeros(len(classes)), np.zeros(len(classes))
    covariances = np.zeros(len(classes))
    for step in (0, 1):
        for rows, contributions in model.contribution_blocks(configurations):
            values = np.zeros((len(classes), len(contributions)))
            np.add.at(values, numbers, contributions.T)
            if step == 0:
                means += values @ counted[rows] / counted.sum()
                sizes = np.maximum(sizes, np.abs(values).max(axis=1, initial=0.0))
            else:
                # Contributions may be too large to be squared.
                apart = (values - means[:, None]) / max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
                covariances += apart * apart.sum(axis=0) @ counted[rows] / counted.sum()
    # Of a set without variance there are rounding errors only.
    scaled = sizes / max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    kept = np.where(covariances > 1e-12 * scaled, covariances, 0.0)
    whole = float(kept.sum())
    return {options: float(kept[at]) / whole if whole > 0 else 0.0 for options, at in classes.items() if options}
