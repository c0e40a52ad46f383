"""Designs that take a part in full, and products of a binary and a numeric design: their valid combinations."""

from __future__ import annotations

import math
from collections import ChainMap
from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Design, PartDesign
from sampling.space.parts import Parts
from sampling.space.rows import ascending
from sampling.space.solutions import Solutions
from sampling.space.space import LIMIT
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError
from splc.io.numbers import count_text
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
    for design, is_full, names, kind in (
        (binary, all_binary, parts.selectable, "binary"),
        (numeric, all_numeric, system.numeric_options, "numeric"),
    ):
        if not names and not is_full:
            raise SpecError(f"{design.text}: {system.name} has no {kind} options")
    if all_binary and all_numeric:
        everything = parts.space.enumerate(LIMIT)
        return everything, _grid(parts) * parts.binary.count - parts.both.count, ()
    binary_design = None if all_binary else binary.design(parts, seed)
    numeric_design = None if all_numeric else numeric.design(parts, seed)
    notes = (*(binary_design.notes if binary_design else ()), *(numeric_design.notes if numeric_design else ()))
    if binary_design is None and numeric_design is not None:
        if parts.selectable and parts.binary.count * len(numeric_design.rows) > PAIRS:
            configurations, removed = _all_binary(parts, numeric_design)
            return configurations, removed, notes
        binary_design = All().design(parts, seed) if parts.selectable else Design(np.zeros((1, 0), dtype=np.int64))
    elif numeric_design is None and binary_design is not None:
        if _grid(parts) * len(binary_design.rows) > PAIRS:
            configurations, removed = _all_numeric(parts, binary_design)
            return configurations, removed, notes
        numeric_design = FullFactorial().design(parts, seed)
    assert binary_design is not None
    assert numeric_design is not None
    configurations, removed = _checked(parts, binary_design.rows, numeric_design.rows)
    return configurations, removed, notes


def _grid(parts: Parts) -> int:
    return math.prod(len(option.values) for option in parts.system.numeric_options)


def _checked(parts: Parts, binary: Array, numeric: Array) -> tuple[Configurations, int]:
    """Return the valid pairs and the number of invalid ones; pairs are checked in blocks."""
    if not parts.system.numeric_options:
        return _valid(parts, binary)
    step = max(1, CHUNK // max(1, len(numeric) * len(parts.system.options)))
    blocks: list[Configurations] = []
    removed = total = 0
    for start in range(0, len(binary), step):
        block = binary[start : start + step]
        pairs = parts.compose(np.repeat(block, len(numeric), axis=0), np.tile(numeric, (len(block), 1)))
        # Different values of a deselected option are the same configuration.
        pairs = pairs.unique()
        valid = parts.space.check(pairs)
        blocks.append(pairs[valid])
        removed += int((~valid).sum())
        total += len(blocks[-1])
        if total > LIMIT:
            raise _too_many(total)
    if not blocks:
        return Configurations(parts.system, np.zeros((0, len(parts.system.options)), dtype=np.uint8)), removed
    return Configurations.concatenate(blocks), removed


def _valid(parts: Parts, binary: Array) -> tuple[Configurations, int]:
    """Return the valid configurations of a system without numeric options, and the number of invalid rows."""
    rows = binary.astype(np.uint8, copy=False)
    step = max(1, CHUNK // max(1, len(parts.system.options)))
    starts = range(0, len(rows), step)
    valid = [parts.space.check(Configurations(parts.system, rows[start : start + step])) for start in starts]
    mask = np.concatenate([np.zeros(0, dtype=bool), *valid])
    if not mask.all():
        rows = rows[mask]
    rows.setflags(write=False)
    return Configurations(parts.system, rows), int((~mask).sum())


def _all_binary(parts: Parts, numeric: Design) -> tuple[Configurations, int]:
    """Return all valid configurations with one of the numeric parts, without listing all binary parts."""
    n = len(parts.selectable)
    rows, counts, _ = _restricted(parts, numeric.rows, n)
    # Binary part by binary part, and within each in the design's order.
    pairs = np.concatenate([rows[:, :n], np.repeat(np.arange(len(counts)), counts)[:, None]], axis=1)
    order = ascending(pairs, [*parts.problem.sizes[:n], len(counts)])
    configurations = parts.compose(rows[order, :n], rows[order, n:]).unique()
    return configurations, parts.binary.count * len(numeric.rows) - len(rows)


def _all_numeric(parts: Parts, binary: Design) -> tuple[Configurations, int]:
    """Return all valid configurations with one of the binary parts, without listing all numeric parts."""
    n = len(parts.selectable)
    rows, _, combinations = _restricted(parts, binary.rows, 0)
    return parts.compose(rows[:, :n], rows[:, n:]), combinations - len(rows)


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
        for variable in parts.switched_off(row) if first == 0 else ():
            domains[variable] = 1
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
