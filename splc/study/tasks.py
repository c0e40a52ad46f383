"""The tasks of a study, and the inputs that they share: the system, its measurements, and the learners.

Each task learns one model, is named by a hash of all that decides it, and leaves a record.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from comparison import compare
from sampling import Space, parse_spec
from splc._version import __version__
from splc.data.configurations import chosen_variables
from splc.data.measurements import Measurements
from splc.errors import LearningError, Problems, SplcError, listed, plural
from splc.formats.detect import model_writers, suffix_of
from splc.formats.models.json import model_json_text, parse_stored_json
from splc.formats.models.read import read_model
from splc.formats.models.stored_model import learned_file
from splc.io.files import Source, distinct_names, file_name, read_source
from splc.io.json import picked
from splc.io.toml import line_of
from splc.learning.learner import round_errors
from splc.learning.plausibility import implausible
from splc.learning.registry import learner_name, own_settings
from splc.learning.sums import parts_of
from splc.models.influence import InfluenceModel
from splc.models.parameters import chosen_rows
from splc.models.text.log_grammar import require_writable_names
from splc.project.keys import PROPERTY
from splc.study.folder import key_of
from splc.study.specification import Study, StudyLearner
from splc.system.variability import VariabilityModel
from splc.types import Array, Missing
from splc.workflows.learn.request import learn_rows, learning_rows, with_deviation
from splc.workflows.note import inference_notes, reading_notes

VERSION = 3  # the version of records; increase it if the same inputs give another record


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of learning, which are sent to the processes that learn."""

    measurements: Measurements  # the measured configurations that have a value of the property
    nfp: str  # the property
    files: Mapping[str, Mapping[str, str | None]]  # input (`system`, …) → path relative to the study file, and hash
    identity: Mapping[str, Any]  # everything in the inputs that decides the results: hashes, property, policies
    observed_identity: Mapping[str, Any] = field(default_factory=dict)  # of observed variables, for some learners only

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
        kind = learner_name(None, project.file.preset)
        settings = own_settings(kind, project.file.learning)
        learners = (StudyLearner(kind=kind, preset=project.file.preset or "default", settings=settings),)
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
    yield from (note.text for note in reading_notes(measured.report))
    values = measured.measured(nfp).column(nfp)
    if zeros := int((values == 0).sum()):
        count_text = plural(zeros, "configuration", "configurations")
        yield f"{count_text} with a measured value of 0 {'is' if zeros == 1 else 'are'} left out of error rates"
    if (values < 0).any():
        yield f"some values of {nfp} are negative: Jaccard is no longer a fraction of what is common"


@dataclass(frozen=True)
class Task:
    """A model to learn."""

    sampling: str
    seed: int
    seeded: bool  # whether anything is drawn, so that the seed matters
    learner: StudyLearner
    key: str  # the hash of everything that decides the result
    log: str  # the file of the log (JSON, where no log can express it) in the results folder; none without terms

    @property
    def label(self) -> str:
        """The sampling with its seed: `random:50 seed 3`."""
        return self.sampling + (f" seed {self.seed}" if self.seeded else "")

    @property
    def title(self) -> str:
        """The learner and the sampling."""
        return f"{self.learner.name}: {self.label}"


def tasks_of(study: Study, learners: tuple[StudyLearner, ...], inputs: Inputs) -> tuple[Task, ...]:
    """Return the tasks of a study: learners, then samplings, then seeds, in the file's order."""
    plan = [
        (learner, sampling, seed, is_drawn)
        for learner in learners
        for sampling in study.samplings
        for is_drawn in [draws(sampling, learner)]
        for seed in (study.seeds if is_drawn else study.seeds[:1])
    ]
    folders = distinct_names({learner.name: file_name(learner.name) for learner in learners})
    draws_of_logs = {(sampling, seed, is_drawn) for _, sampling, seed, is_drawn in plan}
    logs = distinct_names({draw: file_name(draw[0], f"seed-{draw[1]}" if draw[2] else "") for draw in draws_of_logs})
    tasks = []
    for learner, sampling, seed, is_drawn in plan:
        resolved = learner.resolved()
        log = logs[sampling, seed, is_drawn] + resolved.suffix
        # Without random draws the seed does not matter, so the record serves any list of seeds.
        task_seed = seed if is_drawn else 0
        content = {
            "task": VERSION,
            "version": __version__,
            "inputs": inputs.identity,
            "missing": study.missing,
            "sampling": sampling,
            "seed": task_seed,
            "learner": learner.name,
            "preset": learner.preset,
            "settings": dict(resolved.settings),
        }
        if learner.observed or learner.parts:
            # The results of other learners do not depend on observed variables.
            content |= {"observed": list(learner.observed), "sum": list(learner.parts), **inputs.observed_identity}
        if populations := parse_spec(sampling).files:
            content |= {"populations": {name: read_source(name).sha256 for name in populations}}
        path = f"logs/{folders[learner.name]}/{log}" if len(learners) > 1 else f"logs/{log}"
        tasks.append(Task(sampling, task_seed, is_drawn, learner, key_of(content), path))
    return tuple(tasks)


