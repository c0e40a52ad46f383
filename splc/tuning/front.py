"""The Pareto front of a tuning run of several properties: proposals, verification and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.sequential import most_worth
from sampling.space.ranking import undominated
from splc.data.configurations import Configurations
from splc.learning.active.candidates import BEST, CandidateSource
from splc.learning.active.search_model import SearchModel
from splc.tuning.history import History, Reason
from splc.tuning.objective import TuningObjective
from splc.tuning.proposal import Proposal, admissible_ranking
from splc.tuning.verification import MeanValue
from splc.types import Array

BEYOND = 0.1  # the reference point is so far beyond the worst values of the true front, by its range: its ends count


def front_places(values: Array) -> Array:
    """Return the places of the rows that no other row surpasses; less is better; shape (n, properties) → (k,)."""
    order = np.lexsort(values.T[::-1])
    return np.asarray(order[undominated(values[order])])


def hypervolume(values: Array, reference: Array) -> float:
    """Return the volume that is worse than a row (n, properties) and better than the reference point; less is better.

    The volume is cut into slices along the last property, in each of which the others have a volume (hypervolume by
    slicing objectives; While, Hingston, Barone and Huband 2006).
    """
    values = values[(values < reference).all(axis=1)]
    if not len(values):
        return 0.0
    if values.shape[1] == 1:
        return float(reference[0] - values.min())
    values = values[front_places(values)]
    values = values[np.argsort(values[:, -1], kind="stable")]
    depths = np.diff(np.append(values[:, -1], reference[-1]))
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
        """Return the volume of rows with some values, (k, properties), in percent of that of the front."""
        whole = hypervolume(self.values[self.places], self.reference)
        return 100 * hypervolume(values, self.reference) / whole

    def random_share(self, runs: int, draws: int = 200) -> float:
        """Return the mean share of as many rows, drawn at random."""
        rng = np.random.default_rng(0)
        count = min(runs, len(self.values))
        rows = (rng.choice(len(self.values), count, replace=False) for _ in range(draws))
        return float(np.mean([self.share(self.values[some]) for some in rows]))


_DRAWS = 64  # values that are drawn of each candidate
_ALONE = 0.3  # the share of steps that search the best value of one property alone: the ends of the front
_SUM = 0.05  # the share of the sum of all properties in the worth of a configuration, so that equal worst ones differ
_RUNS = 2  # each configuration of the front is run so often, if the runs that verify are enough for two of them


@dataclass(frozen=True, eq=False)
class FrontConfiguration:
    """A configuration that no other one surpasses in all properties."""

    configuration: Configurations  # the configuration, one row
    means: Mapping[str, MeanValue]  # property → the mean of its fresh runs; without such, that of all its runs
    fresh: bool  # whether they are of fresh runs


def front_improvement(
    models: Mapping[str, SearchModel],
    objective: TuningObjective,
    history: History,
    source: CandidateSource,
    rng: np.random.Generator,
) -> Proposal | None:
    """Return the candidate with the largest expected improvement for a random weighting of the properties.

    The worth of a configuration is its worst weighted property (augmented Chebyshev), so that each part of the front is
    the best of some weights. None if all valid configurations were run.
    """
    surrogates = [models[goal.nfp] for goal in objective.goals]
    first, configurations = surrogates[0], history.configurations
    weights = rng.dirichlet(np.ones(len(surrogates)))
    if rng.random() < _ALONE:
        weights = np.eye(len(surrogates))[int(rng.integers(len(surrogates)))]
    waiting = history.waiting(first.runs.own)
    surrogates = [model.believing(waiting) for model in surrogates]
    means = np.array([model.measured for model in surrogates])
    # The range of the front: that of all runs has bad values, beside which those of the front hardly differ.
    front = means[:, front_places(means.T)]
    low, span = front.min(axis=1), np.ptp(front, axis=1)
    span = np.where(span > 0, span, 1.0)

    def worst(values: Array) -> Array:
        """Return the worths of values of shape (properties, …); less is better."""
        shape = (-1, *[1] * (values.ndim - 1))
        scaled = weights.reshape(shape) * (values - low.reshape(shape)) / span.reshape(shape)
        return np.asarray(scaled.max(axis=0) + _SUM * scaled.sum(axis=0))

    levels = worst(means)
    ranking = admissible_ranking(models[objective.nfp], objective, history) or np.arange(len(first.runs)).tolist()
    ranking = sorted(ranking, key=lambda index: float(levels[index]))
    candidates = source.candidates(rng, configurations, first.runs.configurations[np.array(ranking[:BEST])])
    if not len(candidates):
        return None
    moments = [model.moments(candidates) for model in surrogates]
    noise = rng.standard_normal((len(surrogates), _DRAWS, len(candidates)))
    draws = worst(np.array([mean + deviation * draw for (mean, deviation), draw in zip(moments, noise, strict=True)]))
    improvements = np.maximum(float(levels[ranking[0]]) - draws, 0.0).mean(axis=0)
    predicted = worst(np.array([mean for mean, _ in moments]))
    worths = np.log(np.maximum(improvements, 1e-300)) if improvements.max() > 0 else -predicted
    worths = history.with_failures(objective.with_limits(worths, models, candidates), candidates)
    row = most_worth(worths, np.ones(len(candidates), dtype=bool))
    return Proposal(candidates[[row]], float(first.untransformed(moments[0][0][[row]])[0]))


@dataclass
class FrontVerification:
    """The last runs of a tuning run of several properties: the configurations of the front in turn."""

    history: History  # all runs
    first: int  # the number of trials before it
    runs: int  # the number of its runs
    rows: tuple[int, ...]  # the numbers of the configurations that it runs

    @classmethod
    def of(
        cls,
        history: History,
        objective: TuningObjective,
        models: Mapping[str, SearchModel],
        default: int | None,
        runs: int,
    ) -> FrontVerification:
        """Return the verification of a search; a long front is verified at configurations spread over it."""
        front = front_rows(history, objective, models)
        most = max(1, runs // _RUNS - (default is not None))
        if len(front) > most:
            front = [front[index] for index in np.unique(np.linspace(0, len(front) - 1, most).round().astype(int))]
        rows = dict.fromkeys([*front, *([] if default is None else [default])])
        return cls(history, len(history.trials), runs, tuple(rows) if front else ())

    @property
    def ended(self) -> bool:
        """True if no further run is needed."""
        return len(self.history.trials) - self.first >= self.runs or not self.rows

    def next(self, learned: Callable[[], SearchModel | None]) -> tuple[Reason, int]:
        """Return why and which configuration to run next."""
        return "verify", self.rows[(len(self.history.trials) - self.first) % len(self.rows)]


def front_rows(history: History, objective: TuningObjective, models: Mapping[str, SearchModel]) -> list[int]:
    """Return the numbers of the measured configurations of the front by posterior means, in the order of the first."""
    model = models.get(objective.nfp)
    ranking = np.array([] if model is None else admissible_ranking(model, objective, history), dtype=int)
    if model is None or not len(ranking):
        return []
    means = np.array([models[goal.nfp].measured[ranking] for goal in objective.goals]).T
    front = ranking[front_places(means)]
    return [int(row) for row in history.configurations.find(model.runs.configurations[front])]


def front_of(
    history: History, objective: TuningObjective, models: Mapping[str, SearchModel], verified: Sequence[int]
) -> tuple[FrontConfiguration, ...]:
    """Return the front: of the verified configurations by their fresh runs; without such, by the models of all runs."""
    names = [goal.nfp for goal in objective.goals]
    rows = [row for row in verified if history.values(row, names[0], fresh=True) and objective.admissible(history, row)]
    fresh = True if rows else None
    rows = rows or front_rows(history, objective, models)
    if not rows:
        return ()
    stats = [{name: MeanValue.of(history.values(row, name, fresh)) for name in names} for row in rows]
    signs = [-1.0 if goal.maximize else 1.0 for goal in objective.goals]
    values = np.array([[means[name].value for name in names] for means in stats]) * signs
    return tuple(
        FrontConfiguration(history.configurations[[rows[index]]], stats[index], fresh is True)
        for index in front_places(values).tolist()
    )
