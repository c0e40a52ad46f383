"""The fields of commands, as their requests declare them."""

from __future__ import annotations

from functools import cache

from splc.cli.app import verb_of
from splc.cli.signature import fields_of_command
from splc.workflows.fields import BoundField


@cache
def command_fields(command: str) -> tuple[BoundField, ...]:
    """Return the arguments and options of a command."""
    return fields_of_command(verb_of(command))


def spelling(field: BoundField) -> str:
    """Return the first spelling of an option, or the name of an argument."""
    return field.name if field.field.kind == "argument" else field.spellings[0]
