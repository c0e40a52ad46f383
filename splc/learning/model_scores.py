"""Models that a learner compared: of few terms and of many, and of each form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PathTerm:
    """A term of a model on the path."""

    term: str  # its text
    influence: float  # its influence


@dataclass(frozen=True)
class PathPoint:
    """A model on the path from few terms to many."""

    terms: int  # the number of terms
    error: float  # the expected error in percent of the model with so many terms
    added: str  # the term that was added last, as text
    # the mean difference of its predictions and the full model's, in percent; None without a full model
    distance: float | None = None
    formula: tuple[PathTerm, ...] = ()  # its terms; empty if the learner keeps only the one that was added


@dataclass(frozen=True)
class FormScore:
    """The best model of one form."""

    form: str  # 'sum', 'shapes' (a sum with thresholds, saturations and free signs), or 'product'
    terms: int  # the number of its terms
    # what forms are compared by, in percent: the mean of `cross_validated` and of the error that the full model and the
    # distance to it give
    score: float
    cross_validated: float  # its mean error on held-out rows, in percent
