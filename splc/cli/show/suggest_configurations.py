"""The output of `splc suggest` for described systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from splc.cli.show.blocks import counted
from splc.cli.terminal import note
from splc.data.property_unit import quantity
from splc.formats.measurements.configurations_csv import write_configurations
from splc.io.files import STANDARD
from splc.io.json_object import JsonObject, at, count, each, optional
from splc.io.numbers import percentage
from splc.learning.active.suggestion import ConfigurationSuggestions
from splc.types import Array, Goal
from splc.workflows.objects import FailuresObject
from splc.workflows.sample import rows_of
from splc.workflows.suggest.configurations import Result


class SuggestedConfigurationObject(JsonObject):
    """A configuration to measure: its expected gain, and its prediction, if there is one."""

    configuration: dict[str, float | None]
    gain: float | None
    predicted: float | None
    low: float | None
    high: float | None
    cost: float = optional()


class ConfigurationSuggestionsObject(JsonObject, schema="splc.suggest/1"):
    """The configurations to measure next: a summary, with the configurations unless a file holds them."""

    goal: Goal = at("suggestions.goal")
    nfp: str | None
    unit: str | None
    measured: int
    best_measured: float | None = at("best")
    configurations: int = count("suggestions.configurations")
    candidates: int = at("suggestions.candidates")
    scale: str | None = at("suggestions.model.name")
    failures: FailuresObject | None
    notes: list[str] = each("notes", "text")
    output: str | None
    variance_reduction_percent: float = optional(
        lambda result: result.suggestions.gains.sum() if result.suggestions.goal == "variance" else None
    )
    next: list[SuggestedConfigurationObject] = optional()


def given(result: Result, output: str | None) -> dict[str, Any]:
    """Return the values of the JSON object that are not of the result."""
    return {"output": output, "next": list(_rows(result.suggestions)) if output is None else None}


def _rows(batch: ConfigurationSuggestions) -> Iterator[dict[str, Any]]:
    """Yield the configurations with what is known of them."""
    columns = {"gain": batch.gains, "predicted": batch.predicted, "low": batch.low, "high": batch.high}
    columns["cost"] = np.full(len(batch.gains), None) if batch.costs is None else batch.costs
    for index, row in enumerate(rows_of(batch.configurations)):
        yield {"configuration": row, **{name: column[index] for name, column in columns.items()}}


def write(result: Result, output: str) -> None:
    """Write the configurations, with their expected gains and predictions, as CSV, and a summary to stderr."""
    batch = result.suggestions
    columns = {name: _short(values) for name, values in batch.columns().items()}
    write_configurations(batch.configurations, output, columns)
    if batch.goal == "variance":
        note(
            f"they are expected to reduce the mean variance of predictions by {percentage(batch.gains.sum(), 3)}; "
            f"each has the largest reduction times standard deviation{' per cost' * (batch.costs is not None)}, "
            "given those above it" + ", so that a later reduction can be larger" * _rises(batch.gains)
        )
    elif result.best is not None:
        note(f"best of {counted(result.measured, 'measured value')}: {quantity(result.best, result.unit)}")
    if output != STANDARD:
        note(f"{counted(len(batch.configurations), 'configuration')} written to {output}")


def _rises(gains: Array) -> bool:
    """Return whether a gain is larger than the one before it, as they are written."""
    return bool((np.diff(_short(gains)) > 0).any())


def _short(values: Array) -> Array:
    return np.array([float(f"{value:.6g}") for value in values.tolist()])
