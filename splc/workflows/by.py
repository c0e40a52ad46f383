"""Each value of a context: its request, what is learned of it, and the files of results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any, Generic, TypeVar

from splc.errors import LearningError, RequestError
from splc.formats.column_choice import shown_value
from splc.formats.detect import suffix_of
from splc.io.files import STANDARD, distinct_names, file_name, is_stream
from splc.workflows.note import Note
from splc.workflows.views import Column

# A dataclass with the fields `context` and `where`.
R = TypeVar("R", bound=Any)
T = TypeVar("T")

# The placeholder of the value in the name of a file.
PLACE = "{}"


@dataclass(frozen=True)
class ByValue(Generic[T]):
    """The results of the values of a context."""

    by: str  # the context
    results: Mapping[str, T]  # value → its result, in natural order

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of all results, equal ones once."""
        return tuple(dict.fromkeys(note for result in self.results.values() for note in getattr(result, "notes", ())))

    @property
    def column(self) -> Column:
        """The column of the values in a table with a row per entry of `results`."""
        return Column(self.by, lambda entry: shown_value(entry[0]))

    def as_json(
        self, schema: str, as_json: Callable[[T], Mapping[str, Any]], values: str = "values", **further: Any
    ) -> dict[str, Any]:
        """Return the JSON object of the results, each without its schema; `further` keys stand before them."""
        objects = [{"value": value, **as_json(result)} for value, result in self.results.items()]
        for each in objects:
            each.pop("schema", None)
        return {"schema": schema, "by": self.by, **further, values: objects}


def is_pattern(name: str | None) -> bool:
    """Return whether a file name has a placeholder for the value, so that it names one file per value."""
    return name is not None and PLACE in name


def files_of(name: str) -> list[str]:
    """Return the files of all values, as far as there are any; a name without a placeholder is that of one file."""
    if not is_pattern(name):
        return [name]
    folder, _, pattern = name.rpartition("/")
    return sorted(map(str, Path(folder).glob("*".join(map(escape, pattern.split(PLACE))))))


def is_single(path: str | None) -> bool:
    """Return whether a path is `-`, a pipe or a device, which cannot be a file per value or read for each of them."""
    return path is not None and (path == STANDARD or is_stream(path))


def require_files(output: str | None, **inputs: str | None) -> None:
    """Refuse an output that cannot be one file per value, and inputs that can be read only once."""
    if is_single(output):
        raise RequestError("there is one file per value: name it, or print JSON with --json", "output", "by")
    for field, file in inputs.items():
        if is_single(file):
            raise RequestError("it is read for each value, but standard input only once; name a file", field, "by")


def each_context(request: R, by: str, values: Sequence[str], **files: str | None) -> Iterator[tuple[str, R]]:
    """Yield each value of a context and the request of this value, which has files of its own."""
    mappings = {field: file_names(pattern, values) for field, pattern in files.items()}
    for value in values:
        paths = {field: names.get(value) for field, names in mappings.items()}
        yield value, replace(request, where={**request.where, by: value}, **paths)


def each_learned(values: Collection[str], learn: Callable[[str], T], failed: dict[str, str]) -> Iterator[tuple[str, T]]:
    """Yield each value of a context of which something can be learned, and the result."""
    for value in values:
        try:
            result = learn(value)
        except LearningError as error:
            failed[value] = error.problems[0].message
            if len(failed) == len(values):
                raise
        else:
            yield value, result


def require_all_values(by: str, where: Mapping[str, str]) -> None:
    """Raise an error if one value of a context is selected, although each of its values is a request of its own."""
    if by in where:
        message = f"each value of {by!r} is used separately, but one value is selected"
        raise RequestError(message, "by", "where", hint="leave one of the two out")


def with_context(request: R, by: str) -> R:
    """Return a request whose column `by` is a context, also if its values are numbers, such as versions 1.0 and 2.0."""
    return replace(request, context=tuple(dict.fromkeys((*request.context, by))))


def file_names(pattern: str | None, values: Sequence[str]) -> dict[str, str]:
    """Return value → its file: the value replaces `{}`, or precedes the suffix; equal names get a hash."""
    if pattern is None:
        return {}
    if PLACE not in pattern:
        stem = pattern.removesuffix(".gz")
        name = stem.removesuffix(suffix_of(stem))
        pattern = f"{name}-{PLACE}{pattern.removeprefix(name)}"
    names = distinct_names({value: file_name(value) for value in values})
    return {value: pattern.replace(PLACE, name) for value, name in names.items()}
