"""The schemas of what commands print, and the fields of commands."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from splc.cli.app import verb_of
from splc.cli.signature import fields_of_command
from splc.workflows.fields import BoundField
from tests.support.paths import ROOT

SCHEMAS = ROOT / "docs" / "schemas"


def file_name(schema_id: str) -> str:
    """Return the name of the file of a schema: `splc.learn-1.json` of `splc.learn/1`."""
    return schema_id.replace("/", "-") + ".json"


def closed(schema: Any) -> Any:
    """Return a schema that allows no further keys: those of the documentation allow what later versions add."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(each) for name, each in schema.items()}
    return {"additionalProperties": False, **inner} if "required" in inner else inner


@cache
def _validator(schema_id: str) -> Draft202012Validator:
    text = (SCHEMAS / file_name(schema_id)).read_text(encoding="utf-8")
    return Draft202012Validator(closed(json.loads(text)))


def schema_errors(text: str) -> list[str]:
    """Return what is wrong with a JSON object by its schema."""
    content = json.loads(text)
    if not isinstance(content, dict) or "schema" not in content:
        return ["it has no schema"]
    found = _validator(content["schema"]).iter_errors(content)
    return [f"{each.json_path}: {each.message}"[:500] for each in found]


@cache
def command_fields(command: str) -> tuple[BoundField, ...]:
    """Return the arguments and options of a command."""
    return fields_of_command(verb_of(command))


def spelling(field: BoundField) -> str:
    """Return the first spelling of an option, or the name of an argument."""
    return field.name if field.field.kind == "argument" else field.spellings[0]
