"""The `--json` output: one object with a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from splc.cli.terminal import printable
from splc.io.json import plain_values


def print_json(subcommand: str, content: Mapping[str, Any], version: int = 1) -> None:
    """Print one object to stdout; its schema is `splc.SUBCOMMAND/VERSION`, what is undefined is null.

    An iterator among its values is a list of very many entries, which are printed on a line each.
    """
    long = next((name for name, value in content.items() if isinstance(value, Iterator)), None)
    if long is None:
        print(_text({"schema": f"splc.{subcommand}/{version}", **content}))
        return
    rest = {name: value for name, value in content.items() if name != long}
    print(_text({"schema": f"splc.{subcommand}/{version}", **rest})[: -len("\n}")] + f',\n  "{long}": [', end="")
    separator = "\n    "
    for entry in content[long]:
        print(separator + _text(entry, None), end="")
        separator = ",\n    "
    print("\n  ]\n}")


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    # The JSON module escapes control characters up to 0x1f only.
    return printable(json.dumps(plain_values(content), indent=indent, ensure_ascii=False, allow_nan=False))
