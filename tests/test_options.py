"""The pages name every option of every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from splc.cli.app import app
from splc.cli.command_table import with_options
from tests.support.paths import ROOT
from tests.support.tracked import PAGES

# Of typer: the pages need not explain them.
GENERAL = {"--help", "--install-completion", "--show-completion"}


def options() -> Iterator[tuple[str, str]]:
    """Yield the name of each command with each of its options, long names only."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    commands = {"splc": group, **{name: group.get_command(context, name) for name in group.list_commands(context)}}
    for name, command in commands.items():
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                if option.startswith("--") and option not in GENERAL:
                    yield name, option


def code(text: str) -> str:
    """Return what a page sets as code: blocks, and text in backticks."""
    blocks = re.findall(r"```.*?```|^    .*$", text, re.DOTALL | re.MULTILINE)
    return "\n".join((*blocks, *re.findall(r"`[^`\n]+`", text)))


SHOWN = "\n".join(code(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize(("command", "option"), sorted(options()))
def test_a_page_names_the_option(command: str, option: str) -> None:
    """Each option of each command is in README or in a page under docs, set as code."""
    named = re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", SHOWN) is not None
    assert named, f"no page names {option} of splc {command}"


def test_no_page_names_an_option_that_no_command_has() -> None:
    """Each `splc COMMAND … --option` in a page names an option of that command."""
    known: dict[str, set[str]] = {}
    for command, option in options():
        known.setdefault(command, set()).add(option)
    for line in re.findall(r"splc [a-z]+ .*", SHOWN):
        command = line.split()[1]
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", line.split(" | ")[0].split('--command "')[0]):
            assert option in (known.get(command) or GENERAL) | GENERAL, line


def test_the_table_of_options() -> None:
    """The table of options on the page of commands is that of the code (`make pages` writes it)."""
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert page == with_options(page)
    assert re.search(r"^\| `learn` +\| `--learner NAME` +\|", page, re.MULTILINE)
    assert re.search(r"^\| +\| `--constant`, `--no-constant` +\|", page, re.MULTILINE)
    with pytest.raises(ValueError, match="no marks"):
        with_options("A page.")
