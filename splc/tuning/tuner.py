"""Tuner: proposes the runs of a tuning run one after another and takes their values; `tune` runs a function with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sampling.space.ranking import best
from sampling.space.space import Space
from splc.data.configurations import Configurations, fixed_indices
from splc.errors import ConfigurationError, LearningError, MeasurementError, RequestError
from splc.learning.active import candidates
from splc.learning.active.search_model import SearchModel
from splc.learning.learner import one_thread
from splc.learning.projection import variables_of
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel, restricted
from splc.tuning.front import FrontConfiguration, FrontVerification, front_improvement, front_of
from splc.tuning.history import History, Reason, TrialOutcome, TuningTrial
from splc.tuning.objective import Goal, Limit, TuningObjective, racing_value
from splc.tuning.proposal import Proposal, TuningModels, admissible_ranking, best_improvement, most_informative
from splc.tuning.result import TuningResult, result_of
from splc.tuning.verification import LEAST_BUDGET, RUNS, Verification


def first_valid(space: Space, indices: Mapping[str, int]) -> Configurations:
    """Return the first valid configuration with some value indices: options in order, lower values first."""
    fixed = Space(restricted(space.system, indices))
    if fixed.solutions.empty:
        raise ConfigurationError("no valid configuration has the values of the default")
    solution = best(InfluenceModel(()), fixed, 1).configurations
    return Configurations(space.system, solution.indices)


FRONT_RUNS = 15  # runs that are kept back to verify a Pareto front
# Every so many steps of the search repeat the best configuration, until its runs agree; at most so many runs of it.
REPEATED_STEP, MOST_RUNS = 5, 5
# A search that is expected to gain little ends where that holds for so many steps one after the other; one that is
# expected to gain less than so many percent, at once (decision 17). So many times the number of variables must be
# measured: a model of few rows is too sure.
_STEPS, NOTHING, _ROWS = 5, 1e-6, 3
_SEARCHING = ("search", "repeat", "explore")  # the reasons of runs after the first design


class Tuner:
    """A tuning run: `ask` returns the next run, `tell` takes its value, `report` returns the result.

    The runs that are asked for depend on the seed and on the values in the order in which they were told, on nothing
    else.

    Args:
        space: the system or its valid configurations; or configurations that are all there are, such as the rows of a
            table.
        nfp: the property.
        budget: the number of runs; None: until `end_search` is called, and then those that verify.
        default: the configuration in use, as option → value; options that are not named have their first valid values.
        maximize: whether large values are good.
        further: other properties whose best values are wanted, too: the Pareto front is searched.
        limits: limits of other properties; a configuration outside of them is not the best one.
        verify: the number of runs that are kept back to verify the best configuration. None: 9 of a budget of at least
            30; fewer where repeated runs have the same value.
        explore: the share of the search that is spent on a good model of all configurations.
        until: the search ends when its runs are expected to gain less than so many percent; None: by the budget only.
        race: trials of the search state this times the best value so far as the value at which they may be ended; None:
            they have no such value.
        cost: a property that is the cost of a run; the expected improvement per cost counts. None: runs cost the same.
        seed: the seed of random draws.

    Raises:
        RequestError: if the numbers contradict each other.
        ConfigurationError: if the default is not valid.
        VariabilityError: if there is no valid configuration.

    Examples:
        >>> tuner = splc.tuning.Tuner(system, "time", budget=12)
        >>> trial = tuner.ask()
        >>> tuner.tell(trial, 7.5)
    """

    def __init__(
        self,
        space: Space | VariabilityModel | Configurations,
        nfp: str,
        budget: int | None,
        default: Mapping[str, Any] | Configurations | None = None,
        *,
        maximize: bool = False,
        further: Sequence[Goal] = (),
        limits: Sequence[Limit] = (),
        verify: int | None = None,
        explore: float = 0.0,
        until: float | None = None,
        race: float | None = None,
        cost: str | None = None,
        seed: int = 0,
    ) -> None:
        if budget is not None and budget < 1:
            raise RequestError(f"the budget is a positive number of runs, not {budget}", "budget")
        if verify is not None and not 0 <= verify < (budget or math.inf):
            raise RequestError(f"{verify} of {budget} runs cannot be kept back to verify", "verify")
        if not 0 <= explore <= 1:
            raise RequestError(f"a share is between 0 and 1, not {explore:g}", "explore")
        if race is not None and (maximize or not race > 1):
            reason = "only small values can be raced" if maximize else f"a factor above 1 is needed, not {race:g}"
            raise RequestError(reason, "race")
        if further and (race is not None or until is not None):
            raise RequestError("a Pareto front has no best value", "race" if until is None else "until")
        if not isinstance(space, Space | Configurations):
            space = Space(space)
        self.system = space.system
        self.variables = variables_of(self.system)
        self.source = candidates.source_of(space, self.variables)
        self.objective = TuningObjective(nfp, maximize, tuple(limits), cost, tuple(further))
        self.budget, self.verify, self.explore, self.seed = budget, verify, explore, seed
        self.until, self.race = until, race
        self.history = History(self.system)
        self.default = None if default is None else self._default(space, default)
        self.models = TuningModels(self.history, self.objective, self.variables)
        self._verification: Verification | FrontVerification | None = None
        self._search_ended = False
        # Whether the search ended since no configuration was expected to be better.
        self.nothing_expected = False

    def _default(self, space: Space | Configurations, default: Mapping[str, Any] | Configurations) -> Configurations:
        if isinstance(default, Configurations):
            configuration = Configurations(self.system, default.indices)
        elif isinstance(space, Space):
            configuration = first_valid(space, fixed_indices(space.system, default))
        else:
            configuration = Configurations.from_columns(self.system, {name: [value] for name, value in default.items()})
        if not self.source.valid(configuration).all():
            raise ConfigurationError("the default is not one of the valid configurations")
        return configuration

    @property
    def done(self) -> bool:
        """True if no further run is needed."""
        return not self.history.pending and self._verification is not None and self._verification.ended

    @property
    def reserve(self) -> int:
        """The number of runs that are reserved for the verification."""
        if self.verify is not None:
            return self.verify
        if self.objective.further:
            return 0 if self.budget is not None and self.budget < LEAST_BUDGET else FRONT_RUNS
        if self.budget is not None and self.budget < LEAST_BUDGET:
            return 0
        if self.history.is_exact(self.objective.nfp):
            # A run of the winner, of the sparse one and of the default: further ones add no information.
            return 1 if self.default is None else 3
        return RUNS

    def ask(self) -> TuningTrial | None:
        """Return the next run; None if there is none, or none before a pending run ends (see `done`)."""
        with one_thread():
            trial = self._next()
        if trial is not None:
            self.history.trials.append(trial)
        return trial

    @property
    def searches(self) -> bool:
        """True if the search for better configurations continues."""
        return self._verification is None and not self._search_ended and self._left > self.reserve

    @property
    def _left(self) -> float:
        return math.inf if self.budget is None else self.budget - len(self.history.trials)

    def end_search(self) -> None:
        """End the search before its budget; the runs that verify are still proposed."""
        self._search_ended = True

    def extend(self, budget: int | None) -> None:
        """Continue the search with a larger budget.

        What was found is verified again: runs that verified before are runs of the search from now on, since they help
        to choose the winner.

        Args:
            budget: the number of all runs; None: until `end_search` is called again.
        """
        self.budget, self.history.verified = budget, len(self.history.trials)
        self._verification, self._search_ended, self.nothing_expected = None, False, False

    def _next(self) -> TuningTrial | None:
        gains = [trial.expected_gain for trial in self.history.trials if trial.expected_gain is not None][-_STEPS:]
        if self.until is not None and self._is_sure and len(gains) == _STEPS and max(gains) < self.until:
            self.end_search()
        if self.searches:
            trial = self._search_trial()
            if trial is not None:
                return trial
        if self._verification is None:
            if self.history.pending:
                # All runs of the search choose the finalists.
                return None
            judge, runs = self.models.judge(), int(min(self._left, self.reserve))
            if self.objective.further:
                row = None if self.default is None else self.history.row_of(self.default)
                self._verification = FrontVerification.of(self.history, self.objective, self.models.judged, row, runs)
            else:
                working = self._working.valid
                self._verification = Verification.of(self.history, self.objective, judge, self.default, runs, working)
        chosen = None if self._verification.ended else self._verification.next(self.models.judge)
        return None if chosen is None else self.trial(*chosen)

    def _search_trial(self) -> TuningTrial | None:
        """Return the next run of the search; None if all valid configurations were run."""
        history = self.history
        if self.default is not None and not any(trial.why == "default" for trial in history.trials):
            return self.trial("default", history.row_of(self.default))
        if not self._steps() and (row := self._covering(needed=True)) is not None:
            return self.trial("cover", row)
        if (model := self.models.search()) is None:
            # No run has a value yet.
            row = self._covering(needed=False)
            return None if row is None else self.trial("cover", row)
        if (repeated := self._repeated(model)) is not None:
            return self.trial("repeat", repeated)
        steps = self._steps()
        rng = self.generator(len(history.trials))
        exploring = math.floor((steps + 1) * self.explore) > math.floor(steps * self.explore)
        proposal: Proposal | None
        more = (self.objective, history, self._working, rng)
        if exploring:
            proposal = most_informative(model, history, self._working, rng)
        elif self.objective.further:
            proposal = front_improvement(self.models.searched, *more)
        else:
            proposal = best_improvement(self.models.searched, *more)
            if self._is_useless(proposal) and history.failed and self.models.judge() is not None:
                # What is the best by the measured values alone is not left untried because others failed.
                proposal = best_improvement(self.models.judged, *more)
            if self._is_useless(proposal):
                proposal = best_improvement(self.models.searched, *more, doubting=True)
            self.nothing_expected = self._is_useless(proposal)
        if proposal is None or self.nothing_expected:
            return None
        row = history.row_of(proposal.configuration)
        why: Reason = "explore" if exploring else "search"
        return self.trial(why, row, proposal.predicted, proposal.expected_gain)

    def _is_useless(self, proposal: Proposal | None) -> bool:
        """Return whether a run is expected to gain nothing, and is not wanted for the model either."""
        gain = None if proposal is None else proposal.expected_gain
        return not self.explore and self._is_sure and gain is not None and gain < NOTHING

    @property
    def _is_sure(self) -> bool:
        return len(self.history.configurations) >= _ROWS * len(self.variables)

    @property
    def _working(self) -> candidates.CandidateSource:
        """The valid configurations without those that failed, and without values with which all runs failed."""
        failures = self.history.failures
        return self.source if failures is None else replace(self.source, fail=failures.expected)

    def _covering(self, *, needed: bool) -> int | None:
        """Return a configuration unlike those before; None without one, or if `needed` and the first design is done."""
        history, count = self.history, self.source.count
        most = candidates.COVERING_DRAWS
        some = most if count is None else min(most, max(candidates.LEAST_DRAWS, count // 3))
        pool = self._working.draw(some, self.generator(len(history.trials)), history.configurations)
        cells, pool_cells = (candidates.cells_of(self.variables, rows) for rows in (history.configurations, pool))
        if not len(pool) or (needed and candidates.is_covered(cells, pool_cells, self.budget or 2 * candidates.MOST)):
            return None
        return history.row_of(pool[[candidates.covering_row(cells, pool_cells)]])

    def _steps(self) -> int:
        """Return the number of runs after the first design."""
        return sum(trial.why in _SEARCHING for trial in self.history.trials)

    def _repeated(self, model: SearchModel) -> int | None:
        """Return the configuration to run again, None if none should be."""
        # Of several properties no single configuration is the best one.
        if self.objective.further or (self._steps() + 1) % REPEATED_STEP or self.history.agrees(self.objective.nfp):
            return None
        if not (ranking := admissible_ranking(model, self.objective, self.history)):
            return None
        row = self.history.row_of(model.runs.configurations[ranking[:1]])
        waits = any(trial.row == row for trial in self.history.pending)
        return None if waits or self.history.asked(row) >= MOST_RUNS else row

    def trial(self, why: Reason, row: int, predicted: float | None = None, gain: float | None = None) -> TuningTrial:
        """Return the next trial."""
        raced = self.race is not None and why in ("cover", "search", "explore")
        most = racing_value(self.history, self.objective, self.race or 0.0) if raced else None
        number, configuration = len(self.history.trials) + 1, self.history.configurations[[row]].assignments()[0]
        return TuningTrial(number, why, configuration, row, self.history.asked(row), predicted, gain, most)

    def generator(self, step: int) -> np.random.Generator:
        """Return the random generator of a step."""
        return np.random.Generator(np.random.PCG64([self.seed, step]))

    def tell(
        self,
        trial: TuningTrial | Mapping[str, Any],
        value: float | Mapping[str, float] | None = None,
        *,
        failed: str | None = None,
        at_least: float | None = None,
        context: str | None = None,
    ) -> None:
        """Take the result of a run.

        Args:
            trial: what `ask` returned; or a configuration as option → value, for a run that was not asked for.
            value: the value of the property, or property → value.
            failed: why the run failed, or was ended; None if it did not.
            at_least: the least value that an ended run would have had; such a run did not fail.
            context: another context that the value is of, such as an older version: the search learns from it, and it
                is not the best one. None: it is of the system that is tuned.

        Raises:
            MeasurementError: if neither or both are given, a value is missing or not finite, or the trial was told.
            ConfigurationError: if it is not a configuration of the system.
        """
        if (value is None) == (failed is None):
            raise MeasurementError("a run has either a value or a reason why it failed")
        values = {} if value is None else self.objective.values_of(value)
        pending = trial if isinstance(trial, TuningTrial) else None
        if pending is not None:
            if pending not in self.history.pending:
                raise MeasurementError(f"run {pending.number} was told already, or not asked for")
            row = pending.row
        else:
            assert not isinstance(trial, TuningTrial)
            columns = {name: [math.nan if value is None else value] for name, value in trial.items()}
            configuration = Configurations.from_columns(self.system, columns)
            if context is not None:
                if values:
                    self.history.foreign.add(context, configuration, values)
                return
            row = self.history.row_of(configuration)
        self.history.outcomes.append(TrialOutcome(row, values, failed, at_least, pending))

    def report(self) -> TuningResult:
        """Return the result so far.

        Raises:
            LearningError: if no run has a value.
        """
        with one_thread():
            model, judge = self.models.search(), self.models.judge()
            if model is None or judge is None:
                raise LearningError("no run has a value", hint="see why the runs failed")
            verification, front = self._verification, tuple[FrontConfiguration, ...]()
            winner = verification.chosen(judge) if isinstance(verification, Verification) else None
            if self.objective.further:
                verified = verification.rows if isinstance(verification, FrontVerification) else ()
                front = front_of(self.history, self.objective, self.models.judged, verified)
                winner = self.history.row_of(front[0].configuration) if front else None
            parts = (self.history, self.objective, self.models.judged, self.default, winner, self.seed, model)
            return replace(result_of(*parts, self._working.valid), front=front)


def tune(
    space: Space | VariabilityModel,
    function: Callable[[Mapping[str, float | None]], float | Mapping[str, float]],
    nfp: str,
    budget: int,
    default: Mapping[str, Any] | None = None,
    **settings: Any,
) -> TuningResult:
    """Return the best configuration that a function finds with a number of runs.

    Args:
        space: the system or its valid configurations.
        function: returns the value of a configuration (option → value), or property → value. An error that it raises
            is a failed run; `TimeoutError` and others that derive from `Exception` are.
        nfp: the property.
        budget: the number of calls.
        default: the configuration in use.
        settings: further arguments of `Tuner`.

    Raises:
        LearningError: if every call fails.

    Examples:
        >>> found = splc.tune(system, lambda options: 8 / options["threads"] + options["tls"], "time", budget=12)
        >>> found.best.configuration.assignment(0)
        {'tls': 0.0, 'cache': 1.0, 'threads': 8.0}
    """
    tuner = Tuner(space, nfp, budget, default, **settings)
    while (trial := tuner.ask()) is not None:
        try:
            value = function(trial.configuration)
        except Exception as error:
            tuner.tell(trial, failed=f"{type(error).__name__}: {error}")
        else:
            tuner.tell(trial, value)
    return tuner.report()
