"""The output of `splc tune --dry-run`."""

from __future__ import annotations

import shlex
from typing import Literal

from splc.cli.show.blocks import counted
from splc.cli.show.tune import goal_text
from splc.cli.terminal import say
from splc.io.json_object import JsonObject, at, each
from splc.workflows.tune import TuningPreview


def _commands(preview: TuningPreview) -> list[str]:
    return [shlex.join(arguments) for arguments in preview.commands]


class TunePreviewObject(JsonObject, schema="splc.tune.preview/1"):
    """The plan of a tuning run, and its first commands, which do not depend on values."""

    dry_run: Literal[True] = at(lambda _: True)
    nfp: str = at("tuner.objective.nfp")
    configurations: int | None = at("tuner.source.count")
    budget: int | None = at("tuner.budget")
    verifying: int = at("tuner.reserve")
    commands: list[str] = at(_commands)
    notes: list[str] = each("notes", "text")


def show_preview(preview: TuningPreview) -> None:
    """Print what is searched, and the first commands."""
    say(goal_text(preview.tuner))
    for line in _commands(preview):
        say(f"    {line}")
    budget = preview.tuner.budget
    if budget is None:
        say("    … and more until the time is over")
    elif (hidden := budget - len(preview.commands)) > 0:
        say(f"    … and {counted(hidden, 'more command')}, each of which depends on the values before it")
