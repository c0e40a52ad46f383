"""JSON Schemas (draft 2020-12) of kinds of JSON objects."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from splc.io.json_object import LISTS, MAPPINGS, JsonObject, is_object, keys_of

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema_of(kind: type[JsonObject]) -> dict[str, Any]:
    """Return the JSON Schema of a kind of JSON object; further keys are allowed."""
    definitions: dict[str, tuple[type[Any], dict[str, Any]]] = {}
    content = _object_schema(kind, definitions)
    if kind.schema_id:
        content["properties"] = {"schema": {"const": kind.schema_id}, **content["properties"]}
        content["required"] = ["schema", *content["required"]]
    shared = {name: definitions[name][1] for name in sorted(definitions)}
    title = {"title": kind.schema_id} if kind.schema_id else {}
    return {"$schema": DRAFT, **title, **content, **({"$defs": shared} if shared else {})}


def _object_schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    additional: dict[str, Any] = {}
    for key in keys_of(kind):
        if not key.merged:
            properties[key.name] = _schema(key.kind, definitions)
            required |= {} if key.optional else {key.name: None}
            continue
        maybe = [argument for argument in get_args(key.kind) if argument is not NoneType] if _is_union(key.kind) else []
        (inner,) = maybe or [key.kind]
        if get_origin(inner) in MAPPINGS:
            additional = {"additionalProperties": _schema(get_args(inner)[1], definitions)}
        else:
            merged = _object_schema(inner, definitions)
            additional |= {name: merged[name] for name in ("additionalProperties",) if name in merged}
            properties |= merged["properties"]
            required |= {} if maybe else dict.fromkeys(merged["required"])
    description = (kind.__doc__ or "").partition("\n")[0]
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": list(required),
        **additional,
    }


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is tuple and parts[-1] is not Ellipsis:
        entries = [_schema(argument, definitions) for argument in parts]
        return {"type": "array", "prefixItems": entries, "minItems": len(parts), "maxItems": len(parts)}
    if origin in LISTS:
        return {"type": "array", "items": _schema(parts[0], definitions)}
    if origin in MAPPINGS and parts[0] is str:
        return {"type": "object", "additionalProperties": _schema(parts[1], definitions)}
    if _is_union(kind):
        if all(argument in _NAMES for argument in parts):
            return {"type": [_NAMES[argument] for argument in parts]}
        return {"anyOf": [_schema(argument, definitions) for argument in parts]}
    if not is_object(kind):
        raise TypeError(f"there is no JSON Schema of {kind}")
    definition = definitions.get(kind.__name__)
    if definition is None:
        # A kind may contain itself.
        definitions[kind.__name__] = (kind, {})
        definitions[kind.__name__] = (kind, _object_schema(kind, definitions))
    elif definition[0] is not kind:
        raise TypeError(f"two kinds of JSON objects have the name {kind.__name__}")
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)
