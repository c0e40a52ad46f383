"""JSON objects from the attributes of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from splc.io.json_object import ITSELF, JsonObject, at, count, each, json_object, keys_of, merged, optional
from tests.support.objects import of


@dataclass(frozen=True)
class Ends:
    """Two ends."""

    low: float
    high: float | None = None

    @property
    def width(self) -> float:
        """No attribute of a dataclass, hence no key."""
        return 1.0


class PartObject(JsonObject):
    """A part."""

    name: str
    ends: Ends | None = at("range")


class SharesObject(JsonObject):
    """Keys of another object."""

    first: float
    second: float


class WholeObject(JsonObject, schema="splc.test/1"):
    """An output."""

    count: int = at(lambda whole: len(whole.parts))
    parts: list[PartObject]
    by_name: dict[str, PartObject] = at(lambda whole: {1: whole.parts[0]})
    deep: float | None = at("some.deep.value")
    second: str = at("texts.1")
    shares: SharesObject = merged(ITSELF)
    others: dict[str, float | None] = merged("measures")
    note: str = optional()
    remark: str = optional("some.remark")
    any_value: Any = at("anything")


def whole(**values: Any) -> Any:
    """Return the source of an object."""
    parts = [of(name="a", range=Ends(1.0, np.nan)), of(name="b", range=None)]
    known = {"parts": parts, "some": of(deep={"value": np.float64(0.5)}, remark=None), "texts": ("x", "y")}
    known |= {"first": 0.25, "second": 0.75, "measures": {"z": np.inf}, "note": None, "anything": None}
    return of(**known | values)


def test_keys() -> None:
    """Keys are in the order of the class, values come from where it says, and those that are None may be left out."""
    found = json_object(WholeObject, whole())
    part = {"name": "a", "ends": {"low": 1.0, "high": None}}
    assert list(found.items()) == [
        ("schema", "splc.test/1"),
        ("count", 2),
        ("parts", [part, {"name": "b", "ends": None}]),
        ("by_name", {"1": part}),
        ("deep", 0.5),
        ("second", 0.75),
        ("first", 0.25),
        ("z", None),
        ("any_value", None),
    ]


def test_optional_keys() -> None:
    """A key that may be left out is there if it has a value, even an empty one."""
    found = json_object(WholeObject, whole(note="", some=of(deep=None, remark="r")))
    assert (found["note"], found["remark"], found["deep"]) == ("", "r", None)


def test_given_values() -> None:
    """Values that are given replace those of the source, which may then lack them; they are converted, too."""
    given = json_object(PartObject, None, name="c", ends=of(low=np.int64(1), high=2.0))
    assert given == {"name": "c", "ends": {"low": 1, "high": 2.0}}
    assert type(given["ends"]["low"]) is int


def test_numbers() -> None:
    """Numbers and arrays of numpy are Python's, what is not finite is None, and integers are exact."""
    values = {"a": np.array([1, 2]), "b": (np.int64(3), None, True), "c": 10**30, "d": np.array([0.5, np.nan])}
    found = json_object(WholeObject, whole(anything=values))["any_value"]
    assert found == {"a": [1, 2], "b": [3, None, True], "c": 10**30, "d": [0.5, None]}
    assert [type(each) for each in (*found["a"], *found["b"])] == [int, int, int, type(None), bool]


def test_iterators() -> None:
    """An iterator stays one, whose entries are made when they are needed."""
    asked: list[int] = []

    def parts() -> Iterator[Mapping[str, Any]]:
        for place in range(3):
            asked.append(place)
            yield {"name": str(place), "range": None}

    found = json_object(WholeObject, whole(), parts=parts(), count=3)["parts"]
    assert asked == []
    assert next(found) == {"name": "0", "ends": None}
    assert asked == [0]


class DerivedObject(PartObject):
    """A part with another name and a further key."""

    name: str = at("title")
    more: PartObject | SharesObject


def test_derived_kinds() -> None:
    """A subclass has the keys of its base class first; of several kinds a value is made by the same function."""
    assert [key.name for key in keys_of(DerivedObject)] == ["name", "ends", "more"]
    shares = json_object(SharesObject, {"first": 1.0, "second": np.nan})
    source = {"title": "t", "range": None, "more": shares}
    assert json_object(DerivedObject, source) == {"name": "t", "ends": None, "more": {"first": 1.0, "second": None}}


def test_missing_attributes() -> None:
    """A source that lacks an attribute is an error."""
    with pytest.raises(AttributeError):
        json_object(PartObject, of(name="a"))


class ComputedObject(JsonObject):
    """Keys that are derived from values of the source."""

    parts: int = count("parts")
    missing: int = count("absent.parts")
    names: list[str] = each("parts", "name")
    front: list[int] = at("absent.front", ())
    deep: int = at("deep", 7)


def test_derived_values() -> None:
    """A number of values, an attribute of each, and a value instead of None."""
    source = of(parts=(of(name="a"), of(name="b")), absent=None, deep=0)
    expected = {"parts": 2, "missing": 0, "names": ["a", "b"], "front": [], "deep": 0}
    assert json_object(ComputedObject, source) == expected
