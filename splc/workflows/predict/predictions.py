"""Predictions of configurations by a stored model, their intervals, and which of them are extrapolations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations, value_indices, value_table
from splc.data.observations import Observed
from splc.errors import ConfigurationError, Problem, listed, plural
from splc.formats.measurements.prediction_inputs import PredictionInputs
from splc.formats.models.read import StoredModel
from splc.learning.full_predictor import FullPredictor
from splc.models.influence import EvaluationError
from splc.project import Project
from splc.system.extension import open_options
from splc.system.units import unit_remark
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.note import Note, Notes
from splc.workflows.verb import Watch

# Configurations that are predicted between two reports of progress.
BLOCK = 8192


@dataclass(frozen=True, eq=False)
class PredictionIntervals:
    """The intervals of predictions."""

    level: float  # the probability that a measured value lies inside
    low: Array  # the lower ends, shape (n,)
    high: Array  # the upper ends, shape (n,)
    covered: float | None  # the fraction of the measured runs that lie inside, None where nothing was measured


def extrapolated_of(rows: PredictionInputs, system: VariabilityModel, notes: Notes) -> Array:
    """Return which configurations have unlisted values, and note how far these are from the listed ones."""
    mask = np.zeros(len(rows.configurations), dtype=bool)
    texts = []
    outside = False
    word = "known" if system.inferred else "listed"
    for option in open_options(system):
        values = rows.configurations.value(option.name)
        unlisted = ~np.isnan(values) & (value_indices(option, values) < 0)
        mask |= unlisted
        if unlisted.any():
            known = value_table(option)
            low, high = np.nanmin(known), np.nanmax(known)
            beyond = unlisted & ((values < low) | (values > high))
            numbers = np.unique(values[unlisted]).tolist()
            outside |= bool(beyond.any())
            position = f"{beyond.sum():,} beyond" if beyond.any() else "all between"
            text = f"{option.name} = {listed([f'{value:g}' for value in numbers], 6)}"
            unit = unit_remark(known[~np.isnan(known)].tolist(), numbers) if unlisted.all() else None
            texts.append(f"{text} ({word} are {low:g} to {high:g}; {position}{f'; {unit}' if unit else ''})")
    if texts:
        count = plural(int(mask.sum()), "configuration has", "configurations have")
        kind = "extrapolations" if outside else f"interpolations between {word} values"
        source = "that were not learned from" if system.inferred else "that the description does not list"
        text = (
            f"{count} values {source}: their predictions are {kind}, for which neither "
            "the error of the model nor the level of its intervals is known"
        )
        notes.append(Note(text, warning=outside or not system.inferred, details=tuple(texts)))
    return mask


def _with_observed(
    stored: StoredModel, project: Project, rows: PredictionInputs, system: VariabilityModel
) -> Configurations:
    """Return configurations with their observed variables, unless some have unlisted values.

    They are those of the project; without one, the table's own columns, or those of what the model was learned from.
    """
    configurations = rows.configurations
    if configurations.system.options != system.options:
        return configurations
    if project.observations is not None or not system.observed:
        return project.with_observed(configurations)
    used = (*stored.model.options, *(stored.full.options if isinstance(stored.full, FullPredictor) else ()))
    names = [name for name in system.observed if name in used]
    if names and all(name in rows.columns for name in names):
        observed = Observed({name: rows.columns[name] for name in names}, np.ones(len(configurations), dtype=bool))
        return Configurations(replace(system, observed=tuple(names)), configurations.indices, observed)
    if not isinstance(stored.full, FullPredictor):
        return configurations
    return configurations.with_observed(stored.full.configurations)


def predictions_of(
    file: str,
    stored: StoredModel,
    project: Project,
    rows: PredictionInputs,
    system: VariabilityModel,
    notes: Notes,
    watch: Watch,
) -> Array:
    """Return the predictions: of the printed model where the full one has none."""
    configurations = _with_observed(stored, project, rows, system)
    without = ~_defined(configurations, system)
    try:
        if stored.full is None:
            return stored.model.predict(configurations)
        predicted = np.full(len(configurations), np.nan)
        if without.any():
            predicted[without] = stored.model.predict(configurations)[without]
            count = plural(int(without.sum()), "configuration", "configurations")
            text = (
                f"the full model has logarithms of options that are not positive in {count}: the printed one predicts"
            )
            notes.append(Note(f"{text} there, without an interval"))
        defined = np.flatnonzero(~without)
        for start in range(0, len(defined), BLOCK):
            watch.advance(start, len(defined), f"predicting {len(defined):,} configurations")
            block = defined[start : start + BLOCK]
            predicted[block] = stored.full.predict(configurations[block])
        return predicted
    except EvaluationError as failure:
        hint = "; ".join(filter(None, (failure.advice, f"the model is {file}")))
        line = int(rows.lines[failure.row])
        raise ConfigurationError(Problem(failure.what, rows.report.source, line, hint=hint)) from None


def intervals_of(
    stored: StoredModel, project: Project, rows: PredictionInputs, system: VariabilityModel
) -> PredictionIntervals | None:
    """Return the intervals of the predictions, and how many measured values lie inside."""
    if stored.intervals is None:
        return None
    configurations = _with_observed(stored, project, rows, system)
    low, high = np.full(len(configurations), np.nan), np.full(len(configurations), np.nan)
    defined = _defined(configurations, system)
    if defined.any():
        low[defined], high[defined] = stored.intervals.interval(configurations[defined])
    covered = None
    if rows.runs is not None:
        mask = ~np.isnan(rows.runs) & ~np.isnan(low)[:, None]
        inside = (low[:, None] <= rows.runs) & (rows.runs <= high[:, None])
        covered = float(inside[mask].mean()) if mask.any() else None
    return PredictionIntervals(stored.intervals.level, low, high, covered)


def _defined(configurations: Configurations, system: VariabilityModel) -> Array:
    """Return where full models have values: they use logarithms of options whose listed values are positive."""
    defined = np.ones(len(configurations), dtype=bool)
    for option in system.numeric_options:
        if option.values[0] > 0:
            defined &= ~(configurations.value(option.name) <= 0)
    return defined
