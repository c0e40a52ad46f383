"""Statements about a full model: how wrong it is expected to be, and whether there are enough rows.

In: a full model, its target, and the number of valid configurations. Out: the expected difference of unmeasured values
(`expected`), the printed model of few rows (`of_few_rows`), and notes (`few_rows`, `remarks`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

# Not numpy's, which imports the masked arrays.
from statistics import median

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import listed, plural
from splc.io.numbers import percentage
from splc.learning.folds import FEWEST as FEWEST_GROUPS
from splc.learning.problem import LearningProblem
from splc.learning.projection import constants
from splc.learning.projection.full_model import ONE_ROW, FullModel
from splc.learning.projection.settings import ProjectionSettings
from splc.learning.projection.sparse_model import SparseModel, printed_model
from splc.learning.projection.target import Target
from splc.learning.projection.variables import Variable
from splc.learning.result import CrossValidated, Expected, MethodNote
from splc.types import Array

# From so many rows on errors outside of folds are near those elsewhere, also with few rows per option: in 20 samples of
# 24 and 40 rows of five systems of 14 to 60 options the latter were 0.28 to 1.9 times as large; with 14 rows up to 9.6
# times.
ENOUGH = 24
# Fewer rows than the first constant never suffice; fewer than the second one only with enough rows per option.
NEVER, FEWEST = 3, 8
# The sign of a clear effect has at least this probability, and so many of the folds have a term of its options.
CLEAR = 0.95
SUPPORT = 0.75
# How a full model combines the effects of options, by its scale.
FORMS = {"ln y": "multiplies the effects of options", "y": "adds up the effects of options"}


def is_stated(full: FullModel, given: bool = False) -> bool:
    """Return whether cross-validated errors are stated: not with too few rows, nor for values that are not positive.

    `given`: whether the groups that folds keep together are those of the user, who asks for their error.
    """
    return full.scale.positive and full.data.independent >= _enough_to_judge(full, given)


def _enough_to_judge(full_model: FullModel, given: bool) -> int:
    """Return the number of groups of rows from which on errors outside of folds are stated."""
    if given:
        return FEWEST_GROUPS
    return max(constants.ROWS_OF_VALIDATION, constants.ROWS_PER_OPTION * len(full_model.basis.variables))


def expected(full: FullModel, target: Target, valid: int | None, given: bool = False) -> Expected:
    """Return how far unmeasured values are expected to be from the prediction.

    The errors outside of the folds are used if they are larger than the intervals.

    `valid`: the number of valid configurations, None if there are many.
    """
    rows, needed = full.data.independent, min(_enough_to_judge(full, given), ENOUGH)
    grouped = full.data.groups is not None
    unknown = f"{rows} {'groups ' * grouped}measured, {needed} needed" if rows < needed else ""
    if unknown and not grouped and valid is not None and valid < needed:
        unknown = f"{rows} of {valid} valid configurations measured, too few to judge by"
    if full.scale.positive:
        width = max(math.hypot(full.predictor.quantile * target.spread, full.runs), _most(abs(full.run_residuals)))
        factor = float(np.exp(min(width, 600.0))) if math.isfinite(width) else None
        run = CrossValidated.of(full.run_residuals).mean if full.runs and not unknown else None
        crossed = None if unknown else full.cross_validated.mean
        return Expected(factor, crossed, unknown=unknown, run=run, known=full.known_error)
    unmeasured = target.configurations[len(full.rows) :]
    low, high = full.interval(unmeasured if len(unmeasured) else target.configurations)
    errors = abs(full.held_out - full.data.y / full.scale.unit) * full.scale.unit
    width = max(median(((high - low) / 2).tolist()), _most(errors))
    difference = None if unknown else float(errors.mean())
    return Expected(width if math.isfinite(width) else None, difference=difference, unknown=unknown)


def _most(differences: Array) -> float:
    """Return what 9 of 10 differences are not above."""
    return float(np.sort(differences)[math.ceil(constants.LEVEL * len(differences)) - 1])


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
    target: Target,
    variables: Sequence[Variable],
    settings: ProjectionSettings,
    space: Configurations,
    complete: bool = False,
) -> SparseModel:
    """Return a printed model of one clear effect, with or without a constant, or else a constant.

    Where all valid configurations were measured (`complete`), such as those of two binary options, the effects are
    exact.
    """
    if complete:
        all_terms = replace(settings, terms=settings.terms or target.learned)
        exact = printed_model(target, variables, all_terms, space, complete=True)
        if exact.exact:
            return exact
    for terms in (2, 1):
        if terms <= (settings.terms or 2):
            printed = printed_model(target, variables, replace(settings, terms=terms), space)
            effects = [estimate for estimate in printed.estimates if estimate.term.options]
            supported = all((estimate.folds or 0) >= SUPPORT * printed.folds for estimate in effects)
            if len(effects) == 1 and effects[0].sign_probability >= CLEAR and supported:
                return printed
    return printed_model(target, (), settings, space)


def few_rows(full: FullModel, valid: int | None) -> list[str]:
    """Return a note that there are too few rows for a model with options, if so.

    `valid`: the number of valid configurations, None if there are many.
    """
    rows, needed = len(full.rows), rows_needed(full)
    if not full.basis.variables or rows >= needed:
        return []
    purpose = "a model with options" if is_too_few(full) else "the number of options"
    if valid is None or valid >= needed:
        return [f"too few measurements for {purpose}: measure at least {needed} configurations"]
    cure = f"measure {'all' if valid > 2 else 'both'} of them" if rows < valid else "rely on the measured values"
    return [f"{plural(valid, 'valid configuration is', 'valid configurations are')} too few for {purpose}: {cure}"]


def remarks(problem: LearningProblem, full: FullModel, printed: SparseModel) -> list[str]:
    """Return notes about the full model and how it is printed."""
    rows = plural(len(full.rows), "configuration", "configurations")
    if full.constant:
        return [f"the model is a constant: {full.constant}" + (f" ({rows})" if full.constant != ONE_ROW else "")]
    notes: list[str] = []
    if printed.aliases:
        distinct_pairs = [pair for at, pair in enumerate(printed.aliases) if pair[::-1] not in printed.aliases[:at]]
        pairs = listed([f"{first} and {second}" for first, second in distinct_pairs], 5)
        notes.append(f"interchangeable in your sample, either explains it as well: {pairs}")
    if len(full.rows) < len(problem.rows):
        selected = f"the terms were selected with {rows}; their influences were fitted to all {len(problem.rows):,}"
        notes.append(MethodNote(selected))
    form = f"the full model {FORMS.get(full.scale.words, f'adds up the effects of options on {full.scale.words}')}"
    if full.stacked is not None:
        form = f"{form}; the printed model is {percentage(100 * full.stacked.weight)} of it, as held-out rows prefer"
    notes.append(MethodNote(form))
    return notes
