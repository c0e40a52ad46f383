"""Options of all commands: their defaults, bounds and help texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from splc.cli.app import COMMANDS, app
from tests.cli.conftest import Run
from tests.support.command_fields import command_fields, spelling
from tests.support.golden_messages import check_lines


def parameters(name: str) -> Iterator[Any]:
    """Yield the options of a command."""
    group = typer.main.get_command(app)
    yield from group.get_command(None, name).params  # type: ignore[attr-defined]


def test_defaults_and_bounds() -> None:
    """The flags that are on, and the defaults and least values of numbers, are those of the golden file."""
    lines = []
    for name in COMMANDS:
        for each in command_fields(name):
            stated = []
            if each.field.kind == "flag" and each.default:
                stated.append("on")
            elif isinstance(each.default, int | float) and each.shown_default == str(each.default):
                stated.append(f"default {each.default}")
            if each.field.minimum is not None:
                stated.append(f"least {each.field.minimum}")
            if stated:
                lines.append(f"{name} {spelling(each)}: {', '.join(stated)}")
    check_lines("options", lines)


def test_help_of_options(run: Run) -> None:
    """Every option has a help text, and a default is stated once."""
    for name in COMMANDS:
        text = run(name, "--help").stdout.replace(" (default: those of the current folder)", "")
        for entry in " ".join(text.split()).split(" --")[1:]:
            assert entry.lower().count("default:") <= 1, entry
        assert [each.opts for each in parameters(name) if not each.help] == []
