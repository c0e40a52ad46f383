"""The plausible hypotheses of a quantity in compact form: over one parameter, and over several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.types import Array

# The kinds of noise: relative, partly absolute, and relative with a size that grows with the parameter.
RELATIVE, FLOORED, GROWING = range(3)
# Both terms as positions in the space of hypotheses, -1 for none; whether there is a constant, and the kind of noise.
ROW = np.dtype([("first", "i1"), ("second", "i1"), ("constant", "?"), ("noise", "i1"), ("log_weight", "f4")])


@dataclass(frozen=True, eq=False, slots=True)
class Shortlist:
    """The plausible hypotheses of one quantity over one parameter."""

    rows: Array  # one per hypothesis, of the type `ROW`, the most plausible one first
    falling: bool  # whether the terms are those of the space with negative powers


@dataclass(frozen=True, eq=False, slots=True)
class CombinationShortlist:
    """The plausible hypotheses of one quantity over several parameters, without their fits: some tens of bytes each."""

    terms: Array  # the term of each parameter, as a position, shape (hypotheses, parameters)
    products: Array  # bit masks of parameters, 0 being the constant, -1 for none, shape (hypotheses, most coefficients)
    floored: Array  # whether noise is taken for partly absolute, shape (hypotheses,)
    log_weights: Array  # unnormalised log posterior, shape (hypotheses,)
    misfit: float  # the share of the misfit in the variance


AnyShortlist = Shortlist | CombinationShortlist
