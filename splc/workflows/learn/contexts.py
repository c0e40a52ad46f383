"""Learn one model per value of a context (version, workload, machine), and compare consecutive ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated

from comparison.changes import model_course
from sampling import Space
from splc.data.measurements import Measurements
from splc.data.property_unit import titled
from splc.errors import ConfigurationError, LearningError, RequestError, listed
from splc.formats.measurements.columns import shown_value
from splc.io.files import write_whole
from splc.io.outputs import require_writable
from splc.learning.contexts.contrasts import ContextInfluences
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.unmeasured_model import UnmeasuredContextFit
from splc.learning.projection import ProjectionLearner
from splc.plotting import plot_format
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.effects import course_chart
from splc.project import Project
from splc.workflows import learn
from splc.workflows.by import each_context, each_learned, file_names, is_pattern, require_files, with_context
from splc.workflows.fields import python_only, request
from splc.workflows.learn.context_changes import Change, context_change, joint_course
from splc.workflows.learn.learning_sets import chosen_learner, learning_rows
from splc.workflows.learn.parts import OnStep
from splc.workflows.learn.shared_model import MAX_VALUES, SHARED, SharedModel, shared_model
from splc.workflows.learn.stored_sources import StoredSources, note_of, require_joint
from splc.workflows.learn.unmeasured import of_value
from splc.workflows.note import Note, Notes, Rank


@request
class Request(learn.Request):
    """A request to learn one model per value of a context.

    The plot is that of what changed between its values. Plots of predicted against measured values are written per
    value: the value replaces `{}` in the name (then nothing else is drawn), or is added to it.
    """

    by: Annotated[str, python_only("The context.")]
    share: Annotated[bool, python_only("Learn all values together.")] = False


@dataclass(frozen=True, eq=False)
class Result:
    """One model per value of a context.

    Attributes:
        request: the request.
        models: value → its model, in natural order of the values.
        failed: value → why nothing was learned.
        changes: the changes between consecutive values that have a model.
        notes: what the user should know.
        stopped: whether learning was stopped early.
        plot: the file that the plot of the changes was written to.
        weights: value → the weight of learning it alone, if all values are learned together; else empty.
        shared: one printed model of all values that are learned together.
        unmeasured: value of which nothing was measured → its model.
    """

    request: Request
    models: Mapping[str, learn.Result]
    failed: Mapping[str, str]
    changes: tuple[Change, ...]
    notes: tuple[Note, ...] = ()
    stopped: bool = False
    plot: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    shared: SharedModel | None = None
    unmeasured: Mapping[str, learn.Result] = field(default_factory=dict)


def run(
    request: Request,
    on_step: OnStep | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_learned: Callable[[], None] = lambda: None,
) -> Result:
    """Learn one model per value of a context and write each to its own file.

    A KeyboardInterrupt keeps the models of the values before.

    Args:
        request: what to learn.
        on_step: called after every step, with a line that describes it.
        should_stop: asked after every step; true keeps what is learned and ends.
        on_learned: called when a model is learned, before its folds and baselines.

    Raises:
        SplcError: as `splc.workflows.learn.run`; a value that nothing can be learned of is listed instead, unless
            there is no other.
    """
    require_files(request.output, evaluate_on=request.evaluate_on, given_terms=request.given_terms)
    if request.group is not None:
        raise RequestError("the rows of a value are different settings", "group", "by")
    request = with_context(request, request.by)
    project = request.project(request.folder)
    stored = None
    if request.sources:
        stored = StoredSources.read(request.sources)
        project = stored.project(project)
    learner, _ = chosen_learner(request, project)
    if request.share:
        require_joint(request, learner, "share")
    for name, _ in request.unmeasured:
        if not request.share:
            raise RequestError("a value without measurements is learned from the others", "context", hint="add --share")
        if name != request.by:
            raise RequestError(f"the values that are learned are those of {request.by}, not of {name}", "context")
    file_format = None if request.plot is None or is_pattern(request.plot) else plot_format(request.plot)
    if file_format is not None:
        require_writable(request.plot, (project.measurements_file, *project.files))
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        parts = request.read_by(project, space, notes, request.by)
        sharing = None
        if isinstance(learner, ProjectionLearner):
            sharing = _sharing(request, project, space, parts, learner, stored)
        default = f"learned{learner.suffix}" if learner.suffix else None
        further = [value for _, value in request.unmeasured]
        for value in further:
            if value in parts:
                raise RequestError(f"{value} has measurements", "context", hint="name values without any")
        if further and sharing is None:
            raise RequestError("at least two values must have measurements", "context")
        present = replace(request, context=tuple(text for text in request.context if "=" not in text))
        files = {"output": present.output or default, "plot": present.plot}
        requests = dict(each_context(present, request.by, [*parts, *further], **files))

        def learned(value: str) -> learn.Result:
            own = replace(requests[value], companion=request.output is None, seed=_seed(request, value, parts))
            titled = _titled(on_step, f"{request.by} {value}: ")
            fit = None if sharing is None else sharing.fit_of(value)
            return learn.run(own, titled, should_stop, parts[value], on_learned=on_learned, fit=fit)

        models: dict[str, learn.Result] = {}
        failed: dict[str, str] = {}
        remarks: dict[Note, list[str]] = {}
        stopped = False
        try:
            for value, result in each_learned(parts, learned, failed):
                models[value] = result
                for note in result.notes:
                    remarks.setdefault(note, []).append(value)
                if result.interrupted or (should_stop is not None and should_stop()):
                    stopped = True
                    break
        except KeyboardInterrupt:
            if not models:
                raise
            stopped = True
        notes += _noted_values(request.by, remarks, len(models))
        if sharing is not None and sharing.counts_numbers:
            notes.append(Note(f"the values of {request.by} count as numbers, which explains the measurements better"))
        if sharing is not None and stored is not None:
            notes.append(Note(note_of(sharing, parts)))
        joint = None if sharing is None else sharing.given
        influences = None if joint is None else ContextInfluences.of_joint(joint)
        changes = tuple(
            context_change(models[first], models[second], first, second, influences)
            for first, second in pairwise(models)
        )
        shared = None
        if sharing is not None and len(sharing.parts) > MAX_VALUES:
            few = (
                f"no model of all values is printed: of more than {MAX_VALUES} values most terms are about single ones"
            )
            notes.append(Note(few, about=Rank.LIMIT))
        if sharing is not None and joint is not None and len(sharing.parts) <= MAX_VALUES and not stopped:
            nfp = next(iter(models.values())).result.nfp
            pattern = request.output or default
            shared = shared_model(
                present, sharing.parts, request.by, nfp, file_names(pattern, [*parts, *further, SHARED])[SHARED]
            )
        unmeasured: dict[str, learn.Result] = {}
        for value in further:
            if stopped or sharing is None:
                break
            nfp = next(iter(models.values())).result.nfp
            named = replace(requests[value], context=(f"{request.by}={value}",), companion=request.output is None)
            titled = _titled(on_step, f"{request.by} {value}: ")
            found = of_value(named, UnmeasuredContextFit(sharing, value), request.by, nfp, titled, should_stop)
            unmeasured[value] = found
            notes += found.notes
        plot = None
        if file_format is not None and request.plot is not None:
            try:
                chart = _chart(request.by, models, changes, influences)
                write_whole(request.plot, chart_file(chart, file_format))
                plot = request.plot
            except ConfigurationError as problem:
                notes.append(Note(f"changes are not drawn: {problem.problems[0].message}"))
        weights = {} if sharing is None else sharing.weights_of(models)
        return Result(request, models, failed, changes, tuple(notes), stopped, plot, weights, shared, unmeasured)


def _seed(request: Request, value: str, values: Collection[str]) -> int:
    """Return the seed of the sample of a value: values that are learned together have different samples."""
    return request.seed + (list(values).index(value) if request.share else 0)


def _sharing(
    request: Request,
    project: Project,
    space: Space,
    parts: Mapping[str, Measurements],
    learner: ProjectionLearner,
    stored: StoredSources | None,
) -> Sharing | None:
    """Return the learning sets of the values that have one, and the rows of stored models of others.

    None unless there are at least two to share.
    """
    tables, nfp = {}, ""
    for value, measured in parts.items() if request.share else ():
        with suppress(LearningError):
            nfp = project.resolve_property(measured)
            seed = _seed(request, value, parts)
            chosen = learning_rows(measured, nfp, request.spec, seed, space, request.missing).rows
            tables[value] = measured[chosen]
    if not tables:
        return None
    sharing = Sharing.of(tables, nfp, learner.chosen.scale)
    if stored is not None:
        learned = [(request.by, value) for value in parts]
        further = stored.parts(nfp, space.system, learned, request.by)
        sharing = Sharing({**further, **sharing.parts}, learner.chosen.scale)
    return sharing if len(sharing.parts) > 1 else None


def _chart(
    by: str,
    models: Mapping[str, learn.Result],
    changes: Sequence[Change],
    influences: ContextInfluences | None,
) -> Chart:
    """Return the chart of what changed between the values: by their joint model, if there is one.

    Raises:
        ConfigurationError: if the influences are not comparable, or there is only one model.
    """
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
    quantity = titled(nfp, first.measured.unit(nfp))
    return course_chart(course, list(models), by, title, quantity)


def _noted_values(by: str, remarks: Mapping[Note, Sequence[str]], count: int) -> Iterator[Note]:
    """Yield the notes of models, each one once with the values of the context that it is about."""
    for note, values in remarks.items():
        text = f"{by} {listed([shown_value(value) for value in values], 3)}"
        where = f"all values of {by}" if len(values) == count > 1 else text
        yield replace(note, text=f"{where}: {note.text}")


def _titled(on_step: OnStep | None, title: str) -> OnStep | None:
    return None if on_step is None else lambda this, line: on_step(this, title + line)
