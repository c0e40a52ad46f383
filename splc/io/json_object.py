"""JSON objects of results: their keys, the types of the values, and where the values come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from operator import itemgetter
from types import MappingProxyType, NoneType
from typing import Any, get_args, get_origin, get_type_hints

from splc.io.json import JsonValues, plain_values

Getter = Callable[[Any], Any]
# The path of the source itself.
ITSELF = ""
# The types that JSON writes as lists, and those that it writes as objects.
LISTS: tuple[Any, ...] = (list, tuple, Sequence)
MAPPINGS: tuple[Any, ...] = (dict, Mapping)
# A check for `Mapping` takes longer.
_MAPPING = (dict, MappingProxyType)


class JsonObject:
    """A kind of JSON object.

    Annotations are the keys, in order, with the types of their values. A value is the attribute (of a mapping, the
    item) with the name of the key, unless the key is assigned `at`, `optional` or `merged`:

        class ResidualObject(JsonObject):
            measured: float
            error: float | None = at("relative.error")

    A subclass has the keys of its base class, then its own. A kind that is a whole output has a schema id. A dataclass
    is a kind, too: its attributes are the keys.
    """

    schema_id = ""

    def __init_subclass__(cls, schema: str = "") -> None:
        cls.schema_id = schema


@dataclass(frozen=True)
class ObjectKey:
    """A key of a kind of JSON object."""

    name: str  # the key
    kind: Any  # the type of its value
    get: Getter  # the function that returns the value of a source
    convert: Getter  # the function that returns the value in JSON's types
    optional: bool = False  # whether it is left out if the value is None
    merged: bool = False  # whether the value is an object whose keys are keys of this one


@dataclass(frozen=True)
class _Origin:
    get: Getter | None
    optional: bool = False
    merged: bool = False


def at(source: str | int | Getter, default: Any = None) -> Any:
    """Return where the value of a key comes from.

    `source`: a path of attributes and items such as `calibration.folds`, which ends early at None; the position in a
    tuple; or a function of the source. `default`: the value instead of None.
    """
    get = getter(source)
    if default is None:
        return _Origin(get)
    return _Origin(lambda result: default if (value := get(result)) is None else value)


def count(source: str | Getter) -> Any:
    """Return where values come from whose number is the value of a key; None counts as none."""
    get = getter(source)
    return _Origin(lambda result: len(get(result) or ()))


def each(source: str | Getter, path: str) -> Any:
    """Return where values come from, and the path from each of them to an entry of a list."""
    get, get_entry = getter(source), getter(path)
    return _Origin(lambda result: [get_entry(value) for value in get(result)])


def optional(source: str | int | Getter | None = None) -> Any:
    """Return where the value of a key comes from that is left out if the value is None."""
    return _Origin(None if source is None else getter(source), optional=True)


def merged(source: str | int | Getter | None = None) -> Any:
    """Return where an object comes from whose keys replace this key; None has no keys."""
    return _Origin(None if source is None else getter(source), merged=True)


def json_object(kind: type[Any], source: Any, **given: Any) -> dict[str, Any]:
    """Return a JSON object in JSON's types: what is undefined is None, and numbers of numpy are Python's.

    An iterator among the values stays one.

    `kind`: the kind of object; its schema id, if it has one, is the first value. `source`: the object that has the
    values; where a value has one of several kinds, it is made by this function.
    """
    schema = getattr(kind, "schema_id", "")
    head = {"schema": schema} if schema else {}
    return JsonValues(head | _object(kind, source, given))


def by_value(kind: type[JsonObject], schema: str, source: str | Getter = ITSELF, **more: Getter) -> type[JsonObject]:
    """Return the kind of output that has an object per value of a context, with the keys of another kind of output."""
    find = getter(source)
    of_value = {"value": str, "result": kind}
    keys = {"__annotations__": of_value, "value": at(0), "result": merged(1), "__doc__": "The result of a value."}
    entry: Any = type(f"Value{kind.__name__}", (JsonObject,), keys)
    types = {"by": str, **dict.fromkeys(more, str), "values": list[entry]}
    members = {"__annotations__": types, "values": at(lambda result: find(result).items())}
    members |= {name: at(get) for name, get in more.items()}
    docstring = "Results by the values of a context."
    return type(f"Values{kind.__name__}", (JsonObject,), {**members, "__doc__": docstring}, schema=schema)


@cache
def keys_of(kind: Any) -> tuple[ObjectKey, ...]:
    """Return the keys of a kind of JSON object."""
    hints = get_type_hints(kind)
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return tuple(ObjectKey(name, hints[name], getter(name), _converter(hints[name])) for name in names)
    keys = []
    for name, hint in hints.items():
        origin = getattr(kind, name, None) or _Origin(None)
        get = origin.get or getter(name)
        keys.append(ObjectKey(name, hint, get, _converter(hint), origin.optional, origin.merged))
    return tuple(keys)


def is_object(kind: Any) -> bool:
    """Return whether a type is a kind of JSON object."""
    return isinstance(kind, type) and (issubclass(kind, JsonObject) or is_dataclass(kind))


@cache
def objects_in(kind: Any) -> tuple[type[Any], ...]:
    """Return the kinds of JSON objects in a type."""
    if is_object(kind):
        return (kind,)
    return tuple(kind_inside for argument in get_args(kind) for kind_inside in objects_in(argument))


def getter(source: str | int | Getter) -> Getter:
    """Return the function that gets a value of a source, which is stated as for `at`."""
    if callable(source):
        return source
    return itemgetter(source) if isinstance(source, int) else partial(_value_at, source.split(".") if source else [])


def _value_at(names: list[str], source: Any) -> Any:
    for name in names:
        if source is None:
            return None
        if name.isdecimal():
            source = source[int(name)]
        else:
            source = source.get(name) if isinstance(source, _MAPPING) else getattr(source, name)
    return source


def _object(kind: Any, source: Any, replacements: Mapping[str, Any]) -> JsonValues:
    values = JsonValues()
    for key in keys_of(kind):
        name = key.name
        value = replacements[name] if name in replacements else key.get(source)
        if key.merged:
            values |= key.convert(value) or {}
        elif value is not None or not key.optional:
            values[name] = key.convert(value)
    return values


@cache
def _converter(kind: Any) -> Getter:
    """Return the function that returns a value of a type in JSON's types."""
    if not objects_in(kind):
        return plain_values
    if is_object(kind):
        return _keeping_finished(lambda value: _object(kind, value, {}))
    origin, parts = get_origin(kind), get_args(kind)
    if origin in LISTS:
        return _keeping_finished(partial(_entries, _converter(parts[0])))
    if origin in MAPPINGS:
        convert = _converter(parts[1])
        return _keeping_finished(lambda value: {str(name): convert(entry) for name, entry in value.items()})
    return _converter(next(argument for argument in parts if argument is not NoneType))


def _keeping_finished(convert: Getter) -> Getter:
    """Return a function that keeps None and finished objects."""
    return lambda value: value if value is None or isinstance(value, JsonValues) else convert(value)


def _entries(convert: Getter, values: Iterable[Any]) -> Any:
    return map(convert, values) if isinstance(values, Iterator) else [convert(value) for value in values]
