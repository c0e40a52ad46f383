"""The two strategies: the cheapest points, or those that make the prediction at the target better.

`cheapest`: the cheapest lines first, then the cheapest points. Source: Ritter et al., Learning Cost-Effective Sampling
Strategies, section III.E: (1) measure the cheapest available line of five points per parameter and make a first model;
(2) measure the cheapest further point; (3) make the model again; (4) repeat until the model predicts well enough, or
the budget is spent. Without a target, the error of a model is that of predicting each point off the cheapest lines from
all other points.

`target`: first every parameter needs a line of two points and a visible effect. Then the point or repetition is chosen
with the largest expected decrease of the logarithm of the variance at the target per cost: the cheapest way to halve
the variance, if further measurements are as useful. Candidates that cost more than all measurements so far wait while
cheaper ones are useful, which may make the expensive ones unnecessary. Before a prediction is good enough, every
parameter needs a line of three points, and a point must be measured where all parameters are larger: cheap points may
hide effects that parameters have together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.sequential import NextCandidates
from splc.data.accuracy import mean_relative_error
from splc.scaling.data import lines
from splc.scaling.fit import fit_many
from splc.scaling.suggestion.candidates import CandidatePoints
from splc.scaling.suggestion.surrogate import TargetSurrogate, further_out, without_effect
from splc.types import Array

LINE = 5


@dataclass(frozen=True)
class CheapestStrategy:
    """The choice of the cheapest points among candidates."""

    candidates: CandidatePoints

    def choose(self) -> NextCandidates | None:
        """Return the missing points of a line, or the cheapest point; None if all are taken."""
        line = self.candidates.next_line(LINE)
        if line is not None:
            return NextCandidates(*line)
        rows = np.flatnonzero(~self.candidates.taken)
        if len(rows) == 0:
            return None
        # Of equally cheap points, the one with smaller values.
        return NextCandidates(
            rows[[int(self.candidates.costs[rows].argmin())]], "the cheapest point that was not measured"
        )

    def add(self, row: int) -> None:
        """Mark a point as suggested."""
        self.candidates.suggested[row] = True


def base_lines(candidates: CandidatePoints) -> Array:
    """Return the points of the cheapest measured line of each parameter, shape (points, parameters)."""
    used = np.zeros(len(candidates.points), dtype=bool)
    measured = candidates.counts > 0
    for parameter in range(candidates.points.shape[1]):
        full = [line[measured[line]] for line in lines(candidates.points, parameter)]
        long_lines = [line for line in full if len(line) >= LINE]
        if not long_lines:
            # Lines are measured first, so there are no other points yet.
            return np.asarray(candidates.points[measured])
        cheapest = min(long_lines, key=lambda line: float(np.sort(candidates.costs[line])[:LINE].sum()))
        used[cheapest[np.argsort(candidates.costs[cheapest], kind="stable")[:LINE]]] = True
    return np.asarray(candidates.points[used])


def error_off_lines(points: Array, values: Array, on_lines: Array) -> tuple[float | None, int]:
    """Return the mean relative error in percent of predicting points off lines from all others, and their number.

    `points`: measured points, shape (n, parameters). `values`: measured values, shape (n, repetitions); NaN where one
    is missing. `on_lines`: the points of the lines, shape (points on lines, parameters).
    """
    tested = np.flatnonzero(~(points[:, None] == on_lines[None]).all(axis=2).any(axis=1))
    mean = np.nanmean(values, axis=1)
    tested = tested[mean[tested] != 0]
    if len(tested) == 0:
        return None, 0
    training = np.tile(values, (len(tested), 1, 1))
    training[np.arange(len(tested)), tested] = np.nan
    models = fit_many(points, training)
    predicted = np.array([model.predict(points[[row]]).ravel()[0] for model, row in zip(models, tested, strict=True)])
    return mean_relative_error(predicted, mean[tested]), len(tested)


SHORT_LINE = 2
TRUSTED_LINE = 3
# A point is measured at most this many times as often as others.
_REPEATED = 4
# Smaller expected reductions of the variance are not worth the repetitions of a point, in percent.
_WORTHWHILE = 5.0
# Smaller ones do not count beside candidates that gain four times as much, however cheap they are.
_NOTHING = 2.0
# Expensive candidates wait while cheaper ones are expected to reduce the variance by this share, in percent.
_USEFUL = 10.0
# Predictions with a smaller relative variance are certain.
_EXACT = 1e-10
_CERTAIN = "the prediction at the target is certain: the cheapest point that was not measured"
# Of more candidates, this number is compared, evenly spread over costs.
_COMPARED = 2000


@dataclass
class TargetStrategy:
    """The choice of points for a prediction at a target."""

    candidates: CandidatePoints  # the candidates
    # the posterior after the measurements, in which points that were chosen before count as measured
    surrogate: TargetSurrogate
    target: Array  # shape (parameters,)
    limit: float  # the cost of measuring the target itself
    spent: float  # the cost of all measurements, including those chosen before
    repetitions: int  # measurements per suggestion
    enough: bool = False  # whether the prediction is good enough except for the requirements of every prediction

    def required(self, length: int = SHORT_LINE) -> NextCandidates | None:
        """Return points that every prediction needs: lines of this length, and visible effects of all parameters."""
        line = self.candidates.next_line(length)
        if line is not None:
            return NextCandidates(*line)
        for at in without_effect(self.candidates):
            choice = further_out(self.candidates, at)
            if choice is not None:
                return choice
        return self._middle() if length == TRUSTED_LINE else None

    def _middle(self) -> NextCandidates | None:
        """Return the cheapest point whose values are all in the upper half; None if there is a measured one."""
        candidates = self.candidates
        upper = np.ones(len(candidates.points), dtype=bool)
        for coordinates in candidates.points.T:
            values = np.unique(coordinates)
            upper &= coordinates >= values[(len(values) - 1) // 2]
        rows = np.flatnonzero(upper & (candidates.taken | (candidates.costs <= self.limit)))
        if len(rows) == 0 or candidates.taken[rows].any():
            return None
        reason = "the prediction is good enough unless effects are hidden: a point where all parameters are larger"
        return NextCandidates(rows[[int(candidates.costs[rows].argmin())]], reason)

    def choose(self) -> NextCandidates | None:
        """Return the points to measure next; None if no candidate helps."""
        return self.required(TRUSTED_LINE if self.enough else SHORT_LINE) or self.best()

    def add(self, row: int) -> None:
        """Condition on measurements of a point."""
        candidates = self.candidates
        candidates.suggested[row] = True
        self.spent += float(candidates.costs[row])
        self.surrogate = self.surrogate.after(candidates.points[row], self.repetitions, int(candidates.counts[row]))

    def best(self) -> NextCandidates | None:
        """Return the candidate with the largest expected reduction of the variance at the target per cost."""
        candidates = self.candidates
        new = np.flatnonzero(~candidates.taken & (candidates.costs <= self.limit))
        repeated = np.flatnonzero(
            (candidates.counts > 0) & (candidates.counts < _REPEATED * self.repetitions) & ~candidates.suggested
        )
        if len(new) > _COMPARED:
            ordered = new[np.argsort(candidates.costs[new], kind="stable")]
            new = ordered[np.linspace(0, len(ordered) - 1, _COMPARED).astype(int)]
        rows = np.sort(np.concatenate([new, repeated]))
        if len(rows) == 0:
            return None
        counts = np.full(len(rows), float(self.repetitions))
        now, after = self.surrogate.variances(self.target, candidates.points[rows], counts, candidates.counts[rows])
        if now <= _EXACT:
            return NextCandidates(new[[int(candidates.costs[new].argmin())]], _CERTAIN, 0.0) if len(new) else None
        remaining = np.clip(after / now, 1e-12, 1.0)
        costs = np.maximum(candidates.costs[rows], 1e-12 * max(float(candidates.costs.max()), 1e-300))
        rates = -np.log(remaining) / costs
        gains = 100 * (1 - remaining)
        rates = np.where(gains >= min(_NOTHING, gains.max() / 4), rates, 0.0)
        useful = (costs <= self.spent) & (gains >= _USEFUL)
        best = int((np.where(useful, rates, -1.0) if useful.any() else rates).argmax())
        row, gain = rows[best], float(gains[best])
        if candidates.counts[row] == 0:
            return NextCandidates(rows[[best]], "the largest expected gain at the target per cost", gain)
        if len(new) == 0 and gain < _WORTHWHILE:
            return None
        return NextCandidates(
            rows[[best]], "noise dominates: further repetitions gain most at the target per cost", gain
        )
