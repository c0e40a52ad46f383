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

# The expected error may rise by this factor, up to this multiple of the full model's. (On 10 samples of each of 11
# shared systems the common large sets of two samples are 0.60 of all sets without consensus, 0.68 with 1.05 and 0.71
# with 1.1, and printed / full error rises by 1 and 3 %.)
RISE, FARTHEST = 1.1, 1.2
# Among models of the same agreement, the shortest one is printed whose expected error is within this factor of the
# largest one's. (With 1.05, 0.7 to 1.3 terms fewer, for 1 to 3 % more error. On 6 samples of 13 systems that were not
# used to choose these constants, consensus raises the common large sets from 0.47 to 0.50, for 3 % more error and with
# one term less.)
SHORTER = 1.02
# The least share of the folds that must have a set of options.
LEAST_SHARE = 3 / 8


def agreed_models(search: LanguageSearch, size: int, chosen: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield models of terms whose variables are together in a term in all folds, then in one fold less, ….

    They are those of every size from 1 to `size` that follow the full model as closely as such terms can. It ends where
    all terms that were chosen have as much support.

    Args:
        search: the models of a language.
        size: the largest number of terms.
        chosen: the positions of the terms that were chosen without consensus.
    """
    candidates, support = search.candidates, search.supports(size)
    of_candidate = np.array([support[candidates.variables(place)] for place in range(len(candidates))])
    folds = len(search.models) - 1
    of_candidate[CONSTANT_PLACE] = folds
    least = int(of_candidate[list(chosen)].min(initial=folds))
    for wanted in range(folds, max(least, math.ceil(LEAST_SHARE * folds) - 1), -1):
        places = np.flatnonzero(of_candidate >= wanted)
        [selection] = forward(candidates.only(places), search.full.target[None], size + FURTHER_STEPS)
        found = [tuple(places[list(each)].tolist()) for each in models_of_sizes(selection, size) if each]
        if found:
            yield tuple(found)
