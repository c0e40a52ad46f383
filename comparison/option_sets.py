"""Agreement by sets of options: which sets the predictions of two models depend on, and how much.

Few noisy measurements do not identify the exponents of a term, but they identify its set of options. The shares of the
sets can also be compared between a sum of terms and a product, whose terms have different meanings.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import by_name, options_of
from splc.models.terms import Factor, Term, names_in, place_in
from splc.types import Array

# The quantity that shares are parts of.
Whole = Literal["mean", "variance"]
# More configurations and more products of factors than these are not needed for shares.
MAX_CONFIGURATIONS, MAX_PRODUCTS = 10_000, 2_000
# Smaller covariances, relative to the largest squared prediction, are rounding.
ROUNDING = 1e-13


@dataclass(frozen=True)
class SetShare:
    """The shares of a set of options in the predictions of two models."""

    options: tuple[str, ...]  # the options, in the system's order; empty for the constant
    first: float  # the share in the first model, in [0, 1]
    second: float  # the share in the second model

    @property
    def shared(self) -> float:
        """The share that both models have."""
        return min(self.first, self.second)


@dataclass(frozen=True)
class OptionSets:
    """Two models compared by the shares of their sets of options."""

    # the quantity that shares are parts of: 'mean', the sum of mean absolute contributions, or 'variance', the variance
    # of the predictions
    of: Whole
    sets: tuple[SetShare, ...]  # the sets of both models with their shares

    @property
    def overlap(self) -> float | None:
        """The sum over the sets of the smaller share, in [0, 1]; None if a model has no shares."""
        if not any(share.first for share in self.sets) or not any(share.second for share in self.sets):
            return None
        return min(1.0, math.fsum(share.shared for share in self.sets))


def class_of(model: InfluenceModel, term: Term) -> frozenset[str]:
    """Return the set of options that a term has with numbers instead of parameters: its equivalence class."""
    return options_of(term.options, by_name(model.subexpressions)) - {parameter.name for parameter in model.parameters}


def variance_sets(
    first: InfluenceModel, second: InfluenceModel, configurations: Configurations, weights: Array | None = None
) -> OptionSets:
    """Return the shares of sets of options in the variance of the predictions of two models with any links.

    Predictions are decomposed into effects of sets of options that add up to them and have the mean 0 (a functional
    analysis of variance, exact where the values of the options are independent). `nx * log10(px)` has effects of nx, of
    px, and of both together, and so has the product of a factor of nx and a factor of px. The share of a set is the
    covariance of its effect with the prediction, divided by the variance of the prediction. Negative shares are 0, and
    the others are scaled to the sum 1.

    `configurations`: n configurations, at least one; of very many, every k-th is used. `weights`: weights of the
    configurations, shape (n,); None weighs all the same.
    """
    sampled = slice(None, None, -(-len(configurations) // MAX_CONFIGURATIONS))
    counted = np.ones(len(configurations)) if weights is None else weights
    if not counted[sampled].any():
        sampled = slice(None)
    shares = [_shares(model, configurations[sampled], counted[sampled]) for model in (first, second)]
    order = {name: position for position, name in enumerate(dict.fromkeys((*first.order, *second.order)))}
    named = {names_in(options, order): options for model_shares in shares for options in model_shares}
    keys = sorted(named, key=lambda names: (len(names), [place_in(name, order) for name in names]))
    set_shares = (SetShare(key, *(model_shares.get(named[key], 0.0) for model_shares in shares)) for key in keys)
    return OptionSets("variance", tuple(set_shares))


def _shares(model: InfluenceModel, configurations: Configurations, weights: Array) -> dict[frozenset[str], float]:
    """Return set of options → its share in the variance of the predictions."""
    decomposed = product_effects if model.link == "log" else _sum_effects
    predicted, effects = decomposed(model, configurations, weights)
    size = max(float(np.abs(predicted[weights > 0]).max(initial=0.0)), np.finfo(float).tiny)
    deviations = predicted / size - np.average(predicted / size, weights=weights)
    covariances = {
        options: float(np.average(effect / size * deviations, weights=weights)) for options, effect in effects.items()
    }
    # The rest is the effect of larger sets.
    residual = float(np.average(deviations * deviations, weights=weights)) - math.fsum(covariances.values())
    positive = {options: value if value > ROUNDING else 0.0 for options, value in covariances.items()}
    total = math.fsum([*positive.values(), residual if residual > ROUNDING else 0.0])
    return {options: value / total if total > 0 else 0.0 for options, value in positive.items()}


def _sum_effects(
    model: InfluenceModel, configurations: Configurations, weights: Array
) -> tuple[Array, dict[frozenset[str], Array]]:
    """Return the predictions of a sum and the effects of sets of options.

    Every factor of a term is the sum of its mean and of its deviation from the mean.
    """
    effects: dict[frozenset[str], Array] = {}
    parts: dict[Factor, tuple[frozenset[str], float, Array]] = {}
    for factor in {factor for term, _ in model.terms for factor in term.factors}:
        single = Term((factor,))
        values = replace(model, terms=((single, 1.0),)).contributions(configurations)[:, 0]
        mean = float(np.average(values, weights=weights))
        parts[factor] = class_of(model, single), mean, values - mean
    for term, influence in model.terms:
        for varying in itertools.product((False, True), repeat=len(term.factors)):
            effect = np.full(len(configurations), influence)
            options: frozenset[str] = frozenset()
            for factor, varies in zip(term.factors, varying, strict=True):
                names, mean, deviation = parts[factor]
                effect = effect * (deviation if varies else mean)
                options |= names if varies else frozenset()
            effects[options] = effects.get(options, 0.0) + effect
    return model.predict(configurations), {options: effect for options, effect in effects.items() if options}


def product_effects(
    model: InfluenceModel, configurations: Configurations, weights: Array
) -> tuple[Array, dict[frozenset[str], Array]]:
    """Return the predictions of a product, in a unit in which they are at most 1, and the effects of sets of options.

    Every factor is its mean times 1 + g, where g has the mean 0; products of at most three g are effects.
    """
    contributions = model.contributions(configurations)
    logarithms: dict[frozenset[str], Array] = {}
    for column, (term, _) in enumerate(model.terms):
        if options := class_of(model, term):
            logarithms[options] = logarithms.get(options, 0.0) + contributions[:, column]
    factors = {options: np.exp(values - values.max()) for options, values in logarithms.items()}
    means = {options: float(np.average(values, weights=weights)) for options, values in factors.items()}
    unit = math.prod(means.values())
    effects: dict[frozenset[str], Array] = {}
    most = next(size for size in (3, 2, 1) if size == 1 or math.comb(len(factors), size) <= MAX_PRODUCTS)
    for size in range(1, most + 1):
        for chosen in itertools.combinations(factors, size):
            union: frozenset[str] = frozenset().union(*chosen)
            effect = np.prod([factors[options] / means[options] - 1.0 for options in chosen], axis=0)
            effects[union] = effects.get(union, 0.0) + unit * effect
    return np.prod([np.ones(len(configurations)), *factors.values()], axis=0), effects
