"""JSON objects in the output of benchmark tools, with one error for missing or wrong entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from splc.errors import InputError, Problem
from splc.io.files import Source
from splc.io.json import parse_json

T = TypeVar("T")
_WORDS = {dict: "an object", list: "a list", str: "a text", float: "a number"}


def content_of(source: Source, kind: type[T]) -> T:
    """Return the JSON value of a file.

    Raises:
        InputError: if the file is not JSON, for example because it is incomplete, or is of another kind.
    """
    try:
        content = parse_json(source.text())
    except InputError as error:
        hint = "is the file complete? a tool that was interrupted leaves a part of it"
        problem = error.problems[0]
        raise InputError(Problem(problem.message, source.name, problem.line, problem.column, hint=hint)) from None
    if not isinstance(content, kind):
        raise InputError(Problem(f"the content is not {_WORDS[kind]}", source.name))
    return content


def entry(parent: Mapping[str, Any], name: str, kind: type[T], source: Source) -> T:
    """Return an entry of an object.

    Raises:
        InputError: if there is none, or it is of another kind.
    """
    member = parent.get(name)
    if not isinstance(member, kind):
        state = "is missing" if name not in parent else f"is not {_WORDS[kind]}"
        raise InputError(Problem(f"{name!r} {state}", source.name))
    return member


def objects(values: Any, name: str, source: Source) -> list[dict[str, Any]]:
    """Return a list of objects.

    Raises:
        InputError: if it is another value.
    """
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise InputError(Problem(f"{name!r} is not a list of objects", source.name))
    return values
