"""Composed designs: parts in full, products of a binary and a numeric design, designs of some options.

A product has the valid ones of all pairs. A restricted design, `pairwise[a,b]` or `pb:9,3[x,y]`, is that of a smaller
system, whose rows are completed.
"""

from __future__ import annotations

import math
from collections import ChainMap
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sampling.designs.design import Design, PartDesign, distinct_design
from sampling.designs.numeric import centre
from sampling.space.parts import Parts, feasible, minimal
from sampling.space.rows import ascending
from sampling.space.solutions import Solutions
from sampling.space.space import LIMIT, Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError, plural, unknown_name_hint
from splc.io.numbers import count_text
from splc.system.options import NumericOption, Option
from splc.system.variability import ENABLED, ROOT, VariabilityModel
from splc.types import Array

# Up to this many pairs of parts are checked one by one; otherwise one part is solved for each row of the other.
PAIRS = LIMIT
CHUNK = 2**22


def product(
    parts: Parts, binary: PartDesign, numeric: PartDesign, seed: int
) -> tuple[Configurations, int, tuple[str, ...]]:
    """Return the valid configurations of a product of designs, ordered by binary part."""
    system = parts.system
    # Designs that select all rows need not be listed.
    all_binary, all_numeric = isinstance(binary, All), isinstance(numeric, FullFactorial)
    grid = math.prod(len(option.values) for option in system.numeric_options)
    for part, is_full, names, kind in (
        (binary, all_binary, parts.selectable, "binary"),
        (numeric, all_numeric, system.numeric_options, "numeric"),
    ):
        if not names and not is_full:
            raise SpecError(f"{part.text}: {system.name} has no {kind} options")
    if all_binary and all_numeric:
        return parts.space.enumerate(LIMIT), grid * parts.binary.count - parts.both.count, ()
    # Neither are the rows of the other part where there are many pairs.
    n = len(parts.selectable)
    first = None if all_binary else binary.design(parts, seed)
    second = None if all_numeric else numeric.design(parts, seed)
    if first is None and second is not None and n and parts.binary.count * len(second.rows) > PAIRS:
        rows, counts, _ = _restricted(parts, second.rows, n)
        # Binary part by binary part, and within each in the design's order.
        pairs = np.concatenate([rows[:, :n], np.repeat(np.arange(len(counts)), counts)[:, None]], axis=1)
        rows = rows[ascending(pairs, [*parts.problem.sizes[:n], len(counts)])]
        removed = parts.binary.count * len(second.rows) - len(rows)
        return parts.compose(rows[:, :n], rows[:, n:]).unique(), removed, second.notes
    if second is None and first is not None and grid * len(first.rows) > PAIRS:
        rows, _, combinations = _restricted(parts, first.rows, 0)
        return parts.compose(rows[:, :n], rows[:, n:]), combinations - len(rows), first.notes
    first = first or (All().design(parts, seed) if n else Design(np.zeros((1, 0), dtype=np.int64)))
    second = second or FullFactorial().design(parts, seed)
    return *_checked(parts, first.rows, second.rows), (*first.notes, *second.notes)


