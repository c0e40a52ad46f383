"""The `--json` output: one object with a schema."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def print_json(subcommand: str, content: Mapping[str, Any], version: int = 1) -> None:
    """Print one object to stdout; its schema is `splc.SUBCOMMAND/VERSION`, what is undefined is null."""
    plain = plain_values({"schema": f"splc.{subcommand}/{version}", **content})
    print(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False))


def plain_values(value: Any) -> Any:
    """Return a value in JSON's types: numpy's numbers and arrays as Python's, NaN and infinities as None."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_values(item) for item in value]
    if hasattr(value, "tolist"):
        return plain_values(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
