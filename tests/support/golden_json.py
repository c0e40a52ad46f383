"""JSON in golden files: what fits is on one line, and a part of it is chosen as `jq` does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.printed_numbers import NUMBER

WIDTH = 120
# The digits of a number do not decide where lines end: kernels of linear algebra differ in the last of them.
SHOWN = "1.23456"
PATH = re.compile(r"\.(\w*)(\[\])?")


def compact(value: Any, indent: str = "") -> str:
    """Return a JSON value as text; what fits is on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + NUMBER.sub(lambda found: found[0] if found[0].isdecimal() else SHOWN, line)) <= WIDTH or (
        not isinstance(value, dict | list)
    ):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + compact(each, inner) for each in value) + f"\n{indent}]"
    entries = (f"{inner}{json.dumps(name, ensure_ascii=False)}: {compact(each, inner)}" for name, each in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def compacted(text: str) -> str:
    """Return a text, and a JSON object as `compact` shows it."""
    return f"{compact(json.loads(text))}\n" if text.startswith("{\n") else text


def selected(text: str, program: str) -> str:
    """Return what `jq` selects from a JSON object: `.a.b` is a value, `.a[]` each of a list, `{a, b}` some keys."""
    values = [json.loads(text)]
    for stage in program.split("|"):
        values = [found for value in values for found in _selected(value, stage.strip())]
    return "".join(f"{compact(value)}\n" for value in values)


def _selected(value: Any, stage: str) -> Iterator[Any]:
    if stage.startswith("{"):
        yield {name: value[name] for name in stage.strip("{}").replace(" ", "").split(",")}
        return
    found = PATH.match(stage)
    assert found, f"not supported by tests/support/golden_json.py: {stage}"
    value = value[found[1]] if found[1] else value
    for each in value if found[2] else [value]:
        yield from _selected(each, rest) if (rest := stage[found.end() :]) else [each]
