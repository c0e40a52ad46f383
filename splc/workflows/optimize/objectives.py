"""The request of `optimize`, and its objectives: properties with their models and measured values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Failures, Measurements
from splc.errors import RequestError, SplcError, listed, plural, unknown_name_hint
from splc.formats.models.stored_model import StoredModel, choice_of
from splc.learning.plausibility import LEAVE_OUT
from splc.learning.result import FullPredictor, LearningResult
from splc.project import Project
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows import fields, learn
from splc.workflows.fields import flag, option, request
from splc.workflows.inputs import ModelInputs, predicting
from splc.workflows.note import Note, Notes, run_notes
from splc.workflows.prediction_notes import ExpectedError
from splc.workflows.subspace import known_failures
from splc.workflows.views import Watch


@request
class Request(ModelInputs):
    """Find the valid configuration with the least predicted value; of several properties the Pareto front.

    The full model predicts where the file of the model has it: all valid configurations if there are at most 100,000,
    otherwise those of a local search from the 1,000 best of the printed model. Other models have an exact optimum.

    Of several equally good configurations the first is chosen: options in the system's order, lower values first. If
    there are measurements, the measured values and the best measured configuration are printed.
    """

    models: tuple[str, ...] = fields.argument((), "MODELS")(
        "The models, one for each property: logs, JSON or model text. '-' is standard input. Without any, a model of "
        "each property is learned from the measurements."
    )
    maximize: bool = flag("--maximize")("Find the greatest predicted values, not the least.")
    maximize_only: tuple[str, ...] = option((), "NAME")(
        "Find the greatest value of this property only. Can be repeated."
    )
    fix: fields.FixedValues = ()
    top: int = option(1, "N", minimum=1)("The number of best configurations, for one property.")
    limit: int | None = option(None, "N", minimum=1, default="2000000")(
        "The number of configurations to examine at most."
    )
    printed: fields.Printed = False
    plot: str | None = option(None, "FILE")("Draw the Pareto front (.svg, .png, .pdf).")
    properties: tuple[str, ...] = option((), "NAME", fields.INPUTS, names="--property --nfp")(
        "The non-functional property; repeated, one for each model, in the same order."
    )
    invalid: fields.InvalidRows = "drop"
    duplicates: fields.DuplicateRows = "mean"


@dataclass(frozen=True, eq=False)
class Objective:
    """A property to minimize or to maximize."""

    name: str  # the property, or the file of the model if it names none
    system: VariabilityModel  # the system
    stored: StoredModel  # the model, of which the exact optimum is known, and a full one, which predicts
    maximize: bool = False  # whether the greatest value is wanted
    measured: str | None = None  # the measured property, None without measurements
    known: Configurations | None = None  # the measured configurations, None without measurements
    values: Array = field(default_factory=lambda: np.zeros(0))  # their values, shape (n,)
    measured_unit: str | None = None  # the unit of the measured property, None if it is not known
    error: str | None = None  # the error to expect of the model, as text; None if it is not stated
    failures: Failures | None = None  # the configurations that never worked, as far as is known

    @property
    def unit(self) -> str | None:
        """The unit of the property, None if it is not known."""
        return self.stored.unit or self.measured_unit

    def of_system(self, system: VariabilityModel) -> Objective:
        """Return the objective of a system that has further values."""
        if system is self.system:
            return self
        known = None if self.known is None else Configurations.from_columns(system, self.known.to_columns())
        failures = None if self.failures is None else self.failures.of_system(system)
        return replace(self, system=system, known=known, failures=failures)

    @property
    def options(self) -> frozenset[str]:
        """The options that what predicts uses."""
        full = self.stored.full
        return full.options if isinstance(full, FullPredictor) else self.stored.model.options

    def predict(self, configurations: Configurations) -> Array:
        """Return the predictions, shape (n,), of configurations of the system or of a part of it."""
        # Full models belong to the system without fixed values.
        return self.stored.predictor.predict(Configurations(self.system, configurations.indices))

    def find(self, configurations: Configurations) -> Array:
        """Return the position of each configuration among the measured ones, -1 if it is not one of them."""
        return np.full(len(configurations), -1) if self.known is None else self.known.find(configurations)


def objectives_of(request: Request, project: Project, space: Space, notes: Notes, watch: Watch) -> list[Objective]:
    """Return the objectives of a request: its models, or models that are learned from the measurements."""
    nfps = request.properties
    if len(nfps) > 1 and len(set(nfps)) < len(nfps):
        raise RequestError(f"{next(name for name in nfps if nfps.count(name) > 1)!r} is named twice", "properties")
    if not request.models:
        objectives = _learned(request, project, space, notes, watch)
    else:
        if nfps and len(nfps) != len(request.models):
            models = plural(len(request.models), "model", "models")
            hint = "name one property for each model, in the same order, or leave them out"
            text = f"{plural(len(nfps), 'property', 'properties')} and {models} are given"
            raise RequestError(text, "properties", hint=hint)
        objectives = _read(request, project, space, notes)
    names = [goal.name for goal in objectives]
    for name in request.maximize_only:
        if name not in names:
            raise RequestError(f"no model predicts {name!r}; {unknown_name_hint(name, names)}", "maximize_only")
    return [replace(goal, maximize=request.maximize or goal.name in request.maximize_only) for goal in objectives]


def _learned(request: Request, project: Project, space: Space, notes: Notes, watch: Watch) -> list[Objective]:
    """Return objectives whose models are learned from all measurements."""
    if request.parameter:
        request.require_used(())
    measurements = request.read_measurements(project, space, notes)
    columns = ("options", "no_constraints", "context", "ignore", "where")
    shared = ("system", "measurements", *columns, "invalid", "duplicates", "aggregate")
    inputs = {name: getattr(request, name) for name in shared}
    objectives = []
    names = request.properties or (project.resolve_property(measurements),)
    for number, nfp in enumerate(names):
        watch.advance(number, len(names) if number else None, f"learning {nfp} ({number + 1} of {len(names)})")
        done = learn.run(learn.Request(**inputs, nfp=nfp, write=False))
        result, expected = done.result, done.expected_error
        error = expected.text_of(expected.percent)
        shown = "" if expected.percent is None else f" (expected error {error})"
        count = plural(result.learning_configurations, "measured configuration", "measured configurations")
        notes.append(Note(f"the model of {nfp} is learned from {count}{shown}; 'splc learn' shows it"))
        # The value of a good configuration may be an outlier: a command that leaves it out is not proposed.
        notes.add(replace(note, text=note.text.partition(LEAVE_OUT)[0]) for note in done.notes if note.warning)
        objective = Objective(nfp, space.system, of_result(result, printed=request.printed), error=error)
        objectives.append(replace(with_values(objective, measurements, nfp), failures=measurements.failures))
    return objectives


def _read(request: Request, project: Project, space: Space, notes: Notes) -> list[Objective]:
    unchecked = (request.read_unchecked(file, project, space.system, notes) for file in request.models)
    read = [predicting(model, notes, printed=request.printed) for model in unchecked]
    request.require_used(frozenset().union(*(model.used for model in read)))
    measurements = None
    if project.has_measurements:
        try:
            learned = choice_of(model.columns for model in read)
            about = request.properties or [model.nfp for model in read]
            measurements = request.read_measurements(project, space, notes, about, learned=learned)
        except SplcError as unusable:
            # The model alone is enough: measurements that are not asked for and cannot be used are no error.
            if request.measurements is not None or request.properties:
                raise
            notes.append(_not_shown(unusable))
    failures = known_failures(measurements, [stored.provenance for stored in read], space.system)
    names: list[str] = []
    objectives = []
    for number, (file, stored) in enumerate(zip(request.models, read, strict=True)):
        choice = request.properties[number] if request.properties else None
        name = choice or stored.nfp or file
        names.append(name if name not in names else f"{name} ({file})")
        expected = ExpectedError.of_values(stored.expected_error) if stored.expected_error else None
        error = None if expected is None or request.printed else expected.text_of(expected.percent)
        objective = Objective(names[-1], space.system, stored, error=error, failures=failures)
        if measurements is not None:
            nfp = _property(request, project, measurements, choice, stored.nfp, notes)
            if nfp is not None:
                notes.add(run_notes([measurements], nfp))
                objective = with_values(objective, measurements, nfp)
        objectives.append(objective)
    return objectives


def with_values(objective: Objective, measurements: Measurements, nfp: str) -> Objective:
    """Return an objective with the measured configurations that have a value."""
    usable = measurements.measured(nfp)
    if not len(usable):
        return objective
    values, unit = usable.column(nfp), measurements.unit(nfp)
    return replace(objective, measured=nfp, known=usable.configurations, values=values, measured_unit=unit)


def of_result(result: LearningResult, *, printed: bool = False) -> StoredModel:
    """Return a learned model as one in a file, on request the printed one without the full one."""
    full = None if printed or result.printed is None else result.predictor
    intervals = result.printed_intervals if printed and result.printed is not None else result.intervals
    support = dict[frozenset[str], int | None]()
    for estimate in result.estimates:
        names = result.model.options_of(estimate.term)
        if estimate.folds is not None:
            support[names] = max(estimate.folds, support.get(names) or 0)
    return StoredModel(result.model, full=full, intervals=intervals, support=support, stated_unit=result.unit)


def _property(
    request: Request, project: Project, measurements: Measurements, choice: str | None, stated: str | None, notes: Notes
) -> str | None:
    """Return the measured property that a model is compared with; without one, a note states the reason."""
    if choice is not None:
        name = measurements.resolve_property(choice)
        if stated is not None and stated.split() != name.split():
            text = f"the model predicts {stated!r}, but is compared with measured values of {name!r}"
            notes.append(Note(text, warning=True))
        return name
    if stated is not None:
        for name in measurements.properties:
            # Logs hold names with single spaces.
            if name.split() == stated.split():
                return name
        known = listed(measurements.properties)
        notes.append(_not_shown(f"the measurements have no property {stated!r}; they have: {known}"))
    elif len(request.models) == 1:
        try:
            return project.resolve_property(measurements)
        except SplcError as error:
            if request.measurements is not None:
                raise
            notes.append(_not_shown(error))
    return None


def _not_shown(reason: SplcError | str) -> Note:
    if isinstance(reason, SplcError):
        reason = "; ".join(filter(None, (reason.problems[0].message, reason.problems[0].hint)))
    return Note(f"measured values are not shown: {reason}")
