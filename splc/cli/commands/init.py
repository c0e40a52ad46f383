"""`splc init`: write a system description that is inferred from a table of measurements."""

from __future__ import annotations

from typing import Annotated

from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.init import InitObject
from splc.cli.terminal import note, show_notes
from splc.io.files import STANDARD
from splc.workflows.fields import Without
from splc.workflows.init import Request, run

EXAMPLES = (
    "splc init measurements.csv --property solve_seconds",
    "splc init measurements.csv --system system.xml",
)


def init(
    request: Annotated[Request, Without(("where", "invalid", "duplicates", "aggregate"))], json: Json = False
) -> None:
    """Write a system description that is inferred from a table of measurements, for editing.

    It has binary options, numeric options with the values that occur, alternative groups, and the constraints that all
    rows satisfy by more than chance. The assumptions are comments in the description, and notes on standard error. With
    --keep they are written to splc.toml, so that commands in this folder use the same columns without options.
    """
    with progress("reading"):
        result = run(request)
    # Standard output has one of them: the JSON object or the description.
    if not json or result.output != STANDARD:
        result.write()
    if json:
        print_object(InitObject, result)
    show_notes(result.notes)
    if result.output != STANDARD:
        note(f"description written to {result.output}")
    if result.kept is not None:
        note(f"roles of columns written to {result.kept[0]}")
