"""Shares of sets of options in the predictions of two models, and comparisons that are weighted by them.

Few noisy measurements do not identify the exponents of a term, but they identify its set of options. The shares of the
sets can also be compared between a sum of terms and a product, whose terms have different meanings (`variance_sets`).
Sums have shares of the performance as well, by which `hybrid` weights both comparisons of each equivalence class. The
thesis names it as future work (section 7.2): "According to the percentual influence of an equivalence class, the
semantic and syntactic comparison could be weighted."
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from comparison.result import ClassShare, HybridComparison, OptionSets, SetShare, SyntacticComparison
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import by_name, options_of
from splc.models.terms import Factor, Term, names_in, place_in
from splc.types import Array

# More configurations and more products of factors than these are not needed for shares.
MAX_CONFIGURATIONS, MAX_PRODUCTS = 10_000, 2_000
Effects = dict[frozenset[str], Array]
ROUNDING = 1e-13  # smaller covariances, relative to the largest squared prediction, are rounding


def class_of(model: InfluenceModel, term: Term) -> frozenset[str]:
    """Return the set of options that a term has with numbers instead of parameters: its equivalence class."""
    return options_of(term.options, by_name(model.subexpressions)) - {parameter.name for parameter in model.parameters}


def variance_sets(
    first: InfluenceModel, second: InfluenceModel, configurations: Configurations, weights: Array | None = None
) -> OptionSets:
    """Return the shares of sets of options in the variance of the predictions of two models with any links.

    Predictions are decomposed into effects of sets of options with the mean 0 that add up to them (a functional
    analysis of variance, exact for independent options): `nx * log10(px)` has effects of nx, of px, and of both. The
    share of a set is the covariance of its effect with the prediction over the variance of the prediction; negative
    ones are 0, and the others are scaled to the sum 1. Of very many configurations every k-th is used.
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
    covariances = {names: float(np.average(own / size * deviations, weights=weights)) for names, own in effects.items()}
    # The rest is the effect of larger sets.
    residual = float(np.average(deviations * deviations, weights=weights)) - math.fsum(covariances.values())
    positive = {options: value if value > ROUNDING else 0.0 for options, value in covariances.items()}
    total = math.fsum([*positive.values(), residual if residual > ROUNDING else 0.0])
    return {options: value / total if total > 0 else 0.0 for options, value in positive.items()}


def _sum_effects(model: InfluenceModel, configurations: Configurations, weights: Array) -> tuple[Array, Effects]:
    """Return the predictions of a sum and the effects of sets of options, each factor being mean plus deviation."""
    effects: Effects = {}
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


def product_effects(model: InfluenceModel, configurations: Configurations, weights: Array) -> tuple[Array, Effects]:
    """Return the predictions of a product, in a unit in which they are at most 1, and the effects of sets of options.

    Every factor is its mean times 1 + g, where g has the mean 0; products of at most three g are effects.
    """
    contributions = model.contributions(configurations)
    logarithms: Effects = {}
    for column, (term, _) in enumerate(model.terms):
        if options := class_of(model, term):
            logarithms[options] = logarithms.get(options, 0.0) + contributions[:, column]
    factors = {options: np.exp(values - values.max()) for options, values in logarithms.items()}
    means = {options: float(np.average(values, weights=weights)) for options, values in factors.items()}
    unit = math.prod(means.values())
    effects: Effects = {}
    most = next(size for size in (3, 2, 1) if size == 1 or math.comb(len(factors), size) <= MAX_PRODUCTS)
    for size in range(1, most + 1):
        for chosen in itertools.combinations(factors, size):
            union: frozenset[str] = frozenset().union(*chosen)
            effect = np.prod([factors[options] / means[options] - 1.0 for options in chosen], axis=0)
            effects[union] = effects.get(union, 0.0) + unit * effect
    return np.prod([np.ones(len(configurations)), *factors.values()], axis=0), effects


_SMALL = 2.0**-30


def hybrid(
    first: InfluenceModel,
    second: InfluenceModel,
    syntactic: SyntacticComparison,
    configurations: Configurations,
    *,
    weights: Array | None = None,
) -> HybridComparison:
    """Return the classes of two models with their shares of the performance and their similarities.

    The contribution of a class is the sum of its terms' contributions. With the contributions A and B of a class in
    both models, shape (n,), and weights w of the configurations:

    - its share in a model is sum(w |A|), divided by the sum of that over all classes; 0 in a model without any
      contribution;
    - its weight is the mean of its shares in the models with any contribution; if neither has one, all weigh the same;
    - its similarity is 1 - sum(w |A - B|) / sum(w (|A| + |B|)), in [0, 1]; 1 where both are 0.

    Contributions are those to the models' sums: shares of logarithms for the link 'log'. A parameter that is kept as a
    name does not change a term's class. A class that is not in `syntactic`, because the numbers of parameters made it
    vanish there, has the score 0; without a constant there, the constant is left out here.
    """
    counted = np.ones(len(configurations)) if weights is None else weights
    # Sums of values near the largest number do not overflow; ratios of sums are the same.
    counted = counted / counted.max() * _SMALL
    # Class → its score.
    classes = {frozenset(group.options): group.normalized or 0.0 for group in syntactic.classes}
    of_terms = [[class_of(model, term) for term, _ in model.terms] for model in (first, second)]
    for options in itertools.chain(*of_terms):
        if options or syntactic.constant:
            classes.setdefault(options, 0.0)
    # Sums of w |A| and w |B|, and of w |A - B|, over configurations, in blocks. Terms without a class have a separate
    # number, which is left out.
    places = {options: place for place, options in enumerate(classes)}
    numbers = [np.array([places.get(options, len(classes)) for options in each], dtype=int) for each in of_terms]
    sizes, apart = np.zeros((2, len(classes))), np.zeros(len(classes))
    blocks = (model.contribution_blocks(configurations) for model in (first, second))
    for (rows, own), (_, other) in zip(*blocks, strict=True):
        sums = np.zeros((2, len(classes) + 1, len(own)))
        for model_sums, model_numbers, values in zip(sums, numbers, (own, other), strict=True):
            np.add.at(model_sums, model_numbers, values.T)
        with np.errstate(over="ignore", invalid="ignore"):
            sizes += np.abs(sums[:, :-1]) @ counted[rows]
            apart += np.abs(sums[0, :-1] - sums[1, :-1]) @ counted[rows]
    totals, both = sizes.sum(axis=1, keepdims=True), sizes.sum(axis=0)
    shares = np.divide(sizes, totals, out=np.zeros_like(sizes), where=totals > 0)
    similarities = np.clip(1.0 - np.divide(apart, both, out=np.zeros_like(both), where=both > 0), 0.0, 1.0)
    contributing = int((totals > 0).sum())
    weight = shares.sum(axis=0) / contributing if contributing else np.full(len(both), 1.0 / max(len(both), 1))
    order = tuple(dict.fromkeys((*first.order, *second.order)))
    names = (names_in(options, order) for options in classes)
    columns = names, *shares.tolist(), weight.tolist(), classes.values(), similarities.tolist()
    return HybridComparison(tuple(itertools.starmap(ClassShare, zip(*columns, strict=True))))
