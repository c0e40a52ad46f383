"""The settings of `splc.scaling.fit` as texts: what `--set NAME=VALUE` and study files state."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from splc.errors import SpecError, unknown_name_hint
from splc.scaling.fit import fit
from splc.scaling.methods import settings_of

_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
# Names of `splc.types.Aggregate` that differ here.
_ALIASES = {"min": "minimum", "max": "maximum"}


def parsed_settings(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as keyword arguments of `splc.scaling.fit`.

    `stated`: name → value or its text.
    """
    parameters = inspect.signature(fit).parameters.items()
    known = {name: str(each.annotation) for name, each in parameters if name not in ("x", "y", "names")}
    found: dict[str, Any] = {}
    for name, value in stated.items():
        if name not in known:
            raise SpecError(f"pmnf has no setting {name!r}", hint=unknown_name_hint(name, list(known)))
        found[name] = _value(name, value, known[name]) if isinstance(value, str) else value
    # Refuses what the method does not have before anything is fitted.
    resolved_settings(found)
    return found


def resolved_settings(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a method by name, in JSON's types."""
    own = settings_of(**{name: value for name, value in chosen.items() if name != "segmented"})
    segmented = {"segmented": True} if chosen.get("segmented") else {}
    return {"method": own.method, **own.as_dict(), **segmented}


def _value(name: str, text: str, kind: str) -> Any:
    """Return the value that the text of a setting states."""
    if "bool" in kind:
        if text.casefold() not in _BOOLEANS:
            raise SpecError(f"{name} cannot be {text!r}", hint="it is true or false")
        return _BOOLEANS[text.casefold()]
    if "int" in kind or "float" in kind:
        try:
            return int(text) if "int" in kind else float(text)
        except ValueError:
            raise SpecError(f"{name} cannot be {text!r}", hint="it is a number") from None
    if name == "aggregate":
        return _ALIASES.get(text, text)
    if name == "exponents" and ";" in text:
        try:
            powers, logs = ([Fraction(each.strip()) for each in part.split(",")] for part in text.split(";"))
        except (ValueError, ZeroDivisionError):
            hint = "name a set, or give powers and exponents of the logarithm: exponents='0,1/2,1;0,1'"
            raise SpecError(f"exponents cannot be {text!r}", hint=hint) from None
        return powers, logs
    return text
