"""The `--json` output: one object with a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from splc.cli.terminal import printable
from splc.io.json_object import JsonObject, json_object


def print_object(kind: type[JsonObject], source: Any, **given: Any) -> None:
    """Print the JSON object of a result; the arguments are those of `splc.io.json_object.json_object`."""
    print_json(json_object(kind, source, **given))


def print_json(content: Mapping[str, Any]) -> None:
    """Print an object of `splc.io.json_object` to stdout.

    An iterator among its values is a list of very many entries, which are printed on a line each.
    """
    long = next((name for name, value in content.items() if isinstance(value, Iterator)), None)
    if long is None:
        print(_text(content))
        return
    rest = {name: value for name, value in content.items() if name != long}
    print(_text(rest)[: -len("\n}")] + f',\n  "{long}": [', end="")
    separator = "\n    "
    for entry in content[long]:
        print(separator + _text(entry, None), end="")
        separator = ",\n    "
    print("\n  ]\n}")


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    # The JSON module escapes control characters up to 0x1f only.
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    # Bytes of file names that are not UTF-8 are lone surrogates, which JSON escapes.
    return printable(text.encode("utf-8", "backslashreplace").decode("utf-8"))
