"""The size of the printed model: the fewest terms within a share kappa of the full model's expected error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.learning.projection.candidates import Candidates
from splc.learning.projection.exchange import eliminated, exchanged, reduced
from splc.learning.projection.forward import MOST_TERMS, forward
from splc.learning.projection.rows import Rows
from splc.learning.projection.subset import Goal, Subset
from splc.types import Array

# A quarter of the expected error is hardly seen in the sum of both (2 %). Larger shares give fewer terms; they are
# taken from this number of rows on, and only if the error outside of the folds falls to this multiple.
KAPPA, LARGER_KAPPAS, KAPPA_ROWS, KAPPA_GAIN = 0.25, (0.5, 1.0), 30, 0.95
# A readable model may have an error larger by this factor.
READABLE_LOSS = 1.05
# A distance at the end of the path above this share of the tolerance is added to it.
FLOOR_SHARE = 1 / 8


@dataclass(frozen=True, eq=False)
class ProjectedModel:
    """The full model projected onto few terms of one form.

    Attributes:
        rows: the rows.
        product: whether it is a product of factors: a sum of terms of ln y.
        path: the models on the forward path.
        model: the selected model.
        kappa: the share of the expected error that it may be away from the full model.
        tolerance: the distance to the full model that this allows.
        floor: the distance to the full model at the end of the path.
        error: the mean error outside of the folds, on the scale of differences.
        reference: that of the model of the smallest share kappa.
    """

    rows: Rows
    product: bool
    path: tuple[Subset, ...]
    model: Subset
    kappa: float
    tolerance: float
    floor: float
    error: float
    reference: float

    @property
    def size(self) -> int:
        """The number of terms."""
        return len(self.model.terms)

    def predicted(self, model: Subset | None = None) -> Array:
        """Return the predictions of a model at all rows, in the unit of the target, shape (m,)."""
        model = self.model if model is None else model
        values = (model.goal.target - model.residual) / self.rows.weights(self.product)
        return np.asarray(np.exp(values)) if self.product else values


def projected(
    rows: Rows,
    candidates: Candidates,
    *,
    product: bool,
    readable: bool = False,
    hopeless: bool = False,
    most: int = MOST_TERMS,
) -> ProjectedModel:
    """Return the full model projected onto few candidates.

    Args:
        rows: the rows.
        candidates: the candidates.
        product: whether terms are those of ln y.
        readable: whether fewer terms are worth a slightly larger error.
        hopeless: whether a selection that does not come near the full model may end early.
        most: the number of terms after which a selection may end early.
    """
    goal = Goal(candidates, rows.scaled(rows.target.predicted[rows.order], product), rows.weight, affine=product)
    path = forward(goal, KAPPA * rows.tolerance, hopeless=hopeless, most=most)
    floor = path[-1].rms
    found: list[ProjectedModel] = []
    for kappa in (KAPPA, *(LARGER_KAPPAS if readable or rows.target.learned >= KAPPA_ROWS else ())):
        tolerance = kappa * rows.tolerance
        bound = float(np.hypot(tolerance, floor)) if floor > FLOOR_SHARE * tolerance else tolerance
        first = next((model for model in path if model.rms <= bound), path[-1])
        model = reduced(first, bound)
        error = error_of(rows, model, product)
        reference = found[0].error if found else error
        found.append(ProjectedModel(rows, product, tuple(path), model, kappa, bound, floor, error, reference))
    return _selected(found, readable)


def _selected(found: Sequence[ProjectedModel], readable: bool) -> ProjectedModel:
    """Return the projection with the smallest error outside of the folds; with `readable` the shortest good one."""
    reference = found[0].error
    if readable:
        return [each for each in found if each.error <= READABLE_LOSS * reference][-1]
    allowed = [found[0], *(each for each in found[1:] if each.error <= KAPPA_GAIN * reference)]
    best = min(each.error for each in allowed)
    return [each for each in allowed if each.error <= best * (1 + 1e-9)][-1]


def error_of(rows: Rows, model: Subset, product: bool) -> float:
    """Return the mean error of a model outside of the folds, on the scale of differences."""
    return float(np.abs(rows.differences(held_out(rows, model, product))).mean())


def held_out(rows: Rows, model: Subset, product: bool) -> Array:
    """Return the prediction of each learned row by the model with the influences of the row's fold, shape (n,)."""
    influences = rows.scaled(rows.folds, product) @ model.pseudo_inverse().T
    columns = model.goal.candidates.columns[np.ix_(np.array(model.chosen, dtype=int), rows.learned)]
    predicted = influences @ columns / rows.weights(product)[rows.learned]
    if product:
        predicted = np.exp(np.minimum(predicted, 700.0))
    return rows.out_of_fold(predicted)


def shortened(projection: ProjectedModel, most: int) -> Subset:
    """Return the selected model with at most so many summands."""
    model = projection.model
    if len(model.chosen) > most:
        model = eliminated(model, 0.0, most)
        model = exchanged(model, model.rms)
    return model
