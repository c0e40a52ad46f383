"""Parsing of option values that consist of several parts, such as `NAME=NUMBER` and `NAME,NAME`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import typer


def numbers_of(texts: Sequence[str] | None, option: str) -> dict[str, float]:
    """Return name → number of texts `NAME=NUMBER`.

    Args:
        texts: the texts.
        option: the option that they were given by, for messages.

    Raises:
        typer.BadParameter: for a text of another form, a number that is not finite, and a duplicate name.
    """
    found: dict[str, float] = {}
    for text in texts or ():
        # A name may contain an equals sign: 'ceil(nx/4)=2'.
        name, equals, value = text.rpartition("=")
        name = name.strip()
        number = _number(value)
        if not equals or not name or number is None:
            raise typer.BadParameter(f"{text!r} is not NAME=NUMBER", param_hint=option)
        if name in found:
            raise typer.BadParameter(f"{name} is given twice", param_hint=option)
        found[name] = number
    return found


def texts_of(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """Return name → value of texts `NAME=VALUE`; the last one of a name counts.

    Raises:
        typer.BadParameter: for a text without a name or an equals sign.
    """
    found = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint=option)
        found[name.strip()] = value.strip()
    return found


def names_of(text: str | None, option: str) -> list[str] | None:
    """Return the names in `NAME,NAME`, None for None.

    Raises:
        typer.BadParameter: if a name is empty.
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise typer.BadParameter(f"{text!r} is not NAME,NAME…", param_hint=option)
    return names


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
