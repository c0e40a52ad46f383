"""Models that a learner compared: of few terms and of many, and of each form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PathTerm:
    """A term of a model on the path.

    Attributes:
        term: its text.
        influence: its influence.
    """

    term: str
    influence: float


@dataclass(frozen=True)
class PathPoint:
    """A model on the path from few terms to many.

    Attributes:
        terms: the number of terms.
        error: the expected error in percent of the model with so many terms.
        added: the term that was added last, as text.
        distance: the mean difference of its predictions and the full model's, in percent; None without a full model.
        formula: its terms; empty if the learner keeps only the one that was added.
    """

    terms: int
    error: float
    added: str
    distance: float | None = None
    formula: tuple[PathTerm, ...] = ()


@dataclass(frozen=True)
class FormScore:
    """The best model of one form.

    Attributes:
        form: 'sum', 'shapes' (a sum with thresholds, saturations and free signs), or 'product'.
        terms: the number of its terms.
        score: what forms are compared by, in percent: the mean of `cross_validated` and of the error that the full
            model and the distance to it give.
        cross_validated: its mean error on held-out rows, in percent.
    """

    form: str
    terms: int
    score: float
    cross_validated: float
