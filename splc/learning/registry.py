"""The table of learners, what learns a model with any of them, and the search of their settings by cross-validation.

The search is `learn-splconqueror-opt` in SPL Conqueror.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sampling.draws import distinct_ranks
from splc.data.configurations import Configurations, chosen_variables
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problem, SpecError, SplcError, plural, require_kind, unknown_name_hint
from splc.io.settings import Setting, settings_in
from splc.learning.baselines import SETTINGS as BASELINE_SETTINGS
from splc.learning.baselines import BaselineLearner
from splc.learning.blocks import estimated, groups_of, settings_of, with_labels
from splc.learning.folds import Groups
from splc.learning.learner import Learner, LearningProblem, OnStep, cross_validate, one_thread, usable_rows
from splc.learning.result import LearningResult, Predictor
from splc.learning.stepwise.algorithm import StepwiseLearner
from splc.learning.stepwise.settings import PRESETS, SPLCONQUEROR, SPLCONQUEROR_2019, Settings, is_setting
from splc.types import Array, Missing

PROJECTION = "projection"
STEPWISE = "stepwise"
PMNF = "pmnf"
DEFAULT = PROJECTION


@dataclass(frozen=True)
class LearnerKind:
    """A kind of learner."""

    settings: Mapping[str, Setting]  # its settings by name
    make: Callable[[str, Mapping[str, Any]], Learner]  # returns a learner of a preset with settings that differ from it
    presets: tuple[str, ...] = ("default",)  # the names of its presets


def _projection() -> LearnerKind:
    from splc.learning.projection import ProjectionLearner, ProjectionSettings

    settings = settings_in(ProjectionSettings)
    return LearnerKind(settings, lambda _, changes: ProjectionLearner(ProjectionSettings.of(changes)))


def _pmnf() -> LearnerKind:
    from splc.learning.given_forms import PmnfLearner
    from splc.scaling.methods import SETTINGS, parsed_settings

    return LearnerKind(SETTINGS, lambda _, settings: PmnfLearner(parsed_settings(settings)), ("default", PMNF))


def _baseline(name: str) -> LearnerKind:
    return LearnerKind(BASELINE_SETTINGS[name], lambda _, settings: BaselineLearner(name, settings))


BASELINES = tuple(BASELINE_SETTINGS)  # predictors of scikit-learn, which have no terms
# The kinds projection and pmnf are imported on first use.
LEARNERS: Mapping[str, Callable[[], LearnerKind]] = {
    PROJECTION: _projection,
    STEPWISE: lambda: LearnerKind(settings_in(Settings), StepwiseLearner, tuple(PRESETS)),
    PMNF: _pmnf,
    **{name: partial(_baseline, name) for name in BASELINES},
}


def learner_name(name: str | None, preset: str | None = None) -> str:
    """Return the name of a learner; None is the default, or SPL Conqueror's algorithm if the preset is its own."""
    return name or (STEPWISE if preset in (SPLCONQUEROR, SPLCONQUEROR_2019) else DEFAULT)


def own_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of several learners' settings that a learner has; a project file may state all of them."""
    return {key: value for key, value in settings.items() if name in owners(key)}


def owners(setting: str) -> list[str]:
    """Return those of the learners projection and stepwise that have a setting."""
    from splc.learning.projection import ProjectionSettings

    has = {PROJECTION: setting in ProjectionSettings.__dataclass_fields__, STEPWISE: is_setting(setting)}
    return [name for name, owned in has.items() if owned]


# How the learner that has a setting is chosen.
_CHOSEN_BY = {PROJECTION: f"--learner {PROJECTION}", STEPWISE: f"--preset {SPLCONQUEROR}"}


