"""Designs that draw from a population: N configurations or parts at random, and what was measured.

The population is the valid configurations of the system, the rows of a file, or the measured configurations. Draws are
uniform, as splc draws or as SPL Conqueror's program does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np

from sampling.designs.design import Amount, Arguments, Design, DrawnDesign, Selected, distinct_design, too_few
from sampling.draws import Purpose, compat_positions, distinct_ranks, generator
from sampling.space.parts import Parts
from sampling.space.rows import contained
from sampling.space.solutions import Solutions
from sampling.space.space import LIMIT
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, InputError, Problems, SpaceError, SpecError, plural
from splc.io.csv_rows import header_names, is_not_blank, split_rows
from splc.io.files import read_source
from splc.io.numbers import parse_column
from splc.system.options import BinaryOption
from splc.system.variability import ENABLED, VariabilityModel
from splc.types import Array

# The argument that asks for the draws of SPL Conqueror's program, and its value for those of the versions before June
# 2023.
COMPAT, REDRAWING = "compat", "2018"
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) *%")


@dataclass(frozen=True)
class RandomDesign(DrawnDesign):
    """A random design, with the arguments `N[,compat[=2018]][,seed=S][,from=FILE]`."""

    # whether to draw as SPL Conqueror's program does: a position among the elements that are left, by .NET's
    # `System.Random`; everything if the population is too small
    compat: bool = False
    redraws: bool = False  # whether to draw as versions before June 2023: in the whole list, again if drawn before
    source: str | None = None  # the file of the population, None for the valid configurations of the system

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read the arguments."""
        compat = arguments.flag(COMPAT, 1, COMPAT, "seed", "from")
        redraws = COMPAT in arguments.named and bool(arguments.choice(COMPAT, (REDRAWING,)))
        if compat and redraws:
            raise arguments.error(f"{COMPAT!r} is given twice")
        amount = Amount.parse(arguments)
        source = arguments.named.get("from")
        return cls(arguments.text, amount, arguments.seed(), compat or redraws, redraws, source)

    def drawn(
        self, parts: Parts, solutions: Solutions, seed: int, purpose: Purpose, what: str, known: Array | None
    ) -> tuple[Array, tuple[str, ...]]:
        """Return N solutions, in drawing order, and notes; none of the known ones, unless as SPL Conqueror draws."""
        count = solutions.count
        if known is None or self.compat:
            positions, notes = self.positions(parts, count, seed, purpose, what)
            return solutions.enumerate(LIMIT)[positions] if self.compat else solutions.unrank(positions), notes
        n = self.amount.resolve(parts)
        if n > count:
            raise too_few(self.text, count, n, what)
        rows = solutions.unrank(distinct_ranks(count, min(count, n + len(known)), self.rng(seed, purpose)))
        new = rows[~contained(rows, known)]
        if len(new) < n:
            raise too_few(self.text, len(new), n, f"{what} that the existing sample does not have")
        return new[:n], ()

    def positions(
        self, parts: Parts, count: int, seed: int, purpose: Purpose, what: str
    ) -> tuple[list[int], tuple[str, ...]]:
        """Return distinct positions in a population of `count` elements, in drawing order, and notes."""
        n = self.amount.resolve(parts)
        if n > count:
            error = too_few(self.text, count, n, what if self.source is None else f"{what} in {self.source}")
            if not self.compat:
                raise error
            message = error.problems[0].message
            return list(range(count)), (f"{message}; all of them are taken, as in SPL Conqueror",)
        if not self.compat:
            return distinct_ranks(count, n, self.rng(seed, purpose)), ()
        if count > LIMIT:
            message = f"{self.text}: SPL Conqueror draws from a list of all {count:,} {what} (the limit is {LIMIT:,})"
            raise SpaceError(message, hint=f"leave out {COMPAT!r}, or name fewer options")
        return compat_positions(count, n, seed if self.seed is None else self.seed, self.redraws), ()


