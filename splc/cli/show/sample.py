"""The output of `splc sample`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sampling import Sample


def write(sample: Sample, output: str, lines: Sequence[str] | None) -> None:
    """Write configurations as CSV, or these lines."""
    from splc.cli.terminal import note
    from splc.errors import plural
    from splc.formats.measurements.configurations_csv import write_configurations
    from splc.io.files import STANDARD, write_whole

    if lines is None:
        write_configurations(sample.configurations, output)
    else:
        write_whole(output, (f"{line}\n".encode() for line in lines))
    if output != STANDARD:
        note(f"{plural(len(sample.configurations), 'configuration', 'configurations')} written to {output}")


def as_json(sample: Sample, output: str | None, lines: Sequence[str] | None) -> dict[str, Any]:
    """Return the content of the JSON object: a summary, with the configurations unless a file holds them."""
    configurations = sample.configurations
    content: dict[str, Any] = {
        "sampling": sample.spec,
        "seed": sample.seed,
        "configurations": len(configurations),
        "removed": sample.removed,
        "notes": sample.notes,
        "output": output,
    }
    if sample.extended is not None:
        content["extended"] = sample.extended
    if output is None and lines is not None:
        content["commands"] = lines
    elif output is None:
        columns = [configurations.value(name).tolist() for name in configurations.system.names]
        names = configurations.system.names
        content["rows"] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return content
