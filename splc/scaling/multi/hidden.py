"""Hidden products: terms that the measured points cannot exclude, and that matter where predictions are made.

Cheap points hide products. Beside a constant, a product of all parameters may be smaller than the noise along every
line, and larger than everything else at the target. The search has no evidence for such hypotheses, nor against
them. They are drawn from the prior here: a hypothesis with one more product, whose coefficient is the largest that the
points allow, or smaller by up to some decades.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.scaling.multi.terms import DENSE, ParameterTerms
from splc.types import Array

# The probability that a product of some parameters is hidden, the number of hypotheses that have one, and the decades
# that their coefficients cover.
_PROBABILITY = 0.06
_NUMBER = 200
_DECADES = 2.0
# The largest coefficient that the points allow is this number of standard errors away.
_ERRORS = 1.64


@dataclass(frozen=True, eq=False)
class HiddenProducts:
    """Products beside those of hypotheses."""

    rows: Array  # the hypothesis that each one is beside, shape (draws,)
    terms: Array  # the term of each parameter, shape (draws, parameters)
    masks: Array  # the products, as bit masks of parameters, shape (draws,)
    places: Array  # a number between 0 and 1 that decides the coefficient, shape (draws,)
    share: float  # the probability that there is one


def hidden_products(
    bases: tuple[ParameterTerms, ...], terms: Array, products: Array, log_weights: Array, points: int
) -> HiddenProducts | None:
    """Draw products beside those of hypotheses, by the weights of these; None if the points hide none.

    `terms`, `products`: of the hypotheses, shape (hypotheses, parameters) and (hypotheses, most coefficients).
    `points`: the number of measured points.
    """
    parameters = len(bases)
    if parameters < 3 or points >= DENSE * parameters or not all(basis.terms for basis in bases):
        return None
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    rows = np.searchsorted(np.cumsum(weights), (np.arange(_NUMBER) + 0.5) / _NUMBER)
    rows = np.minimum(rows, len(weights) - 1)
    uniform = _evenly(_NUMBER, parameters + 2)
    active = np.bitwise_or.reduce(np.maximum(products, 0), axis=1)[rows]
    chosen = terms[rows].astype(int)
    for parameter, basis in enumerate(bases):
        prior = np.where(basis.falling, 0.0, np.exp(basis.log_prior))
        drawn = np.searchsorted(np.cumsum(prior / prior.sum()), uniform[:, parameter])
        chosen[:, parameter] = np.where(
            active >> parameter & 1, chosen[:, parameter], np.minimum(drawn, len(prior) - 1)
        )
    several = np.array([mask for mask in range(2**parameters) if mask & (mask - 1)])
    number = np.array([bin(mask).count("1") for mask in several])
    # Each number of factors is as plausible.
    share = 1 / np.bincount(number)[number]
    masks = several[np.searchsorted(np.cumsum(share / share.sum()), uniform[:, parameters])]
    new = ~(products[rows] == masks[:, None]).any(axis=1)
    return HiddenProducts(
        rows[new], chosen[new], masks[new], uniform[new, parameters + 1], 1 - (1 - _PROBABILITY) ** len(several)
    )


def with_hidden(
    designs: Array, fits: tuple[Array, Array], errors: Array, hidden: Array, values: Array, draws: Array
) -> tuple[Array, Array]:
    """Return the coefficients of hypotheses and of the hidden products beside them, 0 for those that points exclude.

    `designs`: weighted columns, shape (draws, columns, points). `fits`: their coefficients, shape (draws, columns), and
    factors as those of `splc.scaling.mixture.Plausible`, per unit of noise. `errors`: the noise, shape (draws,).
    `hidden`: weighted products, shape (draws, points). `values`: weighted, shape (points,). `draws`: the
    `places` of `HiddenProducts`.

    Returns: arrays of shape (draws, columns) and (draws,).
    """
    known, factors = fits
    covariances = np.swapaxes(factors, 1, 2) @ factors
    shares = np.einsum("dkl,dln,dn->dk", covariances, designs, hidden)
    residuals = hidden - np.einsum("dk,dkn->dn", shares, designs)
    length = (residuals**2).sum(axis=1)
    length = np.where(length > 1e-9 * (hidden**2).sum(axis=1), length, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.where(length > 0, (residuals @ values) / length + _ERRORS * errors / np.sqrt(length), np.inf)
        # The others stay positive.
        limits = known + _ERRORS * errors[:, None] * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
        bounds = np.where((shares > 0) & (known >= 0), limits / shares, np.inf)
    largest = np.minimum(largest, bounds.min(axis=1))
    size = np.where(np.isfinite(largest) & (largest > 0), largest, 0.0) * 10 ** (-_DECADES * draws)
    return known - size[:, None] * shares, size


def _evenly(number: int, dimensions: int) -> Array:
    """Return points that fill the unit cube evenly, shape (number, dimensions): multiples of an irrational vector."""
    root = 2.0
    for _ in range(30):
        root = (1 + root) ** (1 / (dimensions + 1))
    return np.asarray((0.5 + np.arange(1, number + 1)[:, None] * root ** -np.arange(1.0, dimensions + 1)) % 1)
