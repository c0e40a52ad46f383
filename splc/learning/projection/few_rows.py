"""The rule for few rows: a model with options needs some rows for each option, or it is a constant or one effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from splc.learning.projection import constants
from splc.learning.projection.full_model import FullModel
from splc.learning.projection.sparse_model import SparseModel, SparseSettings
from splc.learning.projection.variables import Variable

# Fewer rows than the first constant never suffice; fewer than the second one only with enough rows per option.
NEVER, FEWEST = 3, 8
# The sign of a clear effect has at least this probability, and so many of the folds have a term of its options.
CLEAR = 0.95
SUPPORT = 0.75


def rows_needed(full: FullModel) -> int:
    """Return the number of rows that a model of the options that vary needs."""
    return max(NEVER + 1, constants.ROWS_PER_OPTION * len(full.basis.variables))


def is_too_few(full: FullModel) -> bool:
    """Return whether there are too few rows for a model with options.

    From 8 rows on, a full model whose influences can be distinguished from noise is printed, even with few rows per
    option. (For such designs of 8 to 12 rows of SMG2000 and BoomerAMG a constant has 1.6 to 20 times its error.)
    """
    return full.refits is not None and len(full.rows) < min(rows_needed(full), FEWEST)


def of_few_rows(
    variables: Sequence[Variable],
    settings: SparseSettings,
    printed: Callable[[Sequence[Variable], SparseSettings], SparseModel],
    complete: int = 0,
) -> SparseModel:
    """Return a printed model of one clear effect, with or without a constant, or else a constant.

    Where all valid configurations were measured, such as those of two binary options, the effects are exact.
    """
    if complete:
        exact = printed(variables, replace(settings, terms=settings.terms or complete, complete=True))
        if exact.exact:
            return exact
    for terms in (2, 1):
        if terms <= (settings.terms or 2):
            sparse_model = printed(variables, replace(settings, terms=terms))
            effects = [estimate for estimate in sparse_model.estimates if estimate.term.options]
            supported = all((estimate.folds or 0) >= SUPPORT * sparse_model.folds for estimate in effects)
            if len(effects) == 1 and effects[0].sign_probability >= CLEAR and supported:
                return sparse_model
    return printed((), settings)
