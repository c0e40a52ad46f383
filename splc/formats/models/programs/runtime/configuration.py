"""The prediction program with its public constants, and checks of configurations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

PROGRAM: dict[str, Any] = json.loads('{"options": []}')

# Option → its values; (0, 1) for a binary option, empty if any number is allowed.
OPTIONS: dict[str, tuple[float, ...]] = {
    option["name"]: (0.0, 1.0) if option["kind"] == "binary" else tuple(option["values"])
    for option in PROGRAM["options"]
}
PROPERTY: str | None = PROGRAM.get("property")
UNIT: str | None = PROGRAM.get("unit")
# The probability that a measured value lies inside of an interval.
LEVEL: float | None = PROGRAM.get("level")

# None is a deselected numeric option.
Value = float | None


def shown(name: str) -> str:
    """Return a name as text for a terminal."""
    return name if name.isprintable() else repr(name)


class PredictionError(ValueError):
    """A configuration that cannot be predicted."""


_LIMIT = 600.0


def forward(scale: Mapping[str, Any], y: float) -> float:
    """Return the value on the scale of a value in units of the scale."""
    if scale["name"] in ("log", "shifted_log"):
        return math.log(y + scale["shift"])
    return math.asinh(y) if scale["name"] == "asinh" else y - scale["positive"]


def backward(scale: Mapping[str, Any], t: float) -> float:
    """Return the value in units of the scale of a value on the scale."""
    limited = min(max(t, -_LIMIT), _LIMIT)
    if scale["name"] in ("log", "shifted_log"):
        y = math.exp(limited) - scale["shift"]
    else:
        y = math.sinh(limited) if scale["name"] == "asinh" else t + scale["positive"]
    return float(max(y, scale["lowest"]))


def divisor(scale: Mapping[str, Any], y: float) -> float:
    """Return the divisor of differences at a prediction."""
    if scale["positive"]:
        return y
    if scale["name"] == "raw":
        return math.sqrt(noise_multiple(scale, y))
    if scale["name"] == "shifted_log":
        return float(y + scale["shift"])
    return math.sqrt(y**2 + 1) if scale["name"] == "asinh" else 1.0


def slope(scale: Mapping[str, Any], y: float) -> float:
    """Return the derivative of the value by that on the scale, over the divisor."""
    rate = 1.0
    if scale["name"] in ("log", "shifted_log"):
        rate = y + scale["shift"]
    elif scale["name"] == "asinh":
        rate = math.sqrt(y**2 + 1)
    return rate / divisor(scale, y)


def noise_multiple(scale: Mapping[str, Any], y: float) -> float:
    """Return the multiple of the variance of the noise at a prediction."""
    if scale["name"] != "raw":
        return 1.0
    return float(y**2 if scale["positive"] else y**2 + scale["constant_noise"] ** 2)


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
