"""Models by context: `splc learn --by`, what changes between versions, workloads or machines, and those in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from comparison.changes import model_course
from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.property_unit import titled
from splc.errors import ConfigurationError, LearningError, RequestError, SpecError, listed, plural
from splc.formats.column_choice import shown_value
from splc.io.numbers import percentage
from splc.io.presentation import Presented
from splc.learning.contexts.contrasts import ContextContrast, ContextInfluences
from splc.learning.contexts.sharing import ContextRows, Sharing
from splc.learning.projection import ProjectionLearner
from splc.learning.registry import learn as learn_measurements
from splc.learning.registry import learner_of
from splc.learning.result import LearningResult
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.drawing import require_picture, write_picture
from splc.plotting.charts.effects import course_chart
from splc.system.options import with_alternatives
from splc.types import Array
from splc.workflows.inputs import PLACE, each_context, each_learned, file_names, require_files, with_context
from splc.workflows.learn import learn
from splc.workflows.learn.effects import Change, context_change, joint_course
from splc.workflows.learn.request import Request, StoredSources, learning_rows, note_of
from splc.workflows.note import Note, Noted, Notes, Rank
from splc.workflows.views import UNWATCHED, Watch

# The name of the file of the model of all values, instead of a value.
SHARED = "shared"
# With more values, most terms of one printed model would be about single values.
MAX_VALUES = 10


@dataclass(frozen=True, eq=False)
class Result(Noted):
    """One model per value of a context."""

    request: Request  # the request
    models: Mapping[str, learn.Result]  # value → its model, in natural order of the values
    failed: Mapping[str, str]  # value → why nothing was learned
    changes: tuple[Change, ...]  # the changes between consecutive values that have a model
    stopped: bool = False  # whether learning was stopped early
    plot: str | None = None  # the file that the plot of the changes was written to
    weights: Mapping[str, float] = field(default_factory=dict)  # value → the weight of learning it alone, with --share
    shared: learn.Result | None = None  # one printed model of all values that are learned together
    options: Mapping[str, str] = field(default_factory=dict)  # value → its option in this model

    @property
    def by(self) -> str:
        """The context."""
        assert self.request.by is not None
        return self.request.by

    @property
    def differing(self) -> int:
        """The number of terms of the shared model that are about single values."""
        names = {*self.options.values()}
        return sum(not names.isdisjoint(term.options) for term in self.shared.result.terms) if self.shared else 0


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Learn one model per value of a context, each with its file; an interruption keeps those of the values before."""
    request, by = request.plain, request.by
    assert by is not None
    require_files(request.output, evaluate_on=request.evaluate_on, given_terms=request.given_terms)
    if request.group is not None:
        raise RequestError("the rows of a value are different settings", "group", "by")
    if request.block is not None:
        raise RequestError("each value is learned alone; choose one with --where", "block", "by")
    request = with_context(request, by)
    project = request.project(request.folder)
    stored = StoredSources.read(request.sources) if request.sources else None
    project = project if stored is None else stored.project(project)
    learner, _ = request.chosen_learner(project)
    if request.share:
        request.require_joint(learner, "share")
    plot = None if PLACE in (request.plot or "") else request.plot
    require_picture(plot, (project.measurements_file, *project.files))
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        parts = request.read_by(project, space, notes, by)
        # Values that are learned together have different samples.
        seeds = {value: request.seed + at * request.share for at, value in enumerate(parts)}
        sharing, tables, name = None, {}, ""
        for value, table in parts.items() if request.share else ():
            with suppress(LearningError):
                name = project.resolve_property(table)
                rows = learning_rows(table, name, request.spec, seeds[value], space, request.missing).rows
                tables[value] = table[rows]
        if tables and isinstance(learner, ProjectionLearner):
            sharing = Sharing.of(tables, name, learner.chosen.scale)
            if stored is not None:
                further = stored.parts(name, space.system, [(by, value) for value in parts], by)
                sharing = Sharing({**further, **sharing.parts}, learner.chosen.scale)
            sharing = sharing if len(sharing.parts) > 1 else None
        pattern = request.output or (f"learned{learner.suffix}" if learner.suffix else None)
        requests = dict(each_context(request, by, [*parts], output=pattern, plot=request.plot))

        def learned(value: str) -> learn.Result:
            own = replace(requests[value], companion=request.output is None, seed=seeds[value], by=None, share=False)
            fit = None if sharing is None else sharing.fit_of(value)
            return learn.run(own, watch, parts[value], fit, f"{by} {value}: ")

        models: dict[str, learn.Result] = {}
        failed: dict[str, str] = {}
        remarks: dict[Note, list[str]] = {}
        options: dict[str, str] = {}
        stopped, shared = False, None
        try:
            for value, result in each_learned(parts, learned, failed):
                models[value] = result
                for note in result.notes:
                    remarks.setdefault(note, []).append(value)
                if result.interrupted or watch.stop():
                    stopped = True
                    break
        except KeyboardInterrupt:
            if not models:
                raise
            stopped = True
        # Each note once, with the values that it is about.
        for note, values in remarks.items():
            text = f"{by} {listed([shown_value(value) for value in values], 3)}"
            where = f"all values of {by}" if len(values) == len(models) > 1 else text
            notes.append(replace(note, text=f"{where}: {note.text}"))
        if sharing is not None and sharing.counts_numbers:
            notes.append(Note(f"the values of {by} count as numbers, which explains the measurements better"))
        if sharing is not None and stored is not None:
            notes.append(Note(note_of(sharing, parts)))
        joint = None if sharing is None else sharing.given
        influences = None if joint is None else ContextInfluences.of_joint(joint)
        changes = tuple(context_change(models[one], models[two], one, two, influences) for one, two in pairwise(models))
        if sharing is not None and len(sharing.parts) > MAX_VALUES:
            text = f"of more than {MAX_VALUES} values most terms are about single ones"
            notes.append(Note(f"no model of all values is printed: {text}", about=Rank.LIMIT))
        elif sharing is not None and joint is not None and not stopped:
            nfp = next(iter(models.values())).result.nfp
            measured, options = pooled_rows(sharing.parts, by, nfp)
            output = file_names(pattern, [*parts, SHARED])[SHARED]
            shared = learn.run(replace(request.of_rows, nfp=nfp, output=output, by=None, share=False), given=measured)
        if plot is not None:
            try:
                write_picture(_chart(by, models, changes, influences), plot)
            except ConfigurationError as problem:
                plot = None
                notes.append(Note(f"changes are not drawn: {problem.problems[0].message}"))
        weights = {} if sharing is None else sharing.weights_of(models)
        found = (request, models, failed, changes, stopped, plot, weights, shared, options)
        return Result(*found, notes=tuple(notes))