@dataclass(frozen=True)
class RandomPart(RandomDesign):
    """`random:N[,compat[=2018]][,seed=S][,from=FILE]`: N distinct parts of one kind, uniformly drawn, in this order.

    With `compat`, the population is listed in lexicographic order; SPL Conqueror lists it in the order of its solver.
    With `from`, it consists of the rows of a file, in their order.
    """

    kind: Literal["binary", "numeric"] = "binary"

    @classmethod
    def of_kind(cls, kind: Literal["binary", "numeric"], arguments: Arguments) -> RandomPart:
        """Read the arguments of a part."""
        return replace(cls.parse(arguments), kind=kind)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`."""
        if self.source is not None:
            population = self._rows(parts, self.source)
            positions, notes = self.positions(parts, len(population), seed, self.kind, "configurations")
            return distinct_design(population[positions], notes)
        solutions = parts.binary if self.kind == "binary" else parts.numeric
        known = parts.known if self.kind == "binary" and len(parts.known) else None
        return Design(*self.drawn(parts, solutions, seed, self.kind, f"valid {self.kind} parts", known))

    def _rows(self, parts: Parts, source: str) -> Array:
        """Return the parts of the configurations in a file."""
        indices = read_population(source, parts.system, self.kind).indices.astype(np.int64)
        options = parts.system.options
        if self.kind == "numeric":
            first = len(parts.binary_names)
            # The value of a deselected option does not matter.
            last = [len(option.values) - 1 for option in parts.system.numeric_options]
            return np.asarray(np.minimum(indices[:, first:], np.array(last)))
        enabled = [indices[:, position] < options[position].size - 1 for position in parts.optional]
        return np.stack([*indices[:, : len(parts.binary_names)].T, *enabled], axis=1).astype(np.int64)


@dataclass(frozen=True)
class RandomWhole(RandomDesign):
    """`random:N[,compat[=2018]][,seed=S][,from=FILE]`: N distinct configurations, uniformly drawn, in this order.

    Where the constraints are too complex for exact counts, draws are approximately uniform, and a note says so.

    SPL Conqueror draws binary and numeric parts independently; here all valid configurations are equally likely. With
    `compat` the configurations are drawn as SPL Conqueror draws parts, from their list in lexicographic order, and with
    `from` from the rows of a file.
    """

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return the configurations; its own seed takes precedence over `seed`."""
        space = parts.space
        if self.source is not None:
            population = read_population(self.source, parts.system)
            if parts.existing is not None and not self.compat:
                population = population[parts.existing.find(population) < 0]
            positions, notes = self.positions(parts, len(population), seed, "whole", "configurations")
            drawn = population[positions].unique()
            if len(drawn) < len(positions):
                notes += (f"{len(positions) - len(drawn)} of {len(positions)} drawn rows are repeated",)
            valid = space.check(drawn)
            if not valid.all():
                count = plural(int((~valid).sum()), "drawn configuration is", "drawn configurations are")
                notes += (f"{count} not valid and left out",)
            return drawn[valid], notes
        if parts.existing is None and not self.compat:
            n, rng = self.amount.resolve(parts), self.rng(seed, "whole")
            if not space.is_counted:
                drawn, note = space.draw_approximately(n, rng)
                return drawn, (note,)
            return space.draw(n, rng), ()
        space.require_valid()
        known = None if parts.existing is None else parts.existing.indices
        rows, notes = self.drawn(parts, space.solutions, seed, "whole", "valid configurations", known)
        return Configurations(parts.system, rows), notes


def read_population(path: str, system: VariabilityModel, only: str | None = None) -> Configurations:
    """Read configurations from a CSV table with one column per option, in the order of its rows.

    Columns with other names are ignored, so that the tables of `splc sample`, of `splc measure` and of SPL Conqueror's
    `printconfigs` can be read. `only`: the kind of options that matter, `binary` (with the switches of optional numeric
    ones) or `numeric`; others that have no column get their first value.
    """
    source = read_source(path)
    rows, lines = split_rows(source)
    header = header_names(rows[0])
    problems = Problems(source.name)
    for row, line in zip(rows, lines, strict=True):
        if len(row) < len(header) or is_not_blank(row[len(header) :]):
            problems.add(f"{len(row)} fields, but the header has {len(header)}", line)
    problems.raise_if_any(InputError)
    columns: dict[str, Any] = {name: [row[at].strip() for row in rows[1:]] for at, name in enumerate(header)}
    named = {system.spellings.get(name, name): name for name in header}
    for option in system.options:
        off = np.zeros(len(rows) - 1, dtype=bool)
        binary = isinstance(option, BinaryOption)
        if not binary and ENABLED + option.name in named:
            off = parse_column(columns[named[ENABLED + option.name]]) == 0
        if option.name in named:
            texts = zip(columns[named[option.name]], off.tolist(), strict=True)
            columns[named[option.name]] = ["" if is_off else text for text, is_off in texts]
        elif only is not None and (only == "numeric") == binary:
            columns[option.name] = np.where(off, np.nan, 0.0 if isinstance(option, BinaryOption) else option.values[0])
    try:
        return Configurations.from_frame(system, columns)
    except ConfigurationError as error:
        raise error.at(source.name) from None


@dataclass(frozen=True)
class Measured:
    """`measured[:N|:P%][,seed=S]`: measured configurations that are valid.

    Without a number they are all, in the order of the measurements. Else they are distinct and uniformly drawn, in
    drawing order, and do not depend on the order of the measurements. The first n of a larger draw are the same.
    """

    text: str = "measured"
    # the number of configurations, or the share of the measured ones, in (0, 1]; half a configuration is rounded to the
    # even number. None: all
    size: Amount | Fraction | None = None
    seed: int | None = 0  # its own seed, which takes precedence; nothing is drawn without a size

    @classmethod
    def parse(cls, arguments: Arguments) -> Measured:
        """Read its arguments."""
        arguments.expect(0, 1, "seed")
        if not arguments.positional:
            if arguments.named:
                raise arguments.error("without a number, everything measured is taken and nothing is drawn")
            return cls()
        text = arguments.positional[0]
        if not text.endswith("%"):
            return cls(arguments.text, Amount.parse(arguments), arguments.seed())
        match = _PERCENT.fullmatch(text)
        share = Fraction(match[1]) / 100 if match else Fraction(0)
        if not 0 < share <= 1:
            raise arguments.error(f"{text!r} is not a percentage above 0 and up to 100")
        return cls(arguments.text, share, arguments.seed())

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return the configurations."""
        if measured is None:
            hint = "give measurements, or use another sampling"
            raise SpecError(f"{self.text}: no measurements are given", hint=hint)
        once = measured.unique()
        if parts.existing is not None:
            once = once[parts.existing.find(once) < 0]
        valid = parts.space.check(once)
        count = plural(int((~valid).sum()), "measured configuration is", "measured configurations are")
        known, notes = once[valid], () if valid.all() else (f"{count} not valid",)
        if self.size is None:
            return known, notes
        n = self.size.resolve(parts) if isinstance(self.size, Amount) else max(1, round(self.size * len(known)))
        if n > len(known):
            new = "" if parts.existing is None else " and are not in the existing sample"
            raise SpaceError(
                f"{self.text}: only {len(known):,} valid configurations were measured{new}, not {n:,}",
                hint=f"ask for at most {len(known):,}, or for a share of them, such as measured:70%",
            )
        order = np.argsort(known.keys, kind="stable")
        drawn = distinct_ranks(len(known), n, generator(seed if self.seed is None else self.seed, "measured"))
        return known[order[drawn]], notes


@dataclass(frozen=True)
class Suggested(DrawnDesign):
    """`suggest:N[,seed=S]`: N measured configurations, each batch suggested by the values of those before it.

    Learning and studies select them: the selection needs values and models, which sampling does not have.
    """

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Refuse to draw without values."""
        hint = "use it in splc learn or splc study; splc suggest names configurations that are not measured yet"
        raise SpecError(f"{self.text}: suggestions depend on measured values", hint=hint)
