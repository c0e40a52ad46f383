"""Scripts in tests: the type of the function that runs them, their inputs, and the rows of what they write."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from splc.splconqueror.run import Result

# Runs a script, and others that it calls; returns the result and the lines of the log that has no file.
Runs = Callable[..., tuple[Result, list[str]]]
INPUTS = "vm system.xml\nall measurements.csv\nnfp time\n"


def rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))
