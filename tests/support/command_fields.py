"""The fields of commands, as their functions declare them."""

from __future__ import annotations

from functools import cache

from splc.cli.app import function_of
from splc.cli.signature import Signature
from splc.workflows.fields import BoundField


@cache
def command_fields(command: str) -> tuple[BoundField, ...]:
    """Return the arguments and options of a command."""
    return Signature.of(function_of(command)).fields


def spelling(field: BoundField) -> str:
    """Return the first spelling of an option, or the name of an argument."""
    return field.name if field.field.kind == "argument" else field.spellings[0]
