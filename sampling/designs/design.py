"""Interfaces of sampling designs, the arguments of their specs, and their sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np

from sampling.draws import Purpose, generator
from sampling.space.parts import Parts, minimal, option_minima, subset_minima
from sampling.space.rows import without_repeats
from splc.data.configurations import Configurations
from splc.errors import EmptySampleError, SpaceError, SpecError, nearest
from splc.types import Array

Name = TypeVar("Name", bound=str)
# Configurations that a design selects, and notes.
Selected = tuple[Configurations, tuple[str, ...]]
_AS = re.compile(r"asOW|asTW[1-9]")
MOST = 1_000_000  # more configurations are neither measured nor held in less than 1 GB of memory


@dataclass(frozen=True)
class Design:
    """The rows that a design selects, with notes."""

    # distinct rows of value indices. Numeric designs have one column per numeric option, none deselected; binary
    # designs have one column per binary option, then one per switch of an optional numeric option.
    rows: Array
    notes: tuple[str, ...] = ()  # sentences without a full stop


class SpecText(Protocol):
    """A design of any kind."""

    @property
    def text(self) -> str:
        """The spec of the design."""
        ...


class PartDesign(SpecText, Protocol):
    """A design of the binary or the numeric part of configurations."""

    def design(self, parts: Parts, seed: int) -> Design:
        """Return the rows for a system."""
        ...


class WholeDesign(SpecText, Protocol):
    """A design of whole configurations."""

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

    def choice(self, key: str, known: Sequence[Name]) -> Name:
        """Return the value of a key, one of those that are known; the first of them if it is not given."""
        value = self.named.get(key, known[0])
        if value in known:
            return known[known.index(value)]
        near = nearest(value, known)
        raise self.error(f"unknown {key} {value!r}" + (f"; {near}" if near else ""), f"known are {', '.join(known)}")

    def seed(self) -> int | None:
        """Return the argument `seed`, None if it is not given."""
        return self.whole_number(self.named["seed"], "the seed", 0) if "seed" in self.named else None


def distinct_design(rows: Array, notes: tuple[str, ...] = ()) -> Design:
    """Return a design of the distinct rows, with a note on the number of repeated rows."""
    distinct = without_repeats(rows)
    if len(distinct) < len(rows):
        notes = (*notes, f"{len(rows) - len(distinct)} of {len(rows)} rows coincide with others and are left out")
    return Design(distinct, notes)


def too_few(text: str, count: int, n: int, what: str) -> SpaceError:
    """Return the error for a design of n of `count` elements; `what`: the elements, for the message."""
    return SpaceError(f"{text}: there are only {count:,} {what}, not {n:,}", hint=f"ask for at most {count:,}")


@dataclass(frozen=True)
class Amount:
    """A sample size: `text` is a number, `asOW`, or `asTWt` such as `asTW2`."""

    text: str

    @classmethod
    def parse(cls, arguments: Arguments) -> Amount:
        """Read the first argument."""
        text = arguments.positional[0]
        if _AS.fullmatch(text):
            return cls(text)
        if not text.isdigit():
            message = f"{text!r} is not a number of configurations"
            raise arguments.error(message, "write an integer, asOW, or asTW2 (T = 1 to 9)")
        n = arguments.whole_number(text, "the number of configurations", 1)
        if n > MOST:
            message = f"{n:,} configurations are too many (the limit is {MOST:,})"
            raise arguments.error(message, "ask for as many as you can measure")
        return cls(str(n))

    def resolve(self, parts: Parts) -> int:
        """Return the number for a system, also where a sample is extended."""
        if self.text.isdigit():
            return int(self.text)
        parts = Parts(parts.space)
        if self.text == "asTW1":
            rows, _ = option_minima(parts)
        elif self.text.startswith("asTW"):
            rows, _ = subset_minima(parts, int(self.text[4:]))
        else:
            # SPL Conqueror counts the distinct smallest configurations with and without each option.
            options = range(len(parts.selectable))
            rows, possible = minimal(parts, [frozenset({(option, value)}) for option in options for value in (1, 0)])
            rows = without_repeats(rows[possible])
        if not len(rows):
            message = f"{self.text} is 0 for {parts.system.name}: no such sets of unrelated options can be selected"
            raise EmptySampleError(message, hint="state a number")
        return len(rows)


@dataclass(frozen=True)
class DrawnDesign:
    """A design `NAME:N[,seed=S]` of N drawn rows."""

    text: str
    amount: Amount  # the number of rows
    seed: int | None = None  # its own seed, which takes precedence

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def rng(self, seed: int, purpose: Purpose) -> np.random.Generator:
        """Return the random generator for a purpose, by its own seed or else by `seed`."""
        return generator(seed if self.seed is None else self.seed, purpose)
