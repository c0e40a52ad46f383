"""The output of `splc suggest` for described systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from splc.types import Array
    from splc.workflows.suggest.configurations import Result


def write(result: Result, output: str) -> None:
    """Write the configurations, with their expected gains and predictions, as CSV, and a summary to stderr."""
    from splc.cli.terminal import note
    from splc.errors import plural
    from splc.formats.measurements.configurations_csv import write_configurations
    from splc.io.files import STANDARD

    found = result.suggestions
    columns = {name: _short(values) for name, values in found.columns().items()}
    write_configurations(found.configurations, output, columns)
    if found.goal == "variance":
        note(f"they are expected to reduce the mean variance of predictions by {found.gains.sum():.3g} %")
    else:
        note(f"best of {plural(result.measured, 'measured value', 'measured values')}: {result.best:.6g}")
    if output != STANDARD:
        note(f"{plural(len(found.configurations), 'configuration', 'configurations')} written to {output}")


def as_json(result: Result, output: str | None) -> dict[str, Any]:
    """Return the content of the JSON object: a summary, with the configurations unless a file holds them."""
    found = result.suggestions
    configurations = found.configurations
    content: dict[str, Any] = {
        "goal": found.goal,
        "nfp": result.nfp,
        "measured": result.measured,
        "best_measured": result.best,
        "configurations": len(configurations),
        "candidates": found.candidates,
        "scale": None if found.model is None else found.model.name,
        "notes": [note.text for note in result.notes],
        "output": output,
    }
    if found.goal == "variance":
        content["variance_reduction_percent"] = float(found.gains.sum())
    if output is None:
        options = [configurations.value(name).tolist() for name in configurations.system.names]
        rows = [dict(zip(configurations.system.names, row, strict=True)) for row in zip(*options, strict=True)]
        more = {"gain": found.gains, "predicted": found.predicted, "low": found.low, "high": found.high}
        if found.costs is not None:
            more["cost"] = found.costs
        values = {name: column.tolist() for name, column in more.items()}
        content["next"] = [
            {"configuration": row, **{name: column[place] for name, column in values.items()}}
            for place, row in enumerate(rows)
        ]
    return content


def _short(values: Array) -> Array:
    return np.array([float(f"{value:.6g}") for value in values.tolist()])
