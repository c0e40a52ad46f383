"""The output of `splc report`."""

from __future__ import annotations

from splc.cli.terminal import say
from splc.io.json_object import JsonObject, at, each
from splc.report import Result


class ReportObject(JsonObject, schema="splc.report/1"):
    """A written report."""

    output: str
    title: str = at("page.title")
    answer: list[str] = at("page.answer")
    warnings: list[str] = at("page.warnings")
    sections: list[str] = each("page.sections", "name")


def show(result: Result) -> None:
    """Print the answer and the file."""
    for line in result.page.answer:
        say(line)
    say(f"\n{'report' if result.picture is None else 'picture'}  {result.output}")
