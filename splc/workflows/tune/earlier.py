"""Measurements of earlier runs, which a tuning run knows from the beginning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import MeasurementError, RequestError, listed, plural
from splc.formats.measurements.columns import ColumnChoice, shown_value
from splc.formats.measurements.shapes import read_table
from splc.formats.measurements.unlisted import with_unlisted
from splc.io.files import sha256_of
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.tuning.tuner import Tuner
from splc.workflows.measure.subject import constant_contexts, contexts_of
from splc.workflows.note import Note, Notes, reading_notes


@dataclass(frozen=True)
class EarlierFile:
    """A file of earlier runs."""

    path: str  # the file
    contexts: Mapping[str, str]  # the contexts of all its rows that are stated, since it has no columns of them

    @classmethod
    def of(cls, text: str) -> EarlierFile:
        """Return the file of a text `FILE` or `FILE:COLUMN=VALUE,…`."""
        path, colon, stated = text.rpartition(":")
        if not colon or "=" not in stated or Path(text).exists():
            return cls(text, {})
        return cls(path, constant_contexts(contexts_of(stated.split(","))))


def with_earlier_values(files: Sequence[EarlierFile], system: VariabilityModel) -> VariabilityModel:
    """Return a system that has the values of earlier runs, if its values were not described."""
    for file in files:
        system = with_unlisted(read_table(file.path), system)
    return system


def tell_earlier(
    files: Sequence[EarlierFile], contexts: Mapping[str, str], system: VariabilityModel, tuner: Tuner, notes: Notes
) -> Mapping[str, Any] | None:
    """Tell a tuner the values of earlier runs; return their number and digest, None without any.

    Rows of another context are learned from only. Configurations that are not searched (they lack a fixed value) are
    left out of the others.
    """
    if not files:
        return None
    names = tuner.objective.properties
    runs: list[list[Any]] = []
    for file in files:
        for part in _parts(file, contexts, system, notes):
            values_of = {**part.contexts, **file.contexts}
            differing = {name: value for name, value in values_of.items() if value != contexts.get(name, value)}
            context = ", ".join(f"{name}={value}" for name, value in differing.items()) or None
            columns = np.array([part.repetitions(name) for name in names])
            configurations = Configurations(tuner.system, part.configurations.indices)
            searched = tuner.source.valid(configurations)
            for row in range(len(configurations)) if context else np.flatnonzero(searched).tolist():
                assignment = configurations.assignment(row)
                for values in columns[:, row].T.tolist():
                    if not np.isnan(values).any():
                        tuner.tell(assignment, dict(zip(names, values, strict=True)), context=context)
                        own = [configurations.indices[row].tolist(), values]
                        runs.append(own if context is None else [*own, context])
            if context is None and (failures := part.failures) is not None:
                for row in np.flatnonzero(tuner.source.valid(failures.configurations)).tolist():
                    for _ in range(int(failures.runs[row])):
                        tuner.tell(failures.configurations.assignment(row), failed="failed in an earlier run")
                        runs.append([failures.configurations.indices[row].tolist(), None])
    if not runs:
        raise MeasurementError("no earlier run is of a configuration that is searched, with all properties")
    for others in dict.fromkeys(run[2] if run[2:] else None for run in runs):
        kept = [str(run[0]) for run in runs if (run[2] if run[2:] else None) == others]
        count = plural(len(kept), "earlier run", "earlier runs")
        text = f"{count} of {plural(len({*kept}), 'configuration', 'configurations')}"
        notes.append(Note(text if others is None else f"{text} with {others}: they are learned from, too"))
    return {"runs": len(runs), "sha256": sha256_of(json.dumps(runs))}


def _parts(
    file: EarlierFile, contexts: Mapping[str, str], system: VariabilityModel, notes: Notes
) -> tuple[Measurements, ...]:
    """Return the rows of a file by their contexts; those that this run does not state have one value each."""
    named = tuple(contexts)
    columns = ColumnChoice(named, optional=frozenset(named))
    project = replace(Project.load(measurements=[file.path], columns=columns), learned_system=system)
    # Inferred constraints are those of other rows.
    valid = Space(replace(system, constraints=()) if system.inferred else system)
    parts = project.every_part(system, valid)
    notes.add(reading_notes(*(part.report for part in parts)))
    for name in parts[0].contexts:
        values = tuple(dict.fromkeys(part.contexts[name] for part in parts))
        if name not in contexts and len(values) > 1:
            message = f"{file.path}: {name!r} has {len(values)} values: {listed([*map(shown_value, values)])}"
            raise RequestError(f"{message}; state the one of this run with --column {name}=VALUE", "earlier")
    unknown = [name for name in contexts if name not in {**parts[0].contexts, **file.contexts}]
    if unknown:
        hint = f"state the value of its rows: --from {file.path}:{unknown[0]}=VALUE"
        raise RequestError(f"{file.path} has no column {unknown[0]!r}; {hint}", "earlier")
    return parts
