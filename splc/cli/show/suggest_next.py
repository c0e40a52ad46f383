"""The command that measures suggested configurations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from splc.io.files import STANDARD
from splc.io.streams import is_stream
from splc.workflows.measure import Request as MeasureRequest
from splc.workflows.measure.outcome import Outputs
from splc.workflows.suggest.configurations import Request
from splc.workflows.view import NextStep


def next_steps(request: Request) -> Iterator[NextStep]:
    """Yield the command that adds suggested configurations to the measurements, if these have a journal."""
    project = request.project()
    if request.output in (None, STANDARD) or not project.has_measurements:
        return
    for table in (project.measurements_file, *project.further):
        if table == STANDARD or is_stream(table):
            continue
        outputs = Outputs.of(table, None)
        if outputs.journal == table or not Path(outputs.journal).is_file():
            continue
        words = ["measure", str(request.output), "--append"]
        words += [] if table == MeasureRequest.output else ["--output", table]
        words += [] if request.system is None or project.system_table is not None else ["--system", request.system]
        yield NextStep(tuple(words), f"adds them to {table}")
        return
