"""The output of `splc example`."""

from __future__ import annotations

import shlex

from splc.cli.show.blocks import Column, counted, show_rows
from splc.cli.terminal import say
from splc.io.json_object import JsonObject, at
from splc.workflows.example import Result


class ExampleObject(JsonObject, schema="splc.example/1"):
    """A case study that was copied."""

    name: str = at("examples.0.name")
    folder: str
    files: list[str] = at(lambda result: list(result.examples[0].paths))
    commands: list[str] = at("examples.0.commands")


class ListedExampleObject(JsonObject):
    """A case study that can be copied."""

    name: str
    about: str
    bytes: int = at("size")


class ExamplesObject(JsonObject, schema="splc.example.list/1"):
    """The case studies that can be copied."""

    examples: list[ListedExampleObject]


def show(result: Result) -> None:
    """Print what was copied and what to run next, or the case studies."""
    if result.folder is None:
        show_rows(result.examples, (Column("example", "name"), Column("about"), Column("size", "size", _size)))
        say()
        say("splc example NAME copies one into a folder of this name.")
        return
    (example,) = result.examples
    say(f"{example.about}")
    say(f"{result.folder}: {counted(len(example.files), 'file')}, {_size(example.size)}; README.md describes them")
    say()
    say("next:")
    for command in (f"cd {shlex.quote(result.folder)}", *example.commands):
        say(f"  {command}")


def _size(count: int) -> str:
    return f"{max(round(count / 1000), 1)} kB"
