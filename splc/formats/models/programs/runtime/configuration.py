"""Checks of configurations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from splc.formats.models.programs.runtime.contents import OPTIONS, PROGRAM, PredictionError, Value, shown

_SHOWN = 12


def checked(configuration: Mapping[str, Any], extrapolate: bool) -> dict[str, Value]:
    """Return the values of all options; all problems are reported at once."""
    remaining = dict(configuration)
    problems = _without_texts(remaining)
    values: dict[str, Value] = {}
    for option in PROGRAM["options"]:
        name = option["name"]
        if name in remaining:
            try:
                values[name] = _value(option, remaining.pop(name), extrapolate)
            except PredictionError as error:
                problems.append(str(error))
        elif option["fixed"] is not None or not option["needed"]:
            values[name] = option["fixed"]
        else:
            problems.append(f"no value for the option {name!r}")
    for name in remaining:
        suggestions = get_close_matches(str(name), OPTIONS, 1)
        problems.append(f"unknown option {name!r}" + (f"; did you mean {suggestions[0]!r}?" if suggestions else ""))
    if problems:
        omitted = len(problems) - _SHOWN
        raise PredictionError(
            "\n".join([*problems[:_SHOWN], *([f"… and {omitted} more problems"] if omitted > 0 else [])])
        )
    return values


def _without_texts(configuration: dict[str, Any]) -> list[str]:
    """Replace texts that stand for options by the values of these; return the problems."""
    problems = []
    for group in PROGRAM["texts"]:
        name, texts = group["name"], group["texts"]
        text = configuration.get(name)
        if not isinstance(text, str) or _is_number(text):
            continue
        del configuration[name]
        if text.strip() not in texts:
            problems.append(
                f"{shown(name)} cannot be {text!r}; its values are {', '.join(map(shown, filter(None, texts)))}"
            )
            continue
        selected = texts[text.strip()]
        configuration |= {name: float(selected != "")}
        configuration |= {child: float(child == selected) for child in texts.values() if child}
    return problems


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _value(option: Mapping[str, Any], value: Any, extrapolate: bool) -> Value:
    """Return the value of an option, None where it is deselected."""
    name, levels = option["name"], OPTIONS[option["name"]]
    try:
        number = math.nan if value is None or value == "" else float(value)
    except (TypeError, ValueError):
        raise PredictionError(f"{shown(name)} cannot be {value!r}, which is not a number") from None
    if math.isnan(number) or number == option["flag"]:
        if option["optional"]:
            return None
        raise PredictionError(f"no value for the option {name!r}")
    closest = min(levels, key=lambda level: abs(level - number), default=number)
    # Values match to one part in 10^9.
    if math.isclose(closest, number, rel_tol=1e-9) and not math.isinf(number):
        return closest
    if math.isinf(number) or not (extrapolate or option["open"]) or option["kind"] == "binary":
        listed = ", ".join(f"{level:g}" for level in levels[:_SHOWN]) + (", …" if len(levels) > _SHOWN else "")
        raise PredictionError(f"{shown(name)} cannot be {number:g}; its values are {listed or 'numbers'}")
    return number
