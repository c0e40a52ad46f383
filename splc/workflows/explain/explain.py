"""`splc explain`: what the prediction of a model depends on, over all valid configurations, and at single ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.property_unit import titled
from splc.errors import RequestError, plural
from splc.formats.column_choice import shown_value
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, require_writable, write_whole
from splc.io.json import picked
from splc.learning.contexts.contrasts import ContextInfluences, InfluenceVariation, in_half_widths, joint_ensemble
from splc.learning.plausibility import valid_predictions
from splc.learning.projection import Full
from splc.plotting import plot_format
from splc.plotting.charts.drawing import chart_file
from splc.types import Array
from splc.workflows import subspace
from splc.workflows.explain.contributions import Explained, explained_chart, explained_of, view_of_prediction
from splc.workflows.explain.full import overview_of_full
from splc.workflows.explain.importance import Overview, alias_notes, overview_as_json, overview_of, view_of_overview
from splc.workflows.fields import Printed, argument, as_argument, option, request
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Notes
from splc.workflows.prediction_notes import negative_notes, outside_notes
from splc.workflows.views import UNWATCHED, Answer, Column, Detail, Rows, Verb, View, Watch, four_digits

# The greatest numbers of values with a column, and of options.
MAX_CONTEXTS, MAX_VARYING = 6, 20


@request
class Request(ModelInputs):
    """Explain a model: the options by their share of the variance, their interactions, and the effect of each value.

    All averages are over the valid configurations. With a configuration, the contribution of each term to its
    prediction is printed, relative to the mean or to another configuration.
    """

    model: Annotated[str, as_argument("MODEL", "The model: a log, JSON or model text. '-' is standard input.")]
    configuration: str | None = argument(None, "[CONFIGURATION]")(
        "The configuration whose prediction is explained: 'cache,threads=4', or a CSV file of one row."
    )
    against: str | None = option(None, "CONFIGURATION")(
        "Another configuration: explain why the predictions of the two differ."
    )
    printed: Printed = False
    by: str | None = option(None, "COLUMN")(
        "How influences vary over the values of this context, of a model of learn --share."
    )
    plot: str | None = option(None, "FILE")("Draw the explanation (.svg, .png, .pdf).")


@dataclass(frozen=True)
class Result:
    """An explained model, or one of its predictions, or its influences with each value of a context."""

    request: Request  # the request
    system: str  # the name of the system
    stored: StoredModel  # the model
    found: Overview | Explained | ContextInfluences  # the explanation
    notes: tuple[Note, ...] = ()  # what the user should know

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts that the model was learned from, as texts."""
        return tuple(f"{name} = {shown_value(value)}" for name, value in self.stored.contexts.items())


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
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
    with notes:
        stored = request.read_predictor(request.model, project, space.system, notes, printed=request.printed)
        rows = [subspace.one_configuration(text, space) for text in files[1:]]
        for row in rows:
            notes += subspace.further_notes(space.system, row.system)
        if request.by is not None:
            return Result(request, space.system.name, stored, _influences(request, stored, request.by), tuple(notes))
        failures = subspace.known_failures(None, [stored.provenance], space.system)
        found: Overview | Explained
        if not rows:
            found = model_overview(stored, space, notes, watch)
            further = subspace.failure_notes(failures, subspace.WITHOUT_FAILURE)
        else:
            found = explained_of(stored, space, rows[0], rows[1] if len(rows) > 1 else None, notes)
            both = ((found.predicted, found.interval), (found.reference, found.against_interval))
            outside = outside_notes([interval.excludes(value) for value, interval in both if interval is not None])
            further = (*(note for row in rows for note in subspace.failing_notes(row, failures)), *outside)
        predicted = checked_predictions(stored, found if isinstance(found, Explained) else None, space)
        notes += (*negative_notes(predicted, stored.nfp, project, space, stored.full), *further)
    result = Result(request, space.system.name, stored, found, tuple(notes))
    if file_format is not None and request.plot is not None:
        title = ", ".join((f"{result.system}: {stored.nfp}" if stored.nfp else result.system, *result.contexts))
        chart = explained_chart(found, title, titled(stored.nfp or "prediction", stored.unit))
        write_whole(request.plot, chart_file(chart, file_format))
    return result


def _influences(request: Request, stored: StoredModel, by: str) -> ContextInfluences:
    """Return the influences with each value of the context that a model was learned by."""
    for name in ("configuration", "against", "plot", "printed"):
        if getattr(request, name):
            raise RequestError("influences of the full model are compared, over all valid configurations", "by", name)
    if by not in stored.contexts:
        raise RequestError(f"the model was not learned by {by!r}", "by", hint="splc learn --by COLUMN --share")
    full = joint_ensemble(stored.full)
    if full is None or full.basis.context is None:
        hint = f"splc learn --by {by} --share learns all values together, and knows influences with each value; "
        hint += "values that it learned alone have none"
        raise RequestError(f"the model was learned from rows of one value of {by} alone", "by", hint=hint)
    influences = ContextInfluences.of(full)
    if influences is None:
        text = "the effects of this joint model add up; influences are compared as factors"
        raise RequestError(text, "by", hint=f"learn factors: splc learn --by {by} --share --set scale=log")
    return influences


