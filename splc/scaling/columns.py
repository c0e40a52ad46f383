"""The values of PMNF terms at the measured points: the columns of design matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from splc.scaling.exponents import Exponents
from splc.types import Array

# A product of one factor per parameter.
Product = tuple[Exponents, ...]


def column(each: Exponents, x: Array) -> Array:
    """Return x^power * log2(x)^log, with x's shape; not finite where it is not defined."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.power(x, float(each.power)) if each.power != 0 else np.ones_like(x)
        if each.log != 0:
            # In this order: 0 * inf, at x = 0, is not defined.
            values = values * np.power(np.log2(x), float(each.log))
    return np.asarray(values, dtype=float)


def columns(terms: Sequence[Exponents], x: Array) -> Array:
    """Return the columns of terms of one parameter, shape (terms, n)."""
    powers, logs = np.array([(float(each.power), float(each.log)) for each in terms]).reshape(-1, 2).T[:, :, None]
    return power_columns(powers, logs, x)


def power_columns(powers: Array, logs: Array, x: Array) -> Array:
    """Return x^power * log2(x)^log; not finite where it is not defined.

    `powers`, `logs`: shape (terms, 1). `x`: shape (n,).

    Returns:
        shape (terms, n).
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.where(powers == 0, 1.0, np.power(x, powers))
        # In this order: 0 * inf, at x = 0, is not defined.
        return np.where(logs == 0, values, values * np.power(np.log2(x), logs))


def product_columns(terms: Sequence[Product], points: Array) -> Array:
    """Return the columns of products at points (n, parameters), shape (terms, n)."""
    found = np.ones((len(terms), len(points)))
    with np.errstate(invalid="ignore", over="ignore"):
        for row, term in enumerate(terms):
            for at, each in enumerate(term):
                if not each.is_constant:
                    found[row] *= column(each, points[:, at])
    return found


def usable(terms: Iterable[Exponents], x: Array) -> tuple[Exponents, ...]:
    """Return the terms that can be fitted at points x, in their order.

    Logarithms are left out where some x is below 1, where their sign changes (Extra-P's rule), and so are terms that
    have no finite value at some x, or the same value at all of them.
    """
    logs = bool((x >= 1).all())
    found = []
    for each in terms:
        values = column(each, x)
        if (logs or each.log == 0) and np.isfinite(values).all() and np.ptp(values) > 0:
            found.append(each)
    return tuple(found)
