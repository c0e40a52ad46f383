"""The output of `splc init`."""

from __future__ import annotations

from splc.io.files import STANDARD
from splc.io.json_object import JsonObject, at, each, merged


class InferredConstraintObject(JsonObject):
    """A constraint that all rows of a table satisfy.

    `rows` is the number of distinct rows that could have contradicted it, `expected` how many would contradict it if
    the options were independent.
    """

    text: str = at(str)
    kind: str
    rows: int
    expected: float


class InferenceObject(JsonObject):
    """A system description that was inferred from a table."""

    source: str = at("system.source")
    binary_options: list[str] = each("system.binary_options", "name")
    numeric_options: dict[str, list[float]] = at(
        lambda result: {option.name: option.values for option in result.system.numeric_options}
    )
    alternative_groups: list[list[str]] = at("system.alternative_groups")
    uncertain_groups: list[list[str]] = at("uncertain")
    properties: list[str]
    contexts: list[str]
    ignored: dict[str, str]
    assumptions: list[str]
    constraints: list[InferredConstraintObject] = at("mined.constraints")
    unseen: list[InferredConstraintObject] = at("mined.unseen")


class InitObject(JsonObject, schema="splc.init/1"):
    """A system description that was written."""

    inference: InferenceObject = merged()
    name: str = at("inference.system.name")
    differences: list[str]
    output: str | None = at(lambda result: None if result.output == STANDARD else result.output)
    notes: list[str] = each("notes", "text")
