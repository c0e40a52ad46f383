"""From options to requests: option values that consist of several parts, and options that are fields of a request."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

import typer

from splc.io.files import STANDARD

R = TypeVar("R")

# The fields of requests that options state as `NAME=NUMBER`.
NUMBERS = ("parameter", "at", "fail_below", "fail_above")
# Those that options state as `NAME,NAME`.
LISTS = ("options",)
# Those that options state as `COLUMN=VALUE`.
VALUES = ("where",)


def scheduler_of(backend: str, scheduler: str | None) -> str | None:
    """Return the dask scheduler of a command, `local` to start one here, or None without dask.

    Raises:
        typer.BadParameter: if there is a scheduler without dask.
    """
    if backend == "dask":
        return scheduler or "local"
    if scheduler is not None:
        raise typer.BadParameter("a scheduler needs --backend dask", param_hint="--scheduler")
    return None


def request_of(kind: type[R], options: Mapping[str, Any], own: Sequence[str] = (), **converted: Any) -> R:
    """Return a request whose fields are the options of the same names, but for those that had to be converted.

    Options without a value have the default of the request.

    Args:
        kind: the class of the request.
        options: all options of a command, which are its `locals()` before anything else is done.
        own: those that are no field, since the command itself uses them.
        converted: fields that had to be converted.

    Raises:
        typer.BadParameter: if a value cannot be read, or two results would be written to standard output.
        TypeError: if an option would be lost.
    """
    lost = set(options).difference(own, converted, (each.name for each in fields(cast(Any, kind))))
    if lost:
        raise TypeError(f"{kind.__module__}.{kind.__name__} has no field for {', '.join(sorted(lost))}")
    if options.get("json") and options.get("output") == STANDARD:
        raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
    given: dict[str, Any] = {}
    for name in (each.name for each in fields(cast(Any, kind))):
        value = options.get(name)
        if name in NUMBERS:
            given[name] = numbers_of(value, f"--{name.replace('_', '-')}")
        elif name in VALUES:
            given[name] = values_of(value, f"--{name}")
        elif name in LISTS:
            given[name] = names_in(value or (), f"--{name}")
        elif value is not None:
            given[name] = tuple(value) if isinstance(value, list) else value
    return kind(**given | converted)


def numbers_of(texts: Sequence[str] | None, option: str) -> dict[str, float]:
    """Return name → number of texts `NAME=NUMBER`."""
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


def values_of(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """Return column → value of texts `COLUMN=VALUE`."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise typer.BadParameter(f"{text!r} is not COLUMN=VALUE", param_hint=option)
        if found.setdefault(name, value) != value:
            raise typer.BadParameter(f"{name} is given twice, with different values", param_hint=option)
    return found


def texts_of(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """Return name → value of texts `NAME=VALUE`; the last one of a name counts."""
    found = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint=option)
        found[name.strip()] = value.strip()
    return found


def names_of(text: str | None, option: str) -> list[str] | None:
    """Return the names in `NAME,NAME`, None for None."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise typer.BadParameter(f"{text!r} is not NAME,NAME…", param_hint=option)
    return names


def names_in(texts: Sequence[str], option: str) -> tuple[str, ...]:
    """Return the names in `--free a,b --free c`."""
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names):
        raise typer.BadParameter(f"a name is missing; write {option} NAME,NAME", param_hint=option)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise typer.BadParameter(f"{twice[0]} is given twice", param_hint=option)
    return tuple(names)


def bounds_of(texts: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Return name → bounds of texts `NAME=LOW..HIGH`; None is an end that is left out."""
    found: dict[str, tuple[float | None, float | None]] = {}
    for text in texts:
        name, equals, interval = text.rpartition("=")
        low, dots, high = interval.partition("..")
        name = name.strip()
        try:
            ends = [float(end) if end.strip() else None for end in (low, high)]
        except ValueError:
            ends = [math.nan]
        if not (name and equals and dots) or any(end is not None and math.isnan(end) for end in ends):
            raise typer.BadParameter(f"{text!r} is not NAME=LOW..HIGH, such as alpha=1e-8..1e-5", param_hint="--bound")
        if name in found:
            raise typer.BadParameter(f"{name} is given twice", param_hint="--bound")
        found[name] = (ends[0], ends[1])
    return found


def axes_of(texts: Sequence[str] | None, option: str) -> dict[str, list[float]]:
    """Return name → numbers of texts `NAME=NUMBER,NUMBER`."""
    found: dict[str, list[float]] = {}
    for text in texts or ():
        name, equals, values = (part.strip() for part in text.partition("="))
        numbers = [_number(value) for value in values.split(",")]
        if not equals or not name or None in numbers:
            raise typer.BadParameter(f"{text!r} is not NAME=NUMBER,NUMBER…", param_hint=option)
        if name in found:
            raise typer.BadParameter(f"{name} is given twice", param_hint=option)
        found[name] = [number for number in numbers if number is not None]
    return found


def percentage_of(text: str | None, option: str) -> float | None:
    """Return the number of a text `NUMBER` or `NUMBER%`, at least 0."""
    if text is None:
        return None
    number = _number(text.strip().removesuffix("%"))
    if number is None or number < 0:
        raise typer.BadParameter(f"{text!r} is not a percentage of at least 0, such as 5%", param_hint=option)
    return number


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
