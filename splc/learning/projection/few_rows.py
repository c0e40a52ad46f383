"""The rule for few rows: a model with options needs some rows for each option, or it is a constant or one effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from splc.learning.projection import constants
from splc.learning.projection.full_model import FullModel
from splc.learning.projection.printed import Printed, PrintSettings
from splc.learning.projection.variables import Variable

# So many rows never suffice.
NEVER = 3
# With few rows per option, a model is printed if its squared errors outside of folds are this part of a constant's.
EXPLAINED = 0.25
# The sign of a clear effect has at least this probability, and so many of the folds have a term of its options.
CLEAR = 0.95
SUPPORT = 0.75


def rows_needed(full: FullModel) -> int:
    """Return the number of rows that a model of the options that vary needs."""
    return max(NEVER + 1, constants.ROWS_PER_OPTION * len(full.basis.variables))


def is_too_few(full: FullModel) -> bool:
    """Return whether there are too few rows for a model with options.

    Few rows per option suffice where the full model predicts held-out rows much better than a constant does: of many
    options most may have no influence.
    """
    n = len(full.rows)
    if full.refits is None or n >= rows_needed(full):
        return False
    if n < constants.ROWS_OF_VALIDATION:
        return True
    others = (full.t.sum() - full.t) / (n - 1)
    return bool(np.mean((full.refits.means - full.t) ** 2) > EXPLAINED * np.mean((others - full.t) ** 2))


def of_few_rows(
    variables: Sequence[Variable],
    settings: PrintSettings,
    printed: Callable[[Sequence[Variable], PrintSettings], Printed],
) -> Printed:
    """Return a printed model of one clear effect, with or without a constant, or else a constant.

    Args:
        variables: the variables that terms are made of.
        settings: the settings.
        printed: returns the printed model of variables and settings.
    """
    for terms in (2, 1):
        if terms <= (settings.terms or 2):
            found = printed(variables, replace(settings, terms=terms))
            effects = [each for each in found.estimates if each.term.options]
            supported = all((each.folds or 0) >= SUPPORT * found.folds for each in effects)
            if len(effects) == 1 and effects[0].sign_probability >= CLEAR and supported:
                return found
    return printed((), settings)
