"""Search of a learner's settings by cross-validation (`learn-splconqueror-opt` in SPL Conqueror)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from sampling.draws import distinct_ranks
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problem, SpecError, SplcError, plural
from splc.io.numbers import percentage
from splc.io.processes import in_processes
from splc.learning.folds import CrossValidated, Groups
from splc.learning.judging import cross_validate
from splc.learning.learner import Learner, one_thread
from splc.learning.registry import learn, learner_of
from splc.learning.result import Predictor
from splc.types import Array

FOLDS = 5
# The most combinations that are tried.
MOST = 100_000

# Called with the number of finished trials and the number of all trials.
OnTrial = Callable[[int, int], None]
# Settings of the printed model of the default learner.
PRINTED = frozenset(("terms", "readable", "form", "order"))


@dataclass(frozen=True)
class Trial:
    """Settings that were tried."""

    settings: Mapping[str, Any]  # setting → its value
    # the cross-validated error, None where nothing could be learned or no measured value is usable
    error: CrossValidated | None
    reason: str | None = None  # why there is no error


@dataclass(frozen=True)
class SettingsSearch:
    """The settings that were tried, and the best ones."""

    trials: tuple[Trial, ...]  # the trials, in the order of the values
    best: Trial  # the trial with the least mean error; of equal ones the first
    combinations: int  # the number of all combinations, of which the trials may be a random part
    folds: int  # the number of folds
    seed: int  # the seed of folds and drawn combinations


def search_settings(
    measurements: Measurements,
    nfp: str,
    values: Mapping[str, Sequence[Any]],
    *,
    learner: str | None = None,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    learning_set: Array | None = None,
    observed: Sequence[str] = (),
    folds: int = FOLDS,
    samples: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    on_trial: OnTrial = lambda trials_done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    groups: Groups | None = None,
) -> SettingsSearch:
    """Try combinations of settings; the least mean error on held-out folds of the learning set wins.

    Args:
        measurements: what was measured.
        nfp: the property.
        values: setting → the values to try.
        learner: the name of the learner; None is the default, or the one of the preset.
        preset: name of the settings to start from.
        settings: settings that differ from the preset in every trial.
        learning_set: the positions of the learning set among the measurements; None is all of them.
        observed: observed variables to learn from.
        folds: the number of folds, the same ones in every trial.
        samples: the number of combinations to draw; None is all of them.
        seed: the seed of folds, drawn combinations and learners.
        jobs: number of processes; the result does not depend on it.
        on_trial: called after every trial.
        should_stop: asked before every trial; true ends the search with the trials finished so far.
        groups: the groups of all measurements that folds keep together; None: those of settings that repeat.

    Raises:
        SpecError: for an unknown setting, a wrong value, or too many combinations.
        LearningError: if nothing can be learned with any settings.
        KeyboardInterrupt: if the search was interrupted, or stopped while no trial had an error.
    """
    usable = np.flatnonzero(~np.isnan(measurements.column(nfp)))
    rows = usable if learning_set is None else np.intersect1d(np.asarray(learning_set), usable)
    combinations, total = combinations_of(values, samples, seed)
    learners = [learner_of(learner, preset, {**(settings or {}), **combination}) for combination in combinations]
    # Settings of the printed model do not change what the full model predicts.
    printed = not PRINTED.isdisjoint(values)

    def error_of(chosen: Learner) -> tuple[CrossValidated | None, str | None]:
        """Return the cross-validated error of a learner, or of its printed model, or why there is none."""

        def learned(part: Array) -> list[Predictor]:
            result = learn(measurements, nfp, learner=chosen, learning_set=part, observed=observed, seed=seed)
            return [result.of_printed.predictor if printed else result.predictor]

        try:
            with one_thread():
                found = cross_validate(measurements, nfp, rows, folds, seed, learned, groups=groups)
        except SplcError as error:
            return None, error.problems[0].message
        return (found[0], None) if found and found[0] else (None, "no measured value is usable")

    calls = (partial(error_of, chosen) for chosen in learners if not should_stop())
    trials = []
    try:
        for combination, (error, reason) in zip(combinations, in_processes(calls, max(1, jobs)), strict=False):
            trials.append(Trial(combination, error, reason))
            on_trial(len(trials), len(combinations))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interruption_text(trials, len(combinations))) from None
    if all(trial.error is None for trial in trials):
        if should_stop():
            raise KeyboardInterrupt(_interruption_text([], len(combinations)))
        reasons = {trial.reason for trial in trials if trial.reason}
        message = f"none of {plural(len(trials), 'trial', 'trials')} of settings has an error"
        raise LearningError(Problem(f"{message}: {'; '.join(sorted(reasons))}" if reasons else message))
    return SettingsSearch(tuple(trials), min(trials, key=_mean_error), total, min(folds, len(rows)), seed)


def _mean_error(trial: Trial) -> float:
    return math.inf if trial.error is None else trial.error.mean


def _interruption_text(trials: Sequence[Trial], total: int) -> str:
    """Return the result of a search that is interrupted, for a message."""
    if all(trial.error is None for trial in trials):
        return "before the first trial of settings ended"
    best = min(trials, key=_mean_error)
    settings = ", ".join(f"{name}={value}" for name, value in best.settings.items())
    error = percentage(_mean_error(best))
    return f"after {len(trials)} of {total:,} trials of settings; the best: {settings} (error {error})"


def combinations_of(
    values: Mapping[str, Sequence[Any]], samples: int | None, seed: int
) -> tuple[list[dict[str, Any]], int]:
    """Return the combinations to try, in the order of the values, and the number of all combinations."""
    empty = [name for name, items in values.items() if not len(items)]
    if empty or not values:
        raise SpecError(f"no values to try{f' for {empty[0]}' if empty else ''}", hint="name=[v1,v2]")
    choices = {name: list({repr(value): value for value in items}.values()) for name, items in values.items()}
    total = math.prod(len(items) for items in choices.values())
    if min(total, samples or total) > MOST:
        hint = f"draw some of them with samples, at most {MOST:,}"
        raise SpecError(f"{total:,} combinations of settings are too many", hint=hint)
    if samples is None or samples >= total:
        return [dict(zip(choices, items, strict=True)) for items in product(*choices.values())], total
    combinations = []
    for rank in sorted(distinct_ranks(total, samples, np.random.Generator(np.random.PCG64(seed)))):
        combination = {}
        # The last setting changes fastest.
        for name, items in reversed(choices.items()):
            rank, at = divmod(rank, len(items))
            combination[name] = items[at]
        combinations.append({name: combination[name] for name in choices})
    return combinations, total
