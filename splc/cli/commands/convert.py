"""`splc convert`: convert measurements, models, system descriptions and profiles."""

from __future__ import annotations

from typing import Annotated

from splc.cli.progress import progress
from splc.cli.terminal import note, show_notes
from splc.io.files import STANDARD
from splc.workflows.convert import Request, run
from splc.workflows.fields import Without

EXAMPLES = (
    "splc convert learned.log -o model.json",
    "splc convert measurements.csv --to splconqueror-csv -o -",
)


def convert(request: Annotated[Request, Without(("measurements", "options"))]) -> None:
    """Convert measurements, learned models, system descriptions and profiles into other formats."""
    with progress("converting"):
        result = run(request)
    show_notes(result.notes)
    if result.output != STANDARD:
        note(f"{result.content} written to {result.output} ({result.form})")