def _checked(parts: Parts, binary: Array, numeric: Array) -> tuple[Configurations, int]:
    """Return the valid pairs and the number of invalid ones; pairs are checked in blocks."""
    system = parts.system
    step = max(1, CHUNK // max(1, len(numeric) * len(system.options)))
    blocks: list[Array] = []
    removed = total = 0
    for start in range(0, len(binary), step):
        block = binary[start : start + step]
        if system.numeric_options:
            pairs = parts.compose(np.repeat(block, len(numeric), axis=0), np.tile(numeric, (len(block), 1)))
            # Different values of a deselected option are the same configuration.
            pairs = pairs.unique()
        else:
            pairs = Configurations(system, block.astype(np.uint8, copy=False))
        valid = parts.space.check(pairs)
        blocks.append(pairs.indices if valid.all() else pairs.indices[valid])
        removed += int((~valid).sum())
        total += len(blocks[-1])
        if total > LIMIT:
            raise _too_many(total)
    rows = np.concatenate([np.zeros((0, len(system.options)), dtype=np.uint8), *blocks])
    rows.setflags(write=False)
    return Configurations(system, rows), removed


def _restricted(parts: Parts, rows: Array, first: int) -> tuple[Array, list[int], int]:
    """Return the solutions in which the variables from `first` on have the values of each row of a design."""
    full = parts.problem.domains
    blocks: list[Array] = [np.zeros((0, len(full)), dtype=np.int64)]
    counts: list[int] = []
    combinations = total = 0
    for row in rows:
        domains = list(full)
        for variable, value in enumerate(row, first):
            domains[variable] = 1 << int(value)
        for switch, position in enumerate(parts.optional, len(parts.binary_names)) if first == 0 else ():
            if not row[switch]:
                domains[position + len(parts.optional)] = 1
        combinations += math.prod(domain.bit_count() for domain in domains)
        # Diagrams built for one row are not kept.
        solutions = Solutions(parts.problem, domains=domains, cache=ChainMap({}, parts.cache))
        counts.append(solutions.count)
        total += solutions.count
        if total > LIMIT:
            raise _too_many(total)
        blocks.append(solutions.enumerate(LIMIT))
    return np.concatenate(blocks), counts, combinations


def _too_many(total: int) -> SpaceError:
    return SpaceError(
        f"the sampling selects at least {count_text(total)} configurations (the limit is {LIMIT:,})",
        hint="use a smaller binary or numeric part, or random:N",
    )


@dataclass(frozen=True)
class All:
    """`all`: every valid selection of binary options, in lexicographic order."""

    text: str = "all"

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        return Design(parts.binary.enumerate(LIMIT))


@dataclass(frozen=True)
class FullFactorial:
    """`ff`: every combination of the numeric options' values, in lexicographic order (last option fastest).

    Box, Hunter, Hunter: "Statistics for Experimenters", Wiley 1978; figure 2.2 of the thesis.
    """

    text: str = "ff"

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        sizes = [len(option.values) for option in parts.system.numeric_options]
        if math.prod(sizes) > LIMIT:
            raise SpaceError(
                f"ff: {math.prod(sizes):,} combinations of numeric values are too many (the limit is {LIMIT:,})"
            )
        return Design(np.indices(sizes, dtype=np.int64).reshape(len(sizes), math.prod(sizes)).T.copy())


@dataclass(frozen=True)
class Restricted:
    """A design of some options; the others have fixed values.

    As in SPL Conqueror, the design is that of a smaller system: the options, the parents of binary ones, and the
    constraints in which no other options occur. Then the other numeric options are at their centres, and as few other
    binary options as possible are selected. Of a sample that is extended, the selections of these options count.
    """

    kind: Literal["binary", "numeric"]  # the part that it is a design of
    inner: PartDesign  # the design
    names: tuple[str, ...]  # the options

    @property
    def text(self) -> str:
        """Its spec."""
        return f"{self.inner.text}[{','.join(self.names)}]"

    @property
    def seed(self) -> int | None:
        """The seed of the restricted design; None if it draws and the spec states no seed."""
        seed: int | None = getattr(self.inner, "seed", 0)
        return seed

    @property
    def source(self) -> str | None:
        """The file of the population of the restricted design, if there is one."""
        source: str | None = getattr(self.inner, "source", None)
        return source

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows."""
        return self._numeric(parts, seed) if self.kind == "numeric" else self._binary(parts, seed)

    def _numeric(self, parts: Parts, seed: int) -> Design:
        system = parts.system
        names = self._known(system)
        small = _reduced(system, {*names, *(option.name for option in system.binary_options)})
        design = self.inner.design(Parts(Space(small)), seed)
        centres = np.array([centre(option) for option in system.numeric_options], dtype=np.int64)
        rows = np.tile(centres, (len(design.rows), 1))
        columns = [position for position, option in enumerate(system.numeric_options) if option.name in names]
        rows[:, columns] = design.rows
        return Design(rows, design.notes)

    def _binary(self, parts: Parts, seed: int) -> Design:
        system = parts.system
        names = set(self._known(system))
        parents = {option.name: option.parent for option in system.binary_options}
        for name in list(names):
            above = parents.get(name)
            while above is not None:
                names.add(above)
                above = parents[above]
        options = {name if name in parents else name.removeprefix(ENABLED) for name in names}
        small = Parts(Space(_reduced(system, options)))
        positions = [parts.selectable.index(name) for name in small.selectable]
        existing = np.unique(parts.known[:, positions], axis=0)
        # A selection of the whole system need not be one of the smaller system, which has parts of its groups only.
        existing = existing[feasible(small, 2 * np.arange(len(positions)) + existing)]
        design = self.inner.design(Parts(small.space, apart=parts.apart, known=existing), seed)
        demands = [frozenset(zip(positions, row, strict=True)) for row in design.rows.tolist()]
        rows, possible = minimal(parts, demands)
        notes = design.notes
        if not possible.all():
            count = plural(int((~possible).sum()), "selection of these options is", "selections of these options are")
            notes += (f"{self.text}: {count} not part of a valid configuration",)
        return distinct_design(rows[possible], notes)

    def _known(self, system: VariabilityModel) -> list[str]:
        known = restrictable(system, self.kind)
        for name in self.names:
            if system.spellings.get(name, name) not in known:
                message = f"{self.text}: {name!r} is not a {self.kind} option of {system.name}"
                raise SpecError(message, hint=unknown_name_hint(name, list(known)))
        return [known[system.spellings.get(name, name)] for name in self.names]


def restrictable(system: VariabilityModel, kind: str) -> dict[str, str]:
    """Return what a design of binary or numeric options can be restricted to: accepted name → name in the part."""
    if kind == "numeric":
        return {option.name: option.name for option in system.numeric_options}
    switches = {option.name: ENABLED + option.name for option in system.numeric_options if option.optional}
    names = (*(option.name for option in system.binary_options), *switches.values())
    return {name: name for name in names} | switches


def _reduced(system: VariabilityModel, used: set[str]) -> VariabilityModel:
    """Return a system of some options, with the constraints among them."""

    def inside(names: tuple[str, ...]) -> bool:
        return all(name in small or name == ROOT for name in names)

    small = {*used, *(name for name, (position, _) in system.switches.items() if system.names[position] in used)}
    options: list[Option] = []
    for option in (option for option in system.options if option.name in used):
        if isinstance(option, NumericOption):
            options.append(option if option.parent in used else replace(option, parent=None))
        else:
            implied, excluded = (tuple(filter(inside, groups)) for groups in (option.implied, option.excluded))
            options.append(replace(option, implied=implied, excluded=excluded))
    return VariabilityModel(system.name, tuple(options), tuple(c for c in system.constraints if inside(c.names)))
