"""The inputs that requests share, and requests by context: each of its values has a request, a result and files."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from splc.errors import InputError, LearningError, Problem, RequestError, SplcError, listed, unknown_name_hint
from splc.formats.column_choice import ColumnChoice, Context, shown_value
from splc.formats.detect import is_log, suffix_of
from splc.formats.doubts import CONTEXT, OBSERVED, OPTION, flags_of
from splc.formats.measurements.rows import Policy
from splc.io.files import STANDARD, distinct_names, file_name, is_stream, read_source
from splc.project import Project
from splc.workflows import fields as common
from splc.workflows.fields import INPUTS, inputs_of, request
from splc.workflows.note import Note, Notes, inference_notes, notes_of, reading_notes
from splc.workflows.views import Column

if TYPE_CHECKING:
    from sampling import Space
    from splc.data.measurements import Measurements
    from splc.formats.inference import Inference
    from splc.formats.models.stored_model import StoredModel
    from splc.models.parameters import Parameters
    from splc.system.variability import VariabilityModel


# A dataclass with the fields `context` and `where`.
R = TypeVar("R", bound=Any)
T = TypeVar("T")

PLACE = "{}"  # the placeholder of the value in the name of a file, which then names one file per value


@request
class SystemInputs:
    """The system and the measurements of a request."""

    measured: ClassVar[bool | None] = True  # whether a table must have a measured column; None: it may lack one

    system: common.System = None
    measurements: common.MeasurementsFile = None
    options: common.OptionColumns = ()
    no_constraints: common.NoConstraints = False
    nfp: common.Nfp = None
    context: common.ContextColumns = ()
    ignore: common.IgnoredColumns = ()
    where: common.SelectedRows = field(default_factory=dict)
    invalid: common.InvalidRows = "error"
    duplicates: common.DuplicateRows = "error"
    aggregate: common.Repetitions = None

    @property
    def policies(self) -> dict[str, Any]:
        """The treatment of problematic measurements."""
        return {"invalid": self.invalid, "duplicates": self.duplicates, "aggregate": self.aggregate or "mean"}

    @property
    def columns(self) -> ColumnChoice:
        """The roles of columns of the measurements."""
        roles = self.context, self.ignore, self.where
        return ColumnChoice(*roles, options=self.options, constraints=not self.no_constraints)

    def policy(self, space: Space, project: Project, learned: ColumnChoice | None = None) -> Policy:
        """Return the treatment of rows of further files; `learned`: the roles that a model was learned with."""
        columns = project.columns.lenient.over(learned or ColumnChoice())
        # A description states its constraints, also to a model that was learned without it.
        inferred = project.inference is not None or project.learned_system is not None
        is_mined = columns.mined or (project.inference is not None and bool(project.inference.mined))
        columns = replace(columns, mined=inferred and is_mined)
        return Policy(**self.policies, columns=columns, check=space.check, explain=space.violations)

    def project(self, folder: str = "", **given: str | None) -> Project:
        """Return the project; `given` are further files, such as `analytical`."""
        files: dict[str, Any] = {"measurements": self.measurements, "system": self.system, "nfp": self.nfp, **given}
        return replace(Project.load(folder, columns=self.columns, **files), measured=self.measured)

    def read_system(self, project: Project, notes: Notes, *, observed: bool = True) -> VariabilityModel:
        """Read the system of the project, or infer it from the measurements; notes state the assumptions."""
        system = project.variability_model(observed=observed)
        if self.no_constraints and project.inference is None:
            origin, hint = "described", "leave --no-constraints out"
            if project.learned_system is not None:
                origin, hint = "that of the model", "learn the model again with --no-constraints"
            raise RequestError(f"nothing is inferred, for the system is {origin}; {hint}", "no_constraints")
        lists = self.measured is None and project.system_table is not None
        notes += inference_notes(project.inference, lists=lists, answers=self.answers(project.inference))
        if project.learned_system is not None and project.has_system:
            text = f"{project.system_file} does not have the options of the model: the system is that of the model"
            notes.append(Note(text))
        if project.learned_system is None and (source := project.assumed_system) is not None:
            where = f"--system {shlex.quote(project.measurements_file)} infers them from the table"
            where = "without it they are inferred from the tables" if project.further else where
            notes.append(Note(f"the options are those of {source}; {where}"))
        return system

    def answers(self, inference: Inference | None) -> dict[str, str]:
        """Return the commands that state other roles of columns in doubt; none stops at contexts of several values."""
        doubts = {} if inference is None else inference.doubts
        verb = type(self).__module__.removeprefix("splc.workflows.").partition(".")[0]
        others = {name: doubt.other for name, doubt in doubts.items() if doubt.used == OPTION}
        clearer = {name: other for name, other in others.items() if other != OBSERVED}
        contexts = {name: doubt.other for name, doubt in doubts.items() if doubt.used == CONTEXT}
        # Learning needs one value of each context.
        stated = dict.fromkeys(contexts if verb == "learn" else (), CONTEXT)
        roles = {
            "otherwise": {**clearer, **stated},
            "if observed": {**others, **stated} if len(clearer) < len(others) else {},
            "as options": contexts if OPTION in contexts.values() else {},
        }
        answers: dict[str, str] = {}
        for when, names in roles.items() if verb in ("describe", "learn") else ():
            flags = flags_of(doubts, names)
            changes: dict[str, Any] = {key: (*getattr(self, key), ",".join(own)) for key, own in flags.items() if own}
            if verb == "learn" and self.nfp is None and inference is not None and len(inference.properties) > 1:
                changes["nfp"] = inference.first
            if verb == "learn" and flags["context"]:
                given: str | None = getattr(self, "by", None)
                by, *selected = flags["context"] if given is None else (given, *flags["context"])
                usual = {name: doubts[name].usual for name in selected}
                changes |= {"context": self.context, "by": by, "where": {**self.where, **usual}}
            if names and (words := inputs_of(replace(self, **changes), type(self))) is not None:
                answers[when] = shlex.join(("splc", verb, *words))
        return answers

    def read_measurements(
        self, project: Project, space: Space, notes: Notes, about: Sequence[str | None] = (), **settings: Any
    ) -> Measurements:
        """Read the measurements of the project; `settings` are those of `Project.measurement_parts`.

        `about`: the properties of models that they are for; others are not asked about.
        """
        measurements = project.measurements(space.system, space, **settings, **self.policies)
        notes.add(reading_notes(measurements.report, about=about if about and None not in about else None))
        return measurements

    def read_by(self, project: Project, space: Space, notes: Notes, by: str) -> dict[str, Measurements]:
        """Read the measurements of the project for each value of a context."""
        require_all_values(by, self.where)
        parts = project.measurement_parts(space.system, space, by=(by,), **self.policies)
        notes.add(reading_notes(*(part.report for part in parts)))
        return {part.contexts[by]: part for part in parts}


@request
class TableInputs(SystemInputs):
    """The inputs of a request whose arguments are tables."""

    tables: tuple[str, ...] = common.argument((), "TABLE…")("Measurements: tables, or output of benchmark tools.")

    def with_tables(self, **changes: Any) -> Self:
        """Return the same request, whose tables are its measurements; `changes` are further fields."""
        if self.tables and self.measurements is not None:
            raise RequestError("the measurements are given twice", "measurements")
        measurements = (self.tables if len(self.tables) > 1 else next(iter(self.tables), None)) or self.measurements
        return replace(self, tables=(), measurements=measurements, **changes)


@request
class ModelInputs(SystemInputs):
    """The inputs of a request about models that may have machine parameters."""

    parameters: common.ParametersFile = None
    parameter: Mapping[str, float] = common.numbers(INPUTS)(
        "A machine parameter: 'alpha=2.2e-7'. Can be repeated; overrides the file."
    )

    def project(self, folder: str = "", **given: str | None) -> Project:
        """Return the project; `given` are further files, such as `analytical`."""
        return super().project(folder, parameters=self.parameters, **given)

    def project_of_models(self, files: Sequence[str]) -> Project:
        """Return the project; without a description its system is that of the models, or inferred as for them."""
        # Models that cannot be read yet (options named as parameters) have no effect.
        from splc.formats.models.read import read_stored_models
        from splc.formats.models.stored_model import choice_of

        project = self.project()
        if not (project.has_system or project.has_measurements):
            _require_no_scaling_model(files)
        if project.names_system and not project.infers:
            return project
        try:
            models = read_stored_models(files, parameters=self.known_parameters(project), full=True)
        except SplcError:
            if not (project.has_system or project.has_measurements):
                # Only the model can describe the system: its error is the one to report.
                raise
            return project
        systems = [model.system for model in models if model.system is not None]
        project = project.with_system_of_model(systems, every=len(systems) == len(models))
        if systems and project.learned_system is None and not (project.has_system or project.has_measurements):
            names = [sorted(system.names) for system in systems]
            second = next((group for group in names[1:] if group != names[0]), names[0])
            differing = sorted({*names[0]} ^ {*second})
            detail = f": only one of two has {listed(differing)}" if differing else ""
            hint = "name the description of a system that has the options of all with --system"
            message = f"the models are of systems with different options{detail}"
            raise InputError(Problem(message, listed(files), hint=hint))
        _require_known_system(project, models)
        if not project.infers:
            return project
        properties = {" ".join(model.nfp.split()) for model in models if model.nfp}
        nfp = properties.pop() if len(properties) == 1 else None
        return replace(project, learned=choice_of(model.columns for model in models), learned_nfp=nfp)

    def known_parameters(self, project: Project) -> Parameters:
        """Return the parameters of the project, changed by the stated values."""
        return project.parameters().changed(self.parameter, given="--parameter")

    def require_used(self, used: Collection[str]) -> None:
        """Refuse a stated parameter that no model uses, since it would have no effect."""
        for name in self.parameter:
            if name not in used:
                hint = unknown_name_hint(name, sorted(used)) if used else "only model text has parameters"
                raise RequestError(f"no model uses a parameter {name!r}; {hint}", "parameter")

    def read_model(self, file: str, project: Project, system: VariabilityModel | None, notes: Notes) -> StoredModel:
        """Read a model with the parameters, and note the peculiarities of its file."""
        stored = self.read_unchecked(file, project, system, notes)
        self.require_used(stored.used)
        return stored

    def read_unchecked(self, file: str, project: Project, system: VariabilityModel | None, notes: Notes) -> StoredModel:
        """Read one of several models with the parameters, some of which only others may use."""
        from splc.formats.models.read import read_stored_model

        try:
            stored = read_stored_model(file, system, parameters=self.known_parameters(project), full=True)
        except InputError as error:
            raise self.about_options(error, (file,), project) from None
        notes += notes_of(f"{file}: {text}" for text in stored.notes)
        notes += context_notes(file, stored.contexts, project, stored.basis_of_unmeasured)
        return stored

    def about_options(self, error: InputError, files: Sequence[str], project: Project) -> InputError:
        """Return the error for models that use columns as options that are not inferred ones, else it as it is."""
        from splc.formats.models.read import read_stored_models

        inferred = project.inference
        if inferred is None or STANDARD in files:
            return error
        try:
            models = read_stored_models(files, parameters=self.known_parameters(project))
        except SplcError:
            return error
        unknown = {name for stored in models for name in stored.model.options if name not in inferred.system.spellings}
        texts = {name for name in inferred.contexts if any(option.startswith(f"{name}_") for option in unknown)}
        names = (*inferred.properties, *inferred.contexts, *inferred.ignored)
        missing = [name for name in names if name in unknown or name in texts]
        if not missing:
            return error
        options = shlex.quote(",".join((*project.columns.options, *missing)))
        message = f"the model has options that are not inferred from {inferred.source.name}: {listed(missing)}"
        return InputError(Problem(message, listed(files), hint=f"name them with --options {options}"))


def predicting(stored: StoredModel, notes: Notes, *, printed: bool = False) -> StoredModel:
    """Return a model to predict with, the printed one on request, and note why its full model is not used, if so."""
    if printed:
        return stored.printed
    if stored.unused:
        notes.append(Note(stored.unused))
    return stored


def _require_known_system(project: Project, models: Sequence[StoredModel]) -> None:
    """Raise an error if there is no system because the JSON file of a log, which describes it, cannot be used."""
    if project.has_system or project.has_measurements or project.learned_system is not None:
        return
    for model in models:
        file = model.file or ""
        if model.system is None and not model.unused and Path(file).is_file() and is_log(read_source(file)):
            hint = (
                "name the table that it was learned from with --measurements, or a description with --system; "
                "splc learn -o MODEL.json writes a model that needs neither"
            )
            raise InputError(Problem("a log does not describe its system", file, hint=hint))
        if model.unused:
            reason = model.unused.removesuffix(": predictions are those of the printed model")
            hint = f"{reason}; name the description with --system"
            raise InputError(Problem("there is no system description", model.file, hint=hint))


def _require_no_scaling_model(files: Sequence[str]) -> None:
    """Raise an error for a model that splc scale wrote: without a system, its parameters are unknown."""
    from splc.formats.models.json import is_scaling_model

    for file in files:
        if file != STANDARD and Path(file).is_file() and is_scaling_model(read_source(file)):
            hint = "splc scale PROFILE --predict-at NAME=VALUE predicts a point; other commands need a table "
            hint += "with its parameters as columns: --measurements FILE"
            raise InputError(Problem("this is a scaling model, and there is no system description", file, hint=hint))


def input_files(project: Project, measured: Measurements | None, evaluation: Measurements | None) -> dict[str, Any]:
    """Return path and hash of the system description and of the measurements that were read."""
    files: dict[str, Any] = {}
    if project.inference is None and project.learned_system is None and project.system_file != STANDARD:
        files["system"] = {"path": project.system_file, "sha256": read_source(project.system_file).sha256}
    for key, table in (("measurements", measured), ("evaluation", evaluation)):
        if table is not None:
            files[key] = {"path": table.report.source, "sha256": table.report.sha256}
    return files


def require_suffix(output: str | None, suffix: str, what: str) -> None:
    """Refuse an output whose name has another suffix than what is written."""
    if output not in (None, STANDARD) and suffix_of(str(output)) != suffix:
        raise RequestError(f"{what} ({suffix})", "output")


def context_notes(file: str, contexts: Mapping[str, str], project: Project, unmeasured: str = "") -> tuple[Note, ...]:
    """Return a note about the contexts that a model was learned from; `unmeasured`: what stands for them otherwise."""
    if not contexts:
        return ()
    if unmeasured:
        text = listed([f"{name} = {shown_value(value)}" for name, value in contexts.items()])
        return (Note(f"{file}: nothing was measured of {text}: {unmeasured}"),)
    texts = []
    for name, value in contexts.items():
        choice = project.columns.where.get(name)
        differs = choice is not None and not Context.of([value]).matching(choice)
        texts.append(f"{name} = {shown_value(value)}" + (f", not {shown_value(choice or '')}" if differs else ""))
    return (Note(f"{file}: learned from measurements with {listed(texts)}"),)


def without_column(project: Project, column: str | None) -> Project:
    """Return the project with a column left out of the table, such as that of blocks."""
    if column is None:
        return project
    return replace(project, chosen=replace(project.chosen, ignore=(*project.chosen.ignore, column)))


def with_blocks(project: Project, space: Space, measured: Measurements, column: str, policies: Any) -> Measurements:
    """Return measurements with a property that numbers the values of a column, which is not read otherwise."""
    return measured.with_blocks(column, project.measurement_parts(space.system, space, by=(column,), **policies))


@dataclass(frozen=True)
class ByValue(Generic[T]):
    """The results of the values of a context."""

    by: str  # the context
    results: Mapping[str, T]  # value → its result, in natural order

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of all results, equal ones once."""
        return tuple(dict.fromkeys(note for result in self.results.values() for note in getattr(result, "notes", ())))

    @property
    def column(self) -> Column:
        """The column of the values in a table with a row per entry of `results`."""
        return Column(self.by, lambda entry: shown_value(entry[0]))

    def as_json(
        self, schema: str, as_json: Callable[[T], Mapping[str, Any]], values: str = "values", **further: Any
    ) -> dict[str, Any]:
        """Return the JSON object of the results, each without its schema; `further` keys stand before them."""
        objects = [{"value": value, **as_json(result)} for value, result in self.results.items()]
        for each in objects:
            each.pop("schema", None)
        return {"schema": schema, "by": self.by, **further, values: objects}


