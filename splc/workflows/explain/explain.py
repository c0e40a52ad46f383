"""`splc explain`: what the prediction of a model depends on, over all valid configurations, and at single ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from sampling import Space
from sampling.space.blocks import Block, blocks_of
from splc.data.configurations import Configurations
from splc.data.property_unit import titled
from splc.errors import RequestError, plural
from splc.formats.measurements.columns import shown_value
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, standard_input_kept, write_whole
from splc.io.json_object import ITSELF, JsonObject, at, each, json_object, merged
from splc.io.numbers import percentage, short_number
from splc.io.outputs import require_writable
from splc.learning.contexts.contrasts import ContextInfluences, InfluenceVariation, in_half_widths, joint_ensemble
from splc.learning.plausibility import valid_predictions
from splc.learning.projection import Full
from splc.models.influence import InfluenceModel
from splc.plotting import plot_format
from splc.plotting.charts.drawing import chart_file
from splc.types import Array, Link
from splc.workflows.common_fields import Printed
from splc.workflows.explain.aliases import alias_notes
from splc.workflows.explain.contributions import (
    ContributionObject,
    Explained,
    answer_about,
    contribution_objects,
    explained_of,
    view_of_prediction,
)
from splc.workflows.explain.full import overview_of_full
from splc.workflows.explain.overview import (
    InteractionObject,
    OptionImportanceObject,
    Overview,
    choices_of,
    overview_of,
    view_of_overview,
)
from splc.workflows.explain.pictures import explained_chart
from splc.workflows.fields import as_argument, as_option, request
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Notes
from splc.workflows.objects import OptionValues, option_values
from splc.workflows.prediction_notes import Interval, negative_notes, outside_notes
from splc.workflows.subspace import (
    WITHOUT_FAILURE,
    failing_notes,
    failure_notes,
    further_notes,
    known_failures,
    one_configuration,
)
from splc.workflows.verb import NOBODY, Verb, Watch
from splc.workflows.views import Answer, Column, Detail, Rows, View

# The greatest numbers of values with a column, and of options.
MAX_CONTEXTS, MAX_VARYING = 6, 20
FACTOR = partial(short_number, digits=4)


@request
class Request(ModelInputs):
    """Explain a model: the options by their share of the variance, their interactions, and the effect of each value.

    All averages are over the valid configurations. With a configuration, the contribution of each term to its
    prediction is printed, relative to the mean or to another configuration.
    """

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
    """An explained model."""

    name: str  # the name of the system
    model: InfluenceModel  # the model
    nfp: str | None  # the property, None if the file of the model does not name it
    overview: Overview | None = None  # the importance of options, None if a configuration is explained
    explained: Explained | None = None  # the explanation of a configuration, None if the model is
    plot: str | None = None  # the file that the plot was written to
    notes: tuple[Note, ...] = ()  # what the user should know
    # context → its value in the measurements that the model was learned from
    contexts: Mapping[str, str] = field(default_factory=dict)
    folds: int = 0  # the number of folds that support of interactions is counted in; 0 if that is not known
    unit: str | None = None  # the unit of the property, None if it is not known
    # those with each value of a context, None if the model or a configuration is explained
    influences: ContextInfluences | None = None
    by: str | None = None

    @property
    def stated_contexts(self) -> tuple[str, ...]:
        """The contexts as texts."""
        return tuple(f"{name} = {shown_value(value)}" for name, value in self.contexts.items())


@standard_input_kept()
def run(request: Request, watch: Watch = NOBODY) -> Result:
    """Explain a model, or one or two of its predictions."""
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
            found = Result(system.name, stored.model, stored.nfp, notes=tuple(notes), unit=stored.unit)
            return replace(found, influences=influences, by=request.by)
        summary = None
        blocks: Sequence[Block] = ()
        if subject is None:
            summary = model_overview(stored, space, notes, watch)
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
    """Return the influences with each value of the context that a model was learned by."""
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


def model_overview(stored: StoredModel, space: Space, notes: Notes, watch: Watch = NOBODY) -> Overview:
    """Return the importance of the options of a model: of its full model, if it has one."""
    titles, choices = choices_of(space.system)
    full = stored.full if isinstance(stored.full, Full) else joint_ensemble(stored.full)
    if full is not stored.full:
        notes.append(Note("values of other contexts at the same configurations are left out of these effects"))
    if full is not None:
        support = {stored.model.options_of(term): None for term, _ in stored.model.terms} | dict(stored.support)
        summary = overview_of_full(full, stored.model, support, space, titles, choices, notes, watch)
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


class ExplainedModelObject(JsonObject):
    """The model that is explained."""

    name: str
    nfp: str | None
    unit: str | None
    link: Link = at("model.link")


class PlotAndNotesObject(JsonObject):
    """The file of the plot, and the notes."""

    plot: str | None
    notes: list[str] = each("notes", "text")


class ExplanationObject(JsonObject, schema="splc.explain/1"):
    """A model explained over all valid configurations."""

    model: ExplainedModelObject = merged(ITSELF)
    mean: float | None = at("overview.mean")
    deviation: float | None = at("overview.deviation")
    options: list[OptionImportanceObject] = at("overview.options")
    interactions: list[InteractionObject] = at("overview.interactions")
    full: bool = at("overview.full")
    unused: list[str] = at("overview.unused")
    folds: int
    rest: PlotAndNotesObject = merged(ITSELF)


class ExplainedPredictionObject(JsonObject, schema="splc.explain.configuration/1"):
    """A prediction explained by its terms."""

    model: ExplainedModelObject = merged(ITSELF)
    configuration: OptionValues = at(lambda result: option_values(result.explained.configuration))
    against: OptionValues | None = at(
        lambda result: None if result.explained.against is None else option_values(result.explained.against)
    )
    predicted: float = at("explained.predicted")
    interval: Interval | None = at("explained.interval")
    reference: float = at("explained.reference")
    reference_interval: Interval | None = at("explained.against_interval")
    terms: list[ContributionObject] = at(lambda result: contribution_objects(result.explained))
    rest: PlotAndNotesObject = merged(ITSELF)


class InfluenceVariationObject(JsonObject):
    """The influence of an option with each value: the factor between its greatest and its least value."""

    option: str
    factors: list[float]
    spread: float
    settled: bool


class ExplainedContextsObject(JsonObject, schema="splc.explain.by/1"):
    """The influences of options over the values of a context, those that vary most first."""

    system: str = at("name")
    nfp: str | None
    values: list[str] = at("influences.names")
    influences: list[InfluenceVariationObject] = at(lambda result: result.influences.variations())


def view(result: Result, detail: Detail) -> View:
    """Yield the explanation of a model or of a prediction, or the influences over the values of a context."""
    if result.by is not None:
        yield from _view_of_contexts(result, result.by, detail)
    else:
        yield Answer(_answer(result))
        if not detail.quiet:
            yield from _explanation(result)
    yield result.notes


def _explanation(result: Result) -> View:
    product = result.model.link == "log"
    title = f"model of {result.nfp}" if result.nfp else "model"
    kind = f"a {'product of factors' if product else 'sum of terms'}"
    if result.overview is not None and result.overview.full:
        kind = f"as the full model predicts{', by the logarithm' if product else ''}"
    yield ", ".join((f"{result.name}: {title}", *result.stated_contexts, kind))
    if result.overview is not None:
        yield from view_of_overview(result.overview, result.folds, result.unit)
    if result.explained is not None:
        yield from view_of_prediction(result.explained, result.unit)
    if result.plot is not None:
        yield f"\nplot  {result.plot}"


def _answer(result: Result) -> str:
    """Return the first line: the options that matter most, or the prediction and what it differs from."""
    if result.explained is not None:
        return answer_about(result.explained, result.unit)
    assert result.overview is not None
    if not result.overview.leading:
        return "no option changes the prediction"
    first, *options = ((option.name, percentage(option.share * 100, 2)) for option in result.overview.leading)
    product = result.model.link == "log"
    of = "the logarithm of the prediction" if product else "the prediction"
    more = "".join(f", {name} {share}" for name, share in options)
    return f"{first[0]} explains {first[1]} of the variance of {of}{more}"


def _view_of_contexts(result: Result, by: str, detail: Detail) -> View:
    """Yield the options by how much their influence varies."""
    influences = result.influences
    assert influences is not None
    variations = influences.variations()
    yield Answer(_answer_by(variations, by, few_rows=influences.few_rows()))
    if detail.quiet:
        return
    values = plural(len(influences.names), "value", "values")
    yield f"{result.name}: model of {result.nfp}, influences with {values} of {by}, as the full model predicts"
    yield Rows(variations, (Column("option", "option"), *_columns(influences)), MAX_VARYING)
    yield "factor of the prediction between the greatest and the least value of an option, or selected and not"
    limit = in_half_widths(influences.half_widths(influences.pairs))
    compared = plural(influences.pairs, "pair is", "pairs are")
    yield f"known to differ: between two values {limit}, as {compared} compared"
    if influences.few_rows() and any(variation.settled for variation in variations):
        yield "may differ: some values have fewer than two rows per option"


def _answer_by(variations: tuple[InfluenceVariation, ...], by: str, *, few_rows: bool) -> str:
    """Return the first line: the option that varies most."""
    settled = [variation for variation in variations if variation.settled]
    if not settled:
        return f"no influence differs between values of {by} by more than its uncertainty"
    first = settled[0]
    ends = f"{FACTOR(min(first.factors))} to {FACTOR(max(first.factors))}"
    count = f"{len(settled)} of {plural(len(variations), 'influence', 'influences')}"
    if few_rows:
        return f"{first.option} may vary most with {by}: factor {ends}; {count} may differ"
    verb = "differs" if len(settled) == 1 else "differ"
    return f"{first.option} varies most with {by}: factor {ends}; {count} {verb} by more than the uncertainty"


def _columns(influences: ContextInfluences) -> tuple[Column, ...]:
    """Return a column for each of few values, or the least and the greatest of many."""
    names = influences.names
    if len(names) <= MAX_CONTEXTS:
        columns = tuple(Column(shown_value(name), partial(_factor, at=at), right=True) for at, name in enumerate(names))
    else:
        columns = tuple(
            Column(title, partial(_end, names=names, greatest=title == "greatest"), right=True)
            for title in ("least", "greatest")
        )
    return (*columns, Column("", lambda row: "" if row.settled else "not known to differ"))


def _factor(row: InfluenceVariation, at: int) -> str:
    return FACTOR(row.factors[at])


def _end(row: InfluenceVariation, names: tuple[str, ...], *, greatest: bool) -> str:
    value = max(row.factors) if greatest else min(row.factors)
    return f"{FACTOR(value)} ({shown_value(names[row.factors.index(value)])})"


def _as_json(result: Result) -> dict[str, Any]:
    if result.by is not None:
        return json_object(ExplainedContextsObject, result)
    return json_object(ExplanationObject if result.explained is None else ExplainedPredictionObject, result)


VERB = Verb(
    Request,
    run,
    view,
    _as_json,
    (
        "splc explain learned.log",
        "splc explain learned.log px=4,py=4,nx=400",
        "splc explain learned.log px=4,py=1,nx=400 --against px=1,py=4,nx=400 --plot difference.svg",
    ),
    doing="explaining",
    without=("invalid", "duplicates", "aggregate"),
)
