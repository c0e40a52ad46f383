"""The output of `splc optimize`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.data.configurations import Configurations
    from splc.workflows.optimize import Result


def as_json(result: Result, *, maximize: bool) -> dict[str, Any]:
    """Return the content of the JSON object."""
    found, best = result.optimum, result.best
    return {
        "configuration": _values(found.configuration),
        "predicted": found.predicted,
        "interval": None if result.interval is None else vars(result.interval),
        "measured": result.measured,
        "best_measured": None
        if best is None
        else {
            "configuration": _values(best.configuration),
            "measured": best.measured,
            "predicted": best.predicted,
        },
        "nfp": result.nfp,
        "maximize": maximize,
        "examined": found.examined,
        "unused": found.unused,
        "notes": [note.text for note in result.notes],
    }


def show(result: Result, *, maximize: bool) -> None:
    """Print the configuration, its prediction, and the best measured configuration."""
    from splc.cli.terminal import say, table
    from splc.system.options import BinaryOption

    found, best, interval = result.optimum, result.best, result.interval
    text = f"predicted: {found.predicted:.6g} ({'greatest' if maximize else 'least'} of all valid configurations)"
    if interval is not None:
        text += f", {interval.level * 100:g} % interval {interval.low:.6g} to {interval.high:.6g}"
    say(text)
    own = _values(found.configuration)
    other = own if best is None else _values(best.configuration)
    rows = []
    for option in found.configuration.system.options:
        binary = isinstance(option, BinaryOption)
        shown = [_text(values[option.name], binary) for values in (own, other)]
        rows.append((option.name, shown[0], shown[1] if other != own else "", _use(option.name, found.unused)))
    table(("option", "value", "best measured", "in the model"), rows, right=("value", "best measured"))
    if best is None:
        return
    say()
    if result.measured is None:
        say(f"measured: this configuration has no value of {result.nfp}")
    else:
        say(f"measured: {result.measured:.6g} ({result.nfp})")
    if other == own:
        say("best measured: this configuration")
    else:
        say(f"best measured: {best.measured:.6g} (predicted {best.predicted:.6g})")


def _use(name: str, unused: tuple[str, ...]) -> str:
    return "unused" if name in unused else ""


def _values(configuration: Configurations) -> dict[str, float | int | None]:
    return {name: _plain(value) for name, value in configuration.assignment(0).items()}


def _text(value: float | None, binary: bool) -> str:
    """Return an option's value for the table."""
    if binary:
        return "selected" if value else "-"
    return "deselected" if value is None else f"{value:g}"


def _plain(value: float) -> float | int | None:
    """Return an option's value as a whole number where it is one, None where the option is deselected."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() else value
