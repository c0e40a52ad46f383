"""What a design is: a frozen description that, bound to a system, gives the rows to measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.types import Array


@dataclass(frozen=True)
class Design:
    """The rows that a design picks, and what there is to say about them.

    Attributes:
        rows: distinct rows of value indices. Numeric designs: one column per numeric option, none deselected;
            binary ones: one column per binary option, then per switch of an optional numeric option.
        notes: whole sentences without a full stop.
    """

    rows: Array
    notes: tuple[str, ...] = ()


class PartDesign(Protocol):
    """A design for the binary or for the numeric part of configurations."""

    @property
    def text(self) -> str:
        """The spec that describes it."""
        ...

    @property
    def full(self) -> bool:
        """Whether it takes everything, so that its rows need not be listed one by one."""
        ...

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows for a system."""
        ...


class WholeDesign(Protocol):
    """A design for whole configurations."""

    @property
    def text(self) -> str:
        """The spec that describes it."""
        ...

    def configurations(
        self, parts: Parts, seed: int, measured: Configurations | None
    ) -> tuple[Configurations, tuple[str, ...]]:
        """Return valid, distinct configurations and what there is to say about them."""
        ...


@dataclass(frozen=True)
class Arguments:
    """The arguments of one part of a spec, `NAME:positional,…,key=value,…`, with `usage` for messages."""

    name: str
    usage: str
    positional: tuple[str, ...]
    named: Mapping[str, str]

    @property
    def text(self) -> str:
        """The part as it would be written."""
        arguments = [*self.positional, *(f"{key}={value}" for key, value in self.named.items())]
        return f"{self.name}:{','.join(arguments)}" if arguments else self.name

    def error(self, message: str, hint: str | None = None) -> SpecError:
        """Return the error for wrong arguments."""
        return SpecError(f"{self.text}: {message}", hint=hint or f"write {self.usage}")

    def expect(self, least: int, most: int, *keys: str) -> None:
        """Check the number of positional arguments and the keys.

        Raises:
            SpecError: if they are others.
        """
        if not least <= len(self.positional) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"the number of arguments must be {wanted}, not {len(self.positional)}")
        for key in self.named:
            if key not in keys:
                raise self.error(f"{key!r} is no argument of {self.name}")

    def whole_number(self, text: str, what: str, least: int) -> int:
        """Return an argument as a whole number.

        Raises:
            SpecError: if it is none, or below `least`.
        """
        if not (text.isascii() and text.isdigit()) or len(text) > 30 or int(text) < least:
            raise self.error(f"{what} must be a whole number of at least {least}, not {text!r}")
        return int(text)

    def seed(self) -> int | None:
        """Return the argument `seed`, None if there is none."""
        return self.whole_number(self.named["seed"], "the seed", 0) if "seed" in self.named else None


def distinct_design(rows: Array, notes: tuple[str, ...] = ()) -> Design:
    """Return a design without repeated rows, with a note about how many there were."""
    kept = without_repeats(rows)
    if len(kept) < len(rows):
        notes = (*notes, f"{len(rows) - len(kept)} of {len(rows)} rows coincide with others and are left out")
    return Design(kept, notes)