def learner_of(
    name: str | Learner | None, preset: str | None = None, settings: Mapping[str, Any] | None = None
) -> Learner:
    """Return a learner with its settings.

    Args:
        name: its name in the table; None is the default, see `learner_name`. A learner is returned as it is.
        preset: name of the settings to start from; None is 'default', which every learner has.
        settings: settings that differ, as values or texts.

    Raises:
        SpecError: for an unknown learner, preset or setting.

    Examples:
        >>> type(splc.learning.learner_of("stepwise")).__name__
        'StepwiseLearner'
    """
    if not isinstance(name, str | None):
        return name
    name = learner_name(name, preset)
    if name not in LEARNERS:
        raise SpecError(f"unknown learner {name!r}", hint=unknown_name_hint(name, list(LEARNERS)))
    if name in _CHOSEN_BY:
        foreign_settings = [(key, owner) for key in settings or {} for owner in owners(key) if name not in owners(key)]
        if foreign_settings:
            raise SpecError(
                Problem(f"the learner {name} has no setting {key!r}", hint=f"{_CHOSEN_BY[owner]} has it")
                for key, owner in foreign_settings
            )
    kind, preset = LEARNERS[name](), preset or "default"
    if preset not in kind.presets:
        hint = f"--preset {SPLCONQUEROR} without --learner is SPL Conqueror's algorithm"
        if preset not in PRESETS:
            hint = unknown_name_hint(preset, [*dict.fromkeys((*kind.presets, *PRESETS))])
        raise SpecError(f"the learner {name} has no preset {preset!r}", hint=hint)
    return kind.make(preset, settings or {})


def learn(
    measurements: Measurements,
    nfp: str | None = None,
    preset: str | None = None,
    *,
    learner: str | Learner | None = None,
    learning_set: Configurations | Array | None = None,
    settings: Mapping[str, Any] | None = None,
    evaluation: Measurements | None = None,
    validation: Array | None = None,
    missing: Missing = "error",
    observed: str | Sequence[str] = (),
    seed: int = 0,
    on_step: OnStep | None = None,
    on_share: Callable[[float], None] = lambda share: None,
    should_stop: Callable[[], bool] | None = None,
    provenance: Mapping[str, Any] | None = None,
    groups: Groups | str | Sequence[Any] | Array | None = None,
    block: str | None = None,
) -> LearningResult:
    """Learn a model of a property.

    Args:
        measurements: what was measured.
        nfp: the property to learn; None is the only one.
        preset: name of the settings to start from; 'splconqueror' is SPL Conqueror's algorithm.
        learner: a name in `splc.learning.registry.LEARNERS`, or a learner with its settings; None is the default, or
            the one of the preset.
        learning_set: the configurations to learn from, or positions or a mask of measured configurations;
            None is all of them.
        settings: settings that differ from the preset, by name.
        evaluation: further measurements to judge the model by; None is what was not learned from.
        validation: positions or a mask of measured configurations that the learner stepwise judges candidates by, as
            SPL Conqueror does with its validation set; None is the learning set.
        missing: see `splc.learning.learner.match`.
        observed: observed variables to learn from besides the options, as names or patterns such as `C_*`.
        seed: seed of whatever the learner draws.
        on_step: called after every step: a round, or a stage of a learner that has no rounds.
        on_share: called with the expected share of the work that is done, by learners that can tell.
        should_stop: asked after every step; true keeps what is learned and ends.
        provenance: recorded in the result.
        groups: rows that folds keep together: those with the same value of this option, or with the same label of these
            ones, one for each measured configuration; None: equal settings of all options but some, if these repeat.
        block: a property that numbers the blocks of runs (`mpirun`, day, node): values are adjusted by their effects,
            and errors and intervals are those of a run in a new block.

    Returns:
        The model with its history and errors.

    Raises:
        SpecError: for an unknown learner, preset, setting, policy or observed variable.
        MeasurementError: for an unknown property.
        ConfigurationError: if a measured configuration lacks an observation that is to be learned from.
        LearningError: if a sampled configuration was not measured (missing='error') or nothing can be learned.

    Examples:
        >>> splc.learning.learn(measured, "time", seed=1).learning_configurations
        16
    """
    selected_learner = learner_of(learner, preset, settings)
    require_kind(measurements, Measurements, "splc.learn learns from a table")
    name = measurements.resolve_property(nfp)
    # The property is not used to explain itself.
    variables = tuple(
        variable for variable in chosen_variables(observed, measurements.system.observed) if variable != name
    )
    blocks = None
    if block is None:
        usable, rows, notes = usable_rows(measurements, name, learning_set, missing)
    elif groups is not None:
        raise SpecError("folds keep the runs of a block together", hint="leave groups or block out")
    else:
        from splc.learning.projection import covariance_of

        measurements, labels, unlabelled = with_labels(measurements, name, block)
        usable, rows, notes = usable_rows(measurements, name, learning_set, missing)
        labels, learned, values = labels[(labels >= 0).any(axis=1)], usable[rows], usable.repetitions(name)
        same, remarks = settings_of(block, labels[rows], learned.configurations)
        with one_thread():
            counts = (labels[rows] >= 0).sum(axis=1)
            order, covariance = covariance_of(learned.configurations, learned.column(name), counts)
            blocks = estimated(block, values, labels, rows[order], same[order], covariance)
        usable = replace(usable, values={**usable.values, name: blocks.adjusted(values)})
        notes, provenance = (*notes, *unlabelled, *remarks), {**(provenance or {}), "blocks": blocks.facts}
    judging = None if validation is None else usable_rows(measurements, name, validation, missing)[1]
    given_groups = None
    if groups is not None:
        given_groups = Groups.stated(measurements.configurations, groups)[~np.isnan(measurements.column(name))]
        if len(np.unique(given_groups.labels)) < 2:
            hint = "two groups are needed: one to learn from, and one to judge by"
            raise LearningError(f"all that was measured is one group of {given_groups.column}", hint=hint)
        if len(np.unique(given_groups.labels[rows])) < 2:
            given_groups = None
    elif blocks is not None:
        given_groups = groups_of(blocks.labels, blocks.column)
    problem = LearningProblem(
        measurements=usable,
        nfp=name,
        rows=rows,
        everything=measurements.configurations,
        observed=variables,
        evaluation=evaluation,
        validation=judging,
        seed=seed,
        on_step=on_step or (lambda step: None),
        on_share=on_share,
        should_stop=should_stop or (lambda: False),
        provenance=provenance or {},
        notes=notes,
        given_groups=given_groups,
        blocks=blocks,
    )
    return selected_learner.learn(problem)