def model_overview(stored: StoredModel, space: Space, notes: Notes, watch: Watch = UNWATCHED) -> Overview:
    """Return the importance of the options of a model: of its full model, if it has one."""
    full = stored.full if isinstance(stored.full, Full) else joint_ensemble(stored.full)
    if full is not stored.full:
        notes.append(Note("values of other contexts at the same configurations are left out of these effects"))
    if full is not None:
        support = {stored.model.options_of(term): None for term, _ in stored.model.terms} | dict(stored.support)
        summary = overview_of_full(full, stored.model, support, space, notes, watch)
    else:
        summary = overview_of(stored.model, space, notes, stored.support)
    notes += alias_notes(full, space)
    return summary


def checked_predictions(stored: StoredModel, explained: Explained | None, space: Space) -> Array:
    """Return the predictions that are explained: of valid configurations, or of one or two."""
    if explained is not None:
        rows = [row for row in (explained.configuration, explained.against) if row is not None]
        return np.concatenate([stored.predictor.predict(row) for row in rows])
    if stored.model.link == "log":
        return np.zeros(0)
    return valid_predictions(stored.predictor, Configurations(space.system, np.zeros((0, 0), dtype=int)), space)


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of an explained model or prediction, or of influences, those that vary most first."""
    found, stored = result.found, result.stored
    if isinstance(found, ContextInfluences):
        rows = {"values": found.names, "influences": found.variations()}
        return {"schema": "splc.explain.by/1", "system": result.system, "nfp": stored.nfp, **rows}
    facts = {"name": result.system, **picked(stored, "nfp, unit, link = model.link")}
    written = {"plot": result.request.plot, "notes": [note.text for note in result.notes]}
    if isinstance(found, Overview):
        return {"schema": "splc.explain/1", **facts, **overview_as_json(found), "folds": stored.folds, **written}
    return {
        "schema": "splc.explain.configuration/1",
        **facts,
        "configuration": subspace.option_values(found.configuration),
        "against": None if found.against is None else subspace.option_values(found.against),
        **picked(found, "predicted, interval, reference, reference_interval = against_interval"),
        "terms": [
            picked(term, "term = text, contribution = value, reference, difference, factor")
            for term in found.contributions
        ],
        **written,
    }


def view(result: Result, detail: Detail) -> View:
    """Yield the explanation of a model or of a prediction, or the influences over the values of a context."""
    found, stored = result.found, result.stored
    if isinstance(found, ContextInfluences):
        yield from _view_of_contexts(result, found, result.request.by or "", detail)
    else:
        product = stored.model.link == "log"
        kind = f"a {'product of factors' if product else 'sum of terms'}"
        if isinstance(found, Explained):
            yield Answer(found.answer(stored.unit))
            lines = view_of_prediction(found, stored.unit)
        else:
            yield Answer(found.answer)
            if found.full:
                kind = f"as the full model predicts{', by the logarithm' if product else ''}"
            lines = view_of_overview(found, stored.folds, stored.unit)
        if not detail.quiet:
            title = f"model of {stored.nfp}" if stored.nfp else "model"
            yield ", ".join((f"{result.system}: {title}", *result.contexts, kind))
            yield from lines
            if result.request.plot is not None:
                yield f"\nplot  {result.request.plot}"
    yield result.notes


def _view_of_contexts(result: Result, influences: ContextInfluences, by: str, detail: Detail) -> View:
    """Yield the options by how much their influence varies."""
    variations, names, few = influences.variations(), influences.names, influences.few_rows()
    settled = [variation for variation in variations if variation.settled]
    if not settled:
        yield Answer(f"no influence differs between values of {by} by more than its uncertainty")
    else:
        first = settled[0]
        ends = f"factor {four_digits(min(first.factors))} to {four_digits(max(first.factors))}"
        count = f"{len(settled)} of {plural(len(variations), 'influence', 'influences')}"
        differ = f"{'differs' if len(settled) == 1 else 'differ'} by more than the uncertainty"
        varies, differ = ("may vary", "may differ") if few else ("varies", differ)
        yield Answer(f"{first.option} {varies} most with {by}: {ends}; {count} {differ}")
    if detail.quiet:
        return
    values = plural(len(names), "value", "values")
    yield f"{result.system}: model of {result.stored.nfp}, influences with {values} of {by}, as the full model predicts"
    if len(names) <= MAX_CONTEXTS:
        shown = [Column(shown_value(name), f"factors.{at}", four_digits, right=True) for at, name in enumerate(names)]
    else:

        def end(row: InfluenceVariation, of: Callable[[Iterable[float]], float]) -> str:
            value = of(row.factors)
            return f"{four_digits(value)} ({shown_value(names[row.factors.index(value)])})"

        ends_of = (("least", min), ("greatest", max))
        shown = [Column(title, partial(end, of=of), right=True) for title, of in ends_of]
    known = Column("", lambda row: "" if row.settled else "not known to differ")
    yield Rows(variations, (Column("option"), *shown, known), MAX_VARYING)
    yield "factor of the prediction between the greatest and the least value of an option, or selected and not"
    limit = in_half_widths(influences.half_widths(influences.pairs))
    compared = plural(influences.pairs, "pair is", "pairs are")
    yield f"known to differ: between two values {limit}, as {compared} compared"
    if few and settled:
        yield "may differ: some values have fewer than two rows per option"


EXAMPLES = (
    "splc explain learned.log",
    "splc explain learned.log px=4,py=4,nx=400",
    "splc explain learned.log px=4,py=1,nx=400 --against px=1,py=4,nx=400 --plot difference.svg",
)
WITHOUT = ("invalid", "duplicates", "aggregate")
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="explaining", without=WITHOUT)
