"""The reference pages of the commands, made from the fields of their requests; docs/site.py adds them to the site."""

from __future__ import annotations

from splc.cli.app import verb_of
from splc.cli.signature import fields_of_command, help_of
from splc.io.tables import Markdown, Table, markdown_text
from splc.workflows.fields import BoundField

HEADER = ("argument or option", "meaning", "default")


def command_page(name: str) -> str:
    """Return the page of a command as Markdown: what it does, examples, and all arguments and options."""
    verb = verb_of(name)
    examples = "\n".join(f"    {example}" for example in verb.examples)
    parts = [f"# splc {name}", _text(help_of(verb)), "## Examples", examples]
    fields = fields_of_command(verb)
    for panel in sorted({field.field.panel for field in fields}, key=[field.field.panel for field in fields].index):
        rows = tuple(
            (_spelling(field), field.field.help, field.shown_default) for field in fields if field.field.panel == panel
        )
        parts += [f"## {panel or 'Arguments and options'}", markdown_text(Table(HEADER, rows))]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _text(text: str) -> str:
    """Return a docstring as Markdown: nothing in it is markup."""
    return text.replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")


def _spelling(bound: BoundField) -> Markdown:
    field = bound.field
    if field.kind == "argument":
        return Markdown(f"`{field.metavar.strip('[]')}`")
    value = f" {field.metavar}" if field.kind == "option" else ""
    names = (name for names in bound.spellings for name in names.split("/"))
    return Markdown(", ".join(f"`{name}{value}`" for name in names).replace("|", "\\|"))
