"""`splc explain`: explain a model or one of its predictions."""

from __future__ import annotations

from typing import Annotated

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.explain import ExplanationObject, show
from splc.cli.show.explain_configuration import ExplainedPredictionObject
from splc.cli.show.explain_contexts import ExplainedContextsObject
from splc.cli.show.explain_contexts import show as show_contexts
from splc.cli.terminal import show_notes
from splc.workflows.explain import Request, run
from splc.workflows.fields import Without

EXAMPLES = (
    "splc explain learned.log",
    "splc explain learned.log px=4,py=4,nx=400",
    "splc explain learned.log px=4,py=1,nx=400 --against px=1,py=4,nx=400 --plot difference.svg",
)


def explain(request: Annotated[Request, Without(("invalid", "duplicates", "aggregate"))], json: Json = False) -> None:
    """Explain a model: the options by their share of the variance, their interactions, and the effect of each value.

    All averages are over the valid configurations. With a configuration, the contribution of each term to its
    prediction is printed, relative to the mean or to another configuration.
    """
    with progress("explaining") as advance:
        result = run(request, advance)
    if request.by is not None:
        if json:
            print_object(ExplainedContextsObject, result)
        else:
            show_contexts(result, request.by)
    elif json:
        print_object(ExplanationObject if result.explained is None else ExplainedPredictionObject, result)
    else:
        show(result)
    show_notes(result.notes)
