"""JSON Schemas of kinds of JSON objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator

from splc.io.json_object import JsonObject, merged, optional
from splc.io.json_schema import DRAFT, schema_of

Colour = Literal["red", "blue"]


@dataclass(frozen=True)
class Point:
    """A point.

    Attributes:
        x: a coordinate.
    """

    x: float


class SizesObject(JsonObject):
    """Sizes."""

    width: int | None
    height: int = optional()


class NodeObject(JsonObject):
    """A node of a tree."""

    children: Sequence[NodeObject]


class EverythingObject(JsonObject, schema="splc.test/1"):
    """Every type."""

    name: str
    colour: Colour | None
    points: list[Point]
    pair: tuple[int, str]
    texts: tuple[str, ...]
    node: NodeObject | None
    table: Mapping[str, float]
    flag: bool
    anything: Any
    sizes: SizesObject = merged()
    maybe: Point | None = merged()
    others: dict[str, float | None] = merged()


def test_schema() -> None:
    """Every type has its schema; kinds of objects are definitions, merged ones add their keys."""
    integer, text = {"type": "integer"}, {"type": "string"}
    assert schema_of(EverythingObject) == {
        "$schema": DRAFT,
        "title": "splc.test/1",
        "description": "Every type.",
        "type": "object",
        "properties": {
            "schema": {"const": "splc.test/1"},
            "name": text,
            "colour": {"anyOf": [{"enum": ["red", "blue"]}, {"type": "null"}]},
            "points": {"type": "array", "items": {"$ref": "#/$defs/Point"}},
            "pair": {"type": "array", "prefixItems": [integer, text], "minItems": 2, "maxItems": 2},
            "texts": {"type": "array", "items": text},
            "node": {"anyOf": [{"$ref": "#/$defs/NodeObject"}, {"type": "null"}]},
            "table": {"type": "object", "additionalProperties": {"type": "number"}},
            "flag": {"type": "boolean"},
            "anything": {},
            "width": {"type": ["integer", "null"]},
            "height": integer,
            "x": {"type": "number"},
        },
        "required": [
            "schema",
            "name",
            "colour",
            "points",
            "pair",
            "texts",
            "node",
            "table",
            "flag",
            "anything",
            "width",
        ],
        "additionalProperties": {"type": ["number", "null"]},
        "$defs": {
            "NodeObject": {
                "description": "A node of a tree.",
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/NodeObject"}}},
                "required": ["children"],
            },
            "Point": {
                "description": "A point.",
                "type": "object",
                "properties": {"x": {"type": "number"}},
                "required": ["x"],
            },
        },
    }
    Draft202012Validator.check_schema(schema_of(EverythingObject))


def test_unknown_types() -> None:
    """A type that JSON does not have is an error."""

    class OddObject(JsonObject):
        """A complex number."""

        value: complex

    with pytest.raises(TypeError, match="there is no JSON Schema of <class 'complex'>"):
        schema_of(OddObject)


def test_equal_names() -> None:
    """Two kinds of objects of one name cannot be in one schema."""
    own, other = (type("SameObject", (JsonObject,), {"__doc__": "Same."}) for _ in range(2))
    both = type("BothObject", (JsonObject,), {"__doc__": "Both.", "__annotations__": {"a": own, "b": other}})
    with pytest.raises(TypeError, match="two kinds of JSON objects have the name SameObject"):
        schema_of(both)
