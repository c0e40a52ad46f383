"""`splc example`: copy a case study out of the installed package."""

from __future__ import annotations

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.show.example import ExampleObject, ExamplesObject, show
from splc.workflows.example import Request, run

EXAMPLES = (
    "splc example",
    "splc example zstd",
    "splc example smg2000 multigrid",
)


def example(request: Request, json: Json = False) -> None:
    """Copy a case study with measurements into a folder, to try the commands on it.

    Without a name the case studies are listed. Nothing is overwritten.
    """
    result = run(request)
    if json:
        print_object(ExamplesObject if result.folder is None else ExampleObject, result)
    else:
        show(result)