def pooled_rows(parts: Mapping[str, ContextRows], by: str, nfp: str) -> tuple[Measurements, dict[str, str]]:
    """Return the rows of all values with the context as an alternative group, and the options of the values."""
    every = Configurations.concatenate([part.configurations for part in parts.values()])
    places = np.repeat(np.arange(len(parts)), [len(part.configurations) for part in parts.values()])
    joint = as_options(every, by, tuple(parts), places)
    children = [option.name for option in joint.system.binary_options if option.parent == by]
    values = np.concatenate([part.y for part in parts.values()])
    return Measurements(joint, {nfp: values}), dict(zip(parts, children, strict=True))


def as_options(configurations: Configurations, by: str, values: Sequence[str], places: Array) -> Configurations:
    """Return configurations with a context as one more alternative group; `places`: the value of each, shape (n,)."""
    system = configurations.system
    joint = replace(system, options=with_alternatives(system.options, by, values))
    columns = {**configurations.to_columns(), by: np.array(values, dtype=object)[places]}
    return Configurations.from_columns(joint, columns)


def _chart(
    by: str, models: Mapping[str, learn.Result], changes: Sequence[Change], influences: ContextInfluences | None
) -> Chart:
    """Return the chart of what changed between the values: by their joint model, if there is one."""
    first = next(iter(models.values()))
    nfp = first.result.nfp
    contrasts = [change.contrast for change in changes if change.contrast is not None]
    if influences is not None and changes and len(contrasts) == len(changes):
        course = joint_course(influences, list(models), contrasts)
    else:
        compared = [change.influences for change in changes if change.influences is not None]
        if not compared or len(compared) < len(changes):
            raise ConfigurationError(next((row.reason for row in changes if row.reason), "there is only one model"))
        measured = [(model.measured.configurations, model.measured.column(nfp)) for model in models.values()]
        course = model_course([model.result.model for model in models.values()], measured, compared)
    title = f"{first.measured.system.name}: {nfp} by {by}"
    return course_chart(course, list(models), by, title, titled(nfp, first.measured.unit(nfp)))


