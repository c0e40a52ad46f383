"""Next steps: commands that follow from a result, printed below it so that they can be copied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from splc.cli.printer import print_item
from splc.io.files import STANDARD
from splc.workflows.common_fields import INPUTS
from splc.workflows.field_values import names_in
from splc.workflows.fields import fields_of
from splc.workflows.view import NextStep, NextSteps


def show_next_steps(steps: Iterable[NextStep]) -> None:
    """Print next steps."""
    print_item(NextSteps(steps))


def inputs_of(request: Any, kind: type, *, policies: bool = True) -> tuple[str, ...] | None:
    """Return the options that give another request the inputs of a request; None if one is standard input.

    Args:
        request: the request whose inputs are meant.
        kind: the class of inputs that the other request has.
        policies: whether it has the treatment of problematic measurements, too.
    """
    words: list[str] = []
    for bound in fields_of(kind):
        value = getattr(request, bound.name, bound.default)
        if value == bound.default or not (policies or bound.field.panel == INPUTS):
            continue
        if value == STANDARD:
            return None
        if bound.field.kind == "flag":
            words.append(bound.spellings[0])
            continue
        # A list of names is one text.
        for text in (",".join(value),) if bound.field.parse is names_in else _texts(value):
            words += [bound.spellings[0], text]
    return tuple(words)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of a value, one for each time that the option is given."""
    if isinstance(value, Mapping):
        yield from (f"{name}={entry}" for name, entry in value.items())
    elif isinstance(value, tuple):
        yield from map(str, value)
    else:
        yield str(value)