def files_of(name: str) -> list[str]:
    """Return the files of all values, as far as there are any; a name without a placeholder is that of one file."""
    if PLACE not in name:
        return [name]
    folder, _, pattern = name.rpartition("/")
    return sorted(map(str, Path(folder).glob("*".join(map(escape, pattern.split(PLACE))))))


def is_single(path: str | None) -> bool:
    """Return whether a path is `-`, a pipe or a device, which cannot be a file per value or read for each of them."""
    return path is not None and (path == STANDARD or is_stream(path))


def require_files(output: str | None, **inputs: str | None) -> None:
    """Refuse an output that cannot be one file per value, and inputs that can be read only once."""
    if is_single(output):
        raise RequestError("there is one file per value: name it, or print JSON with --json", "output", "by")
    for name, file in inputs.items():
        if is_single(file):
            raise RequestError("it is read for each value, but standard input only once; name a file", name, "by")


def each_context(request: R, by: str, values: Sequence[str], **files: str | None) -> Iterator[tuple[str, R]]:
    """Yield each value of a context and the request of this value, which has files of its own."""
    mappings = {field: file_names(pattern, values) for field, pattern in files.items()}
    for value in values:
        paths = {field: names.get(value) for field, names in mappings.items()}
        yield value, replace(request, where={**request.where, by: value}, **paths)


