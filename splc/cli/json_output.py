"""The `--json` output: one object with a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from splc.cli.terminal import printable
from splc.io.json import plain_values


def print_json(subcommand: str, content: Mapping[str, Any], version: int = 1) -> None:
    """Print one object to stdout; its schema is `splc.SUBCOMMAND/VERSION`, what is undefined is null."""
    plain = plain_values({"schema": f"splc.{subcommand}/{version}", **content})
    # The JSON module escapes control characters up to 0x1f only.
    print(printable(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False)))
