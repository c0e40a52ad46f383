"""Half widths of prediction intervals."""

from __future__ import annotations

import math

import numpy as np

from splc.learning.projection import constants
from splc.models.basis.regression import t_quantile
from splc.types import Array


def half_width(errors: Array, variables: int, limits: tuple[float, float] = (0.0, math.inf)) -> float:
    """Return the half width of 90 % prediction intervals, in the unit of errors of held-out rows.

    With few rows it is a quantile of Student's t distribution for the root mean square of the errors, otherwise a
    quantile of their sizes.

    Args:
        errors: the errors, shape (n,).
        variables: the number of variables.
        limits: the limits of the root mean square.
    """
    n = len(errors)
    if n >= constants.CONFORMAL_ROWS:
        return float(np.sort(np.abs(errors))[min(math.ceil(constants.LEVEL * (n + 1)), n) - 1])
    size = float(np.clip(np.sqrt(np.mean(errors**2)), *limits))
    freedom = max(constants.MIN_FREEDOM, n - variables - 1)
    return size * t_quantile(freedom, (1 + constants.LEVEL) / 2)