@dataclass(frozen=True, eq=False, repr=False)
class LearnedContexts(Presented, Mapping[str, LearningResult]):
    """A mapping from the values of a context, such as versions, to the model of each."""

    by: str  # the context
    results: Mapping[str, LearningResult]  # value → its result, in natural order
    weights: Mapping[str, float] = field(default_factory=dict)  # value → the weight of learning it alone, with share
    influences: ContextInfluences | None = None  # those with each value by a joint model of factors, None without one
    failed: Mapping[str, str] = field(default_factory=dict)  # value → why nothing was learned
    notes: tuple[str, ...] = ()  # what was assumed to read the measurements

    def __getitem__(self, value: str) -> LearningResult:
        return self.results[value]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def changes(self) -> tuple[ContextContrast, ...]:
        """The contrasts of consecutive values by the joint model; empty without one."""
        influences = self.influences
        return () if influences is None else tuple(influences.contrast(*pair) for pair in pairwise(influences.names))

    def summary(self) -> str:
        """Return the number of models, and the expected error of each with the weight of learning it alone."""
        together = ", learned together" if self.weights else ""
        lines = [f"{plural(len(self), 'model', 'models')} by {self.by}{together}"]
        for value, result in self.items():
            error = "unknown" if result.cross_validated is None else percentage(result.cross_validated.mean, 2)
            alone = f"; weight of learning alone {self.weights[value]:.2f}" if value in self.weights else ""
            lines.append(f"{shown_value(value)}: error {error}, {result.learning_configurations} configurations{alone}")
        lines += [f"{shown_value(value)}: no model: {reason}" for value, reason in self.failed.items()]
        return "\n".join(lines)

    def to_columns(self) -> Mapping[str, Sequence[Any] | Array]:
        """Return the values with their configurations, errors in percent, and weights of learning alone."""
        results = self.results.values()
        crossed = (result.cross_validated for result in results)
        return {
            self.by: [*self.results],
            "configurations": [result.learning_configurations for result in results],
            "error": [None if error is None else error.mean for error in crossed],
            "weight_alone": [*map(self.weights.get, self.results)],
        }


def learn_contexts(
    parts: Mapping[str, Measurements],
    by: str,
    nfp: str | None = None,
    preset: str | None = None,
    *,
    share: bool = False,
    learner: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **further: Any,
) -> LearnedContexts:
    """Learn a model of each value of a context."""
    chosen = learner_of(learner, preset, settings)
    sharing = None
    if share:
        if not isinstance(chosen, ProjectionLearner):
            raise SpecError(f"the learner {chosen.name} learns each value alone", hint="leave share out")
        if further.get("learning_set") is not None:
            raise SpecError("values that are learned together have no common learning set", hint="select their rows")
        name = next(iter(parts.values())).resolve_property(nfp)
        sharing = Sharing.of({value: part for value, part in parts.items() if len(part)}, name, chosen.chosen.scale)

    def learned(value: str) -> LearningResult:
        fit = None if sharing is None else sharing.fit_of(value)
        estimator = replace(chosen, fit=fit) if isinstance(chosen, ProjectionLearner) else chosen
        return learn_measurements(parts[value], nfp, learner=estimator, **further)

    failed: dict[str, str] = {}
    results = dict(each_learned(parts, learned, failed))
    weights = {} if sharing is None else sharing.weights_of(results)
    joint = None if sharing is None else sharing.given
    return LearnedContexts(by, results, weights, None if joint is None else ContextInfluences.of_joint(joint), failed)
