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

    A value that is an iterator is printed as a long list with one entry per line.
    """
    streamed_key = next((name for name, value in content.items() if isinstance(value, Iterator)), None)
    if streamed_key is None:
        print(_text(content))
        return
    finite_content = {name: value for name, value in content.items() if name != streamed_key}
    print(_text(finite_content)[: -len("\n}")] + f',\n  "{streamed_key}": [', end="")
    separator = "\n    "
    for entry in content[streamed_key]:
        print(separator + _text(entry, None), end="")
        separator = ",\n    "
    print("\n  ]\n}")


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    # The JSON module escapes control characters up to 0x1f only.
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    # Bytes of file names that are not UTF-8 are lone surrogates, which JSON escapes.
    return printable(text.encode("utf-8", "backslashreplace").decode("utf-8"))