def each_learned(values: Collection[str], learn: Callable[[str], T], failed: dict[str, str]) -> Iterator[tuple[str, T]]:
    """Yield each value of a context of which something can be learned, and the result."""
    for value in values:
        try:
            result = learn(value)
        except LearningError as error:
            failed[value] = error.problems[0].message
            if len(failed) == len(values):
                raise
        else:
            yield value, result


def require_all_values(by: str, where: Mapping[str, str]) -> None:
    """Raise an error if one value of a context is selected, although each of its values is a request of its own."""
    if by in where:
        message = f"each value of {by!r} is used separately, but one value is selected"
        raise RequestError(message, "by", "where", hint="leave one of the two out")


def with_context(request: R, by: str) -> R:
    """Return a request whose column `by` is a context, also if its values are numbers, such as versions 1.0 and 2.0."""
    return replace(request, context=tuple(dict.fromkeys((*request.context, by))))


def file_names(pattern: str | None, values: Sequence[str]) -> dict[str, str]:
    """Return value → its file: the value replaces `{}`, or precedes the suffix; equal names get a hash."""
    if pattern is None:
        return {}
    if PLACE not in pattern:
        stem = pattern.removesuffix(".gz")
        name = stem.removesuffix(suffix_of(stem))
        pattern = f"{name}-{PLACE}{pattern.removeprefix(name)}"
    names = distinct_names({value: file_name(value) for value in values})
    return {value: pattern.replace(PLACE, name) for value, name in names.items()}
