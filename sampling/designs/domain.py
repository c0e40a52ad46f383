"""Restriction of a design to some options, `pairwise[a,b]` or `pb:9,3[x,y]`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sampling.designs.design import Design, PartDesign, distinct_design
from sampling.designs.numeric import centre
from sampling.space.parts import Parts, feasible, minimal
from sampling.space.space import Space
from splc.errors import SpecError, plural, unknown_name_hint
from splc.system.constraints import Constraint
from splc.system.options import NumericOption, Option
from splc.system.variability import ENABLED, ROOT, VariabilityModel


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
        """Return the names in the design's part."""
        known = restrictable(system, self.kind)
        names = []
        for name in self.names:
            spelling = system.spellings.get(name, name)
            if spelling not in known:
                raise SpecError(
                    f"{self.text}: {name!r} is not a {self.kind} option of {system.name}",
                    hint=unknown_name_hint(name, list(known)),
                )
            names.append(known[spelling])
        return names


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
    for option in system.options:
        if option.name not in used:
            continue
        if isinstance(option, NumericOption):
            options.append(option if option.parent in used else replace(option, parent=None))
        else:
            implied = tuple(group for group in option.implied if inside(group))
            excluded = tuple(group for group in option.excluded if inside(group))
            options.append(replace(option, implied=implied, excluded=excluded))
    constraints: tuple[Constraint, ...] = tuple(c for c in system.constraints if inside(c.names))
    return VariabilityModel(system.name, tuple(options), constraints)
