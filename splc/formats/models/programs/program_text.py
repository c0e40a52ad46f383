"""The text of a program: JSON, one line for each entry of its larger lists."""

from __future__ import annotations

import json
from typing import Any

from splc.formats.models.programs.program import Program, program_object

_WIDTH = 100


def program_text(program: Program) -> str:
    """Return a program as JSON."""
    return json_text(program_object(program), ascii_only=False) + "\n"


def json_text(value: Any, indent: str = "", *, ascii_only: bool = True) -> str:
    """Return a value as JSON: objects, and lists of objects, that are too long for a line have one for each entry."""
    line = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(entry, dict) for entry in value))
    if not nested or len(indent) + len(line) <= _WIDTH:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        entries = [
            f"{inner}{json.dumps(name, ensure_ascii=ascii_only)}: {json_text(entry, inner, ascii_only=ascii_only)}"
            for name, entry in value.items()
        ]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    entries = [inner + json_text(entry, inner, ascii_only=ascii_only) for entry in value]
    return "[\n" + ",\n".join(entries) + f"\n{indent}]"
