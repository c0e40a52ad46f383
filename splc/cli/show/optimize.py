"""The output of `splc optimize`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sampling.space.optimum import Optimum


def as_json(found: Optimum, *, maximize: bool) -> dict[str, Any]:
    """Return the content of the JSON object."""
    return {
        "configuration": {name: _plain(value) for name, value in found.configuration.assignment(0).items()},
        "predicted": found.predicted,
        "maximize": maximize,
        "examined": found.examined,
        "unused": found.unused,
    }


def show(found: Optimum, *, maximize: bool) -> None:
    """Print the configuration and its prediction."""
    from splc.cli.terminal import say, table
    from splc.system.options import BinaryOption

    say(f"predicted: {found.predicted:.10g} ({'greatest' if maximize else 'least'} of all valid configurations)")
    rows = []
    for option in found.configuration.model.options:
        value = _plain(found.configuration.assignment(0)[option.name])
        if isinstance(option, BinaryOption):
            text = "selected" if value else "-"
        else:
            text = "deselected" if value is None else f"{value:g}"
        rows.append((option.name, text, "unused" if option.name in found.unused else ""))
    table(("option", "value", "in the model"), rows, right=("value",))


def _plain(value: float) -> float | int | None:
    """Return an option's value as a whole number where it is one, None where the option is deselected."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() else value
