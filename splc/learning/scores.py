"""Scores that a learner states: expected differences, and models of few terms, of many, and of each form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """The expected differences between predictions and values of configurations that were not learned from."""

    # 90 % of runs differ by at most this factor, or by at most this difference if not all values are positive; None if
    # it is unknown
    within: float | None
    # the mean relative error of held-out configurations in percent, where all values are positive
    percent: float | None = None
    # the mean absolute difference of held-out configurations, where not all values are positive
    difference: float | None = None
    unknown: str = ""  # why the error is unknown, empty if it is known
    # the mean relative error of single runs of these in percent; None without repetitions, or where values are not
    # positive
    run: float | None = None
    printed: float | None = None  # `percent` of the printed model, where another one predicts
    # where folds keep groups together, the mean relative error in percent at further rows of known groups
    known: float | None = None


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


class MethodNote(str):
    """A note about how a model was found, which few readers need: other notes are more important."""

    __slots__ = ()
