"""Proposals: the configuration that a search runs next, and the models that it learns for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sampling.sequential import most_worth
from splc.data.configurations import Configurations
from splc.learning.active.candidates import BEST, CandidateSource
from splc.learning.active.search_model import SearchModel, gain_in_units, least_gain, log_improvements
from splc.learning.active.suggestion import CANDIDATES, Pool, Surrogate, VarianceStrategy
from splc.learning.projection import Variable
from splc.tuning.history import History
from splc.tuning.objective import TuningObjective


class TuningModels:
    """The models of the properties of a tuning run, each of which starts from the last one.

    The search needs values of failed runs, so that it leaves their surroundings. These are no measurements: they make
    the predictions of what was measured near them worse, so that the best configuration is judged without them.
    """

    def __init__(self, history: History, objective: TuningObjective, variables: tuple[Variable, ...]) -> None:
        self.history, self.objective, self.variables = history, objective, variables
        # property → the last model to search with, and the last one to judge by
        self.searched: dict[str, SearchModel] = {}
        self.judged: dict[str, SearchModel] = {}

    def search(self) -> SearchModel | None:
        """Return the model of the property given the values of all runs; None before there are values."""
        self.searched = self._models(self.searched, imputed=True)
        return self.searched.get(self.objective.nfp)

    def judge(self) -> SearchModel | None:
        """Return the model of the property given its measured values; None before there are values."""
        if len(self.history.foreign) or any(outcome.failure is not None for outcome in self.history.outcomes):
            self.judged = self._models(self.judged, imputed=False)
        else:
            self.search()
            self.judged = self.searched
        return self.judged.get(self.objective.nfp)

    def _models(self, before: dict[str, SearchModel], *, imputed: bool) -> dict[str, SearchModel]:
        models = {}
        for nfp in self.objective.properties:
            large = self.objective.wants_large(nfp)
            if (runs := self.history.runs(nfp, large, imputed=imputed)) is not None:
                models[nfp] = SearchModel.of(runs, self.variables, large, before.get(nfp))
        return models


@dataclass(frozen=True, eq=False)
class Proposal:
    """A configuration to run."""

    configuration: Configurations  # the configuration, one row
    predicted: float  # the predicted value
    expected_gain: float | None = None  # the expected improvement on the best in percent, if it is searched


def admissible_ranking(model: SearchModel, objective: TuningObjective, history: History) -> list[int]:
    """Return the indices of the measured runs within the limits, those with the best posterior mean first."""
    ranking: list[int] = model.ranking.tolist()
    if not objective.limits:
        return ranking
    everything = history.configurations
    rows = everything.find(model.runs.configurations).tolist()
    return [index for index in ranking if objective.admissible(history, rows[index])]


def best_improvement(
    models: Mapping[str, SearchModel],
    objective: TuningObjective,
    history: History,
    source: CandidateSource,
    rng: np.random.Generator,
    *,
    doubting: bool = False,
) -> Proposal | None:
    """Return the candidate with the largest expected improvement; None if all valid configurations were run.

    Runs that were asked for and not told are believed to have their predicted values. `doubting`: whether predictions
    are as uncertain as errors at runs that are left out show, and any gain counts.
    """
    model = models[objective.nfp]
    configurations = history.configurations
    ranking = admissible_ranking(model, objective, history)
    best = model.runs.configurations[np.array((ranking or model.ranking.tolist())[:BEST])]
    candidates = source.candidates(rng, configurations, best)
    if not len(candidates):
        return None
    waiting = history.waiting(model.runs.own)
    conditioned = model.believing(waiting)
    means, deviations = conditioned.moments(candidates)
    deviations, least = (deviations * model.miss, 0.0) if doubting else (deviations, least_gain(model))
    worths = np.zeros(len(candidates))
    gain = None
    if ranking:
        level = float(model.measured[ranking].min())
        if len(waiting) and not objective.limits:
            level = min(level, float(conditioned.means(waiting).min()))
        worths += log_improvements(means, deviations, level - least)
    worths = history.with_failures(objective.with_limits(worths, models, candidates), candidates)
    # Costs are positive, so that their models predict positive ones.
    rates = worths if objective.cost is None else worths - np.log(models[objective.cost].predict(candidates))
    row = most_worth(rates, np.ones(len(candidates), dtype=bool))
    if ranking:
        now = float(model.untransformed(np.array([level]))[0])
        gain = 100 * gain_in_units(model, level, float(np.exp(worths[row]))) / abs(now) if now else math.inf
    return Proposal(candidates[[row]], float(model.untransformed(means[[row]])[0]), gain)


def most_informative(
    model: SearchModel, history: History, source: CandidateSource, rng: np.random.Generator
) -> Proposal | None:
    """Return the configuration whose run reduces the variance of predictions most; None if all were run."""
    candidates = source.draw(CANDIDATES, rng, history.configurations)
    if not len(candidates):
        return None
    pool = Pool.of(candidates)
    choice = VarianceStrategy(Surrogate(model.basis, model.parts), pool).choose()
    assert choice is not None
    configuration = pool.configurations[choice.rows]
    return Proposal(configuration, float(model.untransformed(model.means(configuration))[0]))