MOST = 100_000  # the most combinations of settings that are tried


def search_settings(
    measurements: Measurements,
    nfp: str,
    values: Mapping[str, Sequence[Any]],
    rows: Array,
    *,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    folds: int = 5,
    samples: int | None = None,
    seed: int = 0,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[tuple[dict[str, Any], float | None]]:
    """Return combinations of settings with the mean errors of their models on held-out folds, in percent.

    An error is None where nothing can be learned. `values`: setting → the values to try. `rows`: the positions of the
    learning set. `samples`: the number of combinations to draw; None: all. `should_stop`: asked before each of them.
    """
    combinations = combinations_of(values, samples, seed)
    # Wrong values are refused before anything is tried.
    learners = [learner_of(None, preset, {**(settings or {}), **combination}) for combination in combinations]
    trials, reasons = list[tuple[dict[str, Any], float | None]](), set[str]()
    for combination, learner in zip(combinations, learners, strict=True):
        if should_stop():
            break

        def learned(part: Array, learner: Learner = learner) -> list[Predictor]:
            return [learn(measurements, nfp, learner=learner, learning_set=part, seed=seed).predictor]

        error, reason = None, "no measured value is usable"
        try:
            with one_thread():
                (error,) = cross_validate(measurements, nfp, np.sort(rows), folds, seed, learned) or [None]
        except SplcError as problem:
            reason = problem.problems[0].message
        trials.append((combination, None if error is None else error.mean))
        reasons |= {reason} if error is None else set()
    if all(error is None for _, error in trials):
        if should_stop():
            raise KeyboardInterrupt("before the first trial of settings ended")
        message = f"none of {plural(len(trials), 'trial', 'trials')} of settings has an error"
        raise LearningError(Problem(f"{message}: {'; '.join(sorted(reasons))}"))
    return trials


def combinations_of(values: Mapping[str, Sequence[Any]], samples: int | None, seed: int) -> list[dict[str, Any]]:
    """Return the combinations to try, in the order of the values."""
    empty = [name for name, items in values.items() if not len(items)]
    if empty or not values:
        raise SpecError(f"no values to try{f' for {empty[0]}' if empty else ''}", hint="name=[v1,v2]")
    choices = {name: list({repr(value): value for value in items}.values()) for name, items in values.items()}
    total = math.prod(len(items) for items in choices.values())
    if min(total, samples or total) > MOST:
        hint = f"draw some of them with samples, at most {MOST:,}"
        raise SpecError(f"{total:,} combinations of settings are too many", hint=hint)
    ranks: Iterable[int] = range(total)
    if samples is not None and samples < total:
        ranks = sorted(distinct_ranks(total, samples, np.random.Generator(np.random.PCG64(seed))))
    combinations = []
    for rank in ranks:
        combination = {}
        # The last setting changes fastest.
        for name, items in reversed(choices.items()):
            rank, at = divmod(rank, len(items))
            combination[name] = items[at]
        combinations.append({name: combination[name] for name in choices})
    return combinations
