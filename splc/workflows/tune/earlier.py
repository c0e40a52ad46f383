"""Measurements of earlier runs, which a tuning run knows from the beginning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.errors import MeasurementError, plural
from splc.io.files import sha256_of
from splc.project import Project
from splc.tuning.tuner import Tuner
from splc.workflows.note import Note, Notes, reading_notes


def tell_earlier(files: Sequence[str], system: str | None, tuner: Tuner, notes: Notes) -> Mapping[str, Any] | None:
    """Tell a tuner the values of earlier runs; return their number and digest, None without any.

    Configurations that are not searched (they lack a fixed value) are left out.

    Args:
        files: the files.
        system: the description of the system, None: that of the folder.
        tuner: the tuner.
        notes: what the reader reports is added.

    Raises:
        InputError: if a file cannot be read.
        MeasurementError: if a property was not measured, or no configuration is searched.
    """
    if not files:
        return None
    project = Project.load(system=system, measurements=list(files))
    model = project.variability_model(observed=False)
    table = project.measurements(model, Space(model))
    notes.add(reading_notes(table.report))
    names = tuner.objective.properties
    columns = np.array([table.repetitions(name) for name in names])
    configurations = Configurations(tuner.system, table.configurations.indices)
    inside = np.flatnonzero(tuner.source.valid(configurations))
    runs = []
    for row in inside.tolist():
        assignment = configurations.assignment(row)
        for values in columns[:, row].T.tolist():
            if not np.isnan(values).any():
                tuner.tell(assignment, dict(zip(names, values, strict=True)))
                runs.append([configurations.indices[row].tolist(), values])
    if not runs:
        raise MeasurementError("no earlier run is of a configuration that is searched, with all properties")
    rows = len({str(indices) for indices, _ in runs})
    notes.append(
        Note(f"{plural(len(runs), 'earlier run', 'earlier runs')} of {plural(rows, 'configuration', 'configurations')}")
    )
    return {"runs": len(runs), "sha256": sha256_of(json.dumps(runs))}
