"""Interfaces of sampling designs, and the arguments of their specs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from splc.data.configurations import Configurations
from splc.errors import SpecError, nearest
from splc.types import Array

# Configurations that a design selects, and notes.
Selected = tuple[Configurations, tuple[str, ...]]


@dataclass(frozen=True)
class Design:
    """The rows that a design selects, with notes."""

    # distinct rows of value indices. Numeric designs have one column per numeric option, none deselected; binary
    # designs have one column per binary option, then one per switch of an optional numeric option.
    rows: Array
    notes: tuple[str, ...] = ()  # sentences without a full stop


class PartDesign(Protocol):
    """A design of the binary or the numeric part of configurations."""

    @property
    def text(self) -> str:
        """The spec of the design."""
        ...

    def design(self, parts: Parts, seed: int) -> Design:
        """Return the rows for a system."""
        ...


class WholeDesign(Protocol):
    """A design of whole configurations."""

    @property
    def text(self) -> str:
        """The spec of the design."""
        ...

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return valid, distinct configurations, and notes."""
        ...


@dataclass(frozen=True)
class Arguments:
    """The arguments of one part of a spec, `NAME:positional,…,key=value,…`; `usage` is for messages."""

    name: str
    usage: str
    positional: tuple[str, ...]
    named: Mapping[str, str]

    @property
    def text(self) -> str:
        """The part of the spec in normal form."""
        arguments = [*self.positional, *(f"{key}={value}" for key, value in self.named.items())]
        return f"{self.name}:{','.join(arguments)}" if arguments else self.name

    def error(self, message: str, hint: str | None = None) -> SpecError:
        """Return the error for wrong arguments."""
        return SpecError(f"{self.text}: {message}", hint=hint or f"write {self.usage}")

    def expect(self, least: int, most: int, *keys: str) -> None:
        """Check the number of positional arguments and the keys."""
        if not least <= len(self.positional) <= most:
            expected = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"the number of arguments must be {expected}, not {len(self.positional)}")
        for key in self.named:
            if key not in keys:
                raise self.error(f"{self.name} has no argument {key!r}")

    def whole_number(self, text: str, what: str, least: int) -> int:
        """Return an argument as an integer."""
        if not (text.isascii() and text.isdigit()) or len(text) > 30 or int(text) < least:
            raise self.error(f"{what} must be an integer of at least {least}, not {text!r}")
        return int(text)

    def flag(self, name: str, least: int, *keys: str) -> bool:
        """Check the number of arguments, and return whether the flag `name` follows the first `least` ones."""
        self.expect(least, least + (len(self.positional) > least), *keys)
        if self.positional[least:] not in ((), (name,)):
            raise self.error(f"{self.name} has no variant {self.positional[least]!r}")
        return len(self.positional) > least

    def choice(self, key: str, known: Sequence[str]) -> str:
        """Return the value of a key, one of those that are known; the first of them if it is not given."""
        value = self.named.get(key, known[0])
        if value not in known:
            near = nearest(value, known)
            raise self.error(
                f"unknown {key} {value!r}" + (f"; {near}" if near else ""), f"known are {', '.join(known)}"
            )
        return value

    def seed(self) -> int | None:
        """Return the argument `seed`, None if it is not given."""
        return self.whole_number(self.named["seed"], "the seed", 0) if "seed" in self.named else None


def distinct_design(rows: Array, notes: tuple[str, ...] = ()) -> Design:
    """Return a design of the distinct rows, with a note on the number of repeated rows."""
    distinct = without_repeats(rows)
    if len(distinct) < len(rows):
        notes = (*notes, f"{len(rows) - len(distinct)} of {len(rows)} rows coincide with others and are left out")
    return Design(distinct, notes)
