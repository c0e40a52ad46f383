"""The table of options in docs/reference/commands.md, which `python -m splc.cli.command_table FILE` writes."""

from __future__ import annotations

import sys
from pathlib import Path

from splc.cli.app import COMMANDS, function_of
from splc.cli.page_table import with_table
from splc.cli.signature import OF_ALL_COMMANDS, Signature
from splc.io.files import write_whole
from splc.io.tables import Markdown, Table, markdown_text
from splc.workflows.common_fields import INPUTS, POLICIES
from splc.workflows.fields import BoundField

# The page has another table for the options of these sections.
SHARED = (INPUTS, POLICIES)


def command_table() -> str:
    """Return the table of arguments and options as Markdown, command by command, without those that requests share."""
    rows = []
    for name in COMMANDS:
        title = Markdown(f"`{name}`")
        fields = Signature.of(function_of(name)).fields
        for each in (field for field in fields if _belongs_to_command(field)):
            rows.append((title, _spelling(each), each.field.help, each.shown_default))
            title = Markdown("")
    return markdown_text(Table(("command", "argument or option", "meaning", "default"), tuple(rows)))


def with_options(page: str) -> str:
    """Return a page with the table of options between its marks."""
    return with_table(page, "options", command_table())


def _belongs_to_command(each: BoundField) -> bool:
    return each not in OF_ALL_COMMANDS and (each.own or each.field.panel not in SHARED)


def _spelling(each: BoundField) -> Markdown:
    field = each.field
    if field.kind == "argument":
        return Markdown(f"`{field.metavar.strip('[]')}`")
    value = f" {field.metavar}" if field.kind == "option" else ""
    names = (name for names in each.spellings for name in names.split("/"))
    return Markdown(", ".join(f"`{name}{value}`" for name in names).replace("|", "\\|"))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_whole(name, with_options(Path(name).read_text(encoding="utf-8")))
        print(name)
