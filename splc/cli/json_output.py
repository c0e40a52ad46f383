"""The `--json` output: one object with a schema."""

from __future__ import annotations

from typing import Any

from splc.cli.printer import print_json
from splc.io.json_object import JsonObject, json_object


def print_object(kind: type[JsonObject], source: Any, **given: Any) -> None:
    """Print the JSON object of a result; the arguments are those of `splc.io.json_object.json_object`."""
    print_json(json_object(kind, source, **given))
