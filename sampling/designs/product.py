"""A binary and a numeric design together: their product, without what is not valid."""

from __future__ import annotations

import math
from collections import ChainMap

import numpy as np

from sampling.designs.binary.all import All
from sampling.designs.design import Design, PartDesign
from sampling.designs.numeric.ff import FullFactorial
from sampling.space.parts import Parts
from sampling.space.rows import ascending
from sampling.space.solutions import Solutions
from sampling.space.space import LIMIT
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError
from splc.types import Array

# Up to this many pairs of parts are checked one by one; beyond, one part is solved for each row of the other.
PAIRS = LIMIT
_CHUNK = 2**18


def product(
    parts: Parts, binary: PartDesign, numeric: PartDesign, seed: int
) -> tuple[Configurations, int, tuple[str, ...]]:
    """Return the valid configurations of a product of designs, binary part by binary part.

    Args:
        parts: the system.
        binary: the design of the binary part.
        numeric: the design of the numeric part.
        seed: for designs that draw and name no seed of their own.

    Returns:
        The configurations, how many more the designs asked for that are not valid, and what there is to say.

    Raises:
        SpecError: if a design has no options to choose from.
        SpaceError: if there are more valid ones than the enumeration limit.
    """
    model = parts.model
    for design, names, kind in (
        (binary, parts.selectable, "binary"),
        (numeric, model.numeric_options, "numeric"),
    ):
        if not names and not design.full:
            raise SpecError(f"{design.text}: {model.name} has no {kind} options to choose from")
    if binary.full and numeric.full:
        everything = parts.space.enumerate(LIMIT)
        return everything, _grid(parts) * parts.binary.count - parts.both.count, ()
    one = None if binary.full else binary.design(parts, seed)
    two = None if numeric.full else numeric.design(parts, seed)
    notes = (*(one.notes if one else ()), *(two.notes if two else ()))
    if one is None and two is not None:
        if parts.selectable and parts.binary.count * len(two.rows) > PAIRS:
            found, removed = _all_binary(parts, two)
            return found, removed, notes
        one = All().design(parts, seed) if parts.selectable else Design(np.zeros((1, 0), dtype=np.int64))
    elif two is None and one is not None:
        if _grid(parts) * len(one.rows) > PAIRS:
            found, removed = _all_numeric(parts, one)
            return found, removed, notes
        two = FullFactorial().design(parts, seed)
    assert one is not None
    assert two is not None
    found, removed = _checked(parts, one.rows, two.rows)
    return found, removed, notes


def _grid(parts: Parts) -> int:
    return math.prod(len(option.values) for option in parts.model.numeric_options)


def _checked(parts: Parts, binary: Array, numeric: Array) -> tuple[Configurations, int]:
    """Return the valid ones of all pairs, and the number of the others; never all pairs at once."""
    step = max(1, _CHUNK // max(1, len(numeric)))
    kept: list[Configurations] = []
    removed = total = 0
    for start in range(0, len(binary), step):
        some = binary[start : start + step]
        pairs = parts.compose(np.repeat(some, len(numeric), axis=0), np.tile(numeric, (len(some), 1)))
        # Different values of a deselected option are the same configuration.
        pairs = pairs.unique()
        valid = parts.space.check(pairs)
        kept.append(pairs[valid])
        removed += int((~valid).sum())
        total += len(kept[-1])
        if total > LIMIT:
            raise _too_many(total)
    if not kept:
        return Configurations(parts.model, np.zeros((0, len(parts.model.options)), dtype=np.uint8)), removed
    return Configurations.concatenate(kept), removed


def _all_binary(parts: Parts, numeric: Design) -> tuple[Configurations, int]:
    """Return all valid configurations with one of these numeric parts, without listing all binary parts."""
    n = len(parts.selectable)
    rows, counts, _ = _restricted(parts, numeric.rows, n)
    # Binary part by binary part, and within each in the design's order.
    pairs = np.concatenate([rows[:, :n], np.repeat(np.arange(len(counts)), counts)[:, None]], axis=1)
    order = ascending(pairs, [*parts.problem.sizes[:n], len(counts)])
    found = parts.compose(rows[order, :n], rows[order, n:]).unique()
    return found, parts.binary.count * len(numeric.rows) - len(rows)


def _all_numeric(parts: Parts, binary: Design) -> tuple[Configurations, int]:
    """Return all valid configurations with one of these binary parts, without listing all numeric ones."""
    n = len(parts.selectable)
    rows, _, asked = _restricted(parts, binary.rows, 0)
    return parts.compose(rows[:, :n], rows[:, n:]), asked - len(rows)


def _restricted(parts: Parts, rows: Array, first: int) -> tuple[Array, list[int], int]:
    """Solve for each row of a design, whose values the variables from `first` on must have.

    Returns:
        The solutions (binary, then numeric part) row by row, how many there are for each row, and how many there
        would be without constraints. The values of numeric options that a row deselects are no choices.

    Raises:
        SpaceError: if there are more than the enumeration limit.
    """
    full = [(1 << size) - 1 for size in parts.problem.sizes]
    found: list[Array] = [np.zeros((0, len(full)), dtype=np.int64)]
    counts: list[int] = []
    asked = total = 0
    for row in rows:
        domains = list(full)
        for variable, value in enumerate(row, first):
            domains[variable] = 1 << int(value)
        for variable in parts.switched_off(row) if first == 0 else ():
            domains[variable] = 1
        asked += math.prod(domain.bit_count() for domain in domains)
        # What is built for one row is forgotten with it.
        solutions = Solutions(parts.problem, domains=domains, cache=ChainMap({}, parts.cache))
        counts.append(solutions.count)
        total += solutions.count
        if total > LIMIT:
            raise _too_many(total)
        found.append(solutions.enumerate(LIMIT))
    return np.concatenate(found), counts, asked


def _too_many(total: int) -> SpaceError:
    return SpaceError(
        f"the sampling picks at least {total:,} configurations (the limit is {LIMIT:,})",
        hint="take less of the binary or of the numeric part, or draw random:N",
    )
