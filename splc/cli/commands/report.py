"""`splc report`: a page about a model."""

from __future__ import annotations

from typing import Annotated

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.report import ReportObject, show
from splc.cli.terminal import show_notes
from splc.io.files import STANDARD
from splc.report import Request, run
from splc.workflows.fields import Without

EXAMPLES = (
    "splc report",
    "splc report learned.log -o report.html",
    "splc report analytical.txt learned.log --scale 500",
)


def report(request: Annotated[Request, Without(("where", "aggregate"))], json: Json = False) -> None:
    """Write a report of a model: one HTML file with pictures, which needs nothing else.

    It has the answer, what matters, the effect of each option, interactions, the formula of each size, predictions
    beside measured values, the best configurations, a form to try configurations, and the sample. Of two models it says
    what changed; a model text is compared with a learned model; of a profile it ranks the call paths.
    """
    with progress("explaining") as advance:
        result = run(request, lambda done, total, text: advance(done, total if done else None, text))
    if json:
        print_object(ReportObject, result)
    elif result.output != STANDARD:
        show(result)
    show_notes(result.notes)
