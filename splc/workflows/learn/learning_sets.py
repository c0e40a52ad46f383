"""The rows that `splc learn` learns from and judges by: of the measurements, and of stored models of other contexts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sampling import SamplingSpec, Space, draw_sample, parse_spec
from sampling.designs.whole import RandomWhole, Suggested
from sampling.space.parts import Parts
from splc import errors
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import Problem, listed, plural
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, read_source
from splc.learning.contexts.contrasts import joint_ensemble
from splc.learning.contexts.sharing import ContextRows, Sharing
from splc.learning.folds import Groups, options_of
from splc.learning.learner import Learner, match
from splc.learning.registry import learn
from splc.learning.result import LearningResult, Step
from splc.project import Project
from splc.system.variability import VariabilityModel, extended, joint_system
from splc.types import Array, Missing
from splc.workflows.learn.request import Request
from splc.workflows.note import Note, Notes, notes_of

if TYPE_CHECKING:
    from splc.learning.sums import Part

# The name of the rows of the model itself, in addition to the files.
OWN = "measurements"
# Called after every step with the step and a line that describes it.
OnStep = Callable[[Step, str], None]


def learn_rows(
    measured: Measurements,
    nfp: str,
    learner: Learner,
    rows: Array,
    *,
    observed: Sequence[str] = (),
    parts: Sequence[str] = (),
    evaluation: Measurements | None = None,
    validation: Array | None = None,
    on_step: OnStep | None = None,
    on_share: Callable[[float], None] = lambda share: None,
    groups: Groups | None = None,
    **further: Any,
) -> tuple[LearningResult, int]:
    """Learn a property, or the sum of its parts, from some rows; `further` are arguments of `splc.learning.learn`."""
    shared: dict[str, Any] = {"learner": learner, "learning_set": rows, **further}

    def after(this: Step, part: Part | None = None) -> None:
        if on_step is not None:
            where = "" if part is None else f"{part.nfp}, "
            on_step(this, where + this.line(measured.system.term_order))

    if not parts:
        judging: dict[str, Any] = {"evaluation": evaluation, "validation": validation, "on_share": on_share}
        judging["groups"] = groups
        result = learn(measured, nfp, observed=observed, on_step=after, **judging, **shared)
        return result, len(result.rounds)
    from splc.learning.sums import learn_sum, parts_of

    named = parts_of(parts, measured.properties, observed)
    total = learn_sum(measured, named, nfp, on_step=lambda part, this: after(this, part), **shared)
    return total.whole, sum(len(part.rounds) for _, part in total.parts if part is not None)


def evaluation_set(request: Request, project: Project, nfp: str, space: Space, notes: Notes) -> Measurements | None:
    """Read the measurements to judge the model by, if there are some; they must have values of the property."""
    path = request.evaluate_on
    if path is None:
        return None
    evaluation = request.read_measurements(project, space, notes, file=path)
    try:
        if not len(evaluation.measured(nfp)):
            raise errors.MeasurementError(f"no configuration has a value of {nfp}")
    except errors.MeasurementError as error:
        raise error.at(path) from None
    return evaluation


@dataclass(frozen=True, eq=False)
class LearningRows:
    """The learning set among the measured configurations."""

    rows: Array  # the positions of the configurations to learn from
    sampling: str  # the sampling as read
    sampled: int  # the number of sampled configurations
    dropped: int = 0  # the number of those that were not measured and are left out (`--missing drop`)
    notes: tuple[Note, ...] = ()  # what the user should know

    def require_enough_for(self, result: LearningResult) -> None:
        """Refuse a model with more than half as many terms as configurations, if sampled ones were left out."""
        terms = len(result.terms)
        # A model whose influences have intervals says itself what few configurations cannot tell.
        if self.dropped and not result.estimates and len(self.rows) < 2 * terms:
            raise self.too_few(f"the model has {plural(terms, 'term', 'terms')}, and each needs at least two")

    def too_few(self, reason: str) -> errors.LearningError:
        """Return the error for too few configurations."""
        size = len(self.rows)
        message = f"{size} of {self.sampled} sampled configurations {'was' if size == 1 else 'were'} measured: {reason}"
        hint = "measure the others, choose --missing nearest, or draw from what was measured: --sampling measured:N"
        return errors.LearningError(message, hint=hint)


def validation_set(request: Request, measured: Measurements, nfp: str, rows: Array, space: Space) -> LearningRows:
    """Return the measured configurations to judge a model by that is learned from `rows`; none of these is one."""
    assert request.validation is not None
    hint = "learn from fewer configurations (--sampling), or leave out --validation"
    if len(rows) == len(measured.measured(nfp)):
        raise errors.LearningError("every measured configuration is learned from, none is left to validate", hint=hint)
    learned = measured.configurations[rows]
    try:
        sample = learning_rows(measured, nfp, request.validation, request.seed, space, request.missing, learned)
    except errors.SpaceError as error:
        message = error.problems[0].message.replace("the existing sample", "the learning set")
        raise errors.LearningError(message, hint=hint) from None
    texts = (f"validation set: {note.text.replace('existing sample', 'learning set')}" for note in sample.notes)
    sample = replace(sample, rows=sample.rows[~np.isin(sample.rows, rows)], notes=notes_of(texts))
    if not len(sample.rows):
        raise errors.LearningError(
            f"no measured configuration is left for the validation set {sample.sampling}", hint=hint
        )
    return sample


def learning_rows(
    measured: Measurements,
    nfp: str,
    spec: SamplingSpec | str,
    seed: int,
    space: Space,
    missing: Missing,
    apart: Configurations | None = None,
) -> LearningRows:
    """Return the measured configurations to learn from."""
    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if len(usable) == 0:
        raise errors.LearningError(f"no configuration has a value of {nfp}").at(measured.report.source)
    table = measured[usable]
    spec = parse_spec(spec) if isinstance(spec, str) else spec
    if isinstance(design := spec.whole, Suggested):
        # One batch after the other, as if each was measured only then.
        from splc.learning.active.suggestion import sequential_rows
        from splc.learning.projection import variables_of

        count, variables = design.amount.resolve(Parts(space)), variables_of(space.system)
        if count > len(table):
            hint = f"ask for at most {len(table):,}"
            raise errors.SpecError(
                f"{design.text}: only {len(table):,} configurations have a value of {nfp}", hint=hint
            )
        design_seed = seed if design.seed is None else design.seed
        rows = sequential_rows(table.configurations, table.column(nfp), variables, count, design_seed)
        return LearningRows(usable[rows], spec.text, len(rows))
    sample = draw_sample(space.system, spec, seed, table.configurations, space, apart, apart=True)
    instead = ""
    if isinstance(spec.whole, RandomWhole):
        number = min(len(sample.configurations), len(table))
        instead = f"draw from what was measured (--sampling measured:{number}), "
    positions, remarks = match(table, sample.configurations, missing, instead)
    sampled = len(sample.configurations)
    dropped = sampled - len(positions) if missing == "drop" else 0
    result = LearningRows(usable[positions], sample.spec, sampled, dropped, notes_of((*sample.notes, *remarks)))
    if dropped and len(positions) < 2:
        raise result.too_few("too few to learn from")
    return result


def input_files(
    project: Project, measured: Measurements | None, evaluation: Measurements | None = None
) -> dict[str, Any]:
    """Return path and hash of the system description and of the measurements that were read."""
    files: dict[str, Any] = {}
    if project.inference is None and project.learned_system is None and project.system_file != STANDARD:
        files["system"] = {"path": project.system_file, "sha256": read_source(project.system_file).sha256}
    for key, table in (("measurements", measured), ("evaluation", evaluation)):
        if table is not None:
            files[key] = {"path": table.report.source, "sha256": table.report.sha256}
    return files


def without_group(project: Project, column: str | None) -> Project:
    """Return the project with a column of groups that is left out of the table, unless it is an option."""
    if column is None or options_of(project.variability_model(), column) is not None:
        return project
    return replace(project, chosen=replace(project.chosen, ignore=(*project.chosen.ignore, column)))


def read_groups(project: Project, space: Space, measured: Measurements, column: str, policies: Any) -> Groups:
    """Return the groups of the values of a column: an option, or another column of the table."""
    if options_of(space.system, column) is not None:
        return Groups.stated(measured.configurations, column)
    parts = project.measurement_parts(space.system, space, by=(column,), **policies)
    return Groups.of_parts(measured.configurations, (part.configurations for part in parts), column)


@dataclass(frozen=True)
class StoredSources:
    """Models whose rows are learned from, too."""

    models: tuple[StoredModel, ...]  # the models

    @classmethod
    def read(cls, files: Sequence[str]) -> StoredSources:
        """Read the models."""
        # Most models have no sources.
        from splc.formats.models.read import read_stored_models

        models = tuple(read_stored_models(files, full=True))
        repeated = {model.name for model in models if [other.sha256 for other in models].count(model.sha256) > 1}
        if repeated:
            raise errors.InputError([Problem("this model is given twice", name) for name in sorted(repeated)])
        return cls(models)

    def project(self, project: Project) -> Project:
        """Return the project; an inferred system has the options and values of the models, too."""
        if not project.infers:
            # Further options and values of the folder's description are those of the measurements.
            return project.with_system_of_model(self._systems, every=False)
        inferred = project.variability_model(observed=False)
        joint = self._joint(self._systems or [inferred])
        names = {option.name for option in joint.numeric_options}
        values = {option.name: option.values for option in inferred.numeric_options if option.name in names}
        return replace(project, learned_system=replace(extended(joint, values), name=inferred.name))

    @property
    def files(self) -> list[dict[str, str]]:
        """The files and their hashes."""
        return [{"path": model.name, "sha256": model.sha256} for model in self.models]

    def nfp(self, name: str | None) -> str:
        """Return the property of the models; `name`: the one that is asked for."""
        names = dict.fromkeys(model.nfp for model in self.models if model.nfp is not None)
        if name is not None or len(names) == 1:
            return name or next(iter(names))
        raise errors.InputError(Problem(f"the models are about {listed([*names])}", self.models[0].name))

    @property
    def system(self) -> VariabilityModel:
        """A system that has the configurations of all models."""
        return self._joint(self._systems)

    @property
    def _systems(self) -> list[VariabilityModel]:
        return [model.system for model in self.models if model.system is not None]

    def _joint(self, systems: list[VariabilityModel]) -> VariabilityModel:
        joint = joint_system(systems) if systems else None
        if joint is None:
            raise errors.InputError(Problem("the models have different options", self.models[0].name))
        return joint

    def sharing(self, nfp: str, scale: str, system: VariabilityModel, measured: Measurements) -> Sharing:
        """Return the rows of the models and those of the measurements."""
        usable = measured.measured(nfp)
        part = ContextRows.of(usable.configurations, usable.column(nfp), usable.repetitions(nfp))
        return Sharing({**self.parts(nfp, system, measured.contexts.items()), OWN: part}, scale)

    def parts(
        self, nfp: str, system: VariabilityModel, learned: Collection[tuple[str, str]], by: str | None = None
    ) -> dict[str, ContextRows]:
        """Return the rows of the models by the values of their contexts."""
        values = {value for _, value in learned}
        parts: dict[str, ContextRows] = {}
        for model in self.models:
            if model.nfp is not None and model.nfp != nfp:
                raise errors.InputError(Problem(f"the model is about {model.nfp}, not {nfp}", model.name))
            for name, configurations, y in _rows(model):
                # Rows of the value that is learned may be those that the error is estimated on.
                if name in values or not model.contexts.items().isdisjoint(learned):
                    continue
                try:
                    converted = Configurations.from_columns(system, configurations.to_columns())
                except errors.ConfigurationError as error:
                    message = f"the model has other options or values: {error.problems[0].message}"
                    raise errors.InputError(Problem(message, model.name)) from None
                # Files of the same value have rows of their own.
                full = joint_ensemble(model.full)
                is_joint = full is not None and full.basis.context is not None
                unique = f"{name} ({model.name})" if name in parts and not is_joint else name
                parts[unique] = ContextRows(converted, y, np.ones(len(y)))
        if not parts:
            hint = "leave --from out, or choose models of other values"
            raise errors.LearningError(
                Problem("the models are of the value that is learned", self.models[0].name, hint=hint)
            )
        # Not before: a model that learned from another one has its rows by the name of the file, too.
        values_of_files = {model.name: model.contexts.get(by or "", model.name) for model in self.models}
        titled: dict[str, ContextRows] = {}
        for name, part in parts.items():
            title = values_of_files.get(name, name)
            titled[name if title in titled else title] = part
        return titled


def _rows(model: StoredModel) -> Iterator[tuple[str, Configurations, Array]]:
    """Yield the name, configurations and values of each context that a model was learned from."""
    full = joint_ensemble(model.full)
    if full is None or not full.parts:
        hint = "use the .json file of a model of the default learner that is no constant and no sum"
        raise errors.InputError(Problem("the file has no measured values to learn from", model.name, hint=hint))
    context = full.basis.context
    if context is None or full.places is None:
        # A value of the context says more than the name of a file.
        yield ", ".join(model.contexts.values()) or model.name, full.configurations, full.measured
        return
    for index, name in enumerate(context.names):
        rows = np.flatnonzero(full.places == index)
        # The same context of several files counts once.
        yield name if name != OWN else model.name, full.configurations[rows], full.measured[rows]


def note_of(sharing: Sharing, learned: Collection[str] = (OWN,)) -> str:
    """Return a note about the rows of other models; `learned`: the names of the other rows."""
    sources = [f"{len(part.y)} rows of {name}" for name, part in sharing.parts.items() if name not in learned]
    weight = sharing.weights.get(OWN)
    text = "" if weight is None else f"; weight of learning alone: {weight:.2f}"
    return f"learned with {listed(sources, 5)}{text}"
