"""`splc changed`: test whether a property changed between two versions."""

from __future__ import annotations

import typer

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.changed import ChangedObject, show
from splc.cli.terminal import show_notes
from splc.workflows.changed import Request, run

EXAMPLES = (
    "splc changed --measurements versions.csv --by version",
    "splc changed --measurements versions.csv --by version --old v1.9 --new v1.10 --at-least 2%",
)


def changed(request: Request, json: Json = False) -> None:
    """Test whether a property changed between two versions, and name the influences that did.

    It compares configurations that were measured with both: best with runs of both versions in turn, on one machine.
    If nothing changed, the test states a change in at most 5 % of all cases. The exit code is 1 if something changed.
    """
    with progress("testing"):
        result = run(request)
    if json:
        print_object(ChangedObject, result)
    else:
        show(result)
    show_notes(result.notes)
    if result.test.changed:
        raise typer.Exit(1)
