"""`splc optimize`: find the valid configurations that models predict to be best."""

from __future__ import annotations

from typing import Annotated

from splc.cli.json_output import print_object
from splc.cli.next_steps import show_next_steps
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.optimize import OptimumObject, ParetoObject, show
from splc.cli.show.optimize_next import next_steps
from splc.cli.terminal import show_notes
from splc.workflows.fields import Without
from splc.workflows.optimize import Request, run

EXAMPLES = (
    "splc optimize learned.log --fix px=4 --top 5",
    "splc optimize analytical.txt --maximize",
    "splc optimize --property solve_seconds --property messages --maximize-only messages --plot front.svg",
)


def optimize(request: Annotated[Request, Without(("nfp",))], json: Json = False) -> None:
    """Find the valid configuration with the least predicted value; of several properties the Pareto front.

    The full model predicts where the file of the model has it: all valid configurations if there are at most 100,000,
    otherwise those of a local search from the 1,000 best of the printed model. Other models have an exact optimum.

    Of several equally good configurations the first is chosen: options in the system's order, lower values first. If
    there are measurements, the measured values and the best measured configuration are printed.
    """
    with progress("optimizing") as advance:
        result = run(request, lambda done, total, text: advance(done, total if done else None, text))
    if json:
        print_object(OptimumObject if len(result.objectives) == 1 else ParetoObject, result)
    else:
        show(result)
    show_notes(result.notes)
    show_next_steps(next_steps(request, result))
