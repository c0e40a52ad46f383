"""Explain a model: what its prediction depends on, over all valid configurations, and at single ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from sampling import Space
from sampling.space.blocks import Block, blocks_of
from splc.data.configurations import Configurations
from splc.data.property_unit import titled
from splc.errors import RequestError
from splc.formats.measurements.columns import shown_value
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, standard_input_kept, write_whole
from splc.io.outputs import require_writable
from splc.learning.contexts.contrasts import ContextInfluences, joint_ensemble
from splc.learning.plausibility import valid_predictions
from splc.learning.projection import Full
from splc.models.influence import InfluenceModel
from splc.plotting import plot_format
from splc.plotting.charts.drawing import chart_file
from splc.types import Array
from splc.workflows.common_fields import Printed
from splc.workflows.configuration import further_notes, one_configuration
from splc.workflows.explain.aliases import alias_notes
from splc.workflows.explain.contributions import Explained, contributions, explained_of
from splc.workflows.explain.full import overview_of_full, overview_of_result
from splc.workflows.explain.overview import Overview, choices_of, overview, overview_of
from splc.workflows.explain.plot import explained_chart
from splc.workflows.fields import as_argument, as_option, request
from splc.workflows.fixed_space import WITHOUT_FAILURE, failing_notes, failure_notes, known_failures
from splc.workflows.inputs import ModelInputs
from splc.workflows.negative_predictions import negative_notes
from splc.workflows.note import Note, Notes, OnProgress
from splc.workflows.prediction_intervals import outside_notes

__all__ = [
    "Explained",
    "Overview",
    "Request",
    "Result",
    "checked_predictions",
    "contributions",
    "model_overview",
    "overview",
    "overview_of_result",
    "run",
]


@request
class Request(ModelInputs):
    """A request to explain a model, or one of its predictions."""

    model: Annotated[str, as_argument("MODEL", "The model: a log, JSON or model text. '-' is standard input.")]
    configuration: Annotated[
        str | None,
        as_argument(
            "[CONFIGURATION]",
            "The configuration whose prediction is explained: 'cache,threads=4', or a CSV file of one row.",
        ),
    ] = None
    against: Annotated[
        str | None, as_option("CONFIGURATION", "Another configuration: explain why the predictions of the two differ.")
    ] = None
    printed: Printed = False
    by: Annotated[
        str | None,
        as_option("COLUMN", "How influences vary over the values of this context, of a model of learn --share."),
    ] = None
    plot: Annotated[str | None, as_option("FILE", "Draw the explanation (.svg, .png, .pdf).")] = None


@dataclass(frozen=True)
class Result:
    """An explained model.

    Attributes:
        name: the name of the system.
        model: the model.
        nfp: the property, None if the file of the model does not name it.
        overview: the importance of options, None if a configuration is explained.
        explained: the explanation of a configuration, None if the model is.
        plot: the file that the plot was written to.
        notes: what the user should know.
        contexts: context → its value in the measurements that the model was learned from.
        folds: the number of folds that support of interactions is counted in; 0 if that is not known.
        unit: the unit of the property, None if it is not known.
        influences: those with each value of a context, None if the model or a configuration is explained.
    """

    name: str
    model: InfluenceModel
    nfp: str | None
    overview: Overview | None = None
    explained: Explained | None = None
    plot: str | None = None
    notes: tuple[Note, ...] = ()
    contexts: Mapping[str, str] = field(default_factory=dict)
    folds: int = 0
    unit: str | None = None
    influences: ContextInfluences | None = None

    @property
    def stated_contexts(self) -> tuple[str, ...]:
        """The contexts as texts."""
        return tuple(f"{name} = {shown_value(value)}" for name, value in self.contexts.items())


@standard_input_kept()
def run(request: Request, on_progress: OnProgress | None = None) -> Result:
    """Explain a model, or one or two of its predictions.

    Args:
        request: the model, and what to explain.
        on_progress: called after each option of a full model.

    Raises:
        RequestError: if the request contradicts itself.
        InputError: if a file cannot be found or read, or a configuration is not valid.
        SpaceError: if the constraints are too complex.
        OutputError: if the plot cannot be written.
    """
    files = [file for file in (request.model, request.configuration, request.against) if file is not None]
    if files.count(STANDARD) > 1:
        raise RequestError("only one of the inputs can be standard input", "model", "configuration")
    if request.against is not None and request.configuration is None:
        raise RequestError("which configuration is compared with it? name it after the model", "against")
    project = request.project_of_models([request.model])
    file_format = None if request.plot is None else plot_format(request.plot)
    require_writable(request.plot, (*files, *project.files))
    notes = Notes()
    space = Space(request.read_system(project, notes))
    system = space.system
    with notes:
        stored = request.read_predictor(request.model, project, system, notes, printed=request.printed)
        subject, reference = (
            None if text is None else one_configuration(text, space)
            for text in (request.configuration, request.against)
        )
        for row in (subject, reference):
            notes += () if row is None else further_notes(system, row.system)
        if request.by is not None:
            influences = _influences(request, stored, request.by)
            return Result(
                system.name, stored.model, stored.nfp, notes=tuple(notes), unit=stored.unit, influences=influences
            )
        summary = None
        blocks: Sequence[Block] = ()
        if subject is None:
            summary = model_overview(stored, space, notes, on_progress)
        elif reference is None:
            blocks = blocks_of(stored.model, space, choices_of(system)[1])
            _note_drawn(blocks, notes)
        explained = None if subject is None else explained_of(stored, space, subject, reference, blocks)
        notes += negative_notes(checked_predictions(stored, explained, space), stored.nfp, project, space, stored.full)
        failures = known_failures(None, [stored.provenance], system)
        if explained is None:
            notes += failure_notes(failures, WITHOUT_FAILURE)
        for row in () if explained is None else filter(None, (subject, reference)):
            notes += failing_notes(row, failures)
        if explained is not None:
            notes += outside_notes([interval.excludes(value) for value, interval in explained.intervals])
        result = Result(
            system.name,
            stored.model,
            stored.nfp,
            summary,
            explained,
            request.plot,
            tuple(notes),
            stored.columns.contexts,
            stored.folds,
            stored.unit,
        )
    if file_format is not None and request.plot is not None:
        write_whole(request.plot, picture(result, file_format))
    return result


def _influences(request: Request, stored: StoredModel, by: str) -> ContextInfluences:
    """Return the influences with each value of the context that a model was learned by.

    Raises:
        RequestError: if it was not learned together with other values of this context.
    """
    for name in ("configuration", "against", "plot", "printed"):
        if getattr(request, name):
            raise RequestError("influences of the full model are compared, over all valid configurations", "by", name)
    if by not in stored.columns.contexts:
        raise RequestError(f"the model was not learned by {by!r}", "by", hint="splc learn --by COLUMN --share")
    full = joint_ensemble(stored.full)
    if full is None or full.basis.context is None:
        hint = (
            f"splc learn --by {by} --share learns all values together, and knows influences with each value; "
            "values that it learned alone have none"
        )
        raise RequestError(f"the model was learned from rows of one value of {by} alone", "by", hint=hint)
    influences = ContextInfluences.of(full)
    if influences is None:
        hint = f"learn factors: splc learn --by {by} --share --set scale=log"
        raise RequestError(
            "the effects of this joint model add up; influences are compared as factors", "by", hint=hint
        )
    return influences


def model_overview(stored: StoredModel, space: Space, notes: Notes, on_progress: OnProgress | None = None) -> Overview:
    """Return the importance of the options of a model: of its full model, if it has one.

    Raises:
        SpaceError: if the constraints are too complex, for a model without a full one.
    """
    titles, choices = choices_of(space.system)
    full = stored.full if isinstance(stored.full, Full) else joint_ensemble(stored.full)
    if full is not stored.full:
        notes.append(Note("values of other contexts at the same configurations are left out of these effects"))
    if full is not None:
        support = {stored.model.options_of(term): None for term, _ in stored.model.terms} | dict(stored.support)
        summary = overview_of_full(full, stored.model, support, space, titles, choices, notes, on_progress)
    else:
        blocks = blocks_of(stored.model, space, choices)
        _note_drawn(blocks, notes)
        summary = overview_of(stored.model, space, blocks, titles, choices, notes, stored.support)
    notes += alias_notes(full, space, choices)
    return summary


def _note_drawn(blocks: Sequence[Block], notes: Notes) -> None:
    if any(not block.exact for block in blocks):
        notes.append(Note("some options have too many valid combinations to list: averages are over drawn ones"))


def checked_predictions(stored: StoredModel, explained: Explained | None, space: Space) -> Array:
    """Return the predictions that are explained: of valid configurations, or of one or two."""
    if explained is not None:
        rows = [row for row in (explained.configuration, explained.against) if row is not None]
        return np.concatenate([stored.predictor.predict(row) for row in rows])
    if stored.model.link == "log":
        return np.zeros(0)
    none = Configurations(space.system, np.zeros((0, 0), dtype=int))
    return valid_predictions(stored.predictor, none, space)


def picture(result: Result, file_format: str) -> bytes:
    """Return the plot of a result as a file."""
    title = ", ".join((f"{result.name}: {result.nfp}" if result.nfp else result.name, *result.stated_contexts))
    content = result.overview or result.explained
    assert content is not None
    return chart_file(explained_chart(content, title, titled(result.nfp or "prediction", result.unit)), file_format)
