"""The pages name the options that commands have."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
import typer

from docs.reference_pages import command_page
from splc.cli.app import COMMANDS, app, summary_of
from tests.support.tracked import PAGES

# Of typer: the pages need not explain them.
GENERAL = {"--help", "--install-completion", "--show-completion"}


@cache
def options() -> tuple[tuple[str, str], ...]:
    """Return the name of each command with each of its options, long names only."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    commands = {"splc": group, **{name: group.get_command(context, name) for name in group.list_commands(context)}}
    return tuple(
        (name, option)
        for name, command in commands.items()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--") and option not in GENERAL
    )


def code(text: str) -> str:
    """Return what a page sets as code: blocks, and text in backticks."""
    blocks = re.findall(r"```.*?```|^    .*$", text, re.DOTALL | re.MULTILINE)
    return "\n".join((*blocks, *re.findall(r"`[^`\n]+`", text)))


SHOWN = "\n".join(code(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_of_a_command_names_its_options(command: str) -> None:
    """Each option of a command has a row in a table of the page of the command."""
    rows = re.findall(r"^\| ([^|]*)", command_page(command).replace("\\|", "/"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(--[a-z-]+)(?: [^`]+)?`", row)}
    assert {option for name, option in options() if name == command} <= named


def test_no_page_names_an_option_that_no_command_has() -> None:
    """Each `splc COMMAND … --option` in a page names an option of that command."""
    known: dict[str, set[str]] = {}
    for command, option in options():
        known.setdefault(command, set()).add(option)
    for line in re.findall(r"splc [a-z]+ .*", SHOWN):
        command = line.split()[1]
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", line.split(" | ")[0].split('--command "')[0]):
            assert option in (known.get(command) or GENERAL) | GENERAL, line


@pytest.mark.parametrize("command", COMMANDS)
def test_pages_of_commands(command: str) -> None:
    """The page of a command has its summary, its examples, and each table once."""
    page = command_page(command)
    headings = re.findall("^## (.*)$", page, re.MULTILINE)
    assert page.startswith(f"# splc {command}\n\n{summary_of(command).split('.')[0]}")
    assert f"    splc {command}" in page
    assert len(headings) == len(set(headings)) >= 2
