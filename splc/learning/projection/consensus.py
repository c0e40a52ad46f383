"""Consensus: the terms of a model are those that most folds choose as well, where this costs little.

Near the full model there are many models of about the same error. Which of them is the nearest one depends on the
sample. Sets of options that the models of many folds have are more often those of another sample, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE
from splc.learning.projection.competition import FURTHER_STEPS, LanguageSearch
from splc.learning.projection.forward import forward
from splc.learning.projection.size import models_of_sizes

# The expected error may rise by this factor, up to this multiple of the full model's. (On 10 samples of each of 28
# shared systems and numbers of rows, the common large sets of two samples are 0.53 of all sets without consensus, 0.58
# with 1.05 and 0.59 with 1.1, and printed / full error is 1.09, 1.10 and 1.11. With fewer than 30 rows the error rises
# by 5 to 8 % and the sets are no more alike.)
RISE, FARTHEST = 1.1, 1.2
# Among models of the same agreement, the shortest one is printed whose expected error is within this factor of the
# largest one's. (With 1.02, 0.4 terms fewer; with 1.05, 1.3, but for 3 % more error on some systems.)
SHORTER = 1.02
# The least share of the folds that must have a set of options.
MIN_SHARE = 3 / 8


def agreed_models(search: LanguageSearch, size: int, chosen: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield models of terms whose variables are together in a term in all folds, then in one fold less, ….

    They are those of every size from 1 to `size` that follow the full model as closely as such terms can. It ends where
    all terms that were chosen have as much support.
    """
    candidates, support = search.candidates, search.supports(size)
    of_candidate = np.array([support[candidates.variables(position)] for position in range(len(candidates))])
    folds = len(search.models) - 1
    of_candidate[CONSTANT_PLACE] = folds
    min_support = int(of_candidate[list(chosen)].min(initial=folds))
    for support_needed in range(folds, max(min_support, math.ceil(MIN_SHARE * folds) - 1), -1):
        positions = np.flatnonzero(of_candidate >= support_needed)
        [selection] = forward(candidates.only(positions), search.full.target[None], size + FURTHER_STEPS)
        agreed = [tuple(positions[list(model)].tolist()) for model in models_of_sizes(selection, size) if model]
        if agreed:
            yield tuple(agreed)
