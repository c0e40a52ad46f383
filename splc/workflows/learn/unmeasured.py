"""Learn a value of a context of which nothing was measured, from stored models or from the rows of the other values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from splc.data.measurements import ReadingReport
from splc.errors import RequestError
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.unmeasured_model import UnmeasuredContextFit
from splc.workflows import learn
from splc.workflows.fields import given_fields
from splc.workflows.learn.learning_sets import chosen_learner
from splc.workflows.learn.parts import OnStep
from splc.workflows.learn.stored_sources import StoredSources, require_joint
from splc.workflows.note import Note, Rank

# The fields that are about measurements.
_OF_ROWS = (
    *("measurements", "sampling", "binary", "numeric", "where", "evaluate_on", "validation", "folds", "group"),
    *("baselines", "plot"),
)


def run(
    request: learn.Request,
    on_step: OnStep | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_learned: Callable[[], None] = lambda: None,
) -> learn.Result:
    """Learn a value of a context from stored models of others, and write it.

    Args:
        request: what to learn.
        on_step: called after every step, with a line that describes it.
        should_stop: asked after every step; true keeps what is learned and ends.
        on_learned: called when the model is learned.

    Raises:
        RequestError: if no models are named, several values are, or the request is about measurements.
        InputError: if a model cannot be read, has no measured values, or they do not fit together.
        LearningError: if a model is about the value, or values are not positive.
    """
    values = request.unmeasured
    if len(values) != 1:
        raise RequestError("name one value without measurements, or several with --by and --share", "context")
    if not request.sources:
        hint = "name them with --from, or add --by and --share"
        raise RequestError("a value without measurements is learned from models of other values", "context", hint=hint)
    given = given_fields(request)
    for field in _OF_ROWS:
        if field in given:
            hint = "use --where for a value with measurements"
            raise RequestError("nothing was measured of this value", "context", field, hint=hint)
    learner, _ = chosen_learner(request, request.project(request.folder))
    require_joint(request, learner, "sources")
    stored = StoredSources.read(request.sources)
    ((by, value),) = values
    nfp = stored.nfp(request.nfp)
    sharing = Sharing(stored.parts(nfp, stored.system, values, by))
    result = of_value(request, UnmeasuredContextFit(sharing, value), by, nfp, on_step, should_stop)
    on_learned()
    return result


def of_value(
    request: learn.Request,
    fit: UnmeasuredContextFit,
    by: str,
    nfp: str,
    on_step: OnStep | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> learn.Result:
    """Learn a value of a context from the rows of others, and write it.

    Args:
        request: the request.
        fit: the rows of the others, and the value.
        by: the context.
        nfp: the property.
        on_step: called after every step, with a line that describes it.
        should_stop: asked after every step; true keeps what is learned and ends.
    """
    source = ", ".join(request.sources) or None
    measured = replace(fit.levelled(nfp), contexts={by: fit.name}, report=ReadingReport(source=source))
    requested = replace(
        request,
        nfp=nfp,
        settings={**request.settings, "scale": "log"},
        where={},
        sampling=None,
        binary=None,
        numeric=None,
        plot=None,
        evaluate_on=None,
        validation=None,
        baselines=False,
        folds=0,
    )
    result = learn.run(requested, on_step, should_stop, given=measured, fit=fit)
    notes = [Note(text, about=Rank.LIMIT) for text in fit.notes(by)]
    # Without a table nothing can be suggested.
    asked = replace(requested, context=())
    return replace(result, request=asked, notes=(*notes, *result.notes), unmeasured=None)
