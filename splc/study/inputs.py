"""The inputs of a study: the system, its measurements, the analytical model, and the learners with their settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from comparison import compare
from sampling import Space
from splc.data.measurements import Measurements
from splc.data.observations import chosen_variables
from splc.errors import LearningError, Problems, SplcError, listed, plural
from splc.formats.models.read import read_model
from splc.io.files import read_source
from splc.io.toml import line_of
from splc.learning.registry import learner_name, own_settings
from splc.learning.sums import parts_of
from splc.models.influence import InfluenceModel
from splc.models.parameters import chosen_rows
from splc.models.text.log_grammar import require_writable_names
from splc.project.keys import PROPERTY
from splc.study.specification import Study, StudyLearner
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.note import inference_notes, reading_notes


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of learning, which are sent to the processes that learn."""

    measurements: Measurements  # the measured configurations that have a value of the property
    nfp: str  # the property
    # input (`system`, `measurements`, …) → path relative to the study file, and hash
    files: Mapping[str, Mapping[str, str | None]]
    # everything in the inputs that decides the results: hashes of the files, the property, policies
    identity: Mapping[str, Any]
    # the same of the observed variables, which only some learners learn from
    observed_identity: Mapping[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> VariabilityModel:
        """The system."""
        return self.measurements.system

    @property
    def measured(self) -> Array:
        """The measured values, shape (n,)."""
        return self.measurements.column(self.nfp)


@dataclass(frozen=True, eq=False)
class Loaded:
    """All inputs of a study."""

    inputs: Inputs  # the inputs of learning
    learners: tuple[StudyLearner, ...]
    analytical: InfluenceModel | None  # the analytical model without the study's factor, None without a model
    paths: tuple[str, ...]  # all input files
    notes: tuple[str, ...]  # what the user should know about the inputs


def load(study: Study) -> Loaded:
    """Read the inputs of a study."""
    project = study.project()
    space = space_of(project.variability_model())
    # Checked before learning: the log grammar cannot express every name.
    require_writable_names((*space.system.names, *space.system.observed), space.system.term_table)
    all_measurements = project.measurements(space.system, space, **study.policies)
    try:
        nfp = project.resolve_property(all_measurements)
    except SplcError as error:
        if PROPERTY not in study.given:
            hint = 'choose one in splc.toml or in the study file: property = "NAME"'
            raise type(error)([replace(problem, hint=hint) for problem in error.problems]) from None
        raise error.at(str(study.path), study.lines.get(PROPERTY, study.lines.get("nfp"))) from None
    measurements = all_measurements.measured(nfp)
    if not len(measurements):
        raise LearningError(f"no configuration has a value of {nfp}").at(all_measurements.report.source)
    notes = list(_remarks(all_measurements, nfp))
    notes += (str(note).removeprefix("note: ") for note in inference_notes(project.inference))
    learners = study.learners
    if not learners:
        kind = learner_name(None, project.preset)
        settings = own_settings(kind, project.learning)
        learners = (StudyLearner(kind=kind, preset=project.preset or "default", settings=settings),)
    _require_known(study, learners, measurements)
    learners, deviation_notes = learners_with_deviation(learners, all_measurements)

    def file(path: str) -> dict[str, str | None]:
        relative = Path(os.path.relpath(path, study.folder)).as_posix()
        return {"path": relative, "sha256": read_source(path).sha256}

    described = {} if project.inference is not None else {"system": project.system_file}
    inputs_read = {**described, "measurements": project.measurements_file}
    files = {key: file(path) for key, path in inputs_read.items()}
    identity = {
        **{key: entry["sha256"] for key, entry in files.items()},
        **{f"{key}_path": entry["path"] for key, entry in files.items()},
        "nfp": nfp,
        **study.policies,
    }
    if all_measurements.contexts:
        identity["contexts"] = dict(all_measurements.contexts)
    if project.columns.ignore:
        identity["ignore"] = list(project.columns.ignore)
    observed = {f"observed_{number}": file(path) for number, path in enumerate(project.observed_files, 1)}
    files |= observed
    analytical = None
    if project.analytical_file is None:
        notes.append("there is no analytical model: learned models are compared with the measurements only")
    else:
        if project.parameters_file is not None:
            files["parameters"] = file(project.parameters_file)
        files["analytical"] = file(project.analytical_file)
        analytical = read_model(project.analytical_file, space.system, parameters=project.parameters())
        _require_values(study, analytical, measurements)
    observed_identity = {key: [entry["path"], entry["sha256"]] for key, entry in observed.items()}
    inputs = Inputs(measurements, nfp, files, identity, observed_identity)
    paths = (str(study.path), *inputs_read.values(), *project.files)
    return Loaded(inputs, learners, analytical, paths, (*notes, *deviation_notes))


def space_of(system: VariabilityModel) -> Space:
    """Return the valid configurations of a system."""
    return _space_of(system, system.observed)


# A process runs many tasks of one system, and its space may take long to build. Systems are equal whatever their
# observed variables are, but the space refers to its own system, so the variables are part of the key.
@lru_cache(maxsize=1)
def _space_of(system: VariabilityModel, observed: tuple[str, ...]) -> Space:
    del observed
    return Space(system)


def _require_values(study: Study, analytical: InfluenceModel, measurements: Measurements) -> None:
    """Raise SplcError if the analytical model has no value somewhere, or `at` is about no parameter."""
    if study.at:
        try:
            chosen_rows(list(analytical.parameters), study.at)
        except SplcError as error:
            raise error.at(str(study.path), study.lines.get("at")) from None
    names = ("analytical model", "analytical model")
    compare(analytical, analytical, measurements.configurations, names=names, at=study.at)


def _require_known(study: Study, learners: tuple[StudyLearner, ...], measured: Measurements) -> None:
    """Raise SplcError naming all unknown parts and observed variables, with their lines in the study file."""
    problems = Problems(str(study.path))
    for learner in learners:
        try:
            parts = parts_of(learner.parts, measured.properties, learner.observed)
            for patterns in [part.observed for part in parts] or [learner.observed]:
                chosen_variables(patterns, measured.system.observed)
            for part in parts:
                if part.where is not None:
                    measured.configurations.column(part.where)
        except SplcError as error:
            key = "sum" if learner.parts else "observed"
            problems.include(error, line_of(f"learners.{learner.name}.{key}", study.lines))
    problems.raise_if_any()


def learners_with_deviation(
    learners: tuple[StudyLearner, ...], measured: Measurements
) -> tuple[tuple[StudyLearner, ...], tuple[str, ...]]:
    """Return the learners with the deviation that the measurements state as abortError, as in `splc learn`."""
    from splc.workflows.learn.request import with_deviation

    found, changed = [], []
    for learner in learners:
        resolved, notes = with_deviation(learner.resolved(), learner.settings, measured)
        if notes:
            changed.append(learner.name)
            learner = replace(learner, settings={**learner.settings, "abortError": resolved.settings["abortError"]})
        found.append(learner)
    if not changed:
        return learners, ()
    text = f"abortError is {measured.report.deviation:g} (learners: {listed(changed)})"
    return tuple(found), (f"{text}, as {measured.report.source} states its deviation",)


def _remarks(measured: Measurements, nfp: str) -> Iterator[str]:
    """Yield notes about the measurements."""
    yield from (note.text for note in reading_notes(measured.report))
    values = measured.measured(nfp).column(nfp)
    if zeros := int((values == 0).sum()):
        count_text = plural(zeros, "configuration", "configurations")
        yield f"{count_text} with a measured value of 0 {'is' if zeros == 1 else 'are'} left out of error rates"
    if (values < 0).any():
        yield f"some values of {nfp} are negative: Jaccard is no longer a fraction of what is common"
