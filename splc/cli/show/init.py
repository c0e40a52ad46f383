"""The output of `splc init`."""

from __future__ import annotations

from splc.io.files import STANDARD
from splc.io.json_object import JsonObject, at, each, merged
from splc.workflows.objects import InferenceObject


class InitObject(JsonObject, schema="splc.init/1"):
    """A system description that was written."""

    inference: InferenceObject = merged()
    name: str = at("inference.system.name")
    differences: list[str]
    output: str | None = at(lambda result: None if result.output == STANDARD else result.output)
    notes: list[str] = each("notes", "text")
