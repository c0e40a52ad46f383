"""The output of `splc sample`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sampling import Sample
from splc.cli.show.blocks import counted
from splc.cli.terminal import note
from splc.data.configurations import Configurations
from splc.formats.measurements.configurations_csv import write_configurations
from splc.io.files import STANDARD, write_whole
from splc.io.json_object import JsonObject, at, count, optional


class SampleObject(JsonObject, schema="splc.sample/1"):
    """A sample: a summary, with the configurations or command lines unless a file holds them."""

    sampling: str = at("spec")
    seed: int
    configurations: int = count("configurations")
    removed: int
    notes: list[str]
    output: str | None
    extended: int = optional()
    commands: list[str] = optional()
    rows: list[dict[str, float | None]] = optional()


def given(sample: Sample, output: str | None, lines: Sequence[str] | None) -> dict[str, Any]:
    """Return the values of the JSON object that are not of the sample."""
    rows = rows_of(sample.configurations) if output is None and lines is None else None
    return {"output": output, "commands": lines if output is None else None, "rows": rows}


def rows_of(configurations: Configurations) -> list[dict[str, Any]]:
    """Return the configurations, each as option → value."""
    names = configurations.system.names
    columns = [configurations.value(name).tolist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def write(sample: Sample, output: str, lines: Sequence[str] | None) -> None:
    """Write configurations as CSV, or these lines."""
    if lines is None:
        write_configurations(sample.configurations, output)
    else:
        write_whole(output, (f"{line}\n".encode() for line in lines))
    if output != STANDARD:
        note(f"{counted(len(sample.configurations), 'configuration')} written to {output}")
