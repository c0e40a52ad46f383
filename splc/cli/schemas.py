"""The JSON Schemas of all `--json` outputs, and of programs; `python -m splc.cli.schemas FOLDER` writes them."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from splc.cli.app import COMMANDS
from splc.formats.models.programs import program
from splc.io.files import write_whole
from splc.io.json_object import JsonObject
from splc.io.json_schema import schema_of

WIDTH = 100
# Those of the commands.
PACKAGES = {module.rpartition(".")[0] for module in COMMANDS.values()}


def outputs() -> list[type[JsonObject]]:
    """Return the kinds of JSON objects that are whole outputs, in the order of their schema ids."""
    modules = [
        import_module(f"{package}.{module.name}")
        for package in sorted(PACKAGES)
        for module in iter_modules(import_module(package).__path__)
    ]
    kinds = {
        kind
        for module in (*modules, program)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, JsonObject) and kind.schema_id
    }
    return sorted(kinds, key=lambda kind: kind.schema_id)


def file_name(schema_id: str) -> str:
    """Return the name of the file of a schema: `splc.learn-1.json` of `splc.learn/1`."""
    return schema_id.replace("/", "-") + ".json"


def schema_texts() -> dict[str, str]:
    """Return name of the file → the JSON Schema of each output."""
    return {file_name(kind.schema_id): _text(schema_of(kind)) + "\n" for kind in outputs()}


def _text(value: Any, indent: str = "") -> str:
    """Return a JSON value as text; what fits is on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or len(indent) + len(line) <= WIDTH:
        return line
    inner = indent + "  "
    entries = (f"{inner}{json.dumps(name)}: {_text(entry, inner)}" for name, entry in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def main(folder: str) -> None:
    """Write the schemas into a folder."""
    for name, text in schema_texts().items():
        write_whole(str(Path(folder) / name), text)


if __name__ == "__main__":
    main(*sys.argv[1:])
