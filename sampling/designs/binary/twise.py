"""T-wise sampling: each set of T options with as few others as possible."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.binary.optionwise import OptionWise
from sampling.designs.design import Arguments, Design, PartDesign
from sampling.designs.subsets import subset_minima
from sampling.space.coverage import covering
from sampling.space.engines import MAX_DIAGRAM
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from sampling.space.satisfiability import Satisfiability


@dataclass(frozen=True)
class TWise:
    """`twise:T`: for each set of T options the smallest valid configuration that selects all of them.

    Sets in which one option is an ancestor of another or implies it are left out as in SPL Conqueror, and so are sets
    that no valid configuration selects. `twise:1` is `optionwise`, as there, and `twise:2` is `pairwise`.

    Systems of more than 100 binary options would have up to hundreds of thousands of rows. There, few configurations
    cover all combinations of T selected or deselected options (see `sampling.space.coverage`), if the extra `solver` is
    installed.
    """

    text: str
    size: int

    @classmethod
    def parse(cls, arguments: Arguments) -> PartDesign:
        """Read its argument."""
        arguments.expect(1, 1)
        size = arguments.whole_number(arguments.positional[0], "the number of options in a set", 1)
        return OptionWise(arguments.text) if size == 1 else cls(arguments.text, size)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows, in order of the sets (the seed has no effect)."""
        solver = parts.solver
        if solver is None and len(parts.selectable) > MAX_DIAGRAM:
            solver = Satisfiability.of(parts.problem)
        if solver is not None:
            rows = covering(solver, len(parts.selectable), self.size, parts.covered, generator(seed, "binary"))
            covered = f"all valid combinations of {self.size} options, selected or not, in few configurations"
            return Design(rows, (f"{self.text} covers {covered}: the system is large",))
        rows, impossible = subset_minima(parts, self.size)
        kind = "pairs of" if self.size == 2 else f"sets of {self.size}"
        notes = (f"{impossible:,} {kind} options cannot be selected together",) if impossible else ()
        return Design(rows, notes)