def draws(sampling: str, learner: StudyLearner) -> bool:
    """Return whether a sampling, or a learner, draws at random by the study's seeds.

    A design that draws has a `seed` of its own, which is None unless the spec states it.
    """
    if learner.resolved().draws:
        return True
    spec = parse_spec(sampling)
    parts = [part for part in (spec.whole, spec.binary, spec.numeric) if part is not None]
    return any(getattr(part, "seed", 0) is None for part in parts)


@dataclass(frozen=True)
class Record:
    """The result of a task, without times, so that the same inputs give the same record."""

    reason: str | None = None  # why nothing was learned, None if a model was learned
    learned_from: int | None = None  # number of configurations that were learned from
    rounds: int | None = None
    termination: str | None = None
    learning_error: float | None = None  # mean relative error on the learning set, in percent
    error: float | None = None  # on the measured configurations outside of it
    error_all: float | None = None  # on all measured configurations
    printed_error: float | None = None  # the printed model's error outside of the learning set, if another predicts
    printed_error_all: float | None = None  # its error on all measured configurations
    model: str | None = None  # the model as JSON; None for a model without terms
    log: str | None = None  # the log; None for a model without terms
    notes: tuple[str, ...] = ()

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Record:
        """Return a record from JSON's types."""
        return cls(**{**content, "notes": tuple(content["notes"])})

    def learned(self, system: VariabilityModel) -> InfluenceModel | None:
        """Return the model, None where nothing was learned."""
        if self.model is None:
            return None
        return parse_stored_json(Source("record", self.model.encode("utf-8")), system).model


def perform(task: Task, inputs: Inputs, missing: Missing) -> Mapping[str, Any]:
    """Run a task; return its record in JSON's types.

    If the sampling cannot be drawn or learned from, the record states the reason.
    """
    try:
        record = _learned(task, inputs, missing)
    except SplcError as error:
        record = Record(reason=reason_of(error))
    return asdict(record)


def reason_of(error: SplcError) -> str:
    """Return an error as one sentence for a table, with its hint."""
    texts = ((problem.message, f"({problem.hint})" if problem.hint else "") for problem in error.problems)
    return "; ".join(" ".join(filter(None, pair)) for pair in texts)


def _learned(task: Task, inputs: Inputs, missing: Missing) -> Record:
    measured, learner = inputs.measurements, task.learner
    space = space_of(inputs.system)
    learning_set = learning_rows(measured, inputs.nfp, task.sampling, task.seed, space, missing)
    provenance = {
        "sampling": learning_set.sampling,
        "measured_configurations": len(measured),
        "learner": learner.name,
        "files": {key: dict(inputs.files[key]) for key in ("system", "measurements") if key in inputs.files},
    }
    chosen: dict[str, Any] = {
        "observed": learner.observed,
        "parts": learner.parts,
        "seed": task.seed,
        "provenance": provenance,
    }
    result, rounds = learn_rows(measured, inputs.nfp, learner.resolved(), learning_set.rows, **chosen)
    learning_set.require_enough_for(result)
    # Without times, so that the same inputs give the same bytes on one machine.
    result = replace(result, seconds=0.0, rounds=tuple(replace(step, seconds=0.0) for step in result.rounds))
    warnings = implausible(result.judgements[0].predicted, measured.column(inputs.nfp), inputs.nfp)
    model = log = None
    if result.readable:
        content = learned_file(result, str(inputs.files["measurements"]["path"]), round_errors(result))
        model = model_json_text(result.model, result.nfp)
        log = model_writers()[suffix_of(task.log)].write(content)
    return Record(
        learned_from=result.learning_configurations,
        rounds=rounds or None,
        **picked(result, "termination, learning_error, error, error_all"),
        **picked(result.printed_errors, "printed_error = error, printed_error_all = error_all"),
        model=model,
        log=log,
        notes=tuple(dict.fromkeys((*(note.text for note in learning_set.notes), *result.notes, *warnings))),
    )
