"""Learn a performance-influence model from measurements."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from splc._version import __version__
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.observations import chosen_variables
from splc.errors import LearningError, plural
from splc.learning.features import FeatureTable, feature_table, observed_features
from splc.learning.learning_set import match
from splc.learning.result import LearningResult, Round
from splc.learning.stepwise.algorithm import Outcome, StepwiseLearner
from splc.learning.stepwise.bagging import bagged
from splc.learning.stepwise.candidates import Candidate
from splc.learning.stepwise.folds import folds_of
from splc.learning.stepwise.settings import Settings
from splc.learning.stepwise.settings import preset as preset_settings
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.system.variability import VariabilityModel
from splc.types import Array, Missing

# How notes begin that say what was left out; of a part, that is what the configurations do not have.
WITHOUT_VALUE = "left out, without a value of "
WHERE_ZERO = "left out of relative errors, where "


def learn(
    measurements: Measurements,
    nfp: str | None = None,
    preset: str = "default",
    *,
    learning_set: Configurations | Array | None = None,
    settings: Mapping[str, Any] | None = None,
    evaluation: Measurements | None = None,
    missing: Missing = "error",
    observed: Sequence[str] = (),
    seed: int = 0,
    on_round: Callable[[Round], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> LearningResult:
    """Learn a performance-influence model by feature forward selection with stepwise regression.

    Args:
        measurements: what was measured.
        nfp: the property to learn; None is the only one.
        preset: name of the settings to start from.
        learning_set: the configurations to learn from, or positions or a mask of measured configurations;
            None is all of them.
        settings: settings that differ from the preset, by SPL Conqueror's names.
        evaluation: measurements of their own to judge the model by; None is what was not learned from.
        missing: see `splc.learning.learning_set.match`.
        observed: observed variables to learn from beside the options, as names or patterns such as `C_*`.
        seed: seed of cross-validation folds and bags.
        on_round: called after every round.
        should_stop: asked after every round; true keeps what is learned and ends.
        provenance: recorded in the result.

    Returns:
        The model with its history and errors. Learning does not depend on the order of rows or options.

    Raises:
        SpecError: for an unknown preset, setting, policy or observed variable.
        MeasurementError: for an unknown property.
        ConfigurationError: if a measured configuration lacks an observation that is to be learned from.
        LearningError: if a sampled configuration was not measured (missing='error') or nothing can be learned.
    """
    chosen = preset_settings(preset).changed(settings or {})
    name = measurements.the_nfp(nfp)
    model = measurements.model
    # What is to be explained does not explain itself.
    variables = tuple(each for each in chosen_variables(observed, model.observed) if each != name)
    usable = measurements.measured(name)
    notes: list[str] = []
    if len(usable) < len(measurements):
        lacking = plural(len(measurements) - len(usable), "configuration", "configurations")
        notes.append(f"{WITHOUT_VALUE}{name}: {lacking}")
    if len(usable) == 0:
        raise LearningError(f"no configuration has a value of {name}")
    if isinstance(learning_set, Configurations):
        rows, remarks = match(usable, learning_set, missing)
        notes += remarks
    elif learning_set is None:
        rows = np.arange(len(usable))
    else:
        wanted = np.asarray(learning_set)
        picked = np.arange(len(measurements))[wanted if wanted.size else wanted.astype(np.int64)]
        there = np.flatnonzero(~np.isnan(measurements.column(name)))
        rows = np.flatnonzero(np.isin(there, picked))
    target = usable.column(name)
    zeros = int((target == 0).sum())
    if zeros:
        notes.append(f"{WHERE_ZERO}{name} is 0: {plural(zeros, 'configuration', 'configurations')}")
    started = time.monotonic()
    further = observed_features(measurements.configurations, variables)
    problem = feature_table(usable.configurations[rows], target[rows], chosen.learn_numeric_disabled, further)
    outcome = outcome_of(problem, chosen, seed, on_round, should_stop)
    seconds = time.monotonic() - started
    if chosen.bagging and chosen.crossValidation:
        notes.append("crossValidation has no effect with bagging: each model is judged by rows that it did not draw")
    if chosen.learn_accumulatedLogFunction and not chosen.learn_logFunction:
        notes.append("learn_accumulatedLogFunction has no effect without learn_logFunction")
    if len(rows) > 1 and np.ptp(target[rows]) == 0:
        notes.append(f"{name} is the same in all configurations learned from: there is nothing to explain")
    elif len(outcome.terms) >= len(rows) > 1:
        notes.append(
            f"the model has as many terms as the learning set has configurations ({len(rows)}): "
            "that it fits them says nothing about others"
        )
    learned = influence_model(outcome.terms, model)
    predicted = learned.predict(usable.configurations)
    rest = np.ones(len(usable), dtype=bool)
    rest[rows] = False
    if evaluation is not None:
        judged = evaluation.measured(name)
        error = mean_relative_error(learned.predict(judged.configurations), judged.column(name))
    else:
        error = mean_relative_error(predicted[rest], target[rest])
    return LearningResult(
        model=learned,
        rounds=outcome.rounds,
        terms=outcome.terms,
        termination=outcome.termination,
        nfp=name,
        learning_configurations=len(rows),
        learning_error=mean_relative_error(predicted[rows], target[rows]),
        error=error,
        error_all=mean_relative_error(predicted, target),
        left_out=zeros,
        base=model.base_option,
        seconds=seconds,
        preset=preset,
        settings=chosen.as_dict(),
        seed=seed,
        provenance={
            "splc": __version__,
            "system": model.name,
            **({"observed": list(variables)} if variables else {}),
            **(provenance or {}),
        },
        notes=tuple(notes),
    )


def outcome_of(
    problem: FeatureTable,
    settings: Settings,
    seed: int,
    on_round: Callable[[Round], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Outcome:
    """Return what a problem and settings give: one run, by folds where the settings ask for them, or a bag of runs."""
    if settings.bagging:
        return bagged(problem, settings, seed, should_stop)
    return StepwiseLearner(problem, settings, folds=folds_of(problem, settings, seed)).run(on_round, should_stop)


def expanded(terms: Iterable[tuple[Candidate, float]]) -> list[tuple[Term, float]]:
    """Return candidates with their influences as terms with theirs; a term may be there several times."""
    return [
        (term, influence * weight) for candidate, influence in terms for term, weight in candidate.expansion.items()
    ]


def influence_model(terms: tuple[tuple[Candidate, float], ...], model: VariabilityModel) -> InfluenceModel:
    """Return candidates with their influences as a performance-influence model, expanded to canonical terms."""
    binary = [option.name for option in model.binary_options] + list(model.switches)
    learned = InfluenceModel.from_terms(expanded(terms), model.term_order)
    return learned.reduced(binary, model.mandatory)
