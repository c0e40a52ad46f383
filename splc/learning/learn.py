"""Learn a model from measurements with any learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.observations import chosen_variables
from splc.errors import LearningError
from splc.learning.folds import Groups
from splc.learning.learner import Learner, LearningProblem, usable_rows
from splc.learning.registry import learner_of
from splc.learning.result import LearningResult, Step
from splc.types import Array, Missing


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
    on_step: Callable[[Step], None] | None = None,
    on_share: Callable[[float], None] = lambda share: None,
    should_stop: Callable[[], bool] | None = None,
    provenance: Mapping[str, Any] | None = None,
    groups: Groups | str | Sequence[Any] | Array | None = None,
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

    Returns:
        The model with its history and errors.

    Raises:
        SpecError: for an unknown learner, preset, setting, policy or observed variable.
        MeasurementError: for an unknown property.
        ConfigurationError: if a measured configuration lacks an observation that is to be learned from.
        LearningError: if a sampled configuration was not measured (missing='error') or nothing can be learned.
    """
    selected_learner = learner_of(learner, preset, settings)
    name = measurements.resolve_property(nfp)
    # The property is not used to explain itself.
    variables = tuple(
        variable for variable in chosen_variables(observed, measurements.system.observed) if variable != name
    )
    usable, rows, notes = usable_rows(measurements, name, learning_set, missing)
    judging = None if validation is None else usable_rows(measurements, name, validation, missing)[1]
    given_groups = None
    if groups is not None:
        given_groups = Groups.stated(measurements.configurations, groups)[~np.isnan(measurements.column(name))]
        if len(np.unique(given_groups.labels)) < 2:
            hint = "two groups are needed: one to learn from, and one to judge by"
            raise LearningError(f"all that was measured is one group of {given_groups.column}", hint=hint)
        if len(np.unique(given_groups.labels[rows])) < 2:
            given_groups = None
    problem = LearningProblem(
        measurements=usable,
        nfp=name,
        rows=rows,
        everything=measurements.configurations,
        observed=variables,
        evaluation=evaluation,
        validation=judging,
        seed=seed,
        on_step=on_step,
        on_share=on_share,
        should_stop=should_stop,
        provenance=provenance or {},
        notes=notes,
        given_groups=given_groups,
    )
    return selected_learner.learn(problem)
