"""The verification of a tuning run: fresh runs choose among finalists, then others give the reported value.

The runs that choose do not count for the value: the best of several noisy means is too good.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from splc.data.configurations import Configurations
from splc.learning.active.search_model import SearchModel, least_gain
from splc.models.basis.regression import t_quantile
from splc.tuning.changes import sparse_configuration
from splc.tuning.history import History, Reason
from splc.tuning.objective import TuningObjective
from splc.tuning.proposal import admissible_ranking
from splc.types import Array

LEVEL = 0.95


@dataclass(frozen=True)
class MeanValue:
    """The mean of some runs."""

    value: float  # the mean
    low: float | None  # the lower end of its 95 % interval; None for one run
    high: float | None  # the upper end
    runs: int  # the number of runs
    error: float | None = None  # its standard error; None for one run

    @classmethod
    def of(cls, values: Sequence[float]) -> MeanValue:
        """Return the mean of at least one value."""
        n = len(values)
        mean = math.fsum(values) / n
        if n == 1:
            return cls(mean, None, None, 1)
        error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
        half = t_quantile(n - 1, (1 + LEVEL) / 2) * error
        return cls(mean, mean - half, mean + half, n, error)


@dataclass(frozen=True)
class Gain:
    """The gain of the best configuration over the default, in percent of the default."""

    percent: float  # the difference of the means
    low: float | None  # the lower end of its 95 % interval; None without repeated runs
    high: float | None  # the upper end

    @classmethod
    def of(cls, best: MeanValue, default: MeanValue, maximize: bool) -> Gain | None:
        """Return the gain; None if the default is 0."""
        if default.value == 0:
            return None
        ratio = best.value / default.value
        sign = 1.0 if maximize else -1.0
        scale = 100 * (1.0 if default.value > 0 else -1.0)
        percent = scale * sign * (ratio - 1)
        if best.error is None or default.error is None:
            return cls(percent, None, None)
        # The first order of the ratio of two means.
        error = math.hypot(best.error, ratio * default.error) / abs(default.value)
        half = 100 * t_quantile(best.runs + default.runs - 2, (1 + LEVEL) / 2) * error
        return cls(percent, percent - half, percent + half)


# Runs that are kept back, and the least budget that has some.
RUNS, LEAST_BUDGET = 9, 30
FINALISTS = 3  # so many finalists are run once more each, if at least twice as many runs are left


@dataclass
class Verification:
    """The last runs of a tuning run."""

    history: History  # all runs
    objective: TuningObjective  # what is looked for
    default: int | None  # the number of the default, None without one
    first: int  # the number of trials before it
    runs: int  # the number of its runs
    finalists: tuple[int, ...] = ()  # the numbers of the configurations to choose from
    choosing: tuple[int, ...] = ()  # those of them that are run once more to choose
    sparse: int | None = None  # the number of the sparse configuration, None if there is none
    winner: int | None = None  # the number of the chosen configuration, None before it is chosen

    @classmethod
    def of(
        cls,
        history: History,
        objective: TuningObjective,
        model: SearchModel | None,
        default: Configurations | None,
        runs: int,
        valid: Callable[[Configurations], Array],
    ) -> Verification:
        """Return the verification of a search, whose property has a model unless no run has a value."""
        row = None if default is None else history.row_of(default)
        check = cls(history, objective, row, len(history.trials), runs)
        best = [] if model is None else ranked_rows(model, objective, history)[:FINALISTS]
        if model is None or not best:
            return check
        check.finalists = tuple(best)
        exact = history.is_exact(objective.nfp)
        if default is not None and runs:
            tolerance = least_gain(model) if exact else max(least_gain(model), model.noise / math.sqrt(runs))
            winner = history.configurations[[best[0]]]
            candidate = history.row_of(sparse_configuration(model, winner, default, valid, tolerance))
            if candidate in best or candidate != row:
                check.sparse = candidate
            if candidate not in best and candidate != row:
                check.finalists = (*best[: FINALISTS - 1], candidate)
        if exact:
            # Measured values decide.
            check.choosing = tuple(entry for entry in check.finalists if not history.asked(entry))[: max(runs - 1, 0)]
        elif runs >= 2 * FINALISTS:
            check.choosing = check.finalists
        elif check.sparse is not None and not history.asked(check.sparse):
            check.finalists = tuple(best)
        return check

    @property
    def ended(self) -> bool:
        """True if no further run is needed."""
        return len(self.history.trials) - self.first >= self.runs or not self.finalists

    def next(self, learned: Callable[[], SearchModel | None]) -> tuple[Reason, int] | None:
        """Return why and which configuration to run next; None if there is none before a pending run ends.

        `learned`: returns the model of all runs so far.
        """
        trials = self.history.trials[self.first :]
        chosen = {trial.row for trial in trials if trial.why == "choose"}
        for row in self.choosing:
            if row not in chosen:
                return "choose", row
        if self.winner is None:
            if any(trial.why == "choose" for trial in self.history.pending):
                return None
            self.winner = self.choice(learned())
            if self.winner is None:
                return None
        verified = [trial.row for trial in trials if trial.why == "verify"]
        if self.default in (None, self.winner) or verified.count(self.winner) <= verified.count(self.default or 0):
            return "verify", self.winner
        assert self.default is not None
        return "verify", self.default

    def chosen(self, model: SearchModel) -> int | None:
        """Return the winner; before it is chosen, the best finalist so far."""
        return self.choice(model) if self.winner is None else self.winner

    def choice(self, model: SearchModel | None) -> int | None:
        """Return the best finalist by the model of all runs; the sparse one where it is as good."""
        ranked = [] if model is None else ranked_rows(model, self.objective, self.history)
        ranked = [row for row in ranked if row in self.finalists]
        if model is None or not ranked:
            return None
        if self.sparse is None or self.sparse not in ranked:
            return ranked[0]
        if self.history.is_exact(self.objective.nfp):
            sparse, best = (self.history.mean(row, self.objective.nfp) for row in (self.sparse, ranked[0]))
            return self.sparse if sparse == best else ranked[0]
        means = model.means(self.history.configurations[[ranked[0], self.sparse]])
        return self.sparse if float(means[1] - means[0]) <= least_gain(model) else ranked[0]


def ranked_rows(model: SearchModel, objective: TuningObjective, history: History) -> list[int]:
    """Return the numbers of measured configurations within the limits, the best first.

    They are ranked by posterior means; by measured values, where repeated runs have the same value.
    """
    rows = history.configurations.find(model.runs.configurations).tolist()
    ranked = [rows[index] for index in admissible_ranking(model, objective, history)]
    if not history.is_exact(objective.nfp):
        return ranked
    values = {row: history.mean(row, objective.nfp) or 0.0 for row in ranked}
    return sorted(ranked, key=lambda row: -values[row] if objective.maximize else values[row])
