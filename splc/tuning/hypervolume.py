"""The hypervolume of a Pareto front: how much a front of several properties is worth, as one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.space.ranking import undominated
from splc.types import Array

# The reference point is beyond the worst values of the true front by this share of its range, so that its ends count.
BEYOND = 0.1


def front_places(values: Array) -> Array:
    """Return the places of the rows that no other row surpasses; less is better; shape (n, properties) → (k,)."""
    order = np.lexsort(values.T[::-1])
    return np.asarray(order[undominated(values[order])])


def hypervolume(values: Array, reference: Array) -> float:
    """Return the volume that is worse than a row and better than the reference point; less is better.

    The volume is cut into slices along the last property, in each of which the others have a volume (hypervolume by
    slicing objectives; While, Hingston, Barone and Huband 2006).

    `values`: the values, shape (n, properties). `reference`: the reference point, shape (properties,).
    """
    values = values[(values < reference).all(axis=1)]
    if not len(values):
        return 0.0
    if values.shape[1] == 1:
        return float(reference[0] - values.min())
    values = values[front_places(values)]
    values = values[np.argsort(values[:, -1], kind="stable")]
    depths = np.diff(np.append(values[:, -1], reference[-1]))
    if values.shape[1] == 2:
        return float((depths * (reference[0] - np.minimum.accumulate(values[:, 0]))).sum())
    slices = (hypervolume(values[: number + 1, :-1], reference[:-1]) for number in range(len(values)))
    return float(sum(depth * volume for depth, volume in zip(depths.tolist(), slices, strict=True)))


@dataclass(frozen=True, eq=False)
class TrueFront:
    """The Pareto front of a table, by which fronts that were found are judged."""

    values: Array  # the values of all rows that count, less is better, shape (n, properties)
    places: Array  # the rows of the front

    @classmethod
    def of(cls, values: Array) -> TrueFront:
        """Return the front of values, shape (n, properties); less is better."""
        return cls(values, front_places(values))

    @property
    def reference(self) -> Array:
        """The point from which volumes are measured."""
        front = self.values[self.places]
        span = np.ptp(front, axis=0)
        # Of a front of one row, or with one value of a property, the range is that of all rows.
        span = np.where(span > 0, span, np.ptp(self.values, axis=0))
        return np.asarray(front.max(axis=0) + BEYOND * np.where(span > 0, span, 1.0))

    def share(self, values: Array) -> float:
        """Return the volume of some rows in percent of that of the front.

        `values`: their values, less is better, shape (k, properties).
        """
        whole = hypervolume(self.values[self.places], self.reference)
        return 100 * hypervolume(values, self.reference) / whole

    def random_share(self, runs: int, draws: int = 200) -> float:
        """Return the mean share of as many rows, drawn at random."""
        rng = np.random.default_rng(0)
        count = min(runs, len(self.values))
        rows = (rng.choice(len(self.values), count, replace=False) for _ in range(draws))
        return float(np.mean([self.share(self.values[some]) for some in rows]))
