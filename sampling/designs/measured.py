"""Designs that select from what was measured: everything, random draws, and what values suggest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sampling.designs.design import Amount, Arguments, DrawnDesign, Selected
from sampling.space.parts import Parts
from sampling.space.ranks import distinct_ranks, generator
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError, plural

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) *%")


@dataclass(frozen=True)
class Measured:
    """`measured`: every measured configuration that is valid, in the order of the measurements."""

    text: str = "measured"

    @staticmethod
    def parse(arguments: Arguments) -> Measured:
        """Read its arguments: none, or those of `MeasuredPart`."""
        arguments.expect(0, 1, "seed")
        if arguments.positional:
            amount, share = _amount(arguments)
            return MeasuredPart(arguments.text, amount, share, arguments.seed())
        if arguments.named:
            raise arguments.error("without a number, everything measured is taken and nothing is drawn")
        return Measured()

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return the configurations (the seed has no effect)."""
        if measured is None:
            hint = "give measurements, or use another sampling"
            raise SpecError(f"{self.text}: no measurements are given", hint=hint)
        once = measured.unique()
        if parts.existing is not None:
            once = once[parts.existing.find(once) < 0]
        valid = parts.space.check(once)
        count = plural(int((~valid).sum()), "measured configuration is", "measured configurations are")
        return once[valid], () if valid.all() else (f"{count} not valid",)


@dataclass(frozen=True)
class MeasuredPart(Measured):
    """`measured:N[,seed=S]` or `measured:P%[,seed=S]`: distinct valid measured configurations, uniformly drawn.

    They are in drawing order, and do not depend on the order of the measurements. The first n of a larger draw are the
    same.
    """

    amount: Amount | None = None  # the number of configurations; None where a share is stated
    # the share of the measured configurations, in (0, 1]; half a configuration is rounded to the even number
    share: Fraction = Fraction(1)
    seed: int | None = None  # its own seed, which takes precedence

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return the configurations."""
        known, notes = super().configurations(parts, seed, measured)
        n = max(1, round(self.share * len(known))) if self.amount is None else self.amount.resolve(parts)
        if n > len(known):
            new = "" if parts.existing is None else " and are not in the existing sample"
            raise SpaceError(
                f"{self.text}: only {len(known):,} valid configurations were measured{new}, not {n:,}",
                hint=f"ask for at most {len(known):,}, or for a share of them, such as measured:70%",
            )
        order = np.argsort(known.keys, kind="stable")
        drawn = distinct_ranks(len(known), n, generator(seed if self.seed is None else self.seed, "measured"))
        return known[order[drawn]], notes


def _amount(arguments: Arguments) -> tuple[Amount | None, Fraction]:
    """Return the number of configurations, or None and their share."""
    text = arguments.positional[0]
    if not text.endswith("%"):
        return Amount.parse(arguments), Fraction(1)
    match = _PERCENT.fullmatch(text)
    share = Fraction(match[1]) / 100 if match else Fraction(0)
    if not 0 < share <= 1:
        raise arguments.error(f"{text!r} is not a percentage above 0 and up to 100")
    return None, share


@dataclass(frozen=True)
class Suggested(DrawnDesign):
    """`suggest:N[,seed=S]`: N measured configurations, each batch suggested by the values of those before it.

    Learning and studies select them: the selection needs values and models, which sampling does not have.
    """

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Refuse to draw without values."""
        hint = "use it in splc learn or splc study; splc suggest names configurations that are not measured yet"
        raise SpecError(f"{self.text}: suggestions depend on measured values", hint=hint)
