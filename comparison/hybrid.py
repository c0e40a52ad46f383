"""Hybrid comparison: each equivalence class is weighted by its share of the performance.

The thesis names it as future work (section 7.2): "According to the percentual influence of an equivalence class, the
semantic and syntactic comparison could be weighted."
"""

from __future__ import annotations

import itertools

import numpy as np

from comparison.option_sets import class_of
from comparison.result import ClassShare, HybridComparison, SyntacticComparison
from comparison.semantic import checked_weights
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.models.influence import InfluenceModel
from splc.models.terms import names_in
from splc.types import Array

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
    - its weight is the mean of its shares in the models with any contribution; if neither has one, all weigh the
      same. The weights add up to 1;
    - its similarity is 1 - sum(w |A - B|) / sum(w (|A| + |B|)), in [0, 1]; 1 where both are 0.

    Contributions are those to the models' sums: shares of logarithms for the link 'log'. If `syntactic`
    has no constant, the constant is left out here. A parameter that is kept as a name does not change a term's class.
    A class that is not in `syntactic`, because the numbers of parameters made it vanish there, has the score 0.

    `weights`: the weight of each configuration, shape (n,), not negative; None weighs all the same.
    """
    if len(configurations) == 0:
        raise ConfigurationError("shares of classes need at least one configuration", hint="give configurations")
    counted = np.ones(len(configurations)) if weights is None else checked_weights(weights, len(configurations))
    # Sums of values near the largest number do not overflow; ratios of sums are the same.
    counted = counted / counted.max() * _SMALL
    classes = {frozenset(group.options): number for number, group in enumerate(syntactic.classes)}
    names = [group.options for group in syntactic.classes]
    order = tuple(dict.fromkeys((*first.order, *second.order)))
    for model in (first, second):
        for term, _ in model.terms:
            options = class_of(model, term)
            if (options or syntactic.constant) and options not in classes:
                classes[options] = len(names)
                names.append(names_in(options, order))
    sizes, apart, both = _sums((first, second), classes, configurations, counted)
    totals = sizes.sum(axis=1, keepdims=True)
    shares = np.divide(sizes, totals, out=np.zeros_like(sizes), where=totals > 0)
    similarities = np.clip(1.0 - np.divide(apart, both, out=np.zeros_like(both), where=both > 0), 0.0, 1.0)
    contributing = int((totals > 0).sum())
    weight = shares.sum(axis=0) / contributing if contributing else np.full(len(names), 1.0 / max(len(names), 1))
    scores = [group.normalized or 0.0 for group in syntactic.classes] + [0.0] * (len(names) - len(syntactic.classes))
    columns = names, *shares.tolist(), weight.tolist(), scores, similarities.tolist()
    return HybridComparison(tuple(itertools.starmap(ClassShare, zip(*columns, strict=True))))


def _sums(
    models: tuple[InfluenceModel, InfluenceModel],
    classes: dict[frozenset[str], int],
    configurations: Configurations,
    counted: Array,
) -> tuple[Array, Array, Array]:
    """Return sums over the configurations, per class, of its contributions A and B in both models.

    Returns: Of w |A| and w |B|, shape (2, classes); of w |A - B| and of w (|A| + |B|), shape (classes,) each.
    """
    # Terms without a class have a separate number, which is left out.
    numbers = [[classes.get(class_of(model, term), len(classes)) for term, _ in model.terms] for model in models]
    sizes, together = np.zeros((2, len(classes))), np.zeros((2, len(classes)))
    blocks = zip(*(model.contribution_blocks(configurations) for model in models), strict=True)
    for (rows, first), (_, second) in blocks:
        totals = np.zeros((2, len(classes) + 1, len(first)))
        for total, class_numbers, values in zip(totals, numbers, (first, second), strict=True):
            for number, column in zip(class_numbers, values.T, strict=True):
                total[number] += column
        (a, b), weights = totals[:, :-1], counted[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            size, other, apart = (np.abs(difference) @ weights for difference in (a, b, a - b))
        sizes += [size, other]
        together += [apart, size + other]
    return sizes, together[0], together[1]
