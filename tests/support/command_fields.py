"""The fields of commands, as their requests declare them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from splc.cli import old_signature
from splc.cli.app import COMMANDS, verb_of
from splc.cli.signature import fields_of_command
from splc.workflows.fields import BoundField


@cache
def command_fields(command: str) -> tuple[BoundField, ...]:
    """Return the arguments and options of a command."""
    if "cli.commands" in COMMANDS[command]:
        return old_signature.Signature.of(getattr(import_module(COMMANDS[command]), command)).fields
    return fields_of_command(verb_of(command))


def examples_of(command: str) -> tuple[str, ...]:
    """Return the examples of a command."""
    if "cli.commands" in COMMANDS[command]:
        return tuple(import_module(COMMANDS[command]).EXAMPLES)
    return verb_of(command).examples


def spelling(field: BoundField) -> str:
    """Return the first spelling of an option, or the name of an argument."""
    return field.name if field.field.kind == "argument" else field.spellings[0]
